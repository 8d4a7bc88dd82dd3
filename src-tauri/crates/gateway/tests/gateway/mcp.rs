//! MCP clients with and without sessions, through the library's own client.

#![expect(deprecated, reason = "roots are on their way out, and clients still have them")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use askdesk_domain::{AnswerInput, Channel, Delivery, OrphanedWhy, Outcome, QuestionId, Request, Session};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion, Root,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::fixture::{Fixture, PATIENCE, quick};

/// The generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaks {
    Sessions,
    Discovery,
}

/// How a client names its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Folder {
    AtOnce,
    NotAtFirst,
    Never,
}

struct TestClient {
    name: &'static str,
    folder: Folder,
    asked_for_folder: AtomicUsize,
    progress: mpsc::UnboundedSender<String>,
}

impl ClientHandler for TestClient {
    fn get_info(&self) -> ClientConfig {
        let able = match self.folder {
            Folder::Never => ClientCapabilities::default(),
            Folder::AtOnce | Folder::NotAtFirst => ClientCapabilities::builder().enable_roots().build(),
        };
        ClientConfig::new(able, Implementation::new(self.name, "1.2.3"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        if self.asked_for_folder.fetch_add(1, Ordering::Relaxed) == 0 && self.folder == Folder::NotAtFirst {
            std::future::pending::<()>().await;
        }
        Ok(ListRootsResult::new(vec![Root::new("file:///home/a/project")]))
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(told.message.unwrap_or_default());
    }
}

struct Connected {
    client: RunningService<RoleClient, TestClient>,
    progress: mpsc::UnboundedReceiver<String>,
}

async fn connect(fixture: &Fixture, name: &'static str, speaks: Speaks) -> Connected {
    connect_from(fixture, name, speaks, Folder::AtOnce).await
}

async fn connect_from(fixture: &Fixture, name: &'static str, speaks: Speaks, folder: Folder) -> Connected {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", fixture.address));
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(fixture.token()));
    let (sender, progress) = mpsc::unbounded_channel();
    let client = TestClient { name, folder, asked_for_folder: AtomicUsize::new(0), progress: sender };
    let lifecycle = match speaks {
        Speaks::Sessions => ClientLifecycleMode::Initialize,
        Speaks::Discovery => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
    };
    Connected { client: client.serve_with_lifecycle(transport, lifecycle).await.unwrap(), progress }
}

impl Connected {
    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let calling = self.client.call_tool(params(tool, arguments));
        tokio::time::timeout(PATIENCE, calling).await.expect("an end in time").unwrap()
    }

    /// Starts a call that can be cancelled. A client without sessions has named its folder before.
    async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }
}

fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

fn which_store() -> Value {
    json!({"questions": [{
        "question": "Which store?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"}],
    }]})
}

fn second_option() -> Vec<AnswerInput> {
    let question = QuestionId::at(0);
    vec![AnswerInput { question, chosen: vec![question.option(1)], other: None, note: None }]
}

async fn asked(fixture: &Fixture) -> (Request, Session) {
    fixture
        .until("a question is open", |desk| {
            let request = desk.requests().find(|request| request.is_open())?;
            Some((request.clone(), desk.session(request.session)?.clone()))
        })
        .await
}

async fn delivered(fixture: &Fixture, request: &Request) {
    let id = request.id;
    fixture
        .until("the answer is delivered", move |desk| {
            let delivery = desk.request(id)?.ended()?.delivery.clone();
            matches!(delivery, Some(Delivery::Delivered { .. })).then_some(())
        })
        .await;
}

fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_the_result_of_the_call(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "codex-mcp-client", speaks).await;
    let calling = connected.call("ask_user_question", which_store());
    let answering = async {
        let (request, session) = asked(&fixture).await;
        assert_eq!(session.origin.channel(), Some(Channel::Mcp));
        assert_eq!(session.origin.client(), Some("codex-mcp-client"));
        assert_eq!(session.version.as_deref(), Some("1.2.3"));
        assert_eq!(session.folder, "/home/a/project");
        fixture.engine.answer(request.id, second_option()).await.unwrap();
        request
    };
    let (result, request) = tokio::join!(calling, answering);
    assert_ne!(result.is_error, Some(true));
    assert_eq!(
        text(&result),
        "User has answered your questions: \"Which store?\"=\"Postgres\". You can now continue with the user's answers in \
         mind."
    );
    assert_eq!(
        result.structured_content.unwrap(),
        json!({"outcome": "answered", "requestId": request.id, "answers": [
            {"question": "Which store?", "header": "Store", "selectedOptions": ["Postgres"]},
        ]})
    );
    delivered(&fixture, &request).await;
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_waiting_call_is_kept_alive_by_progress(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let mut connected = connect(&fixture, "opencode", speaks).await;
    let calling = connected.client.call_tool(params("ask_user_question", which_store()));
    let progress = &mut connected.progress;
    let answering = async {
        let (request, _) = asked(&fixture).await;
        for _ in 0..4 {
            let told = tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
            assert!(told.starts_with("waiting for the person, 0:0"), "{told}");
        }
        fixture.engine.answer(request.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result.unwrap()).contains("Postgres"));
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_repeated_call_finds_its_late_answer(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", speaks).await;
    if speaks == Speaks::Discovery {
        // After this call the folder is known, so the next one takes one round trip.
        assert_eq!(connected.call("ask_user", json!({"questions": []})).await.is_error, Some(true));
    }
    let first = {
        let calling = connected.client.call_tool(params("ask_user_question", which_store()));
        let mut calling = std::pin::pin!(calling);
        tokio::select! {
            result = &mut calling => panic!("{result:?}"),
            (request, _) = asked(&fixture) => request,
        }
        // The call is dropped, as a client does after its own timeout.
    };
    missed(&fixture, &first).await;
    let late = fixture.engine.answer(first.id, second_option()).await.unwrap();
    assert_eq!(late.ended().unwrap().delivery, Some(Delivery::Parked));
    let again = connected.call("ask_user_question", which_store()).await;
    assert_eq!(again.structured_content.as_ref().unwrap()["requestId"], json!(first.id));
    assert!(text(&again).contains("\"Postgres\""), "{again:?}");
    delivered(&fixture, &first).await;
    assert_eq!(fixture.open_count().await, 0);
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn without_a_folder_two_connections_of_one_client_never_share_an_answer(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let first = {
        let connected = connect_from(&fixture, "codex", speaks, Folder::Never).await;
        let calling = connected.client.call_tool(params("ask_user_question", which_store()));
        let mut calling = std::pin::pin!(calling);
        tokio::select! {
            result = &mut calling => panic!("{result:?}"),
            (request, _) = asked(&fixture) => request,
        }
    };
    missed(&fixture, &first).await;
    fixture.engine.answer(first.id, second_option()).await.unwrap();
    let other = connect_from(&fixture, "codex", speaks, Folder::Never).await;
    let calling = other.call("ask_user_question", which_store());
    let answering = async {
        let (request, session) = asked(&fixture).await;
        assert_ne!((request.id, session.id), (first.id, first.session));
        fixture.engine.answer(request.id, second_option()).await.unwrap();
        request
    };
    let (result, request) = tokio::join!(calling, answering);
    assert_eq!(result.structured_content.unwrap()["requestId"], json!(request.id));
    assert_eq!(
        fixture.engine.request(first.id).await.unwrap().ended().unwrap().delivery,
        Some(Delivery::Parked)
    );
    drop(other);
    nobody_is_connected(&fixture).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_named_late_is_used_from_then_on() {
    let fixture = Fixture::open().await;
    let connected = connect_from(&fixture, "codex", Speaks::Sessions, Folder::NotAtFirst).await;
    for folder in ["", "/home/a/project"] {
        let calling = connected.call("ask_user_question", which_store());
        let answering = async {
            let (request, session) = asked(&fixture).await;
            assert_eq!(session.folder, folder);
            fixture.engine.answer(request.id, second_option()).await.unwrap();
            delivered(&fixture, &request).await;
        };
        tokio::join!(calling, answering);
    }
    connected.client.cancel().await.unwrap();
    nobody_is_connected(&fixture).await;
}

async fn nobody_is_connected(fixture: &Fixture) {
    fixture
        .until("no session runs", |desk| desk.sessions().all(|session| !session.is_running()).then_some(()))
        .await;
}

async fn missed(fixture: &Fixture, request: &Request) {
    let id = request.id;
    fixture
        .until("the request is missed", move |desk| {
            let ended = desk.request(id)?.ended()?;
            (ended.outcome == Outcome::Orphaned { why: OrphanedWhy::CallerGone }).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_cancelled_call_is_missed_and_its_repeat_is_the_same_question() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&fixture).await;
    call.cancel(Some("the user pressed Esc".to_owned())).await.unwrap();
    missed(&fixture, &request).await;
    let calling = connected.call("ask_user_question", which_store());
    let answering = async {
        let (again, _) = asked(&fixture).await;
        assert_eq!(again.id, request.id);
        fixture.engine.answer(again.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result).contains("Postgres"));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_late_answer_is_collected_by_the_id_of_its_question() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&fixture).await;
    let open = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(open.structured_content.unwrap()["outcome"], "open");
    call.cancel(None).await.unwrap();
    missed(&fixture, &request).await;
    let cut_off = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert!(!text(&cut_off).contains("has answered"), "{cut_off:?}");
    fixture.engine.answer(request.id, second_option()).await.unwrap();
    let collected = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(collected.structured_content.as_ref().unwrap()["outcome"], "answered");
    assert!(text(&collected).contains("\"Postgres\""), "{collected:?}");
    delivered(&fixture, &request).await;
    let unknown = connected.call("collect_answer", json!({"requestId": uuid::Uuid::nil()})).await;
    assert_eq!(unknown.is_error, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_finished_call_is_ignored() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "opencode", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&fixture).await;
    fixture.engine.answer(request.id, second_option()).await.unwrap();
    delivered(&fixture, &request).await;
    call.cancel(Some("finished".to_owned())).await.unwrap();
    let next = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(next.structured_content.unwrap()["outcome"], "answered");
    let kept = fixture.engine.request(request.id).await.unwrap();
    assert!(matches!(kept.ended().unwrap().outcome, Outcome::Answered { .. }));
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn gemini_is_offered_a_tool_name_that_it_does_not_hide(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    for (name, expected) in [("gemini-cli-mcp-client", "ask_person"), ("codex", "ask_user")] {
        let connected = connect(&fixture, name, speaks).await;
        let tools = connected.client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["ask_user_question", expected, "collect_answer"]);
    }
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_question_is_rejected_in_the_same_turn(#[case] speaks: Speaks) {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", speaks).await;
    let asked = json!({"questions": [
        {"question": "A?", "options": ["x", "y"]}, {"question": "B?", "options": ["x"]},
    ]});
    let refused = connected.call("ask_user_question", asked).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("questions[1].options: at least 2 options, got 1"), "{refused:?}");
    assert_eq!(fixture.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_leaves_its_question_to_the_user() {
    let fixture = Fixture::open().await;
    let connected = connect(&fixture, "codex", Speaks::Sessions).await;
    let _call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&fixture).await;
    connected.client.cancel().await.unwrap();
    missed(&fixture, &request).await;
    fixture
        .until("the session is over", |desk| {
            desk.sessions().all(|session| !session.is_running()).then_some(())
        })
        .await;
    assert!(fixture.engine.answer(request.id, second_option()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_connection_has_a_session_of_its_own() {
    let fixture = Fixture::open().await;
    let first = connect(&fixture, "codex", Speaks::Sessions).await;
    let second = connect(&fixture, "codex", Speaks::Sessions).await;
    let other = json!({"questions": [{"question": "Name?", "type": "text"}]});
    let _one = first.begin("ask_user_question", which_store()).await;
    let _two = second.begin("ask_user", other).await;
    fixture
        .until("both ask in sessions of their own", |desk| {
            let mut sessions: Vec<_> = desk.requests().map(|request| request.session).collect();
            sessions.dedup();
            (sessions.len() == 2).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_tells_waiting_callers_that_the_question_is_kept() {
    let mut fixture = Fixture::open().await;
    let connected = connect(&fixture, "claude-code", Speaks::Sessions).await;
    let calling = connected.call("ask_user_question", which_store());
    let gateway = fixture.gateway.take().unwrap();
    let closing = async {
        let (request, _) = asked(&fixture).await;
        gateway.close().await;
        request
    };
    let (result, request) = tokio::join!(calling, closing);
    assert_eq!(result.structured_content.as_ref().unwrap()["outcome"], "missed");
    assert!(text(&result).contains("ask the same again"), "{result:?}");
    missed(&fixture, &request).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_hundred_calls_a_minute_are_rejected() {
    let fixture = Fixture::open().await;
    let head = fixture.head("POST", "/mcp").set("mcp-protocol-version", "2026-07-28");
    let head = head.set("mcp-method", "tools/call").set("mcp-name", "collect_answer");
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "collect_answer", "arguments": {"requestId": uuid::Uuid::nil()}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "runaway", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    for n in 0..100 {
        let answer = fixture.send(&head, call.to_string().as_bytes()).await;
        assert_eq!(answer.status, 200, "{n}: {answer:?}");
    }
    let refused = fixture.send(&head, call.to_string().as_bytes()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let words = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(words.starts_with("at most 100 calls a minute"), "{words}");
    assert_eq!(refused.json()["id"], 7);
    let metrics = fixture.get("/metrics").await.body;
    assert!(metrics.contains("askdesk_errors_total{code=\"too_many_requests\"} 1\n"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_41_only_a_time_limit_ends_a_waiting_call() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let connected = Arc::new(connect(&fixture, "claude-code", Speaks::Sessions).await);
    let asks = json!({"questions": [{"question": "Name?", "type": "text"}], "timeout": 600});
    let limited = Arc::clone(&connected);
    let limited = tokio::spawn(async move { limited.call("ask_user", asks).await });
    let (with_limit, _) = asked(&fixture).await;
    let patient = Arc::clone(&connected);
    let patient = tokio::spawn(async move { patient.call("ask_user_question", which_store()).await });
    fixture.until("both wait", |desk| (desk.requests().count() == 2).then_some(())).await;
    clock.advance(599_000);
    assert_eq!(fixture.open_count().await, 2);
    clock.advance(2_000);
    let expired = limited.await.unwrap();
    let ended_at = fixture.engine.request(with_limit.id).await.unwrap().ended().unwrap().at.millis();
    assert!(ended_at - with_limit.asked_at.millis() >= 600_000, "not before its time limit");
    let structured = expired.structured_content.as_ref().unwrap();
    assert_eq!(structured["outcome"], "expired", "distinct from declined and from answered");
    assert_eq!(structured["message"], json!(text(&expired)), "some models see the structure alone");
    assert!(text(&expired).contains(&format!("collect_answer with requestId \"{}\"", with_limit.id)));
    // The other one still waits a month later, when the time limit of a third one has passed.
    let asks = json!({"questions": [{"question": "Color?", "type": "text"}], "timeout": 600});
    let third = Arc::clone(&connected);
    let third = tokio::spawn(async move { third.call("ask_user", asks).await });
    fixture.until("the third waits", |desk| (desk.requests().count() == 3).then_some(())).await;
    clock.advance(30 * 24 * 3_600_000);
    assert_eq!(third.await.unwrap().structured_content.unwrap()["outcome"], "expired");
    assert!(!patient.is_finished());
    let (waits, _) = asked(&fixture).await;
    fixture.engine.answer(waits.id, second_option()).await.unwrap();
    assert!(text(&patient.await.unwrap()).contains("Postgres"));
    // The late answer to the first one can be collected.
    let words = AnswerInput {
        question: QuestionId::at(0),
        chosen: vec![],
        other: Some("Ada".to_owned()),
        note: None,
    };
    fixture.engine.answer(with_limit.id, vec![words]).await.unwrap();
    let collected = connected.call("collect_answer", json!({"requestId": with_limit.id})).await;
    assert!(text(&collected).contains("\"Name?\"=\"Ada\""), "{collected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_55_an_answer_after_an_hour_arrives() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let mut connected = connect(&fixture, "opencode", Speaks::Sessions).await;
    let calling = connected.client.call_tool(params("ask_user_question", which_store()));
    let progress = &mut connected.progress;
    let answering = async {
        let (request, _) = asked(&fixture).await;
        for _ in 0..60 {
            clock.advance(60_000);
            tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
        }
        fixture.engine.answer(request.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result.unwrap()).contains("Postgres"));
}
