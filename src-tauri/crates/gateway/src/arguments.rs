//! The arguments of a tool call. Parsing is lenient, and an error names the field and the rule.

use askdesk_agents::question_json::{self, kind_word, named_kind, read_questions};
use askdesk_domain::{Question, QuestionKind, QuestionLimits, Refusal, RequestId, question_input};
use askdesk_mcp_tools::{LONGEST_LIMIT, SHORTEST_LIMIT, Tool};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    pub questions: Vec<Question>,
    /// The time limit that the caller has set, in seconds.
    pub limit_seconds: Option<u32>,
}

pub fn read(tool: Tool, arguments: &Value) -> Result<Asking, Refusal> {
    match tool {
        Tool::AskUserQuestion => {
            let questions =
                question_input::accept(&read_questions(arguments)?, QuestionLimits::ASK_USER_QUESTION)?;
            refuse_secrets(&questions)?;
            Ok(Asking { questions, limit_seconds: None })
        }
        Tool::AskUser => read_ask_user(arguments),
        Tool::CollectAnswer => Err(Refusal::new("tool", "collect_answer doesn't ask questions")),
    }
}

/// Reads the request id of [`Tool::CollectAnswer`].
pub fn read_request_id(arguments: &Value) -> Result<RequestId, Refusal> {
    let id = ["requestId", "request_id", "id"].iter().find_map(|name| arguments.get(*name));
    let rule = "must be the requestId from an earlier result";
    match id {
        Some(Value::String(text)) => text.trim().parse().map_err(|_| Refusal::new("requestId", rule)),
        _ => Err(Refusal::new("requestId", rule)),
    }
}

/// The arguments of `ask_user` beside those of a single question.
const ARGUMENTS: [&str; 3] = ["questions", "title", "timeout"];

/// The names of what a question can have, when the arguments are a single question.
const OF_A_QUESTION: [&str; 10] =
    ["question", "text", "prompt", "options", "choices", "header", "required", "placeholder", "type", "kind"];

/// Refuses an argument that would have no effect, because its caller relies on it.
fn refuse_unknown(arguments: &Value) -> Result<(), Refusal> {
    let Value::Object(fields) = arguments else { return Ok(()) };
    let is_question = !fields.contains_key("questions");
    let is_known = |name: &str| {
        ARGUMENTS.contains(&name)
            || is_question && (OF_A_QUESTION.contains(&name) || question_json::SEVERAL.contains(&name))
    };
    match fields.keys().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let name = askdesk_domain::text::cut_at(unknown.as_str(), 64, "…");
            let rule = format!("there is no such argument; the arguments are {}", ARGUMENTS.join(", "));
            Err(Refusal::new(name, rule))
        }
    }
}

fn read_ask_user(arguments: &Value) -> Result<Asking, Refusal> {
    refuse_unknown(arguments)?;
    let limit_seconds = limit(arguments)?;
    let typed = with_kinds(arguments)?;
    let mut drafts = read_questions(&typed)?;
    if let Some(title) = arguments.get("title").and_then(Value::as_str)
        && let Some(first) = drafts.first_mut()
    {
        first.header.get_or_insert_with(|| title.to_owned());
    }
    let questions = question_input::accept(&drafts, QuestionLimits::ASK_USER)?;
    refuse_secrets(&questions)?;
    Ok(Asking { questions, limit_seconds })
}

/// Converts the question types of `ask_user` to those of other agents.
fn with_kinds(arguments: &Value) -> Result<Value, Refusal> {
    let Value::Object(fields) = arguments else { return Ok(arguments.clone()) };
    let mut fields = fields.clone();
    match fields.get("questions").map(|questions| (unwrapped(questions), questions)) {
        Some((Some(Value::Array(list)), _)) => {
            let list = list.into_iter().enumerate().map(|(index, question)| with_kind(index, question));
            fields.insert("questions".to_owned(), Value::Array(list.collect::<Result<_, _>>()?));
        }
        Some((Some(one @ Value::Object(_)), _)) => {
            fields.insert("questions".to_owned(), with_kind(0, one)?);
        }
        Some(_) => {}
        None => return with_kind(0, Value::Object(fields)),
    }
    Ok(Value::Object(fields))
}

fn with_kind(index: usize, question: Value) -> Result<Value, Refusal> {
    let mut fields = match question {
        Value::Object(fields) => fields,
        // A question that is a plain string is a text question.
        Value::String(text) => Map::from_iter([("question".to_owned(), Value::String(text))]),
        other => return Ok(other),
    };
    let options = ["options", "choices"].iter().find_map(|name| fields.get(*name));
    let has_options = options.is_some_and(|options| match unwrapped(options) {
        Some(Value::Array(list)) => !list.is_empty(),
        other => other.is_some(),
    });
    let kind = match kind_word(&fields).map(|word| (word, named_kind(word))) {
        Some((word, None | Some(QuestionKind::Secret))) => {
            let rule = format!(
                "must be text, select, multi-select or confirm, got \"{}\"{}",
                askdesk_domain::text::cut_at(word, 64, "…"),
                if named_kind(word).is_some() { "; secrets can't be asked for here" } else { "" },
            );
            return Err(Refusal::new(format!("questions[{index}].type"), rule));
        }
        None if !has_options => "text",
        _ => match question_json::kind(&fields, has_options) {
            QuestionKind::Multi => "multi",
            QuestionKind::Confirm => "confirm",
            QuestionKind::Text => "text",
            QuestionKind::Single | QuestionKind::Secret => "single",
        },
    };
    fields.insert("type".to_owned(), Value::String(kind.to_owned()));
    Ok(Value::Object(fields))
}

fn limit(arguments: &Value) -> Result<Option<u32>, Refusal> {
    let value = match arguments.get("timeout") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let (least, most) = (SHORTEST_LIMIT.as_secs(), LONGEST_LIMIT.as_secs());
    let seconds = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let fits = seconds.filter(|seconds| (least as f64..=most as f64).contains(seconds));
    match fits {
        Some(seconds) => Ok(Some(seconds.ceil() as u32)),
        None => {
            let got = askdesk_domain::text::cut_at(value.to_string(), 64, "…");
            let rule =
                format!("must be {least} to {most} seconds, got {got}; omit it to wait without a limit");
            Err(Refusal::new("timeout", rule))
        }
    }
}

/// Rejects secrets: whatever reaches a model ends up in its log.
pub(crate) fn refuse_secrets(questions: &[Question]) -> Result<(), Refusal> {
    match questions.iter().position(|question| question.kind == QuestionKind::Secret) {
        Some(index) => {
            Err(Refusal::new(format!("questions[{index}].type"), "secrets can't be asked for here"))
        }
        None => Ok(()),
    }
}

/// Parses a list or object that a model has written as a string.
fn unwrapped(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => askdesk_outside_json::from_slice(text.as_bytes())
            .ok()
            .filter(|inner: &Value| inner.is_array() || inner.is_object()),
        Value::Array(_) | Value::Object(_) => Some(value.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn refused(tool: Tool, arguments: &Value) -> String {
        read(tool, arguments).unwrap_err().to_string()
    }

    fn kinds(arguments: &Value) -> Vec<QuestionKind> {
        read(Tool::AskUser, arguments).unwrap().questions.iter().map(|question| question.kind).collect()
    }

    #[test]
    fn a_question_in_claudes_form_is_read() {
        let asking = read(
            Tool::AskUserQuestion,
            &json!({"questions": [{
                "question": "Which store?",
                "header": "Store",
                "options": [{"label": "SQLite (Recommended)", "description": "One file"}, {"label": "Postgres"}],
                "multiSelect": false,
            }]}),
        );
        let asking = asking.unwrap();
        assert_eq!(asking.limit_seconds, None);
        let question = &asking.questions[0];
        assert_eq!(question.kind, QuestionKind::Single);
        assert_eq!(question.header.as_deref(), Some("Store"));
        assert!(question.options[0].recommended);
        assert!(question.allows_other);
    }

    #[rstest]
    #[case::one_option(
        json!({"questions": [
            {"question": "A?", "options": ["x", "y"]},
            {"question": "B?", "options": ["x"]},
        ]}),
        "questions[1].options: too few options (1; the minimum is 2)"
    )]
    #[case::five_options(
        json!({"questions": [{"question": "A?", "options": ["1", "2", "3", "4", "5"]}]}),
        "questions[0].options: too many options (5; the limit is 4)"
    )]
    #[case::five_questions(
        json!({"questions": [
            {"question": "1", "options": ["x", "y"]}, {"question": "2", "options": ["x", "y"]},
            {"question": "3", "options": ["x", "y"]}, {"question": "4", "options": ["x", "y"]},
            {"question": "5", "options": ["x", "y"]},
        ]}),
        "questions: too many questions (5; the limit is 4)"
    )]
    #[case::equal_labels(
        json!({"questions": [{"question": "A?", "options": ["x", "x"]}]}),
        "questions[0].options[1].label: same label as options[0]; each label must be different"
    )]
    #[case::nothing(json!({}), "questions: must be a list of questions, got nothing")]
    #[case::no_object(json!([1]), "input: must be an object with questions, got a list")]
    #[case::a_secret(
        json!({"questions": [{"question": "Key?", "type": "secret", "options": ["x", "y"]}]}),
        "questions[0].type: secrets can't be asked for here"
    )]
    fn an_invalid_call_is_rejected_with_its_field_and_rule(#[case] arguments: Value, #[case] words: &str) {
        assert_eq!(refused(Tool::AskUserQuestion, &arguments), words);
    }

    #[rstest]
    #[case::unknown_type(
        json!({"questions": [{"question": "A?", "type": "slider"}]}),
        "questions[0].type: must be text, select, multi-select or confirm, got \"slider\""
    )]
    #[case::a_secret(
        json!({"questions": [{"question": "Key?", "type": "secret"}]}),
        "questions[0].type: must be text, select, multi-select or confirm, got \"secret\"; secrets can't be asked for here"
    )]
    #[case::a_secret_by_its_other_name(
        json!({"questions": [{"question": "Key?", "kind": "secret"}]}),
        "questions[0].type: must be text, select, multi-select or confirm, got \"secret\"; secrets can't be asked for here"
    )]
    #[case::a_select_without_options(
        json!({"questions": [{"question": "A?", "type": "select"}]}),
        "questions[0].options: too few options (0; the minimum is 2)"
    )]
    #[case::thirteen_options(
        json!({"questions": [{"question": "A?", "type": "select",
            "options": ["1","2","3","4","5","6","7","8","9","10","11","12","13"]}]}),
        "questions[0].options: too many options (13; the limit is 12)"
    )]
    #[case::too_short(
        json!({"questions": [{"question": "A?", "type": "text"}], "timeout": 5}),
        "timeout: must be 10 to 1800 seconds, got 5; omit it to wait without a limit"
    )]
    #[case::too_long(
        json!({"questions": [{"question": "A?", "type": "text"}], "timeout": 1801}),
        "timeout: must be 10 to 1800 seconds, got 1801; omit it to wait without a limit"
    )]
    #[case::no_time(
        json!({"questions": [{"question": "A?", "type": "text"}], "timeout": "soon"}),
        "timeout: must be 10 to 1800 seconds, got \"soon\"; omit it to wait without a limit"
    )]
    #[case::an_unknown_argument(
        json!({"questions": [{"question": "A?", "type": "text"}], "timeoutSeconds": 60}),
        "timeoutSeconds: there is no such argument; the arguments are questions, title, timeout"
    )]
    #[case::an_unknown_argument_beside_one_question(
        json!({"question": "A?", "multi": true, "then": "go on"}),
        "then: there is no such argument; the arguments are questions, title, timeout"
    )]
    #[case::labels_that_look_the_same(
        json!({"questions": [{"question": "A?", "options": ["A", "A\u{200b}"]}]}),
        "questions[0].options[1].label: same label as options[0]; each label must be different"
    )]
    fn an_invalid_call_of_ask_user_is_rejected_with_its_field_and_rule(
        #[case] arguments: Value,
        #[case] words: &str,
    ) {
        assert_eq!(refused(Tool::AskUser, &arguments), words);
    }

    #[test]
    fn each_type_of_ask_user_is_a_kind() {
        let asked = json!({"questions": [
            {"question": "1", "type": "text"},
            {"question": "2", "type": "select", "options": ["a", {"label": "b", "description": "d"}]},
            {"question": "3", "type": "multi-select", "options": ["a", "b"]},
            {"question": "4", "type": "confirm"},
        ]});
        use QuestionKind::{Confirm, Multi, Single, Text};
        assert_eq!(kinds(&asked), [Text, Single, Multi, Confirm]);
    }

    #[test]
    fn common_mistakes_of_models_are_accepted() {
        use QuestionKind::{Confirm, Multi, Single, Text};
        let cases = [
            (json!({"question": "Name?"}), vec![Text]),
            (json!({"questions": "[{\"question\": \"A?\", \"options\": [\"x\", \"y\"]}]"}), vec![Single]),
            (
                json!({"questions": {"question": "A?", "options": "[\"x\", \"y\"]", "multiple": true}}),
                vec![Multi],
            ),
            (
                json!({"questions": ["A?", {"question": "B?", "type": "YES_NO", "extra": 1}]}),
                vec![Text, Confirm],
            ),
            (
                json!({"questions": [
                    {"question": "A?", "type": "select", "multiSelect": true, "options": ["x", "y"]},
                    {"question": "B?", "multiSelect": "true", "options": ["x", "y"]},
                    {"question": "C?", "type": "select", "allowMultiple": 1, "options": ["x", "y"]},
                    {"question": "D?", "kind": "checkbox", "options": "[\"x\", \"y\"]"},
                    {"question": "E?", "type": "radio", "multiSelect": "no", "options": ["x", "y"]},
                    {"question": "F?", "multiple": true},
                ]}),
                vec![Multi, Multi, Multi, Multi, Single, Text],
            ),
        ];
        for (arguments, expected) in cases {
            assert_eq!(kinds(&arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn only_a_call_with_a_timeout_has_a_limit() {
        let with = |timeout: Value| {
            let asked = json!({"questions": [{"question": "A?", "type": "text"}], "timeout": timeout});
            read(Tool::AskUser, &asked).unwrap().limit_seconds
        };
        assert_eq!(with(Value::Null), None);
        assert_eq!(with(json!(10)), Some(10));
        assert_eq!(with(json!("90")), Some(90));
        assert_eq!(with(json!(1800)), Some(1800));
    }

    #[test]
    fn a_title_is_the_header_of_the_first_question_without_one() {
        let asked = json!({"title": "Release", "questions": [
            {"question": "A?", "type": "text"}, {"question": "B?", "type": "text"},
        ]});
        let asking = read(Tool::AskUser, &asked).unwrap();
        assert_eq!(asking.questions[0].header.as_deref(), Some("Release"));
        assert_eq!(asking.questions[1].header, None);
    }

    #[test]
    fn the_id_of_an_earlier_question_is_read() {
        let id = "0193e1f0-0000-7000-8000-000000000001";
        assert_eq!(read_request_id(&json!({"requestId": id})).unwrap().to_string(), id);
        assert!(read_request_id(&json!({"requestId": "q1"})).is_err());
        assert!(read_request_id(&json!({})).is_err());
    }
}
