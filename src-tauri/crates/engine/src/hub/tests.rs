//! Snapshots and deltas under any interleaving of changes and readers.

#[allow(dead_code, reason = "the rest is for the integration tests")]
#[path = "../../tests/engine/support/mirror.rs"]
mod mirror;

use askdesk_contract::frame;
use askdesk_contract::frame::LiveKind;
use askdesk_domain::{Command, QuestionKind, decide};
use proptest::prelude::*;

use super::*;
use crate::desks::{ask, decline, session, start};
use crate::questions::{asked, draft};
use mirror::Mirror;

const SESSIONS: u128 = 3;

fn asks(of: u128, n: u128) -> Command {
    ask(of, n, asked(&[draft(QuestionKind::Text, "Which?", &[])]))
}

/// A desk with its hub, and readers at any place.
struct Stage {
    desk: Desk,
    hub: Hub,
    readers: Vec<(Subscription, Mirror)>,
}

impl Stage {
    fn new() -> Self {
        Self {
            desk: Desk::default(),
            hub: Hub::new("epoch".to_owned(), Vec::new(), Vec::new()),
            readers: Vec::new(),
        }
    }

    fn act(&mut self, command: &Command) {
        let Ok(decision) = decide(&self.desk, command) else { return };
        for event in &decision.events {
            self.desk.fold(event);
        }
        if decision.events.is_empty() {
            return;
        }
        let sessions = self.desk.sessions().map(|session| Change::Session { session: session.clone() });
        let requests = self.desk.requests().map(|request| Change::Request { request: request.clone() });
        let changes = sessions.chain(requests).collect();
        self.hub.publish(&self.desk, changes);
    }

    fn live(&mut self, of: u128, kind: LiveKind, text: &str) {
        let added = LiveText { session: session(of), kind, text: text.to_owned() };
        self.hub.publish(&self.desk, vec![Change::LiveText { added }]);
    }

    /// Publishes a session again and again, as it is.
    fn renew(&mut self, of: u128, times: usize) {
        let Some(session) = self.desk.session(session(of)).cloned() else { return };
        for _ in 0..times {
            self.hub.publish(&self.desk, vec![Change::Session { session: session.clone() }]);
        }
    }

    fn join(&mut self) {
        let mut subscription = self.hub.subscribe(&self.desk);
        let first = subscription.take().unwrap();
        self.readers.push((subscription, Mirror::begin(first)));
    }

    /// How many frames wait for the first reader.
    fn queued(&self) -> usize {
        self.readers[0].0.queue.frames().len()
    }

    fn read(&mut self, reader: usize, frames: usize) {
        let Some((subscription, mirror)) = self.readers.get_mut(reader) else { return };
        for _ in 0..frames {
            let Some(frame) = subscription.take() else { return };
            mirror.take(&frame);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Act(Box<Command>),
    Live(u128, LiveKind),
    Clear(u128),
    Burst(u128),
    Renew(u128),
    Join,
    Read { reader: usize, frames: usize },
    Leave(usize),
}

fn some_step() -> impl Strategy<Value = Step> {
    let command = prop_oneof![
        (0..SESSIONS).prop_map(start),
        (0..SESSIONS, 0_u128..6).prop_map(|(of, n)| asks(of, n)),
        (0_u128..6).prop_map(|n| decline(n, None)),
    ];
    let kind = prop_oneof![Just(LiveKind::Text), Just(LiveKind::Thinking)];
    prop_oneof![
        6 => command.prop_map(|command| Step::Act(Box::new(command))),
        4 => (0..SESSIONS, kind).prop_map(|(of, kind)| Step::Live(of, kind)),
        2 => (0..SESSIONS).prop_map(Step::Clear),
        1 => (0..SESSIONS).prop_map(Step::Burst),
        1 => (0..SESSIONS).prop_map(Step::Renew),
        3 => Just(Step::Join),
        6 => (0_usize..4, 1_usize..800).prop_map(|(reader, frames)| Step::Read { reader, frames }),
        1 => (0_usize..4).prop_map(Step::Leave),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_subscriber_reaches_the_current_state(
        steps in prop::collection::vec(some_step(), 1..60),
    ) {
        let mut stage = Stage::new();
        for step in steps {
            match step {
                Step::Act(command) => stage.act(&command),
                Step::Live(of, kind) => stage.live(of, kind, "word "),
                Step::Clear(of) => {
                    stage.hub.publish(&stage.desk, vec![Change::LiveCleared { session: session(of) }]);
                }
                Step::Burst(of) => (0..700).for_each(|_| stage.live(of, LiveKind::Text, ".")),
                Step::Renew(of) => stage.renew(of, 1_500),
                Step::Join => stage.join(),
                Step::Read { reader, frames } => stage.read(reader, frames),
                Step::Leave(reader) if reader < stage.readers.len() => drop(stage.readers.remove(reader)),
                Step::Leave(_) => {}
            }
        }
        let now = stage.hub.snapshot(&stage.desk);
        for reader in 0..stage.readers.len() {
            stage.read(reader, usize::MAX);
            stage.readers[reader].1.check(&now);
        }
    }
}

#[test]
fn a_slow_subscriber_gets_live_text_in_one_piece() {
    let mut stage = Stage::new();
    stage.act(&start(0));
    stage.join();
    (0..QUEUED_FRAMES).for_each(|_| stage.live(0, LiveKind::Text, "a"));
    assert_eq!(stage.queued(), QUEUED_FRAMES);
    stage.live(0, LiveKind::Text, "b");
    assert_eq!(stage.queued(), 2);
    (0..10 * QUEUED_FRAMES).for_each(|_| stage.live(0, LiveKind::Text, "c"));
    assert!(stage.queued() <= QUEUED_FRAMES);
    stage.read(0, usize::MAX);
    stage.readers[0].1.check(&stage.hub.snapshot(&stage.desk));
    assert_eq!(stage.readers[0].1.renewed, 0);
}

#[test]
fn a_slow_subscriber_gets_one_snapshot_instead_of_too_many_changes() {
    let mut stage = Stage::new();
    stage.act(&start(0));
    stage.join();
    stage.renew(0, QUEUED_CHANGES + 2 * QUEUED_FRAMES);
    stage.live(0, LiveKind::Text, "c");
    stage.read(0, usize::MAX);
    stage.readers[0].1.check(&stage.hub.snapshot(&stage.desk));
    assert_eq!(stage.readers[0].1.renewed, 1);
}

#[test]
fn queued_live_text_is_bounded() {
    let mut stage = Stage::new();
    stage.act(&start(0));
    stage.join();
    let piece = "a".repeat(QUEUED_TEXT_BYTES / QUEUED_FRAMES + 1);
    (0..3 * QUEUED_FRAMES).for_each(|_| stage.live(0, LiveKind::Text, &piece));
    assert!(stage.queued() <= QUEUED_FRAMES);
    stage.read(0, usize::MAX);
    assert!(stage.readers[0].1.renewed > 0);
}

#[test]
fn a_dropped_subscription_is_removed() {
    let mut stage = Stage::new();
    stage.join();
    stage.join();
    stage.readers.remove(0);
    stage.act(&start(0));
    assert_eq!(stage.hub.subscribers.len(), 1);
}

#[test]
fn live_text_for_new_subscribers_is_bounded_and_cut_between_characters() {
    let mut stage = Stage::new();
    (0..5).for_each(|_| stage.live(0, LiveKind::Text, &"ä".repeat(LIVE_BYTES / 8)));
    let live = &stage.hub.snapshot(&stage.desk).live[0];
    assert!(live.text.len() <= LIVE_BYTES && live.text.chars().all(|c| c == 'ä'));
}

#[tokio::test]
async fn a_waiting_subscriber_is_woken_by_the_end_and_gets_all_earlier_frames() {
    let mut stage = Stage::new();
    stage.join();
    stage.act(&start(0));
    let (mut subscription, _) = stage.readers.remove(0);
    let reading = tokio::spawn(async move {
        let mut frames = 0;
        while subscription.next().await.is_some() {
            frames += 1;
        }
        frames
    });
    tokio::task::yield_now().await;
    drop(stage);
    assert_eq!(reading.await.unwrap(), 1);
}
