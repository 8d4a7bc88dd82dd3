//! Bounds on texts, and how a text over its bound is cut.

use std::borrow::Cow;

/// The longest single text of an agent, in bytes; a longer one is cut with [`CUT_MARK`].
pub const AGENT_TEXT_BYTES: usize = 64 * 1024;
/// The longest free text of a user, in bytes; a longer one is refused, never cut.
pub const PERSON_TEXT_BYTES: usize = 32 * 1024;
/// The suffix of a text that was cut.
pub const CUT_MARK: &str = " … [cut at 64 KiB]";

/// Cuts an agent's text to [`AGENT_TEXT_BYTES`], including the mark, at a character boundary.
pub fn bounded(text: &str) -> String {
    cut_at(text, AGENT_TEXT_BYTES, CUT_MARK)
}

/// Cuts a text to a number of bytes, including the mark, at a character boundary.
pub fn cut_at<'a>(text: impl Into<Cow<'a, str>>, bytes: usize, mark: &str) -> String {
    let text = text.into();
    if text.len() <= bytes {
        return text.into_owned();
    }
    let mut end = bytes.saturating_sub(mark.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A new text: truncating would keep the memory of the part that was cut.
    [&text[..end], mark].concat()
}

/// Puts a text on one line of at most `chars` characters.
pub fn on_one_line(text: &str, chars: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(chars) {
        None => words,
        Some(_) => words.chars().take(chars.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Removes control characters except line feed and tab from a user's text; `\r\n` becomes `\n`.
pub fn without_controls(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Returns whether a user's text is not blank.
pub fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_over_the_bound_is_cut_at_a_character_and_marked() {
        let cut = bounded(&"ä".repeat(AGENT_TEXT_BYTES));
        assert!(cut.len() <= AGENT_TEXT_BYTES);
        assert!(cut.ends_with(CUT_MARK));
        assert_eq!(bounded("short"), "short");
    }

    #[test]
    fn a_text_that_was_cut_does_not_keep_the_memory_of_the_rest() {
        let long = "ä".repeat(AGENT_TEXT_BYTES);
        assert!(bounded(&long).capacity() <= AGENT_TEXT_BYTES);
        assert!(cut_at(long, 64, "…").capacity() <= 64);
    }

    #[test]
    fn control_characters_are_removed_except_line_breaks() {
        assert_eq!(without_controls("a\u{1b}[31mb\r\n\tc\0"), "a[31mb\n\tc");
    }

    #[test]
    fn spaces_and_zero_width_characters_are_blank() {
        assert!(!says_something(" \n\t\u{200b}\u{feff}"));
        assert!(says_something(" x "));
    }
}
