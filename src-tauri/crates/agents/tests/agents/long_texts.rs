//! Texts of Claude Code that are too long to be written down.

use askdesk_agents::{Action, AgentEvent, Requests};
use askdesk_domain::{AnswerInput, Answers, Outcome};
use serde_json::{Value, json};

use crate::support::claude::{Claude, lines};

fn asks(tool: &str, input: &Value, with: &Value) -> Vec<AgentEvent> {
    Claude::new().on_line(request(tool, input, with).as_bytes())
}

fn request(tool: &str, input: &Value, with: &Value) -> String {
    let mut request =
        json!({"subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "toolu_1", "input": input});
    request.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    json!({"type": "control_request", "request_id": "req-1", "request": request}).to_string()
}

#[test]
fn a_question_over_the_bound_is_cut_on_screen_and_whole_as_a_key_and_as_an_answer() {
    let (text, label) = ("Q".repeat(70_000), "L".repeat(70_000));
    let input = json!({"questions": [{"question": text, "options": [label, "b"]}]});
    let mut claude = Claude::new();
    let events = claude.on_line(request("AskUserQuestion", &input, &json!({})).as_bytes());
    let Some(AgentEvent::Requests(Requests::Asked(asked))) = events.last() else { panic!("{events:?}") };
    assert!(asked.questions[0].text.len() < text.len());
    let question = asked.questions[0].id;
    let first = AnswerInput { question, chosen: vec![question.option(0)], other: None, note: None };
    let outcome = Outcome::Answered { answers: Answers::check(&asked.questions, &[first]).unwrap() };
    let (native_ref, questions) = (asked.native_ref.clone(), asked.questions.clone());
    let out = claude.send(Action::Answer { native_ref, questions, outcome }).unwrap();
    let sent: Value = serde_json::from_str(lines(&out.outbound)[0]).unwrap();
    let updated = &sent["response"]["response"]["updatedInput"];
    assert_eq!((&updated["questions"], &updated["answers"]), (&input["questions"], &json!({text: label})));
}

#[test]
fn case_138_hostile_words_of_a_warning_are_bounded() {
    let reason = "a\u{301}".repeat(100_000);
    let warning = json!({"decision_reason": reason, "decision_reason_type": "safetyCheck"});
    let events = asks("Bash", &json!({"command": "rm -rf ~/"}), &warning);
    let Some(AgentEvent::Requests(Requests::ApprovalAsked(asked))) = events.last() else {
        panic!("{events:?}")
    };
    let words = asked.remark.as_ref().unwrap().words.as_ref().unwrap();
    assert!(words.len() <= 2048 && words.ends_with("[cut at 2 KiB]"), "{} bytes", words.len());
}
