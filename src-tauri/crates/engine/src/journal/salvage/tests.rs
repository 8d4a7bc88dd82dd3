//! What a damaged database still holds is recovered, record by record.

use askdesk_domain::{
    ApprovalCommand, Ask, AskApproval, Command, EntryBody, QuestionKind, RequestCommand, SavedDraft,
    SessionEnd, ToolDetail,
};
use uuid::Uuid;

use super::super::Opened;
use super::*;
use crate::desks::{delete, end, new_ask, new_ask_approval, rename, session, start, take};
use crate::questions::{asked, draft};

const AT: Timestamp = Timestamp::from_millis(1_000);
const PAGE: usize = 4_096;
/// The session that was deleted.
const GONE: u128 = 4;

fn request(of: u128, n: u128) -> RequestId {
    RequestId::new(Uuid::from_u128(0x100 * of + n))
}

/// A text that is found in each page that holds a part of it, and in no index of words.
fn text(mark: &str, length: usize) -> String {
    mark.repeat(length / mark.len() + 1)
}

fn commands(of: u128) -> Vec<Command> {
    let mut commands = vec![start(of), rename(of, &format!("<name {of}>"))];
    for n in 0..6 {
        let question = text(&format!("<question {of}-{n}>"), if n % 4 == 0 { 6_000 } else { 40 });
        let questions = asked(&[draft(QuestionKind::Text, &question, &[])]);
        let ask = Ask { id: request(of, n), ..new_ask(of, n, questions) };
        let input = text(&format!("<approval {of}-{n}>"), if n % 5 == 0 { 9_000 } else { 30 });
        let id = ApprovalId::new(Uuid::from_u128(0x10_000 + 0x100 * of + n));
        let permit = AskApproval { id, subject: ToolDetail::Other { input }, ..new_ask_approval(of, n) };
        commands.push(RequestCommand::Ask(ask).into());
        commands.push(ApprovalCommand::Ask(Box::new(permit)).into());
        if n % 2 == 0 {
            let words = Some(format!("<words {of}-{n}>"));
            commands.push(RequestCommand::Decline { request: request(of, n), words, at: AT }.into());
        }
    }
    commands
}

/// A database with all kinds of records, and a session that was deleted.
fn filled() -> (Vec<u8>, Rows) {
    let folder = tempfile::tempdir().unwrap();
    let Opened { mut journal, mut desk, .. } = Journal::open(folder.path(), AT).unwrap();
    let entry = |of: u128, n: u64| {
        let length = [30, 300, 900, 4_000, 9_000][n as usize % 5];
        let body = EntryBody::Agent { text: text(&format!("<entry {of}-{n}>"), length) };
        (session(of), Entry { n, at: AT, body })
    };
    let run = |journal: &mut Journal, desk: &mut Desk, command: &Command| {
        journal.commit(&take(desk, command).unwrap().events, &[], AT).unwrap();
    };
    for of in 1..=GONE {
        commands(of).iter().for_each(|command| run(&mut journal, &mut desk, command));
        journal.commit_entries(&(1..=15).map(|n| entry(of, n)).collect::<Vec<_>>()).unwrap();
        let drafts = (1..6).step_by(2).map(|n| {
            let words = text(&format!("<draft {of}-{n}>"), 500 * n as usize);
            let draft = serde_json::json!({
                "of": "request", "id": request(of, n),
                "draft": {"active": 0, "answers": [], "declining": true, "words": words}
            });
            SavedDraft { session: session(of), of: serde_json::from_value(draft).unwrap() }
        });
        journal.save_drafts(&drafts.collect::<Vec<_>>(), AT).unwrap();
    }
    for command in [end(GONE, SessionEnd::Stopped), delete(GONE)] {
        run(&mut journal, &mut desk, &command);
    }
    journal.write_snapshot(&desk);
    journal.checkpoint().unwrap();
    let mut intact = Salvaged::read_from(&journal.connection).unwrap();
    intact.without(&Desk::default());
    let rows = Rows::of(&intact);
    drop(journal);
    (std::fs::read(folder.path().join("desk.db")).unwrap(), rows)
}

/// What was read, as text: events with their position, and everything else.
#[derive(Debug, PartialEq)]
struct Rows {
    events: BTreeMap<i64, String>,
    others: BTreeSet<String>,
}

impl Rows {
    fn of(salvaged: &Salvaged) -> Self {
        let entries = salvaged.entries.iter().map(|(_, entry)| record::encode(&entry.body).unwrap());
        let copied = salvaged.copied.iter().flatten().map(|row| {
            let texts = row.iter().filter_map(|value| match value {
                Value::Text(text) if text.starts_with('{') => Some(text.clone()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        });
        let mut events = BTreeMap::new();
        for placed in &salvaged.events {
            // What the tables add comes behind the last one.
            events.entry(placed.seq).or_insert_with(|| record::encode(&placed.event).unwrap());
        }
        Self { events, others: entries.chain(copied).collect() }
    }
}

/// Whether a record may be in these bytes: long ones may be there in part.
fn may_be_in(bytes: &[u8], record: &str) -> bool {
    let mark = record.find('<').and_then(|from| Some(&record[from..=from + record[from..].find('>')?]));
    let sought = mark.filter(|_| record.len() > 1_000).or(record.split('\n').next()).unwrap_or(record);
    is_in(bytes, sought.as_bytes())
}

fn is_in(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
}

/// Recovers a damaged database; all that its lost part doesn't hold must be there.
#[track_caller]
fn check(rows: &Rows, damaged: &[u8], lost: &[u8], why: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db.damaged-1");
    std::fs::write(&path, damaged).unwrap();
    let mut salvaged = Salvaged::read(&path).unwrap();
    salvaged.without(&Desk::default());
    let found = Rows::of(&salvaged);
    for other in &rows.others {
        assert!(found.others.contains(other) || may_be_in(lost, other), "{why}: {}", &other[..60]);
    }
    let from_snapshot: BTreeSet<SessionId> =
        salvaged.events.iter().filter(|it| it.seq == 0).filter_map(|it| started(&it.event)).collect();
    let replayed = Desk::replay(salvaged.events.iter().map(|it| &it.event));
    for (seq, body) in &rows.events {
        let event: Event = serde_json::from_str(body).unwrap();
        let is_in_snapshot =
            matches!(event.subject(), EventSubject::Session(of) if from_snapshot.contains(&of));
        let is_there = found.events.get(seq) == Some(body) || is_in_snapshot;
        assert!(is_there || may_be_in(lost, body), "{why}: event {seq} {body}");
    }
    assert_eq!(replayed.session(session(GONE)), None, "{why}");
    // Either its events or its snapshot is left.
    if lost.len() <= PAGE {
        for of in 1..GONE {
            let name = replayed.session(session(of)).map(|it| it.name.clone());
            assert_eq!(name, Some(format!("<name {of}>")), "{why}");
        }
    }
    assert!(!found.others.iter().any(|it| it.contains(&format!(" {GONE}-"))), "{why}");
    assert!(folder.path().read_dir().unwrap().count() == 1, "no copy is left");
}

#[test]
fn case_152_what_no_lost_page_held_is_recovered() {
    let (bytes, rows) = filled();
    check(&rows, &bytes, &[], "sound");
    for page in 0..bytes.len() / PAGE {
        let mut damaged = bytes.clone();
        let lost = damaged[page * PAGE..][..PAGE].to_vec();
        damaged[page * PAGE..][..PAGE].fill(0);
        check(&rows, &damaged, &lost, &format!("page {}", page + 1));
    }
    for quarter in 1..4 {
        let (kept, lost) = bytes.split_at(bytes.len() * quarter / 4 / PAGE * PAGE);
        check(&rows, kept, lost, &format!("{quarter} quarters"));
    }
}
