//! What the disk has not accepted: it is held in order, and the writer tries again until all of it is stored.
//!
//! While anything is held, nothing else is stored, so that what is read back later is in the order in which it happened.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use askdesk_contract::frame::{Change, StorageOutage};
use askdesk_domain::{Command, Entry, EntryBody, Notice, SessionId, StorageError, Timestamp};

use super::Writer;
use crate::error::EngineError;
use crate::journal::Journal;
use crate::mailbox::EntryWrite;

/// How long the writer waits before it tries again.
const AGAIN: Duration = Duration::from_millis(500);

/// How much is held, in bytes. What agents write beyond it is lost, and the transcript says so.
const HELD_BYTES: usize = 32 * 1024 * 1024;

/// Commands are few and small, so their bytes are not counted.
const HELD_COMMANDS: usize = 65_536;

/// How many transcript writes are stored together.
const BATCHED_WRITES: usize = 512;

/// Something that waits for the disk.
enum UnstoredChange {
    Entries(Vec<(SessionId, Entry)>),
    Write {
        session: SessionId,
        write: EntryWrite,
        at: Timestamp,
    },
    /// Where entries of a session are missing.
    Missing {
        session: SessionId,
    },
    Command(Command),
}

impl UnstoredChange {
    fn bytes(&self) -> usize {
        match self {
            Self::Entries(entries) => entries.iter().map(|(_, entry)| body_bytes(&entry.body)).sum(),
            Self::Write { write, .. } => write.bytes(),
            Self::Missing { .. } | Self::Command(_) => 0,
        }
    }

    fn entries(&self) -> u64 {
        match self {
            Self::Entries(entries) => entries.len() as u64,
            Self::Write { .. } => 1,
            Self::Missing { .. } | Self::Command(_) => 0,
        }
    }
}

fn body_bytes(body: &EntryBody) -> usize {
    serde_json::to_string(body).map_or(0, |text| text.len())
}

#[derive(Default)]
pub(super) struct Unstored {
    held: VecDeque<UnstoredChange>,
    bytes: usize,
    entries: u64,
    commands: usize,
    /// How many entries of each session were lost since its last mark.
    missing: BTreeMap<SessionId, u64>,
    /// What the disk said last; none while it accepts everything.
    error: Option<StorageError>,
    /// When the disk is tried again.
    again: Option<Instant>,
    /// What subscribers know.
    published: Option<StorageOutage>,
}

impl Unstored {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Returns when to try the disk again; none while it accepts everything.
    pub(super) const fn due(&self) -> Option<Instant> {
        self.again
    }

    pub(super) fn are_due(&self) -> bool {
        self.again.is_some_and(|again| again <= Instant::now())
    }

    fn note(&mut self, error: Option<StorageError>) {
        self.again = error.as_ref().map(|_| Instant::now() + AGAIN);
        self.error = error;
    }

    pub(super) fn write(&mut self, session: SessionId, write: EntryWrite, at: Timestamp) {
        let held = UnstoredChange::Write { session, write, at };
        if self.bytes.saturating_add(held.bytes()) <= HELD_BYTES {
            return self.push(held);
        }
        let missing = self.missing.entry(session).or_default();
        *missing += 1;
        if *missing == 1 {
            self.push(UnstoredChange::Missing { session });
        }
    }

    fn command(&mut self, command: Command) {
        if self.commands == HELD_COMMANDS {
            tracing::error!(?command, "too much waits for the disk, so this is lost");
            return;
        }
        self.push(UnstoredChange::Command(command));
    }

    fn push(&mut self, held: UnstoredChange) {
        self.count(&held);
        self.held.push_back(held);
    }

    fn put_back(&mut self, held: UnstoredChange) {
        self.count(&held);
        self.held.push_front(held);
    }

    fn count(&mut self, held: &UnstoredChange) {
        self.bytes += held.bytes();
        self.entries += held.entries();
        self.commands += usize::from(matches!(held, UnstoredChange::Command(_)));
    }

    fn pop(&mut self) -> Option<UnstoredChange> {
        let held = self.held.pop_front()?;
        self.bytes = self.bytes.saturating_sub(held.bytes());
        self.entries = self.entries.saturating_sub(held.entries());
        self.commands -= usize::from(matches!(held, UnstoredChange::Command(_)));
        Some(held)
    }

    fn outage(&self) -> Option<StorageOutage> {
        let lost = self.missing.values().sum();
        self.error.clone().map(|error| StorageOutage { error, entries: self.entries, lost })
    }
}

impl Writer {
    /// Carries out a command that reports what has happened. If the disk doesn't accept it, it is tried again later.
    pub(super) fn record(&mut self, command: Command) -> Result<(), EngineError> {
        if !self.unstored.is_empty() {
            self.unstored.command(command);
            return Ok(());
        }
        match self.decide_and_store(&command) {
            Err(EngineError::Journal(_)) => {
                self.unstored.command(command);
                Ok(())
            }
            decided => decided.map(drop),
        }
    }

    /// Stores what is held, the oldest first, until the disk refuses something.
    pub(super) fn store_held(&mut self) -> Result<(), StorageError> {
        while let Some(held) = self.unstored.pop() {
            match held {
                UnstoredChange::Entries(entries) => self.store_entries(entries)?,
                UnstoredChange::Command(command) => match self.decide_and_store(&command) {
                    Ok(_) => {}
                    Err(EngineError::Journal(error)) => {
                        self.unstored.put_back(UnstoredChange::Command(command));
                        return Err(error);
                    }
                    Err(error) => tracing::error!(%error, ?command, "could not be noted"),
                },
                first @ (UnstoredChange::Write { .. } | UnstoredChange::Missing { .. }) => {
                    let entries = self.number_held(first);
                    self.store_entries(entries)?;
                }
            }
        }
        Ok(())
    }

    /// Numbers a held write, and those that follow it.
    fn number_held(&mut self, first: UnstoredChange) -> Vec<(SessionId, Entry)> {
        let mut entries = Vec::new();
        let mut next = Some(first);
        while let Some(held) = next.take() {
            let (session, write, at) = match held {
                UnstoredChange::Write { session, write, at } => (session, write, at),
                UnstoredChange::Missing { session } => {
                    let count = self.unstored.missing.remove(&session).unwrap_or_default();
                    let notice = Notice::EntriesLost { count };
                    (session, EntryWrite::New(EntryBody::Notice { notice }), self.clock.now())
                }
                other => {
                    self.unstored.put_back(other);
                    break;
                }
            };
            entries.extend(self.number(session, write, at));
            if entries.len() < BATCHED_WRITES {
                next = self.unstored.pop();
            }
        }
        entries
    }

    /// Stores and publishes entries; what the disk refuses is held.
    pub(super) fn store_entries(&mut self, mut entries: Vec<(SessionId, Entry)>) -> Result<(), StorageError> {
        // A session may have been deleted while its entries waited.
        entries.retain(|(session, _)| self.desk.session(*session).is_some());
        if entries.is_empty() {
            return Ok(());
        }
        match self.journal.commit_entries(&entries) {
            Ok(()) => {
                self.publish_entries(entries);
                Ok(())
            }
            Err(error) => {
                tracing::error!(%error, entries = entries.len(), "the transcript could not be written");
                self.unstored.put_back(UnstoredChange::Entries(entries));
                self.unstored.note(Some(error.clone()));
                self.publish_outage();
                Err(error)
            }
        }
    }

    /// Writes to the journal. If the disk refuses it, subscribers are told and the disk is tried again.
    pub(super) fn store_with<T>(
        &mut self,
        write: impl FnOnce(&mut Journal) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let stored = write(&mut self.journal);
        if let Err(error) = &stored {
            self.unstored.note(Some(error.clone()));
            self.publish_outage();
        }
        stored
    }

    /// Tries again what the disk refused. If that was only a command of the user, who was told, the disk is tried with
    /// something else.
    pub(super) fn try_again(&mut self) {
        let tried = match self.unstored.is_empty() {
            true => self.journal.try_to_write(),
            false => self.store_held(),
        };
        self.unstored.note(tried.err());
        self.publish_outage();
    }

    /// Fails while the disk still refuses what it refused before.
    pub(super) fn check_disk(&mut self) -> Result<(), StorageError> {
        if self.unstored.error.is_some() {
            self.try_again();
        }
        self.unstored.error.clone().map_or(Ok(()), Err)
    }

    fn publish_outage(&mut self) {
        let outage = self.unstored.outage();
        if outage != self.unstored.published {
            self.unstored.published.clone_from(&outage);
            self.hub.publish(&self.desk, vec![Change::Outage { outage }]);
        }
    }
}
