//! The arguments of each known program: a folder, a file, or a program to run in a terminal.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use askdesk_domain::Program;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::target::Target;

/// The arguments with which an editor opens a target.
pub fn of_editor(editor: Program, target: &Target) -> Vec<OsString> {
    match editor {
        Program::VsCode | Program::Cursor => of_vscode(target),
        Program::Zed => of_zed(target),
        Program::Vim | Program::Neovim => of_vim(target),
        _ => of_jetbrains(target),
    }
}

/// `code --goto` takes numbers between colons for the line and the column, wherever in the path they are, and trims spaces
/// around a path. A path with either is passed as a URI, which stays as it is, and without the line.
/// (VS Code's `parseLineAndColumnAware` and `preparePath`; Cursor is built from it.)
fn of_vscode(target: &Target) -> Vec<OsString> {
    let path = target.path();
    let is_trimmed = path.as_os_str().as_encoded_bytes().last().is_some_and(u8::is_ascii_whitespace);
    match target {
        Target::Folder(_) if is_trimmed => vec!["--folder-uri".into(), file_uri(path)],
        Target::Folder(_) => vec![path.into()],
        Target::File { .. } if is_trimmed => vec!["--file-uri".into(), file_uri(path)],
        Target::File { line: Some(line), .. } if !has_number_between_colons(path) => {
            vec!["--goto".into(), joined(path, format!(":{line}:1"))]
        }
        Target::File { .. } => vec![path.into()],
    }
}

/// Whether JavaScript's `Number` reads a part between colons as a number; it reads nothing as zero.
fn has_number_between_colons(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.split(|&byte| byte == b':').skip(1).any(|part| {
        let part = part.trim_ascii();
        let Ok(text) = std::str::from_utf8(part) else { return false };
        let digits = text.trim_start_matches(['+', '-']);
        text.trim().is_empty()
            || digits.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.')
            || digits == "Infinity"
    })
}

/// Zed opens what exists under the whole argument, and otherwise looks for the place in it: `path:line:column`, also as
/// `path(line,column)`.
fn of_zed(target: &Target) -> Vec<OsString> {
    let holds_place =
        |path: &Path| has_number_between_colons(path) || path.as_os_str().as_encoded_bytes().contains(&b'(');
    match target {
        Target::File { path, line: Some(line) } if !holds_place(path) => {
            vec![joined(path, format!(":{line}:1"))]
        }
        _ => vec![target.path().into()],
    }
}

fn of_jetbrains(target: &Target) -> Vec<OsString> {
    match target {
        Target::File { path, line: Some(line) } => {
            vec!["--line".into(), line.to_string().into(), path.into()]
        }
        _ => vec![target.path().into()],
    }
}

/// After `--`, a name is never an option or a command.
fn of_vim(target: &Target) -> Vec<OsString> {
    let place = match target {
        Target::File { line: Some(line), .. } => Some(format!("+{line}").into()),
        _ => None,
    };
    place.into_iter().chain(["--".into(), target.path().into()]).collect()
}

/// What runs in a terminal: a program with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    pub program: &'a Path,
    pub args: &'a [OsString],
}

impl Running<'_> {
    pub fn words(&self) -> impl Iterator<Item = OsString> {
        std::iter::once(self.program.into()).chain(self.args.iter().cloned())
    }
}

/// The arguments with which a terminal opens in a folder and runs a program; none if it can't be told which program.
///
/// A terminal that starts in the folder of its process needs no argument for it, and gets none: that also holds for a folder
/// whose name it would read in its own way.
pub fn of_terminal(terminal: Program, folder: &Path, running: Option<Running<'_>>) -> Option<Vec<OsString>> {
    let (at_folder, before_program): (Vec<OsString>, &[&str]) = match terminal {
        // A server draws its windows.
        Program::GnomeTerminal => (vec![joined(OsStr::new("--working-directory="), folder)], &["--"]),
        Program::Konsole => (vec!["--workdir".into(), folder.into()], &["-e"]),
        Program::WezTerm => (vec!["start".into(), "--cwd".into(), folder.into()], &["--"]),
        Program::WindowsTerminal => (vec!["-d".into(), folder.into()], &[]),
        Program::Alacritty | Program::Xterm => (Vec::new(), &["-e"]),
        Program::Kitty => (Vec::new(), &[]),
        // These take a program only as text for a shell, inside AppleScript.
        Program::Iterm | Program::MacTerminal if running.is_some() => return None,
        Program::Iterm | Program::MacTerminal => (vec![folder.into()], &[]),
        _ => return None,
    };
    let Some(running) = running else { return Some(at_folder) };
    let before = before_program.iter().map(OsString::from);
    Some(at_folder.into_iter().chain(before).chain(running.words()).collect())
}

/// Returns a character of the arguments that the program would take for something else.
pub fn unsafe_character(program: Program, args: &[OsString]) -> Option<&'static str> {
    // It separates commands of `wt`, and the backslash that would escape it also separates folders.
    let has = |byte: u8| args.iter().any(|arg| arg.as_encoded_bytes().contains(&byte));
    (program == Program::WindowsTerminal && has(b';')).then_some(";")
}

fn joined(first: impl AsRef<OsStr>, second: impl AsRef<OsStr>) -> OsString {
    let mut whole = first.as_ref().to_owned();
    whole.push(second);
    whole
}

/// What a path of a URI doesn't need to encode.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

fn file_uri(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_encoded_bytes();
    let slashes = if cfg!(windows) {
        bytes.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect()
    } else {
        bytes.to_vec()
    };
    let root = match slashes.as_slice() {
        // The name of the server takes the place of the host.
        [b'/', b'/', ..] if cfg!(windows) => "",
        [b'/', ..] => "//",
        // A path of Windows begins with a drive.
        _ => "///",
    };
    format!("file:{root}{}", percent_encode(&slashes, KEPT)).into()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn file(path: &str, line: Option<u32>) -> Target {
        Target::File { path: path.into(), line }
    }

    fn words(args: &[OsString]) -> Vec<&str> {
        args.iter().map(|arg| arg.to_str().unwrap()).collect()
    }

    #[rstest]
    #[case(Program::VsCode, &["/w/a b"], &["/w/f"], &["--goto", "/w/f:12:1"])]
    #[case(Program::Cursor, &["/w/a b"], &["/w/f"], &["--goto", "/w/f:12:1"])]
    #[case(Program::Zed, &["/w/a b"], &["/w/f"], &["/w/f:12:1"])]
    #[case(Program::IntelliJ, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::WebStorm, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::PyCharm, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::GoLand, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::RustRover, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::CLion, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::PhpStorm, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::RubyMine, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::Rider, &["/w/a b"], &["/w/f"], &["--line", "12", "/w/f"])]
    #[case(Program::Vim, &["--", "/w/a b"], &["--", "/w/f"], &["+12", "--", "/w/f"])]
    #[case(Program::Neovim, &["--", "/w/a b"], &["--", "/w/f"], &["+12", "--", "/w/f"])]
    fn an_editor_opens_a_folder_a_file_and_a_line(
        #[case] editor: Program,
        #[case] folder: &[&str],
        #[case] whole: &[&str],
        #[case] at_line: &[&str],
    ) {
        assert_eq!(words(&of_editor(editor, &Target::Folder("/w/a b".into()))), folder);
        assert_eq!(words(&of_editor(editor, &file("/w/f", None))), whole);
        assert_eq!(words(&of_editor(editor, &file("/w/f", Some(12)))), at_line);
    }

    #[rstest]
    #[case::text_after_a_colon("/w/a:b", &["--goto", "/w/a:b:12:1"])]
    #[case::a_drive(r"C:\w\a", &["--goto", r"C:\w\a:12:1"])]
    #[case::a_line_break("/w/a\nb", &["--goto", "/w/a\nb:12:1"])]
    #[case::a_number("/w/a:7", &["/w/a:7"])]
    #[case::a_number_inside("/w/a:7:b", &["/w/a:7:b"])]
    #[case::nothing_between_colons("/w/a::b", &["/w/a::b"])]
    #[case::a_colon_at_the_end("/w/a:", &["/w/a:"])]
    #[case::a_fraction("/w/a:.5", &["/w/a:.5"])]
    #[case::hexadecimal("/w/a:0x1f", &["/w/a:0x1f"])]
    #[case::no_end("/w/a:-Infinity", &["/w/a:-Infinity"])]
    #[case::a_space_at_the_end("/w/a b ", &["--file-uri", "file:///w/a%20b%20"])]
    #[case::a_line_break_at_the_end("/w/ä\n", &["--file-uri", "file:///w/%C3%A4%0A"])]
    fn vscode_gets_a_line_only_where_it_reads_the_path_as_it_is(#[case] path: &str, #[case] args: &[&str]) {
        assert_eq!(words(&of_editor(Program::VsCode, &file(path, Some(12)))), args);
    }

    #[rstest]
    #[case("/w/a:b", "/w/a:b:12:1")]
    #[case("/w/a:7", "/w/a:7")]
    #[case("/w/a(3)", "/w/a(3)")]
    fn zed_gets_a_line_only_where_the_path_holds_no_other(#[case] path: &str, #[case] arg: &str) {
        assert_eq!(words(&of_editor(Program::Zed, &file(path, Some(12)))), [arg]);
    }

    #[test]
    fn vscode_gets_a_folder_with_a_space_at_its_end_as_a_uri() {
        let args = of_editor(Program::VsCode, &Target::Folder("/w/$(x) ".into()));
        assert_eq!(words(&args), ["--folder-uri", "file:///w/%24%28x%29%20"]);
    }

    #[rstest]
    #[case(Program::GnomeTerminal, &["--working-directory=/w/a b"], &["--working-directory=/w/a b", "--", "/bin/vim", "-x", "$(y)"])]
    #[case(Program::Konsole, &["--workdir", "/w/a b"], &["--workdir", "/w/a b", "-e", "/bin/vim", "-x", "$(y)"])]
    #[case(Program::Kitty, &[], &["/bin/vim", "-x", "$(y)"])]
    #[case(Program::WezTerm, &["start", "--cwd", "/w/a b"], &["start", "--cwd", "/w/a b", "--", "/bin/vim", "-x", "$(y)"])]
    #[case(Program::Alacritty, &[], &["-e", "/bin/vim", "-x", "$(y)"])]
    #[case(Program::Xterm, &[], &["-e", "/bin/vim", "-x", "$(y)"])]
    #[case(Program::WindowsTerminal, &["-d", "/w/a b"], &["-d", "/w/a b", "/bin/vim", "-x", "$(y)"])]
    fn a_terminal_opens_a_folder_and_runs_a_program(
        #[case] terminal: Program,
        #[case] bare: &[&str],
        #[case] with_program: &[&str],
    ) {
        let args = ["-x", "$(y)"].map(OsString::from);
        let running = Running { program: Path::new("/bin/vim"), args: &args };
        let folder = Path::new("/w/a b");
        assert_eq!(words(&of_terminal(terminal, folder, None).unwrap()), bare);
        assert_eq!(words(&of_terminal(terminal, folder, Some(running)).unwrap()), with_program);
    }

    #[test]
    fn the_terminals_of_macos_open_a_folder_and_run_nothing() {
        for terminal in [Program::Iterm, Program::MacTerminal] {
            let running = Running { program: Path::new("/bin/vim"), args: &[] };
            assert_eq!(words(&of_terminal(terminal, Path::new("/w"), None).unwrap()), ["/w"]);
            assert_eq!(of_terminal(terminal, Path::new("/w"), Some(running)), None);
        }
    }

    #[test]
    fn windows_terminal_gets_no_semicolon() {
        let unsafe_in = |program, arg: &str| unsafe_character(program, &["-d".into(), arg.into()]);
        assert_eq!(unsafe_in(Program::WindowsTerminal, r"C:\a;calc"), Some(";"));
        assert_eq!(unsafe_in(Program::WindowsTerminal, r"C:\a b & c"), None);
        assert_eq!(unsafe_in(Program::Xterm, "/a;b"), None);
    }

    fn editors() -> impl Iterator<Item = Program> {
        use askdesk_domain::ProgramKind::Editor;
        let all = Program::ALL.iter().copied();
        all.filter(|program| program.kind() == Editor && *program != Program::EditorCommand)
    }

    /// Any path that a file system takes: bytes without NUL, and on other systems any text.
    fn any_path() -> impl Strategy<Value = PathBuf> {
        #[cfg(unix)]
        let name = prop::collection::vec(1_u8.., 1..24)
            .prop_map(<OsString as std::os::unix::ffi::OsStringExt>::from_vec);
        #[cfg(not(unix))]
        let name = "[^\0]{1,24}".prop_map(OsString::from);
        name.prop_map(|name| joined("/", &name).into())
    }

    /// Undoes what an editor does to an argument that holds the path.
    fn path_in(args: &[OsString], line: Option<u32>) -> Vec<u8> {
        let last = args.last().unwrap().as_encoded_bytes();
        let uri = args.first().is_some_and(|first| first == "--file-uri" || first == "--folder-uri");
        if uri {
            return percent_encoding::percent_decode(last.strip_prefix(b"file://").unwrap()).collect();
        }
        let at_line = args[0] == "--goto" || (args.len() == 1 && line.is_some());
        let place = line.map(|line| format!(":{line}:1")).unwrap_or_default();
        if at_line { last.strip_suffix(place.as_bytes()).unwrap_or(last).to_vec() } else { last.to_vec() }
    }

    /// On Windows, both separators mean the same.
    fn slashed(path: &[u8]) -> Vec<u8> {
        path.iter().map(|&byte| if cfg!(windows) && byte == b'\\' { b'/' } else { byte }).collect()
    }

    proptest! {
        #[test]
        fn any_path_is_one_argument_and_changes_no_other(path in any_path(), line in prop::option::of(1_u32..)) {
            // On Windows, that begins with the name of a server.
            prop_assume!(cfg!(unix) || !slashed(path.as_os_str().as_encoded_bytes()).starts_with(b"//"));
            let plain = PathBuf::from("/plain");
            for editor in editors() {
                let target = Target::File { path: path.clone(), line };
                let args = of_editor(editor, &target);
                prop_assert_eq!(slashed(&path_in(&args, line)), slashed(path.as_os_str().as_encoded_bytes()), "{:?}", editor);
                let others = of_editor(editor, &Target::File { path: plain.clone(), line });
                let is_uri = args[0] == "--file-uri";
                let without_line = of_editor(editor, &Target::File { path: plain.clone(), line: None });
                let before = &args[..args.len() - 1];
                prop_assert!(is_uri || before == &others[..others.len() - 1] || before == &without_line[..without_line.len() - 1], "{:?}: {:?}", editor, args);
                let folder = of_editor(editor, &Target::Folder(path.clone()));
                prop_assert_eq!(slashed(&path_in(&folder, None)), slashed(path.as_os_str().as_encoded_bytes()), "{:?}", editor);
            }
        }

        #[test]
        fn any_argument_reaches_the_program_in_a_terminal_as_it_is(path in any_path(), folder in any_path()) {
            let terminals = [Program::GnomeTerminal, Program::Konsole, Program::Kitty, Program::WezTerm, Program::Alacritty, Program::Xterm];
            for terminal in terminals {
                let args = [OsString::from("--"), path.clone().into()];
                let running = Running { program: Path::new("/bin/vim"), args: &args };
                let whole = of_terminal(terminal, &folder, Some(running)).unwrap();
                let (before, rest) = whole.split_at(whole.len() - 3);
                let words: Vec<OsString> = running.words().collect();
                prop_assert_eq!(rest, &words[..]);
                let plain = of_terminal(terminal, Path::new("/plain"), Some(running)).unwrap();
                prop_assert_eq!(before.len(), plain.len() - 3);
            }
        }
    }
}
