//! What is shown of a message of an unknown kind, so that a question in a new form is never lost.

use askdesk_domain::Notice;
use askdesk_domain::text::bounded;
use serde_json::Value;

use crate::adapter::Output;
use crate::event::kind_as_named;
use crate::json::{list, text};
use crate::question_json::read_questions;
use crate::tool_input::pretty;

/// The fields in which agents put what a message is about.
const FRAMES: [&str; 5] = ["input", "params", "payload", "data", "request"];
/// The fields in which agents put words for the user.
const WORDS: [&str; 4] = ["text", "message", "content", "prompt"];

/// Shows the questions in a message, or else the words of one of the agent's own, with a mark. Returns false if it has neither.
pub(crate) fn show(kind: &str, message: &Value, own: bool, out: &mut Output) -> bool {
    let frames = || FRAMES.iter().filter_map(|name| message.get(*name));
    let parts = || std::iter::once(message).chain(frames());
    let said = parts().find_map(questions).or_else(|| parts().find_map(words).filter(|_| own));
    let Some(said) = said else { return false };
    let notice = Notice::NotUnderstood { kind: kind_as_named(kind), text: bounded(&said), refused: false };
    out.notice(notice);
    true
}

fn questions(message: &Value) -> Option<String> {
    let asked = ["questions", "question"].iter().filter_map(|name| message.get(*name));
    let asked = asked.into_iter().find(|it| !matches!(pretty(it).as_str(), "" | "[]" | "\"\""))?;
    // Questions in a form of their own are shown as they came.
    let Ok(questions) = read_questions(message) else { return Some(pretty(asked)) };
    let lines = questions.iter().flat_map(|question| {
        let options = question.options.iter().map(|option| format!("- {}", option.label));
        std::iter::once(question.text.clone()).chain(options)
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn words(message: &Value) -> Option<String> {
    let said = WORDS.iter().find_map(|name| match list(message, name) {
        [] => text(message, name).map(str::to_owned),
        blocks => Some(blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n")),
    });
    said.filter(|said| !said.trim().is_empty())
}
