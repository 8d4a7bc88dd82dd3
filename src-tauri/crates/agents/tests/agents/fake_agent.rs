//! The fake agent as a program: its scenarios and its protocol, which has the shapes of the real `claude`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_agents::{
    Inbound, LaunchPlan, Link, LinkEnd, LinkEvent, LinkEvents, LinkPlan, Links, Open, Outbound, claude,
};
use askdesk_domain::Choices;
use askdesk_testkit::clis;
use askdesk_testkit::fake_agent::program_or_build;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tokio::time::timeout;
use uuid::Uuid;

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

const STORE: &str = "Which store should the notes be kept in?";
const FEATURES: &str = "Which features should the first version have?";

const PIECES: &str = "--include-partial-messages";

/// Plans a program that says everything once.
fn launch(program: PathBuf, folder: &Path) -> LaunchPlan {
    let mut plan = claude::launch(program, folder.to_owned(), &Choices::new(), &Open::New);
    plan.args.retain(|arg| arg != PIECES);
    plan
}

/// Plays a scenario without pauses.
fn fake(scenario: &str) -> LaunchPlan {
    let mut plan = launch(program_or_build().unwrap(), Path::new("."));
    plan.args.extend(["--scenario", scenario].map(Into::into));
    plan.env.push(("ASKDESK_FAKE_PACE".into(), "0".into()));
    plan
}

/// An agent, and what it writes.
struct Host {
    link: Link,
    events: LinkEvents,
}

impl Host {
    async fn start(plan: LaunchPlan) -> Self {
        let (link, events) = Links::default().open(LinkPlan::Process(plan)).await.unwrap();
        Self { link, events }
    }

    /// Starts a scenario, says something, and skips to the first request.
    async fn asking(scenario: &str) -> (Self, Value) {
        let mut host = Self::start(fake(scenario)).await;
        host.send(user("go")).await;
        let request = host.until_type(&["control_request"]).await.pop().unwrap();
        (host, request)
    }

    async fn send(&self, message: Value) {
        self.link.write(vec![Outbound::Line(message.to_string())]).await.unwrap();
    }

    async fn event(&mut self) -> LinkEvent {
        timeout(PATIENCE, self.events.next()).await.expect("nothing came in time").expect("ended before")
    }

    /// The events up to the first that fits, this one included.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            match self.event().await {
                LinkEvent::Inbound(Inbound::Line(line)) => events.push(read(&line)),
                LinkEvent::Stderr(_) => continue,
                other => panic!("{other:?}"),
            }
            if fits(&events[events.len() - 1]) {
                return events;
            }
        }
    }

    async fn until_type(&mut self, types: &[&str]) -> Vec<Value> {
        self.until(|event| types.iter().any(|it| event["type"] == *it)).await
    }

    /// Sends a control request, and returns all events up to its response.
    async fn control(&mut self, subtype: &str) -> Vec<Value> {
        self.send(control(subtype)).await;
        self.until_type(&["control_response"]).await
    }

    /// Closes its input, and returns what else it writes, and its end.
    async fn finish(mut self) -> (Vec<LinkEvent>, LinkEnd) {
        self.link.stop(PATIENCE).await;
        let mut written = Vec::new();
        loop {
            match self.event().await {
                LinkEvent::Ended(end) => return (written, end),
                other => written.push(other),
            }
        }
    }
}

/// Reads a line; one that is no JSON is a string.
fn read(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or_else(|_| String::from_utf8_lossy(line).into())
}

fn user(text: &str) -> Value {
    json!({
        "type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": null, "session_id": "",
        "uuid": Uuid::new_v4(),
    })
}

fn control(subtype: &str) -> Value {
    json!({"type": "control_request", "request_id": subtype, "request": {"subtype": subtype}})
}

fn respond(request: &Value, response: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request["request_id"], "response": response},
    })
}

/// Allows a question with these answers, by question text.
fn answer(request: &Value, answers: &Value) -> Value {
    let mut input = request["request"]["input"].clone();
    input["answers"] = answers.clone();
    respond(request, &json!({"behavior": "allow", "updatedInput": input}))
}

/// The whole texts that the agent said.
fn texts(events: &[Value]) -> Vec<String> {
    let said = events.iter().filter(|event| event["type"] == "assistant");
    said.filter_map(|event| event["message"]["content"][0]["text"].as_str()).map(str::to_owned).collect()
}

/// What kind of event it is, in one word or two.
fn kind(event: &Value) -> String {
    let part = |value: &Value| value.as_str().map(str::to_owned);
    let detail = match event["type"].as_str() {
        Some("system" | "result") => part(&event["subtype"]),
        Some("stream_event") => part(&event["event"]["type"]),
        Some("command_lifecycle") => part(&event["state"]),
        Some("control_request") => part(&event["request"]["subtype"]),
        Some("assistant" | "user") if event["isReplay"] == true => Some("replay".to_owned()),
        Some("assistant" | "user") => part(&event["message"]["content"][0]["type"]),
        _ => None,
    };
    let kind = part(&event["type"]).unwrap_or_default();
    detail.map_or(kind.clone(), |detail| format!("{kind} {detail}"))
}

#[tokio::test]
async fn a_message_while_a_question_is_open_is_folded_in_behind_the_answer() {
    let (mut host, request) = Host::asking("technology").await;
    host.send(user("Use little memory.")).await;
    // It works in order, so the response comes next.
    let events = host.control("get_binary_version").await;
    let kinds: Vec<String> = events.iter().map(kind).collect();
    assert_eq!(kinds, ["command_lifecycle queued", "control_response"]);
    host.send(answer(&request, &json!({STORE: "Plain files"}))).await;
    let events = host.until_type(&["result"]).await;
    let kinds: Vec<String> = events.iter().map(kind).collect();
    let place =
        |of: &str| kinds.iter().position(|kind| kind == of).unwrap_or_else(|| panic!("{of}: {kinds:?}"));
    let places =
        ["user tool_result", "command_lifecycle started", "assistant text", "command_lifecycle completed"];
    assert!(places.map(place).is_sorted(), "{kinds:?}");
    assert_eq!(texts(&events)[0], "Read on the way: Use little memory.");
}

#[tokio::test]
async fn a_second_handshake_returns_the_open_request_whole() {
    let (mut host, request) = Host::asking("technology").await;
    let pending =
        |events: Vec<Value>| events.last().unwrap()["response"]["pending_permission_requests"].clone();
    assert_eq!(pending(host.control("initialize").await), json!([request]));
    host.send(answer(&request, &json!({STORE: "SQLite"}))).await;
    host.until_type(&["result"]).await;
    assert_eq!(pending(host.control("initialize").await), json!([]));
}

#[tokio::test]
async fn an_input_closed_with_a_question_open_withdraws_it_and_ends_with_1() {
    let (host, request) = Host::asking("technology").await;
    let (written, end) = host.finish().await;
    let canceled = json!({"type": "control_cancel_request", "request_id": request["request_id"]});
    let Some(LinkEvent::Inbound(Inbound::Line(first))) = written.first() else { panic!("{written:?}") };
    assert_eq!(read(first), canceled);
    assert_eq!(end.status.code, Some(1));
}

#[tokio::test]
async fn every_example_is_answered_in_its_own_way() {
    for (scenario, answers, said) in [
        ("technology", json!({STORE: "SQLite (Recommended)"}), "- Store: SQLite (Recommended)"),
        ("features", json!({FEATURES: "Dark mode, Sync"}), "- Features: Dark mode, Sync"),
        (
            "authentication",
            json!({"How do people sign in?": "Password", "How long does a session last?": "One day"}),
            "- Sign-in: Password\n- Session: One day",
        ),
        (
            "package-manager",
            json!({"Which package manager does this project use?": "Bun, \"as ever\"\nreally"}),
            "- Packages: Bun, \"as ever\"\nreally",
        ),
        ("four", json!({"Where will it run?": "Containers"}), "- Hosting: Containers"),
    ] {
        let (mut host, request) = Host::asking(scenario).await;
        host.send(answer(&request, &answers)).await;
        let events = host.until_type(&["result"]).await;
        assert_eq!(texts(&events), [format!("Thank you. I go on with:\n{said}")], "{scenario}");
    }
}

#[tokio::test]
async fn steps_of_a_file_are_played_and_a_bad_file_is_refused_by_place() {
    let folder = tempfile::tempdir().unwrap();
    let own = |steps: &Value| {
        let path = folder.path().join("own.json");
        let scenario = json!({"name": "own", "title": "t", "description": "d", "turns": [steps]});
        std::fs::write(&path, scenario.to_string()).unwrap();
        fake(path.to_str().unwrap())
    };
    let steps = json!([
        {"stderr": {"text": "warning {n}", "repeat": 2}},
        {"flood": {"lines": 3}},
        {"repeat": {"times": 2, "steps": [{"say": {"text": "round {n}"}}]}},
        {"raw_repeat": {"text": "ab", "bytes": 5}},
    ]);
    let mut host = Host::start(own(&steps)).await;
    host.send(user("go")).await;
    let events = host.until_type(&["result"]).await;
    assert_eq!(events[events.len() - 2], "ababa");
    assert_eq!(texts(&events)[3..], ["round 1", "round 2"]);
    assert_eq!(host.finish().await.1.stderr_tail, "warning 0\nwarning 0\n");

    let (_, end) = Host::start(own(&json!([{"say": {"words": "hello"}}]))).await.finish().await;
    assert_eq!(end.status.code, Some(2));
    let place = "own.json: at `turns[0][0].say.words`: unknown field `words`";
    assert!(end.stderr_tail.contains(place), "{end:?}");
}

#[tokio::test]
async fn the_tour_reacts_to_answers_refusals_and_silence() {
    let (mut host, mut request) = Host::asking("demo").await;
    let refusal = json!({"behavior": "deny", "message": "The user declined to answer."});
    let mut said = String::new();
    for refuses in [false, true, false] {
        let answers = json!({STORE: "Plain files", "How do people sign in?": "By carrier pigeon"});
        host.send(if refuses { respond(&request, &refusal) } else { answer(&request, &answers) }).await;
        let events = host.until_type(&["control_request", "result"]).await;
        said.push_str(&texts(&events).join("\n"));
        request = events.last().unwrap().clone();
    }
    assert!(said.contains("You skipped that one"), "{said}");
    assert!(said.contains("Sign-in: **By carrier pigeon**. Session: **(not answered)**."), "{said}");
    assert!(said.contains("- Store: Plain files\n- Sign-in: By carrier pigeon\n"), "{said}");
    assert!(!said.contains('{'), "{said}");
}

/// The events of one question, from the handshake to the end of the turn.
async fn play_question(mut plan: LaunchPlan, decide: fn(&Value) -> Value) -> Vec<Value> {
    plan.args.extend([PIECES, "--replay-user-messages"].map(Into::into));
    let mut host = Host::start(plan).await;
    let mut events = host.control("initialize").await;
    host.send(user("go")).await;
    events.extend(host.until_type(&["control_request"]).await);
    host.send(decide(events.last().unwrap())).await;
    let ends = ["command_lifecycle completed", "command_lifecycle cancelled"];
    events.extend(host.until(|event| ends.contains(&kind(event).as_str())).await);
    events
}

fn answer_first(request: &Value) -> Value {
    let first = request["request"]["input"]["questions"][0]["question"].as_str().unwrap();
    answer(request, &json!({first: "My own way"}))
}

fn refuse(request: &Value) -> Value {
    respond(request, &json!({"behavior": "deny", "message": "The user declined to answer."}))
}

fn refuse_and_stop(request: &Value) -> Value {
    respond(request, &json!({"behavior": "deny", "message": "Stop.", "interrupt": true}))
}

fn interrupt(_: &Value) -> Value {
    control("interrupt")
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

fn version(events: &[Value]) -> &Value {
    let hello = events.iter().find(|event| event["type"] == "control_response").unwrap();
    &hello["response"]["response"]["claude_code_version"]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fake_agent_sends_no_event_and_no_key_that_the_real_one_does_not() {
    let test = "the_fake_agent_sends_no_event_and_no_key_that_the_real_one_does_not";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let questions = json!([
        {"question": STORE, "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite", "description": "One file"}, {"label": "Files", "description": "Many"}]},
        {"question": FEATURES, "header": "Features", "multiSelect": true, "options": [
            {"label": "Dark mode", "description": "Theme"}, {"label": "Sync", "description": "Two devices"}]},
    ]);
    for decide in [answer_first, refuse, refuse_and_stop, interrupt] {
        let asks = Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions)]);
        let mock = MockApi::start(Script(vec![asks, Reply::text("Thank you.")])).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut plan = launch(program.clone(), project.path());
        plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
        let sealed = clis::sealed_env(home.path(), &mock.base_url).into_iter();
        plan.env.extend(sealed.map(|(name, value)| (name.into(), value.into())));
        let real = play_question(plan, decide).await;
        let fake = play_question(fake("technology"), decide).await;
        assert_eq!(version(&fake), version(&real));

        let (fake, real) = (shapes(&fake), shapes(&real));
        assert_eq!(fake.keys().collect::<BTreeSet<_>>(), real.keys().collect::<BTreeSet<_>>());
        for (kind, keys) in &fake {
            let unknown: Vec<_> = keys.difference(&real[kind]).collect();
            assert!(unknown.is_empty(), "{kind}: the real program does not send {unknown:?}");
        }
    }
}
