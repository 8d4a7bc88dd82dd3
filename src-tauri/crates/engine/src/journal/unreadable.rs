//! Events that can't be read. Each is set aside alone, and what the other tables know of it takes its place.

use std::collections::BTreeSet;

use askdesk_domain::{
    AgentId, Approval, ApprovalEvent, ApprovalState, Desk, EntryBody, Event, Origin, Request, RequestEvent,
    RequestState, Session, SessionEvent, SessionId, Timestamp,
};
use rusqlite::{Connection, params};

use super::{read, record};

/// How much of the first message of a session names it, in characters.
const NAME_CHARS: usize = 60;

/// An event at its position in the journal.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) seq: i64,
    pub(super) at: Timestamp,
    pub(super) event: Event,
}

/// An event that can't be read.
#[derive(Clone, Debug)]
pub(super) struct Unreadable {
    pub(super) seq: i64,
    pub(super) at: Timestamp,
    pub(super) session: Option<SessionId>,
}

/// The events of a journal, oldest first.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) readable: Vec<Placed>,
    pub(super) unreadable: Vec<Unreadable>,
}

impl Events {
    /// Reads the events behind a position.
    pub(super) fn read(connection: &Connection, behind: i64) -> rusqlite::Result<Self> {
        let mut events = Self::default();
        let mut statement =
            connection.prepare("SELECT seq, at, body, session FROM events WHERE seq > ?1 ORDER BY seq")?;
        let mut rows = statement.query([behind])?;
        while let Some(row) = rows.next()? {
            events.add(row)?;
        }
        Ok(events)
    }

    pub(super) fn add(&mut self, row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
        let (seq, at) = (row.get(0)?, Timestamp::from_millis(row.get(1)?));
        match record::decode(row, 2) {
            Ok(event) => self.readable.push(Placed { seq, at, event }),
            Err(error) => {
                tracing::error!(seq, %error, "an event cannot be read");
                let session = row.get::<_, Option<String>>(3).ok().flatten();
                self.unreadable.push(Unreadable { seq, at, session: session.and_then(|it| it.parse().ok()) });
            }
        }
        Ok(())
    }

    pub(super) const fn count(&self) -> u64 {
        self.readable.len() as u64
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Event> {
        self.readable.iter().map(|placed| &placed.event)
    }

    /// Completes the readable events with what the other tables know. Returns the events that take the place of unreadable
    /// ones; the others have none, and come last.
    pub(super) fn complete(&mut self, connection: &Connection) -> rusqlite::Result<Completed> {
        let starts = self.lost_starts(connection)?;
        self.readable.extend(starts.iter().cloned());
        self.readable.sort_by_key(|placed| placed.seq);
        let desk = Desk::replay(self.iter());
        let mut ends = Vec::new();
        complete_requests(connection, &desk, &mut ends)?;
        complete_approvals(connection, &desk, &mut ends)?;
        let last = self.readable.last().map_or(0, |placed| placed.seq);
        let at = self.readable.last().map_or_else(|| Timestamp::from_millis(0), |placed| placed.at);
        self.readable.extend(ends.iter().cloned().map(|event| Placed { seq: last, at, event }));
        Ok(Completed { starts, ends })
    }

    /// Begins each session whose beginning can't be read, so that the rest of it is not lost.
    fn lost_starts(&self, connection: &Connection) -> rusqlite::Result<Vec<Placed>> {
        let (mut known, mut places) = (BTreeSet::new(), Vec::new());
        for event in self.iter() {
            match event {
                Event::Session(SessionEvent::Started { session }) => drop(known.insert(session.id)),
                Event::Session(SessionEvent::Deleted { session }) => drop(known.insert(*session)),
                _ => {}
            }
        }
        for Unreadable { seq, at, session } in &self.unreadable {
            let Some(session) = session.filter(|session| known.insert(*session)) else { continue };
            // The agent is not known any more, so it can't be resumed.
            let origin = Origin::started(AgentId::literal("unknown"));
            let name = first_words(connection, session)?;
            let session = Session { name, ..Session::new(session, origin, *at) };
            places.push(Placed { seq: *seq, at: *at, event: SessionEvent::Started { session }.into() });
        }
        Ok(places)
    }
}

/// What takes the place of unreadable events.
#[derive(Debug, Default)]
pub(super) struct Completed {
    starts: Vec<Placed>,
    ends: Vec<Event>,
}

/// Moves unreadable events out of the way, and stores what takes their place.
pub(super) fn set_aside(
    connection: &mut Connection,
    unreadable: &[Unreadable],
    completed: &Completed,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    for Unreadable { seq, .. } in unreadable {
        transaction.execute(
            "INSERT OR REPLACE INTO set_aside (seq, at, session, body)
             SELECT seq, at, session, body FROM events WHERE seq = ?1",
            [seq],
        )?;
        match completed.starts.iter().find(|start| start.seq == *seq) {
            Some(start) => {
                let body = record::encode(&start.event)?;
                transaction.execute("UPDATE events SET body = ?2 WHERE seq = ?1", params![seq, body])?
            }
            None => transaction.execute("DELETE FROM events WHERE seq = ?1", [seq])?,
        };
    }
    for event in &completed.ends {
        // The other tables have it already.
        transaction.execute(
            "INSERT INTO events (at, body, session) VALUES (?1, ?2, COALESCE(
                (SELECT session FROM requests WHERE id = ?3), (SELECT session FROM approvals WHERE id = ?3)))",
            params![now.millis(), record::encode(event)?, about(event)],
        )?;
    }
    transaction.commit()
}

/// Counts the events that were set aside and that the user has not been told about.
pub(super) fn count_untold(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT count(*) FROM set_aside WHERE told = 0", [], |row| row.get(0))
}

fn about(event: &Event) -> Option<String> {
    match event {
        Event::Request(event) => Some(event.request().to_string()),
        Event::Approval(event) => Some(event.approval().to_string()),
        Event::Session(_) | Event::Queue(_) => None,
    }
}

fn first_words(connection: &Connection, session: SessionId) -> rusqlite::Result<String> {
    let mut statement = connection
        .prepare_cached("SELECT n, at, body FROM entries WHERE session = ?1 ORDER BY n LIMIT 20")?;
    let mut rows = statement.query([session.to_string()])?;
    // The file may be damaged.
    while let Ok(Some(row)) = rows.next() {
        if let EntryBody::User { text, .. } = read::entry(row)?.body {
            return Ok(text.lines().next().unwrap_or_default().chars().take(NAME_CHARS).collect());
        }
    }
    Ok(String::new())
}

/// Adds the ends of requests that the events leave open, and the open requests that they lack.
fn complete_requests(
    connection: &Connection,
    desk: &Desk,
    completed: &mut Vec<Event>,
) -> rusqlite::Result<()> {
    for request in desk.requests().filter(|request| request.is_open()) {
        let Some(Request { state: RequestState::Ended(ended), .. }) =
            read::find_request(connection, request.id).ok().flatten()
        else {
            continue;
        };
        let request = request.id;
        let (outcome, at, answer) = (ended.outcome, ended.at, ended.answer);
        completed.push(RequestEvent::Ended { request, outcome, at, answer }.into());
        if let Some(delivery) = ended.delivery {
            completed.push(RequestEvent::DeliveryChanged { request, delivery, call: None }.into());
        }
    }
    for id in open_ids(connection, "SELECT id FROM requests WHERE outcome IS NULL")? {
        let Ok(id) = id.parse() else { continue };
        if desk.request(id).is_none()
            && let Some(request) = read::find_request(connection, id).ok().flatten()
            && desk.session(request.session).is_some()
        {
            completed.push(RequestEvent::Asked { request }.into());
        }
    }
    Ok(())
}

/// Adds the decisions on approvals that the events leave open, and the open approvals that they lack.
fn complete_approvals(
    connection: &Connection,
    desk: &Desk,
    completed: &mut Vec<Event>,
) -> rusqlite::Result<()> {
    for approval in desk.approvals().filter(|approval| approval.state == ApprovalState::Open) {
        let known = read::find_approval(connection, approval.id).ok().flatten();
        let approval = approval.id;
        match known.map(|known| known.state) {
            Some(ApprovalState::Decided { decision, at, .. }) => {
                completed.push(ApprovalEvent::Decided { approval, decision, at }.into());
            }
            Some(ApprovalState::Withdrawn { at }) => {
                completed.push(ApprovalEvent::Withdrawn { approval, at }.into());
            }
            Some(ApprovalState::Refused { at }) => {
                completed.push(ApprovalEvent::Refused { approval, at }.into());
            }
            Some(ApprovalState::Open) | None => {}
        }
    }
    for id in open_ids(connection, "SELECT id FROM approvals WHERE instr(state, '\"open\"')")? {
        let Ok(id) = id.parse() else { continue };
        if desk.approval(id).is_none()
            && let Some(approval @ Approval { state: ApprovalState::Open, .. }) =
                read::find_approval(connection, id).ok().flatten()
            && desk.session(approval.session).is_some()
        {
            completed.push(ApprovalEvent::Asked { approval }.into());
        }
    }
    Ok(())
}

fn open_ids(connection: &Connection, select: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query([])?;
    let mut ids = Vec::new();
    // The file may be damaged.
    while let Ok(Some(row)) = rows.next() {
        ids.extend(row.get::<_, String>(0).ok());
    }
    Ok(ids)
}
