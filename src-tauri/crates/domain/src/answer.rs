//! Answers: what a user chose and wrote, checked against the questions.

use serde::{Deserialize, Serialize};

use crate::error::ValidationError;
use crate::id::{OptionId, QuestionId};
use crate::question::{Question, QuestionKind};
use crate::rejection::Rejection;
use crate::text::{USER_TEXT_BYTES, says_something, without_controls};

/// The answer to one question as a caller sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AnswerInput {
    pub question: QuestionId,
    /// The chosen options in any order; empty if there is only text, or nothing.
    #[serde(default)]
    pub chosen: Vec<OptionId>,
    /// The user's own answer; blank counts as none.
    #[serde(default)]
    pub other: Option<String>,
    /// A note on the choice; blank counts as none.
    #[serde(default)]
    pub note: Option<String>,
}

/// The checked answer to one question; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Answer {
    pub question: QuestionId,
    /// The chosen options, in the question's order.
    pub chosen: Vec<OptionId>,
    /// The user's own answer; the text of a secret is removed before an answer is stored.
    pub other: Option<String>,
    pub note: Option<String>,
    /// Whether a secret was given; its text goes to the agent only.
    pub secret_given: bool,
}

/// The answers of one request, in the order of its questions; an unanswered question has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Answers(Vec<Answer>);

impl Answers {
    /// Checks a caller's answers against the questions. An error names the field.
    pub fn check(questions: &[Question], inputs: &[AnswerInput]) -> Result<Self, Rejection> {
        if inputs.len() > questions.len() {
            let rule = format!("too many answers ({}; the limit is {})", inputs.len(), questions.len());
            return Err(Rejection::invalid("answers", rule));
        }
        let mut answers = Vec::with_capacity(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            let field = |name: &str| format!("answers[{index}].{name}");
            let Some(question) = questions.iter().find(|question| question.id == input.question) else {
                let rule = format!("no question {} in this request", input.question);
                return Err(Rejection::invalid(field("question"), rule));
            };
            if inputs[..index].iter().any(|earlier| earlier.question == input.question) {
                let rule = format!("{} is answered twice", input.question);
                return Err(Rejection::invalid(field("question"), rule));
            }
            answers.extend(check_one(question, input, &field)?);
        }
        if answers.is_empty() {
            return Err(Rejection::invalid("answers", ValidationError::NothingAnswered));
        }
        answers.sort_by_key(|answer| answer.question);
        Ok(Self(answers))
    }

    /// Lists the answers in the order of the questions.
    pub fn iter(&self) -> impl Iterator<Item = &Answer> {
        self.0.iter()
    }

    /// Finds the answer to one question, if it was answered.
    pub fn to(&self, question: QuestionId) -> Option<&Answer> {
        self.0.iter().find(|answer| answer.question == question)
    }

    /// Removes the text of secrets, for everything that is stored or shown.
    pub fn without_secrets(&self) -> Self {
        let kept = |answer: &Answer| match answer.secret_given {
            true => Answer { other: None, ..answer.clone() },
            false => answer.clone(),
        };
        Self(self.0.iter().map(kept).collect())
    }
}

fn check_one(
    question: &Question,
    input: &AnswerInput,
    field: &dyn Fn(&str) -> String,
) -> Result<Option<Answer>, Rejection> {
    for (place, id) in input.chosen.iter().enumerate() {
        if question.option(*id).is_none() {
            let rule = format!("no option {id} in question {}", question.id);
            return Err(Rejection::invalid(format!("{}[{place}]", field("chosen")), rule));
        }
        if input.chosen[..place].contains(id) {
            let rule = format!("{id} is chosen twice");
            return Err(Rejection::invalid(format!("{}[{place}]", field("chosen")), rule));
        }
    }
    let other = optional_text(input.other.as_deref(), &field("other"))?;
    let note = optional_text(input.note.as_deref(), &field("note"))?;
    let one_only = matches!(question.kind, QuestionKind::Single | QuestionKind::Confirm);
    if one_only && input.chosen.len() + usize::from(other.is_some()) > 1 {
        return Err(Rejection::invalid(field("chosen"), ValidationError::OneOnly));
    }
    if other.is_some() && !question.allows_other && !question.kind.is_words() {
        return Err(Rejection::invalid(field("other"), ValidationError::NoOwnWords));
    }
    if input.chosen.is_empty() && other.is_none() {
        return match note {
            // The user typed the note: dropping it silently would lose it.
            Some(_) => Err(Rejection::invalid(field("note"), ValidationError::NoteAlone)),
            None => Ok(None),
        };
    }
    if let Some(bounds) =
        question.bounds.as_ref().filter(|it| !it.allow(input.chosen.len(), other.as_deref()))
    {
        let name = if question.kind.is_words() { "other" } else { "chosen" };
        return Err(Rejection::invalid(field(name), ValidationError::OutOfBounds { bounds: bounds.clone() }));
    }
    let in_order = question.options.iter().map(|option| option.id).filter(|id| input.chosen.contains(id));
    Ok(Some(Answer {
        question: question.id,
        chosen: in_order.collect(),
        secret_given: question.kind == QuestionKind::Secret,
        other,
        note,
    }))
}

/// Checks a user's text: bounded and without control characters; none if it is blank.
pub fn optional_text(text: Option<&str>, field: &str) -> Result<Option<String>, Rejection> {
    optional_text_within(text, field, USER_TEXT_BYTES)
}

/// Like [`optional_text`], with its own bound.
pub(crate) fn optional_text_within(
    text: Option<&str>,
    field: &str,
    bytes: usize,
) -> Result<Option<String>, Rejection> {
    let Some(text) = text else { return Ok(None) };
    if text.len() > bytes {
        return Err(Rejection::invalid(field, ValidationError::TooLong { most: bytes, bytes: text.len() }));
    }
    let text = without_controls(text);
    Ok(says_something(&text).then_some(text))
}
