//! Derives the changes for subscribers from events.

use askdesk_domain::{ApprovalId, Desk, Event, RequestEvent, RequestId, SessionEvent, SessionId};

use askdesk_contract::frame::Change;

/// Lists the changes of some events: each changed item once, with its current value.
pub(super) fn changes_of(desk: &Desk, events: &[Event]) -> Vec<Change> {
    let mut changed = Changed::default();
    events.iter().for_each(|event| changed.note(desk, event));
    changed.list(desk)
}

/// The ids of everything that has changed.
#[derive(Default)]
struct Changed {
    sessions: Vec<SessionId>,
    requests: Vec<RequestId>,
    approvals: Vec<ApprovalId>,
    closed: Vec<SessionId>,
    deleted: Vec<SessionId>,
}

impl Changed {
    fn note(&mut self, desk: &Desk, event: &Event) {
        match event {
            Event::Session(event) => self.note_session(desk, event),
            Event::Queue(event) => once(&mut self.sessions, event.session()),
            Event::Request(event) => self.note_request(desk, event),
            Event::Approval(event) => once(&mut self.approvals, event.approval()),
        }
    }

    fn note_session(&mut self, desk: &Desk, event: &SessionEvent) {
        match event {
            SessionEvent::Moved { .. } => {
                desk.sessions().for_each(|session| once(&mut self.sessions, session.id));
            }
            SessionEvent::Closed { session, .. } => self.closed.push(*session),
            SessionEvent::Resumed { session, .. } => self.note_shown_again(desk, *session),
            SessionEvent::Deleted { session } => once(&mut self.deleted, *session),
            // Further calls of a request are not shown.
            SessionEvent::ClientLeft { .. } => {}
            event => once(&mut self.sessions, event.session()),
        }
    }

    fn note_request(&mut self, desk: &Desk, event: &RequestEvent) {
        match event {
            // An outcome that is being sent to its call already looks sent.
            RequestEvent::Sending { late: false, .. } => {}
            // Further calls of a request are not shown.
            RequestEvent::AskedAgain { .. } | RequestEvent::CallLeft { .. } => {}
            RequestEvent::Reopened { request, .. } => {
                once(&mut self.requests, *request);
                if let Some(request) = desk.request(*request) {
                    self.note_shown_again(desk, request.session);
                }
            }
            event => once(&mut self.requests, event.request()),
        }
    }

    /// A closed session returns with everything that belongs to it.
    fn note_shown_again(&mut self, desk: &Desk, session: SessionId) {
        once(&mut self.sessions, session);
        let requests = desk.requests().filter(|request| request.session == session);
        requests.for_each(|request| once(&mut self.requests, request.id));
        let approvals = desk.approvals().filter(|approval| approval.session == session);
        approvals.for_each(|approval| once(&mut self.approvals, approval.id));
    }

    fn list(self, desk: &Desk) -> Vec<Change> {
        // A closed session is not shown, and neither is anything that belongs to it.
        let shown = |session: SessionId| !desk.is_closed(session);
        let sessions = self.sessions.into_iter().filter_map(|id| desk.session(id)).filter(|it| shown(it.id));
        let requests =
            self.requests.into_iter().filter_map(|id| desk.request(id)).filter(|it| shown(it.session));
        let approvals =
            self.approvals.into_iter().filter_map(|id| desk.approval(id)).filter(|it| shown(it.session));
        sessions
            .map(|session| Change::Session { session: session.clone() })
            .chain(requests.map(|request| Change::Request { request: request.clone() }))
            .chain(approvals.map(|approval| Change::Approval { approval: approval.clone() }))
            .chain(self.closed.into_iter().map(|session| Change::SessionClosed { session }))
            .chain(self.deleted.into_iter().map(|session| Change::SessionDeleted { session }))
            .collect()
    }
}

fn once<T: PartialEq>(list: &mut Vec<T>, id: T) {
    if !list.contains(&id) {
        list.push(id);
    }
}
