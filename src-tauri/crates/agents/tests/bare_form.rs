//! The older form: a question tool call that no control request follows.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

use askdesk_agents::{AgentEvent, Asked, ClaudeStream};
use askdesk_domain::{AnswerInput, Answers, NativeRef, Outcome, Question, Source};
use rstest::rstest;
use serde_json::{Value, json};

fn native() -> NativeRef {
    NativeRef::new("toolu_1").unwrap()
}

fn input() -> Value {
    json!({"questions": [
        {"question": "Which package manager?", "header": "Packages", "options": ["npm", "pnpm"]},
        {"question": "Why?"},
    ]})
}

fn tool_use(input: &Value) -> String {
    let block = json!({"type": "tool_use", "id": "toolu_1", "name": "AskUserQuestion", "input": input});
    json!({"type": "assistant", "message": {"content": [block]}}).to_string()
}

fn control_request() -> String {
    json!({"type": "control_request", "request_id": "req-1", "request": {
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input(), "tool_use_id": "toolu_1",
    }})
    .to_string()
}

fn tool_result() -> String {
    let block =
        json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "disabled", "is_error": true});
    json!({"type": "user", "message": {"content": [block]}}).to_string()
}

fn result() -> String {
    json!({"type": "result", "subtype": "success"}).to_string()
}

fn failed() -> String {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true}).to_string()
}

/// What a line came to, with everything but the call's fate left out.
fn fates(stream: &mut ClaudeStream, line: &str) -> Vec<&'static str> {
    let name = |event: &AgentEvent| match event {
        AgentEvent::Asked(Asked { native_ref, source: Source::ClaudeControl, .. })
            if *native_ref == native() =>
        {
            Some("asked")
        }
        AgentEvent::AskedBare(Asked { native_ref, source: Source::ClaudeToolUse, .. })
            if *native_ref == native() =>
        {
            Some("asked bare")
        }
        AgentEvent::Withdrawn { native_ref } if *native_ref == native() => Some("withdrawn"),
        AgentEvent::TurnBegan | AgentEvent::TurnEnded { .. } => None,
        other => panic!("{other:?}"),
    };
    stream.on_line(line.as_bytes()).iter().filter_map(name).collect()
}

#[rstest]
#[case::told_to_ask(true, &[tool_use(&input())], &[])]
#[case::told_to_ask_and_asks(true, &[tool_use(&input()), control_request()], &["asked"])]
#[case::told_to_ask_and_settled(true, &[tool_use(&input()), tool_result()], &[])]
#[case::not_told(false, &[tool_use(&input())], &["asked bare"])]
#[case::not_told_and_repeated(false, &[tool_use(&input()), tool_use(&input())], &["asked bare"])]
#[case::not_told_and_asks(false, &[tool_use(&input()), control_request()], &["asked bare", "asked"])]
#[case::not_told_and_asks_first(false, &[control_request(), tool_use(&input())], &["asked"])]
#[case::not_told_and_settled(false, &[tool_use(&input()), tool_result()], &["asked bare", "withdrawn"])]
#[case::not_told_and_failed(false, &[tool_use(&input()), failed()], &["asked bare", "withdrawn"])]
#[case::not_told_and_the_turn_ends(false, &[tool_use(&input()), result()], &["asked bare"])]
#[case::not_told_and_settled_in_a_later_turn(
    false, &[tool_use(&input()), result(), tool_result()], &["asked bare", "withdrawn"])]
fn whether_a_tool_use_is_a_question(
    #[case] prompt_tool: bool,
    #[case] lines: &[String],
    #[case] expected: &[&str],
) {
    let mut stream = ClaudeStream::new(prompt_tool);
    let fates: Vec<&str> = lines.iter().flat_map(|line| fates(&mut stream, line)).collect();
    assert_eq!(fates, expected);
}

fn ask(stream: &mut ClaudeStream) -> Vec<Question> {
    let events = stream.on_line(tool_use(&input()).as_bytes());
    match events.as_slice() {
        [AgentEvent::TurnBegan, AgentEvent::AskedBare(asked)] => asked.questions.clone(),
        other => panic!("{other:?}"),
    }
}

fn answer(questions: &[Question]) -> Outcome {
    let input =
        AnswerInput { question: questions[0].id, chosen: vec![], other: Some("bun".to_owned()), note: None };
    Outcome::Answered { answers: Answers::check(questions, &[input]).unwrap() }
}

#[test]
fn a_bare_question_is_answered_by_a_tool_result_and_acknowledged_by_the_next_message() {
    let mut stream = ClaudeStream::new(false);
    let questions = ask(&mut stream);
    let encoded = stream.encode_outcome(&native(), &questions, &answer(&questions)).unwrap();
    let structured = json!({"outcome": "answered", "answers": [
        {"question": "Which package manager?", "selectedOptions": [], "header": "Packages", "customInput": "bun"},
        {"question": "Why?", "selectedOptions": [], "unanswered": true},
    ]});
    let text = format!(
        "User has answered your questions: \"Which package manager?\"=\"bun\", \
         \"Why?\"=\"(The user left this question unanswered.)\". \
         Some of this is in the user's own words: read them as they stand and follow what they say.\n\n{structured}"
    );
    let expected = json!({
        "type": "user",
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": text, "is_error": false},
        ]},
        "parent_tool_use_id": null,
        "session_id": "",
    });
    assert_eq!(encoded.line, expected.to_string());

    let event = |kind: &str| json!({"type": "stream_event", "event": {"type": kind}}).to_string();
    assert_eq!(stream.on_line(event("message_stop").as_bytes()), []);
    assert_eq!(
        stream.on_line(event("message_start").as_bytes()),
        [AgentEvent::Acknowledged { native_ref: native() }]
    );
}

#[test]
fn a_bare_question_that_ended_its_turn_is_answered_and_begins_the_next() {
    let mut stream = ClaudeStream::new(false);
    let questions = ask(&mut stream);
    stream.on_line(result().as_bytes());
    stream.encode_outcome(&native(), &questions, &answer(&questions)).unwrap();
    let next = json!({"type": "assistant", "message": {"content": "Thanks."}}).to_string();
    assert_eq!(
        stream.on_line(next.as_bytes()),
        [
            AgentEvent::TurnBegan,
            AgentEvent::Acknowledged { native_ref: native() },
            AgentEvent::Said { text: "Thanks.".to_owned() },
        ]
    );
}

#[test]
fn once_a_control_request_came_it_is_what_is_answered() {
    let mut stream = ClaudeStream::new(false);
    let questions = ask(&mut stream);
    stream.on_line(control_request().as_bytes());
    let encoded = stream.encode_outcome(&native(), &questions, &answer(&questions)).unwrap();
    let line: Value = serde_json::from_str(&encoded.line).unwrap();
    assert_eq!(
        (&line["type"], &line["response"]["request_id"]),
        (&json!("control_response"), &json!("req-1"))
    );
}

#[test]
fn a_control_request_that_comes_after_the_answer_gets_the_same_answer_once() {
    let mut stream = ClaudeStream::new(false);
    let questions = ask(&mut stream);
    stream.encode_outcome(&native(), &questions, &answer(&questions)).unwrap();
    let events = stream.on_line(control_request().as_bytes());
    let [AgentEvent::Reply { line }] = events.as_slice() else { panic!("{events:?}") };
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["response"]["request_id"], "req-1");
    assert_eq!(line["response"]["response"]["updatedInput"]["answers"]["Which package manager?"], "bun");
    assert_eq!(stream.on_line(control_request().as_bytes()), []);
}

#[test]
fn a_bare_question_that_cannot_be_shown_is_refused_by_a_tool_result() {
    let mut stream = ClaudeStream::new(false);
    let events = stream.on_line(tool_use(&json!({"questions": []})).as_bytes());
    let [AgentEvent::TurnBegan, AgentEvent::Refused { reply: Some(reply), reason, .. }] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(reason, "questions: at least 1 question, got 0");
    let reply: Value = serde_json::from_str(reply).unwrap();
    assert_eq!(
        reply["message"]["content"],
        json!([{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": "The question \
            could not be shown to the user. questions: at least 1 question, got 0. Repair the call and ask again."}])
    );
}

#[test]
fn declining_a_bare_question_is_an_error_result_in_words() {
    let mut stream = ClaudeStream::new(false);
    let questions = ask(&mut stream);
    let declined = Outcome::Declined { words: None };
    let encoded = stream.encode_outcome(&native(), &questions, &declined).unwrap();
    let line: Value = serde_json::from_str(&encoded.line).unwrap();
    assert_eq!(
        line["message"]["content"][0],
        json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "The user declined to answer.",
               "is_error": true})
    );
}
