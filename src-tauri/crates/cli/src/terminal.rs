//! Speaking with the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use crate::ending::Failure;

/// The largest text that is read from a file or from standard input, in bytes.
const INPUT_MOST: u64 = 1024 * 1024;

/// Tells whether a person can be asked.
pub fn has_person() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for yes or no; anything but a clear yes is no.
pub fn agrees(question: &str) -> io::Result<bool> {
    eprint!("{question} [y/N] ");
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Says something to whoever reads the error stream, or a client's log of it.
pub fn note(words: &str) {
    // Where nobody takes it, nobody misses it.
    let _ = writeln!(io::stderr(), "askdesk: {words}");
}

/// Prints to standard output; a reader that has gone is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Reads JSON from a file, or from standard input where it is called `-`.
pub fn read_json(name: &str) -> Result<serde_json::Value, Failure> {
    let mut text = String::new();
    let read = match name {
        "-" => io::stdin().lock().take(INPUT_MOST + 1).read_to_string(&mut text),
        name => {
            std::fs::File::open(name).and_then(|file| file.take(INPUT_MOST + 1).read_to_string(&mut text))
        }
    };
    read.map_err(|error| Failure::BadInput(format!("{name} cannot be read: {error}")))?;
    if text.len() as u64 > INPUT_MOST {
        return Err(Failure::BadInput(format!("{name} is larger than {INPUT_MOST} bytes")));
    }
    serde_json::from_str(&text).map_err(|error| Failure::BadInput(format!("{name} is no JSON: {error}")))
}

/// Shows a text of others on one line: what would move the cursor or hide something is left out.
pub fn one_line(text: &str, most: usize) -> String {
    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let hides = |c: &char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let shown: String = shown.chars().filter(|c| !hides(c)).collect();
    match shown.chars().count() > most {
        true => shown.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_others_stays_on_its_line() {
        assert_eq!(one_line("Which\nstore\t?", 40), "Which store ?");
        assert_eq!(one_line("\u{1b}[2Jgone\u{202e}", 40), "[2Jgone");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }
}
