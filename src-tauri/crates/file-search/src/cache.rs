//! Listings of the folders in which files were looked for last.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::listing::{LISTED_FILES, Listing};

/// How many folders are remembered.
const FOLDERS: usize = 4;
/// A listing older than this is read again while the old one still answers.
const FRESH: Duration = Duration::from_secs(5);
/// A listing answers for at least so many times as long as reading it took, so that a large folder isn't read all the time.
const READING: u32 = 100;

/// The listings of the folders that were used last. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ListingCache {
    known: Arc<Mutex<VecDeque<Known>>>,
}

#[derive(Debug)]
struct Known {
    folder: PathBuf,
    listing: Arc<Listing>,
    read_at: Instant,
    took: Duration,
    is_read_again: bool,
}

/// What a query means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// As in [`Listing::find`].
    pub paths: Vec<String>,
    /// Whether the folder has more files than were looked at.
    pub is_cut: bool,
}

impl ListingCache {
    /// Finds files below a folder. Blocks while a folder is listed for the first time.
    pub fn find(&self, folder: &Path, query: &str, most: usize) -> Found {
        let listing = self.listing(folder);
        let paths = listing.find(query, most).into_iter().map(str::to_owned).collect();
        Found { paths, is_cut: listing.is_cut }
    }

    fn listing(&self, folder: &Path) -> Arc<Listing> {
        let mut known = self.known();
        let Some(place) = known.iter().position(|known| known.folder == folder) else {
            drop(known);
            return self.read(folder);
        };
        let Some(mut found) = known.remove(place) else { return Arc::default() };
        let listing = Arc::clone(&found.listing);
        let stale = found.read_at.elapsed() > FRESH.max(found.took * READING) && !found.is_read_again;
        found.is_read_again |= stale;
        known.push_back(found);
        drop(known);
        if stale {
            let (cache, folder) = (self.clone(), folder.to_owned());
            std::thread::spawn(move || cache.read(&folder));
        }
        listing
    }

    fn read(&self, folder: &Path) -> Arc<Listing> {
        let began = Instant::now();
        let listing = Arc::new(Listing::read(folder, LISTED_FILES));
        let mut known = self.known();
        known.retain(|known| known.folder != folder);
        if known.len() == FOLDERS {
            known.pop_front();
        }
        known.push_back(Known {
            folder: folder.to_owned(),
            listing: Arc::clone(&listing),
            read_at: Instant::now(),
            took: began.elapsed(),
            is_read_again: false,
        });
        listing
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_listing_answers_until_it_is_old_and_is_then_read_again() {
        let folder = TempDir::new().unwrap();
        let cache = ListingCache::default();
        let find = || cache.find(folder.path(), "", 10).paths;
        fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(find(), ["a"]);
        fs::write(folder.path().join("b"), "").unwrap();
        assert_eq!(find(), ["a"]);
        cache.known()[0].read_at = Instant::now().checked_sub(FRESH * 4).unwrap();
        let began = Instant::now();
        while find() != ["a", "b"] {
            assert!(began.elapsed() < Duration::from_secs(20), "it was not read again");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn only_the_folders_used_last_are_kept() {
        let cache = ListingCache::default();
        let folders: Vec<_> = (0..=FOLDERS).map(|_| TempDir::new().unwrap()).collect();
        for folder in &folders {
            cache.find(folder.path(), "", 1);
        }
        assert_eq!(cache.known().len(), FOLDERS);
        assert!(cache.known().iter().all(|known| known.folder != folders[0].path()));
    }
}
