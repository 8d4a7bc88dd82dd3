//! The API of the command line: JSON in, a stream of events out.

use std::time::Duration;

use askdesk_domain::{Channel, InboundClient, NativeRef, RequestId};
use askdesk_engine::{InboundAsk, InboundCalls};
use askdesk_gateway::arguments;
use askdesk_mcp_tools::Tool;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::fixture::{Answer, Fixture, Head, PATIENCE};

pub fn asks(connection: &str, question: &str) -> Value {
    json!({
        "client": {"kind": "command_line", "name": "deploy.sh", "folder": "/home/a", "connection": connection},
        "tool": "ask_user",
        "arguments": {"questions": [
            {"question": question, "type": "select", "options": ["Yes, always", "No"]},
            {"question": "Which name?", "type": "text"},
        ]},
    })
}

/// A call whose events are read one by one.
pub struct Call(BufReader<TcpStream>);

impl Call {
    pub async fn begin(fixture: &Fixture, path: &str, body: &Value) -> Self {
        Self::send(fixture, &fixture.head("POST", path), body).await
    }

    /// Begins a call with a head of its own.
    pub async fn send(fixture: &Fixture, head: &Head, body: &Value) -> Self {
        let mut stream = TcpStream::connect(fixture.address).await.unwrap();
        stream.write_all(&head.with(body.to_string().as_bytes())).await.unwrap();
        Self(BufReader::new(stream))
    }

    /// Asks "Deploy?" over a connection, and waits until it is open.
    async fn asks(fixture: &Fixture, connection: &str) -> (Self, RequestId) {
        let mut call = Self::begin(fixture, "/v1/asks", &asks(connection, "Deploy?")).await;
        let id = call.asked().await;
        (call, id)
    }

    /// Returns the next event, or `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let reading = async {
            loop {
                let mut line = String::new();
                if self.0.read_line(&mut line).await.unwrap_or_default() == 0 {
                    return None;
                }
                if let Ok(value) = serde_json::from_str::<Value>(line.trim())
                    && value.is_object()
                {
                    return Some(value);
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("a line in time")
    }

    pub async fn asked(&mut self) -> RequestId {
        let asked = self.next().await.unwrap();
        assert_eq!(asked["event"], "asked", "{asked}");
        asked["requestId"].as_str().unwrap().parse().unwrap()
    }

    pub async fn ended(&mut self) -> Value {
        loop {
            let line = self.next().await.expect("an end");
            if line["event"] == "ended" {
                return line;
            }
            assert_eq!(line["event"], "waiting", "{line}");
        }
    }
}

/// Answers a request over HTTP, with an option of the first question.
async fn choose(fixture: &Fixture, id: RequestId, option: &str) -> Answer {
    let answers = json!({"answers": [{"question": 1, "chosen": [option]}]});
    fixture.post(&format!("/v1/requests/{id}/answer"), &answers).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_found_by_its_own_id_also_after_a_restart() {
    let mut fixture = Fixture::open().await;
    let inbound = InboundCalls::new(fixture.engine.clone());
    let client =
        InboundClient { channel: Channel::CommandLine, name: String::new(), version: None, folder: None };
    let session = inbound.open(client).await.unwrap();
    let asking = arguments::read(Tool::AskUser, &json!({"question": "Which name?"})).unwrap();
    let ask = InboundAsk {
        native_ref: NativeRef::new("call").unwrap(),
        asked_by: None,
        questions: asking.questions,
        limit: None,
        again: None,
    };
    let call = inbound.ask(session, ask).await.unwrap();
    let path = format!("/v1/requests/{}", call.request);
    assert_eq!(fixture.get(&path).await.json()["outcome"], "open");
    let own = uuid::Uuid::new_v4();
    let body = json!({"answers": [{"question": 1, "other": "shop"}], "id": own});
    assert_eq!(fixture.post(&format!("{path}/answer"), &body).await.json()["outcome"], "answered");
    let found = fixture.get(&path).await.json();
    assert_eq!((&found["outcome"], &found["id"]), (&json!("answered"), &json!(own)), "{found}");
    fixture.gateway.take().unwrap().close().await;
    fixture.reopen(None).await;
    assert_eq!(fixture.get(&path).await.json(), found);
    let unknown = format!("/v1/requests/{}", uuid::Uuid::new_v4());
    fixture.get(&unknown).await.refuses(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_asks_and_another_answers() {
    let fixture = Fixture::open().await;
    let (mut call, id) = Call::asks(&fixture, "c1").await;
    assert_eq!(call.next().await.unwrap(), json!({"event": "waiting", "seconds": 0}));
    let listed = fixture.get("/v1/requests").await.json();
    assert_eq!(listed["requests"][0]["requestId"], json!(id));
    assert_eq!(
        listed["requests"][0]["session"],
        json!({"name": "deploy.sh · a", "agent": "command_line", "folder": "/home/a"})
    );
    assert_eq!(listed["requests"][0]["questions"][0]["options"][0]["label"], "Yes, always");

    let path = format!("/v1/requests/{id}/answer");
    let wrong = choose(&fixture, id, "Maybe").await;
    wrong.refuses(422, "invalid");
    assert!(wrong.body.contains("answers[0].chosen[0]"), "{wrong:?}");
    let right = json!({"callId": "1", "answers": [
        {"question": "q1", "chosen": ["Yes, always"]}, {"question": 2, "other": "Ada"},
    ]});
    let answered = fixture.post(&path, &right).await;
    assert_eq!((answered.status, &answered.json()["outcome"]), (200, &json!("answered")), "{answered:?}");
    assert_eq!(fixture.post(&path, &right).await.status, 200, "the same again is the same result");
    let late = choose(&fixture, id, "No").await;
    late.refuses(409, "already_ended");
    assert_eq!(late.json()["by"], "user");

    let ended = call.ended().await;
    assert_eq!(
        ended["result"]["answers"],
        json!([
            {"question": "Deploy?", "selectedOptions": ["Yes, always"]},
            {"question": "Which name?", "selectedOptions": [], "customInput": "Ada"},
        ])
    );
    assert!(ended["text"].as_str().unwrap().contains("\"Deploy?\"=\"Yes, always\""), "{ended}");
    assert_eq!(call.next().await, None);
    let one = format!("/v1/requests/{id}");
    assert_eq!(fixture.get(&one).await.json()["outcome"], "answered");
    let asking = fixture.head("GET", &one).set("authorization", &format!("Bearer {}", fixture.token()));
    fixture.send(&asking, b"").await.refuses(403, "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_question_of_each_client_is_listed_even_after_a_restart() {
    let mut fixture = Fixture::open().await;
    assert_eq!(fixture.get("/v1/clients").await.json(), json!({"clients": []}));
    let (_call, id) = Call::asks(&fixture, "c1").await;
    let asked_at = fixture.engine.request(id).await.unwrap().asked_at;
    let known = json!({"clients": [{"channel": "command_line", "name": "deploy.sh", "askedAt": asked_at}]});
    assert_eq!(fixture.get("/v1/clients").await.json(), known);
    fixture.gateway.take().unwrap().close().await;
    fixture.reopen(None).await;
    assert_eq!(fixture.get("/v1/clients").await.json(), known);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_can_be_declined_from_elsewhere() {
    let fixture = Fixture::open().await;
    let (mut call, id) = Call::asks(&fixture, "c1").await;
    let declined = fixture.post(&format!("/v1/requests/{id}/decline"), &json!({"words": "not today"})).await;
    assert_eq!(declined.json()["outcome"], "declined", "{declined:?}");
    let ended = call.ended().await;
    assert_eq!(ended["result"], json!({"outcome": "declined", "requestId": id, "words": "not today"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_question_is_rejected_with_its_field() {
    let fixture = Fixture::open().await;
    let mut one_option = asks("c1", "Deploy?");
    one_option["arguments"]["questions"][0]["options"] = json!(["x"]);
    let refused = fixture.post("/v1/asks", &one_option).await;
    refused.refuses(422, "invalid");
    assert_eq!(refused.json()["message"], "questions[0].options: too few options (1; the minimum is 2)");
    let mut tool = asks("c1", "Deploy?");
    tool["tool"] = json!("collect_answer");
    fixture.post("/v1/asks", &tool).await.refuses(422, "invalid");
    fixture
        .post("/v1/requests/0193e1f0-0000-7000-8000-000000000001/answer", &json!({"answers": []}))
        .await
        .refuses(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_is_not_ended_by_its_earlier_attempt() {
    let fixture = Fixture::open().await;
    let mut body = asks("c1", "Deploy?");
    body["nativeRef"] = json!("one-id-for-both");
    let mut earlier = Call::begin(&fixture, "/v1/asks", &body).await;
    let id = earlier.asked().await;
    body["again"] = json!(id);
    let mut call = Call::begin(&fixture, "/v1/asks", &body).await;
    assert_eq!(call.asked().await, id);
    drop(earlier);
    let left = "askdesk_calls_total{tool=\"ask_user\",outcome=\"left\"} 1";
    let leaves = async {
        while !fixture.get("/metrics").await.body.contains(left) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, leaves).await.expect("the earlier attempt is left");
    assert_eq!(choose(&fixture, id, "No").await.status, 200);
    assert_eq!(call.ended().await["result"]["outcome"], "answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_collects_late_answers_until_it_leaves() {
    let fixture = Fixture::open().await;
    let mut body = asks("c1", "Deploy?");
    body["client"]["kind"] = "mcp".into();
    let mut call = Call::begin(&fixture, "/v1/asks", &body).await;
    let id = call.asked().await;
    let client = json!({"kind": "mcp", "connection": "c1"});
    let collect = json!({"client": client, "arguments": {"requestId": id}});
    let open = fixture.post("/v1/collect", &collect).await.json();
    assert_eq!(open["result"], json!({"outcome": "open", "requestId": id}));
    drop(call);
    fixture.missed(id).await;
    assert_eq!(choose(&fixture, id, "No").await.status, 200);
    let late = fixture.post("/v1/collect", &collect).await.json();
    assert_eq!(late["result"]["outcome"], "answered");
    assert!(late["text"].as_str().unwrap().contains("\"Deploy?\"=\"No\""), "{late}");
    let unknown = json!({"client": client, "arguments": {"requestId": uuid::Uuid::nil()}});
    fixture.post("/v1/collect", &unknown).await.refuses(404, "not_found");
    fixture.post("/v1/collect", &json!({"client": client})).await.refuses(422, "invalid");
    let runs = fixture.engine.inspect(|desk| desk.sessions().any(|session| session.is_running()));
    assert!(runs.await.unwrap());
    assert_eq!(fixture.post("/v1/leave", &json!({"client": client})).await.json(), json!({"left": true}));
    fixture.all_sessions_end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_54_a_call_finds_its_question_after_a_restart() {
    let mut fixture = Fixture::open().await;
    let (mut call, id) = Call::asks(&fixture, "c1").await;
    fixture.gateway.take().unwrap().close().await;
    while let Some(line) = call.next().await {
        assert_eq!(line["event"], "waiting", "a desk that closes ends nothing: {line}");
    }
    fixture.reopen(None).await;
    let mut body = asks("c1", "Deploy?");
    body["again"] = json!(id);
    let mut again = Call::begin(&fixture, "/v1/asks", &body).await;
    assert_eq!(again.asked().await, id);
    assert_eq!(choose(&fixture, id, "No").await.status, 200);
    assert_eq!(again.ended().await["result"]["answers"][0]["selectedOptions"], json!(["No"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_self_test_asks_over_http_and_waits_for_the_answer() {
    let mut fixture = Fixture::open().await;
    fixture.gateway.as_ref().unwrap().self_test().await.unwrap();
    let (request, session) = fixture.asked().await;
    assert_eq!(session.origin.client(), Some("askdesk doctor"));
    assert_eq!(choose(&fixture, request.id, "Yes").await.status, 200);
    fixture.delivered(request.id).await;
    let test = fixture.gateway.as_ref().unwrap().self_test();
    fixture.gateway.take().unwrap().close().await;
    assert!(test.await.is_err(), "nobody is there any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_can_have_sixty_four_open_questions() {
    let fixture = Fixture::open().await;
    let mut calls = Vec::new();
    for n in 0..64 {
        // Each run of a script is a connection of its own, but they count as one client.
        let body = asks(&format!("c{n}"), &format!("Deploy {n}?"));
        let mut call = Call::begin(&fixture, "/v1/asks", &body).await;
        call.asked().await;
        calls.push(call);
    }
    fixture.post("/v1/asks", &asks("c64", "One more?")).await.refuses(429, "too_many_requests");
    let mut elsewhere = asks("c65", "Mine?");
    elsewhere["client"]["folder"] = "/home/b".into();
    let mut other = Call::begin(&fixture, "/v1/asks", &elsewhere).await;
    other.asked().await;
    assert_eq!(fixture.open_count().await, 65);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_is_connected_only_while_it_waits() {
    let fixture = Fixture::open().await;
    let (mut call, id) = Call::asks(&fixture, "c1").await;
    let (_, session) = fixture.asked().await;
    assert!(session.is_running());
    assert_eq!(choose(&fixture, id, "No").await.status, 200);
    call.ended().await;
    fixture.all_sessions_end().await;

    let mut call = Call::begin(&fixture, "/v1/asks", &asks("c2", "Deploy again?")).await;
    call.asked().await;
    assert_eq!(fixture.asked().await.1.id, session.id, "the same script has the same session");
    drop(call);
    fixture.all_sessions_end().await;
}
