//! Reads questions from the JSON of third-party agents. Lenient; a refusal names the field and the rule.

use askdesk_domain::{QuestionKind, RawOption, RawQuestion, Refusal};
use serde_json::{Map, Value};

/// Reads the questions of a tool input; `{"questions": …}`, or one question without that frame.
pub fn read_questions(input: &Value) -> Result<Vec<RawQuestion>, Refusal> {
    let Value::Object(fields) = input else {
        return Err(Refusal::new(
            "input",
            format!("must be an object with questions, got {}", type_name(input)),
        ));
    };
    let Some(questions) = present(fields, &["questions"]) else {
        if present(fields, &["question"]).is_some() {
            return Ok(vec![read_question(0, input)?]);
        }
        return Err(Refusal::new("questions", "must be a list of questions, got nothing"));
    };
    match unwrapped(questions).as_ref().unwrap_or(questions) {
        Value::Array(list) => {
            list.iter().enumerate().map(|(index, question)| read_question(index, question)).collect()
        }
        one @ Value::Object(_) => Ok(vec![read_question(0, one)?]),
        other => {
            Err(Refusal::new("questions", format!("must be a list of questions, got {}", type_name(other))))
        }
    }
}

fn read_question(index: usize, question: &Value) -> Result<RawQuestion, Refusal> {
    let field = |name: &str| format!("questions[{index}].{name}");
    let fields = match question {
        Value::Object(fields) => fields,
        Value::String(text) => return Ok(only_text(text)),
        other => {
            let rule = format!("must be an object with question and options, got {}", type_name(other));
            return Err(Refusal::new(format!("questions[{index}]"), rule));
        }
    };
    let Some(text) = present(fields, &["question", "text", "prompt"]) else {
        return Err(Refusal::new(field("question"), "must be a string, got nothing"));
    };
    let Some(text) = scalar_text(text) else {
        return Err(Refusal::new(field("question"), format!("must be a string, got {}", type_name(text))));
    };
    let options = match present(fields, &["options", "choices"]) {
        Some(options) => read_options(index, options)?,
        None => Vec::new(),
    };
    Ok(RawQuestion {
        text,
        header: present(fields, &["header", "title"]).and_then(scalar_text),
        kind: kind(fields, !options.is_empty()),
        options,
        required: present(fields, &["required"]).is_some_and(is_true),
        placeholder: present(fields, &["placeholder"]).and_then(scalar_text),
    })
}

/// The kind of a question. One with options is a choice, except that a secret is never shown as one.
fn kind(fields: &Map<String, Value>, has_options: bool) -> QuestionKind {
    if present(fields, &["multiSelect", "multi_select", "multiple"]).is_some_and(is_true) {
        return QuestionKind::Multi;
    }
    match present(fields, &["type", "kind"]).and_then(Value::as_str) {
        Some("secret") => QuestionKind::Secret,
        Some("multi") => QuestionKind::Multi,
        Some("confirm") if !has_options => QuestionKind::Confirm,
        Some("text") if !has_options => QuestionKind::Text,
        _ => QuestionKind::Single,
    }
}

/// A question that came as bare text has no options, so it is answered in own words.
fn only_text(text: &str) -> RawQuestion {
    RawQuestion {
        text: text.to_owned(),
        header: None,
        kind: QuestionKind::Single,
        options: Vec::new(),
        required: false,
        placeholder: None,
    }
}

fn read_options(question: usize, options: &Value) -> Result<Vec<RawOption>, Refusal> {
    let list = match unwrapped(options).unwrap_or_else(|| options.clone()) {
        Value::Array(list) => list,
        one @ Value::Object(_) => vec![one],
        other => {
            let rule = format!("must be a list of options, got {}", type_name(&other));
            return Err(Refusal::new(format!("questions[{question}].options"), rule));
        }
    };
    list.iter().enumerate().map(|(place, option)| read_option(question, place, option)).collect()
}

fn read_option(question: usize, place: usize, option: &Value) -> Result<RawOption, Refusal> {
    let field = format!("questions[{question}].options[{place}]");
    if let Some(label) = scalar_text(option) {
        return Ok(RawOption::new(&label));
    }
    let Value::Object(fields) = option else {
        let rule = format!("must be a string or an object with a label, got {}", type_name(option));
        return Err(Refusal::new(field, rule));
    };
    let label =
        ["label", "title", "value", "name"].iter().find_map(|name| fields.get(*name).and_then(scalar_text));
    let Some(label) = label else {
        return Err(Refusal::new(format!("{field}.label"), "must be a string"));
    };
    Ok(RawOption {
        label,
        description: fields.get("description").and_then(scalar_text),
        preview: fields.get("preview").and_then(scalar_text),
    })
}

/// The first of the names that holds anything; `null` counts as absent.
fn present<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(*name).filter(|value| !value.is_null()))
}

/// Models sometimes write a list as a string of JSON.
fn unwrapped(value: &Value) -> Option<Value> {
    let Value::String(text) = value else { return None };
    serde_json::from_str(text).ok().filter(|inner: &Value| inner.is_array() || inner.is_object())
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
