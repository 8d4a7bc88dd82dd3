//! A real agent, or the host above it, is killed at each step of a question and of a permission request: nothing is lost,
//! nothing comes twice, nothing stays stuck.

use std::path::Path;
use std::process::Command;

use askdesk_domain::{
    Approval, ApprovalDecision, ApprovalOptionKind, ApprovalState, Delivery, DeliveryError, LaunchOverrides,
    OrphanedWhy, Outcome, RequestId, SessionEnd, SessionId,
};
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::{MockApi, Reply};

use super::agents::{Stage, is_alive, name_of, parent_of};
use super::desk::poll;

#[derive(Clone, Copy, Debug)]
enum Victim {
    Agent,
    /// The process that starts the agent and ends with all of it.
    Host,
}

/// A session of a real agent whose processes can be killed.
pub struct Mortal<'a> {
    pub stage: &'a mut Stage,
    pub mock: &'a MockApi,
    pub session: SessionId,
    /// The agent writes its process id to a file here.
    pub home: &'a Path,
    pub project: &'a Path,
    /// The reply in which the model asks which store to use, and the one in which it runs a command.
    pub asks: fn(id: &str) -> Reply,
    pub runs: fn(id: &str, command: &str) -> Reply,
    /// Whether the agent would remember a call after a kill.
    pub is_stored: &'a dyn Fn(&str) -> bool,
    /// What the stage needs before it can resume the session.
    pub stage_resume: &'a dyn Fn(&Stage),
}

impl Mortal<'_> {
    pub async fn check(mut self) {
        self.stage.until_idle_after(self.session, "Ready.").await;
        let (mut n, mut late) = (0, 0);
        for victim in [Victim::Agent, Victim::Host] {
            for is_decided in [false, true] {
                n += 1;
                self.kill_during_question(n, victim, is_decided, &mut late).await;
                n += 1;
                self.kill_during_permission(n, victim, is_decided).await;
            }
        }
        self.stage.stop(self.session).await;
        self.stage.desk.check_mirror().await;
    }

    /// Counts the late answers that the agent was sent so far.
    async fn kill_during_question(&mut self, n: usize, victim: Victim, is_answered: bool, late: &mut usize) {
        let call = format!("call_{n}");
        self.mock.push((self.asks)(&call));
        self.send(&format!("Ask {n}.")).await;
        let request = self.stage.asked_one(self.session).await;
        poll("the agent stores the call", || (self.is_stored)(&call)).await;
        if is_answered {
            self.stage.answer(&request, "PostgreSQL").await;
        }
        self.kill(victim).await;
        if !is_answered {
            let missed = self.stage.desk.request(request.id).await.ended().unwrap().outcome.clone();
            assert_eq!(missed, Outcome::Orphaned { why: OrphanedWhy::AgentEnded }, "{victim:?}");
            self.stage.answer(&request, "PostgreSQL").await;
        }
        let is_parked = match self.delivery(request.id).await {
            Delivery::Parked => true,
            Delivery::Delivered { .. } => false,
            Delivery::Failed { error: DeliveryError::MayHaveArrived } => false,
            other => panic!("{victim:?}: {other:?}"),
        };
        assert!(is_parked || is_answered, "{victim:?}");
        self.resume().await;
        if is_parked {
            *late += 1;
            self.stage.until_delivered_late(request.id).await;
        }
        let heard = self.go_on(n).await;
        assert_eq!(heard.matches("This is a late answer.").count(), *late, "{n}, {victim:?}: {heard}");
    }

    async fn kill_during_permission(&mut self, n: usize, victim: Victim, is_decided: bool) {
        let (call, session) = (format!("call_{n}"), self.session);
        self.mock.push((self.runs)(&call, &format!("echo {n} >> ran")));
        self.send(&format!("Run {n}.")).await;
        let approval = self.stage.permission(session).await;
        poll("the agent stores the call", || (self.is_stored)(&call)).await;
        if is_decided {
            self.stage.desk.engine.decide_approval(approval.id, allowed(&approval)).await.unwrap();
        }
        self.kill(victim).await;
        let state = self.stage.desk.mirror.approvals[&approval.id].state.clone();
        if is_decided {
            assert!(matches!(state, ApprovalState::Decided { .. }), "{victim:?}: {state:?}");
        } else {
            assert!(matches!(state, ApprovalState::Withdrawn { .. }), "{victim:?}: {state:?}");
            let late = self.stage.desk.engine.decide_approval(approval.id, allowed(&approval)).await;
            assert!(late.is_err(), "{victim:?}: {late:?}");
        }
        self.resume().await;
        self.go_on(n).await;
        assert_eq!(self.stage.desk.mirror.open_approval(session), None, "{victim:?}");
        let ran = std::fs::read_to_string(self.project.join("ran")).unwrap_or_default();
        let times = ran.lines().filter(|line| *line == n.to_string()).count();
        assert!(times <= usize::from(is_decided), "{n}, {victim:?}: {ran}");
    }

    /// Kills the agent or its host, and waits until both are gone and the session has failed.
    async fn kill(&mut self, victim: Victim) {
        let agent = std::fs::read_to_string(self.home.join("pid")).unwrap().trim().to_owned();
        let host = parent_of(&agent);
        assert_eq!(name_of(&host), "askdesk-agent-h");
        let pid = match victim {
            Victim::Agent => &agent,
            Victim::Host => &host,
        };
        assert!(Command::new("kill").args(["-9", pid]).status().unwrap().success());
        let end = self.stage.until_ended(self.session).await;
        assert!(matches!(end, SessionEnd::Failed { .. }), "{victim:?}: {end:?}");
        poll("both processes end", || !is_alive(&agent) && !is_alive(&host)).await;
    }

    async fn resume(&mut self) {
        (self.stage_resume)(self.stage);
        self.stage.sessions.resume(self.session, &LaunchOverrides::default()).await.unwrap();
        self.stage.desk.catch_up();
    }

    /// Sends a message, and returns the request that the model gets once the agent has read it.
    async fn go_on(&mut self, n: usize) -> String {
        self.stage.until_idle(self.session).await;
        let before = self.stage.desk.mirror.said(self.session).len();
        let text = format!("Go on {n}.");
        self.send(&text).await;
        let newest = || self.mock.conversation().last().unwrap().to_string();
        poll("the agent goes on", || newest().contains(&text)).await;
        let heard = newest();
        self.stage.desk.until("the reply", |known| known.said(self.session).len() > before).await;
        self.stage.until_idle(self.session).await;
        heard
    }

    async fn send(&self, text: &str) {
        self.stage.sessions.call(self.session, SessionCall::message(text.to_owned())).await.unwrap();
    }

    async fn delivery(&self, id: RequestId) -> Delivery {
        self.stage.desk.request(id).await.ended().unwrap().delivery.clone().expect("an answer is delivered")
    }
}

fn allowed(approval: &Approval) -> ApprovalDecision {
    let once = approval.options.iter().find(|option| option.kind == ApprovalOptionKind::AllowOnce);
    ApprovalDecision::of(once.unwrap().id.clone())
}
