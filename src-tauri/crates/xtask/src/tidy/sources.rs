//! Rules for every source file: length, names, unfinished work.

use super::{
    Problem,
    tree::{Source, is_for_tests},
};

/// A file with more lines than this fails.
const TOO_LONG: usize = 800;
/// A file with more lines than this is printed as a note.
const LONG: usize = 500;
/// Words that mark something as unfinished; put together here so that this file does not hold them.
const UNFINISHED: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const UNWRAP: &str = concat!(".unw", "rap()");

/// Lists what is wrong with a file.
pub fn problems(file: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lines = file.text.lines().count();
    if lines > TOO_LONG && !file.is_generated() {
        let says = format!("has {lines} lines, more than {TOO_LONG}; split it by topic");
        problems.push(Problem::new(&file.path, says));
    }
    if file.name() == "mod.rs" {
        let says = "is called mod.rs; call it by its module, beside the folder";
        problems.push(Problem::new(&file.path, says));
    }
    let product_lines = if file.kind() == "rs" { product_lines(file) } else { 0 };
    for (index, line) in file.text.lines().enumerate() {
        let at = || format!("{}:{}", file.path, index + 1);
        if UNFINISHED.iter().any(|word| holds_word(line, word)) && !file.is_generated() {
            problems.push(Problem::new(at(), "is marked as unfinished; finish it or file an issue"));
        }
        if index < product_lines && line.contains(UNWRAP) && !line.trim_start().starts_with("//") {
            problems
                .push(Problem::new(at(), "unwraps outside of tests; return an error that says what failed"));
        }
    }
    problems
}

/// Names a file that is long but not yet too long.
pub fn note_on_length(file: &Source) -> Option<String> {
    let lines = file.text.lines().count();
    let long = lines > LONG && lines <= TOO_LONG && !file.is_generated();
    long.then(|| format!("{} has {lines} lines", file.path))
}

/// How many lines stand before the file's own tests; all of them where it has none.
pub(super) fn product_lines(file: &Source) -> usize {
    if file.is_test() {
        return 0;
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| is_for_tests(pair[0]) && pair[1].contains("mod ") && pair[1].ends_with('{'));
    tests.unwrap_or(lines.len())
}

fn holds_word(line: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        check_rule(problems, path, text, expected);
    }

    #[test]
    fn a_file_tells_one_story() {
        check("src-tauri/src/a.rs", &"line\n".repeat(TOO_LONG), &[]);
        check("src-tauri/src/a.rs", &"line\n".repeat(TOO_LONG + 1), &["has 801 lines"]);
        check("ui/src/generated/wire.ts", &"line\n".repeat(TOO_LONG + 1), &[]);
        let long =
            Source { path: "ui/src/a.ts".into(), text: "line\n".repeat(LONG + 1), declared_for_tests: false };
        assert_eq!(note_on_length(&long).unwrap(), "ui/src/a.ts has 501 lines");
    }

    #[test]
    fn a_module_is_called_by_its_name() {
        check("src-tauri/crates/domain/src/question/mod.rs", "", &["is called mod.rs"]);
        check("src-tauri/crates/domain/src/question.rs", "", &[]);
    }

    #[test]
    fn nothing_unfinished_stays_behind() {
        let word = UNFINISHED[0];
        check("ui/src/a.svelte", &format!("<!-- {word}: later -->"), &["ui/src/a.svelte:1: is marked"]);
        check("ui/src/a.ts", &format!("const {word}S = 1; // the agent's own {word}_LIST"), &[]);
    }

    #[test]
    fn unwrapping_belongs_to_tests() {
        let code = format!("fn a() {{ b(){UNWRAP}; }}\n");
        check("src-tauri/src/a.rs", &code, &["src-tauri/src/a.rs:1: unwraps"]);
        check("src-tauri/tests/a.rs", &code, &[]);
        check("src-tauri/src/a/tests.rs", &code, &[]);
        check("src-tauri/src/a.rs", &format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{code}}}\n"), &[]);
        check("src-tauri/src/a.rs", &format!("#[cfg(test)]\nmod tests;\n{code}"), &["a.rs:3: unwraps"]);
    }
}
