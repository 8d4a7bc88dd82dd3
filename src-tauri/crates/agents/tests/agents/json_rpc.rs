//! One conversation for several sessions: handshake, ids, and which message belongs to whom.

use crate::support::server;
use askdesk_agents::connection::{OPEN_REQUESTS, UNCLAIMED};
use askdesk_agents::{
    Connection, Inbound, JsonRpcConnection, JsonRpcRules, MemberId, Outbound, Partial, Routed, RpcError,
    RpcIn, RpcOut,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const A: MemberId = MemberId(1);
const B: MemberId = MemberId(2);
const C: MemberId = MemberId(3);

/// A conversation after its handshake, with these sessions on it.
fn ready(members: &[MemberId]) -> JsonRpcConnection {
    let mut connection = JsonRpcConnection::new(server::rules());
    connection.open();
    take(&mut connection, &json!({"id": 1, "result": {}}));
    members.iter().for_each(|member| connection.join(*member));
    connection
}

fn take(connection: &mut JsonRpcConnection, message: &Value) -> Routed {
    connection.receive(Inbound::Line(message.to_string().into_bytes()))
}

fn ask(connection: &mut JsonRpcConnection, member: MemberId, key: u64, method: &str, params: Value) -> Value {
    let message = RpcOut::request(key, method, params);
    sent(&connection.send(member, Outbound::Rpc(message)))
}

/// The one message that is written.
fn sent(routed: &Routed) -> Value {
    let [line] = routed.lines.as_slice() else { panic!("{routed:?}") };
    serde_json::from_str(line).unwrap()
}

fn open(connection: &mut JsonRpcConnection, member: MemberId, session: &str) {
    let id = ask(connection, member, 0, "session/new", json!({}))["id"].clone();
    take(connection, &json!({"id": id, "result": {"sessionId": session}}));
}

fn update(session: &str, n: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "n": n}})
}

fn updated(session: &str, n: u64) -> Inbound {
    let (method, params) = ("session/update".to_owned(), json!({"sessionId": session, "n": n}));
    Inbound::Rpc(RpcIn::Notification { method, params })
}

fn request(id: &str, session: &str) -> Value {
    json!({"id": id, "method": "session/ask", "params": {"sessionId": session}})
}

fn asked(id: &str, session: &str) -> Inbound {
    let (id, method, params) = (json!(id), "session/ask".to_owned(), json!({"sessionId": session}));
    Inbound::Rpc(RpcIn::Request { id, method, params })
}

fn answered(key: u64, result: Value) -> Inbound {
    Inbound::Rpc(RpcIn::Response { id: key, result: Ok(result) })
}

fn answer(id: &str, result: Value) -> Outbound {
    Outbound::Rpc(RpcOut::Response { id: json!(id), result: Ok(result) })
}

fn delivered(inbound: impl IntoIterator<Item = (MemberId, Inbound)>) -> Routed {
    Routed { inbound: inbound.into_iter().collect(), ..Routed::default() }
}

#[test]
fn the_handshake_comes_first_and_is_followed_by_its_notification() {
    let mut connection = JsonRpcConnection::new(server::rules());
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"client": "askdesk"}});
    assert_eq!(sent(&connection.open()), hello);
    assert!(!connection.is_ready());
    let done = take(&mut connection, &json!({"id": 1, "result": {"name": "x"}}));
    assert_eq!(sent(&done), json!({"jsonrpc": "2.0", "method": "ready"}));
    assert!(connection.is_ready());
}

#[test]
fn a_refused_handshake_says_why_the_connection_cannot_go_on() {
    let mut connection = JsonRpcConnection::new(server::rules());
    connection.open();
    let refused = take(&mut connection, &json!({"id": 1, "error": {"code": -32000, "message": "too old"}}));
    assert_eq!(refused.failed.as_deref(), Some("too old (-32000)"));
    assert!(!connection.is_ready());
}

#[test]
fn a_protocol_without_a_handshake_or_a_version_is_spoken_as_it_is() {
    let rules = JsonRpcRules { handshake: None, sends_version: false, ..server::rules() };
    let mut connection = JsonRpcConnection::new(rules);
    assert_eq!(connection.open(), Routed::default());
    assert!(connection.is_ready());
    connection.join(A);
    let line = ask(&mut connection, A, 7, "session/new", Value::Null);
    assert_eq!(line, json!({"id": 1, "method": "session/new"}));
}

#[test]
fn the_same_key_of_two_sessions_has_two_ids_and_each_answer_finds_its_session() {
    let mut connection = ready(&[A, B]);
    let of_a = ask(&mut connection, A, 5, "turn", json!({}))["id"].clone();
    let of_b = ask(&mut connection, B, 5, "turn", json!({}))["id"].clone();
    assert_ne!(of_a, of_b);
    let second = take(&mut connection, &json!({"id": of_b, "result": "b"}));
    assert_eq!(second, delivered([(B, answered(5, json!("b")))]));
    let error = json!({"code": 1, "message": "no", "data": {"x": 1}});
    let first = take(&mut connection, &json!({"id": of_a, "error": error}));
    let result = Err(RpcError { code: 1, message: "no".to_owned(), data: Some(json!({"x": 1})) });
    assert_eq!(first, delivered([(A, Inbound::Rpc(RpcIn::Response { id: 5, result }))]));
    // Answered twice, and an id that was never given.
    assert_eq!(take(&mut connection, &json!({"id": of_a, "result": 1})), Routed::default());
    let stray = take(&mut connection, &json!({"id": 99, "result": 1}));
    assert_eq!(stray.inbound.len(), 2);
}

#[test]
fn messages_go_to_the_session_they_name() {
    let mut connection = ready(&[A, B]);
    open(&mut connection, A, "a");
    open(&mut connection, B, "b");
    assert_eq!(take(&mut connection, &update("b", 1)), delivered([(B, updated("b", 1))]));
    assert_eq!(take(&mut connection, &request("q", "a")), delivered([(A, asked("q", "a"))]));
    // Another session cannot answer it, and nobody can twice.
    assert_eq!(connection.send(B, answer("q", json!(1))), Routed::default());
    let line = sent(&connection.send(A, answer("q", json!(1))));
    assert_eq!(line, json!({"jsonrpc": "2.0", "id": "q", "result": 1}));
    assert_eq!(connection.send(A, answer("q", json!(2))), Routed::default());
}

#[test]
fn what_names_no_session_goes_to_everybody_and_a_request_of_it_is_not_known() {
    let mut connection = ready(&[A, B]);
    let news = Inbound::Rpc(RpcIn::notification("news", json!({"n": 1})));
    let told = take(&mut connection, &json!({"method": "news", "params": {"n": 1}}));
    assert_eq!(told, delivered([(A, news.clone()), (B, news)]));
    let refused = sent(&take(&mut connection, &json!({"id": "x", "method": "dance", "params": {}})));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("x"), &json!(-32601)));
}

#[test]
fn a_session_that_is_resumed_hears_what_comes_before_the_answer() {
    let mut connection = ready(&[A]);
    ask(&mut connection, A, 1, "session/resume", json!({"sessionId": "old"}));
    assert_eq!(take(&mut connection, &update("old", 1)), delivered([(A, updated("old", 1))]));
}

#[test]
fn what_comes_for_a_session_that_is_not_known_yet_waits_for_it() {
    let mut connection = ready(&[A, B]);
    open(&mut connection, A, "a");
    let id = ask(&mut connection, B, 3, "session/new", json!({}))["id"].clone();
    for message in [update("b", 1), request("q", "b"), update("of somebody else", 1)] {
        assert_eq!(take(&mut connection, &message), Routed::default());
    }
    let learned = take(&mut connection, &json!({"id": id, "result": {"sessionId": "b"}}));
    let answer = answered(3, json!({"sessionId": "b"}));
    assert_eq!(learned, delivered([(B, answer), (B, updated("b", 1)), (B, asked("q", "b"))]));
    // Every session has an id now, so nobody can claim a message for another id.
    assert_eq!(take(&mut connection, &update("of somebody else", 2)), Routed::default());
    let refused = sent(&take(&mut connection, &request("q2", "of somebody else")));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("q2"), &json!(-32601)));
}

#[test]
fn what_waits_for_a_session_is_bounded_and_what_is_given_up_is_answered() {
    let mut connection = ready(&[A]);
    assert_eq!(take(&mut connection, &request("q", "b")), Routed::default());
    for n in 1..UNCLAIMED as u64 {
        assert_eq!(take(&mut connection, &update("b", n)), Routed::default());
    }
    assert_eq!(sent(&take(&mut connection, &update("b", 0)))["id"], "q");
    let large = json!({"method": "x", "params": {"sessionId": "c", "text": "x".repeat(1_000_000)}});
    for _ in 0..20 {
        take(&mut connection, &large);
    }
    let id = ask(&mut connection, A, 1, "session/new", json!({}))["id"].clone();
    let learned = take(&mut connection, &json!({"id": id, "result": {"sessionId": "c"}}));
    assert!(learned.inbound.len() < 10, "{}", learned.inbound.len());
}

#[test]
fn more_requests_than_may_wait_are_refused() {
    let mut connection = ready(&[A]);
    open(&mut connection, A, "a");
    for n in 0..OPEN_REQUESTS {
        assert_eq!(take(&mut connection, &request(&n.to_string(), "a")).lines, Vec::<String>::new());
    }
    assert_eq!(sent(&take(&mut connection, &request("more", "a")))["error"]["code"], -32603);
}

#[test]
fn a_session_that_the_agent_begins_by_itself_belongs_to_the_one_above_it() {
    let rules = JsonRpcRules {
        parent_in_params: Some("/parentId"),
        children_in_params: &["/begun"],
        ..server::rules()
    };
    let mut connection = JsonRpcConnection::new(rules);
    connection.open();
    take(&mut connection, &json!({"id": 1, "result": {}}));
    [A, B].iter().for_each(|member| connection.join(*member));
    open(&mut connection, A, "a");
    open(&mut connection, B, "b");
    assert_eq!(take(&mut connection, &update("child", 1)), Routed::default());
    let begun = json!({"method": "begun", "params": {"sessionId": "child", "parentId": "b"}});
    assert_eq!(take(&mut connection, &begun).inbound.len(), 1);
    assert_eq!(take(&mut connection, &request("q", "child")), delivered([(B, asked("q", "child"))]));
    let begun = json!({"method": "tool", "params": {"sessionId": "child", "begun": ["grandchild", "a"]}});
    assert_eq!(take(&mut connection, &begun).inbound.len(), 1);
    let question = request("r", "grandchild");
    assert_eq!(take(&mut connection, &question), delivered([(B, asked("r", "grandchild"))]));
    assert_eq!(take(&mut connection, &update("a", 1)), delivered([(A, updated("a", 1))]));
    // A session of somebody's own stays theirs.
    let taken = json!({"method": "begun", "params": {"sessionId": "a", "parentId": "b"}});
    assert_eq!(take(&mut connection, &taken).inbound[0].0, A);
    connection.leave(B);
    assert_eq!(take(&mut connection, &update("child", 2)), Routed::default());
}

#[test]
fn a_session_that_leaves_is_answered_for_and_its_sibling_keeps_everything() {
    let mut connection = ready(&[A, B]);
    open(&mut connection, A, "a");
    open(&mut connection, B, "b");
    let of_a = ask(&mut connection, A, 1, "turn", json!({}))["id"].clone();
    take(&mut connection, &request("q-a", "a"));
    take(&mut connection, &request("q-b", "b"));
    let left = sent(&connection.leave(A));
    assert_eq!((&left["id"], &left["error"]["code"]), (&json!("q-a"), &json!(-32603)));
    assert_eq!(take(&mut connection, &json!({"id": of_a, "result": 1})), Routed::default());
    assert_eq!(take(&mut connection, &update("a", 1)), Routed::default());
    assert_eq!(take(&mut connection, &update("b", 1)), delivered([(B, updated("b", 1))]));
    assert_eq!(sent(&connection.send(B, answer("q-b", json!(1))))["id"], "q-b");
    // The id is free for whoever resumes that session.
    connection.join(C);
    ask(&mut connection, C, 1, "session/resume", json!({"sessionId": "a"}));
    assert_eq!(take(&mut connection, &update("a", 2)), delivered([(C, updated("a", 2))]));
}

#[test]
fn what_is_no_message_goes_to_everybody_who_can_count_it() {
    let mut connection = ready(&[A, B]);
    for line in [&b"no json"[..], b"[1]", b"{}", b"{\"id\":null,\"result\":1}"] {
        let line = Inbound::Line(line.to_vec());
        assert_eq!(connection.receive(line.clone()), delivered([(A, line.clone()), (B, line)]));
    }
    let no_json = Inbound::Abridged { line: b"x".to_vec(), why: Partial::TooLarge { bytes: 5 } };
    assert_eq!(connection.receive(no_json).inbound.len(), 2);
    assert_eq!(connection.receive(Inbound::Line(b" ".to_vec())), Routed::default());
}

#[test]
fn case_110_a_request_that_is_too_large_is_refused_in_words_and_its_session_counts_it() {
    let mut connection = ready(&[A, B]);
    open(&mut connection, A, "a");
    open(&mut connection, B, "b");
    let abridged = |message: &Value| Inbound::Abridged {
        line: message.to_string().into_bytes(),
        why: Partial::TooLarge { bytes: 70_000_000 },
    };
    let inbound = abridged(&request("q-1", "a"));
    let routed = connection.receive(inbound.clone());
    assert_eq!(routed.inbound, [(A, inbound)]);
    let answer = sent(&routed);
    assert_eq!(answer["id"], "q-1");
    assert!(answer["error"]["message"].as_str().unwrap().contains("too large (70000000 bytes"), "{answer}");
    // What needs no answer is passed on.
    assert_eq!(connection.receive(abridged(&update("a", 2))), delivered([(A, updated("a", 2))]));
}

/// Merges sequences; each choice takes the next step of one of them.
fn merged(mut sequences: Vec<Vec<Value>>, choices: &[usize]) -> Vec<Value> {
    sequences.iter_mut().for_each(|sequence| sequence.reverse());
    let mut merged = Vec::new();
    let mut choices = choices.iter().cycle();
    while sequences.iter().any(|sequence| !sequence.is_empty()) {
        let choice = choices.next().unwrap() % sequences.len();
        let place = (0..sequences.len()).map(|n| (choice + n) % sequences.len());
        let place = place.into_iter().find(|place| !sequences[*place].is_empty()).unwrap();
        merged.extend(sequences[place].pop());
    }
    merged
}

proptest! {
    #[test]
    fn in_any_interleaving_each_session_hears_its_own_in_order_and_nothing_else(
        choices in proptest::collection::vec(0usize..3, 1..40),
    ) {
        let members = [A, B, C];
        let mut connection = ready(&members);
        let script = |member: MemberId| {
            let name = format!("s{}", member.0);
            let id = 1 + member.0;
            vec![
                update(&name, 0),
                json!({"id": id, "result": {"sessionId": name}}),
                update(&name, 1),
                request(&format!("q{}", member.0), &name),
                update(&name, 2),
            ]
        };
        for member in members {
            let line = ask(&mut connection, member, 1, "session/new", json!({}));
            prop_assert_eq!(&line["id"], &json!(1 + member.0));
        }
        let mut heard = Vec::new();
        for message in merged(members.map(script).to_vec(), &choices) {
            let routed = take(&mut connection, &message);
            prop_assert_eq!(&routed.lines, &Vec::<String>::new());
            heard.extend(routed.inbound);
        }
        for member in members {
            let name = format!("s{}", member.0);
            let own: Vec<Inbound> =
                heard.iter().filter(|(of, _)| *of == member).map(|(_, inbound)| inbound.clone()).collect();
            let expected = [
                answered(1, json!({"sessionId": name})),
                updated(&name, 0),
                updated(&name, 1),
                asked(&format!("q{}", member.0), &name),
                updated(&name, 2),
            ];
            prop_assert_eq!(own, expected);
        }
    }

    #[test]
    fn any_bytes_are_taken(lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..8)) {
        let mut connection = ready(&[A]);
        for line in lines {
            connection.receive(Inbound::Line(line));
        }
    }
}
