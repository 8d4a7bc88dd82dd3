//! Forms of MCP servers that Codex passes on.
//!
//! A form of choices, texts and yes-or-no fields becomes a question with a part for each field. What a form has beyond that is
//! declined, because a value that the person did not give must not be made up.

use askdesk_domain::{
    Answer, Answers, Outcome, Question, QuestionKind, QuestionLimits, RawOption, RawQuestion, Refusal,
    question_input,
};
use serde_json::{Map, Value, json};

use super::{list, text};
use crate::adapter::EncodeError;

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The name of its value; none for a form without fields, which only asks for consent.
    name: Option<String>,
    kind: FieldKind,
    draft: RawQuestion,
}

#[derive(Clone, Debug)]
enum FieldKind {
    /// The values of its options, in their order.
    One(Vec<Value>),
    Several(Vec<Value>),
    Text,
    YesOrNo,
}

/// Reads the fields of a form; the words say why it cannot be shown.
pub(super) fn read(params: &Value) -> Result<Vec<Field>, Refusal> {
    let mode = text(params, "mode").unwrap_or_default();
    if mode != "form" {
        return Err(Refusal::new("mode", format!("must be form, got {mode}")));
    }
    let message = text(params, "message").unwrap_or_default();
    let none = Map::new();
    let properties =
        params.pointer("/requestedSchema/properties").and_then(Value::as_object).unwrap_or(&none);
    let required = params.pointer("/requestedSchema/required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)));
    if properties.is_empty() {
        let draft = draft(message.to_owned(), None, QuestionKind::Confirm, Vec::new(), true);
        return Ok(vec![Field { name: None, kind: FieldKind::YesOrNo, draft }]);
    }
    let fields = properties.iter().enumerate().map(|(place, (name, schema))| {
        let mut field = read_field(name, schema, is_required(name))?;
        // What the form is about stands before its first field.
        if place == 0 && !message.trim().is_empty() {
            field.draft.text = format!("{message}\n\n{}", field.draft.text);
        }
        Ok(field)
    });
    fields.collect()
}

fn read_field(name: &str, schema: &Value, required: bool) -> Result<Field, Refusal> {
    let unfit = |rule: &str| Refusal::new(format!("requestedSchema.properties.{name}"), rule);
    let (kind, options) = match text(schema, "type") {
        Some("string") => match choices(schema, "oneOf") {
            Some((values, options)) => (FieldKind::One(values), options),
            None => (FieldKind::Text, Vec::new()),
        },
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let (values, options) =
                choices(items, "anyOf").ok_or_else(|| unfit("a list must have options to choose from"))?;
            (FieldKind::Several(values), options)
        }
        Some("boolean") => (FieldKind::YesOrNo, Vec::new()),
        other => {
            let other = other.unwrap_or("none");
            return Err(unfit(&format!("must be a string, a list or a boolean, got type {other}")));
        }
    };
    let shown = match kind {
        FieldKind::One(_) => QuestionKind::Single,
        FieldKind::Several(_) => QuestionKind::Multi,
        FieldKind::Text => QuestionKind::Text,
        FieldKind::YesOrNo => QuestionKind::Confirm,
    };
    let title = text(schema, "title").unwrap_or(name);
    let words = text(schema, "description").unwrap_or(title).to_owned();
    let draft = draft(words, Some(title.to_owned()), shown, options, required);
    Ok(Field { name: Some(name.to_owned()), kind, draft })
}

/// The values to choose from, and what they are called.
fn choices(schema: &Value, titled: &str) -> Option<(Vec<Value>, Vec<RawOption>)> {
    let titled = list(schema, titled);
    let plain = list(schema, "enum");
    let names = list(schema, "enumNames");
    let pairs: Vec<(Value, String)> = if titled.is_empty() {
        let name = |(place, value): (usize, &Value)| {
            let name = names.get(place).or(Some(value)).and_then(Value::as_str)?;
            Some((value.clone(), name.to_owned()))
        };
        plain.iter().enumerate().filter_map(name).collect()
    } else {
        let option = |option: &Value| {
            let value = option.get("const")?;
            let name = text(option, "title").or_else(|| value.as_str())?;
            Some((value.clone(), name.to_owned()))
        };
        titled.iter().filter_map(option).collect()
    };
    // An option that cannot be shown must not vanish.
    let complete = !pairs.is_empty() && pairs.len() == titled.len().max(plain.len());
    complete.then(|| pairs.into_iter().map(|(value, name)| (value, RawOption::new(&name))).unzip())
}

fn draft(
    text: String,
    header: Option<String>,
    kind: QuestionKind,
    options: Vec<RawOption>,
    required: bool,
) -> RawQuestion {
    RawQuestion { text, header, kind, options, required, placeholder: None }
}

/// Turns the fields into questions that can be shown. A choice of a form allows nothing else.
pub(super) fn accept(fields: &[Field]) -> Result<Vec<Question>, Refusal> {
    let drafts: Vec<RawQuestion> = fields.iter().map(|field| field.draft.clone()).collect();
    let mut questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    for (question, field) in questions.iter_mut().zip(fields) {
        if question.options.len() < field.draft.options.len() {
            return Err(Refusal::new("requestedSchema", "an option called Other can't be shown"));
        }
        question.allows_other = false;
    }
    Ok(questions)
}

/// Encodes how a form ended.
pub(super) fn encode(
    fields: &[Field],
    questions: &[Question],
    outcome: &Outcome,
) -> Result<Value, EncodeError> {
    match outcome {
        Outcome::Answered { answers } => Ok(answered(fields, questions, answers)),
        Outcome::Declined { .. } | Outcome::RepliedInChat { .. } => Ok(ended("decline")),
        Outcome::Expired | Outcome::Withdrawn { .. } => Ok(ended("cancel")),
        Outcome::Orphaned { .. } => Err(EncodeError::NothingToSend),
    }
}

/// A form that ends without values.
pub(super) fn ended(action: &str) -> Value {
    json!({"action": action, "content": null, "_meta": null})
}

fn answered(fields: &[Field], questions: &[Question], answers: &Answers) -> Value {
    let mut content = Map::new();
    for (field, question) in fields.iter().zip(questions) {
        let Some(answer) = answers.to(question.id) else { continue };
        let value = field.value(question, answer);
        match (&field.name, value) {
            (Some(name), Some(value)) => {
                content.insert(name.clone(), value);
            }
            (None, Some(Value::Bool(false))) => return ended("decline"),
            _ => {}
        }
    }
    json!({"action": "accept", "content": content, "_meta": null})
}

impl Field {
    /// The value that was given; none if there is none.
    fn value(&self, question: &Question, answer: &Answer) -> Option<Value> {
        let chosen = |values: &[Value]| -> Vec<Value> {
            let values = values.iter().enumerate();
            let chosen = values.filter(|(place, _)| answer.chosen.contains(&question.id.option(*place)));
            chosen.map(|(_, value)| value.clone()).collect()
        };
        match &self.kind {
            FieldKind::One(values) => chosen(values).pop(),
            FieldKind::Several(values) => Some(json!(chosen(values))),
            FieldKind::Text => answer.other.as_ref().map(|words| json!(words)),
            FieldKind::YesOrNo => {
                let yes = answer.chosen.contains(&question.id.option(0));
                (!answer.chosen.is_empty()).then_some(json!(yes))
            }
        }
    }
}
