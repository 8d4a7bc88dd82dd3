//! The arguments that are answered on standard output, without a window and without a display.

use std::ffi::OsStr;

use askdesk_client_config::discovery::{DATA_FOLDER, IN_BACKGROUND, PROGRAM};

/// Returns what is printed for `--help` or `--version`; none for all other arguments.
pub fn printed<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Option<String> {
    arguments.into_iter().find_map(|argument| match argument.to_str()? {
        "--help" | "-h" => Some(help()),
        "--version" | "-V" => Some(format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))),
        _ => None,
    })
}

fn help() -> String {
    let log = crate::LOG;
    format!(
        "Askdesk: one desk where all your coding agents' questions land

Usage: {PROGRAM} [OPTIONS] [ADDRESS]

Arguments:
  [ADDRESS]  A deep link to open, such as askdesk://request/<id>

Options:
      {IN_BACKGROUND}  Start in the tray, without a window
  -h, --help           Print help
  -V, --version        Print the version

Environment variables:
  {DATA_FOLDER}  The data folder
  {log}       Filters the log on standard error, as in askdesk=debug

To ask, list, and answer questions in a terminal, use the askdesk command: askdesk --help
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_help_and_version_are_answered_without_a_window() {
        let printed = |arguments: &[&str]| printed(arguments.iter().map(OsStr::new));
        assert!(printed(&["--help"]).is_some_and(|help| help.contains("--in-background")));
        assert_eq!(printed(&[IN_BACKGROUND, "-h"]), printed(&["--help"]));
        let version = format!("askdesk-desktop {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!((printed(&["--version"]), printed(&["-V"])), (Some(version.clone()), Some(version)));
        for others in [&[][..], &[IN_BACKGROUND], &["askdesk://request/1"], &["--helpful"]] {
            assert_eq!(printed(others), None, "{others:?}");
        }
    }
}
