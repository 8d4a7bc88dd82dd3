//! The agents' own commands: what is told of them, and what a message that begins with one becomes.

use askdesk_agents::{Action, Adapter, AgentEvent, Attached, Open, Outbound, Output};
use askdesk_domain::{AgentCommand, Choices, ImageFormat};
use rstest::rstest;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::claude::Claude;
use crate::support::codex::{Session, THREAD, requests};
use crate::support::opencode::OpenCodeSession;

fn message(text: &str) -> Action {
    Action::Message { id: Uuid::nil(), text: text.to_owned(), attached: Attached::default() }
}

fn with_image(text: &str) -> Action {
    let attached = Attached { images: vec![(ImageFormat::Png, vec![1])], files: Vec::new() };
    Action::Message { id: Uuid::nil(), text: text.to_owned(), attached }
}

/// The commands that were told of last, by name.
fn told(events: &[AgentEvent]) -> Option<Vec<&AgentCommand>> {
    events.iter().rev().find_map(|event| match event {
        AgentEvent::CommandsChanged { commands } => Some(commands.iter().collect()),
        _ => None,
    })
}

fn names(events: &[AgentEvent]) -> Vec<&str> {
    told(events).unwrap_or_default().into_iter().map(|command| command.name.as_str()).collect()
}

#[test]
fn claude_code_lists_its_commands_in_the_handshake_and_again_when_they_change() {
    let mut claude = Claude::new();
    claude.hello();
    let commands = json!([
        {"name": "greet", "description": "Greet somebody (project)", "argumentHint": "<name>"},
        {"name": "agents", "description": "(removed) Ask Claude to manage subagents", "argumentHint": ""},
        {"name": "__remote", "description": "Run the script", "argumentHint": ""},
        {"name": "two words", "description": "No message can begin with it", "argumentHint": ""},
        {"description": "nameless"},
    ]);
    let response = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "askdesk-1",
        "response": {"claude_code_version": "2.1.329", "commands": commands}}});
    let events = claude.on_line(response.to_string().as_bytes());
    let greet = AgentCommand::new("greet", "Greet somebody (project)", "<name>").unwrap();
    assert_eq!(told(&events), Some(vec![&greet]));

    let changed = json!({"type": "system", "subtype": "commands_changed", "commands": [{"name": "other"}]});
    assert_eq!(names(&claude.on_line(changed.to_string().as_bytes())), ["other"]);
    let broken = json!({"type": "system", "subtype": "commands_changed", "commands": "none"});
    assert_eq!(claude.on_line(broken.to_string().as_bytes()), []);
}

fn skills() -> Value {
    json!({"data": [{"cwd": "/proj", "errors": [], "skills": [
        {"name": "greet", "description": "Greet somebody, whoever it is", "shortDescription": "Greet somebody",
         "path": "/proj/.agents/skills/greet/SKILL.md", "scope": "repo", "enabled": true},
        {"name": "off", "description": "Turned off", "path": "/off", "scope": "user", "enabled": false},
        {"name": "review", "description": "Named like a command", "path": "/review", "scope": "user", "enabled": true},
    ]}]})
}

fn codex() -> Session {
    let mut session = Session::unopened(&Choices::new());
    let opening = session.0.open(Open::New);
    assert_eq!(requests(&opening)[2], ("skills/list".to_owned(), json!({"cwds": ["/proj"]})));
    session.respond(1, Ok(crate::support::codex::opened()));
    let events = session.respond(3, Ok(skills())).events;
    assert_eq!(names(&events), ["review", "compact", "greet"]);
    assert_eq!(told(&events).unwrap()[2].description.as_deref(), Some("Greet somebody"));
    session
}

#[rstest]
#[case::review("/review", "review/start", json!({"target": {"type": "uncommittedChanges"}}))]
#[case::review_of("/review the last\ncommit", "review/start",
    json!({"target": {"type": "custom", "instructions": "the last\ncommit"}}))]
#[case::compact("/compact ", "thread/compact/start", json!({}))]
#[case::a_shell("!git status | head", "thread/shellCommand", json!({"command": "git status | head"}))]
fn codex_is_asked_for_what_its_terminal_does_for_a_command(
    #[case] text: &str,
    #[case] method: &str,
    #[case] mut params: Value,
) {
    let mut session = codex();
    params["threadId"] = json!(THREAD);
    assert_eq!(requests(&session.send(message(text)).unwrap()), [(method.to_owned(), params)]);
}

#[test]
fn a_skill_of_codex_goes_along_with_the_words_behind_its_name() {
    let mut session = codex();
    let sent = requests(&session.send(message("/greet Ada")).unwrap());
    let skill = json!({"type": "skill", "name": "greet", "path": "/proj/.agents/skills/greet/SKILL.md"});
    assert_eq!(sent[0].0, "turn/start");
    assert_eq!((&sent[0].1["input"][0], &sent[0].1["input"][1]["text"]), (&skill, &json!("Ada")));
    let sent = requests(&session.send(message("/greet")).unwrap());
    assert_eq!(sent[0].1["input"], json!([skill]));
}

#[rstest]
#[case::unknown(message("/home/ada/notes is where they are"))]
#[case::a_skill_that_is_off(message("/off"))]
#[case::with_an_image(with_image("/review"))]
#[case::a_mark_alone(message("!"))]
fn any_other_message_to_codex_is_sent_as_it_is(#[case] action: Action) {
    let Action::Message { text, .. } = &action else { unreachable!() };
    let expected = text.clone();
    let sent = requests(&codex().send(action).unwrap());
    let words = sent[0].1["input"].as_array().unwrap().last().unwrap();
    assert_eq!((sent[0].0.as_str(), &words["text"]), ("turn/start", &json!(expected)));
}

#[test]
fn codex_tells_of_its_commands_again_when_skills_change_and_without_them_when_they_can_not_be_read() {
    let mut session = codex();
    let asked = session.receive(askdesk_agents::RpcIn::notification("skills/changed", json!({})));
    assert_eq!(requests(&asked)[0].0, "skills/list");
    let error = askdesk_agents::RpcError { code: -32_603, message: "no".to_owned(), data: None };
    assert_eq!(names(&session.respond(4, Err(error)).events), ["review", "compact"]);
}

#[test]
fn what_codex_found_in_a_review_is_said_once() {
    let mut session = Session::in_turn();
    let mut item = |what: &str, item: Value| session.tell(what, json!({"turnId": "turn-1", "item": item}));
    let entered = json!({"type": "enteredReviewMode", "id": "r1", "review": "current changes"});
    assert_eq!(item("item/started", entered.clone()), []);
    assert_eq!(item("item/completed", entered), []);
    let raw = json!({"type": "agentMessage", "id": "m1", "text": "{\"findings\": []}"});
    assert_eq!(item("item/completed", raw), [AgentEvent::TextDropped]);
    let exited = json!({"type": "exitedReviewMode", "id": "r2", "review": "Nothing found."});
    item("item/started", exited.clone());
    assert_eq!(item("item/completed", exited), [AgentEvent::TextDropped]);
    let said = json!({"type": "agentMessage", "id": "m2", "text": "Nothing found."});
    assert_eq!(item("item/completed", said), [AgentEvent::Said { text: "Nothing found.".to_owned() }]);
}

fn opencode() -> OpenCodeSession {
    let mut session = OpenCodeSession::begin(Open::New);
    session.respond("POST /session", Ok(json!({"id": "ses_1", "version": "1.18.33"})));
    let listed = json!([
        {"name": "init", "description": "guided setup", "hints": ["$ARGUMENTS"], "source": "command"},
        {"name": "team/greet", "hints": [], "source": "command"},
    ]);
    session.respond("GET /command", Ok(listed));
    assert_eq!(names(&session.events), ["init", "team/greet", "compact"]);
    session.requests.clear();
    session
}

#[rstest]
#[case::with_arguments("/init the tests", "POST /session/ses_1/command",
    json!({"command": "init", "arguments": "the tests", "parts": []}))]
#[case::in_a_folder("/team/greet", "POST /session/ses_1/command",
    json!({"command": "team/greet", "arguments": "", "parts": []}))]
#[case::a_shell("! git status", "POST /session/ses_1/shell", json!({"agent": "build", "command": "git status"}))]
#[case::unknown("/tmp is full", "POST /session/ses_1/prompt_async",
    json!({"parts": [{"type": "text", "text": "/tmp is full"}]}))]
fn opencode_is_asked_for_a_command_it_knows(#[case] text: &str, #[case] to: &str, #[case] body: Value) {
    let mut session = opencode();
    session.message(text);
    assert_eq!(session.requests, [(to.to_owned(), body)]);
}

#[test]
fn a_command_that_opencode_refuses_ends_its_turn_with_the_reason() {
    let mut session = opencode();
    session.message("/init");
    session.events.clear();
    let error = askdesk_agents::RpcError { code: -32_000, message: "no model".to_owned(), data: None };
    session.respond("POST /session/ses_1/command", Err(error));
    assert!(
        matches!(&session.events[..], [AgentEvent::Noticed { .. }, AgentEvent::TurnEnded { error: Some(why), .. }]
        if why == "no model"),
        "{:?}",
        session.events
    );
}

#[test]
fn claude_code_gets_a_command_as_it_is_typed() {
    let mut claude = Claude::new();
    claude.hello();
    let out: Output = claude.send(message("/greet Ada")).unwrap();
    let [Outbound::Line(line)] = out.outbound.as_slice() else { panic!("{out:?}") };
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["message"]["content"], "/greet Ada");
}
