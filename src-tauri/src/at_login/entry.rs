//! The entry by which a Linux desktop starts the app: a file in the autostart folder of the person's configuration.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;
use askdesk_domain::OptIn;
use tauri::{AppHandle, Manager};

use super::IN_BACKGROUND;
use crate::words;

/// Its name is ours alone: desktops copy the app's own entry under its name, and that one is the person's.
const FILE: &str = "io.github.askdesk.desktop";

/// The icon's name, as it is installed.
const ICON: &str = "askdesk-desktop";

/// The file, and the program it starts.
pub struct Entry {
    file: PathBuf,
    program: PathBuf,
}

impl Entry {
    /// Finds where it belongs.
    pub fn of(app: &AppHandle) -> anyhow::Result<Self> {
        let folder = app.path().config_dir().context("the system names no folder for configuration")?;
        // Named as it was when the app began: a package that was replaced meanwhile has left no other name.
        let program =
            tauri::process::current_binary(&app.env()).context("the app's own program is not known")?;
        Ok(Self { file: folder.join("autostart").join(FILE), program })
    }

    /// Writes it or takes it away; what is as it should be is not touched.
    pub fn put(&self, start: OptIn) -> anyhow::Result<()> {
        let file = self.file.display();
        match start {
            OptIn::Off => match std::fs::remove_file(&self.file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(error).with_context(|| file.to_string())
                }
                _ => Ok(()),
            },
            OptIn::On => {
                let text = self.text()?;
                if std::fs::read_to_string(&self.file).is_ok_and(|now| now == text) {
                    return Ok(());
                }
                let folder = self.file.parent().map_or(Ok(()), std::fs::create_dir_all);
                folder.and_then(|()| std::fs::write(&self.file, text)).with_context(|| file.to_string())
            }
        }
    }

    fn text(&self) -> anyhow::Result<String> {
        let program = self.program.to_str().context("the path of the app's program is no text")?;
        anyhow::ensure!(!program.contains(['\n', '\r']), "the path of the app's program has line breaks");
        Ok(format!(
            "[Desktop Entry]\nType=Application\nName={}\nIcon={ICON}\nExec={} {IN_BACKGROUND}\nTerminal=false\n",
            words::APP,
            quoted(program),
        ))
    }
}

/// Writes a word as the format wants it in a command: quoted once for the command, and once more as a text of the file.
fn quoted(word: &str) -> String {
    let mut quoted = String::from('"');
    for letter in word.chars() {
        match letter {
            '\\' => quoted.push_str(r"\\\\"),
            '"' | '`' | '$' => {
                quoted.push_str(r"\\");
                quoted.push(letter);
            }
            '%' => quoted.push_str("%%"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(folder: &tempfile::TempDir, program: &str) -> Entry {
        Entry { file: folder.path().join("autostart").join(FILE), program: program.into() }
    }

    #[test]
    fn it_is_there_with_the_program_as_long_as_it_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let before = entry(&folder, "/opt/old/askdesk-desktop");
        before.put(OptIn::Off).unwrap();
        before.put(OptIn::On).unwrap();
        let moved = entry(&folder, "/home/ada/My Apps/Askdesk.AppImage");
        moved.put(OptIn::On).unwrap();
        assert_eq!(
            std::fs::read_to_string(&moved.file).unwrap(),
            "[Desktop Entry]\nType=Application\nName=Askdesk\nIcon=askdesk-desktop\n\
             Exec=\"/home/ada/My Apps/Askdesk.AppImage\" --in-background\nTerminal=false\n"
        );
        let written = std::fs::metadata(&moved.file).unwrap().modified().unwrap();
        moved.put(OptIn::On).unwrap();
        assert_eq!(std::fs::metadata(&moved.file).unwrap().modified().unwrap(), written);
        moved.put(OptIn::Off).unwrap();
        assert!(!moved.file.exists());
    }

    #[test]
    fn what_the_system_refuses_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("autostart"), "a file").unwrap();
        let error = entry(&folder, "/opt/askdesk-desktop").put(OptIn::On).unwrap_err();
        assert!(format!("{error:#}").contains(FILE), "{error:#}");
    }

    #[test]
    fn a_path_with_letters_of_a_command_is_one_word_of_it() {
        for (path, expected) in [
            ("/a b", r#""/a b""#),
            ("/50%f", r#""/50%%f""#),
            (r#"/$HOME/`x`"y""#, r#""/\\$HOME/\\`x\\`\\"y\\"""#),
            (r"/a\b", r#""/a\\\\b""#),
        ] {
            assert_eq!(quoted(path), expected, "{path}");
        }
    }
}
