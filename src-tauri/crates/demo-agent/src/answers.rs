//! The host's decision on a call, and the result that the model gets.
//!
//! The structure of the texts is that of the real program (a list of `"question"="answer"` pairs, other words for
//! free text, for no answer, for a reply instead of answers); the words are our own.

use serde_json::{Map, Value, json};

use super::scenario::AskOutcome;
use super::template::AnsweredQuestion;

pub(super) const ASK_TOOL: &str = "AskUserQuestion";

#[derive(Debug, Clone)]
pub(super) enum Decision {
    /// Allowed, perhaps with another input and with permissions for the session.
    Allow { input: Option<Value>, permissions: Vec<Value> },
    /// Denied; the model receives the message.
    Deny { message: String, interrupt: bool },
    /// The host could not decide.
    Failed(String),
    /// The host's response doesn't have the agreed form.
    Invalid(String),
    /// The agent withdrew the call.
    Withdrawn,
}

impl Decision {
    /// Reads the `response` object of a `control_response`.
    pub(super) fn from_response(response: &Value) -> Self {
        if response["subtype"] == "error" {
            return Self::Failed(response["error"].as_str().unwrap_or("no reason given").to_owned());
        }
        let body = &response["response"];
        match (body["behavior"].as_str(), body["message"].as_str()) {
            (Some("allow"), _) => Self::Allow {
                input: body.get("updatedInput").cloned(),
                permissions: body["updatedPermissions"].as_array().cloned().unwrap_or_default(),
            },
            (Some("deny"), Some(message)) => {
                Self::Deny { message: message.to_owned(), interrupt: body["interrupt"] == true }
            }
            (Some("deny"), None) => Self::Invalid("`message` is missing".to_owned()),
            _ => Self::Invalid("`behavior` is neither allow nor deny".to_owned()),
        }
    }
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Verdict {
    /// The content of the `tool_result`.
    pub(super) content: Value,
    /// Whether it is an error.
    pub(super) is_error: bool,
    /// The structured result that accompanies it.
    pub(super) structured: Value,
    pub(super) outcome: AskOutcome,
    pub(super) remembered: Vec<AnsweredQuestion>,
    /// The words of a refusal or reply.
    pub(super) words: String,
}

impl Verdict {
    fn refused(content: &str, outcome: AskOutcome, words: &str) -> Self {
        let structured = json!(format!("Error: {content}"));
        Self {
            content: json!(content),
            is_error: true,
            structured,
            outcome,
            remembered: Vec::new(),
            words: words.to_owned(),
        }
    }

    /// Returns the input that the host set for an allowed call. Any other decision is an error: the verdict on it.
    fn allowed(decision: &Decision) -> Result<Option<&Value>, Box<Self>> {
        Err(Box::new(match decision {
            Decision::Allow { input, .. } => return Ok(input.as_ref()),
            Decision::Deny { message, .. } => Self::refused(message, AskOutcome::Declined, message),
            Decision::Failed(error) => {
                Self::refused(&format!("The host could not decide: {error}"), AskOutcome::Declined, error)
            }
            Decision::Invalid(why) => {
                Self::refused(&format!("The host's decision is unusable: {why}"), AskOutcome::Declined, why)
            }
            Decision::Withdrawn => Self::refused("The question was taken back.", AskOutcome::Withdrawn, ""),
        }))
    }

    /// Judges a decision on a tool call whose result is known.
    pub(super) fn of_tool(decision: &Decision, result: &str, ok: bool) -> Self {
        if let Err(failure) = Self::allowed(decision) {
            return *failure;
        }
        let (stdout, stderr) = if ok { (result, "") } else { ("", result) };
        Self {
            content: json!(result),
            is_error: !ok,
            structured: json!({"stdout": stdout, "stderr": stderr, "interrupted": false}),
            outcome: AskOutcome::Answered,
            remembered: Vec::new(),
            words: String::new(),
        }
    }

    /// Judges a decision on a plan: one that the user edited goes back to the model whole.
    pub(super) fn of_plan(decision: &Decision, result: &str, asked: &Value) -> Self {
        let edited = match decision {
            Decision::Allow { input: Some(input), .. } if input["plan"] != asked["plan"] => {
                input["plan"].as_str()
            }
            _ => None,
        };
        let result =
            edited.map_or_else(|| result.to_owned(), |plan| format!("{result} Edited, it reads:\n{plan}"));
        Self::of_tool(decision, &result, true)
    }

    /// Judges a decision on a question; `asked` is the input as it went out.
    pub(super) fn of_question(decision: &Decision, asked: &Value) -> Self {
        match Self::allowed(decision) {
            Err(failure) => *failure,
            Ok(Some(input)) if input.get("questions").is_none() => {
                Self::refused("The input is unusable: `questions` is missing", AskOutcome::Declined, "")
            }
            Ok(Some(input)) => Self::of_answers(asked, input),
            Ok(None) => Self::of_answers(asked, &json!({"questions": asked["questions"]})),
        }
    }

    fn of_answers(asked: &Value, input: &Value) -> Self {
        let no_answers = Map::new();
        let answers = input["answers"].as_object().unwrap_or(&no_answers);
        let remembered = remember(asked, answers);
        let answered = remembered.iter().any(|it| it.answer.is_some());
        let mut free_text = false;
        let mut pairs = Vec::new();
        for question in questions(asked) {
            let text = question["question"].as_str().unwrap_or_default();
            let Some(answer) = answers.get(text).and_then(answer_text) else { continue };
            let note = &input["annotations"][text];
            let mut pair = format!("\"{text}\"=\"{answer}\"");
            if let Some(preview) = note["preview"].as_str() {
                pair.push_str(&format!(" preview:\n{preview}"));
            }
            if let Some(notes) = note["notes"].as_str() {
                pair.push_str(&format!(" note: {notes}"));
                free_text = true;
            }
            free_text |= !is_made_of_labels(question, &answer);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let reply = input["response"].as_str();
        let content = match (reply, answered) {
            (Some(reply), _) => format!("The user replied: {reply}"),
            (None, false) => "The user left the questions unanswered.".to_owned(),
            (None, true) if free_text => {
                format!("The user answered in own words: {}. Take them as they stand.", pairs.join(", "))
            }
            (None, true) => format!("The user answered: {}. Go on with that.", pairs.join(", ")),
        };
        Self {
            content: json!(content),
            is_error: false,
            structured: json!({"questions": input["questions"], "answers": answers}),
            outcome: if answered || reply.is_some() { AskOutcome::Answered } else { AskOutcome::Unanswered },
            remembered,
            words: reply.unwrap_or_default().to_owned(),
        }
    }
}

fn questions(asked: &Value) -> &[Value] {
    asked["questions"].as_array().map_or(&[], Vec::as_slice)
}

fn remember(asked: &Value, answers: &Map<String, Value>) -> Vec<AnsweredQuestion> {
    let remember = |question: &Value| {
        let text = question["question"].as_str().unwrap_or_default();
        AnsweredQuestion {
            title: question["header"].as_str().unwrap_or(text).to_owned(),
            answer: answers.get(text).and_then(answer_text),
        }
    };
    questions(asked).iter().map(remember).collect()
}

fn answer_text(answer: &Value) -> Option<String> {
    let text = match answer {
        Value::String(text) => text.clone(),
        // As measured: an array is taken, but joined without a space.
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Tells whether the answer is labels joined by ", " and nothing else; labels may hold commas themselves.
fn is_made_of_labels(question: &Value, answer: &str) -> bool {
    let options = question["options"].as_array().map_or(&[][..], Vec::as_slice);
    let labels = options.iter().filter_map(|option| option.as_str().or(option["label"].as_str()));
    labels.filter(|label| !label.is_empty()).any(|label| match answer.strip_prefix(label) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(", ").is_some_and(|rest| is_made_of_labels(question, rest)),
        None => false,
    })
}

/// Takes the text out of a message's content, be it a string or blocks.
pub(super) fn plain_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Value {
        json!({"questions": [
            {"question": "Which store?", "header": "Store", "options": [{"label": "Yes, always"}, {"label": "No"}]},
            {"question": "Which extras?", "multiSelect": true, "options": ["A", "B"]},
        ]})
    }

    #[track_caller]
    fn check(input: &Value, outcome: AskOutcome, content: &str) {
        let mut updated = asked();
        updated.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        let decision = Decision::Allow { input: Some(updated), permissions: Vec::new() };
        let verdict = Verdict::of_question(&decision, &asked());
        assert_eq!((verdict.outcome, verdict.content), (outcome, json!(content)));
    }

    #[test]
    fn labels_free_text_and_gaps_are_told_apart() {
        check(
            &json!({"answers": {"Which store?": "Yes, always", "Which extras?": "A, B"}}),
            AskOutcome::Answered,
            r#"The user answered: "Which store?"="Yes, always", "Which extras?"="A, B". Go on with that."#,
        );
        check(
            &json!({"answers": {"Which extras?": "A, my own"}}),
            AskOutcome::Answered,
            r#"The user answered in own words: "Which extras?"="A, my own". Take them as they stand."#,
        );
        let nothing = "The user left the questions unanswered.";
        check(&json!({"answers": {}}), AskOutcome::Unanswered, nothing);
        check(&json!({"answers": {"Store": "No"}}), AskOutcome::Unanswered, nothing);
        check(&json!({"response": "Wait"}), AskOutcome::Answered, "The user replied: Wait");
    }

    #[test]
    fn a_note_and_a_preview_follow_their_answer() {
        check(
            &json!({"answers": {"Which store?": "No"}, "annotations": {"Which store?": {"notes": "n", "preview": "p"}}}),
            AskOutcome::Answered,
            "The user answered in own words: \"Which store?\"=\"No\" preview:\np note: n. Take them as they stand.",
        );
    }

    #[test]
    fn a_decision_without_the_agreed_form_is_unusable() {
        let read =
            |response: Value| Decision::from_response(&json!({"subtype": "success", "response": response}));
        assert!(matches!(read(json!({"behavior": "deny"})), Decision::Invalid(_)));
        assert!(matches!(read(json!("yes")), Decision::Invalid(_)));
        assert!(matches!(read(json!({"behavior": "allow"})), Decision::Allow { input: None, .. }));
    }
}
