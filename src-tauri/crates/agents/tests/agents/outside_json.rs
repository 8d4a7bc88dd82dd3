//! Lines that only JavaScript or Python call JSON, lines that nobody can read, and IDs that come again: every request in them is
//! shown, or answered in its own protocol.

use crate::support::claude::{Claude, lines, native, sent};
use crate::support::codex::{Session, result};
use crate::support::opencode::OpenCodeSession;
use crate::support::server;
use askdesk_agents::{
    AgentEvent, Asked, Connection, Inbound, InputError, JsonRpcConnection, MemberId, Outbound, Output,
    RpcError, RpcIn, RpcOut,
};
use askdesk_domain::{ApprovalDecision, ApprovalOptionId, Notice, Outcome};
use rstest::rstest;
use serde_json::{Value, json};

const MEMBER: MemberId = MemberId(1);

/// A text with half an emoji, beside a number that no float holds.
const ODD: &str = r#""count":1e400,"odd":"cut \ud83d","#;

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn control(id: &str, tool_use: &str, tool: &str, input: &str) -> String {
    format!(
        r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"can_use_tool","tool_name":"{tool}",
        "tool_use_id":"{tool_use}","input":{input}}}}}"#
    )
}

fn question(text: &str) -> String {
    format!(r#"{{{ODD}"questions":[{{"question":"{text}","options":[{{"label":"A"}},{{"label":"B"}}]}}]}}"#)
}

fn only_asked(events: &[AgentEvent]) -> &Asked {
    match events {
        [AgentEvent::TurnBegan, AgentEvent::Asked(asked)] | [AgentEvent::Asked(asked)] => asked,
        other => panic!("not asked: {other:?}"),
    }
}

fn declined() -> Outcome {
    Outcome::Declined { words: None }
}

fn only_line(out: &Output) -> Value {
    let [line] = lines(&out.outbound)[..] else { panic!("{out:?}") };
    sent(line)
}

#[test]
fn case_140_claude_code_is_understood_with_half_characters_and_numbers_out_of_range() {
    let mut claude = Claude::new();
    let events =
        claude.on_line(control("r1", "toolu_1", "AskUserQuestion", &question(r"Cut \ud83d?")).as_bytes());
    let asked = only_asked(&events);
    assert_eq!(asked.questions[0].text, "Cut \u{fffd}?");
    let (answer, _) = claude.answer(&native("toolu_1"), &asked.questions, &declined()).unwrap();
    assert_eq!(sent(&answer)["response"]["request_id"], "r1");

    let events =
        claude.on_line(control("r2", "toolu_2", "Bash", &format!(r#"{{{ODD}"command":"ls"}}"#)).as_bytes());
    assert!(matches!(events.as_slice(), [AgentEvent::ApprovalAsked { .. }]), "{events:?}");
    let once = ApprovalDecision::of(ApprovalOptionId::literal("allow"));
    let allowed = sent(&claude.decide(&native("r2"), &once).unwrap());
    // What runs is what was shown.
    let input = json!({"count": "1e400", "odd": "cut \u{fffd}", "command": "ls"});
    assert_eq!(allowed["response"]["response"]["updatedInput"], input);

    let form = r#"{"type":"control_request","request_id":"r3","request":{"subtype":"elicitation","mcp_server_name":"s",
        "message":"Cut \ud83d?","mode":"form","requested_schema":{"type":"object","properties":{"a":{"type":"string"}}}}}"#;
    assert!(matches!(claude.on_line(form.as_bytes()).as_slice(), [AgentEvent::Asked(_)]));

    let text = format!(
        r#"{{"type":"assistant",{ODD}"message":{{"content":[{{"type":"text","text":"Cut \ud83d"}}]}}}}"#
    );
    assert_eq!(claude.on_line(text.as_bytes()), [AgentEvent::Said { text: "Cut \u{fffd}".to_owned() }]);
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"\udc00"}]}}"#;
    assert!(
        matches!(claude.on_line(result.as_bytes()).as_slice(), [AgentEvent::ToolEnded { output, .. }] if output == "\u{fffd}")
    );
}

#[test]
fn case_140_a_request_of_claude_code_that_cant_be_read_whole_is_answered() {
    let deep = |tool: &str| control("r1", "toolu_1", tool, &format!(r#"{{"it":{}}}"#, nested(200)));
    let denied = |line: &str| {
        let out = Claude::new().line(line.as_bytes());
        let reply = only_line(&out)["response"].clone();
        assert_eq!((&reply["request_id"], &reply["response"]["behavior"]), (&json!("r1"), &json!("deny")));
        (reply["response"]["message"].as_str().unwrap().to_owned(), out.events[1..].to_vec())
    };
    let (words, events) = denied(&deep("Write"));
    assert!(words.contains("nested too deeply") && words.contains("Nest it less deeply"), "{words}");
    let reason = "Write: it is nested too deeply (the limit is 127 levels)".to_owned();
    assert_eq!(events, [AgentEvent::Noticed { notice: Notice::PermissionRefused { reason } }]);
    let (_, events) = denied(&deep("AskUserQuestion"));
    assert!(matches!(events.as_slice(), [AgentEvent::Refused { .. }]), "{events:?}");

    let broken = control("r1", "toolu_1", "Write", r#"{"content":"\x41","#);
    let (words, events) = denied(&broken);
    assert!(words.contains("it isn't valid JSON"), "{words}");
    assert!(matches!(events.as_slice(), [AgentEvent::Noticed { .. }]), "{events:?}");

    let unknown =
        r#"{"type":"control_request","request_id":"r9","request":{"subtype":elicitation,"message":"\q"}}"#;
    let out = Claude::new().line(unknown.as_bytes());
    let reply = only_line(&out)["response"].clone();
    assert_eq!((&reply["request_id"], &reply["subtype"]), (&json!("r9"), &json!("error")));
    // What asks nothing is not guessed at.
    let text = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a\q"}]}}"#;
    let not_json = AgentEvent::InvalidInput { why: InputError::NotJson };
    assert_eq!(Claude::new().on_line(text.as_bytes()), [not_json]);
}

#[test]
fn case_140_a_response_of_claude_code_that_cant_be_read_counts_as_refused() {
    let mut claude = Claude::new();
    claude.hello();
    let change = sent(&claude.set_config(7, "mode", "plan").unwrap());
    let id = change["request_id"].as_str().unwrap();
    let line = format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{id}","response":{{"mode":"\q"}}}}}}"#
    );
    let events = claude.on_line(line.as_bytes());
    let refused =
        |event: &AgentEvent| matches!(event, AgentEvent::ConfigAnswered { ticket: 7, refused: Some(_) });
    assert!(events.iter().any(refused), "{events:?}");
}

/// Ends the question's call and its turn.
fn finish(claude: &mut Claude, tool_use: &str) -> Vec<AgentEvent> {
    let result = json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": tool_use, "content": "x"}]}});
    let events = claude.on_line(result.to_string().as_bytes());
    claude.on_line(json!({"type": "result", "subtype": "success", "duration_ms": 1}).to_string().as_bytes());
    events
}

#[rstest]
#[case::the_same_question("Which?")]
#[case::another_question("What else?")]
fn case_140_claude_code_asks_again_under_the_tool_use_of_an_earlier_turn(#[case] second: &str) {
    let mut claude = Claude::new();
    for (id, text) in [("r1", "Which?"), ("r2", second)] {
        let events = claude.on_line(control(id, "call_0", "AskUserQuestion", &question(text)).as_bytes());
        let asked = only_asked(&events).clone();
        let (answer, _) = claude.answer(&asked.native_ref, &asked.questions, &declined()).unwrap();
        assert_eq!(sent(&answer)["response"]["request_id"], id);
        assert_eq!(
            finish(&mut claude, "call_0"),
            [AgentEvent::Acknowledged { native_ref: asked.native_ref }]
        );
    }
}

#[test]
fn case_140_two_questions_of_claude_code_with_one_tool_use_are_both_asked_and_answered() {
    let mut claude = Claude::new();
    let asked = ["r1", "r2"].map(|id| {
        let events = claude.on_line(control(id, "call_0", "AskUserQuestion", &question(id)).as_bytes());
        only_asked(&events).clone()
    });
    assert_eq!(asked.each_ref().map(|it| it.native_ref.as_str()), ["call_0", "r2"]);
    // Listed again, the second is still the same.
    let again = claude.on_line(control("r2", "call_0", "AskUserQuestion", &question("r2")).as_bytes());
    assert_eq!(only_asked(&again).native_ref, asked[1].native_ref);
    for (asked, id) in asked.iter().zip(["r1", "r2"]) {
        let (answer, _) = claude.answer(&asked.native_ref, &asked.questions, &declined()).unwrap();
        assert_eq!(sent(&answer)["response"]["request_id"], id);
        // The result of one is not that of the other, which waits.
        let result = json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "call_0"}]}});
        let acknowledged = AgentEvent::Acknowledged { native_ref: asked.native_ref.clone() };
        assert_eq!(claude.on_line(result.to_string().as_bytes())[..1], [acknowledged]);
    }
}

#[test]
fn case_140_a_permission_of_claude_code_waits_on_when_another_call_of_its_tool_use_ends() {
    let mut claude = Claude::new();
    for id in ["r1", "r2"] {
        claude.on_line(control(id, "call_0", "Bash", r#"{"command":"ls"}"#).as_bytes());
    }
    let once = ApprovalDecision::of(ApprovalOptionId::literal("allow"));
    claude.decide(&native("r1"), &once).unwrap();
    let result =
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "call_0"}]}});
    let events = claude.on_line(result.to_string().as_bytes());
    assert!(matches!(events.as_slice(), [AgentEvent::ToolEnded { .. }]), "{events:?}");
    claude.decide(&native("r2"), &once).unwrap();
}

/// A connection to a JSON-RPC server after its handshake, with one session.
fn connected() -> JsonRpcConnection {
    let mut connection = JsonRpcConnection::new(server::rules());
    connection.open();
    connection.receive(Inbound::Line(br#"{"id":1,"result":{}}"#.to_vec()));
    connection.join(MEMBER);
    connection.send(MEMBER, Outbound::Rpc(RpcOut::request(0, "session/new", json!({}))));
    connection.receive(Inbound::Line(br#"{"id":2,"result":{"sessionId":"a"}}"#.to_vec()));
    connection
}

#[test]
fn case_140_a_json_rpc_server_is_understood_with_half_characters_and_numbers_out_of_range() {
    let line = format!(r#"{{"id":7,"method":"session/ask","params":{{{ODD}"sessionId":"a"}}}}"#);
    let routed = connected().receive(Inbound::Line(line.into_bytes()));
    let [(MEMBER, Inbound::Rpc(RpcIn::Request { params, .. }))] = routed.inbound.as_slice() else {
        panic!("{routed:?}")
    };
    assert_eq!(*params, json!({"count": "1e400", "odd": "cut \u{fffd}", "sessionId": "a"}));
}

#[rstest]
#[case::deep(&nested(200), -32_603, "nested too deeply")]
#[case::broken(r#""\q""#, -32_700, "it isn't valid JSON")]
fn case_140_a_json_rpc_request_that_cant_be_read_whole_is_answered(
    #[case] it: &str,
    #[case] code: i64,
    #[case] words: &str,
) {
    let line = format!(r#"{{"method":"session/ask","params":{{"sessionId":"a","it":{it}}},"id":"q-1"}}"#);
    let routed = connected().receive(Inbound::Line(line.into_bytes()));
    let [answer] = routed.lines.as_slice() else { panic!("{routed:?}") };
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("q-1"), &json!(code)));
    assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    assert!(matches!(routed.inbound.as_slice(), [(MEMBER, Inbound::Abridged { .. })]), "{routed:?}");
}

#[test]
fn case_140_a_json_rpc_response_that_cant_be_read_ends_our_request() {
    let mut connection = connected();
    connection.send(MEMBER, Outbound::Rpc(RpcOut::request(5, "session/prompt", json!({"sessionId": "a"}))));
    let routed = connection.receive(Inbound::Line(br#"{"id":3,"result":{"text":"\q"}}"#.to_vec()));
    let [(MEMBER, Inbound::Rpc(RpcIn::Response { id: 5, result: Err(RpcError { code: -32_700, .. }) }))] =
        routed.inbound.as_slice()
    else {
        panic!("{routed:?}")
    };
    // A notification, and a line that the server's end has cut, answer nothing.
    for line in [r#"{"method":"x","params":{"sessionId":"a","it":"\q"}}"#, "{"] {
        let routed = connection.receive(Inbound::Line(line.as_bytes().to_vec()));
        assert!(
            routed.lines.is_empty() && matches!(routed.inbound[..], [(MEMBER, Inbound::Line(_))]),
            "{routed:?}"
        );
    }
    let cut = br#"{"id":"q-1","method":"session/ask","params":{"sessionId":"a""#.to_vec();
    assert!(connection.receive(Inbound::End { unfinished: cut }).lines.is_empty());
}

#[test]
fn case_140_codex_asks_again_under_the_id_of_an_answered_request() {
    let params = json!({"turnId": "turn-1", "itemId": "call_1", "questions": [
        {"id": "a", "header": "H", "question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let mut session = Session::in_turn();
    let asked = only_asked(&session.ask(0, "item/tool/requestUserInput", params.clone()).events).clone();
    // Sent once more while it is open, it is the same request.
    assert_eq!(session.ask(0, "item/tool/requestUserInput", params.clone()), Output::default());
    session.end(&asked.native_ref, &asked.questions, declined());
    let again = session.ask(0, "item/tool/requestUserInput", params);
    let acknowledged = AgentEvent::Acknowledged { native_ref: asked.native_ref.clone() };
    assert_eq!(again.events, [acknowledged, AgentEvent::Asked(asked.clone())]);
    session.end(&asked.native_ref, &asked.questions, declined());

    let command =
        json!({"turnId": "turn-1", "itemId": "call_1", "command": "ls", "cwd": "/proj", "reason": null});
    for id in [1, 1] {
        let out = session.ask(id, "item/commandExecution/requestApproval", command.clone());
        let [AgentEvent::ApprovalAsked { native_ref, options, .. }] = out.events.as_slice() else {
            panic!("{out:?}")
        };
        let decision = ApprovalDecision::of(options[0].id.clone());
        result(
            &session
                .send(askdesk_agents::Action::Decide { native_ref: native_ref.clone(), decision })
                .unwrap(),
        );
    }
}

fn event(kind: &str, properties: &str) -> Inbound {
    let line = format!(r#"{{"payload":{{"id":"evt_1","type":"{kind}","properties":{properties}}}}}"#);
    Inbound::Line(line.into_bytes())
}

#[test]
fn case_140_opencode_is_understood_with_half_characters_and_numbers_out_of_range() {
    let mut session = OpenCodeSession::working("ses_1");
    let asked = question(r"Cut \ud83d?").replacen('{', r#"{"id":"que_1","sessionID":"ses_1","#, 1);
    session.receive(event("question.asked", &asked));
    assert_eq!(only_asked(&session.events).questions[0].text, "Cut \u{fffd}?");
}

#[rstest]
#[case::deep(&nested(200), "nested too deeply")]
#[case::broken(r#""\q""#, "it isn't valid JSON")]
fn case_140_a_request_of_opencode_that_cant_be_read_whole_is_answered(#[case] it: &str, #[case] words: &str) {
    let mut session = OpenCodeSession::working("ses_1");
    let permission =
        format!(r#"{{"metadata":{{"it":{it}}},"id":"per_1","sessionID":"ses_1","permission":"bash"}}"#);
    session.receive(event("permission.asked", &permission));
    let replies = session.sent("POST /permission/per_1/reply");
    let [reply] = replies.as_slice() else { panic!("{replies:?}") };
    assert_eq!(reply["reply"], "reject");
    assert!(reply["message"].as_str().unwrap().contains(words), "{reply}");

    let mut session = OpenCodeSession::working("ses_1");
    session.receive(event(
        "question.asked",
        &format!(r#"{{"questions":{it},"id":"que_1","sessionID":"ses_1"}}"#),
    ));
    assert_eq!(session.sent("POST /question/que_1/reject").len(), 1);
    assert!(matches!(session.events.as_slice(), [AgentEvent::Refused { .. }]), "{:?}", session.events);
}
