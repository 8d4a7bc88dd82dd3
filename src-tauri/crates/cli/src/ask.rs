//! `askdesk ask`: asks a question, waits for its end, and prints the result.

use askdesk_client_config::DataFolder;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::arguments::Ask;
use crate::exit::{Exit, Failure};
use crate::retry::{self, Retry};
use crate::terminal;

/// Asks, waits, and prints the result.
pub async fn run(folder: &DataFolder, ask: &Ask) -> Result<Exit, Failure> {
    let call = json!({
        "client": {
            "kind": "command_line",
            "name": ask.name,
            "version": env!("CARGO_PKG_VERSION"),
            "folder": std::env::current_dir().ok().and_then(|folder| folder.to_str().map(str::to_owned)),
            "connection": Uuid::new_v4(),
        },
        "nativeRef": Uuid::new_v4(),
        "tool": "ask_user",
        "arguments": arguments(ask)?,
    });
    let result = result_of(folder, "/v1/asks", call, Retry::new(ask.patience)).await?;
    if ask.plain {
        terminal::print(&plain(&result))?;
    } else {
        terminal::print_json(&result)?;
    }
    Ok(exit_of(&result))
}

/// Asks a question at a path of the gateway, and returns its result.
pub async fn result_of(folder: &DataFolder, path: &str, call: Value, retry: Retry) -> Result<Value, Failure> {
    let ended = retry::ask(folder, path, call, retry).await?;
    let missing = || Failure::InvalidResponse("it has no result".to_owned());
    ended.get("result").cloned().ok_or_else(missing)
}

/// Returns the exit code for a result.
pub fn exit_of(result: &Value) -> Exit {
    match result.get("outcome").and_then(Value::as_str) {
        Some("answered") => Exit::Success,
        Some("declined") => Exit::Declined,
        Some("expired") => Exit::Expired,
        _ => Exit::Unanswered,
    }
}

/// Converts the command line to arguments of the tool `ask_user`.
fn arguments(ask: &Ask) -> Result<Value, Failure> {
    let mut arguments = match &ask.json {
        Some(name) => match terminal::read_json(name)? {
            Value::Object(fields) => fields,
            questions @ Value::Array(_) => Map::from_iter([("questions".to_owned(), questions)]),
            _ => {
                return Err(Failure::BadInput(format!(
                    "{name} must contain a JSON object or a list of questions"
                )));
            }
        },
        None => Map::from_iter([("questions".to_owned(), json!([question(ask)]))]),
    };
    if let Some(timeout) = ask.timeout {
        arguments.insert("timeout".to_owned(), timeout.as_secs().into());
    }
    Ok(Value::Object(arguments))
}

fn question(ask: &Ask) -> Value {
    let kind = match (ask.confirm, ask.options.is_empty(), ask.multi) {
        (true, ..) => "confirm",
        (false, true, _) => "text",
        (false, false, true) => "multi-select",
        (false, false, false) => "select",
    };
    let mut question = Map::new();
    question.insert("type".to_owned(), kind.into());
    question.insert("question".to_owned(), ask.question.clone().into());
    for (name, value) in [("header", &ask.header), ("placeholder", &ask.placeholder)] {
        if let Some(value) = value {
            question.insert(name.to_owned(), value.as_str().into());
        }
    }
    if !ask.options.is_empty() {
        question.insert("options".to_owned(), ask.options.clone().into());
    }
    Value::Object(question)
}

/// Returns the chosen options and the written answers, one a line.
fn plain(result: &Value) -> String {
    let mut lines = Vec::new();
    for answer in result["answers"].as_array().into_iter().flatten() {
        let chosen = answer["selectedOptions"].as_array().into_iter().flatten();
        lines.extend(chosen.chain(answer.get("customInput")).filter_map(Value::as_str));
    }
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn check(line: &[&str], expected: &Value) {
        let arguments = Arguments::try_parse_from([&["askdesk", "ask"], line].concat()).unwrap();
        let Command::Ask(ask) = arguments.command else { panic!("not ask") };
        assert_eq!(super::arguments(&ask).unwrap(), *expected);
    }

    #[test]
    fn flags_become_a_question() {
        check(&["Which?"], &json!({"questions": [{"type": "text", "question": "Which?"}]}));
        check(
            &["Which?", "-o", "A", "--option", "B", "--header", "H", "--timeout", "1m"],
            &json!({"questions": [{"type": "select", "question": "Which?", "header": "H", "options": ["A", "B"]}],
                "timeout": 60}),
        );
        check(
            &["Which?", "-o", "A", "-o", "B", "--multi"],
            &json!({"questions": [{"type": "multi-select", "question": "Which?", "options": ["A", "B"]}]}),
        );
        check(&["Sure?", "--confirm"], &json!({"questions": [{"type": "confirm", "question": "Sure?"}]}));
    }

    #[test]
    fn a_plain_answer_lists_chosen_options_and_written_answers() {
        let result = json!({"outcome": "answered", "answers": [
            {"selectedOptions": ["A", "B, C"], "customInput": "and D", "note": "n"},
            {"selectedOptions": [], "unanswered": true},
        ]});
        assert_eq!(plain(&result), "A\nB, C\nand D\n");
        assert_eq!(plain(&json!({"outcome": "declined"})), "");
    }
}
