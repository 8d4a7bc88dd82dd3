//! The desktop entry in the user's autostart folder, by which a Linux desktop starts the app.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;
use askdesk_domain::OptIn;
use askdesk_engine::private;
use tauri::{AppHandle, Manager};

use super::IN_BACKGROUND;
use crate::messages;

/// Not the name of the app's own entry: desktops copy that one here if the user adds the app to the autostart.
const FILE: &str = "io.github.askdesk.desktop";

/// The name of the installed icon.
const ICON: &str = "askdesk-desktop";

pub struct DesktopEntry {
    file: PathBuf,
    program: PathBuf,
}

impl DesktopEntry {
    pub fn new(app: &AppHandle) -> anyhow::Result<Self> {
        let folder = app.path().config_dir().context("the system names no folder for configuration")?;
        // The path from when the app was started: it is still right after an update has replaced the program.
        let program =
            tauri::process::current_binary(&app.env()).context("the app's own program is not known")?;
        Ok(Self { file: folder.join("autostart").join(FILE), program })
    }

    /// Writes or deletes the file. An up-to-date file is not touched.
    pub fn set(&self, start: OptIn) -> anyhow::Result<()> {
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
                let folder = self.file.parent().map_or(Ok(()), private::create_missing);
                let written = folder.and_then(|()| private::write(&self.file, text.as_bytes()));
                written.with_context(|| file.to_string())
            }
        }
    }

    fn text(&self) -> anyhow::Result<String> {
        let program = self.program.to_str().context("the path of the app's program is no text")?;
        anyhow::ensure!(!program.contains(['\n', '\r']), "the path of the app's program has line breaks");
        Ok(format!(
            "[Desktop Entry]\nType=Application\nName={}\nIcon={ICON}\nExec={} {IN_BACKGROUND}\nTerminal=false\n",
            messages::APP,
            quoted(program),
        ))
    }
}

/// Quotes an argument as the desktop entry format requires: once for the command line, and once more as a string of the file.
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

    fn entry(folder: &tempfile::TempDir, program: &str) -> DesktopEntry {
        DesktopEntry { file: folder.path().join("autostart").join(FILE), program: program.into() }
    }

    #[test]
    fn the_entry_exists_with_the_current_program_while_the_setting_is_on() {
        let folder = tempfile::tempdir().unwrap();
        let before = entry(&folder, "/opt/old/askdesk-desktop");
        before.set(OptIn::Off).unwrap();
        before.set(OptIn::On).unwrap();
        let moved = entry(&folder, "/home/ada/My Apps/Askdesk.AppImage");
        moved.set(OptIn::On).unwrap();
        assert_eq!(
            std::fs::read_to_string(&moved.file).unwrap(),
            "[Desktop Entry]\nType=Application\nName=Askdesk\nIcon=askdesk-desktop\n\
             Exec=\"/home/ada/My Apps/Askdesk.AppImage\" --in-background\nTerminal=false\n"
        );
        let written = std::fs::metadata(&moved.file).unwrap().modified().unwrap();
        moved.set(OptIn::On).unwrap();
        assert_eq!(std::fs::metadata(&moved.file).unwrap().modified().unwrap(), written);
        moved.set(OptIn::Off).unwrap();
        assert!(!moved.file.exists());
    }

    #[test]
    fn case_78_nobody_else_can_change_what_starts_at_login() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let entry = entry(&folder, "/opt/askdesk-desktop");
        entry.set(OptIn::On).unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&entry.file), mode(entry.file.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("autostart"), "a file").unwrap();
        let error = entry(&folder, "/opt/askdesk-desktop").set(OptIn::On).unwrap_err();
        assert!(format!("{error:#}").contains(FILE), "{error:#}");
    }

    #[test]
    fn a_path_with_special_characters_is_one_argument() {
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
