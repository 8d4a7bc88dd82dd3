//! What the desk knows of an engine, folded from its frames.

use std::collections::{BTreeMap, BTreeSet};

use askdesk_contract::Head;
use askdesk_contract::frame::{Change, FinishedTurn, Frame, Snapshot};
use askdesk_domain::{
    AgentDescriptor, Approval, ApprovalId, ApprovalState, EntryBody, HeldEnd, Request, RequestId, Session,
    SessionId, SessionState,
};

/// Something that the user may have to be notified of, or a notification that is over.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A request is open.
    Asked(RequestId),
    /// A request is not open any more.
    Ended(RequestId),
    /// A held end was not carried out although its request is open: it was undone, replaced, or failed. With its error if it
    /// failed.
    EndNotGiven(HeldEnd),
    /// A request has been open for as long as the user set for a reminder.
    Reminder(RequestId),
    /// An approval is open.
    ApprovalAsked(ApprovalId),
    /// An approval is not open any more.
    ApprovalEnded(ApprovalId),
    Finished(SessionId, FinishedTurn),
    /// A session that had finished its turn works again, or is gone.
    FinishedWithdrawn(SessionId),
    /// A turn may have cost something.
    Spent,
}

/// What would stop if the app quit now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunningWork {
    pub sessions: usize,
    pub questions: usize,
    /// Open permission requests.
    pub approvals: usize,
}

/// The sessions that are not closed, with what still concerns the user in them.
#[derive(Debug, Default)]
pub struct Mirror {
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    /// Those that are open, or whose outcome has not reached the agent.
    pub(crate) requests: BTreeMap<RequestId, Request>,
    /// The open ones.
    pub(crate) approvals: BTreeMap<ApprovalId, Approval>,
    pub(crate) held: BTreeMap<RequestId, HeldEnd>,
    pub(crate) has_outage: bool,
    finished: BTreeMap<SessionId, FinishedTurn>,
    heads: BTreeMap<SessionId, Head>,
    agents: Vec<AgentDescriptor>,
    is_begun: bool,
}

/// What news are about.
#[derive(Default)]
struct Standing {
    requests: BTreeSet<RequestId>,
    approvals: BTreeSet<ApprovalId>,
    held: BTreeMap<RequestId, HeldEnd>,
    finished: BTreeMap<SessionId, FinishedTurn>,
}

impl Mirror {
    /// Takes a frame, and returns what is new. Nothing is in the first one. What began and ended within one frame is not news.
    pub fn fold(&mut self, frame: &Frame) -> Vec<News> {
        match frame {
            Frame::Snapshot(now) => {
                let before = self.is_begun.then(|| self.standing());
                *self = Self::of(now);
                let Some(before) = before else { return Vec::new() };
                let mut news = before.until(self.standing());
                // The entry that says so may be among what was skipped.
                news.push(News::Spent);
                news
            }
            Frame::Delta(delta) => {
                let before = delta.changes.iter().any(is_about_standing).then(|| self.standing());
                delta.changes.iter().for_each(|change| self.take(change));
                let mut news = before.map(|before| before.until(self.standing())).unwrap_or_default();
                if delta.changes.iter().any(has_cost) {
                    news.push(News::Spent);
                }
                news
            }
        }
    }

    /// Counts what would stop if the app quit now.
    pub fn running_work(&self) -> RunningWork {
        let runs =
            |session: &&Session| matches!(session.state, SessionState::Starting | SessionState::Working);
        RunningWork {
            sessions: self.sessions.values().filter(runs).count(),
            questions: self.requests.values().filter(|request| request.is_open()).count(),
            approvals: self.approvals.len(),
        }
    }

    /// Returns an open request with its session.
    pub fn request(&self, id: RequestId) -> Option<(&Request, &Session)> {
        let request = self.requests.get(&id).filter(|request| request.is_open())?;
        Some((request, self.session(request.session)?))
    }

    /// Returns an open approval with its session.
    pub fn approval(&self, id: ApprovalId) -> Option<(&Approval, &Session)> {
        let approval = self.approvals.get(&id)?;
        Some((approval, self.session(approval.session)?))
    }

    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    /// Returns the branch of a session's folder, or the beginning of the commit's id where none is checked out.
    pub fn branch_of(&self, session: SessionId) -> Option<&str> {
        self.heads.get(&session).map(|head| match head {
            Head::Branch { name } => name.as_str(),
            Head::Detached { commit } => commit,
        })
    }

    /// Returns the display name of a session's agent.
    pub fn agent_name(&self, session: &Session) -> String {
        let id = session.origin.agent();
        let known = self.agents.iter().find(|agent| Some(&agent.id) == id);
        known.map_or_else(|| id.map(ToString::to_string).unwrap_or_default(), |agent| agent.name.clone())
    }

    fn of(now: &Snapshot) -> Self {
        let open = now.approvals.iter().filter(|approval| approval.state == ApprovalState::Open);
        let live = now.requests.iter().filter(|request| request.is_live());
        Self {
            sessions: now.sessions.iter().map(|it| (it.id, it.clone())).collect(),
            requests: live.map(|it| (it.id, it.clone())).collect(),
            approvals: open.map(|it| (it.id, it.clone())).collect(),
            held: now.held.iter().map(|it| (it.request, it.clone())).collect(),
            has_outage: now.outage.is_some(),
            finished: now.finished.iter().map(|it| (it.session, it.turn)).collect(),
            heads: now.heads.iter().map(|it| (it.session, it.head.clone())).collect(),
            agents: now.agents.clone(),
            is_begun: true,
        }
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::Session { session } => drop(self.sessions.insert(session.id, session.clone())),
            Change::Request { request } if request.is_live() => {
                self.requests.insert(request.id, request.clone());
            }
            Change::Request { request } => drop(self.requests.remove(&request.id)),
            Change::Approval { approval } if approval.state == ApprovalState::Open => {
                self.approvals.insert(approval.id, approval.clone());
            }
            Change::Approval { approval } => drop(self.approvals.remove(&approval.id)),
            Change::EndHeld { held } => drop(self.held.insert(held.request, held.clone())),
            Change::HoldReleased { request } => drop(self.held.remove(request)),
            Change::Finished { session, turn: Some(turn) } => drop(self.finished.insert(*session, *turn)),
            Change::Finished { session, turn: None } => drop(self.finished.remove(session)),
            Change::CheckedOut { session, head: Some(head) } => {
                self.heads.insert(*session, head.clone());
            }
            Change::CheckedOut { session, head: None } => drop(self.heads.remove(session)),
            Change::Outage { outage } => self.has_outage = outage.is_some(),
            Change::SessionClosed { session } => self.forget(*session),
            Change::SessionDeleted { session } => {
                self.forget(*session);
                self.heads.remove(session);
            }
            Change::Entry { .. }
            | Change::LiveText { .. }
            | Change::LiveCleared { .. }
            | Change::FilesChanged { .. }
            | Change::Retry { .. }
            | Change::Context { .. }
            | Change::Storage { .. } => {}
        }
    }

    fn forget(&mut self, session: SessionId) {
        self.sessions.remove(&session);
        self.requests.retain(|_, request| request.session != session);
        self.approvals.retain(|_, approval| approval.session != session);
        self.finished.remove(&session);
    }

    fn standing(&self) -> Standing {
        let open = self.requests.values().filter(|request| request.is_open());
        Standing {
            requests: open.map(|request| request.id).collect(),
            approvals: self.approvals.keys().copied().collect(),
            held: self.held.clone(),
            finished: self.finished.clone(),
        }
    }
}

impl Standing {
    fn until(mut self, mut now: Self) -> Vec<News> {
        let mut news = Vec::new();
        news.extend(self.requests.difference(&now.requests).copied().map(News::Ended));
        news.extend(self.approvals.difference(&now.approvals).copied().map(News::ApprovalEnded));
        for id in &now.requests {
            match (self.held.remove(id), now.held.remove(id)) {
                (before, after) if before == after => {}
                (_, Some(failed)) if failed.error.is_some() => news.push(News::EndNotGiven(failed)),
                (Some(before), _) => news.push(News::EndNotGiven(before)),
                (None, _) => {}
            }
        }
        let over = self.finished.keys().filter(|session| !now.finished.contains_key(session));
        news.extend(over.copied().map(News::FinishedWithdrawn));
        news.extend(now.requests.difference(&self.requests).copied().map(News::Asked));
        news.extend(now.approvals.difference(&self.approvals).copied().map(News::ApprovalAsked));
        now.finished.retain(|session, turn| self.finished.get(session) != Some(turn));
        news.extend(now.finished.into_iter().map(|(session, turn)| News::Finished(session, turn)));
        news
    }
}

pub(crate) const fn is_about_standing(change: &Change) -> bool {
    matches!(
        change,
        Change::Request { .. }
            | Change::Approval { .. }
            | Change::EndHeld { .. }
            | Change::HoldReleased { .. }
            | Change::Finished { .. }
            | Change::SessionClosed { .. }
            | Change::SessionDeleted { .. }
    )
}

const fn has_cost(change: &Change) -> bool {
    matches!(change, Change::Entry { entry, .. } if matches!(entry.body, EntryBody::TurnEnded { cost_usd: Some(_), .. }))
}

#[cfg(test)]
mod tests;
