//! Why the app can't start. A system dialog says it in the person's language, because there is no window.

use std::fmt::{self, Display, Formatter};

use askdesk_domain::{Language, StorageError};
use askdesk_engine::EngineError;

#[derive(Debug)]
pub enum StartupError {
    NoFolder {
        error: String,
    },
    /// The data folder was given as an invalid path.
    NoPath {
        error: String,
    },
    Storage {
        trouble: StorageError,
    },
    /// The engine could not start, for example because the system has no thread left.
    NoEngine {
        error: String,
    },
    /// The path of this program is unknown.
    NoProgram {
        error: String,
    },
}

impl std::error::Error for StartupError {}

/// The English message, for the log.
impl Display for StartupError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Language::En))
    }
}

impl From<EngineError> for StartupError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Journal(trouble) => Self::Storage { trouble },
            EngineError::Closing | EngineError::Reject(_) => Self::NoEngine { error: error.to_string() },
        }
    }
}

impl StartupError {
    /// Returns the reason as the end of a sentence, without the period.
    pub fn message(&self, language: Language) -> String {
        let reasons = match language {
            Language::En => &EN,
            Language::Zh => &ZH,
            Language::De => &DE,
        };
        match self {
            Self::NoFolder { error } => fill(reasons.no_folder, "", error),
            Self::NoPath { error } => fill(reasons.no_path, "", error),
            Self::NoEngine { error } => fill(reasons.no_engine, "", error),
            Self::NoProgram { error } => fill(reasons.no_program, "", error),
            Self::Storage { trouble } => match trouble {
                StorageError::Busy { path } => fill(reasons.busy, path, ""),
                StorageError::Full { path } => fill(reasons.full, path, ""),
                StorageError::Damaged { path, error } => fill(reasons.damaged, path, error),
                StorageError::Stuck { path, error } => fill(reasons.stuck, path, error),
                StorageError::TooNew { path, .. } => fill(reasons.too_new, path, ""),
                StorageError::Other { path, error } => fill(reasons.other, path, error),
            },
        }
    }
}

fn fill(reason: &str, path: &str, error: &str) -> String {
    // A path or an error message may contain `{path}` or `{error}` itself.
    let parts = reason.split_inclusive('}').map(|part| match part.strip_suffix("{path}") {
        Some(before) => [before, path].concat(),
        None => match part.strip_suffix("{error}") {
            Some(before) => [before, error].concat(),
            None => part.to_owned(),
        },
    });
    parts.collect()
}

struct Reasons {
    no_folder: &'static str,
    no_path: &'static str,
    no_engine: &'static str,
    no_program: &'static str,
    busy: &'static str,
    full: &'static str,
    damaged: &'static str,
    stuck: &'static str,
    too_new: &'static str,
    other: &'static str,
}

static EN: Reasons = Reasons {
    no_folder: "the system names no folder for the app’s data ({error})",
    no_path: "the path of the data folder cannot be used ({error})",
    no_engine: "its inner parts cannot begin ({error})",
    no_program: "the path of this program is not known ({error})",
    busy: "{path} is in use by another Askdesk or another program",
    full: "{path} cannot grow, because the disk is full",
    damaged: "{path} is damaged ({error})",
    stuck: "{path} is damaged and cannot be kept under another name ({error})",
    too_new: "{path} belongs to a newer Askdesk; install the newer one to use it",
    other: "{path} cannot be used ({error})",
};

static ZH: Reasons = Reasons {
    no_folder: "系统没有为应用数据指定文件夹（{error}）",
    no_path: "数据文件夹的路径无法使用（{error}）",
    no_engine: "应用的内部组件无法启动（{error}）",
    no_program: "不知道本程序的路径（{error}）",
    busy: "{path} 正被另一个 Askdesk 或其他程序使用",
    full: "{path} 无法增大，因为磁盘已满",
    damaged: "{path} 已损坏（{error}）",
    stuck: "{path} 已损坏，且无法以其他名称保留（{error}）",
    too_new: "{path} 属于更新版本的 Askdesk；请安装更新的版本",
    other: "{path} 无法使用（{error}）",
};

static DE: Reasons = Reasons {
    no_folder: "Das System nennt keinen Ordner für die Daten der App ({error})",
    no_path: "Der Pfad des Datenordners kann nicht benutzt werden ({error})",
    no_engine: "Die inneren Teile der App können nicht beginnen ({error})",
    no_program: "Der Pfad dieses Programms ist nicht bekannt ({error})",
    busy: "{path} wird von einem anderen Askdesk oder einem anderen Programm benutzt",
    full: "{path} kann nicht wachsen, weil die Festplatte voll ist",
    damaged: "{path} ist beschädigt ({error})",
    stuck: "{path} ist beschädigt und kann nicht unter einem anderen Namen aufgehoben werden ({error})",
    too_new: "{path} gehört zu einem neueren Askdesk; installieren Sie das neuere",
    other: "{path} kann nicht benutzt werden ({error})",
};

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/d/{error}/desk.db";
    const ERROR: &str = "«{path}»";

    /// One of each; a new one does not compile until it is listed.
    fn all() -> Vec<StartupError> {
        let (path, error) = (|| PATH.to_owned(), || ERROR.to_owned());
        let troubles = [
            StorageError::Busy { path: path() },
            StorageError::Full { path: path() },
            StorageError::Damaged { path: path(), error: error() },
            StorageError::Stuck { path: path(), error: error() },
            StorageError::TooNew { path: path(), found: 9, known: 8 },
            StorageError::Other { path: path(), error: error() },
        ];
        let others = [
            StartupError::NoFolder { error: error() },
            StartupError::NoPath { error: error() },
            StartupError::NoEngine { error: error() },
            StartupError::NoProgram { error: error() },
        ];
        troubles.into_iter().map(|trouble| StartupError::Storage { trouble }).chain(others).collect()
    }

    #[test]
    fn what_was_met_stands_whole_in_each_language() {
        for why in all() {
            let english = why.message(Language::En);
            for language in [Language::Zh, Language::De] {
                let words = why.message(language);
                assert_ne!(words, english);
                for met in [PATH, ERROR] {
                    assert_eq!(words.contains(met), english.contains(met), "{language:?}: {words}");
                }
                let rest = words.replace(PATH, "").replace(ERROR, "");
                assert!(!rest.contains(['{', '}']), "{words}");
            }
        }
        let busy = StorageError::Busy { path: "/d".to_owned() };
        assert_eq!(
            StartupError::Storage { trouble: busy }.message(Language::De),
            "/d wird von einem anderen Askdesk oder einem anderen Programm benutzt"
        );
    }

    #[test]
    fn chinese_has_no_word_of_latin_letters_but_the_app_s_name() {
        for why in all() {
            let words = why.message(Language::Zh).replace(PATH, "").replace(ERROR, "").replace("Askdesk", "");
            assert!(!words.contains(|letter: char| letter.is_ascii_alphabetic()), "{words}");
        }
    }
}
