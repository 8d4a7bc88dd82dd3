//! Faults that come and pass while a connected app asks: nothing is lost, nothing comes twice, nothing stays stuck.

use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{AnswerInput, QuestionId, RequestId};
use askdesk_engine::EngineError;
use askdesk_engine::clock::ManualClock;
use askdesk_testkit::faults::{DISK, Fault};
use askdesk_testkit::small_disk::SmallDisk;
use rmcp::RoleClient;
use rmcp::model::{CallToolResult, ServerResult};
use rmcp::service::RequestHandle;

use super::fixture::{Fixture, PATIENCE};
use super::mcp_client::{Folder, McpClient, Speaks, assert_answered};

/// A connected app that asks, on a disk that can be filled.
struct Seat {
    fixture: Fixture,
    clock: Arc<ManualClock>,
    app: McpClient,
    disk: SmallDisk,
    lock: Option<rusqlite::Connection>,
}

impl Seat {
    fn begin(&mut self, fault: Fault) {
        self.lock = fault.begin(&self.disk, || self.locked(), |by| self.clock.set(by)).unwrap();
    }

    fn end(&mut self, fault: Fault) {
        fault.end(&self.disk, self.lock.take(), |by| self.clock.set(by)).unwrap();
    }

    fn locked(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.fixture.folder.path().join("desk.db")).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection
    }

    async fn answer(&self, id: RequestId) -> Result<(), EngineError> {
        let question = QuestionId::at(0);
        let answer = AnswerInput { question, chosen: vec![question.option(1)], other: None, note: None };
        self.fixture.engine.answer(id, vec![answer]).await.map(drop)
    }

    /// The fault begins before the app asks.
    async fn ask_during(&mut self, fault: Fault) {
        self.begin(fault);
        let call = self.app.begin().await;
        if fault.refuses() {
            // The app waits until the disk accepts its question.
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(self.fixture.open_count().await, 0, "{fault:?}");
            self.end(fault);
        }
        let (request, _) = self.fixture.asked().await;
        if !fault.refuses() {
            self.end(fault);
        }
        self.answer(request.id).await.unwrap();
        assert_answered(&end_of(call).await, request.id);
        self.fixture.delivered(request.id).await;
    }

    /// The fault begins while the question is open.
    async fn answer_during(&mut self, fault: Fault) {
        let call = self.app.begin().await;
        let (request, _) = self.fixture.asked().await;
        self.begin(fault);
        let given = self.answer(request.id).await;
        assert_eq!(matches!(given, Err(EngineError::Journal(_))), fault.refuses(), "{fault:?}: {given:?}");
        self.end(fault);
        if given.is_err() {
            self.answer(request.id).await.unwrap();
        }
        assert_answered(&end_of(call).await, request.id);
        self.fixture.delivered(request.id).await;
    }

    /// The fault begins before the app gives its call up.
    async fn leave_during(&mut self, fault: Fault) {
        let call = self.app.begin().await;
        let (request, _) = self.fixture.asked().await;
        self.begin(fault);
        call.cancel(None).await.unwrap();
        if !fault.refuses() {
            self.fixture.missed(request.id).await;
        }
        if fault.refuses() {
            self.end(fault);
            self.fixture.missed(request.id).await;
        }
        // The same question finds what became of the first.
        let again = self.app.begin().await;
        let (reopened, _) = self.fixture.asked().await;
        assert_eq!(reopened.id, request.id, "{fault:?}");
        if !fault.refuses() {
            self.end(fault);
        }
        self.answer(request.id).await.unwrap();
        assert_answered(&end_of(again).await, request.id);
        self.fixture.delivered(request.id).await;
    }
}

async fn end_of(call: RequestHandle<RoleClient>) -> CallToolResult {
    let ended = tokio::time::timeout(PATIENCE, call.await_response()).await.expect("an end in time").unwrap();
    let ServerResult::CallToolResult(result) = ended else { panic!("{ended:?}") };
    result
}

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_for_a_connected_app() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_for_a_connected_app";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let (fixture, clock) = Fixture::open_by_hand_on(disk.path()).await;
    let app = McpClient::over_http(&fixture, "codex", Speaks::Sessions, Folder::AtOnce).await;
    let mut seat = Seat { fixture, clock, app, disk, lock: None };
    for fault in Fault::ALL {
        seat.ask_during(fault).await;
        seat.answer_during(fault).await;
        seat.leave_during(fault).await;
    }
    assert_eq!(seat.fixture.open_count().await, 0);
    let stored = seat.fixture.engine.inspect(|desk| desk.requests().count()).await.unwrap();
    assert_eq!(stored, 3 * Fault::ALL.len());
}
