//! Nothing of a deleted session is left in a file, whenever a sweep is interrupted.

use std::path::Path;

use askdesk_domain::{AgentId, Entry, EntryBody, Origin, Session, SessionEnd, SessionEvent, Timestamp};
use uuid::Uuid;

use super::super::Opened;
use super::*;

const AT: Timestamp = Timestamp::from_millis(1_000);
const GONE: &str = "quetzalcoatl";
const STAYS: &str = "hippogriff";

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn count_in_files(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| String::from_utf8_lossy(&bytes).matches(word).count()).sum()
}

/// A journal of about 20 MiB with two ended sessions that have a word of their own in each text.
fn filled(folder: &Path) -> Journal {
    let Opened { mut journal, .. } = Journal::open(folder, AT).unwrap();
    let words = [STAYS, GONE];
    for (of, word) in (1..).zip(words) {
        let new = Session::new(session(of), Origin::started(AgentId::literal("demo")), AT);
        let events: [Event; 2] = [
            SessionEvent::Started { session: Session { name: word.to_owned(), ..new } }.into(),
            SessionEvent::Ended { session: session(of), end: SessionEnd::Finished, at: AT }.into(),
        ];
        journal.commit(&events, &[], AT).unwrap();
    }
    // Too few of them are deleted for an index to merge by itself. They come in any order, so that pages are split.
    for round in 0..250 {
        let entries = (0..16).map(|n| {
            let (of, word, length) = if n == 5 { (2, GONE, 200) } else { (1, STAYS, 10_000) };
            let length = (round * 7_919 + n * 104_729) % length;
            let text = format!("{word}{round} {word} {}{word}", "x".repeat(length as usize));
            let n = (round * 16 + n) * 1_237 % 3_989;
            (session(of), Entry { n, at: AT, body: EntryBody::Agent { text } })
        });
        journal.commit_entries(&entries.collect::<Vec<_>>()).unwrap();
    }
    journal
}

#[test]
fn case_151_a_deletion_leaves_no_word_whichever_step_a_crash_interrupts() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = filled(folder.path());
    journal.commit(&[SessionEvent::Deleted { session: session(2) }.into()], &[], AT).unwrap();
    let left = count_in_files(folder.path(), STAYS);
    assert!(count_in_files(folder.path(), GONE) > 10);

    let (mut steps, mut crashed) = (0, Vec::new());
    while journal.is_sweep_due() {
        if [0, 2, 10, 100, 250].contains(&steps) {
            let copy = tempfile::tempdir().unwrap();
            for name in ["desk.db", "desk.db-wal"] {
                std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
            }
            crashed.push(copy);
        }
        journal.sweep().unwrap();
        steps += 1;
    }
    let bytes = std::fs::metadata(folder.path().join("desk.db")).unwrap().len();
    assert!(bytes > 15 << 20 && steps > bytes / 4_096 / u64::from(STEP), "{steps} steps, {bytes} bytes");
    assert_eq!(crashed.len(), 5);
    assert_eq!(count_in_files(folder.path(), GONE), 0);
    drop(journal);
    for folder in std::iter::once(folder).chain(crashed) {
        let Opened { mut journal, .. } = Journal::open(folder.path(), AT).unwrap();
        journal.sweep_at_end();
        journal.checkpoint().unwrap();
        assert_eq!(super::super::damage::check(&journal.connection).unwrap(), None);
        let found = |word| journal.reader().unwrap().search(word, 50, 1_000).unwrap().hits.len();
        assert_eq!((found(STAYS), found(GONE)), (50, 0));
        drop(journal);
        assert_eq!(count_in_files(folder.path(), GONE), 0);
        assert!(count_in_files(folder.path(), STAYS) > left / 4);
        assert!(!Journal::open(folder.path(), AT).unwrap().journal.is_sweep_due());
    }
}
