//! Faults that come and pass while a real agent asks, and what is left of them: nothing lost, nothing twice, nothing stuck.

use std::path::PathBuf;

use askdesk_domain::{ApprovalDecision, ApprovalOptionKind, ApprovalState, EntryBody, SessionId};
use askdesk_engine::EngineError;
use askdesk_engine::SessionCall;
use askdesk_testkit::faults::Fault;
use askdesk_testkit::mock_api::{MockApi, Reply};
use askdesk_testkit::small_disk::SmallDisk;

use super::agents::Stage;
use super::desk::locked;

/// When the model replies: after the fault has begun.
const LATER_MILLIS: u64 = 2_000;

/// A real agent with its session, on a disk that can be filled.
pub struct Seat<'a> {
    pub stage: &'a mut Stage,
    pub disk: &'a SmallDisk,
    pub mock: &'a MockApi,
    pub session: SessionId,
    pub project: PathBuf,
    /// The reply in which the model asks which store to use, and the one in which it runs a command.
    pub asks: fn(id: &str) -> Reply,
    pub runs: fn(id: &str, command: &str) -> Reply,
}

impl Seat<'_> {
    fn begin(&self, fault: Fault) -> Option<rusqlite::Connection> {
        let desk = &self.stage.desk;
        fault.begin(self.disk, || locked(&desk.folder), |by| desk.clock.set(by)).unwrap()
    }

    fn end(&self, fault: Fault, begun: Option<rusqlite::Connection>) {
        fault.end(self.disk, begun, |by| self.stage.desk.clock.set(by)).unwrap();
    }

    /// How often the model was sent some words in its newest request.
    fn heard(&self, words: &str) -> usize {
        self.mock.conversation().last().map_or(0, |request| request.to_string().matches(words).count())
    }

    async fn send(&self, text: &str) {
        self.stage.sessions.call(self.session, SessionCall::message(text.to_owned())).await.unwrap();
    }

    async fn until_over(&mut self, said: &str) {
        self.stage.until_idle_after(self.session, said).await;
        self.stage.desk.until("everything is stored", |known| known.outage.is_none()).await;
        self.stage.desk.check_mirror().await;
    }

    /// The fault begins before the agent asks.
    async fn ask_during(&mut self, n: usize, fault: Fault) {
        let (said, session) = (format!("Heard {n}."), self.session);
        self.mock.push((self.asks)(&format!("call_{n}")).after(LATER_MILLIS));
        self.mock.push(Reply::text(&said));
        self.send(&format!("Ask {n}.")).await;
        let begun = self.begin(fault);
        let request = if fault.refuses() {
            // The agent waits until the disk accepts its question.
            self.stage.desk.until("it is said", |known| known.outage.is_some()).await;
            self.end(fault, begun);
            self.stage.asked_one(session).await
        } else {
            let request = self.stage.asked_one(session).await;
            self.end(fault, begun);
            request
        };
        self.stage.answer(&request, "PostgreSQL").await;
        self.stage.until_delivered(request.id).await;
        self.until_over(&said).await;
    }

    /// The fault begins while the question is open.
    async fn answer_during(&mut self, n: usize, fault: Fault) {
        let said = format!("Heard {n}.");
        self.mock.push((self.asks)(&format!("call_{n}")));
        self.mock.push(Reply::text(&said));
        self.send(&format!("Ask {n}.")).await;
        let request = self.stage.asked_one(self.session).await;
        let before = self.heard("PostgreSQL");
        let begun = self.begin(fault);
        let answer = super::agents::choose(&request, 0, &["PostgreSQL"]);
        let given = self.stage.desk.engine.answer(request.id, vec![answer.clone()]).await;
        assert_eq!(matches!(given, Err(EngineError::Journal(_))), fault.refuses(), "{fault:?}: {given:?}");
        if fault.refuses() {
            self.stage.desk.until("it is said", |known| known.outage.is_some()).await;
        }
        self.end(fault, begun);
        if given.is_err() {
            self.stage.desk.engine.answer(request.id, vec![answer]).await.unwrap();
        }
        self.stage.until_delivered(request.id).await;
        self.until_over(&said).await;
        // The model's own call repeats the label, and its result has the answer.
        assert!(self.heard("PostgreSQL") > before, "{fault:?}");
    }

    /// The fault begins while a permission request is open.
    async fn decide_during(&mut self, n: usize, fault: Fault) {
        let (said, session) = (format!("Heard {n}."), self.session);
        let line = format!("echo {n} >> ran");
        self.mock.push((self.runs)(&format!("call_{n}"), &line));
        self.mock.push(Reply::text(&said));
        self.send(&format!("Run {n}.")).await;
        let approval = self.stage.permission(session).await;
        let once = approval.options.iter().find(|option| option.kind == ApprovalOptionKind::AllowOnce);
        let decision = ApprovalDecision::of(once.unwrap().id.clone());
        let begun = self.begin(fault);
        let decided = self.stage.desk.engine.decide_approval(approval.id, decision.clone()).await;
        assert_eq!(
            matches!(decided, Err(EngineError::Journal(_))),
            fault.refuses(),
            "{fault:?}: {decided:?}"
        );
        self.end(fault, begun);
        if decided.is_err() {
            self.stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
        }
        self.until_over(&said).await;
        let state = &self.stage.desk.mirror.approvals[&approval.id].state;
        assert!(matches!(state, ApprovalState::Decided { error: None, .. }), "{state:?}");
        let ran = std::fs::read_to_string(self.project.join("ran")).unwrap();
        assert_eq!(ran.lines().filter(|line| *line == n.to_string()).count(), 1, "{fault:?}: {ran}");
    }

    /// Tries each fault at each step; the session goes on through all of them.
    pub async fn check(mut self) {
        self.stage.until_idle_after(self.session, "Ready.").await;
        let mut n = 0;
        for fault in Fault::ALL {
            for step in 0..3 {
                n += 1;
                match step {
                    0 => self.ask_during(n, fault).await,
                    1 => self.answer_during(n, fault).await,
                    _ => self.decide_during(n, fault).await,
                }
            }
        }
        // All of it is on disk, in order.
        let page = self.stage.desk.engine.whole(self.session).await.unwrap();
        let said: Vec<_> = page
            .entries
            .iter()
            .filter_map(|entry| match &entry.body {
                EntryBody::Agent { text } => {
                    text.strip_prefix("Heard ")?.strip_suffix('.')?.parse::<usize>().ok()
                }
                _ => None,
            })
            .collect();
        assert_eq!(said, (1..=n).collect::<Vec<usize>>());
        assert!(page.requests.iter().all(|request| !request.is_open()));
        self.stage.stop(self.session).await;
    }
}
