//! The hooks by which a Claude Code in somebody's terminal asks (`PermissionRequest` for `AskUserQuestion`), and says that it
//! was answered there (`PostToolUse`, `Stop`; 2.1.329).
//!
//! The terminal shows its own dialog all the while, so a hook that has nothing to say leaves it to that. An answer in that dialog
//! leaves the hook that asked waiting, which is why the others have to tell of it.

use askdesk_agents::claude::answered_input;
use askdesk_agents::question_json::read_questions;
use askdesk_domain::{Outcome, Question, QuestionKind, QuestionLimits, RawQuestion, Refusal, question_input};
use serde_json::{Value, json};

/// The tool whose permission requests are questions.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// The event at which a question is asked; a body that names none is of it.
const ASKS: &str = "PermissionRequest";

#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    Asks(Box<HookAsk>),
    /// A question of this session of Claude Code was answered.
    Answered {
        /// Claude Code's own id of its session.
        session: String,
        /// What was asked, as it came.
        drafts: Vec<RawQuestion>,
    },
    /// The turn of this session is over, and with it whatever it asked.
    Over {
        /// Claude Code's own id of its session.
        session: String,
    },
    /// For something that is none of the desk's business.
    Otherwise,
}

/// A question of a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct HookAsk {
    /// Claude Code's own id of its session.
    pub session: String,
    pub folder: Option<String>,
    pub questions: Vec<Question>,
    /// As they came, with the uncut texts that an answer goes by.
    pub(crate) drafts: Vec<RawQuestion>,
    input: Value,
}

/// Reads what a hook was called with.
pub fn read(body: &Value) -> Result<Called, Refusal> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    if !body.is_object() {
        return Err(Refusal::new("body", "must be the object that Claude Code hands to a hook"));
    }
    let session = text("session_id").unwrap_or_default().to_owned();
    let is_question = text("tool_name") == Some(QUESTION_TOOL);
    match text("hook_event_name").unwrap_or(ASKS) {
        ASKS if is_question => {}
        "PostToolUse" if is_question => {
            let drafts = read_questions(body.get("tool_input").unwrap_or(&Value::Null))?;
            return Ok(Called::Answered { session, drafts });
        }
        // What works on in the background may be what asked.
        "Stop" if !works_on(body) => return Ok(Called::Over { session }),
        _ => return Ok(Called::Otherwise),
    }
    let Some(input) = body.get("tool_input") else {
        return Err(Refusal::new("tool_input", "must be the input of the tool, got nothing"));
    };
    let answered = input.get("answers").and_then(Value::as_object);
    if answered.is_some_and(|answers| !answers.is_empty()) {
        return Ok(Called::Otherwise);
    }
    let drafts = read_questions(input)?;
    let questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    if let Some(place) = questions.iter().position(|question| question.kind == QuestionKind::Secret) {
        return Err(Refusal::new(
            format!("questions[{place}].type"),
            "a secret cannot be asked over this door",
        ));
    }
    Ok(Called::Asks(Box::new(HookAsk {
        session,
        folder: text("cwd").filter(|folder| !folder.is_empty()).map(str::to_owned),
        questions,
        drafts,
        input: input.clone(),
    })))
}

fn works_on(body: &Value) -> bool {
    match body.get("background_tasks") {
        None | Some(Value::Null) => false,
        Some(Value::Array(tasks)) => !tasks.is_empty(),
        Some(_) => true,
    }
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

    fn asked() -> HookAsk {
        match read(&body()) {
            Ok(Called::Asks(ask)) => *ask,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_terminals_question_is_read_with_its_folder() {
        let ask = asked();
        assert_eq!((ask.session.as_str(), ask.folder.as_deref()), ("5d0c", Some("/home/a/project")));
        assert_eq!(ask.questions[0].text, "Which store?");
    }

    #[test]
    fn another_tool_or_event_is_left_to_the_terminal() {
        for (name, value) in [("tool_name", "Bash"), ("hook_event_name", "PreToolUse")] {
            let mut other = body();
            other[name] = json!(value);
            assert_eq!(read(&other), Ok(Called::Otherwise), "{name}");
        }
        let mut answered = body();
        answered["tool_input"]["answers"] = json!({"Which store?": "SQLite"});
        assert_eq!(read(&answered), Ok(Called::Otherwise));
    }

    #[test]
    fn a_question_that_was_answered_is_known_by_what_was_asked() {
        let mut done = body();
        done["hook_event_name"] = json!("PostToolUse");
        done["tool_input"]["answers"] = json!({"Which store?": "SQLite"});
        let HookAsk { session, drafts, .. } = asked();
        assert_eq!(read(&done), Ok(Called::Answered { session, drafts }));
        done["tool_name"] = json!("Bash");
        assert_eq!(read(&done), Ok(Called::Otherwise));
    }

    #[test]
    fn a_turn_is_over_once_nothing_works_on_in_the_background() {
        let stop = json!({"session_id": "5d0c", "hook_event_name": "Stop"});
        let over = Ok(Called::Over { session: "5d0c".to_owned() });
        assert_eq!(read(&stop), over);
        for (tasks, expected) in [(json!([]), over), (json!([{"id": "b1"}]), Ok(Called::Otherwise))] {
            let mut stop = stop.clone();
            stop["background_tasks"] = tasks;
            assert_eq!(read(&stop), expected, "{stop}");
        }
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
            ask.output(&Outcome::Answered { answers }),
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                "decision": {"behavior": "allow", "updatedInput": updated}}})
        );
    }

    #[test]
    fn declining_denies_and_every_other_end_leaves_the_dialog() {
        let ask = asked();
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
