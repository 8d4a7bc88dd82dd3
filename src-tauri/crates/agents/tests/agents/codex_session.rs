//! A session of Codex: how it is opened, what its server tells, and what it is sent.

use crate::support::codex::{Session, THREAD, opened, requests};
use askdesk_agents::{
    Action, Adapter, AgentEvent, Attached, InputError, Open, Outbound, ResultImage, Retry, RetryBegins,
    RpcError, RpcIn, RpcOut,
};
use askdesk_domain::{
    ApprovalDecision, ApprovalOptionId, Choices, ConfigId, ConfigOption, ContextUse, HelperId, ImageFormat,
    NativeRef, NativeSession, Notice, TodoItem, TodoStatus, ToolDetail, ToolKind, ToolStatus, Usage, ValueId,
};
use rstest::rstest;
use serde_json::{Value, json};
use uuid::Uuid;

fn choices(of: &[(&'static str, &'static str)]) -> Choices {
    of.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect()
}

fn current(config: &[ConfigOption], id: &str) -> Option<String> {
    config.iter().find(|option| option.id.as_str() == id)?.current.as_ref().map(ToString::to_string)
}

fn message(text: &str) -> Action {
    Action::Message { id: Uuid::nil(), text: text.to_owned(), attached: Attached::default() }
}

fn item(session: &mut Session, what: &str, item: impl Into<Option<Value>>) -> Vec<AgentEvent> {
    let item: Option<Value> = item.into();
    session.tell(what, json!({"turnId": "turn-1", "item": item}))
}

#[test]
fn the_name_of_the_thread_is_the_title_of_the_session() {
    let mut session = Session::open(&Choices::new());
    let title = |title: &str| vec![AgentEvent::Titled { title: title.to_owned() }];
    assert_eq!(
        session.tell("thread/name/updated", json!({"threadName": "Fix the\nlogin"})),
        title("Fix the login")
    );
    assert_eq!(session.tell("thread/name/updated", json!({"threadName": " "})), []);
    assert_eq!(session.tell("thread/name/updated", json!({})), []);
    let of_subagent = json!({"threadId": "another", "threadName": "Look around"});
    assert_eq!(session.receive(RpcIn::notification("thread/name/updated", of_subagent)).events, []);
}

#[test]
fn a_session_is_started_with_what_was_chosen_and_the_rest_is_left_to_the_agent() {
    let mut session = Session::unopened(&Choices::new());
    let sent = requests(&session.0.open(Open::New));
    assert_eq!(sent[0], ("thread/start".to_owned(), json!({"cwd": "/proj"})));
    assert_eq!(sent[1].0, "model/list");

    let chosen = choices(&[
        ("approval_policy", "untrusted"),
        ("sandbox", "read-only"),
        ("model", "large"),
        ("effort", "high"),
        ("mode", "plan"),
    ]);
    let mut session = Session::unopened(&chosen);
    let sent = requests(&session.0.open(Open::New));
    let params =
        json!({"cwd": "/proj", "approvalPolicy": "untrusted", "sandbox": "read-only", "model": "large"});
    assert_eq!(sent[0].1, params);
    // Mode and effort can be set only once the session is open.
    let opened = session.respond(1, Ok(opened()));
    let sent = requests(&opened);
    assert_eq!(sent[0].0, "thread/settings/update");
    assert_eq!(
        (&sent[0].1["effort"], &sent[0].1["collaborationMode"]["mode"]),
        (&json!("high"), &json!("plan"))
    );
    assert_eq!(sent[0].1["threadId"], THREAD);
}

#[test]
fn a_session_is_resumed_under_the_agents_own_id_without_its_history() {
    let mut session = Session::unopened(&Choices::new());
    let native_session = NativeSession::literal(THREAD);
    let sent = requests(&session.0.open(Open::Resume { native_session }));
    let params = json!({"cwd": "/proj", "threadId": THREAD, "excludeTurns": true});
    assert_eq!(sent[0], ("thread/resume".to_owned(), params));
    let unknown = RpcError::new(-32600, format!("no rollout found for thread id {THREAD}"));
    let output = session.respond(1, Err(unknown));
    assert!(matches!(output.events.as_slice(), [AgentEvent::SessionUnknown { .. }]), "{output:?}");
}

#[rstest]
#[case::not_confirmed_again(&[], json!({"approvalPolicy": "on-request", "sandboxPolicy": {"type": "workspaceWrite"}}))]
#[case::confirmed_in_part(&[("approval_policy", "never")], json!({"sandboxPolicy": {"type": "workspaceWrite"}}))]
fn a_resumed_session_asks_again_although_the_server_remembers_otherwise(
    #[case] chosen: &[(&'static str, &'static str)],
    #[case] expected: Value,
) {
    let mut session = Session::unopened(&choices(chosen));
    session.0.open(Open::Resume { native_session: NativeSession::literal(THREAD) });
    let mut remembered = opened();
    remembered["approvalPolicy"] = json!("never");
    remembered["sandbox"] = json!({"type": "dangerFullAccess"});
    let sent = requests(&session.respond(1, Ok(remembered)));
    let mut expected = expected;
    expected["threadId"] = json!(THREAD);
    assert_eq!(sent, [("thread/settings/update".to_owned(), expected)]);
}

#[test]
fn what_is_sent_before_the_session_is_open_waits_for_it_and_a_failed_start_is_tried_again() {
    let mut session = Session::unopened(&Choices::new());
    session.0.open(Open::New);
    assert!(session.send(message("first")).unwrap().outbound.is_empty());
    let failed = session.respond(1, Err(RpcError::new(-32603, "the config is broken")));
    let [AgentEvent::TurnEnded { error: Some(error), .. }] = failed.events.as_slice() else {
        panic!("{failed:?}")
    };
    assert_eq!(error, "the config is broken");
    // The next message tries again, and both are sent in order.
    let again = requests(&session.send(message("second")).unwrap());
    assert_eq!(again[0].0, "thread/start");
    let sent = requests(&session.respond(4, Ok(opened())));
    let texts: Vec<&Value> = sent.iter().map(|(_, params)| &params["input"][0]["text"]).collect();
    assert_eq!(texts, ["first", "second"]);
}

#[test]
fn the_agent_introduces_itself_with_its_present_options() {
    let mut session = Session::unopened(&Choices::new());
    session.0.open(Open::New);
    let told = session.respond(1, Ok(opened())).events;
    let [AgentEvent::Introduced { version, model, native_session }, AgentEvent::ConfigChanged { config }] =
        told.as_slice()
    else {
        panic!("{told:?}")
    };
    assert_eq!((version.as_deref(), model.as_deref()), (Some("0.169.0"), Some("mock")));
    assert_eq!(native_session.as_ref().map(NativeSession::as_str), Some(THREAD));
    let known = |id| current(config, id);
    assert_eq!(known("approval_policy").as_deref(), Some("on-request"));
    assert_eq!(known("sandbox").as_deref(), Some("workspace-write"));
    assert_eq!(known("mode").as_deref(), Some("default"));

    let models = json!({"data": [
        {"id": "m1", "model": "mock", "displayName": "M One", "description": "Fast", "hidden": false,
            "supportedReasoningEfforts": [{"reasoningEffort": "low", "description": "Quick"},
                {"reasoningEffort": "ultra", "description": "Long"}]},
        {"id": "m2", "model": "m2", "displayName": "M Two", "description": "", "hidden": true}]});
    let told = session.respond(2, Ok(models)).events;
    let [AgentEvent::ConfigChanged { config }] = told.as_slice() else { panic!("{told:?}") };
    let models = config.iter().find(|option| option.id.as_str() == "model").unwrap();
    assert_eq!(models.values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>(), ["M One"]);
    let efforts = config.iter().find(|option| option.id.as_str() == "effort").unwrap();
    assert_eq!(efforts.values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>(), ["Low", "ultra"]);
}

#[test]
fn a_changed_option_is_answered_and_a_refusal_is_quoted() {
    let mut session = Session::open(&Choices::new());
    let set = |ticket, option, value| Action::SetConfig {
        ticket,
        option: ConfigId::literal(option),
        value: ValueId::literal(value),
    };
    // What the user's own settings add to the sandbox is kept.
    let sent = requests(&session.send(set(1, "sandbox", "workspace-write")).unwrap());
    assert_eq!(sent[0].1["sandboxPolicy"], opened()["sandbox"]);
    let sent = requests(&session.send(set(2, "sandbox", "danger-full-access")).unwrap());
    assert_eq!(sent[0].1["sandboxPolicy"], json!({"type": "dangerFullAccess"}));
    let told = session.respond(5, Ok(json!({}))).events;
    let [AgentEvent::ConfigChanged { config }, answered] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(current(config, "sandbox").as_deref(), Some("danger-full-access"));
    assert_eq!(*answered, AgentEvent::ConfigAnswered { ticket: 2, refused: None });

    session.send(set(3, "approval_policy", "never")).unwrap();
    let told = session.respond(6, Err(RpcError::new(-32600, "not here"))).events;
    assert_eq!(told, [AgentEvent::ConfigAnswered { ticket: 3, refused: Some("not here".to_owned()) }]);

    let settings = json!({"model": "other", "approvalPolicy": {"granular": {}}, "effort": "low",
        "sandboxPolicy": {"type": "readOnly"}, "collaborationMode": {"mode": "plan"}});
    let told = session.tell("thread/settings/updated", json!({"threadSettings": settings}));
    let [AgentEvent::ConfigChanged { config }] = told.as_slice() else { panic!("{told:?}") };
    let now = ["model", "approval_policy", "effort", "sandbox", "mode"].map(|id| current(config, id));
    let now = now.each_ref().map(Option::as_deref);
    assert_eq!(now, [Some("other"), Some("granular"), Some("low"), Some("read-only"), Some("plan")]);
    assert_eq!(session.tell("thread/settings/updated", json!({"threadSettings": settings})), []);
}

#[test]
fn case_113_a_value_that_is_not_offered_keeps_the_servers_name() {
    let mut session = Session::open(&Choices::new());
    let settings = json!({"approvalPolicy": "on-failure", "sandboxPolicy": {"type": "externalSandbox"},
        "collaborationMode": {"mode": "pair"}});
    let told = session.tell("thread/settings/updated", json!({"threadSettings": settings}));
    let [AgentEvent::ConfigChanged { config }] = told.as_slice() else { panic!("{told:?}") };
    let now = ["approval_policy", "sandbox", "mode"].map(|id| current(config, id));
    let now = now.each_ref().map(Option::as_deref);
    assert_eq!(now, [Some("on-failure"), Some("externalSandbox"), Some("pair")]);
}

#[test]
fn a_message_begins_a_turn_and_one_during_it_goes_into_it() {
    let mut session = Session::open(&Choices::new());
    let sent = requests(&session.send(message("go")).unwrap());
    let input = json!([{"type": "text", "text": "go", "text_elements": []}]);
    let params = json!({"input": input, "clientUserMessageId": Uuid::nil().to_string(), "threadId": THREAD});
    assert_eq!(sent, [("turn/start".to_owned(), params)]);
    session.respond(4, Ok(json!({"turn": {"id": "turn-1", "status": "inProgress"}})));
    let sent = requests(&session.send(message("and this")).unwrap());
    assert_eq!((sent[0].0.as_str(), &sent[0].1["expectedTurnId"]), ("turn/steer", &json!("turn-1")));
    // The turn ended meanwhile.
    let again = requests(&session.respond(5, Err(RpcError::new(-32600, "no active turn"))));
    assert_eq!((again[0].0.as_str(), &again[0].1["input"][0]["text"]), ("turn/start", &json!("and this")));
    let taken = json!({"type": "userMessage", "id": "u", "clientId": Uuid::nil().to_string(), "content": []});
    let told = item(&mut session, "item/started", taken.clone());
    assert_eq!(told, [AgentEvent::TurnBegan, AgentEvent::MessageTaken { uuid: Uuid::nil() }]);
    assert_eq!(item(&mut session, "item/completed", taken), []);
}

#[test]
fn images_travel_with_their_bytes_and_files_by_their_paths() {
    let mut session = Session::open(&Choices::new());
    let attached = Attached {
        images: vec![(ImageFormat::Png, b"\x89PNG".to_vec())],
        files: vec!["/srv/a b".to_owned()],
    };
    let sent = session.send(Action::Message { id: Uuid::nil(), text: "look".to_owned(), attached }).unwrap();
    let input = &requests(&sent)[0].1["input"];
    assert_eq!(input[0], json!({"type": "image", "url": "data:image/png;base64,iVBORw=="}));
    assert_eq!(input[1]["text"], "look\n\nAttached file: /srv/a b");
}

#[test]
fn a_turn_that_could_not_begin_ends_with_the_agents_words() {
    let mut session = Session::open(&Choices::new());
    session.send(message("go")).unwrap();
    let told = session.respond(4, Err(RpcError::new(-32600, "no model"))).events;
    let [AgentEvent::TurnEnded { error: Some(error), .. }] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(error, "no model");
}

#[test]
fn an_interrupt_waits_until_the_turn_is_known_and_never_stops_a_later_one() {
    let mut session = Session::open(&Choices::new());
    assert!(session.send(Action::Interrupt).unwrap().outbound.is_empty());
    session.send(message("go")).unwrap();
    let begun = session.respond(4, Ok(json!({"turn": {"id": "turn-1", "status": "inProgress"}})));
    assert!(begun.outbound.is_empty(), "there was no turn to stop: {begun:?}");
    let sent = requests(&session.send(Action::Interrupt).unwrap());
    assert_eq!(sent, [("turn/interrupt".to_owned(), json!({"turnId": "turn-1", "threadId": THREAD}))]);

    let mut session = Session::open(&Choices::new());
    session.send(message("go")).unwrap();
    assert!(session.send(Action::Interrupt).unwrap().outbound.is_empty());
    let sent = requests(&session.respond(4, Ok(json!({"turn": {"id": "turn-1", "status": "inProgress"}}))));
    assert_eq!(sent[0].0, "turn/interrupt");
}

#[test]
fn a_turn_ends_with_what_it_used_and_an_interrupted_one_without_an_error() {
    let mut session = Session::in_turn();
    let tokens = |input: u64, output: u64| {
        json!({"totalTokens": input + output, "inputTokens": input,
        "cachedInputTokens": 4, "outputTokens": output})
    };
    let usage = json!({"total": tokens(10, 5), "last": tokens(10, 5), "modelContextWindow": 1000});
    let context = Some(ContextUse { used: 15, size: 1000 });
    let told = session.tell("thread/tokenUsage/updated", json!({"tokenUsage": usage}));
    assert_eq!(told, [AgentEvent::ContextChanged { context }]);
    let told = session
        .tell("turn/completed", json!({"turn": {"id": "turn-1", "status": "completed", "durationMs": 45}}));
    let usage = Usage { input_tokens: 10, output_tokens: 5, cached_tokens: 4, cost: None, context };
    assert_eq!(told, [AgentEvent::TurnEnded { millis: 45, usage, error: None }]);

    let failed = json!({"turn": {"id": "turn-2", "status": "failed", "error": {"message": "no quota", "additionalDetails": "wait"}}});
    let told = session.tell("turn/completed", failed);
    assert!(
        matches!(&told[1], AgentEvent::TurnEnded { error: Some(error), .. } if error == "no quota\nwait"),
        "{told:?}"
    );
    let told = session.tell("turn/completed", json!({"turn": {"id": "turn-3", "status": "interrupted"}}));
    assert!(matches!(&told[1], AgentEvent::TurnEnded { error: None, .. }), "{told:?}");
}

#[test]
fn text_and_reasoning_stream_and_are_repeated_whole() {
    let mut session = Session::in_turn();
    let delta =
        |session: &mut Session, method: &str| session.tell(method, json!({"itemId": "m", "delta": "He"}));
    let text = "He".to_owned();
    assert_eq!(
        delta(&mut session, "item/agentMessage/delta"),
        [AgentEvent::TextDelta { text: text.clone() }]
    );
    for method in ["item/reasoning/summaryTextDelta", "item/reasoning/textDelta"] {
        assert_eq!(delta(&mut session, method), [AgentEvent::ThinkingDelta { text: text.clone() }]);
    }
    let said = json!({"type": "agentMessage", "id": "m", "text": "Hello.", "questions": null});
    assert_eq!(item(&mut session, "item/completed", said), [AgentEvent::Said { text: "Hello.".to_owned() }]);
    let thought = json!({"type": "reasoning", "id": "r", "summary": ["One.", "Two."], "content": []});
    assert_eq!(
        item(&mut session, "item/completed", thought),
        [AgentEvent::Thought { text: "One.\n\nTwo.".to_owned() }]
    );
    let plan = json!({"explanation": null, "plan": [{"step": "A", "status": "completed"},
        {"step": "B", "status": "inProgress"}, {"step": "C", "status": "pending"}]});
    let step = |text: &str, status| TodoItem { text: text.to_owned(), status };
    let items =
        vec![step("A", TodoStatus::Done), step("B", TodoStatus::InProgress), step("C", TodoStatus::Pending)];
    assert_eq!(session.tell("turn/plan/updated", plan), [AgentEvent::PlanChanged { items }]);
}

/// The beginning of a PNG, which is enough to tell its format.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[rstest]
#[case::viewed(json!({"type": "imageView", "path": "/a.png"}), "", ResultImage::File("/a.png".to_owned()))]
#[case::generated(json!({"type": "imageGeneration", "status": "completed", "result": "iVBORw0KGgo=", "savedPath": "/b.png"}),
    "", ResultImage::Bytes(PNG.to_vec()))]
#[case::cut(json!({"type": "imageGeneration", "status": "completed", "result": "iVBO … [too large to show: 9000000 bytes]",
    "savedPath": "/b.png"}), "", ResultImage::File("/b.png".to_owned()))]
#[case::of_a_server(json!({"type": "mcpToolCall", "server": "s", "tool": "t", "arguments": {}, "status": "completed",
    "result": {"content": [{"type": "text", "text": "here"}, {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}}),
    "here", ResultImage::Bytes(PNG.to_vec()))]
#[case::of_a_client_tool(json!({"type": "dynamicToolCall", "tool": "t", "arguments": {}, "status": "completed", "success": true,
    "contentItems": [{"type": "inputImage", "imageUrl": "data:image/png;base64,iVBORw0KGgo="}]}), "", ResultImage::Bytes(PNG.to_vec()))]
fn case_126_an_image_in_a_result_is_told_as_one(
    #[case] mut of: Value,
    #[case] text: &str,
    #[case] expected: ResultImage,
) {
    of["id"] = json!("call");
    let told = item(&mut Session::in_turn(), "item/completed", of);
    let [_, AgentEvent::ToolEnded { output, images, .. }] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((output.as_str(), images.as_slice()), (text, &[expected][..]));
}

#[rstest]
#[case::command(json!({"type": "commandExecution", "command": "ls -l", "cwd": "/proj", "source": "agent",
    "commandActions": [{"type": "listFiles", "command": "ls -l"}], "status": "completed", "aggregatedOutput": "a\n", "exitCode": 0}),
    ToolKind::Read, "Shell", "ls -l", true, "a\n")]
#[case::failed_command(json!({"type": "commandExecution", "command": "false", "cwd": "/else", "commandActions": [],
    "status": "completed", "aggregatedOutput": "", "exitCode": 1}), ToolKind::Execute, "Shell", "false", false, "[exit code 1]")]
#[case::declined_command(json!({"type": "commandExecution", "command": "rm x", "cwd": "/proj", "status": "declined"}),
    ToolKind::Execute, "Shell", "rm x", false, "[declined]")]
#[case::files(json!({"type": "fileChange", "status": "completed", "changes": [{"path": "/a", "kind": {"type": "add"}, "diff": "x"}]}),
    ToolKind::Edit, "Edit files", "/a", true, "")]
#[case::tool_of_a_server(json!({"type": "mcpToolCall", "server": "s", "tool": "t", "arguments": {"q": "x"}, "status": "completed",
    "result": {"content": [{"type": "text", "text": "found"}]}}), ToolKind::Other, "mcp__s__t", "x", true, "found")]
#[case::failed_tool(json!({"type": "mcpToolCall", "server": "s", "tool": "t", "arguments": {}, "status": "failed",
    "error": {"message": "down"}}), ToolKind::Other, "mcp__s__t", "", false, "down")]
#[case::search(json!({"type": "webSearch", "query": "rust", "action": null, "results": null}),
    ToolKind::Search, "Web search", "rust", true, "")]
#[case::fetch(json!({"type": "webSearch", "query": "", "action": {"type": "openPage", "url": "https://example.org"}}),
    ToolKind::Fetch, "Web search", "https://example.org", true, "")]
#[case::subagent(json!({"type": "collabAgentToolCall", "tool": "spawnAgent", "status": "completed", "prompt": "look around",
    "agentsStates": {"x": {"status": "completed", "message": "Done."}}}),
    ToolKind::Think, "Subagent: spawnAgent", "look around", true, "Done.")]
fn an_item_of_any_kind_is_shown_with_its_end(
    #[case] mut of: Value,
    #[case] kind: ToolKind,
    #[case] name: &str,
    #[case] summary: &str,
    #[case] ok: bool,
    #[case] output: &str,
) {
    of["id"] = json!("call");
    let mut session = Session::in_turn();
    let told = item(&mut session, "item/started", of.clone());
    let [AgentEvent::ToolStarted { kind: shown, name: called, summary: line, status, detail, .. }] =
        told.as_slice()
    else {
        panic!("{told:?}")
    };
    assert_eq!((*shown, called.as_str(), line.as_str(), *status), (kind, name, summary, ToolStatus::Running));
    assert!(
        name != "teleport" || *detail == ToolDetail::Other { input: "{\n  \"to\": \"Mars\"\n}".to_owned() }
    );
    let told = item(&mut session, "item/completed", of.clone());
    let ended = AgentEvent::ToolEnded {
        tool_use: "call".to_owned(),
        ok,
        output: output.to_owned(),
        images: Vec::new(),
    };
    assert_eq!(told.last(), Some(&ended));
    // One that is only told when it is over is shown all the same.
    let told = item(&mut Session::in_turn(), "item/completed", of);
    assert!(
        matches!(told.as_slice(), [AgentEvent::ToolStarted { .. }, .., end] if *end == ended),
        "{told:?}"
    );
}

#[test]
fn a_subagents_tools_are_shown_and_its_turns_and_words_are_not_the_agents_own() {
    let mut session = Session::in_turn();
    let thread = json!({"id": "child", "parentThreadId": THREAD, "agentNickname": "Scout"});
    session.receive(RpcIn::notification("thread/started", json!({"thread": thread})));
    let mut tell = |method: &str, params: Value| {
        let mut params = params;
        params["threadId"] = json!("child");
        session.receive(RpcIn::notification(method, params)).events
    };
    assert_eq!(tell("turn/started", json!({"turn": {"id": "t2", "status": "inProgress"}})), []);
    assert_eq!(tell("item/agentMessage/delta", json!({"delta": "x"})), []);
    assert_eq!(tell("item/completed", json!({"item": {"type": "agentMessage", "id": "m", "text": "x"}})), []);
    assert_eq!(tell("turn/completed", json!({"turn": {"id": "t2", "status": "completed"}})), []);
    let command = json!({"item": {"type": "commandExecution", "id": "c", "command": "ls", "cwd": "/proj"}});
    assert!(matches!(tell("item/started", command).as_slice(), [AgentEvent::ToolStarted { .. }]));
    let asks = json!({"threadId": "child", "questions": [{"id": "q", "question": "Which?", "options": []}]});
    let told = session.receive(RpcIn::request(json!(0), "item/tool/requestUserInput", asks)).events;
    let [AgentEvent::Asked(asked)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(asked.asked_by.as_deref(), Some("Scout"));
}

#[test]
fn case_107_what_a_subagent_asks_outlives_the_agents_turn_and_ends_with_its_own() {
    let mut session = Session::in_turn();
    let thread = json!({"id": "child", "parentThreadId": THREAD, "agentNickname": "Scout"});
    session.receive(RpcIn::notification("thread/started", json!({"thread": thread})));
    let method = "item/commandExecution/requestApproval";
    let command = |thread: &str| json!({"threadId": thread, "itemId": "c", "command": "ls", "cwd": "/proj"});
    let asked = session.receive(RpcIn::request(json!(0), method, command("child"))).events;
    let [AgentEvent::ApprovalAsked { native_ref: of_child, helper, asked_by, .. }] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!(helper.as_ref().map(HelperId::as_str), Some("child"));
    assert_eq!(asked_by.as_deref(), Some("Scout"));
    let own = session.ask(1, method, command(THREAD)).events;
    let [AgentEvent::ApprovalAsked { native_ref: own, helper: None, .. }] = own.as_slice() else {
        panic!("{own:?}")
    };
    let withdrawn = |events: &[AgentEvent]| -> Vec<NativeRef> {
        let each = events.iter().filter_map(|event| match event {
            AgentEvent::Withdrawn { native_ref } => Some(native_ref.clone()),
            _ => None,
        });
        each.collect()
    };
    let ended = session.tell("turn/completed", json!({"turn": {"id": "turn-1", "status": "interrupted"}}));
    assert_eq!(withdrawn(&ended), std::slice::from_ref(own));
    let child_ended = json!({"threadId": "child", "turn": {"id": "t2", "status": "interrupted"}});
    let child_ended = session.receive(RpcIn::notification("turn/completed", child_ended)).events;
    assert_eq!(withdrawn(&child_ended), std::slice::from_ref(of_child));
}

#[test]
fn case_112_each_retry_is_told_and_a_rejected_login_once() {
    let mut session = Session::in_turn();
    let error = |message: &str, info: Value| json!({"error": {"message": message, "codexErrorInfo": info}, "willRetry": true});
    let retrying = |attempt: Option<u32>, of: Option<u32>, reason: &str| AgentEvent::Retrying {
        retry: Retry { attempt, of, reason: reason.to_owned(), begins: RetryBegins::Unknown },
    };
    let broken = json!({"responseStreamDisconnected": {"httpStatusCode": null}});
    assert_eq!(
        session.tell("error", error("Reconnecting... 2/5", broken)),
        [retrying(Some(2), Some(5), "Reconnecting... 2/5")]
    );
    let rejected = error("No access", json!({"responseStreamConnectionFailed": {"httpStatusCode": 401}}));
    let notice = Notice::LoginRejected { error: "No access".to_owned() };
    assert_eq!(
        session.tell("error", rejected.clone()),
        [AgentEvent::Noticed { notice }, retrying(None, None, "No access")]
    );
    assert_eq!(session.tell("error", rejected), [retrying(None, None, "No access")]);
    // The end of the turn tells this one.
    assert_eq!(session.tell("error", json!({"error": {"message": "x"}, "willRetry": false})), []);
}

#[test]
fn case_112_a_login_that_is_rejected_without_a_retry_is_told_at_the_end_of_the_turn() {
    let mut session = Session::in_turn();
    let error =
        json!({"message": "No access", "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 401}}});
    let ended =
        session.tell("turn/completed", json!({"turn": {"id": "turn-1", "status": "failed", "error": error}}));
    let notice = Notice::LoginRejected { error: "No access".to_owned() };
    let [told, AgentEvent::TurnEnded { error: Some(error), .. }] = &ended[..] else { panic!("{ended:?}") };
    assert_eq!((told, error.as_str()), (&AgentEvent::Noticed { notice }, "No access"));
}

#[test]
fn warnings_are_told_and_what_is_not_known_is_counted() {
    let mut session = Session::in_turn();
    let warned = |text: &str| [AgentEvent::Noticed { notice: Notice::AgentWarned { text: text.to_owned() } }];
    assert_eq!(session.tell("warning", json!({"message": "Careful."})), warned("Careful."));
    assert_eq!(
        session.tell("configWarning", json!({"summary": "Odd.", "details": "Line 1"})),
        warned("Odd.\nLine 1")
    );
    let limits = json!({"rateLimits": {"limitId": "codex", "rateLimitReachedType": "primary"}});
    assert_eq!(
        session.tell("account/rateLimits/updated", limits.clone()),
        warned("A usage limit was reached: codex (primary)")
    );
    assert_eq!(session.tell("account/rateLimits/updated", limits), []);
    let none = json!({"rateLimits": {"limitId": "codex", "rateLimitReachedType": null}});
    assert_eq!(session.tell("account/rateLimits/updated", none), []);
    let why = InputError::UnknownType { kind: "thread/teleported".to_owned() };
    assert_eq!(session.tell("thread/teleported", json!({})), [AgentEvent::InvalidInput { why }]);
    let output = session.ask(9, "item/teleport", json!({}));
    assert!(format!("{:?}", output.outbound).contains("-32601"), "{output:?}");
    let output = session.ask(10, "item/tool/call", json!({"tool": "teleport", "arguments": {}}));
    assert!(format!("{:?}", output.outbound).contains("no tool named teleport"), "{output:?}");
}

#[test]
fn a_proposed_plan_stays_in_the_transcript_waits_for_approval_and_the_next_turn_leaves_plan_mode() {
    let plan = json!({"type": "plan", "id": "p", "text": "# Plan\n"});
    let done = json!({"turn": {"id": "turn-1", "status": "completed"}});
    let propose = || {
        let mut session = Session::in_turn();
        let settings = json!({"threadSettings": {"collaborationMode": {"mode": "plan"}}});
        session.tell("thread/settings/updated", settings);
        assert_eq!(item(&mut session, "item/completed", plan.clone()), []);
        let told = session.tell("turn/completed", done.clone());
        let [
            AgentEvent::Said { text },
            AgentEvent::ApprovalAsked { native_ref, subject, .. },
            AgentEvent::TurnEnded { .. },
        ] = told.as_slice()
        else {
            panic!("{told:?}")
        };
        assert_eq!(text, "# Plan\n");
        assert_eq!(*subject, ToolDetail::Plan { plan: "# Plan\n".to_owned(), path: None });
        (session, native_ref.clone())
    };
    let decide = |option: &'static str, message: Option<&str>, edited: Option<&str>| {
        let (mut session, native_ref) = propose();
        let decision = ApprovalDecision {
            message: message.map(str::to_owned),
            plan: edited.map(str::to_owned),
            ..ApprovalDecision::of(ApprovalOptionId::literal(option))
        };
        requests(&session.send(Action::Decide { native_ref, decision }).unwrap())
    };
    let sent = decide("implement", None, None);
    assert_eq!(
        (sent[0].0.as_str(), &sent[0].1["collaborationMode"]["mode"]),
        ("turn/start", &json!("default"))
    );
    assert_eq!(sent[0].1["input"][0]["text"], "Implement the plan.");
    let sent = decide("implement", None, Some("# Mine"));
    assert!(sent[0].1["input"][0]["text"].as_str().unwrap().ends_with("# Mine"));
    let sent = decide("keep-planning", Some("Smaller."), None);
    assert_eq!(
        (&sent[0].1["input"][0]["text"], &sent[0].1["collaborationMode"]),
        (&json!("Smaller."), &Value::Null)
    );
    assert!(decide("keep-planning", None, None).is_empty());

    // A message of the user is an answer to it too.
    let (mut session, native_ref) = propose();
    let output = session.send(message("Something else.")).unwrap();
    assert_eq!(output.events, [AgentEvent::Withdrawn { native_ref }]);

    // Outside plan mode it needs no approval.
    let mut session = Session::in_turn();
    assert_eq!(item(&mut session, "item/completed", plan.clone()), []);
    let told = session.tell("turn/completed", done.clone());
    assert!(matches!(told.as_slice(), [AgentEvent::Said { .. }, AgentEvent::TurnEnded { .. }]), "{told:?}");
}

#[test]
fn a_compacted_context_is_told_once() {
    let mut session = Session::in_turn();
    let compacted = json!({"type": "contextCompaction", "id": "c"});
    assert_eq!(item(&mut session, "item/started", compacted.clone()), []);
    let told = item(&mut session, "item/completed", compacted);
    assert_eq!(told, [AgentEvent::Noticed { notice: Notice::Compacted }]);
    assert_eq!(session.tell("thread/compacted", json!({})), []);
}

#[test]
fn a_session_that_is_closed_stops_its_turn_and_answers_what_is_open_in_words() {
    let mut session = Session::in_turn();
    let question = json!({"questions": [{"id": "q", "question": "Which?", "options": []}]});
    session.ask(0, "item/tool/requestUserInput", question);
    session.ask(1, "item/commandExecution/requestApproval", json!({"kind": "command", "command": "x"}));
    let output = session.send(Action::Close).unwrap();
    let lines: Vec<String> = output
        .outbound
        .iter()
        .map(|outbound| match outbound {
            Outbound::Rpc(RpcOut::Request { method, .. }) => method.clone(),
            Outbound::Rpc(RpcOut::Response { id, result: Ok(result) }) => format!("{id} {result}"),
            other => panic!("{other:?}"),
        })
        .collect();
    let words =
        r#"0 {"answers":{"q":{"answers":["user_note: The user closed the session without answering."]}}}"#;
    assert_eq!(lines, ["turn/interrupt", words, r#"1 {"decision":"cancel"}"#, "thread/unsubscribe"]);
}

#[test]
fn a_session_that_the_server_closed_is_opened_again_by_the_next_message() {
    let mut session = Session::open(&Choices::new());
    session.tell("thread/closed", json!({}));
    let sent = requests(&session.send(message("go")).unwrap());
    assert_eq!((sent[0].0.as_str(), &sent[0].1["threadId"]), ("thread/resume", &json!(THREAD)));
    let sent = requests(&session.respond(4, Ok(opened())));
    assert_eq!(sent[0].0, "turn/start");
}
