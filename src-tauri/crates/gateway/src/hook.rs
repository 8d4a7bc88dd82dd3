//! The hooks of Claude Code in a terminal (2.1.329): `PermissionRequest` for `AskUserQuestion` asks, and `PostToolUse` and `Stop`
//! report that the question was answered there.
//!
//! The terminal shows its own dialog all the while, so a hook without a decision leaves the question to that. An answer in
//! the dialog doesn't end the hook that asked, which is why other hooks have to report it.

use askdesk_agents::claude::answered_input;
use askdesk_agents::question_json::read_questions;
use askdesk_domain::text::with_words;
use askdesk_domain::{Outcome, Question, QuestionLimits, RawQuestion, Refusal, question_input};
use serde_json::{Value, json};

use crate::arguments::refuse_secrets;

/// The tool whose permission requests are questions.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// The event that asks a question. A body that names no event is one of these.
const ASKS: &str = "PermissionRequest";

#[derive(Clone, Debug, PartialEq)]
pub enum HookEvent {
    Asked(Box<HookQuestion>),
    /// A question of a session was answered in the terminal.
    Answered {
        /// Claude Code's id of the session.
        session: String,
        drafts: Vec<RawQuestion>,
    },
    /// The turn of a session has ended, and with it all its questions.
    TurnEnded {
        /// Claude Code's id of the session.
        session: String,
    },
    /// Nothing that Askdesk handles.
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HookQuestion {
    /// Claude Code's id of the session.
    pub session: String,
    /// The folder that the session works in.
    pub folder: Option<String>,
    pub questions: Vec<Question>,
    /// The questions as they came. The answer must repeat their full texts.
    pub(crate) drafts: Vec<RawQuestion>,
    input: Value,
}

pub fn read(body: &Value) -> Result<HookEvent, Refusal> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    if !body.is_object() {
        return Err(Refusal::new("body", "must be the JSON object that Claude Code passes to a hook"));
    }
    let session = text("session_id").unwrap_or_default().to_owned();
    let is_question = text("tool_name") == Some(QUESTION_TOOL);
    match text("hook_event_name").unwrap_or(ASKS) {
        ASKS if is_question => {}
        "PostToolUse" if is_question => {
            let drafts = read_questions(body.get("tool_input").unwrap_or(&Value::Null))?;
            return Ok(HookEvent::Answered { session, drafts });
        }
        // A background task may be what asked.
        "Stop" if !has_background_tasks(body) => return Ok(HookEvent::TurnEnded { session }),
        _ => return Ok(HookEvent::Other),
    }
    let Some(input) = body.get("tool_input") else {
        return Err(Refusal::new("tool_input", "must be the tool's input, got nothing"));
    };
    let answered = input.get("answers").and_then(Value::as_object);
    if answered.is_some_and(|answers| !answers.is_empty()) {
        return Ok(HookEvent::Other);
    }
    let drafts = read_questions(input)?;
    let questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    refuse_secrets(&questions)?;
    Ok(HookEvent::Asked(Box::new(HookQuestion {
        session,
        folder: text("cwd").filter(|folder| !folder.is_empty()).map(str::to_owned),
        questions,
        drafts,
        input: input.clone(),
    })))
}

fn has_background_tasks(body: &Value) -> bool {
    match body.get("background_tasks") {
        None | Some(Value::Null) => false,
        Some(Value::Array(tasks)) => !tasks.is_empty(),
        Some(_) => true,
    }
}

/// Returns the output of a hook that leaves the question to the terminal.
pub fn no_decision() -> Value {
    json!({})
}

impl HookQuestion {
    /// Returns the output of the hook for an outcome.
    pub fn decision(&self, outcome: &Outcome) -> Value {
        match outcome {
            Outcome::Answered { answers } => decision(&json!({
                "behavior": "allow",
                "updatedInput": answered_input(&self.input, &self.drafts, &self.questions, answers),
            })),
            Outcome::Declined { words } => deny("The user declined to answer.", words.as_deref()),
            Outcome::RepliedInChat { text } => {
                deny("User responded in chat; questions canceled.", Some(text.as_str()))
            }
            Outcome::Expired | Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => no_decision(),
        }
    }
}

fn deny(sentence: &str, words: Option<&str>) -> Value {
    decision(&json!({"behavior": "deny", "message": with_words(sentence, words)}))
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

    fn asked() -> HookQuestion {
        match read(&body()) {
            Ok(HookEvent::Asked(ask)) => *ask,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_question_is_read_with_its_folder() {
        let ask = asked();
        assert_eq!((ask.session.as_str(), ask.folder.as_deref()), ("5d0c", Some("/home/a/project")));
        assert_eq!(ask.questions[0].text, "Which store?");
    }

    #[test]
    fn another_tool_or_event_is_left_to_the_terminal() {
        for (name, value) in [("tool_name", "Bash"), ("hook_event_name", "PreToolUse")] {
            let mut other = body();
            other[name] = json!(value);
            assert_eq!(read(&other), Ok(HookEvent::Other), "{name}");
        }
        let mut answered = body();
        answered["tool_input"]["answers"] = json!({"Which store?": "SQLite"});
        assert_eq!(read(&answered), Ok(HookEvent::Other));
    }

    #[test]
    fn an_answered_question_is_identified_by_its_text() {
        let mut done = body();
        done["hook_event_name"] = json!("PostToolUse");
        done["tool_input"]["answers"] = json!({"Which store?": "SQLite"});
        let HookQuestion { session, drafts, .. } = asked();
        assert_eq!(read(&done), Ok(HookEvent::Answered { session, drafts }));
        done["tool_name"] = json!("Bash");
        assert_eq!(read(&done), Ok(HookEvent::Other));
    }

    #[test]
    fn a_turn_is_over_once_it_has_no_background_tasks() {
        let stop = json!({"session_id": "5d0c", "hook_event_name": "Stop"});
        let over = Ok(HookEvent::TurnEnded { session: "5d0c".to_owned() });
        assert_eq!(read(&stop), over);
        for (tasks, expected) in [(json!([]), over), (json!([{"id": "b1"}]), Ok(HookEvent::Other))] {
            let mut stop = stop.clone();
            stop["background_tasks"] = tasks;
            assert_eq!(read(&stop), expected, "{stop}");
        }
    }

    #[test]
    fn an_invalid_question_is_rejected_with_its_field() {
        let mut empty = body();
        empty["tool_input"] = json!({"questions": []});
        assert_eq!(
            read(&empty).unwrap_err().to_string(),
            "questions: too few questions (0; the minimum is 1)"
        );
        assert!(read(&json!("words")).is_err());
    }

    #[test]
    fn an_answer_repeats_the_input_with_the_answers() {
        let ask = asked();
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
            ask.decision(&Outcome::Answered { answers }),
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                "decision": {"behavior": "allow", "updatedInput": updated}}})
        );
    }

    #[test]
    fn declining_denies_and_other_outcomes_leave_the_dialog() {
        let ask = asked();
        let declined = ask.decision(&Outcome::Declined { words: Some("not now".to_owned()) });
        let decision = &declined["hookSpecificOutput"]["decision"];
        assert_eq!(
            decision,
            &json!({"behavior": "deny",
            "message": "The user declined to answer. The user said: not now"})
        );
        let elsewhere = Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere };
        for outcome in [Outcome::Expired, elsewhere] {
            assert_eq!(ask.decision(&outcome), json!({}), "{outcome:?}");
        }
    }
}
