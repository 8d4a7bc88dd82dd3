//! Permission requests as Codex sends them, and what each decision is answered with.

use crate::support::codex::{Session, requests, result};
use askdesk_agents::{Action, AgentEvent, EncodeError, InputError, Outbound, Output, RpcOut};
use askdesk_domain::{
    AgentRemark, ApprovalDecision, ApprovalOption, ApprovalOptionId, ApprovalOptionKind, NativeRef, Notice,
    OptionLabel, OptionScope, RemarkStance, ToolDetail,
};
use rstest::rstest;
use serde_json::{Value, json};

struct Asked {
    native_ref: NativeRef,
    tool_use: Option<String>,
    title: String,
    description: Option<String>,
    /// What the agent itself says.
    remark: String,
    subject: ToolDetail,
    options: Vec<ApprovalOption>,
}

fn approval(output: &Output) -> Asked {
    match output.events.as_slice() {
        [
            AgentEvent::ApprovalAsked {
                native_ref,
                tool_use,
                title,
                description,
                remark,
                subject,
                options,
                ..
            },
        ] => {
            let reason = |remark: &AgentRemark| {
                assert_eq!(remark.stance, RemarkStance::Reason);
                remark.words.clone().unwrap()
            };
            Asked {
                remark: remark.as_ref().map(reason).unwrap_or_default(),
                native_ref: native_ref.clone(),
                tool_use: tool_use.clone(),
                title: title.clone(),
                description: description.clone(),
                subject: subject.clone(),
                options: options.clone(),
            }
        }
        other => panic!("{other:?}"),
    }
}

/// What the server gets for each option that is offered.
fn results(method: &str, params: &Value) -> Vec<(String, ApprovalOptionKind, Option<OptionScope>, Value)> {
    let offered = approval(&Session::in_turn().ask(0, method, params.clone())).options;
    let decide = |option: &ApprovalOption| {
        let mut session = Session::in_turn();
        let asked = approval(&session.ask(0, method, params.clone()));
        let decision = ApprovalDecision::of(option.id.clone());
        let output = session.send(Action::Decide { native_ref: asked.native_ref, decision }).unwrap();
        (option.id.to_string(), option.kind, option.scope, result(&output))
    };
    offered.iter().map(decide).collect()
}

const COMMAND: &str = "item/commandExecution/requestApproval";
const FILES: &str = "item/fileChange/requestApproval";

fn command(changes: Value) -> Value {
    let mut params = json!({"kind": "command", "turnId": "turn-1", "itemId": "call_x", "reason": "Outside?",
        "command": "/bin/bash -lc 'touch /x'", "cwd": "/proj", "commandActions": []});
    if let (Value::Object(params), Value::Object(changes)) = (&mut params, changes) {
        params.extend(changes);
    }
    params
}

#[test]
fn case_66_every_decision_on_a_command_is_offered_and_arrives_as_it_was_made() {
    use ApprovalOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let rule = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["touch", "/x"]}});
    let host = |action: &str| json!({"host": "example.org", "action": action});
    let network =
        |action: &str| json!({"applyNetworkPolicyAmendment": {"network_policy_amendment": host(action)}});
    // As the server names them, with a refusal that does not stop the turn.
    let named = json!({"availableDecisions": ["accept", rule, "cancel", "juggle"]});
    let decided =
        |id: &str, kind, scope, decision: &Value| (id.to_owned(), kind, scope, json!({"decision": decision}));
    assert_eq!(
        results(COMMAND, &command(named)),
        [
            decided("accept", AllowOnce, None, &json!("accept")),
            decided("rule-2", AllowAlways, Some(OptionScope::User), &rule),
            decided("decline", RejectOnce, None, &json!("decline")),
            decided("cancel", RejectOnce, None, &json!("cancel")),
        ]
    );
    // As they follow from the request, where the server names none.
    let proposed = json!({"proposedExecpolicyAmendment": ["touch", "/x"],
        "proposedNetworkPolicyAmendments": [host("allow"), host("deny")]});
    assert_eq!(
        results(COMMAND, &command(proposed)),
        [
            decided("accept", AllowOnce, None, &json!("accept")),
            decided("acceptForSession", AllowAlways, Some(OptionScope::Session), &json!("acceptForSession")),
            decided("rule-3", AllowAlways, Some(OptionScope::User), &rule),
            decided("host-4", AllowAlways, Some(OptionScope::User), &network("allow")),
            decided("host-5", RejectAlways, Some(OptionScope::User), &network("deny")),
            decided("decline", RejectOnce, None, &json!("decline")),
            decided("cancel", RejectOnce, None, &json!("cancel")),
        ]
    );
}

#[test]
fn a_command_is_shown_whole_with_its_folder_and_its_reason() {
    // The card shows the session's own folder anyway.
    let asked = approval(&Session::in_turn().ask(0, COMMAND, command(json!({}))));
    let ToolDetail::Command { description, .. } = asked.subject else { panic!() };
    assert_eq!(description.as_deref(), Some("Outside?"));
    let more = json!({"cwd": "/proj/api", "additionalPermissions": {"network": {"enabled": true}}});
    let asked = approval(&Session::in_turn().ask(0, COMMAND, command(more)));
    assert_eq!((asked.title.as_str(), asked.tool_use.as_deref()), ("Shell", Some("call_x")));
    let ToolDetail::Command { command, description } = asked.subject else { panic!() };
    assert_eq!(command, "/bin/bash -lc 'touch /x'");
    assert_eq!(description.as_deref(), Some("Outside?"));
    let said = "cwd: /proj/api\nadditional permissions: {\"network\":{\"enabled\":true}}";
    assert_eq!(asked.remark, said, "case 138: not the model's words");
}

#[test]
fn a_connection_is_shown_with_its_host() {
    let network = json!({"networkApprovalContext": {"host": "example.org", "protocol": "https"}});
    let asked = approval(&Session::in_turn().ask(0, COMMAND, command(network)));
    assert_eq!(asked.subject, ToolDetail::Network { target: "https://example.org".to_owned() });
    assert_eq!(asked.description.as_deref(), Some("Outside?"));
    assert!(asked.remark.contains("touch /x"), "{}", asked.remark);
}

#[test]
fn case_66_a_change_of_files_shows_what_changes_and_takes_each_decision() {
    let mut session = Session::in_turn();
    let changes = json!([{"path": "/proj/a.txt", "kind": {"type": "add"}, "diff": "hello\n"}]);
    session.tell(
        "item/started",
        json!({"item": {"type": "fileChange", "id": "p1", "status": "inProgress", "changes": changes}}),
    );
    let params = json!({"turnId": "turn-1", "itemId": "p1", "reason": null, "grantRoot": "/proj"});
    let asked = approval(&session.ask(0, FILES, params.clone()));
    let content = "hello\n".to_owned();
    assert_eq!(asked.subject, ToolDetail::Write { path: "/proj/a.txt".to_owned(), content });
    assert!(asked.description.is_none() && asked.remark.contains("/proj"), "{}", asked.remark);
    let words: Vec<Value> =
        results(FILES, &params).into_iter().map(|(.., result)| result["decision"].clone()).collect();
    assert_eq!(words, ["accept", "acceptForSession", "decline", "cancel"]);
}

#[rstest]
#[case::updated(json!([{"path": "/a", "kind": {"type": "update", "move_path": null}, "diff": "@@ -1 +1 @@\n-a\n+b\n"}]),
    ToolDetail::Edit { path: "/a".to_owned(), diff: "@@ -1 +1 @@\n-a\n+b\n".to_owned() })]
#[case::moved(json!([{"path": "/a", "kind": {"type": "update", "move_path": "/b"}, "diff": ""}]),
    ToolDetail::Edit { path: "/a → /b".to_owned(), diff: String::new() })]
#[case::deleted(json!([{"path": "/a", "kind": {"type": "delete"}, "diff": "x\n"}]),
    ToolDetail::Other { input: "delete /a\nx\n".to_owned() })]
#[case::several(json!([{"path": "/a", "kind": {"type": "add"}, "diff": "x\n"}, {"path": "/b", "kind": {"type": "delete"}, "diff": "y\n"}]),
    ToolDetail::Other { input: "add /a\nx\n\ndelete /b\ny\n".to_owned() })]
fn changes_of_files_are_shown_whole(#[case] changes: Value, #[case] expected: ToolDetail) {
    let mut session = Session::in_turn();
    session.tell("item/started", json!({"item": {"type": "fileChange", "id": "p1", "changes": []}}));
    session.tell("item/fileChange/patchUpdated", json!({"itemId": "p1", "changes": changes}));
    assert_eq!(approval(&session.ask(0, FILES, json!({"itemId": "p1"}))).subject, expected);
}

#[test]
fn case_66_further_permissions_are_granted_as_they_were_asked_for_or_not_at_all() {
    let wanted = json!({"network": {"enabled": true}, "fileSystem": null});
    let params =
        json!({"turnId": "turn-1", "itemId": "x", "cwd": "/proj", "reason": "Fetch", "permissions": wanted});
    let granted = json!({"network": {"enabled": true}});
    let sent: Vec<Value> =
        results("item/permissions/requestApproval", &params).into_iter().map(|(.., sent)| sent).collect();
    assert_eq!(
        sent,
        [
            json!({"permissions": granted, "scope": "turn"}),
            json!({"permissions": granted, "scope": "turn", "strictAutoReview": true}),
            json!({"permissions": granted, "scope": "session"}),
            json!({"permissions": {}, "scope": "turn"}),
        ]
    );
}

#[test]
fn a_call_of_a_tool_of_a_server_is_a_permission_and_no_question() {
    let params = json!({"turnId": "turn-1", "serverName": "tracker", "mode": "form", "message": "Allow it?",
        "_meta": {"codex_approval_kind": "mcp_tool_call", "persist": ["session", "always"], "tool_name": "close",
            "tool_params": {"issue": 7}},
        "requestedSchema": {"type": "object", "properties": {}}});
    let method = "mcpServer/elicitation/request";
    let asked = approval(&Session::in_turn().ask(0, method, params.clone()));
    assert_eq!(asked.title, "mcp__tracker__close");
    assert_eq!(asked.subject, ToolDetail::Other { input: "{\n  \"issue\": 7\n}".to_owned() });
    let sent: Vec<Value> = results(method, &params).into_iter().map(|(.., sent)| sent).collect();
    let accept = |meta: Value| json!({"action": "accept", "content": {}, "_meta": meta});
    let end = |action: &str| json!({"action": action, "content": null, "_meta": null});
    assert_eq!(
        sent,
        [
            accept(Value::Null),
            accept(json!({"persist": "session"})),
            accept(json!({"persist": "always"})),
            end("decline"),
            end("cancel"),
        ]
    );
}

#[test]
fn case_66_a_command_of_an_unknown_kind_is_refused_and_said() {
    let output = Session::in_turn().ask(0, COMMAND, command(json!({"kind": "teleport"})));
    assert_eq!(output.outbound.len(), 1, "{output:?}");
    assert!(format!("{:?}", output.outbound).contains("decline"), "{output:?}");
    let notice = output.events.iter().find_map(|event| match event {
        AgentEvent::Noticed { notice: Notice::PermissionRefused { reason } } => Some(reason),
        _ => None,
    });
    assert!(notice.unwrap().contains("teleport"), "{output:?}");
}

#[rstest]
#[case::of_a_later_one("item/teleport/requestApproval")]
#[case::of_an_older_one("execCommandApproval")]
fn case_66_and_137_a_permission_request_of_another_protocol_is_refused(#[case] method: &str) {
    let output = Session::in_turn().ask(0, method, json!({}));
    let why = InputError::RequestRefused { kind: method.to_owned() };
    assert!(output.events.contains(&AgentEvent::InvalidInput { why }), "{output:?}");
    assert!(format!("{:?}", output.outbound).contains("Method not found"), "{output:?}");
}

#[test]
fn the_words_of_a_denial_are_a_message_that_the_turn_has_before_it_goes_on() {
    let message = Some("Use the folder.".to_owned());
    let mut session = Session::in_turn();
    let asked = approval(&session.ask(0, COMMAND, command(json!({}))));
    let decision = ApprovalDecision {
        message: message.clone(),
        ..ApprovalDecision::of(ApprovalOptionId::literal("decline"))
    };
    let output = session.send(Action::Decide { native_ref: asked.native_ref, decision }).unwrap();
    let sent = requests(&output);
    assert_eq!((sent[0].0.as_str(), &sent[0].1["expectedTurnId"]), ("turn/steer", &json!("turn-1")));
    assert_eq!(sent[0].1["input"][0]["text"], "Use the folder.");
    assert!(
        matches!(
            output.outbound[..],
            [Outbound::Rpc(RpcOut::Request { .. }), Outbound::Rpc(RpcOut::Response { .. })]
        ),
        "{output:?}"
    );

    // One that stops the turn is followed by a new turn.
    let mut session = Session::in_turn();
    let asked = approval(&session.ask(0, COMMAND, command(json!({}))));
    let decision = ApprovalDecision { message, ..ApprovalDecision::of(ApprovalOptionId::literal("cancel")) };
    let output = session.send(Action::Decide { native_ref: asked.native_ref, decision }).unwrap();
    assert!(requests(&output).is_empty());
    let ended =
        json!({"turn": {"id": "turn-1", "status": "interrupted"}, "threadId": crate::support::codex::THREAD});
    let output = session.receive(askdesk_agents::RpcIn::notification("turn/completed", ended));
    let sent = requests(&output);
    assert_eq!(
        (sent[0].0.as_str(), &sent[0].1["input"][0]["text"]),
        ("turn/start", &json!("Use the folder."))
    );
}

#[test]
fn only_what_was_offered_can_be_decided_and_only_once() {
    let mut session = Session::in_turn();
    let asked = approval(&session.ask(0, COMMAND, command(json!({}))));
    let mut decide = |option: &'static str| {
        let decision = ApprovalDecision::of(ApprovalOptionId::literal(option));
        session.send(Action::Decide { native_ref: asked.native_ref.clone(), decision })
    };
    assert!(matches!(decide("juggle"), Err(EncodeError::Unsupported { .. })));
    assert!(decide("accept").is_ok());
    assert!(matches!(decide("decline"), Err(EncodeError::Gone { .. })));
}

#[test]
fn a_rule_for_a_command_is_named_by_what_it_begins_with() {
    let asked = approval(&Session::in_turn().ask(
        0,
        COMMAND,
        command(json!({"proposedExecpolicyAmendment": ["touch", "/x"]})),
    ));
    let label =
        asked.options.iter().find(|option| option.id.as_str().starts_with("rule")).map(|it| &it.label);
    let Some(OptionLabel::Tool { content, .. }) = label else { panic!("{label:?}") };
    assert_eq!(content.as_deref(), Some("touch /x *"));
}

#[rstest]
#[case::nobody_was_asked(false, 1)]
#[case::somebody_declined(true, 0)]
fn case_139_a_command_that_the_server_refuses_itself_is_told_from_one_that_somebody_declined(
    #[case] asks: bool,
    #[case] refusals: usize,
) {
    let mut session = Session::in_turn();
    let item = |status: &str| {
        json!({"item": {"type": "commandExecution", "id": "call_x", "status": status,
        "command": "touch /x", "commandActions": []}})
    };
    session.tell("item/started", item("inProgress"));
    if asks {
        session.ask(0, COMMAND, command(json!({})));
    }
    let events = session.tell("item/completed", item("declined"));
    let refused = AgentEvent::ToolRefused { tool_use: "call_x".to_owned(), request: None };
    assert_eq!(events.iter().filter(|event| **event == refused).count(), refusals, "{events:?}");
}
