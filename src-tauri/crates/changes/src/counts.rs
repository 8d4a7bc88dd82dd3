//! Counts the changed lines of many files within a budget, and remembers what it has counted.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use askdesk_contract::Content;

use crate::compare::{Difference, Entry, LINK, REPOSITORY};
use crate::git::{Git, GitError};
use crate::{lines, objects};

/// How much content one listing compares, in bytes.
const COMPARED_BYTES: u64 = 192 * 1024 * 1024;
/// How much content is in memory at once, in bytes. A single pair of files may have more.
const AT_ONCE_BYTES: u64 = 32 * 1024 * 1024;
/// How long one listing compares.
const COMPARING: Duration = Duration::from_secs(10);
const REMEMBERED: usize = 20_000;

/// What a file holds, and its lines added and removed if they can be counted.
pub(crate) type Counted = (Content, Option<(u32, u32)>);

/// The counts of pairs of contents.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    known: HashMap<(String, String), Counted>,
}

impl Counts {
    /// Counts the lines of the differences, as far as the budget goes.
    pub(crate) fn count(&mut self, git: &Git, differences: &[Difference]) -> Result<(), GitError> {
        if self.known.len() > REMEMBERED {
            self.known.clear();
        }
        let wanted =
            differences.iter().filter(|one| fixed(one).is_none() && !self.known.contains_key(&key(one)));
        let wanted = wanted.collect::<Vec<_>>();
        let sizes = objects::sizes(git, &ids(&wanted))?;
        let size = |entry: &Option<Entry>| {
            entry.as_ref().and_then(|entry| sizes.get(&entry.object)).copied().unwrap_or_default()
        };
        let (deadline, mut left) = (Instant::now() + COMPARING, COMPARED_BYTES);
        let mut batch: Vec<&Difference> = Vec::new();
        let mut batched = 0;
        for one in wanted {
            let bytes = size(&one.old) + size(&one.new);
            if bytes > left || Instant::now() > deadline {
                break;
            }
            left -= bytes;
            if batched + bytes > AT_ONCE_BYTES {
                self.compare(git, &std::mem::take(&mut batch), deadline)?;
                batched = 0;
            }
            batched += bytes;
            batch.push(one);
        }
        self.compare(git, &batch, deadline)
    }

    fn compare(&mut self, git: &Git, batch: &[&Difference], deadline: Instant) -> Result<(), GitError> {
        let contents = objects::contents(git, &ids(batch))?;
        for one in batch {
            if Instant::now() > deadline {
                break;
            }
            let side = |entry: &Option<Entry>| match entry {
                Some(entry) => contents.get(&entry.object).map(Vec::as_slice),
                None => Some(&[][..]),
            };
            if let (Some(old), Some(new)) = (side(&one.old), side(&one.new)) {
                self.known.insert(key(one), compared(one, old, new));
            }
        }
        Ok(())
    }

    /// Returns what is known about a difference.
    pub(crate) fn of(&self, one: &Difference) -> Counted {
        let known = || self.known.get(&key(one)).copied();
        fixed(one).or_else(known).unwrap_or((Content::Uncounted, None))
    }
}

/// Returns what a file holds, and its changed lines.
pub(crate) fn compared(one: &Difference, old: &[u8], new: &[u8]) -> Counted {
    if lines::is_binary(old) || lines::is_binary(new) {
        return (Content::Binary, None);
    }
    let link = [&one.old, &one.new].into_iter().flatten().any(|entry| entry.mode == LINK);
    let content = match (link, lines::has_too_many(old) || lines::has_too_many(new)) {
        (true, _) => Content::Link,
        (false, true) => Content::TooManyLines,
        (false, false) => Content::Text,
    };
    (content, Some(lines::count(old, new)))
}

/// What is known without reading a content.
fn fixed(one: &Difference) -> Option<Counted> {
    if let Some(why) = one.unrecorded {
        return Some((why.into(), None));
    }
    let inner = [&one.old, &one.new].into_iter().flatten().any(|entry| entry.mode == REPOSITORY);
    inner.then_some((Content::Repository, None))
}

/// The mode tells a link from a file with the same content.
fn key(one: &Difference) -> (String, String) {
    let name = |entry: &Option<Entry>| {
        entry.as_ref().map(|entry| format!("{:o}:{}", entry.mode, entry.object)).unwrap_or_default()
    };
    (name(&one.old), name(&one.new))
}

fn ids<'a>(differences: &[&'a Difference]) -> Vec<&'a str> {
    let entries = differences.iter().flat_map(|one| [&one.old, &one.new]).flatten();
    entries.map(|entry| &*entry.object).collect()
}
