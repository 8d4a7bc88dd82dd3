//! Questions and answers with default values.

use askdesk_domain::{
    AnswerInput, Answers, Question, QuestionId, QuestionKind, QuestionLimits, RawOption, RawQuestion,
    question_input,
};

pub fn option(label: &str) -> RawOption {
    RawOption::new(label)
}

pub fn described(label: &str, description: &str) -> RawOption {
    RawOption { description: Some(description.to_owned()), ..option(label) }
}

pub fn draft(kind: QuestionKind, text: &str, labels: &[&str]) -> RawQuestion {
    RawQuestion {
        text: text.to_owned(),
        header: None,
        kind,
        options: labels.iter().map(|label| option(label)).collect(),
        required: false,
        placeholder: None,
    }
}

pub fn single(text: &str, labels: &[&str]) -> RawQuestion {
    draft(QuestionKind::Single, text, labels)
}

pub fn multi(text: &str, labels: &[&str]) -> RawQuestion {
    draft(QuestionKind::Multi, text, labels)
}

/// One question with the options A and B.
pub fn which() -> Vec<Question> {
    asked(&[single("Which?", &["A", "B"])])
}

pub fn secret() -> Vec<Question> {
    asked(&[draft(QuestionKind::Secret, "Which key?", &[])])
}

/// The questions of an agent that uses its own tools.
pub fn asked(drafts: &[RawQuestion]) -> Vec<Question> {
    question_input::accept(drafts, QuestionLimits::FOREIGN).unwrap()
}

/// Answers the question at an index with the options at these indices.
pub fn choose(question: usize, chosen: &[usize]) -> AnswerInput {
    let id = QuestionId::at(question);
    let chosen = chosen.iter().map(|place| id.option(*place)).collect();
    AnswerInput { question: id, chosen, other: None, note: None }
}

pub fn say(question: usize, words: &str) -> AnswerInput {
    AnswerInput { other: Some(words.to_owned()), ..choose(question, &[]) }
}

/// Writes answers as short as `q1: q1o2 + "words"`.
pub fn shown(answers: &Answers) -> Vec<String> {
    let one = |answer: &askdesk_domain::Answer| {
        let chosen = answer.chosen.iter().map(ToString::to_string);
        let other = answer.other.iter().map(|words| format!("{words:?}"));
        let parts: Vec<String> = chosen.chain(other).collect();
        let note = answer.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        format!("{}: {}{note}", answer.question, parts.join(" + "))
    };
    answers.iter().map(one).collect()
}
