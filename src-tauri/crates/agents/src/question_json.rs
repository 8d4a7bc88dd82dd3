//! Reads questions from the JSON of third-party agents. Lenient; a refusal names the field and the rule.

use askdesk_domain::{
    Question, QuestionKind, QuestionLimits, RawOption, RawQuestion, Refusal, question_input,
};
use serde_json::{Map, Value};

/// Reads questions that can be shown, with their uncut texts before them.
pub(crate) fn read_to_show(input: &Value) -> Result<(Vec<RawQuestion>, Vec<Question>), Refusal> {
    let drafts = read_questions(input)?;
    let questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    Ok((drafts, questions))
}

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

/// The fields that say that several options can be chosen.
pub const SEVERAL: [&str; 12] = [
    "multiSelect",
    "multiselect",
    "multi_select",
    "multi-select",
    "multi",
    "multiple",
    "multipleChoice",
    "allowMultiple",
    "allow_multiple",
    "allowsMultiple",
    "selectMultiple",
    "select_multiple",
];

/// The kind of a question. One with options is a choice, except that a secret is never shown as one. If its fields
/// contradict each other, several options can be chosen: of those, the user can still choose one.
pub fn kind(fields: &Map<String, Value>, has_options: bool) -> QuestionKind {
    let several = SEVERAL.iter().any(|name| fields.get(*name).is_some_and(is_true));
    let named = kind_word(fields).and_then(named_kind);
    match named {
        Some(QuestionKind::Secret) => QuestionKind::Secret,
        Some(QuestionKind::Multi) => QuestionKind::Multi,
        None | Some(QuestionKind::Single) if several => QuestionKind::Multi,
        Some(QuestionKind::Text | QuestionKind::Confirm) if several && has_options => QuestionKind::Multi,
        Some(kind @ (QuestionKind::Text | QuestionKind::Confirm)) if !has_options => kind,
        _ => QuestionKind::Single,
    }
}

/// Returns the word for the kind of a question, if there is one.
pub fn kind_word(fields: &Map<String, Value>) -> Option<&str> {
    let words = ["type", "kind"].iter().filter_map(|name| fields.get(*name)?.as_str());
    words.map(str::trim).find(|word| !word.is_empty())
}

/// Returns the kind that models mean by a word.
pub fn named_kind(word: &str) -> Option<QuestionKind> {
    let word = word.trim().to_ascii_lowercase().replace(['-', '_', ' '], "");
    Some(match word.as_str() {
        "text" | "string" | "input" | "textarea" | "freetext" | "freeform" | "open" | "number"
        | "integer" => QuestionKind::Text,
        "select" | "single" | "singleselect" | "singlechoice" | "selectone" | "choice" | "radio"
        | "dropdown" | "enum" => QuestionKind::Single,
        "multiselect" | "multi" | "multiple" | "multichoice" | "multiplechoice" | "multipleselect"
        | "selectmultiple" | "selectmany" | "checkbox" | "checkboxes" | "checklist" => QuestionKind::Multi,
        "confirm" | "confirmation" | "yesno" | "yesorno" | "boolean" | "bool" => QuestionKind::Confirm,
        "secret" | "password" | "passphrase" => QuestionKind::Secret,
        _ => return None,
    })
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
    askdesk_outside_json::from_slice(text.as_bytes())
        .ok()
        .filter(|inner: &Value| inner.is_array() || inner.is_object())
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
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => {
            let text = text.trim();
            ["true", "yes", "on", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
        }
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

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::a_word(json!({"multiSelect": "true"}), true, QuestionKind::Multi)]
    #[case::a_capital_word(json!({"multiSelect": " True "}), true, QuestionKind::Multi)]
    #[case::yes(json!({"multiple": "yes"}), true, QuestionKind::Multi)]
    #[case::a_number(json!({"multi_select": 1}), true, QuestionKind::Multi)]
    #[case::zero(json!({"multi_select": 0}), true, QuestionKind::Single)]
    #[case::no(json!({"multiSelect": "false"}), true, QuestionKind::Single)]
    #[case::nothing(json!({"multiSelect": null}), true, QuestionKind::Single)]
    #[case::allow(json!({"allowMultiple": true}), true, QuestionKind::Multi)]
    #[case::one_of_two(json!({"multiSelect": false, "multiple": true}), true, QuestionKind::Multi)]
    #[case::a_select(json!({"type": "select", "multiSelect": true}), true, QuestionKind::Multi)]
    #[case::a_radio(json!({"type": "radio", "multiple": "1"}), true, QuestionKind::Multi)]
    #[case::a_checkbox(json!({"type": "checkbox", "multiSelect": false}), true, QuestionKind::Multi)]
    #[case::text_with_options(json!({"type": "text", "multiple": true}), true, QuestionKind::Multi)]
    #[case::yes_no_with_options(json!({"type": "boolean", "multiple": true}), true, QuestionKind::Multi)]
    #[case::text(json!({"type": "text", "multiple": true}), false, QuestionKind::Text)]
    #[case::yes_no(json!({"kind": "Yes_No", "multiple": true}), false, QuestionKind::Confirm)]
    #[case::an_empty_type(json!({"type": " ", "kind": "multi-select"}), true, QuestionKind::Multi)]
    #[case::options_win(json!({"type": "string"}), true, QuestionKind::Single)]
    #[case::an_unknown_type(json!({"type": "slider", "multiSelect": true}), true, QuestionKind::Multi)]
    #[case::a_password(json!({"type": "password", "multiSelect": true}), true, QuestionKind::Secret)]
    fn the_kind_is_read_from_what_models_write(
        #[case] fields: Value,
        #[case] has_options: bool,
        #[case] expected: QuestionKind,
    ) {
        assert_eq!(kind(fields.as_object().unwrap(), has_options), expected);
    }
}
