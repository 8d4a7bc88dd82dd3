//! Asking the person at the desk, and waiting for the answer through whatever happens to the desk meanwhile.

use std::time::Instant;

use askdesk_client_config::desk::Desk;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::arguments::Ask;
use crate::door::Door;
use crate::ending::{Ending, Failure};
use crate::terminal;
use crate::wait::{Next, Wait};

/// Asks, waits and prints the answer.
pub fn run(desk: &Desk, ask: &Ask) -> Result<Ending, Failure> {
    let mut call = json!({
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
    let result = wait_for("/v1/asks", desk, &mut call, Wait::new(ask.patience))?;
    if ask.plain {
        terminal::print(&plain(&result))?;
    } else {
        terminal::print(&format!("{}\n", serde_json::to_string_pretty(&result).unwrap_or_default()))?;
    }
    Ok(ending(&result))
}

/// Sends a question to an address of the desk and waits until it has ended. Where the desk goes meanwhile, it is looked for
/// and the question is registered again.
pub fn wait_for(path: &str, desk: &Desk, call: &mut Value, mut wait: Wait) -> Result<Value, Failure> {
    loop {
        let failure = match attempt(path, desk, call, &mut wait) {
            Ok(Some(end)) => {
                let result = end.get("result").cloned();
                return result.ok_or_else(|| Failure::Unintelligible("an end without a result".to_owned()));
            }
            Ok(None) => None,
            Err(failure) => Some(failure),
        };
        match wait.next(failure, Instant::now()) {
            Next::Again(pause) => std::thread::sleep(pause),
            Next::GiveUp => return Err(Failure::NoDesk(not_back(call))),
            Next::Fail(failure) => return Err(failure),
        }
    }
}

/// Says that a desk did not come back, and what is known of the question that waits there.
fn not_back(call: &Value) -> String {
    let kept = |request: &str| {
        format!(
            "; the question is kept as {request}, and who asks the same soon after the desk is back finds it"
        )
    };
    let kept = call.get("again").and_then(Value::as_str).map(kept).unwrap_or_default();
    format!("it did not come back{kept}")
}

/// Asks once; none where the desk has gone before the end.
fn attempt(path: &str, desk: &Desk, call: &mut Value, wait: &mut Wait) -> Result<Option<Value>, Failure> {
    let mut lines = Door::find(desk)?.follow(path, call)?;
    wait.taken();
    while let Some(line) = lines.next() {
        if let Some(end) = wait.heard(line, call) {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// How a run ends with what came of its question.
pub fn ending(result: &Value) -> Ending {
    match result.get("outcome").and_then(Value::as_str) {
        Some("answered") => Ending::Well,
        Some("declined") => Ending::Declined,
        Some("expired") => Ending::Expired,
        _ => Ending::Unanswered,
    }
}

/// Puts what was written on the command line into the form of the tool `ask_user`.
fn arguments(ask: &Ask) -> Result<Value, Failure> {
    let mut arguments = match &ask.json {
        Some(name) => match terminal::read_json(name)? {
            Value::Object(fields) => fields,
            questions @ Value::Array(_) => Map::from_iter([("questions".to_owned(), questions)]),
            _ => {
                return Err(Failure::BadInput(format!(
                    "{name} holds neither an object nor a list of questions"
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

/// What was chosen or written, a line each.
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
    fn a_plain_answer_is_what_was_chosen_and_what_was_written() {
        let result = json!({"outcome": "answered", "answers": [
            {"selectedOptions": ["A", "B, C"], "customInput": "and D", "note": "n"},
            {"selectedOptions": [], "unanswered": true},
        ]});
        assert_eq!(plain(&result), "A\nB, C\nand D\n");
        assert_eq!(plain(&json!({"outcome": "declined"})), "");
    }
}
