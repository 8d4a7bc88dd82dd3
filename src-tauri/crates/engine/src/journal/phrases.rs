//! Splits the text of a search into quoted phrases and single words.

/// Quotes of which any two enclose a phrase: a keyboard, a text program and a language may each prefer another pair.
const DOUBLE: [char; 10] = ['"', '“', '”', '„', '‟', '«', '»', '‹', '›', '＂'];

/// Quotes that open a phrase at the start of a word.
const SINGLE_OPENS: [char; 2] = ['‘', '‚'];

/// Quotes that close such a phrase at the end of a word. Inside a word they are apostrophes.
const SINGLE_CLOSES: [char; 2] = ['’', '‘'];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// The content of a pair of quotes, or all text after a quote that is not closed.
    Phrase(&'a str),
    Words(&'a str),
}

pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((start, phrase, after)) = next_phrase(rest) {
        parts.push(Part::Words(&rest[..start]));
        parts.push(Part::Phrase(phrase));
        rest = after;
    }
    parts.push(Part::Words(rest));
    parts
}

/// Finds the first phrase: where its quote is, its content, and the text after it.
fn next_phrase(text: &str) -> Option<(usize, &str, &str)> {
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let inside = &text[at + letter.len_utf8()..];
        if DOUBLE.contains(&letter) {
            let (phrase, after) = inside.split_once(DOUBLE).unwrap_or((inside, ""));
            return Some((at, phrase, after));
        }
        if SINGLE_OPENS.contains(&letter)
            && !before.is_some_and(char::is_alphanumeric)
            && let Some((phrase, after)) = split_at_single(inside)
        {
            return Some((at, phrase, after));
        }
        before = Some(letter);
    }
    None
}

fn split_at_single(text: &str) -> Option<(&str, &str)> {
    let closes = |(at, letter): &(usize, char)| {
        let after = text[at + letter.len_utf8()..].chars().next();
        SINGLE_CLOSES.contains(letter) && !after.is_some_and(char::is_alphanumeric)
    };
    let (at, letter) = text.char_indices().find(closes)?;
    Some((&text[..at], &text[at + letter.len_utf8()..]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_quote("login server", &[], "login server")]
    #[case::ascii("a \"b c\" d", &["b c"], "a  d")]
    #[case::english("a “b c” d", &["b c"], "a  d")]
    #[case::german("„b c“", &["b c"], "")]
    #[case::french("« b c »", &[" b c "], "")]
    #[case::german_guillemets("»b c«", &["b c"], "")]
    #[case::single_guillemets("‹b c› d", &["b c"], " d")]
    #[case::single("‘b c’ d", &["b c"], " d")]
    #[case::german_single("‚b c‘", &["b c"], "")]
    #[case::mixed_by_a_text_program("“b c\" d", &["b c"], " d")]
    #[case::several("“b c” or „d e“", &["b c", "d e"], " or ")]
    #[case::never_closed("a “b c", &["b c"], "a ")]
    #[case::empty("“” a", &[""], " a")]
    #[case::an_apostrophe("don’t ask", &[], "don’t ask")]
    #[case::an_apostrophe_in_a_phrase("‘don’t ask’ d", &["don’t ask"], " d")]
    #[case::an_apostrophe_at_the_start("‘tis late", &[], "‘tis late")]
    #[case::an_apostrophe_before_a_phrase("users’ “b c”", &["b c"], "users’ ")]
    #[case::a_quote_inside_a_word("o‘clock now’", &[], "o‘clock now’")]
    fn quotes_enclose_phrases(#[case] text: &str, #[case] phrases: &[&str], #[case] words: &str) {
        let parts = split(text);
        let quoted = parts.iter().filter_map(|part| match part {
            Part::Phrase(phrase) => Some(*phrase),
            Part::Words(_) => None,
        });
        assert_eq!(quoted.collect::<Vec<_>>(), phrases);
        let plain = parts.iter().filter_map(|part| match part {
            Part::Words(words) => Some(*words),
            Part::Phrase(_) => None,
        });
        assert_eq!(plain.collect::<String>(), words);
    }
}
