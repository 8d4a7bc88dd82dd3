//! Scripts that write words without spaces between them. The index takes a run of letters as one word, so that only the start
//! of such a run would be found; this parts the run into its letters, and a word of a search becomes a phrase of letters.
//!
//! Hangul has spaces, but adds particles and endings to a word, and compounds are written as one.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// What parts the letters: invisible, no part of a word, and nothing that anyone writes.
const PARTING: char = '\u{1}';

/// Parts the letters of such scripts, and composes the text, because both normal forms are the same word.
pub(super) fn part(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    if !holds_joined(&composed) {
        return composed;
    }
    let mut parted = String::with_capacity(composed.len() * 4 / 3);
    let mut before = None;
    for letter in composed.chars() {
        let joined = is_joined(letter);
        // A mark stays with its letter.
        if !is_mark(letter) {
            if before.is_some_and(|before| before || joined) {
                parted.push(PARTING);
            }
            before = Some(joined);
        }
        parted.push(letter);
    }
    Cow::Owned(parted)
}

/// Takes the parting out again.
pub(super) fn join(parted: &str) -> String {
    parted.replace(PARTING, "")
}

/// Whether a text has letters of such a script.
pub(super) fn holds_joined(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_joined)
}

const fn is_joined(letter: char) -> bool {
    matches!(letter,
        // Thai and Lao, Burmese, Hangul's parts, Khmer, the Tai scripts.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}'
        // Radicals, kana, Bopomofo, Hangul's parts, Han with its marks of repetition.
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3fffd}'
    )
}

fn is_mark(letter: char) -> bool {
    letter.general_category_group() == GeneralCategoryGroup::Mark
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::latin("Café au lait", "Café au lait")]
    #[case::han("改数据库", "改|数|据|库")]
    #[case::mixed("用API读表v2", "用|API|读|表|v2")]
    #[case::kana("テストを実行", "テ|ス|ト|を|実|行")]
    #[case::thai("แก้ที่นี่", "แ|ก้|ที่|นี่")]
    #[case::hangul("데이터를 읽는", "데|이|터|를| |읽|는")]
    #[case::hangul_in_parts("\u{1103}\u{1166}\u{110b}\u{1175}", "데|이")]
    #[case::accent_in_parts("Cafe\u{301}", "Café")]
    fn letters_are_parted(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(part(text).replace(PARTING, "|"), expected);
    }

    proptest! {
        #[test]
        fn joined_again_it_is_the_text_in_its_composed_form(text in "[a-zé 数据库ก-๛가-힣か-ん\u{301}\u{1100}-\u{1112}]{0,40}") {
            prop_assert_eq!(join(&part(&text)), ComposingNormalizerBorrowed::new_nfc().normalize(&text));
        }
    }
}
