//! Doc comments that say no more than the name below them.

use std::{collections::BTreeSet, mem, sync::LazyLock};

use super::{Problem, tree::Source};

/// Words without information of their own.
static STOP_WORDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    words(
        "a all also an and any anything are as at be been by can did do does each else every \
    everything for from give go had has have how i in into is it its made many may much new no not now of on one \
    or our said say some something stand that the their them there these they this those to was we were what when \
    where whether which who whom whose why will with",
    )
});
/// Words that tell a unit, a format, a bound or a condition: a doc comment with one of them stays.
static FACTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    words(
        "ascii base64 bytes characters chars degrees dollars empty epoch error fails hex hours if json \
    kb kib least lines markdown mb mib milliseconds minutes most ms never none only percent pixels pt px seconds \
    unless until utc utf verbatim",
    )
});
/// Derives that print doc comments as help texts.
const HELP_DERIVES: [&str; 4] = ["Parser", "Subcommand", "Args", "ValueEnum"];
/// A doc comment of up to this many words has to add two of them.
const SHORT: usize = 6;
const CONTAINERS: [&str; 9] =
    ["struct", "enum", "union", "impl", "trait", "mod", "class", "interface", "type"];

/// Lists the doc comments of a file that could go without a loss.
pub fn problems(file: &Source) -> Vec<Problem> {
    if file.is_generated() || file.kind() == "css" {
        return Vec::new();
    }
    let mut scan = Scan::default();
    let about_file =
        file.text.lines().map_while(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join(" ");
    if !about_file.is_empty() && says_no_more(&about_file, &words(&file.path)) {
        scan.empty.push((1, about_file.trim().to_owned()));
    }
    for (index, line) in file.text.lines().enumerate() {
        scan.line(index + 1, line);
    }
    let problem = |(line, text): (usize, String)| {
        let says = format!(
            "\"{text}\" says no more than the name below it; delete it, or say what nobody can guess"
        );
        Problem::new(format!("{}:{line}", file.path), says)
    };
    scan.empty.into_iter().map(problem).collect()
}

/// What encloses an item, found by its indentation.
struct Container {
    indentation: usize,
    words: BTreeSet<String>,
    prints_help: bool,
}

#[derive(Default)]
struct Scan {
    containers: Vec<Container>,
    /// The first line of the doc comment above the next item, and its text.
    doc: Option<(usize, String)>,
    in_comment: bool,
    attributes: String,
    in_attribute: bool,
    empty: Vec<(usize, String)>,
}

impl Scan {
    fn line(&mut self, number: usize, line: &str) {
        let mut text = line.trim();
        if let Some(rest) = self.reads_doc(number, text) {
            text = rest;
        }
        if self.reads_attribute(text) {
            return;
        }
        if text.is_empty() || text.starts_with("//") {
            return;
        }
        self.item(line.len() - line.trim_start().len(), text);
    }

    /// Takes what a line holds of a doc comment, and returns what follows it on the line.
    fn reads_doc<'a>(&mut self, number: usize, text: &'a str) -> Option<&'a str> {
        let (piece, rest) = match text.strip_prefix("///") {
            Some(piece) => (piece, ""),
            None => {
                let start = text.strip_prefix("/**");
                let piece = if self.in_comment { text.trim_start_matches('*') } else { start? };
                self.in_comment = !text.contains("*/");
                piece.split_once("*/").unwrap_or((piece, ""))
            }
        };
        let piece = piece.trim();
        let (_, doc) = self.doc.get_or_insert((number, String::new()));
        if !doc.is_empty() && !piece.is_empty() {
            doc.push(' ');
        }
        doc.push_str(piece);
        Some(rest.trim())
    }

    fn reads_attribute(&mut self, text: &str) -> bool {
        if !self.in_attribute && !text.starts_with("#[") {
            return false;
        }
        self.attributes.push_str(text);
        self.in_attribute = !text.ends_with(']');
        true
    }

    fn item(&mut self, indentation: usize, text: &str) {
        while self.containers.pop_if(|it| it.indentation >= indentation).is_some() {}
        let attributes = mem::take(&mut self.attributes);
        let mut words = words(text.split(" = ").next().unwrap_or_default());
        let container = self.containers.last();
        if let Some((line, doc)) = self.doc.take() {
            let is_help = container.is_some_and(|it| it.prints_help) || prints_help(&attributes);
            let mut known = words.clone();
            known.extend(container.into_iter().flat_map(|it| it.words.iter().cloned()));
            if !is_help && says_no_more(&doc, &known) {
                self.empty.push((line, doc));
            }
        }
        if text.split_whitespace().any(|word| CONTAINERS.contains(&word)) {
            words.retain(|word| !CONTAINERS.contains(&word.as_str()));
            self.containers.push(Container { indentation, words, prints_help: prints_help(&attributes) });
        }
    }
}

/// Whether an item with these attributes shows its doc comment to the people who run the program.
fn prints_help(attributes: &str) -> bool {
    let derives = attributes.contains("derive(") && HELP_DERIVES.iter().any(|it| attributes.contains(it));
    derives || attributes.contains("#[arg(") || attributes.contains("#[command(")
}

/// Whether a doc comment adds nothing to the words of its item, or is short and adds a single one.
fn says_no_more(doc: &str, known: &BTreeSet<String>) -> bool {
    let said = words(doc);
    if doc.contains(|c: char| c.is_ascii_digit() || c == '@') || !said.is_disjoint(&FACTS) {
        return false;
    }
    match said.iter().filter(|word| !known.contains(*word) && !STOP_WORDS.contains(*word)).count() {
        0 => true,
        1 => doc.split_whitespace().count() <= SHORT,
        _ => false,
    }
}

/// Splits a text into words, also inside names (`session_id`, `SessionId`), each without its ending.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.replace("'s", "").chars().chain([' ']) {
        if (!c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase())) && !word.is_empty() {
            words.insert(fold(&mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// Takes the ending off a word: `sessions`, `session`; `stopped`, `stops`, `stop`.
fn fold(word: &str) -> String {
    let stem = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")).map(|stem| format!("{stem}y"));
    let mut stem = stem.unwrap_or_else(|| {
        let ending = ["ing", "ed", "es", "s", "e"].into_iter().find(|it| word.ends_with(it));
        word[..word.len() - ending.map_or(0, str::len)].to_owned()
    });
    if stem.len() < 3 {
        return word.to_owned();
    }
    let mut last = stem.chars().rev();
    if last.next() == last.next() {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    fn check_rust(text: &str, expected: &[&str]) {
        check_rule(problems, "src-tauri/crates/domain/src/session.rs", text, expected);
    }

    fn check_page(text: &str, expected: &[&str]) {
        check_rule(problems, "ui/src/feature/Panel.svelte", text, expected);
    }

    #[test]
    fn a_doc_line_that_repeats_the_name_fails() {
        check_rust("/// Which.\npub kind: Kind,", &["session.rs:1: \"Which.\" says no more"]);
        check_rust("/// The sessions' ids.\npub session_ids: Vec<SessionId>,", &["ids"]);
        check_rust("/// Decides whether to stop.\nfn decide_stop(session: &Session) {", &["Decides"]);
        check_rust("a();\n/// Its new value.\n#[serde(\n    default\n)]\nvalue: u32,", &["session.rs:2:"]);
        check_page("  /** The rows. */\n  rows: Row[];", &["Panel.svelte:1:"]);
        let lines = "/**\n * Opens\n * a session.\n */\nexport function openSession() {}";
        check_page(lines, &["Opens a session."]);
        check_page("/** Which row. */ const a = row();", &["Which row."]);
    }

    #[test]
    fn the_name_of_what_encloses_an_item_counts_too() {
        let save = "/// Saves the draft of the session now open.\n    fn save(open: Session) {";
        check_rust(&format!("impl Draft {{\n    {save}"), &["Saves"]);
        check_rust(&format!("struct Draft {{\n}}\n\n{save}"), &[]);
    }

    #[test]
    fn a_short_line_has_to_add_two_words() {
        check_rust("/// What was answered.\nOutcome,", &["answered"]);
        check_rust("/// Answered after the deadline.\nOutcome,", &[]);
        check_rust("/// Deletes what the person asked to have deleted.\nfn delete() {", &[]);
    }

    #[test]
    fn units_bounds_conditions_and_sources_stay() {
        check_rust("/// In bytes.\nsize: u64,", &[]);
        check_rust("/// None before the first turn.\nturn: Option<Turn>,", &[]);
        check_rust("/// RFC 6455.\nsocket: Socket,", &[]);
        check_page("/** @type {Row} */\nconst row = a();", &[]);
    }

    #[test]
    fn the_first_line_of_a_file_counts_its_path() {
        check_rust("//! The sessions.\n\nfn a() {}", &["session.rs:1: \"The sessions.\""]);
        check_rust("//! Sessions, as the journal restores them.\n", &[]);
    }

    #[test]
    fn help_texts_of_the_command_line_are_left_alone() {
        check_rust("/// Print JSON\n#[arg(long)]\njson: bool,", &[]);
        check_rust("#[derive(Debug, Subcommand)]\nenum Command {\n    /// Ask\n    Ask,\n}", &[]);
    }

    #[test]
    fn other_languages_have_words_too() {
        check_page("/** 会话会话 */\nconst a = 1;", &["会话会话"]);
        check_rule(problems, "ui/src/generated/wire.ts", "/** The id. */\nexport type Id = string;", &[]);
    }
}
