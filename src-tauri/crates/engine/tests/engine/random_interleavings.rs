//! What holds whatever the order of commands, readers and restarts, on a real journal.

use std::collections::HashMap;
use std::path::Path;

use crate::support::desk::{TestDesk, allow, ask};
use crate::support::desks::{
    answer, ask_approval, at, cancel, close, decide_approval, decline, delivered, delivered_late, dismiss,
    end, failed, move_before, note, note_call, reply_in_chat, request, resume, retry, send_parked,
    sending_to, start, withdraw, working,
};
use crate::support::mirror::Mirror;
use crate::support::questions::choose;
use askdesk_contract::frame::Snapshot;
use askdesk_domain::{
    Ask, Command, Desk, EndInput, NativeRef, Outcome, Request, RequestCommand, RequestId, SessionEnd,
    SessionId, UndoSeconds, WithdrawnWhy,
};
use askdesk_engine::{Journal, Subscription};
use proptest::prelude::*;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

const SESSIONS: u128 = 3;
const REQUESTS: u128 = 6;

#[derive(Clone, Debug)]
enum Step {
    Act(Box<Command>),
    Ask {
        of: u128,
        n: u128,
    },
    Hold {
        n: u128,
        place: usize,
    },
    Undo {
        n: u128,
    },
    /// The undo window of held answers ends.
    EndUndoWindow,
    /// A reader joins, as a reloaded window does.
    Join,
    /// A reader takes some frames.
    Read {
        reader: usize,
        frames: usize,
    },
    /// A reader goes away.
    Leave {
        reader: usize,
    },
    /// The app closes and is started again.
    Restart,
}

fn some_command() -> impl Strategy<Value = Command> {
    let delivery = prop_oneof![Just(delivered()), Just(delivered_late()), Just(failed()),];
    prop_oneof![
        3 => (0..SESSIONS).prop_map(start),
        5 => (0..REQUESTS, 0..3_usize).prop_map(|(n, place)| answer(n, vec![choose(0, &[place])])),
        1 => (0..REQUESTS).prop_map(|n| decline(n, None)),
        1 => (0..REQUESTS).prop_map(|n| cancel(n, None)),
        1 => (0..SESSIONS).prop_map(|of| reply_in_chat(of, "hello")),
        2 => (0..SESSIONS, 0..REQUESTS).prop_map(|(of, n)| withdraw(of, n, WithdrawnWhy::ByAgent)),
        2 => (0..REQUESTS, delivery.clone()).prop_map(|(n, delivery)| note(n, delivery)),
        4 => (0..REQUESTS, 0..REQUESTS, delivery)
            .prop_map(|(n, call, delivery)| note_call(n, call, delivery)),
        2 => (0..REQUESTS).prop_map(retry),
        1 => (0..SESSIONS).prop_map(|of| end(of, SessionEnd::Stopped)),
        2 => (0..SESSIONS).prop_map(resume),
        2 => (0..SESSIONS).prop_map(send_parked),
        4 => (0..REQUESTS, 0..REQUESTS).prop_map(|(n, call)| sending_to(n, call)),
        1 => (0..REQUESTS).prop_map(dismiss),
        1 => (0..SESSIONS).prop_map(close),
        1 => (0..SESSIONS, prop::option::of(0..SESSIONS)).prop_map(|(of, before)| move_before(of, before)),
        1 => (0..SESSIONS, any::<bool>()).prop_map(|(of, is_working)| working(of, is_working)),
        2 => (0..SESSIONS, 0..3_u128).prop_map(|(of, n)| ask_approval(of, n)),
        2 => (0..3_u128).prop_map(|n| decide_approval(n, allow())),
    ]
}

fn some_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => some_command().prop_map(|command| Step::Act(Box::new(command))),
        6 => (0..SESSIONS, 0..REQUESTS).prop_map(|(of, n)| Step::Ask { of, n }),
        4 => (0..REQUESTS, 0..3_usize).prop_map(|(n, place)| Step::Hold { n, place }),
        2 => (0..REQUESTS).prop_map(|n| Step::Undo { n }),
        2 => Just(Step::EndUndoWindow),
        3 => Just(Step::Join),
        4 => (0_usize..4, 1_usize..6).prop_map(|(reader, frames)| Step::Read { reader, frames }),
        1 => (0_usize..4).prop_map(|reader| Step::Leave { reader }),
        1 => Just(Step::Restart),
    ]
}

/// Everything of one run of the app.
struct Run {
    desk: TestDesk,
    readers: Vec<(Subscription, Mirror)>,
    waiters: HashMap<RequestId, Vec<(NativeRef, oneshot::Receiver<Outcome>)>>,
}

impl Run {
    async fn open(folder: &Path) -> Self {
        Self { desk: TestDesk::open_at(folder).await, readers: Vec::new(), waiters: HashMap::new() }
    }

    async fn join(&mut self) {
        let mut subscription = self.desk.engine.subscribe().await.unwrap();
        let first = subscription.take().unwrap();
        self.readers.push((subscription, Mirror::begin(first)));
    }

    fn read(&mut self, reader: usize, frames: usize) {
        let Some((subscription, mirror)) = self.readers.get_mut(reader) else { return };
        for _ in 0..frames {
            let Some(frame) = subscription.take() else { return };
            mirror.take(&frame);
        }
    }

    /// Checks that every reader reaches the current state, and that every waiter has received the outcome once.
    async fn check(&mut self) -> Snapshot {
        let now = self.desk.snapshot().await;
        self.desk.check_mirror().await;
        for reader in 0..self.readers.len() {
            self.read(reader, usize::MAX);
            self.readers[reader].1.check(&now);
        }
        for held in &now.held {
            let open = now.requests.iter().any(|request| request.id == held.request && request.is_open());
            assert!(open, "{held:?} belongs to no open request");
        }
        for (id, waiters) in std::mem::take(&mut self.waiters) {
            // The requests of a closed session are not in the snapshot; they have ended.
            let request = now.requests.iter().find(|request| request.id == id);
            for (_, mut waiter) in waiters {
                let heard = waiter.try_recv();
                match request.map(|request| request.ended()) {
                    Some(None) => assert_eq!(heard, Err(TryRecvError::Empty)),
                    Some(Some(ended)) if heard.as_ref() == Ok(&ended.outcome) => {}
                    None => assert!(heard.is_ok(), "{id:?}: {heard:?}"),
                    // A late answer is sent as a message, never to the call.
                    _ => assert!(matches!(heard, Ok(Outcome::Orphaned { .. })), "{request:?}: {heard:?}"),
                }
            }
        }
        now
    }

    /// The waiter of a withdrawn call is dropped while other calls still wait for the request.
    async fn check_dropped(&mut self, of: SessionId, native_ref: &NativeRef) {
        let open = self.desk.snapshot().await.requests.into_iter().filter(Request::is_open);
        for request in open.filter(|request| request.session == of) {
            self.waiters.entry(request.id).or_default().retain_mut(|(call, waiter)| {
                let left = call == native_ref;
                assert!(!left || waiter.try_recv() == Err(TryRecvError::Closed), "{call:?}");
                !left
            });
        }
    }

    /// Closes, and checks that the journal folds to the same state.
    async fn close(mut self, folder: &Path) {
        let now = self.check().await;
        self.desk.engine.close().await.unwrap();
        let replayed = Journal::open(folder, at(40)).unwrap().desk;
        assert_eq!(Memory::of(&replayed), Memory::said_by(now));
    }
}

/// The visible state of a desk.
#[derive(Debug, PartialEq)]
struct Memory {
    sessions: Vec<askdesk_domain::Session>,
    requests: Vec<askdesk_domain::Request>,
    approvals: Vec<askdesk_domain::Approval>,
}

impl Memory {
    /// Everything except closed sessions.
    fn of(desk: &Desk) -> Self {
        let seen = |session| !desk.is_closed(session);
        Self {
            sessions: desk.sessions().filter(|it| seen(it.id)).cloned().collect(),
            requests: desk.requests().filter(|it| seen(it.session)).cloned().collect(),
            approvals: desk.approvals().filter(|it| seen(it.session)).cloned().collect(),
        }
    }

    fn said_by(snapshot: Snapshot) -> Self {
        let Snapshot { sessions, requests, approvals, .. } = snapshot;
        Self { sessions, requests, approvals }
    }
}

/// Every other request is a lone single-choice question. Requests of one kind ask the same.
fn some_ask(of: u128, n: u128) -> Ask {
    let all = ask(of, n);
    let count = if n.is_multiple_of(2) { 1 } else { all.questions.len() };
    Ask { questions: all.questions[..count].to_vec(), asked_by: None, ..all }
}

async fn play(steps: Vec<Step>) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::open(folder.path()).await;
    for step in steps {
        match step {
            // A rejected command changes nothing, which the comparison at the end shows.
            Step::Act(command) => {
                let command = *command;
                let acted = run.desk.engine.act(command.clone()).await;
                if let (Ok(_), Command::Request(RequestCommand::Withdraw { session, native_ref, .. })) =
                    (acted, command)
                {
                    run.check_dropped(session, &native_ref).await;
                }
            }
            Step::Ask { of, n } => {
                let (waiter, outcome) = oneshot::channel();
                let ask = some_ask(of, n);
                let call = ask.native_ref.clone();
                if let Ok(id) = run.desk.engine.register(RequestCommand::Ask(ask), waiter).await {
                    // A waiter for an ended request has the outcome at once.
                    let open = run.desk.request(id).await.is_open();
                    if open {
                        run.waiters.entry(id).or_default().push((call, outcome));
                    }
                }
            }
            Step::Hold { n, place } => {
                let answers = vec![choose(0, &[place])];
                drop(
                    run.desk
                        .engine
                        .hold_end(request(n), EndInput::Answered { answers }, UndoSeconds::default())
                        .await,
                );
            }
            Step::Undo { n } => drop(run.desk.engine.undo_end(request(n)).await),
            Step::EndUndoWindow => {
                run.desk.clock.advance(UndoSeconds::default().millis());
                let due = run.desk.snapshot().await.held.len();
                for _ in 0..4 * (due + 1) {
                    tokio::task::yield_now().await;
                    run.desk.snapshot().await;
                }
                assert_eq!(run.desk.snapshot().await.held, [], "due answers were given");
            }
            Step::Join => run.join().await,
            Step::Read { reader, frames } => run.read(reader, frames),
            Step::Leave { reader } if reader < run.readers.len() => drop(run.readers.remove(reader)),
            Step::Leave { .. } => {}
            Step::Restart => {
                run.close(folder.path()).await;
                run = Run::open(folder.path()).await;
            }
        }
    }
    run.close(folder.path()).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn readers_waiters_and_the_journal_agree_after_any_steps(
        steps in prop::collection::vec(some_step(), 1..70),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(steps));
    }
}

/// Writers, readers that join and leave at any moment, and a slow one, all at once on several threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_that_reload_during_many_writes_reach_the_current_state() {
    let desk = TestDesk::open().await;
    for n in 0..4 {
        desk.start(n).await;
    }
    let engine = &desk.engine;
    let writers = (0..4_u128).map(|of| async move {
        for n in 0..40 {
            let n = of * 1_000 + n;
            let (waiter, outcome) = oneshot::channel();
            engine.register(RequestCommand::Ask(ask(of, n)), waiter).await.unwrap();
            engine.answer(request(n), vec![choose(0, &[1])]).await.unwrap();
            outcome.await.unwrap();
        }
    });
    let readers = (1..=6_usize).map(|patience| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let mut last = None;
            for _ in 0..12 {
                let mut subscription = engine.subscribe().await.unwrap();
                let mut mirror = Mirror::begin(subscription.next().await.unwrap());
                for _ in 0..patience * 4 {
                    match tokio::time::timeout(std::time::Duration::from_millis(20), subscription.next())
                        .await
                    {
                        Ok(Some(frame)) => mirror.take(&frame),
                        Ok(None) => panic!("the engine ended"),
                        Err(_) => break,
                    }
                }
                last = Some((subscription, mirror));
            }
            last.unwrap()
        })
    });
    let readers: Vec<_> = readers.collect();
    futures_util::future::join_all(writers).await;
    let mut ends = Vec::new();
    for reader in readers {
        ends.push(reader.await.unwrap());
    }
    let now = desk.snapshot().await;
    assert_eq!(now.requests.len(), 160);
    for (mut subscription, mut mirror) in ends {
        while let Some(frame) = subscription.take() {
            mirror.take(&frame);
        }
        mirror.check(&now);
    }
}
