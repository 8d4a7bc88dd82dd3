//! Forms, as OpenCode 2 asks its questions (from public descriptions of 2.0).

use serde_json::{Map, Number, Value, json};

use super::shapes::asking_call;
use crate::json::{is_true, list, list_of, text};

/// A form that waits.
#[derive(Debug)]
pub(super) struct Form {
    fields: Vec<Field>,
    /// The answers that were sent, in the words of both APIs.
    sent: Option<(Value, Value)>,
}

/// A field of a form, which is one question.
#[derive(Debug)]
struct Field {
    key: String,
    kind: String,
    /// The labels of its options and their values.
    options: Vec<(String, Value)>,
    /// What the answers to others must be for this one to count.
    when: Vec<Value>,
}

impl Form {
    /// The answer, by the fields' keys.
    pub(super) fn answer(&mut self, answers: &Value) -> Value {
        let mut answer = Map::new();
        for (field, words) in self.fields.iter().zip(list_of(answers)) {
            if let Some(value) = field.value(list_of(words)).filter(|_| field.counts(&answer)) {
                answer.insert(field.key.clone(), value);
            }
        }
        let answer = Value::Object(answer);
        self.sent = Some((answers.clone(), answer.clone()));
        answer
    }

    /// The answers that an answer by keys stands for. Another one than ours stays as it is.
    pub(super) fn answers(self, answer: &Value) -> Value {
        match self.sent {
            Some((answers, sent)) if sent == *answer => answers,
            _ => answer.clone(),
        }
    }
}

impl Field {
    /// Whether the answers to the fields before ask for this one.
    fn counts(&self, before: &Map<String, Value>) -> bool {
        self.when.iter().all(|when| {
            let is_equal = text(when, "key").and_then(|key| before.get(key)) == when.get("value");
            is_equal == (text(when, "op") != Some("neq"))
        })
    }

    /// The value of an answer; none if the question was left unanswered.
    fn value(&self, words: &[Value]) -> Option<Value> {
        let value = |word: &Value| {
            let chosen = self.options.iter().find(|(label, _)| word.as_str() == Some(label));
            chosen.map_or_else(|| word.clone(), |(_, value)| value.clone())
        };
        match words {
            [] => None,
            words if self.kind == "multiselect" => Some(words.iter().map(value).collect()),
            [word] => Some(self.typed(value(word))),
            words => {
                let all: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some(json!(all.join(" ")))
            }
        }
    }

    /// A number for a field of numbers, if it is one.
    fn typed(&self, value: Value) -> Value {
        let is_number = matches!(self.kind.as_str(), "number" | "integer");
        let number = value.as_str().filter(|_| is_number).and_then(|word| word.trim().parse::<Number>().ok());
        number.map_or(value, Value::Number)
    }
}

/// Reads a form as a question of the API before.
pub(super) fn question(form: &Value) -> (Value, Form) {
    let (mut questions, mut fields) = (Vec::new(), Vec::new());
    for field in list(form, "fields").iter().filter(|field| !is_true(field, "hidden")) {
        let Some((key, kind)) = text(field, "key").zip(text(field, "type")) else { continue };
        // It only names a page to open.
        if kind == "external" {
            continue;
        }
        let option = |option: &Value| {
            let value = option.get("value").unwrap_or(option).clone();
            let label = text(option, "label").or_else(|| value.as_str()).map(str::to_owned);
            label.map(|label| (label, value))
        };
        let mut options: Vec<(String, Value)> = list(field, "options").iter().filter_map(option).collect();
        if kind == "boolean" {
            options = vec![("Yes".to_owned(), json!(true)), ("No".to_owned(), json!(false))];
        }
        let described = |place: usize| field["options"][place]["description"].as_str().unwrap_or_default();
        let shown = options.iter().enumerate();
        let shown: Vec<Value> =
            shown.map(|(n, (label, _))| json!({"label": label, "description": described(n)})).collect();
        // The title is short where both are there.
        let (title, words) = (text(field, "title"), text(field, "description"));
        let when = list(field, "when").to_vec();
        questions.push(json!({
            "question": words.or(title).unwrap_or(key),
            "header": title.filter(|_| words.is_some()),
            "options": shown,
            "multiple": kind == "multiselect",
            "required": is_true(field, "required") && when.is_empty(),
            "placeholder": field["placeholder"],
        }));
        fields.push(Field { key: key.to_owned(), kind: kind.to_owned(), options, when });
    }
    let tool = asking_call(&form["metadata"]["tool"]);
    let question =
        json!({"id": form["id"], "sessionID": form["sessionID"], "questions": questions, "tool": tool});
    (question, Form { fields, sent: None })
}
