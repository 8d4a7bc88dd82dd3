//! Questions of Codex, and the answers to them.
//!
//! An answer is a list of texts for the id of each question: labels, and what the user wrote as `user_note: …`. The protocol
//! has no word for a refusal, and no answer at all reaches the model as an empty one, so a refusal is put into words
//! (measured with 0.169.0).

use askdesk_domain::text::bounded;
use askdesk_domain::{
    Answers, Notice, Outcome, Question, QuestionKind, QuestionLimits, RawOption, RawQuestion, Refusal,
    question_input,
};
use serde_json::{Map, Value, json};

use crate::adapter::{EncodeError, refusal_words};
use crate::json::{is_true, list, text};

const UNANSWERED: &str = "The user left this question unanswered.";
pub(super) const IN_CHAT: &str = "The user did not answer this and writes a message instead.";

#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// The key of its answer.
    id: String,
    /// It holds the uncut labels.
    draft: RawQuestion,
}

/// Reads the questions of a request.
pub(super) fn read(params: &Value) -> Vec<Asking> {
    list(params, "questions").iter().map(read_one).collect()
}

fn read_one(question: &Value) -> Asking {
    let option = |option: &Value| RawOption {
        description: text(option, "description").map(str::to_owned),
        ..RawOption::new(text(option, "label").unwrap_or_default())
    };
    let secret = is_true(question, "isSecret");
    let draft = RawQuestion {
        text: text(question, "question").unwrap_or_default().to_owned(),
        header: text(question, "header").map(str::to_owned),
        kind: if secret { QuestionKind::Secret } else { QuestionKind::Single },
        options: list(question, "options").iter().map(option).collect(),
        required: false,
        placeholder: None,
    };
    Asking { id: text(question, "id").unwrap_or_default().to_owned(), draft }
}

/// Turns them into questions that can be shown.
pub(super) fn accept(params: &Value, asked: &[Asking]) -> Result<Vec<Question>, Refusal> {
    let drafts: Vec<RawQuestion> = asked.iter().map(|asking| asking.draft.clone()).collect();
    let mut questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    for (question, asked) in questions.iter_mut().zip(list(params, "questions")) {
        // The agent may want a choice and nothing else; a note goes with it all the same.
        question.allows_other &= asked["isOther"] != false;
    }
    Ok(questions)
}

/// Encodes how a request ended. The notices say what could not be expressed exactly.
pub(super) fn encode(
    asked: &[Asking],
    questions: &[Question],
    outcome: &Outcome,
) -> Result<(Value, Vec<Notice>), EncodeError> {
    match outcome {
        Outcome::Answered { answers } => Ok(answered(asked, questions, answers)),
        refusal => Ok((refused(asked, &refusal_words(refusal, IN_CHAT)?), Vec::new())),
    }
}

/// Answers every question with the same words.
pub(super) fn refused(asked: &[Asking], words: &str) -> Value {
    let all = asked.iter().map(|asking| (asking.id.clone(), json!({"answers": [note(words)]})));
    json!({"answers": all.collect::<Map<_, _>>()})
}

/// An id that two questions share has the answers of both, and a notice says so.
fn answered(asked: &[Asking], questions: &[Question], answers: &Answers) -> (Value, Vec<Notice>) {
    let mut values: Map<String, Value> = Map::new();
    let mut notices = Vec::new();
    for (asking, question) in asked.iter().zip(questions) {
        let said = said(asking, question, answers);
        match values.get_mut(&asking.id).and_then(|known| known["answers"].as_array_mut()) {
            Some(known) => {
                known.extend(said);
                notices.push(Notice::SameTextJoined { text: bounded(&asking.draft.text) });
            }
            None => {
                values.insert(asking.id.clone(), json!({"answers": said}));
            }
        }
    }
    (json!({"answers": values}), notices)
}

/// The labels in the question's order, then the user's own words.
fn said(asking: &Asking, question: &Question, answers: &Answers) -> Vec<Value> {
    let Some(answer) = answers.to(question.id) else { return vec![note(UNANSWERED)] };
    let options = asking.draft.options.iter().enumerate();
    let chosen = options.filter(|(place, _)| answer.chosen.contains(&question.id.option(*place)));
    let labels = chosen.map(|(_, option)| json!(option.label));
    // A secret has no chosen option: one that was filled in is told by its label.
    let said = |words: &str| match asking.draft.options.iter().any(|option| option.label == words) {
        true if question.kind == QuestionKind::Secret => json!(words),
        _ => note(words),
    };
    let words = [answer.other.as_deref(), answer.note.as_deref()].into_iter().flatten().map(said);
    labels.chain(words).collect()
}

fn note(words: &str) -> Value {
    json!(format!("user_note: {words}"))
}
