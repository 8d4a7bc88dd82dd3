//! Bounds on texts, and how a text over its bound is cut.

use std::borrow::Cow;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The longest single text of an agent, in bytes; a longer one is cut with [`CUT_MARK`].
pub const AGENT_TEXT_BYTES: usize = 64 * 1024;
/// The longest free text of a user, in bytes; a longer one is refused, never cut.
pub const USER_TEXT_BYTES: usize = 32 * 1024;
/// The suffix of a text that was cut.
pub const CUT_MARK: &str = " … [cut at 64 KiB]";

/// The suffix of an agent's remark that was cut.
pub const CUT_REMARK: &str = " … [cut at 2 KiB]";

/// How many combining marks a character of an agent's text can have. No script needs more, and Unicode's stream-safe format has
/// 30; a window needs seconds to draw thousands.
pub const MARKS: usize = 16;

/// Cuts an agent's text to [`AGENT_TEXT_BYTES`], including the mark, at a character boundary. Before that, it cuts the
/// combining marks of a character to [`MARKS`].
pub fn bounded(text: &str) -> String {
    cut_at(with_few_marks(text), AGENT_TEXT_BYTES, CUT_MARK)
}

/// Cuts the combining marks of each character to [`MARKS`], and says how many were cut.
pub fn with_few_marks(text: &str) -> Cow<'_, str> {
    // Each mark takes at least two bytes.
    if text.is_ascii() || text.len() <= MARKS * 2 {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut copied, mut marks, mut cut_from) = (String::new(), 0, 0, None);
    let cut = |kept: &mut String, from: usize, count: usize, before: usize| {
        kept.push_str(&text[before..from]);
        kept.push_str(&format!("⟨marks cut: {}⟩", count - MARKS));
    };
    for (at, c) in text.char_indices() {
        if is_mark(c) {
            marks += 1;
            if marks == MARKS + 1 {
                cut_from = Some(at);
            }
            continue;
        }
        if let Some(from) = cut_from.take() {
            cut(&mut kept, from, marks, copied);
            copied = at;
        }
        marks = 0;
    }
    if let Some(from) = cut_from {
        cut(&mut kept, from, marks, copied);
        copied = text.len();
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// Whether a character is drawn with the one before it. Joiners count, because they don't end what marks belong to.
fn is_mark(c: char) -> bool {
    c >= '\u{300}'
        && (c.general_category_group() == GeneralCategoryGroup::Mark || matches!(c, '\u{200c}' | '\u{200d}'))
}

/// Returns a text as a reader tells it from others: without characters that are invisible, and with single spaces.
pub fn as_seen(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
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

/// Appends to a sentence for an agent what the user wrote, if they wrote anything.
pub fn with_words(sentence: &str, words: Option<&str>) -> String {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => format!("{sentence} The user said: {words}"),
        None => sentence.to_owned(),
    }
}

/// Returns whether a user's text is not blank.
pub fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c))
}

/// Whether a character is invisible or only reorders others. The page's `visible.ts` has the same list.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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
    fn the_marks_of_a_character_are_cut_and_the_rest_stays() {
        let many = format!("a Z{} é b{}", "\u{301}".repeat(20_000), "\u{489}\u{200d}".repeat(40));
        let (acute, joined) = ("\u{301}".repeat(16), "\u{489}\u{200d}".repeat(8));
        let expected = format!("a Z{acute}⟨marks cut: 19984⟩ é b{joined}⟨marks cut: 64⟩");
        assert_eq!(with_few_marks(&many), expected);
        assert_eq!(bounded(&many), expected);
        for usual in [
            "",
            "plain",
            "ก็ที่สุด",
            "e\u{301}\u{323}",
            &format!("x{}", "\u{302}".repeat(16)),
            "👩\u{200d}👩\u{200d}👧",
        ] {
            assert!(matches!(with_few_marks(usual), Cow::Borrowed(same) if same == usual), "{usual}");
        }
    }

    #[test]
    fn texts_that_look_the_same_are_seen_as_the_same() {
        assert_eq!(as_seen(" A\u{200b}\u{202e}  b\u{e0041}\n"), "A b");
        assert_ne!(as_seen("A"), as_seen("À"));
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
