//! Recognizes the agent's own "Other". The lists are closed and compared whole: "Other users table" is an option.

/// What agents call it, in the languages that Askdesk speaks.
const NAMES: [&str; 26] = [
    "other",
    "other option",
    "other answer",
    "something else",
    "something different",
    "custom answer",
    "my own answer",
    "andere",
    "anderer",
    "anderes",
    "andere option",
    "andere antwort",
    "etwas anderes",
    "was anderes",
    "sonstige",
    "sonstiges",
    "eigene antwort",
    "其他",
    "其它",
    "其他选项",
    "其它选项",
    "其他選項",
    "其他答案",
    "别的",
    "別的",
    "自定义答案",
];

/// What may follow: that the user is to write.
const INVITATIONS: [&str; 31] = [
    "please specify",
    "please describe",
    "please explain",
    "specify",
    "describe",
    "explain",
    "specify below",
    "describe below",
    "type your own",
    "type your answer",
    "write your own",
    "write in",
    "free text",
    "custom",
    "i'll specify",
    "i’ll specify",
    "i'll explain",
    "i’ll explain",
    "bitte angeben",
    "bitte beschreiben",
    "bitte erläutern",
    "angeben",
    "freitext",
    "eigene angabe",
    "eigene eingabe",
    "请说明",
    "请注明",
    "请填写",
    "请描述",
    "请指定",
    "自定义",
];

/// Returns whether a label means nothing but an answer that isn't listed.
pub(super) fn is_other(label: &str) -> bool {
    let label = without_lead(label.trim().trim_matches('*')).to_lowercase();
    NAMES.iter().any(|name| {
        label.strip_prefix(name).is_some_and(|rest| {
            let rest = rest.trim_matches(is_between);
            rest.is_empty() || INVITATIONS.contains(&rest)
        })
    })
}

/// Takes off what stands before the words: a number or a letter of a list, or a sign.
fn without_lead(label: &str) -> &str {
    if let Some((lead, rest)) = label.split_once('、')
        && is_number(lead)
    {
        return rest.trim_start();
    }
    let Some((lead, rest)) = label.split_once(char::is_whitespace) else { return label };
    let number = lead.trim_start_matches(['(', '（']).strip_suffix(['.', ')', '）', ':', '：', '．']);
    let is_sign = !lead.chars().any(char::is_alphanumeric);
    if is_sign || number.is_some_and(is_number) { rest.trim_start() } else { label }
}

fn is_number(lead: &str) -> bool {
    let mut letters = lead.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(letter), None, None) => letter.is_alphanumeric(),
        (Some(first), Some(second), None) => first.is_ascii_digit() && second.is_ascii_digit(),
        _ => false,
    }
}

fn is_between(sign: char) -> bool {
    sign.is_whitespace()
        || matches!(
            sign,
            '.' | '…'
                | '。'
                | ':'
                | '：'
                | ','
                | '，'
                | '-'
                | '–'
                | '—'
                | '('
                | ')'
                | '（'
                | '）'
                | '['
                | ']'
                | '?'
                | '？'
        )
}
