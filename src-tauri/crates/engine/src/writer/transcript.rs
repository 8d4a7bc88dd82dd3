//! The transcripts: the positions of entries, and what can still change.

use std::collections::{BTreeMap, HashMap};

use askdesk_contract::frame::Change;
use askdesk_domain::{
    ApprovalEvent, Entry, EntryBody, Event, QueueEvent, QueuedMessage, RequestEvent, SessionEvent, SessionId,
    StorageError, Timestamp, ToolStatus,
};

use super::Writer;
use crate::mailbox::EntryWrite;

/// The number of the newest entry of each session.
type Newest = BTreeMap<SessionId, u64>;

/// The writer's state of the transcripts.
pub(super) struct Transcripts {
    newest: Newest,
    running_tools: HashMap<(SessionId, String), Entry>,
    /// The plan of each running turn.
    plans: HashMap<SessionId, Entry>,
}

/// Entries that belong to events and are committed with them.
pub(super) struct EventEntries {
    pub(super) entries: Vec<(SessionId, Entry)>,
    newest: Newest,
}

impl Transcripts {
    pub(super) fn new(newest: Newest) -> Self {
        Self { newest, running_tools: HashMap::new(), plans: HashMap::new() }
    }

    /// Adds sessions with the number of their newest entry.
    pub(super) fn add(&mut self, newest: Newest) {
        self.newest.extend(newest);
    }

    /// Adds the tool calls among a session's entries that an earlier run left without an end.
    pub(super) fn add_running_tools(&mut self, session: SessionId, entries: Vec<Entry>) {
        let running = entries.into_iter().filter_map(|entry| match &entry.body {
            EntryBody::Tool { tool_use, status, .. } if !status.is_final() => {
                Some(((session, tool_use.clone()), entry))
            }
            _ => None,
        });
        self.running_tools.extend(running);
    }

    /// Lists the entries that events create. Nothing is final before [`Self::commit`]: the journal may fail.
    pub(super) fn entries_of(&self, events: &[Event], now: Timestamp) -> EventEntries {
        let (mut entries, mut newest) = (Vec::new(), self.newest.clone());
        for event in events {
            let (session, body) = match event {
                Event::Request(RequestEvent::Asked { request }) => {
                    (request.session, EntryBody::Request { request: request.id })
                }
                Event::Approval(ApprovalEvent::Asked { approval }) => {
                    (approval.session, EntryBody::Approval { approval: approval.id })
                }
                Event::Queue(QueueEvent::Sent { session, message }) => {
                    let QueuedMessage { text, attachments, .. } = message.clone();
                    (*session, EntryBody::User { text, attachments })
                }
                Event::Session(SessionEvent::Ended { session, .. }) => {
                    let cut_off = self.running_tools.iter().filter(|((owner, _), _)| owner == session);
                    entries.extend(cut_off.filter_map(|(_, entry)| Some((*session, without_result(entry)?))));
                    continue;
                }
                _ => continue,
            };
            entries.push((session, next_entry(&mut newest, session, now, body)));
        }
        EventEntries { entries, newest }
    }

    /// Notes that events and their entries are on disk; returns the entries.
    pub(super) fn commit(&mut self, events: &[Event], written: EventEntries) -> Vec<(SessionId, Entry)> {
        self.newest = written.newest;
        for event in events {
            match event {
                Event::Session(SessionEvent::Ended { session, .. }) => {
                    self.running_tools.retain(|(owner, _), _| owner != session);
                    self.plans.remove(session);
                }
                Event::Session(SessionEvent::Deleted { session }) => {
                    self.newest.remove(session);
                }
                _ => {}
            }
        }
        written.entries
    }

    fn set_newest(&mut self, session: SessionId, newest: Option<u64>) {
        match newest {
            Some(newest) => drop(self.newest.insert(session, newest)),
            None => drop(self.newest.remove(&session)),
        }
    }

    /// Applies a write; none if it refers to an unknown tool call.
    fn entry(&mut self, session: SessionId, write: EntryWrite, now: Timestamp) -> Option<Entry> {
        match write {
            EntryWrite::New(body) => {
                let entry = next_entry(&mut self.newest, session, now, body);
                match &entry.body {
                    EntryBody::Tool { tool_use, status, .. } if !status.is_final() => {
                        self.running_tools.insert((session, tool_use.clone()), entry.clone());
                    }
                    EntryBody::TurnEnded { .. } => {
                        self.plans.remove(&session);
                    }
                    _ => {}
                }
                Some(entry)
            }
            EntryWrite::ToolStatus { tool_use, status: now } => {
                let entry = self.running_tools.get_mut(&(session, tool_use))?;
                match &mut entry.body {
                    // A denied call has ended, although its turn ends without a result.
                    EntryBody::Tool { status, .. } if now == ToolStatus::NoResult && status.is_final() => {
                        return None;
                    }
                    // What the user denied is told as the user's own.
                    EntryBody::Tool { status: ToolStatus::Denied, .. } if now == ToolStatus::Refused => {
                        return None;
                    }
                    EntryBody::Tool { status, .. } => *status = now,
                    _ => {}
                }
                Some(entry.clone())
            }
            EntryWrite::Plan { items } => {
                let body = EntryBody::Plan { items };
                let entry = match self.plans.remove(&session) {
                    Some(earlier) => Entry { body, ..earlier },
                    None => next_entry(&mut self.newest, session, now, body),
                };
                self.plans.insert(session, entry.clone());
                Some(entry)
            }
            EntryWrite::ToolEnded { tool_use, ok, output: result, images: shown } => {
                let mut entry = self.running_tools.remove(&(session, tool_use))?;
                if let EntryBody::Tool { status, output, images, .. } = &mut entry.body {
                    *status = match *status {
                        ended @ (ToolStatus::Denied | ToolStatus::Refused) if !ok => ended,
                        _ if ok => ToolStatus::Done,
                        _ => ToolStatus::Failed,
                    };
                    *output = Some(result);
                    *images = shown;
                }
                Some(entry)
            }
        }
    }
}

impl Writer {
    /// Stores and publishes a batch. While earlier entries wait for the disk, it waits behind them.
    pub(super) fn write(&mut self, batch: Vec<(SessionId, Vec<EntryWrite>)>) {
        let at = self.clock.now();
        let writes =
            batch.into_iter().flat_map(|(session, writes)| writes.into_iter().map(move |it| (session, it)));
        if !self.unstored.is_empty() {
            return writes.for_each(|(session, write)| self.unstored.write(session, write, at));
        }
        let entries = writes.filter_map(|(session, write)| self.number(session, write, at)).collect();
        // What the disk refuses is held.
        let _ = self.store_entries(entries);
    }

    /// Stores and publishes an entry, or changes nothing.
    pub(super) fn write_now(&mut self, session: SessionId, body: EntryBody) -> Result<(), StorageError> {
        self.check_disk()?;
        let newest = self.transcripts.newest.get(&session).copied();
        let entries =
            self.number(session, EntryWrite::New(body), self.clock.now()).into_iter().collect::<Vec<_>>();
        let stored = self.store_with(|journal| journal.commit_entries(&entries));
        match stored {
            Ok(()) => self.publish_entries(entries),
            Err(_) => self.transcripts.set_newest(session, newest),
        }
        stored
    }

    /// Turns a write into an entry; none if it has no effect.
    pub(super) fn number(
        &mut self,
        session: SessionId,
        write: EntryWrite,
        at: Timestamp,
    ) -> Option<(SessionId, Entry)> {
        // A deleted session leaves nothing behind, not even entries in transit.
        self.desk.session(session)?;
        Some((session, self.transcripts.entry(session, write, at)?))
    }

    pub(super) fn publish_entries(&mut self, entries: Vec<(SessionId, Entry)>) {
        let changes = entries.into_iter().map(|(session, entry)| Change::Entry { session, entry }).collect();
        self.hub.publish(&self.desk, changes);
    }
}

fn next_entry(newest: &mut Newest, session: SessionId, at: Timestamp, body: EntryBody) -> Entry {
    let n = newest.entry(session).or_default();
    *n += 1;
    Entry { n: *n, at, body }
}

/// Marks a tool call that gets no result any more; none if it was marked before, or was denied.
fn without_result(entry: &Entry) -> Option<Entry> {
    let mut entry = entry.clone();
    match &mut entry.body {
        EntryBody::Tool { status, .. } if !status.is_final() => *status = ToolStatus::NoResult,
        _ => return None,
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{TodoItem, TodoStatus, Usd};

    use super::*;

    #[test]
    fn a_plan_is_one_entry_of_its_turn_and_only_a_turn_with_a_cost_spends() {
        let session = SessionId::new(uuid::Uuid::nil());
        let mut transcripts = Transcripts::new(Newest::new());
        let mut write = |write| transcripts.entry(session, write, Timestamp::from_millis(1)).unwrap();
        let plan = |text: &str| {
            let items = vec![TodoItem { text: text.to_owned(), status: TodoStatus::Pending }];
            EntryWrite::Plan { items }
        };
        let ended = |cost_usd| {
            let (input_tokens, output_tokens, cached_tokens) = (0, 0, 0);
            let (millis, error, context) = (1, None, None);
            EntryWrite::New(EntryBody::TurnEnded {
                millis,
                input_tokens,
                output_tokens,
                cached_tokens,
                error,
                cost_usd,
                context,
            })
        };
        let (first, again) = (write(plan("read")), write(plan("write")));
        assert_eq!((first.n, again.n), (1, 1));
        assert!(matches!(again.body, EntryBody::Plan { items } if items[0].text == "write"));
        write(ended(None));
        write(ended(Usd::new(0.25)));
        assert_eq!(write(plan("check")).n, 4);
    }
}
