//! The programs that folders and files can be opened in, by their ids.

use serde::{Deserialize, Serialize};

/// Declares every known program once, by its kind.
macro_rules! programs {
    ($($kind:ident { $($variant:ident = $id:literal,)+ })+) => {
        /// A program that a folder or a file can be opened in. Within its kind, an earlier one is preferred.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub enum Program {
            $($(#[serde(rename = $id)] $variant,)+)+
        }

        impl Program {
            pub const ALL: &[Self] = &[$($(Self::$variant,)+)+];

            pub const fn id(self) -> &'static str {
                match self {
                    $($(Self::$variant => $id,)+)+
                }
            }

            pub const fn kind(self) -> ProgramKind {
                match self {
                    $($(Self::$variant => ProgramKind::$kind,)+)+
                }
            }
        }
    };
}

programs! {
    Editor {
        EditorCommand = "editor_command",
        VsCode = "vscode",
        Cursor = "cursor",
        Zed = "zed",
        IntelliJ = "idea",
        WebStorm = "webstorm",
        PyCharm = "pycharm",
        GoLand = "goland",
        RustRover = "rustrover",
        CLion = "clion",
        PhpStorm = "phpstorm",
        RubyMine = "rubymine",
        Rider = "rider",
        Neovim = "neovim",
        Vim = "vim",
    }
    Terminal {
        TerminalCommand = "terminal_command",
        GnomeTerminal = "gnome_terminal",
        Konsole = "konsole",
        Kitty = "kitty",
        WezTerm = "wezterm",
        Alacritty = "alacritty",
        Iterm = "iterm",
        MacTerminal = "mac_terminal",
        WindowsTerminal = "windows_terminal",
        Xterm = "xterm",
    }
    FileManager {
        FileManager = "file_manager",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ProgramKind {
    Editor,
    Terminal,
    FileManager,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_are_the_words_on_the_wire() {
        for (index, program) in Program::ALL.iter().enumerate() {
            assert_eq!(serde_json::to_value(program).unwrap(), program.id());
            assert!(!Program::ALL[..index].iter().any(|other| other.id() == program.id()), "{program:?}");
        }
    }
}
