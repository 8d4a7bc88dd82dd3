//! Questions that Codex doesn't wait for.
//!
//! A model in Default mode calls `request_user_input_async`. Its questions arrive in an item of the kind `agentMessage`, and the turn
//! goes on. Codex's own terminal answers with a message of the user in the form of [`message`] (measured with 0.169.0 and 0.171.0).

use std::collections::HashSet;

use askdesk_domain::{
    Answer, Asker, NativeRef, Outcome, Question, QuestionKind, QuestionLimits, RawOption, RawQuestion,
    Refusal, Request, question_input,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::questions;
use crate::adapter::refusal_words;
use crate::json::{list, text, texts};
use crate::late_answers::{LateMessage, late_answer_message};

const TOOL: &str = "request_user_input_async";
const OPENING: &str = "<send_user_message_question_reply>";
const CLOSING: &str = "</send_user_message_question_reply>";

/// Begins the native references of these questions. The id of the item follows the turn's: a model may repeat ids in later turns.
const PREFIX: &str = "async";

pub(super) fn native_ref(turn: &str, item: &str) -> Option<NativeRef> {
    NativeRef::new(format!("{PREFIX}:{turn}:{item}"))
}

/// Whether nothing waits for what is asked under this reference.
pub(super) fn is_async(native_ref: &NativeRef) -> bool {
    item_of(native_ref).is_some()
}

fn item_of(native_ref: &NativeRef) -> Option<&str> {
    let mut parts = native_ref.as_str().splitn(3, ':');
    (parts.next() == Some(PREFIX)).then(|| parts.nth(1)).flatten()
}

/// Reads the questions of an item; none if it has none.
pub(super) fn read(item: &Value) -> Option<Result<Vec<Question>, Refusal>> {
    let asked = list(item, "questions");
    let drafts: Vec<RawQuestion> = asked.iter().map(read_one).collect();
    (!drafts.is_empty()).then(|| question_input::accept(&drafts, QuestionLimits::FOREIGN))
}

fn read_one(question: &Value) -> RawQuestion {
    RawQuestion {
        text: text(question, "title").unwrap_or_default().to_owned(),
        header: None,
        kind: QuestionKind::Single,
        options: texts(question, "options").into_iter().map(RawOption::new).collect(),
        required: false,
        placeholder: None,
    }
}

/// The text of an item, unless it only repeats questions that are shown.
pub(super) fn words_besides(item: &Value) -> &str {
    let words = text(item, "text").unwrap_or_default();
    let Some(Ok(_)) = read(item) else { return words };
    let asked = list(item, "questions")
        .iter()
        .flat_map(|question| text(question, "title").into_iter().chain(texts(question, "options")));
    let repeated: HashSet<&str> = asked.flat_map(str::lines).collect();
    let is_new =
        |line: &str| !line.trim().is_empty() && !repeated.contains(line.strip_prefix("- ").unwrap_or(line));
    if words.lines().any(is_new) { words } else { "" }
}

/// The message with these answers. Those of other questions follow in words.
pub(super) fn message(requests: &[Request]) -> LateMessage {
    let (these, others): (Vec<&Request>, Vec<&Request>) =
        requests.iter().partition(|request| request.asker == Asker::GoesOn && is_async(&request.native_ref));
    let replies: Vec<Reply> = these.into_iter().flat_map(replies).collect();
    let late = (!others.is_empty()).then(|| late_answer_message(others));
    if replies.is_empty() {
        return late.unwrap_or_default();
    }
    // A slash may be escaped in JSON, so no answer can end the element.
    let values = json!(replies).to_string().replace("</", "<\\/");
    let (late_sent, late_shown) = late.map(|late| (late.sent, late.shown)).unzip();
    let sent = [Some(format!("{OPENING}\n{values}\n{CLOSING}")), late_sent];
    let shown = replies.iter().map(Reply::to_words).map(Some).chain([late_shown]);
    let joined = |parts: Vec<Option<String>>| parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    LateMessage { sent: joined(sent.into()), shown: joined(shown.collect()) }
}

/// The words of a message in this form; none for any other message.
pub(super) fn words_of(message: &str) -> Option<String> {
    let values = message.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
    let values: Value = serde_json::from_str(values).ok()?;
    let values = if values.is_array() { values } else { json!([values]) };
    let replies: Vec<Reply> = serde_json::from_value(values).ok()?;
    Some(replies.iter().map(Reply::to_words).collect::<Vec<_>>().join("\n\n"))
}

#[derive(Serialize, Deserialize)]
struct Reply {
    answer: String,
    question: String,
    /// What the model's question is called in the reply. For the words, it doesn't matter.
    #[serde(rename = "questionItemId", skip_deserializing)]
    id: String,
}

impl Reply {
    fn to_words(&self) -> String {
        format!("{}\n{}", self.question, self.answer)
    }
}

/// One reply for each question that has an answer, as in the terminal.
fn replies(request: &Request) -> Vec<Reply> {
    let item = item_of(&request.native_ref).unwrap_or_default();
    let outcome = request.ended().map(|ended| &ended.outcome);
    let asked = request.questions.iter().enumerate();
    let reply = |(place, question): (usize, &Question)| {
        let answer = match outcome? {
            Outcome::Answered { answers } => said(question, answers.to(question.id)?),
            outcome => refusal_words(outcome, questions::IN_CHAT).ok()?,
        };
        let id = json!([TOOL, item, place]).to_string();
        Some(Reply { question: question.text.clone(), answer, id })
    };
    asked.filter_map(reply).collect()
}

fn said(question: &Question, answer: &Answer) -> String {
    let labels =
        answer.chosen.iter().filter_map(|id| question.option(*id)).map(|option| option.label.clone());
    let words: Vec<String> = labels.chain(answer.other.clone()).collect();
    let note = answer.note.as_ref().map(|note| format!("Note: {note}"));
    [(!words.is_empty()).then(|| words.join(", ")), note].into_iter().flatten().collect::<Vec<_>>().join("\n")
}
