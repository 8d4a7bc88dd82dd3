//! The real `claude` against the mocked model: what was measured still holds, and the fake agent has its shapes.

use crate::support::host;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::host::{Host, MANAGED, kind};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};

const AUTH: &str = "Which auth method should we use?";
const FEATURES: &str = "Which features do you want?";

fn questions() -> Value {
    json!([
        {"question": AUTH, "header": "Auth method", "multiSelect": false, "options": [
            {"label": "JWT", "description": "Stateless tokens"},
            {"label": "Sessions", "description": "Kept on the server"}]},
        {"question": FEATURES, "header": "Features", "multiSelect": true, "options": [
            {"label": "Dark mode", "description": "Theme"},
            {"label": "Sync", "description": "Two devices"},
            {"label": "Export", "description": "To PDF"}]},
    ])
}

/// A session of the real program in folders of its own.
struct Real {
    host: Host,
    _mock: MockApi,
    _home: tempfile::TempDir,
    _project: tempfile::TempDir,
}

impl Real {
    async fn start(program: &Path, script: Vec<Reply>, flags: &[&str]) -> Self {
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let args = [&MANAGED[..], flags].concat();
        let env = clis::sealed_env(home.path(), &mock.base_url);
        let host = Host::start(program, &args, &env, project.path());
        Self { host, _mock: mock, _home: home, _project: project }
    }
}

fn asking_script() -> Vec<Reply> {
    vec![
        Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())]),
        Reply::text("Thank you."),
    ]
}

/// The events of one question, from the handshake to the end of the turn.
fn play_question(host: &mut Host, decide: fn(&mut Host, &Value)) -> Vec<Value> {
    host.send(&json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "initialize"}}));
    let mut events = host.until(|event| event["type"] == "control_response");
    host.send(&host::user(&json!("go"), Some("5a24b1ba-14f3-43d9-915b-8cde61a0cbd5")));
    events.extend(host.until(|event| event["type"] == "control_request"));
    let request = events.last().unwrap().clone();
    decide(host, &request);
    events.extend(host.until(|event| {
        ["command_lifecycle completed", "command_lifecycle cancelled"].contains(&kind(event).as_str())
    }));
    events
}

fn answer(host: &mut Host, request: &Value) {
    let first = request["request"]["input"]["questions"][0]["question"].as_str().unwrap();
    host.answer(request, &json!({first: "My own way"}));
}

fn refuse(host: &mut Host, request: &Value) {
    host.respond(request, &json!({"behavior": "deny", "message": "The user declined to answer."}));
}

fn refuse_and_stop(host: &mut Host, request: &Value) {
    host.respond(request, &json!({"behavior": "deny", "message": "Stop.", "interrupt": true}));
}

fn interrupt(host: &mut Host, _: &Value) {
    host.send(&json!({"type": "control_request", "request_id": "stop", "request": {"subtype": "interrupt"}}));
}

/// Every path of keys that occurs in the events of each kind.
fn shapes(events: &[Value]) -> BTreeMap<String, BTreeSet<String>> {
    fn walk(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    // What a user or a scenario chose is no shape.
                    let key = if path.ends_with("answers") { "*" } else { key };
                    let path = format!("{path}.{key}");
                    walk(value, &path, paths);
                    paths.insert(path);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{path}[]"), paths)),
            _ => {}
        }
    }
    let mut shapes = BTreeMap::<String, BTreeSet<String>>::new();
    for event in events {
        walk(event, "", shapes.entry(kind(event)).or_default());
    }
    shapes
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fake_agent_sends_no_event_and_no_key_that_the_real_one_does_not() {
    let test = "the_fake_agent_sends_no_event_and_no_key_that_the_real_one_does_not";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let flags = ["--include-partial-messages", "--replay-user-messages"];
    for decide in [answer, refuse, refuse_and_stop, interrupt] {
        let mut real = Real::start(&program, asking_script(), &flags).await;
        let real = play_question(&mut real.host, decide);
        let hello = real.iter().find(|event| event["type"] == "control_response").unwrap();
        let version = &hello["response"]["response"]["claude_code_version"];
        assert_eq!(*version, askdesk_demo_agent::PROTOCOL_VERSION);
        let real = shapes(&real);

        let args = [&MANAGED[..], &flags, &["--scenario", "technology"]].concat();
        let mut fake = Host::start(Path::new(env!("CARGO_BIN_EXE_fake-agent")), &args, &[], Path::new("."));
        let fake = shapes(&play_question(&mut fake, decide));

        assert_eq!(fake.keys().collect::<BTreeSet<_>>(), real.keys().collect::<BTreeSet<_>>());
        for (kind, keys) in &fake {
            let unknown: Vec<_> = keys.difference(&real[kind]).collect();
            assert!(unknown.is_empty(), "{kind}: the real program does not send {unknown:?}");
        }
    }
}
