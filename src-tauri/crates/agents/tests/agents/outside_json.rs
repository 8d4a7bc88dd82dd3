//! JSON-RPC messages that only JavaScript or Python call JSON, and those that nobody can read; `transcripts/outside_json.txt` has what
//! becomes of such lines in the adapters.

use crate::support::server;
use askdesk_agents::{Connection, Inbound, JsonRpcConnection, MemberId, Outbound, RpcError, RpcIn, RpcOut};
use rstest::rstest;
use serde_json::{Value, json};

const MEMBER: MemberId = MemberId(1);

/// A text with half an emoji, beside a number that no float holds.
const ODD: &str = r#""count":1e400,"odd":"cut \ud83d","#;

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
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
