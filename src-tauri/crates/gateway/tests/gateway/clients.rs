//! MCP clients of both generations of the protocol, by the library's own client.

#![expect(deprecated, reason = "roots are on their way out, and clients still have them")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

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

use super::house::{House, PATIENCE, quick};

/// Which of the two a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaks {
    Sessions,
    Discovery,
}

/// How a client tells in which folder it works.
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

async fn connect(house: &House, name: &'static str, speaks: Speaks) -> Connected {
    connect_from(house, name, speaks, Folder::AtOnce).await
}

async fn connect_from(house: &House, name: &'static str, speaks: Speaks, folder: Folder) -> Connected {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", house.address));
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(house.token()));
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

    /// Begins a call that can be cancelled; a client without sessions has said its folder before.
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

async fn asked(house: &House) -> (Request, Session) {
    house
        .until("a question is open", |desk| {
            let request = desk.requests().find(|request| request.is_open())?;
            Some((request.clone(), desk.session(request.session)?.clone()))
        })
        .await
}

async fn delivered(house: &House, request: &Request) {
    let id = request.id;
    house
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
async fn an_answer_of_the_desk_is_the_result_of_the_call(#[case] speaks: Speaks) {
    let house = House::open().await;
    let connected = connect(&house, "codex-mcp-client", speaks).await;
    let calling = connected.call("ask_user_question", which_store());
    let answering = async {
        let (request, session) = asked(&house).await;
        assert_eq!(session.origin.channel(), Some(Channel::Mcp));
        assert_eq!(session.origin.client(), Some("codex-mcp-client"));
        assert_eq!(session.version.as_deref(), Some("1.2.3"));
        assert_eq!(session.folder, "/home/a/project");
        house.engine.answer(request.id, second_option()).await.unwrap();
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
    delivered(&house, &request).await;
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_wait_is_kept_alive(#[case] speaks: Speaks) {
    let house = House::open().await;
    let mut connected = connect(&house, "opencode", speaks).await;
    let calling = connected.client.call_tool(params("ask_user_question", which_store()));
    let progress = &mut connected.progress;
    let answering = async {
        let (request, _) = asked(&house).await;
        for _ in 0..4 {
            let told = tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
            assert!(told.starts_with("waiting for the person, 0:0"), "{told}");
        }
        house.engine.answer(request.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result.unwrap()).contains("Postgres"));
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_call_that_is_cut_off_finds_its_late_answer(#[case] speaks: Speaks) {
    let house = House::open().await;
    let connected = connect(&house, "claude-code", speaks).await;
    if speaks == Speaks::Discovery {
        // By this call the folder is known, and the next is one round.
        assert_eq!(connected.call("ask_user", json!({"questions": []})).await.is_error, Some(true));
    }
    let first = {
        let calling = connected.client.call_tool(params("ask_user_question", which_store()));
        let mut calling = std::pin::pin!(calling);
        tokio::select! {
            result = &mut calling => panic!("{result:?}"),
            (request, _) = asked(&house) => request,
        }
        // The call is dropped here, as a client does that has waited for too long.
    };
    missed(&house, &first).await;
    let late = house.engine.answer(first.id, second_option()).await.unwrap();
    assert_eq!(late.ended().unwrap().delivery, Some(Delivery::Parked));
    let again = connected.call("ask_user_question", which_store()).await;
    assert_eq!(again.structured_content.as_ref().unwrap()["requestId"], json!(first.id));
    assert!(text(&again).contains("\"Postgres\""), "{again:?}");
    delivered(&house, &first).await;
    assert_eq!(house.open_count().await, 0);
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn without_a_folder_two_connections_of_one_client_never_share_an_answer(#[case] speaks: Speaks) {
    let house = House::open().await;
    let first = {
        let connected = connect_from(&house, "codex", speaks, Folder::Never).await;
        let calling = connected.client.call_tool(params("ask_user_question", which_store()));
        let mut calling = std::pin::pin!(calling);
        tokio::select! {
            result = &mut calling => panic!("{result:?}"),
            (request, _) = asked(&house) => request,
        }
    };
    missed(&house, &first).await;
    house.engine.answer(first.id, second_option()).await.unwrap();
    let other = connect_from(&house, "codex", speaks, Folder::Never).await;
    let calling = other.call("ask_user_question", which_store());
    let answering = async {
        let (request, session) = asked(&house).await;
        assert_ne!((request.id, session.id), (first.id, first.session));
        house.engine.answer(request.id, second_option()).await.unwrap();
        request
    };
    let (result, request) = tokio::join!(calling, answering);
    assert_eq!(result.structured_content.unwrap()["requestId"], json!(request.id));
    assert_eq!(
        house.engine.request(first.id).await.unwrap().ended().unwrap().delivery,
        Some(Delivery::Parked)
    );
    drop(other);
    nobody_is_connected(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_told_late_is_taken_when_it_is_told() {
    let house = House::open().await;
    let connected = connect_from(&house, "codex", Speaks::Sessions, Folder::NotAtFirst).await;
    for folder in ["", "/home/a/project"] {
        let calling = connected.call("ask_user_question", which_store());
        let answering = async {
            let (request, session) = asked(&house).await;
            assert_eq!(session.folder, folder);
            house.engine.answer(request.id, second_option()).await.unwrap();
            delivered(&house, &request).await;
        };
        tokio::join!(calling, answering);
    }
    connected.client.cancel().await.unwrap();
    nobody_is_connected(&house).await;
}

async fn nobody_is_connected(house: &House) {
    house
        .until("no session runs", |desk| desk.sessions().all(|session| !session.is_running()).then_some(()))
        .await;
}

async fn missed(house: &House, request: &Request) {
    let id = request.id;
    house
        .until("the request is missed", move |desk| {
            let ended = desk.request(id)?.ended()?;
            (ended.outcome == Outcome::Orphaned { why: OrphanedWhy::CallerGone }).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_cancelled_call_is_missed_and_its_repeat_is_the_same_question() {
    let house = House::open().await;
    let connected = connect(&house, "claude-code", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&house).await;
    call.cancel(Some("the user pressed Esc".to_owned())).await.unwrap();
    missed(&house, &request).await;
    let calling = connected.call("ask_user_question", which_store());
    let answering = async {
        let (again, _) = asked(&house).await;
        assert_eq!(again.id, request.id);
        house.engine.answer(again.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result).contains("Postgres"));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_late_answer_is_collected_by_the_id_of_its_question() {
    let house = House::open().await;
    let connected = connect(&house, "claude-code", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&house).await;
    let open = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(open.structured_content.unwrap()["outcome"], "open");
    call.cancel(None).await.unwrap();
    missed(&house, &request).await;
    let cut_off = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert!(!text(&cut_off).contains("has answered"), "{cut_off:?}");
    house.engine.answer(request.id, second_option()).await.unwrap();
    let collected = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(collected.structured_content.as_ref().unwrap()["outcome"], "answered");
    assert!(text(&collected).contains("\"Postgres\""), "{collected:?}");
    delivered(&house, &request).await;
    let unknown = connected.call("collect_answer", json!({"requestId": uuid::Uuid::nil()})).await;
    assert_eq!(unknown.is_error, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_a_call_that_is_over_is_passed_over() {
    let house = House::open().await;
    let connected = connect(&house, "opencode", Speaks::Sessions).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&house).await;
    house.engine.answer(request.id, second_option()).await.unwrap();
    delivered(&house, &request).await;
    call.cancel(Some("finished".to_owned())).await.unwrap();
    let next = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(next.structured_content.unwrap()["outcome"], "answered");
    let kept = house.engine.request(request.id).await.unwrap();
    assert!(matches!(kept.ended().unwrap().outcome, Outcome::Answered { .. }));
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hides_a_name_is_shown_another(#[case] speaks: Speaks) {
    let house = House::open().await;
    for (name, expected) in [("gemini-cli-mcp-client", "ask_person"), ("codex", "ask_user")] {
        let connected = connect(&house, name, speaks).await;
        let tools = connected.client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["ask_user_question", expected, "collect_answer"]);
    }
}

#[rstest]
#[case(Speaks::Sessions)]
#[case(Speaks::Discovery)]
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_shown_is_refused_in_the_same_turn(#[case] speaks: Speaks) {
    let house = House::open().await;
    let connected = connect(&house, "claude-code", speaks).await;
    let asked = json!({"questions": [
        {"question": "A?", "options": ["x", "y"]}, {"question": "B?", "options": ["x"]},
    ]});
    let refused = connected.call("ask_user_question", asked).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("questions[1].options: at least 2 options, got 1"), "{refused:?}");
    assert_eq!(house.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_leaves_its_question_to_be_answered() {
    let house = House::open().await;
    let connected = connect(&house, "codex", Speaks::Sessions).await;
    let _call = connected.begin("ask_user_question", which_store()).await;
    let (request, _) = asked(&house).await;
    connected.client.cancel().await.unwrap();
    missed(&house, &request).await;
    house
        .until("the session is over", |desk| {
            desk.sessions().all(|session| !session.is_running()).then_some(())
        })
        .await;
    assert!(house.engine.answer(request.id, second_option()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_connection_has_a_session_of_its_own() {
    let house = House::open().await;
    let first = connect(&house, "codex", Speaks::Sessions).await;
    let second = connect(&house, "codex", Speaks::Sessions).await;
    let other = json!({"questions": [{"question": "Name?", "type": "text"}]});
    let _one = first.begin("ask_user_question", which_store()).await;
    let _two = second.begin("ask_user", other).await;
    house
        .until("both ask in sessions of their own", |desk| {
            let mut sessions: Vec<_> = desk.requests().map(|request| request.session).collect();
            sessions.dedup();
            (sessions.len() == 2).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_closes_tells_who_waits_that_the_question_is_kept() {
    let mut house = House::open().await;
    let connected = connect(&house, "claude-code", Speaks::Sessions).await;
    let calling = connected.call("ask_user_question", which_store());
    let doors = house.doors.take().unwrap();
    let closing = async {
        let (request, _) = asked(&house).await;
        doors.close().await;
        request
    };
    let (result, request) = tokio::join!(calling, closing);
    assert_eq!(result.structured_content.as_ref().unwrap()["outcome"], "missed");
    assert!(text(&result).contains("ask the same again"), "{result:?}");
    missed(&house, &request).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_closes_does_not_wait_for_a_client_that_only_listens() {
    let mut house = House::open_with(askdesk_gateway::Times { closing: PATIENCE * 4, ..quick() }).await;
    let begins = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"},
    }});
    let began = house.post("/mcp", &begins).await;
    let session = began.headers.get("mcp-session-id").unwrap_or_else(|| panic!("{began:?}"));
    let head = |method| house.head(method, "/mcp").set("mcp-session-id", session);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(house.send(&head("POST"), ready.to_string().as_bytes()).await.status, 202);
    let mut listening = TcpStream::connect(house.address).await.unwrap();
    listening.write_all(&head("GET").with(b"")).await.unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let doors = house.doors.take().unwrap();
    tokio::time::timeout(PATIENCE, doors.close()).await.expect("an end in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_hundred_calls_a_minute_are_too_many() {
    let house = House::open().await;
    let head = house.head("POST", "/mcp").set("mcp-protocol-version", "2026-07-28");
    let head = head.set("mcp-method", "tools/call").set("mcp-name", "collect_answer");
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "collect_answer", "arguments": {"requestId": uuid::Uuid::nil()}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "runaway", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    for n in 0..100 {
        let answer = house.send(&head, call.to_string().as_bytes()).await;
        assert_eq!(answer.status, 200, "{n}: {answer:?}");
    }
    let refused = house.send(&head, call.to_string().as_bytes()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let words = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(words.starts_with("at most 100 calls a minute"), "{words}");
    assert_eq!(refused.json()["id"], 7);
    let metrics = house.get("/metrics").await.body;
    assert!(metrics.contains("askdesk_errors_total{code=\"too_many_requests\"} 1\n"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_41_nothing_but_a_limit_that_was_set_ends_a_wait() {
    let (house, clock) = House::open_by_hand().await;
    let connected = Arc::new(connect(&house, "claude-code", Speaks::Sessions).await);
    let asks = json!({"questions": [{"question": "Name?", "type": "text"}], "timeout": 600});
    let limited = Arc::clone(&connected);
    let limited = tokio::spawn(async move { limited.call("ask_user", asks).await });
    let (with_limit, _) = asked(&house).await;
    let patient = Arc::clone(&connected);
    let patient = tokio::spawn(async move { patient.call("ask_user_question", which_store()).await });
    house.until("both wait", |desk| (desk.requests().count() == 2).then_some(())).await;
    clock.advance(599_000);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(house.open_count().await, 2);
    clock.advance(2_000);
    let expired = limited.await.unwrap();
    let structured = expired.structured_content.as_ref().unwrap();
    assert_eq!(structured["outcome"], "expired", "distinct from declined and from answered");
    assert_eq!(structured["message"], json!(text(&expired)), "some models see the structure alone");
    assert!(text(&expired).contains(&format!("collect_answer with requestId \"{}\"", with_limit.id)));
    // A month later the other one waits as it did.
    clock.advance(30 * 24 * 3_600_000);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!patient.is_finished());
    let (waits, _) = asked(&house).await;
    house.engine.answer(waits.id, second_option()).await.unwrap();
    assert!(text(&patient.await.unwrap()).contains("Postgres"));
    // And the late answer to the first is there to be collected.
    let words = AnswerInput {
        question: QuestionId::at(0),
        chosen: vec![],
        other: Some("Ada".to_owned()),
        note: None,
    };
    house.engine.answer(with_limit.id, vec![words]).await.unwrap();
    let collected = connected.call("collect_answer", json!({"requestId": with_limit.id})).await;
    assert!(text(&collected).contains("\"Name?\"=\"Ada\""), "{collected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_55_an_hours_wait_ends_in_the_answer() {
    let (house, clock) = House::open_by_hand().await;
    let mut connected = connect(&house, "opencode", Speaks::Sessions).await;
    let calling = connected.client.call_tool(params("ask_user_question", which_store()));
    let progress = &mut connected.progress;
    let answering = async {
        let (request, _) = asked(&house).await;
        for _ in 0..60 {
            clock.advance(60_000);
            tokio::time::timeout(PATIENCE, progress.recv()).await.unwrap().unwrap();
        }
        house.engine.answer(request.id, second_option()).await.unwrap();
    };
    let (result, ()) = tokio::join!(calling, answering);
    assert!(text(&result.unwrap()).contains("Postgres"));
}
