//! The writer on a full disk, and the order of its inputs.

use askdesk_contract::frame::{Frame, StorageOutage};
use askdesk_domain::{
    Ask, CommandId, Delivery, DeliveryError, Draft, DraftTarget, EntryBody, Notice, Outcome, RawOption,
    RawQuestion, SessionCommand, SessionEnd, StorageError, Timestamp,
};
use proptest::prelude::*;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::*;
use crate::clock::ManualClock;
use crate::desks::{self, delete, end, failed, new_ask, note, request, start, working};
use crate::hub::Subscription;
use crate::mailbox::{DraftRevision, EntryWrite, QUEUED_INPUTS, Resolution, SaveDraft, SessionInput};
use crate::questions::{self, asked, choose, single};

fn session() -> SessionId {
    desks::session(1)
}

fn ask(n: u128, preview_bytes: usize) -> Ask {
    let option =
        |label: &str| RawOption { preview: Some("p".repeat(preview_bytes)), ..RawOption::new(label) };
    let question = RawQuestion { options: vec![option("A"), option("B")], ..single("Which?", &[]) };
    new_ask(1, n, asked(&[question]))
}

fn asks(n: u128, preview_bytes: usize) -> Command {
    RequestCommand::Ask(ask(n, preview_bytes)).into()
}

fn answer(n: u128) -> Command {
    desks::answer(n, vec![choose(0, &[0])])
}

fn unusable() -> Command {
    SessionCommand::CountUnusable { session: session(), lines: 1 }.into()
}

/// A writer with a session and a subscriber that has read everything.
fn writer(folder: &std::path::Path) -> (Writer, Subscription) {
    let opened = Journal::open(folder, Timestamp::from_millis(0)).unwrap();
    let (limits, _) = mpsc::unbounded_channel();
    let mut writer =
        Writer::new(opened, "epoch".to_owned(), Arc::new(ManualClock::at(1)), limits, Vec::new()).unwrap();
    writer.act(&start(1)).unwrap();
    let mut subscription = writer.hub.subscribe(&writer.desk);
    assert!(matches!(subscription.take(), Some(Frame::Snapshot(_))));
    (writer, subscription)
}

/// What a subscriber hears, but for the outage itself.
fn heard(subscription: &mut Subscription) -> Vec<Change> {
    let mut heard = Vec::new();
    while let Some(Frame::Delta(delta)) = subscription.take() {
        heard.extend(delta.changes.iter().filter(|it| !matches!(it, Change::Outage { .. })).cloned());
    }
    heard
}

fn waiting() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn is_full(error: &EngineError) -> bool {
    matches!(error, EngineError::Journal(StorageError::Full { .. }))
}

#[test]
fn on_a_full_disk_a_question_is_refused_and_nothing_is_changed_or_published() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let before = writer.desk.clone();
    writer.journal.limit_pages(1);
    let (waiter, mut outcome) = oneshot::channel();
    let error = writer.register_call(&asks(1, 60_000), waiter).unwrap_err();
    assert!(is_full(&error), "{error}");
    assert!(error.to_string().contains("the disk is full, so "), "{error}");
    assert_eq!(writer.desk, before);
    assert_eq!(heard(&mut subscription), []);
    assert!(outcome.try_recv().is_err());

    writer.journal.limit_pages(100_000);
    let (waiter, mut outcome) = oneshot::channel();
    assert_eq!(writer.register_call(&asks(1, 60_000), waiter).unwrap(), request(1));
    assert!(!heard(&mut subscription).is_empty());
    writer.act(&answer(1)).unwrap();
    assert!(matches!(outcome.try_recv(), Ok(Outcome::Answered { .. })));
    let place = writer.desk.clone();
    drop((writer, subscription));
    let again = Journal::open(folder.path(), Timestamp::from_millis(0)).unwrap();
    assert_eq!((again.desk, again.notices), (place, Vec::new()));
}

#[test]
fn on_a_full_disk_an_answer_is_not_sent_and_can_be_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let (waiter, mut outcome) = oneshot::channel();
    writer.register_call(&asks(1, 0), waiter).unwrap();
    subscription.take().unwrap();
    let before = writer.desk.clone();
    writer.journal.limit_pages(1);
    // Free space within the file takes a few small events still.
    let error = loop {
        if let Err(error) = writer.act(&unusable()) {
            break error;
        }
    };
    assert!(is_full(&error), "{error}");
    while subscription.take().is_some() {}
    let noise = writer.desk.session(session()).unwrap().unusable_lines;
    let command = desks::answer(1, vec![questions::say(0, &"w".repeat(30_000))]);
    assert!(is_full(&writer.act(&command).unwrap_err()));
    assert_eq!(writer.desk.request(request(1)), before.request(request(1)));
    assert_eq!(writer.desk.session(session()).unwrap().unusable_lines, noise);
    assert_eq!(heard(&mut subscription), []);
    assert!(outcome.try_recv().is_err());

    writer.journal.limit_pages(100_000);
    writer.act(&command).unwrap();
    assert!(matches!(outcome.try_recv(), Ok(Outcome::Answered { .. })));
}

#[test]
fn an_idle_writer_stores_a_snapshot_once_many_events_are_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    let snapshots = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let count =
        || -> u64 { snapshots.query_row("SELECT count(*) FROM snapshot", [], |row| row.get(0)).unwrap() };
    while !writer.journal.is_snapshot_due() {
        writer.act(&unusable()).unwrap();
    }
    let (inputs, received) = mpsc::channel(1);
    let running = std::thread::spawn(move || writer.run(received, &waiting()));
    // Inputs that keep coming are not delayed by it.
    let began = Instant::now();
    while began.elapsed() < IDLE + IDLE / 4 {
        inputs.blocking_send(Input::LookAtClock).unwrap_or_else(|_| panic!("the writer listens"));
        std::thread::sleep(IDLE / 100);
        assert_eq!(count(), 0);
    }
    let until = Instant::now() + 10 * IDLE;
    while count() == 0 {
        assert!(Instant::now() < until, "no snapshot was written");
        std::thread::sleep(IDLE / 20);
    }
    drop(inputs);
    running.join().unwrap();
}

#[test]
fn transcript_entries_are_written_once_a_full_disk_has_space_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let say = |text: String| (session(), vec![EntryWrite::New(EntryBody::Agent { text })]);
    writer.journal.limit_pages(1);
    writer.write(vec![say("a".repeat(50_000))]);
    writer.write(vec![say("b".repeat(50_000))]);
    assert_eq!(heard(&mut subscription), []);
    assert_eq!(writer.reader.page(session(), None, 10).unwrap().entries, []);

    writer.journal.limit_pages(100_000);
    let (inputs, received) = mpsc::channel(1);
    let (reply, mut closed) = oneshot::channel();
    inputs.try_send(Input::Close { reply }).unwrap_or_else(|_| panic!("the writer listens"));
    writer.run(received, &waiting());
    assert_eq!(closed.try_recv(), Ok(()));
    assert_eq!(heard(&mut subscription).len(), 2);
    let again = Journal::open(folder.path(), Timestamp::from_millis(0)).unwrap();
    let page = again.journal.reader().unwrap().page(session(), None, 10).unwrap();
    let first_letters: Vec<_> = page
        .entries
        .iter()
        .map(|entry| match &entry.body {
            EntryBody::Agent { text } => (entry.n, text.chars().next(), text.len()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(first_letters, [(1, Some('a'), 50_000), (2, Some('b'), 50_000)]);
}

#[test]
fn case_63_a_session_can_be_deleted_on_a_full_disk_and_makes_room_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let other = desks::session(2);
    writer.act(&start(2)).unwrap();
    let say = |n: u32| EntryWrite::New(EntryBody::Agent { text: format!("{n} needle ").repeat(200) });
    writer.write(vec![(session(), (0..100).map(say).collect())]);
    writer.act(&end(1, SessionEnd::Stopped)).unwrap();
    while subscription.take().is_some() {}
    writer.journal.limit_pages(1);
    writer.write(vec![(other, (0..20).map(say).collect())]);
    let found = |writer: &Writer| {
        let hits = writer.reader.search("needle", 500, 0).unwrap().hits;
        (hits.len(), hits.iter().filter(|hit| hit.session == other).count())
    };
    assert_eq!((heard(&mut subscription), found(&writer)), (Vec::new(), (100, 0)));

    writer.act(&delete(1)).unwrap();
    // An entry in transit comes too late; the other session's entries fit now.
    writer.write(vec![(session(), vec![say(1)])]);
    assert_eq!(found(&writer), (20, 20));
    let place = writer.desk.clone();
    drop((writer, subscription));
    let again = Journal::open(folder.path(), Timestamp::from_millis(0)).unwrap();
    assert_eq!((again.desk, again.notices), (place, Vec::new()));
    assert_eq!(again.entries.into_iter().collect::<Vec<_>>(), [(other, 20)]);
}

fn draft(n: u128, revision: u64, words: &str) -> SaveDraft {
    let draft = Draft { words: words.to_owned(), ..Draft::default() };
    let page = CommandId::new(Uuid::from_u128(9));
    SaveDraft {
        revision: DraftRevision { page, n: revision },
        of: DraftTarget::Request { id: request(n), draft },
    }
}

/// Lets the writer handle queued inputs, then closes it.
fn run_all(writer: Writer, inputs: Vec<Input>) {
    let (queue, received) = mpsc::channel(QUEUED_INPUTS);
    let (reply, mut closed) = oneshot::channel();
    for input in inputs.into_iter().chain([Input::Close { reply }]) {
        queue.try_send(input).unwrap_or_else(|_| panic!("the writer listens"));
    }
    writer.run(received, &waiting());
    assert_eq!(closed.try_recv(), Ok(()));
}

/// What happens to a draft if its request is answered after it and `between` other inputs.
fn saved_before_the_answer(between: usize) -> (Result<(), String>, Vec<DraftTarget>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    let mut outcomes = Vec::new();
    for n in 1..=2 {
        let (waiter, outcome) = oneshot::channel();
        writer.register_call(&asks(n, 0), waiter).unwrap();
        outcomes.push(outcome);
    }
    let (reply, mut first) = oneshot::channel();
    let (other, mut second) = oneshot::channel();
    let (answered, mut answer_taken) = oneshot::channel();
    let mut inputs = vec![
        Input::SaveDraft { save: draft(1, 1, "goes"), reply },
        Input::SaveDraft { save: draft(2, 2, "stays"), reply: other },
    ];
    inputs.extend((0..between).map(|_| Input::LiveCleared { session: session() }));
    inputs.push(Input::Act { command: answer(1), reply: answered });
    run_all(writer, inputs);
    assert!(answer_taken.try_recv().unwrap().is_ok() && second.try_recv().unwrap().is_ok());
    let again = Journal::open(folder.path(), Timestamp::from_millis(0)).unwrap();
    let left = again.journal.reader().unwrap().drafts().unwrap();
    (first.try_recv().unwrap().map_err(|error| error.to_string()), left)
}

#[test]
fn an_answer_is_handled_before_queued_drafts_and_its_own_draft_is_not_stored() {
    let (saved, left) = saved_before_the_answer(0);
    assert_eq!((saved, left), (Err("it has already ended".to_owned()), vec![draft(2, 2, "stays").of]));
}

#[test]
fn drafts_are_written_after_a_bounded_number_of_other_inputs() {
    let (saved, left) = saved_before_the_answer(200);
    assert_eq!((saved, left), (Ok(()), vec![draft(2, 2, "stays").of]));
}

#[test]
fn on_a_full_disk_a_draft_is_refused_and_the_same_save_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    let (waiter, _outcome) = oneshot::channel();
    writer.register_call(&asks(1, 0), waiter).unwrap();
    let save = |writer: &mut Writer, save: SaveDraft| {
        let (reply, mut saved) = oneshot::channel();
        writer.drafts.queue(save, reply);
        writer.write_drafts();
        saved.try_recv().unwrap()
    };
    save(&mut writer, draft(1, 1, "short")).unwrap();
    writer.journal.limit_pages(1);
    let long = draft(1, 2, &"long ".repeat(20_000));
    assert!(is_full(&save(&mut writer, long.clone()).unwrap_err()));
    assert_eq!(writer.reader.drafts().unwrap(), [draft(1, 1, "short").of]);
    writer.journal.limit_pages(100_000);
    save(&mut writer, long.clone()).unwrap();
    assert_eq!(writer.reader.drafts().unwrap(), [long.of]);
}

#[test]
fn an_answer_reaches_a_session_with_too_many_inputs_and_fails_once_the_session_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    let (waiter, _outcome) = oneshot::channel();
    writer.register_call(&asks(1, 0), waiter).unwrap();
    writer.act(&answer(1)).unwrap();
    let (inputs, _full) = mpsc::channel(1);
    inputs.try_send(SessionInput::SendParked).unwrap();
    let (resolutions, mut resolved) = mpsc::unbounded_channel();
    writer.sessions.insert(session(), SessionMailbox { inputs, resolutions });
    let retry = |writer: &mut Writer| {
        writer.act(&note(1, failed())).unwrap();
        writer.act(&desks::retry(1)).unwrap();
        writer.desk.request(request(1)).unwrap().ended().unwrap().delivery.clone()
    };
    assert_eq!(retry(&mut writer), Some(Delivery::Pending));
    assert!(matches!(resolved.try_recv(), Ok(Resolution::Outcome(_))));
    drop(resolved);
    assert_eq!(retry(&mut writer), Some(Delivery::Failed { error: DeliveryError::NotRunning }));
}

#[test]
fn case_34_an_outcome_goes_once_to_each_call_of_the_agent_and_to_each_waiter() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    let (inputs, _taken) = mpsc::channel(1);
    let (resolutions, mut resolved) = mpsc::unbounded_channel();
    writer.sessions.insert(session(), SessionMailbox { inputs, resolutions });
    let same = |n| Command::from(RequestCommand::Ask(Ask { asked_by: None, ..ask(n, 0) }));
    let (waiter, mut outcome) = oneshot::channel();
    writer.register_call(&same(1), waiter).unwrap();
    let calls = [2, 3].map(|n| (writer.act(&same(n)).unwrap().request, ask(n, 0).native_ref));
    writer.act(&answer(1)).unwrap();
    for (place, (joined, native_ref)) in calls.into_iter().enumerate() {
        let Ok(Resolution::Outcome(end)) = resolved.try_recv() else { panic!("call {place} gets nothing") };
        assert_eq!((Some(end.request), end.call, end.first), (joined, native_ref, place == 0));
    }
    assert!(resolved.try_recv().is_err() && matches!(outcome.try_recv(), Ok(Outcome::Answered { .. })));
}

/// Commits what the writer tries again, as its clock would.
fn try_until_stored(writer: &mut Writer) {
    writer.journal.limit_pages(100_000);
    writer.try_again();
    assert!(writer.unstored.is_empty() && writer.unstored.due().is_none());
}

fn outages(subscription: &mut Subscription) -> Vec<Option<StorageOutage>> {
    let mut outages = Vec::new();
    while let Some(Frame::Delta(delta)) = subscription.take() {
        outages.extend(delta.changes.iter().filter_map(|change| match change {
            Change::Outage { outage } => Some(outage.clone()),
            _ => None,
        }));
    }
    outages
}

fn say(text: &str) -> (SessionId, Vec<EntryWrite>) {
    (session(), vec![EntryWrite::New(EntryBody::Agent { text: text.to_owned() })])
}

#[test]
fn case_132_what_a_full_disk_refuses_is_stored_in_order_once_it_has_room() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    writer.record(working(1, true)).unwrap();
    while subscription.take().is_some() {}
    writer.journal.limit_pages(1);
    for n in 0..400 {
        writer.write(vec![say(&format!("{n} {}", "x".repeat(5_000)))]);
    }
    writer.record(working(1, false)).unwrap();
    writer.write(vec![say("after the turn")]);
    writer.record(end(1, SessionEnd::Finished)).unwrap();
    assert!(writer.desk.session(session()).unwrap().is_running(), "nothing is folded that isn't stored");
    let (waiter, _outcome) = oneshot::channel();
    assert!(is_full(&writer.register_call(&asks(1, 0), waiter).unwrap_err()), "nothing overtakes what waits");
    let known = outages(&mut subscription);
    assert!(matches!(&known[0], Some(StorageOutage { error: StorageError::Full { .. }, .. })), "{known:?}");
    let stored = writer.reader.page(session(), None, 500).unwrap().entries.len() as u64;
    let waits =
        |known: &[Option<StorageOutage>]| known.last().cloned().flatten().map(|it| (it.entries, it.lost));
    assert_eq!(waits(&known), Some((401 - stored, 0)));

    try_until_stored(&mut writer);
    let entries = writer.reader.page(session(), None, 500).unwrap().entries;
    let texts: Vec<_> = entries
        .iter()
        .map(|entry| match &entry.body {
            EntryBody::Agent { text } => text.split(' ').next().unwrap().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected: Vec<_> = (0..400).map(|n| n.to_string()).chain(["after".to_owned()]).collect();
    assert_eq!(texts, expected);
    assert_eq!(entries.iter().map(|entry| entry.n).collect::<Vec<_>>(), (1..=401).collect::<Vec<_>>());
    assert!(!writer.desk.session(session()).unwrap().is_running());
    assert_eq!(outages(&mut subscription).last(), Some(&None));
    let place = writer.desk.clone();
    drop((writer, subscription));
    let again = Journal::open(folder.path(), Timestamp::from_millis(0)).unwrap();
    assert_eq!((again.desk, again.notices), (place, Vec::new()));
}

#[test]
fn case_132_what_waits_is_bounded_and_the_transcript_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    writer.journal.limit_pages(1);
    let mebibyte = "m".repeat(1024 * 1024);
    for _ in 0..40 {
        writer.write(vec![say(&mebibyte)]);
    }
    writer.try_again();
    let last = outages(&mut subscription).pop().flatten().unwrap();
    assert_eq!(last.entries + last.lost, 40);
    assert!((5..10).contains(&last.lost), "{}", last.lost);
    try_until_stored(&mut writer);
    writer.write(vec![say("again")]);
    let entries = writer.reader.page(session(), None, 500).unwrap().entries;
    let marks: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.body {
            EntryBody::Notice { notice: Notice::EntriesLost { count } } => Some((entry.n, *count)),
            _ => None,
        })
        .collect();
    assert_eq!(marks, [(last.entries + 1, last.lost)]);
    assert_eq!(entries.len() as u64, last.entries + 2);
}

#[test]
fn case_132_a_command_of_the_user_is_refused_until_the_disk_accepts_something() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let (waiter, mut outcome) = oneshot::channel();
    writer.register_call(&asks(1, 0), waiter).unwrap();
    writer.journal.limit_pages(1);
    while writer.unstored.due().is_none() {
        let text = EntryBody::User { text: "p".repeat(3_000), attachments: Vec::new() };
        let _ = writer.write_now(session(), text);
    }
    let stored = writer.reader.page(session(), None, 500).unwrap().entries;
    assert!(is_full(&writer.act(&answer(1)).unwrap_err()));
    assert!(writer.write_now(session(), EntryBody::Agent { text: "no".to_owned() }).is_err());
    assert!(outcome.try_recv().is_err());
    assert_eq!(writer.reader.page(session(), None, 500).unwrap().entries, stored);
    try_until_stored(&mut writer);
    assert_eq!(outages(&mut subscription).last(), Some(&None));
    writer.act(&answer(1)).unwrap();
    assert!(matches!(outcome.try_recv(), Ok(Outcome::Answered { .. })));
    writer.write_now(session(), EntryBody::Agent { text: "yes".to_owned() }).unwrap();
    let newest = writer.reader.page(session(), None, 1).unwrap().entries.pop().unwrap().n;
    assert_eq!(newest, stored.last().unwrap().n + 1, "what was refused has taken no number");
}

/// What a session or its agent does, and what the disk does meanwhile.
#[derive(Clone, Debug)]
enum Step {
    Say(u8),
    Work(bool),
    Unusable,
    Refuse,
    Accept,
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => any::<u8>().prop_map(Step::Say),
        2 => any::<bool>().prop_map(Step::Work),
        1 => Just(Step::Unusable),
        2 => Just(Step::Refuse),
        1 => Just(Step::Accept),
        2 => Just(Step::Wait),
    ];
    proptest::collection::vec(step, 1..60)
}

/// What remains of some steps: the desk, and each entry with its number.
fn played(steps: &[Step], with_faults: bool) -> (Desk, Vec<(u64, EntryBody)>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _subscription) = writer(folder.path());
    for step in steps {
        match step {
            Step::Say(length) => writer.write(vec![say(&"s".repeat(usize::from(*length) * 40 + 1))]),
            Step::Work(working) => {
                let _ = writer.record(desks::working(1, *working));
            }
            Step::Unusable => {
                let _ = writer.record(unusable());
            }
            Step::Refuse if with_faults => writer.journal.limit_pages(1),
            Step::Accept if with_faults => writer.journal.limit_pages(100_000),
            Step::Wait => writer.try_again(),
            Step::Refuse | Step::Accept => {}
        }
    }
    try_until_stored(&mut writer);
    let entries = writer.reader.page(session(), None, 500).unwrap().entries;
    (writer.desk.clone(), entries.into_iter().map(|entry| (entry.n, entry.body)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn case_132_faults_that_pass_leave_no_trace(steps in steps()) {
        prop_assert_eq!(played(&steps, true), played(&steps, false));
    }
}

#[test]
fn a_finished_turn_is_published_until_the_session_works_again_or_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, mut subscription) = writer(folder.path());
    let finished = |subscription: &mut Subscription| {
        let turns = heard(subscription).into_iter().filter_map(|change| match change {
            Change::Finished { session: of, turn } => Some((of == session(), turn.is_some())),
            _ => None,
        });
        turns.collect::<Vec<_>>()
    };
    let note = SessionCommand::NoteFinished { session: session() };
    for command in [desks::working(1, true), desks::working(1, false), note.into()] {
        writer.act(&command).unwrap();
    }
    assert_eq!(finished(&mut subscription), [(true, true)]);
    assert_eq!(writer.hub.snapshot(&writer.desk).finished.len(), 1);
    writer.act(&desks::working(1, true)).unwrap();
    writer.act(&desks::working(1, true)).unwrap();
    assert_eq!(finished(&mut subscription), [(true, false)], "it works already");
    writer.act(&desks::working(1, false)).unwrap();
    let note = SessionCommand::NoteFinished { session: session() };
    for command in [note.into(), desks::end(1, SessionEnd::Finished), desks::close(1)] {
        writer.act(&command).unwrap();
    }
    assert_eq!(writer.hub.snapshot(&writer.desk).finished, []);
}
