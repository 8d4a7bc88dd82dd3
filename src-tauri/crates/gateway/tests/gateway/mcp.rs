//! MCP clients with and without sessions, through the library's own client.

use std::sync::Arc;
use std::time::Duration;

use askdesk_client_config::BACKGROUND_HEADER;
use askdesk_domain::{Asker, Channel, Delivery, Desk, Outcome, Request, Session};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::fixture::{Fixture, Head, PATIENCE, quick};
use super::mcp_client::{Folder, McpClient, PROJECT, Speaks, assert_answered, structured, text, which_store};

async fn connect(fixture: &Fixture, name: &'static str, speaks: Speaks) -> McpClient {
    McpClient::over_http(fixture, name, speaks, Folder::AtOnce).await
}

/// Answers the next question with Postgres.
async fn answer(fixture: &Fixture) -> (Request, Session) {
    let (request, session) = fixture.asked().await;
    fixture.answer(request.id).await;
    (request, session)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_the_result_of_the_call(#[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "codex-mcp-client", speaks).await;
    let (result, (request, session)) = tokio::join!(connected.ask(), answer(&fixture));
    assert_eq!(session.origin.channel(), Some(Channel::Mcp));
    assert_eq!(session.origin.client(), Some("codex-mcp-client"));
    assert_eq!((session.version.as_deref(), session.folder.as_str()), (Some("1.2.3"), PROJECT));
    assert_answered(&result, request.id);
    fixture.delivered(request.id).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_waiting_call_is_kept_alive_by_progress(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
) {
    let fixture = Fixture::open().await;
    let mut connected = connect(&fixture, "opencode", speaks).await;
    let (calling, progress) = connected.ask_with_progress();
    let answering = async {
        let (request, _) = fixture.asked().await;
        for _ in 0..4 {
            let told = tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
            assert!(told.starts_with("waiting for the user, 0:0"), "{told}");
        }
        fixture.answer(request.id).await;
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result).contains("Postgres"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_170_a_call_that_its_client_moved_to_the_background_is_marked_and_gets_its_result(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
    #[values("cli/200", "cli/0", "sdk-cli/200")] header: &str,
) {
    let fixture = Fixture::open().await;
    let connected =
        McpClient::with_header(&fixture, (BACKGROUND_HEADER, header), speaks, Folder::AtOnce).await;
    let answering = async {
        let (request, _) = fixture.asked().await;
        let id = request.id;
        match header {
            "cli/200" => {
                let goes_on =
                    move |desk: &Desk| (desk.request(id)?.asker == Asker::InBackground).then_some(());
                fixture.until("the agent goes on", goes_on).await;
                let listed = fixture.get("/v1/requests").await.json();
                assert_eq!(listed["requests"][0]["agentGoesOn"], true, "{listed}");
            }
            _ => tokio::time::sleep(Duration::from_millis(600)).await,
        }
        fixture.answer(id).await;
        id
    };
    let (result, id) = tokio::join!(connected.ask(), answering);
    assert_answered(&result, id);
    fixture.delivered(id).await;
    let asker = if header == "cli/200" { Asker::InBackground } else { Asker::Waits };
    let request = fixture.engine.request(id).await.unwrap();
    assert_eq!(request.asker, asker);
    assert!(matches!(request.ended().unwrap().delivery, Some(Delivery::Delivered { late: false, .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_named_late_is_used_from_then_on() {
    let fixture = Fixture::open().await;
    let connected = McpClient::over_http(&fixture, "codex", Speaks::Sessions, Folder::NotAtFirst).await;
    for folder in ["", PROJECT] {
        let (_, (request, session)) = tokio::join!(connected.ask(), answer(&fixture));
        assert_eq!(session.folder, folder);
        fixture.delivered(request.id).await;
    }
    connected.client.cancel().await.unwrap();
    fixture.all_sessions_end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_canceled_call_is_missed_and_its_repeat_is_the_same_question() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    call.cancel(Some("the user pressed Esc".to_owned())).await.unwrap();
    fixture.missed(request.id).await;
    let (result, (again, _)) = tokio::join!(connected.ask(), answer(&fixture));
    assert_eq!(again.id, request.id);
    assert!(text(&result).contains("Postgres"));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_late_answer_is_collected_by_the_id_of_its_question() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    let collect = async || connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(structured(&collect().await)["outcome"], "open");
    call.cancel(None).await.unwrap();
    fixture.missed(request.id).await;
    let cut_off = collect().await;
    assert!(!text(&cut_off).contains("has answered"), "{cut_off:?}");
    fixture.answer(request.id).await;
    let collected = collect().await;
    assert_eq!(structured(&collected)["outcome"], "answered");
    assert!(text(&collected).contains("\"Postgres\""), "{collected:?}");
    fixture.delivered(request.id).await;
    let unknown = connected.call("collect_answer", json!({"requestId": uuid::Uuid::nil()})).await;
    assert_eq!(unknown.is_error, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn canceling_a_finished_call_is_ignored() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "opencode", Speaks::Sessions).await;
    let call = connected.begin().await;
    let (request, _) = answer(&fixture).await;
    fixture.delivered(request.id).await;
    call.cancel(Some("finished".to_owned())).await.unwrap();
    let next = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(structured(&next)["outcome"], "answered");
    assert!(matches!(fixture.outcome(request.id).await, Outcome::Answered { .. }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_question_is_rejected_in_the_same_turn(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
) {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", speaks).await;
    let asked = json!({"questions": [
        {"question": "A?", "options": ["x", "y"]}, {"question": "B?", "options": ["x"]},
    ]});
    let refused = connected.call("ask_user_question", asked).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(
        text(&refused).contains("questions[1].options: too few options (1; the minimum is 2)"),
        "{refused:?}"
    );
    assert_eq!(fixture.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_leaves_its_question_to_the_user() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "codex", Speaks::Sessions).await;
    let _call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    connected.client.cancel().await.unwrap();
    fixture.missed(request.id).await;
    fixture.all_sessions_end().await;
    fixture.answer(request.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_tells_waiting_callers_that_the_question_is_kept() {
    let mut fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let gateway = fixture.gateway.take().unwrap();
    let closing = async {
        let (request, _) = fixture.asked().await;
        gateway.close().await;
        request
    };
    let (result, request) = tokio::join!(connected.ask(), closing);
    assert_eq!(structured(&result)["outcome"], "missed");
    assert!(text(&result).contains("ask the same question again"), "{result:?}");
    fixture.missed(request.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_does_not_wait_for_a_client_that_only_listens() {
    let mut fixture =
        Fixture::open_with(askdesk_gateway::Timeouts { closing: PATIENCE * 4, ..quick() }).await;
    let begins = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"},
    }});
    let began = fixture.post("/mcp", &begins).await;
    let session = began.headers.get("mcp-session-id").unwrap_or_else(|| panic!("{began:?}"));
    let head = |method| fixture.head(method, "/mcp").set("mcp-session-id", session);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(fixture.send(&head("POST"), ready.to_string().as_bytes()).await.status, 202);
    let mut listening = TcpStream::connect(fixture.address).await.unwrap();
    listening.write_all(&head("GET").with(b"")).await.unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let gateway = fixture.gateway.take().unwrap();
    tokio::time::timeout(PATIENCE, gateway.close()).await.expect("an end in time");
}

/// A call of a client that has no session, written by hand.
fn without_session(fixture: &Fixture, method: &str, mut params: Value) -> (Head, String) {
    let version = "2026-07-28";
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "runaway", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let head = fixture.head("POST", "/mcp").set("mcp-protocol-version", version).set("mcp-method", method);
    (head, json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_tools_that_does_not_exist_is_refused() {
    let fixture = Fixture::open().await;
    let list = async |cursor: Value| {
        let (head, call) = without_session(&fixture, "tools/list", json!({"cursor": cursor}));
        fixture.send(&head, call.as_bytes()).await
    };
    // The response is a stream of events.
    let refused = list(json!("page 2")).await.body;
    assert!(refused.contains("\"error\":{\"code\":-32602,"), "{refused}");
    assert!(refused.contains("page 2") && refused.contains("without a cursor"), "{refused}");
    let first = list(Value::Null).await.body;
    assert!(first.contains("ask_user"), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_hundred_calls_a_minute_are_rejected() {
    let fixture = Fixture::open().await;
    let params = json!({"name": "collect_answer", "arguments": {"requestId": uuid::Uuid::nil()}});
    let (head, call) = without_session(&fixture, "tools/call", params);
    let head = head.set("mcp-name", "collect_answer");
    for n in 0..100 {
        let answer = fixture.send(&head, call.as_bytes()).await;
        assert_eq!(answer.status, 200, "{n}: {answer:?}");
    }
    let refused = fixture.send(&head, call.as_bytes()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let words = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(words.starts_with("too many calls (the limit is 100 a minute per client)"), "{words}");
    assert_eq!(refused.json()["id"], 7);
    let metrics = fixture.get("/metrics").await.body;
    assert!(metrics.contains("askdesk_errors_total{code=\"too_many_requests\"} 1\n"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_41_only_a_time_limit_ends_a_waiting_call() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let connected = Arc::new(connect(&fixture, "claude-code", Speaks::Sessions).await);
    let asks =
        |question: &str| json!({"questions": [{"question": question, "type": "text"}], "timeout": 600});
    let call = |tool: &'static str, arguments| {
        let connected = Arc::clone(&connected);
        tokio::spawn(async move { connected.call(tool, arguments).await })
    };
    let limited = call("ask_user", asks("Name?"));
    let (with_limit, _) = fixture.asked().await;
    let patient = call("ask_user_question", which_store());
    fixture.until("both wait", |desk| (desk.requests().count() == 2).then_some(())).await;
    clock.advance(599_000);
    assert_eq!(fixture.open_count().await, 2);
    clock.advance(2_000);
    let expired = limited.await.unwrap();
    let ended_at = fixture.engine.request(with_limit.id).await.unwrap().ended().unwrap().at.millis();
    assert!(ended_at - with_limit.asked_at.millis() >= 600_000, "not before its time limit");
    let said = structured(&expired);
    assert_eq!(said["outcome"], "expired", "distinct from declined and from answered");
    assert_eq!(said["message"], json!(text(&expired)), "some models see the structure alone");
    assert!(text(&expired).contains(&format!("collect_answer with requestId \"{}\"", with_limit.id)));
    // The other one still waits a month later, when the time limit of a third one has passed.
    let third = call("ask_user", asks("Color?"));
    fixture.until("the third waits", |desk| (desk.requests().count() == 3).then_some(())).await;
    clock.advance(30 * 24 * 3_600_000);
    assert_eq!(structured(&third.await.unwrap())["outcome"], "expired");
    assert!(!patient.is_finished());
    answer(&fixture).await;
    assert!(text(&patient.await.unwrap()).contains("Postgres"));
    // The late answer to the first one can be collected.
    fixture.write(with_limit.id, 0, "Ada").await;
    let collected = connected.call("collect_answer", json!({"requestId": with_limit.id})).await;
    assert!(text(&collected).contains("\"Name?\"=\"Ada\""), "{collected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_55_an_answer_after_an_hour_arrives() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let mut connected = connect(&fixture, "opencode", Speaks::Sessions).await;
    let (calling, progress) = connected.ask_with_progress();
    let answering = async {
        let (request, _) = fixture.asked().await;
        for _ in 0..60 {
            clock.advance(60_000);
            tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
        }
        fixture.answer(request.id).await;
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result).contains("Postgres"));
}
