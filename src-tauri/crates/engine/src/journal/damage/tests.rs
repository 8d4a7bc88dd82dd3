use std::sync::mpsc;

use askdesk_domain::Timestamp;

use super::super::Opened;
use super::*;

const AT: Timestamp = Timestamp::from_millis(1_000);
const PATIENCE: Duration = Duration::from_secs(20);

fn open(folder: &Path) -> Opened {
    Journal::open(folder, AT).unwrap()
}

/// A journal with many rows, and whether its pages in the middle are overwritten.
fn filled(folder: &Path, is_torn: bool) -> Journal {
    let journal = open(folder).journal;
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO entries (session, n, at, body) SELECT 'session', i, 1, 'a body of some length ' || i FROM n";
    journal.connection.execute_batch(rows).unwrap();
    journal.checkpoint().unwrap();
    drop(journal);
    if is_torn {
        let file = folder.join("desk.db");
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2 / 4_096 * 4_096;
        bytes[middle..middle + 3 * 4_096].fill(0xa5);
        std::fs::write(file, bytes).unwrap();
    }
    open(folder).journal
}

fn is_marked_in(folder: &Path) -> bool {
    is_marked(&folder.join("desk.db"))
}

#[test]
fn damage_is_reported_until_somebody_takes_it_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let journal = filled(folder.path(), true);
    let (sender, reports) = mpsc::channel();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let report = move |path: &Path| {
        sender.send(path.to_owned()).unwrap();
        calls.fetch_add(1, Ordering::Relaxed) > 0
    };
    let search = journal.search_damage(report).unwrap();
    for _ in 0..2 {
        assert_eq!(reports.recv_timeout(PATIENCE), Ok(folder.path().join("desk.db")));
    }
    assert_eq!(reports.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
    assert!(is_marked_in(folder.path()));
    drop(search);
}

#[test]
fn a_sound_database_is_neither_reported_nor_marked() {
    let folder = tempfile::tempdir().unwrap();
    let journal = filled(folder.path(), false);
    let (sender, reports) = mpsc::channel();
    let search = journal.search_damage(move |_| sender.send(()).is_ok()).unwrap();
    assert_eq!(reports.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
    assert!(!is_marked_in(folder.path()));
    drop(search);
}

#[test]
fn a_search_lets_go_when_it_is_held_back_and_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let journal = filled(folder.path(), true);
    let (sender, reports) = mpsc::channel();
    let search = journal.search_damage(move |_| sender.send(()).is_ok()).unwrap();
    let held = search.hold_back();
    assert!(!search.shared.state().is_reading);
    journal.checkpoint().unwrap();
    assert!(reports.recv_timeout(DELAY * 4).is_err() && !is_marked_in(folder.path()));
    drop(held);
    assert_eq!(reports.recv_timeout(PATIENCE), Ok(()));
}

#[test]
fn a_search_ends_at_once_while_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let journal = filled(folder.path(), false);
    let began = Instant::now();
    // On a busy machine, a search can be over before it is seen.
    let search = loop {
        assert!(began.elapsed() < PATIENCE, "no search was seen while it read");
        let search = journal.search_damage(|_| true).unwrap();
        let is_over = || search.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while !search.shared.state().is_reading && !is_over() {
            std::thread::yield_now();
        }
        if search.shared.state().is_reading {
            break search;
        }
    };
    let began = Instant::now();
    drop(search);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    journal.checkpoint().unwrap();
}

#[test]
fn a_mark_without_damage_goes_and_the_database_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let journal = filled(folder.path(), false);
    mark(&journal.path, "a page was read wrong once");
    drop(journal);
    assert_eq!(open(folder.path()).notices, []);
    assert!(!is_marked_in(folder.path()));
}
