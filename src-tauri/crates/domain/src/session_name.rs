//! How sessions get their names.

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::{says_something, with_few_marks, without_controls};

/// The longest session name, in characters.
pub const SESSION_NAME_CHARS: usize = 120;
/// The longest name from a message, in characters as a reader counts them.
pub const NAME_FROM_MESSAGE: usize = 60;
/// A first sentence that is shorter than this says too little.
const SENTENCE: usize = 16;
/// How much of a message is looked at for a name, in bytes.
const LOOKED_AT: usize = 4 * 1024;

/// Where the name of a session is from. What comes later replaces what comes before, and nothing replaces the user's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NamedBy {
    /// Its folder.
    Folder,
    /// The user's first message.
    Message,
    /// Its agent.
    Agent,
    /// The user; also the app that connected.
    #[default]
    User,
}

impl NamedBy {
    /// Whether it is the default, which isn't stored.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_user(&self) -> bool {
        *self == Self::User
    }

    /// Whether a name from another source replaces this one. An agent may change its mind.
    pub(crate) fn gives_way_to(self, other: Self) -> bool {
        self < other || self == Self::Agent && other == Self::Agent
    }
}

/// Cuts a name to [`SESSION_NAME_CHARS`], never inside of what a reader sees as one character.
pub(crate) fn bounded_name(name: &str) -> String {
    let mut left = SESSION_NAME_CHARS;
    let fits = |part: &&str| {
        let chars = part.chars().count();
        let fits = chars <= left;
        left = if fits { left - chars } else { 0 };
        fits
    };
    name.trim().graphemes(true).take_while(fits).collect()
}

/// Returns a name as one line, without what can't be shown.
pub(crate) fn on_one_line(name: &str) -> String {
    // A line feed would break the name over two lines.
    bounded_name(&without_controls(&name.replace(['\n', '\t'], " ")))
}

/// Returns the first sentence of a message as the name of its session; none if it says nothing, for example because it is only a
/// command of the agent.
pub fn name_of_message(message: &str) -> Option<String> {
    let mut end = message.len().min(LOOKED_AT);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let message = without_controls(&with_few_marks(&message[..end]));
    let line = without_command(message.trim_start())
        .lines()
        .map(without_markdown)
        .find(|line| says_something(line))?;
    let name = bounded_name(&cut_at_word(first_sentence(&line)));
    says_something(&name).then_some(name)
}

/// Removes an agent's command, such as `/review`, from the beginning of a message. A path is none.
fn without_command(message: &str) -> &str {
    let Some(rest) = message.strip_prefix('/') else { return message };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (command, after) = rest.split_at(end);
    let is_command = command.starts_with(char::is_alphabetic)
        && command.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'));
    if is_command { after } else { message }
}

/// Removes the marks of Markdown from a line; what is left is empty for a line that only has marks.
fn without_markdown(line: &str) -> String {
    let mut line = line.trim();
    if line.starts_with("```") || line.starts_with("~~~") {
        return String::new();
    }
    loop {
        let rest = line.trim_start_matches(['#', '>']);
        let rest = ["- [ ]", "- [x]", "- ", "* ", "+ "]
            .iter()
            .find_map(|mark| rest.strip_prefix(mark))
            .unwrap_or(rest);
        let rest = without_number(rest).trim_start();
        if rest == line {
            break;
        }
        line = rest;
    }
    let words = without_links(line).replace(['`'], "").replace("**", "").replace("__", "");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '|' | ':' | ' ')) {
        String::new()
    } else {
        words
    }
}

/// Removes the number of a list's item.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return line;
    }
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).unwrap_or(line)
}

/// Replaces links and images by their words.
fn without_links(line: &str) -> String {
    let (mut kept, mut rest) = (String::new(), line);
    while let Some(open) = rest.find('[') {
        let found = rest[open..].find("](").and_then(|middle| {
            let middle = open + middle;
            rest[middle..].find(')').map(|close| (middle, middle + close))
        });
        let Some((middle, close)) = found else { break };
        kept.push_str(rest[..open].trim_end_matches('!'));
        kept.push_str(&rest[open + 1..middle]);
        rest = &rest[close + 1..];
    }
    kept + rest
}

/// Returns the first sentence that is long enough to say something; the whole line if there is only one.
fn first_sentence(line: &str) -> &str {
    let mut seen = 0;
    for (at, c) in line.char_indices() {
        seen += 1;
        if seen < SENTENCE || !matches!(c, '.' | '!' | '?' | ':' | '。' | '！' | '？') {
            continue;
        }
        let after = &line[at + c.len_utf8()..];
        let wide = matches!(c, '。' | '！' | '？');
        let mut next = after.chars();
        // A small letter goes on with the sentence, as after an abbreviation.
        let ends = after.is_empty()
            || wide
            || next.next() == Some(' ') && next.next().is_some_and(|next| !next.is_lowercase());
        if ends {
            let keeps = matches!(c, '!' | '?' | '！' | '？');
            return &line[..if keeps { at + c.len_utf8() } else { at }];
        }
    }
    line
}

/// Cuts a line to [`NAME_FROM_MESSAGE`], at the end of a word if there is one.
fn cut_at_word(line: &str) -> String {
    if line.graphemes(true).count() <= NAME_FROM_MESSAGE {
        return line.to_owned();
    }
    let kept: String = line.graphemes(true).take(NAME_FROM_MESSAGE - 1).collect();
    let goes_on = line[kept.len()..].starts_with(' ');
    let at_word = kept.rfind(' ').filter(|at| *at >= kept.len() / 2 && !goes_on);
    let words = kept[..at_word.unwrap_or(kept.len())].trim_end_matches([' ', ',', ';', ':', '-', '–']);
    format!("{words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_message_is_a_name() {
        let expected = [
            ("Fix the login", Some("Fix the login")),
            ("  \n\n# Fix the **login** of `api`\nIt fails.", Some("Fix the login of api")),
            ("Fix the login page. It fails since Monday.", Some("Fix the login page")),
            ("Why does it fail here? Look at the log.", Some("Why does it fail here?")),
            ("Hi. Please fix it", Some("Hi. Please fix it")),
            ("Look at the tests, e.g. the last one", Some("Look at the tests, e.g. the last one")),
            ("- [ ] 1. Do [this](https://example.org/a) now", Some("Do this now")),
            ("> > quoted", Some("quoted")),
            ("```rust\nfn main() {}\n```", Some("fn main() {}")),
            ("---\nAfter the line", Some("After the line")),
            ("/review the last change", Some("the last change")),
            ("/clear", None),
            ("/init\nThen read it", Some("Then read it")),
            ("/home/me/a.txt is broken", Some("/home/me/a.txt is broken")),
            ("修复登录页面，它从星期一开始就坏了。请看日志", Some("修复登录页面，它从星期一开始就坏了")),
            ("**", None),
            (" \n\t ", None),
            ("\u{200b}\u{7}", None),
            ("", None),
        ];
        for (message, name) in expected {
            assert_eq!(name_of_message(message).as_deref(), name, "{message:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_at_a_word_and_never_inside_a_character() {
        let words = name_of_message(&"wonderful ".repeat(40)).unwrap();
        assert_eq!(words, "wonderful wonderful wonderful wonderful wonderful wonderful…");
        let within_a_word = name_of_message(&"remarkable ".repeat(40)).unwrap();
        assert_eq!(within_a_word, format!("{}…", ["remarkable"; 5].join(" ")));
        let unbroken = name_of_message(&format!("Fix {}", "y".repeat(100))).unwrap();
        assert_eq!(unbroken, format!("Fix {}…", "y".repeat(NAME_FROM_MESSAGE - 5)));
        let family = "👩\u{200d}👩\u{200d}👧";
        let families = name_of_message(&family.repeat(200)).unwrap();
        assert!(families.chars().count() <= SESSION_NAME_CHARS, "{families}");
        assert_eq!(families.trim_end_matches('…').replace(family, ""), "");
        assert_eq!(bounded_name(&family.repeat(200)), family.repeat(SESSION_NAME_CHARS / 5));
        assert!(name_of_message(&"x".repeat(100_000)).unwrap().graphemes(true).count() <= NAME_FROM_MESSAGE);
        assert!(name_of_message(&format!("Z{}", "\u{301}".repeat(50_000))).is_some());
    }

    #[test]
    fn a_name_gives_way_to_a_better_one_only() {
        use NamedBy::{Agent, Folder, Message, User};
        let all = [Folder, Message, Agent, User];
        let ways: Vec<_> = all
            .iter()
            .flat_map(|a| all.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| a.gives_way_to(*b))
            .collect();
        let expected = [
            (Folder, Message),
            (Folder, Agent),
            (Folder, User),
            (Message, Agent),
            (Message, User),
            (Agent, Agent),
            (Agent, User),
        ];
        assert_eq!(ways, expected);
    }
}
