//! The user's own commands: fills in the placeholders of words that were split before.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::arguments::Running;
use crate::target::Target;

/// The arguments of the user's own editor.
///
/// Without a line, `{line}` and `{column}` are 1, except in the word of the path: `{file}:{line}` becomes the path alone. Where no
/// word names the file, it is the last argument.
pub fn of_editor(words: &[String], target: &Target) -> Vec<OsString> {
    let line = match target {
        Target::File { line, .. } => *line,
        Target::Folder(_) => None,
    };
    let path = target.path().as_os_str();
    let mut args: Vec<OsString> = words.iter().map(|word| filled(word, path, line)).collect();
    if !words.iter().any(|word| word.contains("{file}")) {
        args.push(path.to_owned());
    }
    args
}

fn filled(word: &str, path: &OsStr, line: Option<u32>) -> OsString {
    let mut whole = OsString::new();
    let mut rest = word;
    while let Some(start) = rest.find('{') {
        whole.push(&rest[..start]);
        rest = &rest[start..];
        if let Some(after) = rest.strip_prefix("{file}") {
            whole.push(path);
            if line.is_none() && (after.contains("{line}") || after.contains("{column}")) {
                return whole;
            }
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{line}") {
            whole.push(line.unwrap_or(1).to_string());
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{column}") {
            whole.push("1");
            rest = after;
        } else {
            whole.push("{");
            rest = &rest[1..];
        }
    }
    whole.push(rest);
    whole
}

/// The arguments of the user's own terminal. Where no word stands for the program, it follows as the last arguments.
pub fn of_terminal(words: &[String], folder: &Path, running: Option<Running<'_>>) -> Vec<OsString> {
    let mut args = Vec::new();
    let running: Vec<OsString> = running.iter().flat_map(Running::words).collect();
    for word in words {
        if word == "{command}" {
            args.extend(running.iter().cloned());
        } else {
            args.push(in_folder(word, folder));
        }
    }
    if !words.iter().any(|word| word == "{command}") {
        args.extend(running);
    }
    args
}

fn in_folder(word: &str, folder: &Path) -> OsString {
    let mut parts = word.split("{folder}");
    let mut whole = OsString::from(parts.next().unwrap_or_default());
    for part in parts {
        whole.push(folder);
        whole.push(part);
    }
    whole
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{EditorCommand, TerminalCommand};
    use rstest::rstest;

    use super::*;

    fn editor(command: &str, target: &Target) -> Vec<OsString> {
        let command = EditorCommand::try_from(command.to_owned()).unwrap();
        of_editor(command.words().unwrap().1, target)
    }

    #[rstest]
    #[case("subl {file}:{line}:{column}", &["/w/a b:12:1"], &["/w/a b"])]
    #[case("emacs +{line} {file}", &["+12", "/w/a b"], &["+1", "/w/a b"])]
    #[case("kate --line {line} {file}", &["--line", "12", "/w/a b"], &["--line", "1", "/w/a b"])]
    #[case("ed --at={file}:{line} -n", &["--at=/w/a b:12", "-n"], &["--at=/w/a b", "-n"])]
    #[case("gedit", &["/w/a b"], &["/w/a b"])]
    #[case(r#"ed '{"a": {}}' '{file} {file}'"#, &[r#"{"a": {}}"#, "/w/a b /w/a b"], &[r#"{"a": {}}"#, "/w/a b /w/a b"])]
    fn placeholders_are_filled_in_within_a_word(
        #[case] command: &str,
        #[case] at_line: &[&str],
        #[case] whole: &[&str],
    ) {
        assert_eq!(editor(command, &Target::File { path: "/w/a b".into(), line: Some(12) }), at_line);
        assert_eq!(editor(command, &Target::File { path: "/w/a b".into(), line: None }), whole);
        assert_eq!(editor(command, &Target::Folder("/w/a b".into())), whole);
    }

    #[test]
    fn a_path_that_looks_like_a_placeholder_is_not_filled_in_again() {
        let target = Target::File { path: "/w/{line} {file} '$(x)'\n".into(), line: Some(12) };
        assert_eq!(editor("subl {file}:{line}", &target), ["/w/{line} {file} '$(x)'\n:12"]);
    }

    #[test]
    fn a_terminal_gets_the_program_as_words() {
        let args = ["-x".into(), "a b;{folder}".into()];
        let running = || Some(Running { program: Path::new("/bin/vim"), args: &args });
        let terminal = |command: &str, running: Option<Running<'_>>| {
            let command = TerminalCommand::try_from(command.to_owned()).unwrap();
            of_terminal(command.words().unwrap().1, Path::new("/w {command}"), running)
        };
        let command = "foot --dir={folder} -- {command}";
        assert_eq!(
            terminal(command, running()),
            ["--dir=/w {command}", "--", "/bin/vim", "-x", "a b;{folder}"]
        );
        assert_eq!(terminal(command, None), ["--dir=/w {command}", "--"]);
        assert_eq!(terminal("st -e", running()), ["-e", "/bin/vim", "-x", "a b;{folder}"]);
        assert_eq!(terminal("st", None), <[&str; 0]>::default());
    }
}
