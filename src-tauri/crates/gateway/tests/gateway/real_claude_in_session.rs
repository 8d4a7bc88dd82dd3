//! The real `claude` in a session of the desk, connected as `askdesk connect` connects it. Its model is a mock on loopback.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use askdesk_domain::{LaunchOverrides, RequestId, SessionId, SessionOptions};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};

use super::fixture::PATIENCE;
use super::managed::Managed;
use super::real_claude::{REQUEST_WITHIN, connect_claude, which_store};

/// A session of the real program, whose files `askdesk connect claude-code` has changed.
struct Connected {
    managed: Managed,
    mock: MockApi,
    home: tempfile::TempDir,
    program: PathBuf,
}

impl Connected {
    async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (managed, home) = (Managed::open().await, tempfile::tempdir().unwrap());
        connect_claude(&managed.fixture, home.path(), managed.folder.path());
        Some(Self { managed, mock, home, program })
    }

    async fn start(&self) -> SessionId {
        let sealed: BTreeMap<String, String> =
            clis::sealed_env(self.home.path(), &self.mock.base_url).into_iter().collect();
        let extras =
            LaunchOverrides { environment: sealed.try_into().unwrap(), ..LaunchOverrides::default() };
        let options = SessionOptions { extras, ..SessionOptions::default() };
        self.managed.start(&self.program, options, Some("Please go on.")).await
    }

    /// Waits until the gateway has handled a call of a tool.
    async fn until_called(&self, metric: &str) {
        let called = async {
            while !self.managed.fixture.get("/metrics").await.body.contains(metric) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, called).await.unwrap_or_else(|_| panic!("{metric} in time"));
    }

    /// Checks that the session has asked once, and that there is no other one.
    async fn has_asked_once(&self, session: SessionId) {
        let requests = self
            .managed
            .fixture
            .engine
            .inspect(|desk| desk.requests().map(|request| request.session).collect::<Vec<_>>());
        assert_eq!(requests.await.unwrap(), [session]);
        assert_eq!(self.managed.all_sessions().await, [session]);
    }

    /// Answers the only question, and checks that the agent goes on with the answer in the same turn.
    async fn answer(self, session: SessionId, request: RequestId) {
        self.has_asked_once(session).await;
        self.managed.fixture.answer(request).await;
        self.mock.wait_for_request(2, REQUEST_WITHIN).await.expect("the turn goes on");
        self.managed.fixture.delivered(request).await;
        let told = self.mock.tool_results().remove(0);
        assert!(told["content"].to_string().contains("PostgreSQL"), "{told}");
        self.has_asked_once(session).await;
        self.managed.sessions.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_the_question_tool_of_the_real_claude_in_a_session_is_one_card() {
    let test = "case_109_the_question_tool_of_the_real_claude_in_a_session_is_one_card";
    let questions = which_store("Which store should the notes be kept in?");
    let script = vec![Reply::question("toolu_1", &questions), Reply::text("PostgreSQL it is.")];
    let Some(world) = Connected::open(test, script).await else { return };
    let session = world.start().await;
    // The hook runs while the question waits, and says nothing about it.
    world.until_called("askdesk_calls_total{tool=\"hook\",outcome=\"managed\"} 1").await;
    let (request, asked_in) = world.managed.fixture.asked().await;
    assert_eq!(asked_in.id, session);
    world.answer(session, request.id).await;
}
