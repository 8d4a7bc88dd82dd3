//! Formats a user's answers for an agent.

use askdesk_domain::{Answers, Notice, Question, RawQuestion};
use serde_json::{Map, Value, json};

use crate::late_answers::UNANSWERED;

/// The answer to one question, with the agent's own uncut texts.
#[derive(Debug)]
pub(super) struct QuestionAnswer<'a> {
    question: &'a str,
    header: Option<&'a str>,
    labels: Vec<&'a str>,
    other: Option<&'a str>,
    note: Option<&'a str>,
    preview: Option<&'a str>,
}

impl QuestionAnswer<'_> {
    const fn is_unanswered(&self) -> bool {
        self.labels.is_empty() && self.other.is_none()
    }

    /// The labels in the question's order, then the user's own words.
    fn value(&self) -> String {
        let parts: Vec<&str> = self.labels.iter().copied().chain(self.other).collect();
        if parts.is_empty() { UNANSWERED.to_owned() } else { parts.join(", ") }
    }
}

/// Puts the answers beside the agent's own texts, one entry for each question, answered or not.
pub(super) fn answers_by_question<'a>(
    drafts: &'a [RawQuestion],
    questions: &'a [Question],
    answers: &'a Answers,
) -> Vec<QuestionAnswer<'a>> {
    let with_draft = questions.iter().map(|question| (question, drafts.get(question.id.index())));
    with_draft
        .map(|(question, draft)| {
            let answer = answers.to(question.id);
            let chosen = answer.map(|answer| answer.chosen.as_slice()).unwrap_or_default();
            // The draft holds the label and the preview uncut; an option's id is minted from its place there.
            let drawn = |id| {
                let options = draft.map(|draft| draft.options.as_slice()).unwrap_or_default();
                options.iter().enumerate().find(|(place, _)| question.id.option(*place) == id).map(|(_, o)| o)
            };
            let label = |id| match drawn(id) {
                Some(option) => Some(option.label.as_str()),
                None => question.option(id).map(|option| option.label.as_str()),
            };
            let preview = match chosen {
                [only] => drawn(*only).and_then(|option| option.preview.as_deref()),
                _ => None,
            };
            QuestionAnswer {
                question: draft.map_or(question.text.as_str(), |draft| &draft.text),
                header: question.header.as_deref(),
                labels: chosen.iter().filter_map(|id| label(*id)).collect(),
                other: answer.and_then(|answer| answer.other.as_deref()),
                note: answer.and_then(|answer| answer.note.as_deref()),
                preview: preview.filter(|preview| !preview.is_empty()),
            }
        })
        .collect()
}

/// Returns the input as it was received with the answers added under the full question texts.
///
/// The protocol knows a question only by its text, so two questions with one text share a key: their values are
/// joined and numbered, and a notice says so.
pub(super) fn with_answers(input: &Value, said: &[QuestionAnswer<'_>], skips: bool) -> (Value, Vec<Notice>) {
    let mut values = Map::new();
    let mut annotations = match input.get("annotations") {
        Some(Value::Object(received)) => received.clone(),
        _ => Map::new(),
    };
    let mut notices = Vec::new();
    for (place, first) in said.iter().enumerate() {
        if said[..place].iter().any(|earlier| earlier.question == first.question) {
            continue;
        }
        let duplicates: Vec<&QuestionAnswer<'_>> =
            said.iter().filter(|one| one.question == first.question).collect();
        if duplicates.len() > 1 {
            notices.push(Notice::SameTextJoined { text: askdesk_domain::text::bounded(first.question) });
        }
        let value = numbered(&duplicates, "; ", |one| Some(one.value())).unwrap_or_default();
        values.insert(first.question.to_owned(), Value::String(value));

        let notes = numbered(&duplicates, "; ", |one| one.note.map(str::to_owned));
        let preview = numbered(&duplicates, "\n", |one| one.preview.map(str::to_owned));
        let skipped = skips && duplicates.iter().all(|one| one.is_unanswered());
        let unanswered = skipped.then(|| "skipped".to_owned());
        let annotation = present([("notes", notes), ("preview", preview), ("unanswered", unanswered)]);
        if !annotation.is_empty() {
            annotations.insert(first.question.to_owned(), Value::Object(annotation));
        }
    }
    let mut answered = match input {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    answered.insert("answers".to_owned(), Value::Object(values));
    if !annotations.is_empty() {
        answered.insert("annotations".to_owned(), Value::Object(annotations));
    }
    (Value::Object(answered), notices)
}

/// One value as it is; those of several duplicates with their numbers.
fn numbered(
    duplicates: &[&QuestionAnswer<'_>],
    between: &str,
    value: impl Fn(&QuestionAnswer<'_>) -> Option<String>,
) -> Option<String> {
    if let [only] = duplicates {
        return value(only);
    }
    let values = duplicates.iter().enumerate();
    let parts: Vec<String> = values
        .filter_map(|(place, one)| value(one).map(|value| format!("({}) {value}", place + 1)))
        .collect();
    (!parts.is_empty()).then(|| parts.join(between))
}

/// A user's answers for a model to read, and for a program.
#[derive(Clone, Debug, PartialEq)]
pub struct FormattedAnswers {
    pub text: String,
    /// A list with one object for each question, answered or not.
    pub answers: Value,
}

/// Formats answers for a caller that knows its questions by their texts.
pub fn format_answers(questions: &[Question], answers: &Answers) -> FormattedAnswers {
    format(&answers_by_question(&[], questions, answers))
}

/// Returns the input of a question as Claude Code sent it, with the answers added in the form its hooks hand back.
pub fn answered_input(
    input: &Value,
    drafts: &[RawQuestion],
    questions: &[Question],
    answers: &Answers,
) -> Value {
    with_answers(input, &answers_by_question(drafts, questions, answers), false).0
}

fn format(said: &[QuestionAnswer<'_>]) -> FormattedAnswers {
    let pairs: Vec<String> = said
        .iter()
        .map(|one| {
            let note = one.note.map(|note| format!(" (note: {note})")).unwrap_or_default();
            format!("\"{}\"=\"{}\"{note}", one.question, one.value())
        })
        .collect();
    let own_words = said.iter().any(|one| one.other.is_some() || one.note.is_some());
    let close = match own_words {
        true => "Some of this is in the user's own words: read them as written and follow what they say.",
        false => "You can now continue with the user's answers in mind.",
    };
    let answers: Vec<Value> = said.iter().map(as_json).collect();
    let text = format!("User has answered your questions: {}. {close}", pairs.join(", "));
    FormattedAnswers { text, answers: Value::Array(answers) }
}

fn as_json(said: &QuestionAnswer<'_>) -> Value {
    let mut fields = Map::from_iter([
        ("question".to_owned(), json!(said.question)),
        ("selectedOptions".to_owned(), json!(said.labels)),
    ]);
    fields.extend(present([("header", said.header), ("customInput", said.other), ("note", said.note)]));
    if said.is_unanswered() {
        fields.insert("unanswered".to_owned(), Value::Bool(true));
    }
    Value::Object(fields)
}

/// Makes an object of the fields that have a value.
fn present<T: Into<Value>, const N: usize>(fields: [(&str, Option<T>); N]) -> Map<String, Value> {
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    present.collect()
}
