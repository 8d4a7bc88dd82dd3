//! Input from and output to the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use serde::Serialize;

use crate::exit::Failure;

/// The largest input, in bytes.
const MAX_INPUT: u64 = 1024 * 1024;

/// Tells whether the user can be asked to confirm.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for yes or no. Anything but a clear yes is a no.
pub fn confirm(question: &str) -> io::Result<bool> {
    eprint!("{question} [y/N] ");
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Prints a note to standard error, which may be a client's log.
pub fn note(words: &str) {
    let _ = writeln!(io::stderr(), "askdesk: {words}");
}

/// Prints to standard output. A closed pipe isn't a failure.
pub fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints JSON to standard output.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()))
}

/// Reads JSON from a file, or from standard input if the name is `-`.
pub fn read_json(name: &str) -> Result<serde_json::Value, Failure> {
    let mut text = String::new();
    let read = match name {
        "-" => io::stdin().lock().take(MAX_INPUT + 1).read_to_string(&mut text),
        name => std::fs::File::open(name).and_then(|file| file.take(MAX_INPUT + 1).read_to_string(&mut text)),
    };
    read.map_err(|error| Failure::BadInput(format!("can't read {name}: {error}")))?;
    if text.len() as u64 > MAX_INPUT {
        return Err(Failure::BadInput(format!("{name} is too large (the limit is {MAX_INPUT} bytes)")));
    }
    askdesk_outside_json::from_slice(text.as_bytes())
        .map_err(|error| Failure::BadInput(format!("{name} isn't valid JSON: {error}")))
}

/// Shortens untrusted text to one line. Characters that move the cursor, are invisible, or reorder others are shown by their
/// code, as in the window.
pub fn one_line(text: &str, max: usize) -> String {
    let mut shown = String::new();
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match u32::from(c) {
            // The control pictures are in the order of the control characters.
            code @ ..0x20 => shown.extend(char::from_u32(0x2400 + code)),
            code if is_unseen(c) => shown.push_str(&format!("⟨U+{code:04X}⟩")),
            _ => shown.push(c),
        }
    }
    match shown.chars().count() > max {
        true => shown.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
        false => shown,
    }
}

/// The list of the page's `visible.ts`. Joiners and variation selectors stay, because scripts and emoji need them.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_stays_on_one_line() {
        assert_eq!(one_line("Which\nstore\t?", 40), "Which store ?");
        assert_eq!(one_line("\u{1b}[2Jgone\u{202e}\u{200b}x", 40), "␛[2Jgone⟨U+202E⟩⟨U+200B⟩x");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }
}
