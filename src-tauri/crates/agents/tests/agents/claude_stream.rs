//! What Claude Code's lines mean, from fixtures written in the shapes of 2.1.329.

use crate::support::claude::{Claude, decision, lines as written, native, sent};
use askdesk_agents::{AgentEvent, Asked, EncodeError, Inbound, InputError, Outbound, Output, Partial};
use askdesk_domain::{
    AnswerInput, Answers, ApprovalOption, ApprovalOptionId, ApprovalOptionKind, Asker, CallArgument,
    NativeSession, Notice, OptionId, OptionLabel, OptionScope, Outcome, PermissionCall, Question,
    QuestionKind, QuestionOption, ToolDetail, ToolKind, ToolRule, ToolStatus, Usage, Usd, WithdrawnWhy,
};
use serde_json::{Value, json};
use uuid::Uuid;

const SESSION: &str = "5f0c7d52-6f0e-4a43-9d52-0b8a8f1f7e10";

fn fixture(name: &str) -> Vec<String> {
    let path = format!("{}/fixtures/claude-2.1.329/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// Plays lines; the config options have tests of their own.
fn play(stream: &mut Claude, lines: &[String]) -> Vec<AgentEvent> {
    let events = lines.iter().flat_map(|line| stream.on_line(line.as_bytes()));
    let about_itself = |event: &AgentEvent| {
        matches!(event, AgentEvent::ConfigChanged { .. } | AgentEvent::CommandsChanged { .. })
    };
    events.filter(|event| !about_itself(event)).collect()
}

/// Plays a whole fixture into a fresh stream.
fn check(name: &str, expected: &[AgentEvent]) {
    assert_eq!(play(&mut Claude::new(), &fixture(name)), expected);
}

fn introduced() -> AgentEvent {
    AgentEvent::Introduced {
        version: Some("2.1.329".to_owned()),
        model: Some("some-model".to_owned()),
        native_session: NativeSession::new(SESSION),
    }
}

fn said(text: &str) -> AgentEvent {
    AgentEvent::Said { text: text.to_owned() }
}

fn other(input: &str) -> ToolDetail {
    ToolDetail::Other { input: input.to_owned() }
}

fn turn_ended(millis: u64, error: Option<&str>) -> AgentEvent {
    turn_ended_for(millis, error, 0.001)
}

fn turn_ended_for(millis: u64, error: Option<&str>, dollars: f64) -> AgentEvent {
    let usage = Usage {
        input_tokens: 123,
        output_tokens: 40,
        cached_tokens: 100,
        cost: Usd::new(dollars),
        context: None,
    };
    AgentEvent::TurnEnded { millis, usage, error: error.map(str::to_owned) }
}

fn option(id: &str, label: &str, description: &str) -> QuestionOption {
    QuestionOption {
        id: id.parse().unwrap(),
        label: label.to_owned(),
        description: Some(description.to_owned()),
        preview: None,
        recommended: label.ends_with("(Recommended)"),
    }
}

fn question(
    id: &str,
    text: &str,
    header: &str,
    kind: QuestionKind,
    options: Vec<QuestionOption>,
) -> Question {
    Question {
        id: id.parse().unwrap(),
        text: text.to_owned(),
        header: Some(header.to_owned()),
        kind,
        options,
        allows_other: true,
        other_description: None,
        required: false,
        placeholder: None,
        bounds: None,
        default: None,
    }
}

fn asked(reference: &str, questions: Vec<Question>) -> AgentEvent {
    let asker = Asker::Waits;
    AgentEvent::Asked(Asked { native_ref: native(reference), helper: None, asked_by: None, questions, asker })
}

fn database() -> Vec<Question> {
    let options = vec![option("q1o1", "Postgres", "Server"), option("q1o2", "SQLite", "File")];
    vec![question("q1", "Which database?", "Database", QuestionKind::Single, options)]
}

fn port() -> Vec<Question> {
    let options = vec![option("q1o1", "80", "Plain"), option("q1o2", "443", "TLS")];
    vec![question("q1", "Which port?", "Port", QuestionKind::Single, options)]
}

fn choose(questions: &[Question], id: &str) -> Outcome {
    let id: OptionId = id.parse().unwrap();
    let input = AnswerInput { question: questions[0].id, chosen: vec![id], other: None, note: None };
    Outcome::Answered { answers: Answers::check(questions, &[input]).unwrap() }
}

const fn plain(id: &'static str, kind: ApprovalOptionKind) -> ApprovalOption {
    let id = ApprovalOptionId::literal(id);
    ApprovalOption { id, kind, label: OptionLabel::Plain, scope: None, combines: false }
}

fn call(tools: &[&str], argument: CallArgument) -> PermissionCall {
    PermissionCall { tools: tools.iter().map(|&tool| tool.to_owned()).collect(), arguments: vec![argument] }
}

const fn allow() -> ApprovalOption {
    plain("allow", ApprovalOptionKind::AllowOnce)
}

const fn deny() -> ApprovalOption {
    plain("deny", ApprovalOptionKind::RejectOnce)
}

#[test]
fn case_02_the_tool_use_of_a_question_makes_no_second_card_and_no_tool_entry() {
    let lines = fixture("question");
    let mut stream = Claude::new();
    stream.hello();
    let questions = vec![
        question(
            "q1",
            "Where should the login state live?",
            "Login",
            QuestionKind::Single,
            vec![
                option("q1o1", "JWT (Recommended)", "A signed token"),
                option("q1o2", "Sessions", "A row on the server"),
            ],
        ),
        question(
            "q2",
            "Which ways in do we offer?",
            "Ways in",
            QuestionKind::Multi,
            vec![
                option("q2o1", "Password", "Classic"),
                option("q2o2", "Yes, always", "A passkey"),
                option("q2o3", "Magic link", "By mail"),
            ],
        ),
    ];
    let handshake =
        AgentEvent::Introduced { version: Some("2.1.329".to_owned()), model: None, native_session: None };
    assert_eq!(
        play(&mut stream, &lines[..5]),
        [
            handshake,
            introduced(),
            AgentEvent::TurnBegan,
            said("Two things first."),
            asked("toolu_auth", questions.clone()),
        ]
    );
    let declined = Outcome::Declined { words: None };
    stream.answer(&native("toolu_auth"), &questions, &declined).unwrap();
    assert_eq!(
        play(&mut stream, &lines[5..]),
        [
            AgentEvent::Acknowledged { native_ref: native("toolu_auth") },
            said("Thanks."),
            turn_ended(1200, None),
        ]
    );
}

#[test]
fn a_question_tool_that_never_asks_is_neither_a_question_nor_a_tool_call() {
    let block =
        json!({"type": "tool_use", "id": "toolu_1", "name": "AskUserQuestion", "input": {"questions": []}});
    let used = json!({"type": "assistant", "message": {"content": [block]}});
    let result =
        json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "disabled", "is_error": true});
    let settled = json!({"type": "user", "message": {"content": [result]}});
    let mut stream = Claude::new();
    assert_eq!(play(&mut stream, &[used.to_string(), settled.to_string()]), [AgentEvent::TurnBegan]);
}

#[test]
fn pieces_are_live_and_finished_blocks_follow_whole() {
    check(
        "streaming",
        &[
            AgentEvent::MessageTaken { uuid: Uuid::from_u128(0x2a0f_7a52_4444_4a43_9d52_0b8a_8f1f_7e10) },
            introduced(),
            AgentEvent::TurnBegan,
            AgentEvent::ThinkingDelta { text: "Let me ".to_owned() },
            AgentEvent::Thought { text: "Let me see.".to_owned() },
            AgentEvent::TextDelta { text: "I will ".to_owned() },
            AgentEvent::TextDelta { text: "look.".to_owned() },
            said("I will look."),
            AgentEvent::ToolStarted {
                parent: None,
                subagent: None,
                tool_use: "toolu_ls".to_owned(),
                kind: ToolKind::Execute,
                name: "Bash".to_owned(),
                summary: "ls -la [+1 line]".to_owned(),
                detail: ToolDetail::Command {
                    command: "ls -la\npwd".to_owned(),
                    description: Some("Lists files".to_owned()),
                },
                status: ToolStatus::Running,
            },
            AgentEvent::ToolEnded {
                tool_use: "toolu_ls".to_owned(),
                ok: true,
                output: "a.txt\n[image]".to_owned(),
                images: Vec::new(),
            },
            turn_ended(15, None),
        ],
    );
}

#[test]
fn a_subagents_tools_are_told_of_and_its_words_are_not_the_agents_own() {
    check(
        "subagent",
        &[
            introduced(),
            AgentEvent::TurnBegan,
            AgentEvent::ToolStarted {
                parent: None,
                subagent: None,
                tool_use: "toolu_task".to_owned(),
                kind: ToolKind::Think,
                name: "Task".to_owned(),
                summary: "Look around".to_owned(),
                detail: other(
                    "{\n  \"description\": \"Look around\",\n  \"prompt\": \"Look at everything\",\n  \
                     \"subagent_type\": \"general\"\n}",
                ),
                status: ToolStatus::Running,
            },
            AgentEvent::ToolStarted {
                parent: Some("toolu_task".to_owned()),
                subagent: Some("toolu_task".to_owned()),
                tool_use: "toolu_read".to_owned(),
                kind: ToolKind::Read,
                name: "Read".to_owned(),
                summary: "/proj/a.rs".to_owned(),
                detail: ToolDetail::Read {
                    path: "/proj/a.rs".to_owned(),
                    line: None,
                    input: "{\n  \"file_path\": \"/proj/a.rs\"\n}".to_owned(),
                },
                status: ToolStatus::Running,
            },
            AgentEvent::ToolEnded {
                tool_use: "toolu_read".to_owned(),
                ok: false,
                output: "no such file".to_owned(),
                images: Vec::new(),
            },
            AgentEvent::ToolEnded {
                tool_use: "toolu_task".to_owned(),
                ok: true,
                output: "All seen.".to_owned(),
                images: Vec::new(),
            },
            turn_ended(1200, None),
        ],
    );
}

#[test]
fn a_permission_is_asked_with_what_would_run_and_decided_with_the_input_unchanged() {
    let lines = fixture("permission");
    let mut stream = Claude::new();
    let events = play(&mut stream, &lines[..3]);
    assert_eq!(
        events.last(),
        Some(&AgentEvent::ApprovalAsked {
            native_ref: native("req-b"),
            helper: None,
            asked_by: None,
            tool_use: Some("toolu_b".to_owned()),
            call: Some(call(&["Bash"], CallArgument::Command("mkdir newdir && ls".to_owned()))),
            title: "Bash".to_owned(),
            description: Some("Makes a folder".to_owned()),
            remark: None,
            subject: ToolDetail::Command {
                command: "mkdir newdir && ls".to_owned(),
                description: Some("Makes a folder".to_owned()),
            },
            options: vec![
                allow(),
                ApprovalOption {
                    id: ApprovalOptionId::literal("r1"),
                    kind: ApprovalOptionKind::AllowAlways,
                    label: OptionLabel::Tool {
                        tool: "Bash".to_owned(),
                        content: Some("mkdir newdir".to_owned()),
                        behavior: ToolRule::Allow,
                    },
                    scope: Some(OptionScope::Local),
                    combines: true,
                },
                deny(),
            ],
            takes_message: true,
        })
    );
    let line = stream.decide(&native("req-b"), &decision(&["allow"], None, None)).unwrap();
    assert_eq!(
        sent(&line),
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "req-b", "response": {
            "behavior": "allow",
            "updatedInput": {"command": "mkdir newdir && ls", "description": "Makes a folder"},
        }}})
    );
    assert_eq!(
        play(&mut stream, &lines[3..5]),
        [
            AgentEvent::ToolEnded {
                tool_use: "toolu_b".to_owned(),
                ok: true,
                output: String::new(),
                images: Vec::new()
            },
            AgentEvent::ApprovalAsked {
                native_ref: native("req-e"),
                helper: None,
                asked_by: None,
                tool_use: Some("toolu_e".to_owned()),
                call: Some(call(&["Edit"], CallArgument::Path("/proj/f.txt".to_owned()))),
                title: "Edit".to_owned(),
                description: Some("f.txt".to_owned()),
                remark: None,
                subject: ToolDetail::Edit {
                    path: "/proj/f.txt".to_owned(),
                    diff: "@@ -1 +1 @@\n-hello\n+bye\n".to_owned(),
                },
                options: vec![allow(), deny()],
                takes_message: true,
            },
        ]
    );
    let line = stream.decide(&native("req-e"), &decision(&["deny"], None, None)).unwrap();
    assert_eq!(
        sent(&line)["response"]["response"],
        json!({"behavior": "deny", "message": "The user did not allow this."})
    );
}

#[test]
fn an_interrupted_question_is_withdrawn_and_the_turn_has_no_error() {
    check(
        "interrupted",
        &[
            introduced(),
            AgentEvent::TurnBegan,
            asked("toolu_db", database()),
            AgentEvent::Withdrawn { native_ref: native("toolu_db") },
            turn_ended(77, None),
            introduced(),
            AgentEvent::TurnBegan,
            said("Again at work."),
            turn_ended_for(9, None, 0.0),
        ],
    );
}

#[test]
fn a_late_answer_to_a_withdrawn_question_is_not_encoded() {
    let mut stream = Claude::new();
    play(&mut stream, &fixture("interrupted")[..3]);
    assert_eq!(
        stream.answer(&native("toolu_db"), &database(), &choose(&database(), "q1o1")),
        Err(EncodeError::Gone { native_ref: native("toolu_db") })
    );
}

#[test]
fn an_answer_that_crosses_a_withdrawal_is_not_acknowledged() {
    let lines = fixture("interrupted");
    let mut stream = Claude::new();
    play(&mut stream, &lines[..2]);
    stream.answer(&native("toolu_db"), &database(), &choose(&database(), "q1o1")).unwrap();
    let events = play(&mut stream, &lines[2..]);
    assert!(events.contains(&AgentEvent::Withdrawn { native_ref: native("toolu_db") }));
    assert!(!events.contains(&AgentEvent::Acknowledged { native_ref: native("toolu_db") }));
}

#[test]
fn two_questions_at_once_are_answered_in_any_order_each_to_its_own_request() {
    let lines = fixture("parallel");
    let mut stream = Claude::new();
    let events = play(&mut stream, &lines[..5]);
    assert_eq!(events[2..], [asked("toolu_db", database()), asked("toolu_port", port())]);
    let mut answer = |reference: &str, questions: Vec<Question>, id: &str| {
        let encoded = stream.answer(&native(reference), &questions, &choose(&questions, id)).unwrap();
        let line = sent(&encoded.0);
        let response = &line["response"];
        (response["request_id"].clone(), response["response"]["updatedInput"]["answers"].clone())
    };
    assert_eq!(answer("toolu_port", port(), "q1o2"), (json!("req-port"), json!({"Which port?": "443"})));
    assert_eq!(
        answer("toolu_db", database(), "q1o1"),
        (json!("req-db"), json!({"Which database?": "Postgres"}))
    );
    assert_eq!(
        play(&mut stream, &lines[5..7]),
        ["toolu_db", "toolu_port"].map(|name| AgentEvent::Acknowledged { native_ref: native(name) })
    );
}

#[test]
fn a_question_found_again_by_a_second_handshake_is_the_same_and_is_answered_to_the_newest_request() {
    let lines = fixture("reinitialize");
    let mut stream = Claude::new();
    stream.hello();
    let events = play(&mut stream, &lines[..4]);
    let cards: Vec<&AgentEvent> =
        events.iter().filter(|event| matches!(event, AgentEvent::Asked(_))).collect();
    assert_eq!(cards, [&asked("toolu_db", database()), &asked("toolu_db", database())]);
    let encoded = stream.answer(&native("toolu_db"), &database(), &choose(&database(), "q1o2")).unwrap();
    assert_eq!(sent(&encoded.0)["response"]["request_id"], "req-db-2");
    assert_eq!(
        play(&mut stream, &lines[4..]),
        [AgentEvent::Acknowledged { native_ref: native("toolu_db") }, turn_ended(1200, None)]
    );
}

#[test]
fn a_question_settled_elsewhere_is_withdrawn_by_its_result() {
    let lines = fixture("reinitialize");
    let mut stream = Claude::new();
    play(&mut stream, &lines[..2]);
    assert_eq!(play(&mut stream, &lines[4..5]), [AgentEvent::Withdrawn { native_ref: native("toolu_db") }]);
}

#[test]
fn bad_lines_are_counted_answered_where_somebody_waits_and_stop_nothing() {
    let invalid_input = |why| AgentEvent::InvalidInput { why };
    let unknown = |kind: &str| invalid_input(InputError::UnknownType { kind: kind.to_owned() });
    let refused = json!({"type": "control_response", "response": {
        "subtype": "error",
        "request_id": "req-x",
        "error": "Askdesk does not support the control request brand_new.",
    }});
    let mut stream = Claude::new();
    let outs: Vec<Output> = fixture("bad_lines").iter().map(|line| stream.line(line.as_bytes())).collect();
    let replies: Vec<&str> = outs.iter().flat_map(|out| written(&out.outbound)).collect();
    assert_eq!(replies, [refused.to_string()]);
    assert_eq!(
        outs.into_iter().flat_map(|out| out.events).collect::<Vec<_>>(),
        [
            invalid_input(InputError::NotJson),
            invalid_input(InputError::NotJson),
            unknown("without a type"),
            unknown("brand_new"),
            unknown("system/brand_new"),
            invalid_input(InputError::RequestRefused { kind: "control_request/brand_new".to_owned() }),
            invalid_input(InputError::Incomplete { field: "request_id" }),
            AgentEvent::TurnBegan,
            invalid_input(InputError::Incomplete { field: "id or name of a tool use" }),
            unknown("assistant/hologram"),
            invalid_input(InputError::RequestFailed { error: "no such mode".to_owned() }),
            turn_ended(5, Some("out of turns")),
        ],
    );
}

fn abridged(message: &Value) -> Inbound {
    Inbound::Abridged { line: message.to_string().into_bytes(), why: Partial::TooLarge { bytes: 70_000_000 } }
}

#[test]
fn a_line_that_is_too_long_and_no_json_is_counted() {
    assert_eq!(
        Claude::new()
            .receive(&Inbound::Abridged {
                line: b"{\"type".to_vec(),
                why: Partial::TooLarge { bytes: 70_000_000 }
            })
            .events,
        [AgentEvent::InvalidInput { why: InputError::TooLong { bytes: 70_000_000 } }]
    );
}

#[test]
fn case_110_a_tool_result_that_is_too_large_ends_its_row() {
    let mark = "xx … [too large to show: 70000000 bytes]";
    let result = json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": mark, "tool_use_id": "toolu_1"}]}});
    assert_eq!(
        Claude::new().receive(&abridged(&result)).events,
        [AgentEvent::ToolEnded {
            tool_use: "toolu_1".to_owned(),
            ok: true,
            output: mark.to_owned(),
            images: Vec::new()
        }]
    );
}

#[test]
fn case_110_a_request_that_is_too_large_is_refused_in_words() {
    let request = |subtype: &str, tool: &str| {
        json!({"type": "control_request", "request_id": "r1", "request": {"subtype": subtype, "tool_name": tool,
            "tool_use_id": "toolu_1", "input": {"content": "xx … [too large to show: 70000000 bytes]"}}})
    };
    let answer = |message: &Value| {
        let out = Claude::new().receive(&abridged(message));
        let [Outbound::Line(line)] = out.outbound.as_slice() else { panic!("{out:?}") };
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["response"]["request_id"], "r1");
        (line["response"]["response"].clone(), out.events)
    };
    let (denied, events) = answer(&request("can_use_tool", "Write"));
    assert_eq!(denied["behavior"], "deny");
    assert_eq!(
        denied["message"],
        "The request could not be shown to the user: it is too large (70000000 bytes; the limit is 4194304). Nothing was \
         allowed. Split it into smaller requests and ask again."
    );
    let reason = "Write: it is too large (70000000 bytes; the limit is 4194304)".to_owned();
    let told = AgentEvent::Noticed { notice: Notice::PermissionRefused { reason } };
    assert_eq!(events, [AgentEvent::TurnBegan, told]);

    let (denied, events) = answer(&request("can_use_tool", "AskUserQuestion"));
    assert_eq!(denied["behavior"], "deny");
    assert!(denied["message"].as_str().unwrap().contains("70000000 bytes"));
    assert!(matches!(events.as_slice(), [AgentEvent::TurnBegan, AgentEvent::Refused { .. }]));

    // The agent then asks for permission, whatever its own rules say.
    let (reviewed, _) = answer(&request("hook_callback", "Write"));
    assert_eq!(reviewed["hookSpecificOutput"]["permissionDecision"], "ask");
    // What is unknown is refused as ever.
    let out = Claude::new().receive(&abridged(&request("elicit", "Write")));
    assert_eq!(out.outbound.len(), 1);

    let whole = json!({"type": "control_response", "response": {"request_id": "askdesk-1", "subtype": "success",
        "pending_permission_requests": [request("can_use_tool", "Write")]}});
    assert_eq!(answer(&whole).0["behavior"], "deny");
}

#[test]
fn the_last_line_counts_as_cut_only_if_it_is_not_whole() {
    let whole = json!({"type": "assistant", "message": {"content": "Bye."}}).to_string();
    let end = |text: &str| Claude::new().on_end(text.as_bytes());
    assert_eq!(end(&whole), [AgentEvent::TurnBegan, said("Bye.")]);
    assert_eq!(end(&whole[..20]), [AgentEvent::InvalidInput { why: InputError::CutInHalf }]);
    assert_eq!(end(" \n"), []);
}

#[test]
fn an_interrupt_that_is_not_said_to_be_one_hides_the_error_of_its_turn_alone() {
    let failed =
        json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": ["x"]});
    let working = json!({"type": "assistant", "message": {"content": "…"}}).to_string();
    let mut stream = Claude::new();
    stream.interrupt();
    stream.on_line(working.as_bytes());
    let mut error_of_turn = || {
        let events = stream.on_line(failed.to_string().as_bytes());
        let Some(AgentEvent::TurnEnded { error, .. }) = events.into_iter().next_back() else {
            panic!("no end")
        };
        stream.on_line(working.as_bytes());
        stream.interrupt();
        error
    };
    assert_eq!(error_of_turn(), Some("x".to_owned()));
    assert_eq!(error_of_turn(), None);
}

#[test]
fn messages_and_requests_are_written_as_the_agent_expects_them() {
    let mut stream = Claude::new();
    assert_eq!(
        sent(&stream.hello()),
        json!({"type": "control_request", "request_id": "askdesk-1",
               "request": {"subtype": "initialize", "hooks": {"PreToolUse": [{
                   "matcher": "^(?!AskUserQuestion$|ExitPlanMode$|mcp__.+__ask_(?:user|user_question|person)$).+$",
                   "hookCallbackIds": ["askdesk-rules"], "timeout": 86400}]}, "perTaskStopAffordance": true}})
    );
    assert_eq!(
        sent(&stream.interrupt()),
        json!({"type": "control_request", "request_id": "askdesk-2", "request": {"subtype": "interrupt"}})
    );
    let uuid = Uuid::from_u128(5);
    assert_eq!(
        sent(&stream.message("a\n\"b\"", uuid)),
        json!({"type": "user", "message": {"role": "user", "content": "a\n\"b\""}, "parent_tool_use_id": null,
               "session_id": "", "uuid": "00000000-0000-0000-0000-000000000005"})
    );
}

#[test]
fn an_end_the_agent_does_not_wait_for_is_not_encoded() {
    let mut stream = Claude::new();
    play(&mut stream, &fixture("reinitialize")[..2]);
    let by_agent = Outcome::Withdrawn { why: WithdrawnWhy::ByAgent };
    assert_eq!(stream.answer(&native("toolu_db"), &database(), &by_agent), Err(EncodeError::NothingToSend));
}

#[test]
fn an_answer_that_could_not_be_written_can_be_encoded_again() {
    let mut stream = Claude::new();
    play(&mut stream, &fixture("reinitialize")[..2]);
    let mut encode =
        || stream.answer(&native("toolu_db"), &database(), &choose(&database(), "q1o2")).unwrap();
    assert_eq!(encode(), encode());
}
