//! Agents' text for the system's own interfaces: every character is visible and in its place.

/// The end of the Latin alphabets, in which a joiner has no use.
const LATIN_END: char = '\u{250}';

/// Removes terminal colors, and writes invisible characters and direction overrides as code points.
pub fn sanitize(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\u{1b}' if rest.next_if_eq(&'[').is_some() => {
                while rest.next_if(|c| matches!(c, '0'..='9' | ';' | ':')).is_some() {}
                rest.next_if(|c| c.is_ascii_alphabetic());
                continue;
            }
            c if c.is_control() => continue,
            c if joins(c) && before >= LATIN_END && !before.is_whitespace() => shown.push(c),
            c if is_invisible(c) => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            c => shown.push(c),
        }
        before = c;
    }
    shown
}

/// Sanitizes and shortens an agent's text.
pub fn sanitized_start(text: &str, most: usize) -> String {
    // Sanitizing writes invisible characters as code points, so the text is cut before and after.
    let start: String = text.chars().take(most).collect();
    let start = sanitize(&start);
    let mut shown: String = start.chars().take(most).collect();
    if text.chars().count() > most || start.chars().count() > most {
        shown.push('…');
    }
    shown
}

/// Many scripts and composed emoji need joiners and variation selectors.
const fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_57_invisible_characters_and_direction_overrides_are_shown_as_code_points() {
        assert_eq!(sanitize("a\u{202e}txt.exe\u{202c}b"), "a⟨U+202E⟩txt.exe⟨U+202C⟩b");
        assert_eq!(sanitize("\u{1b}[31mred\u{1b}[0m\u{7}\u{0}"), "red");
        assert_eq!(sanitize("pass\u{200b}word\u{feff}"), "pass⟨U+200B⟩word⟨U+FEFF⟩");
        assert_eq!(sanitize("<b>two\nlines</b>"), "<b>two\nlines</b>");
    }

    #[test]
    fn scripts_and_emoji_keep_their_joiners() {
        for text in ["👩\u{200d}👧", "❤\u{fe0f}", "क\u{94d}\u{200d}ष", "می\u{200c}خواهم"] {
            assert_eq!(sanitize(text), text);
        }
        assert_eq!(sanitize("a\u{200d}b"), "a⟨U+200D⟩b");
    }
}
