//! The shell's messages to people, by language. The page has its own catalog.

use std::fmt::Display;

use askdesk_desk::RunningWork;
use askdesk_domain::Language;

pub const APP: &str = "Askdesk";

/// A message with one value, at `{}`.
pub struct Template(&'static str);

impl Template {
    pub fn with(&self, value: impl Display) -> String {
        self.0.replace("{}", &value.to_string())
    }
}

/// A message with a number, for one and for any other number.
pub struct Count([&'static str; 2]);

impl Count {
    pub fn of(&self, count: usize) -> String {
        let [one, more] = self.0;
        Template(if count == 1 { one } else { more }).with(count)
    }
}

/// Declares each message in English, Chinese and German.
macro_rules! messages {
    (
        texts { $($(#[$text_doc:meta])* $text:ident: $text_en:literal, $text_zh:literal, $text_de:literal;)+ }
        templates { $($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal, $de:literal;)+ }
        counts { $($(#[$count_doc:meta])* $count:ident: $count_en:expr, $count_zh:expr, $count_de:expr;)+ }
    ) => {
        pub struct Messages {
            $($(#[$text_doc])* pub $text: &'static str,)+
            $($(#[$doc])* pub $name: Template,)+
            $($(#[$count_doc])* pub $count: Count,)+
        }

        static EN: Messages = Messages {
            $($text: $text_en,)+ $($name: Template($en),)+ $($count: Count($count_en),)+
        };
        static ZH: Messages = Messages {
            $($text: $text_zh,)+ $($name: Template($zh),)+ $($count: Count($count_zh),)+
        };
        static DE: Messages = Messages {
            $($text: $text_de,)+ $($name: Template($de),)+ $($count: Count($count_de),)+
        };

        #[cfg(test)]
        impl Messages {
            fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($text), self.$text),)+]
            }

            fn templates(&self) -> Vec<(&'static str, &'static str)> {
                let mut templates = vec![$((stringify!($name), self.$name.0),)+];
                $(templates.extend(self.$count.0.map(|text| (stringify!($count), text)));)+
                templates
            }
        }
    };
}

messages! {
    texts {
        /// The notification button that shows the window.
        open: "Open", "打开", "Öffnen";
        /// The notification button that takes an answer back, and the entry in the menu of a text field.
        undo: "Undo", "撤销", "Rückgängig";
        /// The entry in the menu of a text field.
        redo: "Redo", "重做", "Wiederholen";
        /// The body of a notification whose answer could not be sent.
        not_sent:
            "Your answer wasn’t sent. The question is still open.",
            "回答未发送，问题仍待回答。",
            "Ihre Antwort wurde nicht gesendet. Die Frage ist noch offen.";
        /// Follows the text of a question.
        goes_on: "The agent goes on.", "智能体继续工作。", "Der Agent arbeitet weiter.";
        /// A question of a session whose text is hidden.
        question_waits: "A question is waiting", "有一个问题待处理", "Eine Frage wartet";
        /// A permission request of a session whose text is hidden.
        permission_waits: "A permission request is waiting", "有一个权限请求待处理", "Eine Berechtigungsanfrage wartet";
        /// The body of a notification about a plan, which shows none of its text.
        plan_waits: "A plan is ready for your review", "有一份计划待审阅", "Ein Plan wartet auf Ihre Prüfung";
        /// The body of the summary notification.
        more_waits:
            "More questions and permission requests are waiting. Open the Inbox to see them all.",
            "还有更多问题和权限请求待处理。打开收件箱可查看全部。",
            "Weitere Fragen und Berechtigungsanfragen warten. Im Eingang sehen Sie alle.";
        /// The body of a notification about a finished turn.
        finished: "Finished its turn.", "已完成一轮。", "Runde beendet.";
        /// Separates the cents of an amount of money.
        decimal_point: ".", ".", ",";
        /// The tray entry that shows the window.
        open_window: "Open Askdesk", "打开 Askdesk", "Askdesk öffnen";
        /// The tray submenu that pauses notifications.
        pause: "Pause notifications", "暂停通知", "Benachrichtigungen pausieren";
        an_hour: "For 1 hour", "暂停 1 小时", "Für 1 Stunde";
        until_tomorrow: "Until tomorrow at 8:00", "暂停到明天 8:00", "Bis morgen um 8:00 Uhr";
        /// The tray entry that quits the app.
        quit_app: "Quit Askdesk", "退出 Askdesk", "Askdesk beenden";
        /// The title of the dialog before quitting.
        quit_title: "Quit Askdesk?", "要退出 Askdesk 吗？", "Askdesk beenden?";
        quit: "Quit", "退出", "Beenden";
        keep_running: "Keep running", "继续运行", "Weiterlaufen lassen";
        /// The title of the dialog that saves an export.
        save_export: "Export", "导出", "Exportieren";
        /// The title of the dialog that attaches files to a message.
        attach: "Attach files", "附加文件", "Dateien anhängen";
        /// Joins the counts of running work.
        comma: ", ", "，", ", ";
        /// Joins the last of them.
        and: ", and ", "，", " und ";
        full_stop: ".", "。", ".";
        if_quit:
            "Quitting stops the agents. Their sessions stay in Askdesk, and you can resume them later if their agents support it.",
            "退出会停止智能体。会话会保留在 Askdesk 中；如果智能体支持，之后可以恢复。",
            "Beim Beenden stoppen die Agenten. Die Sitzungen bleiben in Askdesk, und Sie können sie später fortsetzen, wenn die Agenten das unterstützen.";
        /// The title of the window with the guide.
        guide: "Askdesk guide", "Askdesk 指南", "Askdesk-Anleitung";
        /// The page that is shown after the window's page has died twice.
        page_ended:
            "The page of this window stopped working twice within a minute.",
            "此窗口的页面在一分钟内停止工作了两次。",
            "Die Seite dieses Fensters ist zweimal in einer Minute abgestürzt.";
        page_advice:
            "Your agents keep running, and your questions, answers, and drafts are saved. Free some memory by closing other programs, then load the page again. If it keeps stopping, quit and start Askdesk again.",
            "智能体仍在运行，您的问题、回答和草稿均已保存。请关闭其他程序以释放内存，然后重新加载页面。如果页面仍停止工作，请退出后重新启动应用。",
            "Ihre Agenten laufen weiter, und Ihre Fragen, Antworten und Entwürfe sind gespeichert. Schließen Sie andere Programme, damit mehr Speicher frei wird, und laden Sie die Seite dann neu. Stürzt sie weiter ab, starten Sie Askdesk neu.";
        load_page: "Load the page again", "重新加载页面", "Seite neu laden";
        // The reasons why the app cannot start.
        no_folder:
            "no data folder is available for this user ({error})",
            "此用户没有可用的数据文件夹（{error}）",
            "Für diesen Benutzer gibt es keinen Datenordner ({error})";
        no_path:
            "the data folder’s path can’t be used ({error})",
            "无法使用数据文件夹的路径（{error}）",
            "Der Pfad des Datenordners kann nicht verwendet werden ({error})";
        foreign_folder:
            "{path} already holds other files, such as {error}; set ASKDESK_DATA_DIR to an empty folder",
            "{path} 中已有其他文件，例如 {error}；请将 ASKDESK_DATA_DIR 设为空文件夹",
            "{path} enthält schon andere Dateien, zum Beispiel {error}; setzen Sie ASKDESK_DATA_DIR auf einen leeren Ordner";
        no_window:
            "the window couldn’t be created ({error})",
            "无法创建窗口（{error}）",
            "Das Fenster konnte nicht erstellt werden ({error})";
        no_window_on_windows:
            "the window couldn’t be created ({error}). Windows needs the Microsoft Edge WebView2 Runtime for it: install it from Microsoft’s website if it is missing, and start Askdesk again",
            "无法创建窗口（{error}）。Windows 需要 Microsoft Edge WebView2 Runtime 才能显示窗口：如果缺少它，请从 Microsoft 网站安装，然后重新启动 Askdesk",
            "Das Fenster konnte nicht erstellt werden ({error}). Windows braucht dafür die Microsoft Edge WebView2 Runtime: Installieren Sie sie von der Website von Microsoft, falls sie fehlt, und starten Sie Askdesk neu";
        no_engine:
            "an internal component failed to start ({error})",
            "内部组件无法启动（{error}）",
            "Eine interne Komponente konnte nicht starten ({error})";
        no_program:
            "Askdesk couldn’t determine its own program path ({error})",
            "Askdesk 无法确定自己的程序路径（{error}）",
            "Askdesk konnte seinen eigenen Programmpfad nicht ermitteln ({error})";
        busy:
            "{path} is in use by another program, perhaps a second Askdesk",
            "另一个程序正在使用 {path}，可能是另一个 Askdesk",
            "{path} wird von einem anderen Programm verwendet, vielleicht von einem zweiten Askdesk";
        full:
            "{path} can’t be written because the disk is full",
            "磁盘已满，无法写入 {path}",
            "{path} kann nicht geschrieben werden, weil der Datenträger voll ist";
        damaged: "{path} is damaged ({error})", "{path} 已损坏（{error}）", "{path} ist beschädigt ({error})";
        stuck:
            "{path} is damaged and couldn’t be renamed ({error})",
            "{path} 已损坏，且无法重命名（{error}）",
            "{path} ist beschädigt und konnte nicht umbenannt werden ({error})";
        too_new:
            "{path} comes from a newer version of Askdesk; install that version",
            "{path} 来自更新版本的 Askdesk，请安装该版本",
            "{path} stammt von einer neueren Version von Askdesk; installieren Sie diese Version";
        other:
            "{path} can’t be used ({error})",
            "无法使用 {path}（{error}）",
            "{path} kann nicht verwendet werden ({error})";
    }
    templates {
        /// An amount of US dollars.
        dollars: "${}", "{} 美元", "{} $";
        /// The title of a notification about a passed daily budget.
        budget_passed: "Daily budget of {} passed", "已超出每日预算 {}", "Tagesbudget von {} überschritten";
        /// Its body, with the cost of the day.
        spent_today:
            "{} spent today. Your agents keep running.",
            "今天已花费 {}。智能体会继续运行。",
            "Heute wurden {} ausgegeben. Ihre Agenten laufen weiter.";
        /// The value is one of the reasons above, without a period.
        cannot_start:
            "Askdesk couldn’t start: {}.\n\nNothing was changed. Fix this, then start Askdesk again.",
            "Askdesk 无法启动：{}。\n\n没有更改任何内容。请解决此问题，然后重新启动 Askdesk。",
            "Askdesk konnte nicht starten: {}.\n\nEs wurde nichts geändert. Beheben Sie das und starten Sie Askdesk erneut.";
        /// The value is the command that builds the guide.
        no_guide:
            "This build of Askdesk doesn’t include the guide. In the repository, run “{}”, then build Askdesk again.",
            "此版本的 Askdesk 不包含指南。请在代码仓库中运行“{}”，然后重新构建 Askdesk。",
            "Dieser Build von Askdesk enthält die Anleitung nicht. Führen Sie im Repository „{}“ aus und bauen Sie Askdesk dann neu.";
        /// The value is the number of questions after the first one.
        and_more: "and {} more", "另有 {} 个问题", "und {} weitere";
        /// The value is the chosen option.
        answered: "Answered: {}", "已回答：{}", "Beantwortet: {}";
        /// The value is the name of the session.
        asks_permission: "{} asks for permission", "{} 请求权限", "{} bittet um Berechtigung";
        /// The value is the name of the agent.
        agent_warns: "{} warns.", "{} 发出警告。", "{} warnt.";
        /// The value is the number of items that are not listed.
        and_others: "{} more…", "另有 {} 项…", "{} weitere…";
        /// The value is the time of day at which the pause ends.
        notify_again:
            "Resume notifications (paused until {})",
            "恢复通知（已暂停到 {}）",
            "Benachrichtigungen fortsetzen (pausiert bis {})";
    }
    counts {
        sessions:
            ["{} session is working", "{} sessions are working"],
            ["{} 个会话正在工作", "{} 个会话正在工作"],
            ["{} Sitzung arbeitet gerade", "{} Sitzungen arbeiten gerade"];
        questions:
            ["{} question is waiting for you", "{} questions are waiting for you"],
            ["{} 个问题待处理", "{} 个问题待处理"],
            ["{} Frage wartet auf Sie", "{} Fragen warten auf Sie"];
        approvals:
            ["{} permission request is waiting for you", "{} permission requests are waiting for you"],
            ["{} 个权限请求待处理", "{} 个权限请求待处理"],
            ["{} Berechtigungsanfrage wartet auf Sie", "{} Berechtigungsanfragen warten auf Sie"];
        /// Questions and permission requests together.
        waiting:
            ["Askdesk: {} waiting", "Askdesk: {} waiting"],
            ["Askdesk：{} 项待处理", "Askdesk：{} 项待处理"],
            ["Askdesk: {} wartet", "Askdesk: {} warten"];
    }
}

pub fn of(language: Language) -> &'static Messages {
    match language {
        Language::En => &EN,
        Language::Zh => &ZH,
        Language::De => &DE,
    }
}

impl Messages {
    /// The text of the dialog before quitting: what it ends and what it keeps.
    pub fn running_work(&self, RunningWork { sessions, questions, approvals }: RunningWork) -> String {
        let counts = [(&self.sessions, sessions), (&self.questions, questions), (&self.approvals, approvals)];
        let parts: Vec<String> =
            counts.into_iter().filter(|(_, count)| *count > 0).map(|(text, count)| text.of(count)).collect();
        let said = match &parts[..] {
            [before @ .., last] if !before.is_empty() => {
                format!("{}{}{last}", before.join(self.comma), self.and)
            }
            _ => parts.concat(),
        };
        format!("{said}{}\n\n{}", self.full_stop, self.if_quit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_work_is_counted_in_each_language() {
        let running = RunningWork { sessions: 1, questions: 2, approvals: 0 };
        let first_line =
            |language| of(language).running_work(running).lines().next().unwrap_or_default().to_owned();
        assert_eq!(first_line(Language::En), "1 session is working, and 2 questions are waiting for you.");
        assert_eq!(first_line(Language::De), "1 Sitzung arbeitet gerade und 2 Fragen warten auf Sie.");
        assert_eq!(first_line(Language::Zh), "1 个会话正在工作，2 个问题待处理。");
    }

    fn all(messages: &Messages) -> Vec<(&'static str, &'static str)> {
        [messages.texts(), messages.templates()].concat()
    }

    /// The punctuation that two languages share.
    const SAME: [(Language, &str); 3] =
        [(Language::De, "comma"), (Language::De, "full_stop"), (Language::Zh, "decimal_point")];

    #[test]
    fn no_text_is_empty_or_left_in_english() {
        for language in [Language::Zh, Language::De] {
            for ((name, english), (_, text)) in all(&EN).into_iter().zip(all(of(language))) {
                assert!(!text.trim().is_empty(), "{language:?} has no {name}");
                let same = SAME.contains(&(language, name));
                assert_eq!(text == english, same, "{name} in {language:?}: {text}");
            }
        }
    }

    #[test]
    fn chinese_has_no_latin_words_but_names() {
        const NAMES: [&str; 5] =
            [APP, "ASKDESK_DATA_DIR", "Microsoft Edge WebView2 Runtime", "Microsoft", "Windows"];
        for (name, text) in all(&ZH) {
            let rest = NAMES
                .iter()
                .fold(text.replace("{path}", "").replace("{error}", ""), |rest, name| rest.replace(name, ""));
            assert!(!rest.contains(|letter: char| letter.is_ascii_alphabetic()), "{name}: {text}");
        }
    }

    #[test]
    fn every_template_has_one_place_for_its_value() {
        for (name, text) in [&EN, &ZH, &DE].into_iter().flat_map(Messages::templates) {
            assert_eq!(text.matches("{}").count(), 1, "{name}: {text}");
        }
    }
}
