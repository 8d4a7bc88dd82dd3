//! Moments that the files can be put back to, such as before a message was sent.

use std::fs;
use std::io;
use std::path::PathBuf;

use askdesk_contract::{FileSince, FilesSince, RevertRefused, Unavailable};

use crate::compare::{Difference, compare};
use crate::path_id::readable;
use crate::revert::revert_recorded;
use crate::snapshot::Snapshot;
use crate::tracker::{Recorded, Tracker, below, sides, state_of};

/// How many moments of a session are kept, the newest ones.
pub const MARKS: usize = 50;
/// A moment with more files that are compared by size and time is not kept.
const STAMPED: usize = 2_000;
const FILES_NAMED: usize = 500;
const MARKS_FOLDER: &str = "marks";

/// What came of putting files back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    pub files: u32,
    /// The paths of those that were left as they are, for people to read.
    pub left: Vec<String>,
}

impl Tracker {
    /// Records the files as they are now, under this time in milliseconds. Nothing is kept if it is abandoned before it is done.
    pub fn mark(&self, at: i64, is_abandoned: impl FnOnce() -> bool) -> Result<(), Unavailable> {
        let (_, now) = self.record_now()?;
        if now.stamped.len() > STAMPED || is_abandoned() {
            return Ok(());
        }
        let folder = self.store().join(MARKS_FOLDER);
        fs::create_dir_all(&folder).map_err(|error| Unavailable::Failed { error: error.to_string() })?;
        self.write(&format!("{MARKS_FOLDER}/{at}.json"), &now)?;
        let times = self.times();
        for time in times.iter().rev().skip(MARKS) {
            let _ = fs::remove_file(self.marked(*time));
        }
        Ok(())
    }

    /// Lists what has changed since the newest moment within a span. None if no moment of it is kept.
    pub fn since(&self, span: (i64, i64)) -> Result<Option<FilesSince>, Unavailable> {
        let Some((prefix, differences, now)) = self.differences(span)? else { return Ok(None) };
        let named = differences.iter().take(FILES_NAMED).map(|one| FileSince {
            path: readable(&below(&prefix, &one.path)),
            kind: one.kind,
            recorded: one.is_recorded(),
        });
        let unlisted = differences.len().saturating_sub(FILES_NAMED);
        Ok(Some(FilesSince {
            files: named.collect(),
            unlisted: u32::try_from(unlisted).unwrap_or(u32::MAX),
            state: state_of(&now),
        }))
    }

    /// Puts the files back to the newest moment within a span, if they still are as they were listed.
    pub fn put_back(&self, span: (i64, i64), state: u32) -> Result<PutBack, RevertRefused> {
        let unavailable = |why| RevertRefused::Unavailable { why };
        let found = self.differences(span).map_err(unavailable)?;
        let (prefix, differences, now) = found.ok_or(RevertRefused::NotRecorded)?;
        if state_of(&now) != state {
            return Err(RevertRefused::ChangedSince);
        }
        let place = self.place().map_err(unavailable)?;
        let mut done = PutBack::default();
        for found in differences {
            let path = readable(&below(&prefix, &found.path));
            let reverted = sides(&place, &found).map_err(unavailable).and_then(|[old, new]| {
                revert_recorded(&Recorded { place: place.clone(), found, old, new }, None)
            });
            match reverted {
                Ok(()) => done.files = done.files.saturating_add(1),
                Err(why) => {
                    tracing::info!(%path, %why, "a file was not put back");
                    done.left.push(path);
                }
            }
        }
        Ok(done)
    }

    /// Returns the trees of the moments that are kept.
    pub(crate) fn marked_trees(&self) -> Vec<String> {
        self.times().into_iter().filter_map(|time| Some(self.read_mark(time)?.tree)).collect()
    }

    /// Compares the newest moment of a span with now.
    fn differences(&self, (from, until): (i64, i64)) -> Result<Option<Compared>, Unavailable> {
        let time = self.times().into_iter().rev().find(|time| (from..=until).contains(time));
        let Some(mark) = time.and_then(|time| self.read_mark(time)) else { return Ok(None) };
        let (place, now) = self.record_now()?;
        match compare(&place, &mark, &now) {
            Ok(differences) => Ok(Some((place.prefix, differences, now))),
            // Its contents were removed, because there was no room for more.
            Err(Unavailable::BaselineLost) => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn read_mark(&self, time: i64) -> Option<Snapshot> {
        serde_json::from_slice(&fs::read(self.marked(time)).ok()?).ok()
    }

    fn marked(&self, time: i64) -> PathBuf {
        self.store().join(MARKS_FOLDER).join(format!("{time}.json"))
    }

    /// The moments that are kept, oldest first.
    fn times(&self) -> Vec<i64> {
        let names = fs::read_dir(self.store().join(MARKS_FOLDER)).into_iter().flatten();
        let time = |entry: io::Result<fs::DirEntry>| {
            entry.ok()?.file_name().to_str()?.strip_suffix(".json")?.parse::<i64>().ok()
        };
        let mut times: Vec<i64> = names.filter_map(time).collect();
        times.sort_unstable();
        times
    }
}

/// The folder below the top, what differs, and the files as they are now.
type Compared = (Vec<u8>, Vec<Difference>, Snapshot);
