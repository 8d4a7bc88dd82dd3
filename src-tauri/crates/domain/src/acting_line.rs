//! The line of a command that says what it does, for places that show a single line.

use crate::text::on_one_line;

/// The part of a command that acts, on one line of at most `chars` characters: the first line that is no comment and sets
/// nothing up. Says how many lines there are besides it.
pub fn acting_line(command: &str, chars: usize) -> String {
    let lines: Vec<&str> =
        unwrapped(command).lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let Some(line) = lines.iter().find(|line| acts(line)).or(lines.first()) else { return String::new() };
    let mark = match lines.len() - 1 {
        0 => String::new(),
        1 => " [+1 line]".to_owned(),
        more => format!(" [+{more} lines]"),
    };
    on_one_line(line, chars.saturating_sub(mark.chars().count())) + &mark
}

/// Whatever is not known to do nothing acts.
fn acts(line: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_+./~ ".contains(c);
    let sets_up = line.starts_with("set ") || line.starts_with("cd ");
    !(line.starts_with('#') || sets_up && line.chars().all(plain))
}

/// A script of several lines without the shell that it is handed to.
fn unwrapped(command: &str) -> &str {
    let script = || {
        let (shell, script) = command.trim().split_once("c ")?;
        let (program, flags) = shell.split_once(" -")?;
        let known =
            matches!(program.rsplit('/').next(), Some("sh" | "bash" | "zsh")) && matches!(flags, "" | "l");
        let inner = ['\'', '"'].into_iter().find_map(|it| script.strip_prefix(it)?.strip_suffix(it))?;
        (known && inner.trim().contains('\n')).then_some(inner)
    };
    script().unwrap_or(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page finds the line by itself; its test reads the same file.
    #[test]
    fn case_105_the_line_that_acts_stands_for_a_command() {
        let cases: Vec<(String, String)> = serde_json::from_str(include_str!("acting_line.json")).unwrap();
        for (command, expected) in cases {
            assert_eq!(acting_line(&command, 200), expected, "{command}");
        }
    }

    #[test]
    fn a_long_line_is_cut_and_the_number_of_lines_is_not() {
        let line = acting_line(&format!("{}\nls", "ä".repeat(300)), 30);
        assert_eq!(line, format!("{}… [+1 line]", "ä".repeat(19)));
    }
}
