//! The hook by which a Claude Code in somebody's terminal asks (`PermissionRequest` for `AskUserQuestion`, 2.1.329).
//!
//! The terminal shows its own dialog all the while, so a hook that has nothing to say leaves it to that.

use askdesk_agents::claude::answered_input;
use askdesk_agents::question_json::read_questions;
use askdesk_domain::{IntakeRules, Outcome, Question, QuestionDraft, QuestionKind, Refusal, intake};
use serde_json::{Value, json};

/// The tool whose permission requests are questions.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// A question of a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct HookAsk {
    /// Claude Code's own id of its session.
    pub session: String,
    /// The folder it runs in.
    pub folder: Option<String>,
    /// The questions, checked.
    pub questions: Vec<Question>,
    /// As they came, with the uncut texts that an answer goes by.
    drafts: Vec<QuestionDraft>,
    input: Value,
}

/// Reads what the hook was called with; none if it is not a question, or one that is answered already.
pub fn read(body: &Value) -> Result<Option<HookAsk>, Refusal> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    if !body.is_object() {
        return Err(Refusal::new("body", "must be the object that Claude Code hands to a hook"));
    }
    let event = text("hook_event_name");
    if event.is_some_and(|event| event != "PermissionRequest") || text("tool_name") != Some(QUESTION_TOOL) {
        return Ok(None);
    }
    let Some(input) = body.get("tool_input") else {
        return Err(Refusal::new("tool_input", "must be the input of the tool, got nothing"));
    };
    let answered = input.get("answers").and_then(Value::as_object);
    if answered.is_some_and(|answers| !answers.is_empty()) {
        return Ok(None);
    }
    let drafts = read_questions(input)?;
    let questions = intake::accept(&drafts, IntakeRules::FOREIGN)?;
    if let Some(place) = questions.iter().position(|question| question.kind == QuestionKind::Secret) {
        return Err(Refusal::new(
            format!("questions[{place}].type"),
            "a secret cannot be asked over this door",
        ));
    }
    Ok(Some(HookAsk {
        session: text("session_id").unwrap_or_default().to_owned(),
        folder: text("cwd").filter(|folder| !folder.is_empty()).map(str::to_owned),
        questions,
        drafts,
        input: input.clone(),
    }))
}

/// What a hook returns that leaves the question to the terminal.
pub fn nothing_to_say() -> Value {
    json!({})
}

impl HookAsk {
    /// Puts an end into what the hook returns.
    pub fn output(&self, outcome: &Outcome) -> Value {
        match outcome {
            Outcome::Answered { answers } => decision(&json!({
                "behavior": "allow",
                "updatedInput": answered_input(&self.input, &self.drafts, &self.questions, answers),
            })),
            Outcome::Declined { words } => deny("The user declined to answer.", words.as_deref()),
            Outcome::RepliedInChat { text } => {
                deny("User responded in chat; questions canceled.", Some(text.as_str()))
            }
            Outcome::Expired | Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => nothing_to_say(),
        }
    }
}

fn deny(sentence: &str, words: Option<&str>) -> Value {
    let message = match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => format!("{sentence} The user said: {words}"),
        None => sentence.to_owned(),
    };
    decision(&json!({"behavior": "deny", "message": message}))
}

fn decision(decision: &Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{AnswerInput, Answers, QuestionId, WithdrawnWhy};

    use super::*;

    fn body() -> Value {
        json!({
            "session_id": "5d0c", "transcript_path": "/home/a/t.jsonl", "cwd": "/home/a/project",
            "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "AskUserQuestion",
            "tool_input": {"questions": [
                {"question": "Which store?", "header": "Store", "multiSelect": false, "options": [
                    {"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"},
                ]},
            ], "metadata": {"source": "plan"}},
        })
    }

    #[test]
    fn a_terminals_question_is_read_with_its_folder() {
        let ask = read(&body()).unwrap().unwrap();
        assert_eq!((ask.session.as_str(), ask.folder.as_deref()), ("5d0c", Some("/home/a/project")));
        assert_eq!(ask.questions[0].text, "Which store?");
    }

    #[test]
    fn another_tool_or_event_is_left_to_the_terminal() {
        for (name, value) in [("tool_name", "Bash"), ("hook_event_name", "PreToolUse")] {
            let mut other = body();
            other[name] = json!(value);
            assert_eq!(read(&other), Ok(None), "{name}");
        }
        let mut answered = body();
        answered["tool_input"]["answers"] = json!({"Which store?": "SQLite"});
        assert_eq!(read(&answered), Ok(None));
    }

    #[test]
    fn what_cannot_be_shown_is_named() {
        let mut empty = body();
        empty["tool_input"] = json!({"questions": []});
        assert_eq!(read(&empty).unwrap_err().to_string(), "questions: at least 1 question, got 0");
        assert!(read(&json!("words")).is_err());
    }

    #[test]
    fn an_answer_is_the_input_as_it_came_with_the_answers() {
        let ask = read(&body()).unwrap().unwrap();
        let question = QuestionId::at(0);
        let input = AnswerInput {
            question,
            chosen: vec![question.option(1)],
            other: None,
            note: Some("now".to_owned()),
        };
        let answers = Answers::check(&ask.questions, &[input]).unwrap();
        let mut updated = body()["tool_input"].clone();
        updated["answers"] = json!({"Which store?": "Postgres"});
        updated["annotations"] = json!({"Which store?": {"notes": "now"}});
        assert_eq!(
            ask.output(&Outcome::Answered { answers }),
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                "decision": {"behavior": "allow", "updatedInput": updated}}})
        );
    }

    #[test]
    fn declining_denies_and_every_other_end_leaves_the_dialog() {
        let ask = read(&body()).unwrap().unwrap();
        let declined = ask.output(&Outcome::Declined { words: Some("not now".to_owned()) });
        let decision = &declined["hookSpecificOutput"]["decision"];
        assert_eq!(
            decision,
            &json!({"behavior": "deny",
            "message": "The user declined to answer. The user said: not now"})
        );
        let elsewhere = Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere };
        for outcome in [Outcome::Expired, elsewhere] {
            assert_eq!(ask.output(&outcome), json!({}), "{outcome:?}");
        }
    }
}
