//! Merges deltas for a receiver that takes several at once.

use std::collections::HashMap;
use std::sync::Arc;

use askdesk_domain::SessionId;

use super::{Change, Delta, Frame, LiveText};

/// Merges consecutive deltas into one, and consecutive pieces of a text into one change.
///
/// Agents write in pieces of a few characters, and a receiver has to handle each piece it gets.
pub fn merge(frames: Vec<Frame>) -> Vec<Frame> {
    let mut merged: Vec<Frame> = Vec::new();
    let mut step = Merged::default();
    for frame in frames {
        match frame {
            Frame::Delta(delta) => {
                if !step.takes(&delta) {
                    merged.extend(std::mem::take(&mut step).finish());
                }
                step.add(&delta);
            }
            Frame::Snapshot(_) => {
                merged.extend(std::mem::take(&mut step).finish());
                merged.push(frame);
            }
        }
    }
    merged.extend(step.finish());
    merged
}

/// The merged delta so far.
#[derive(Default)]
struct Merged {
    delta: Option<Delta>,
    /// The index of the text change of each session that later pieces can extend.
    flowing: HashMap<SessionId, usize>,
}

impl Merged {
    fn takes(&self, next: &Delta) -> bool {
        self.delta.as_ref().is_some_and(|delta| delta.epoch == next.epoch && delta.seq == next.prev)
    }

    fn add(&mut self, next: &Delta) {
        let delta = self.delta.get_or_insert_with(|| Delta { changes: Vec::new(), ..next.clone() });
        delta.seq = next.seq;
        for change in &next.changes {
            let (session, added) = match change {
                Change::LiveText { added } => (added.session, Some(added)),
                Change::LiveCleared { session }
                | Change::Entry { session, .. }
                | Change::SessionClosed { session }
                | Change::SessionDeleted { session } => (*session, None),
                Change::Session { .. }
                | Change::Request { .. }
                | Change::Approval { .. }
                | Change::EndHeld { .. }
                | Change::FilesChanged { .. }
                | Change::CheckedOut { .. }
                | Change::HoldReleased { .. }
                | Change::Retry { .. }
                | Change::Context { .. }
                | Change::Finished { .. }
                | Change::Storage { .. }
                | Change::Outage { .. } => {
                    delta.changes.push(change.clone());
                    continue;
                }
            };
            let flowing = self.flowing.get(&session).and_then(|at| delta.changes.get_mut(*at));
            match (flowing, added) {
                (Some(Change::LiveText { added: before }), Some(added)) if before.kind == added.kind => {
                    let LiveText { text, .. } = before;
                    text.push_str(&added.text);
                }
                (_, Some(_)) => {
                    self.flowing.insert(session, delta.changes.len());
                    delta.changes.push(change.clone());
                }
                // Text written after this must not merge with text written before it.
                (_, None) => {
                    self.flowing.remove(&session);
                    delta.changes.push(change.clone());
                }
            }
        }
    }

    fn finish(self) -> Option<Frame> {
        self.delta.map(|delta| Frame::Delta(Arc::new(delta)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use askdesk_domain::{Entry, EntryBody, Timestamp};
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::frame::LiveKind;

    type Texts = Vec<(LiveKind, String)>;

    /// What a receiver knows about texts: all live texts, and each entry with the live text at its arrival.
    #[derive(Debug, Default, PartialEq)]
    struct Known {
        epoch: String,
        seq: u64,
        live: BTreeMap<SessionId, Texts>,
        entries: Vec<(SessionId, u64, Texts)>,
    }

    fn known(frames: &[Frame]) -> Known {
        let mut known = Known::default();
        for frame in frames {
            let Frame::Delta(delta) = frame else { panic!("only deltas here") };
            if known.epoch == delta.epoch {
                assert_eq!(delta.prev, known.seq, "a gap");
            }
            known.epoch.clone_from(&delta.epoch);
            known.seq = delta.seq;
            for change in &delta.changes {
                match change {
                    Change::LiveText { added } => {
                        let live = known.live.entry(added.session).or_default();
                        match live.last_mut() {
                            Some((kind, text)) if *kind == added.kind => text.push_str(&added.text),
                            _ => live.push((added.kind, added.text.clone())),
                        }
                    }
                    Change::LiveCleared { session } => {
                        known.live.remove(session);
                    }
                    Change::Entry { session, entry } => {
                        let live = known.live.get(session).cloned().unwrap_or_default();
                        known.entries.push((*session, entry.n, live));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        known
    }

    fn some_change() -> impl Strategy<Value = Change> {
        let session = (0..3_u128).prop_map(|n| SessionId::new(Uuid::from_u128(n)));
        let kind = prop_oneof![4 => Just(LiveKind::Text), 1 => Just(LiveKind::Thinking)];
        prop_oneof![
            8 => (session.clone(), kind, "[a-c]{1,3}").prop_map(|(session, kind, text)| Change::LiveText {
                added: LiveText { session, kind, text }
            }),
            1 => session.clone().prop_map(|session| Change::LiveCleared { session }),
            1 => (session, 0..9_u64).prop_map(|(session, n)| Change::Entry {
                session,
                entry: Entry { n, at: Timestamp::from_millis(0), body: EntryBody::Agent { text: "x".to_owned() } },
            }),
        ]
    }

    fn deltas(epoch: &str, steps: Vec<Vec<Change>>) -> Vec<Frame> {
        let numbered = (0_u64..).zip(steps);
        let delta = |(prev, changes)| Delta { epoch: epoch.to_owned(), prev, seq: prev + 1, changes };
        numbered.map(|step| Frame::Delta(Arc::new(delta(step)))).collect()
    }

    proptest! {
        #[test]
        fn merged_frames_lead_to_the_same_state(
            steps in prop::collection::vec(prop::collection::vec(some_change(), 1..4), 0..40),
        ) {
            let frames = deltas("e", steps);
            let merged = merge(frames.clone());
            prop_assert_eq!(known(&merged), known(&frames));
            prop_assert!(merged.len() <= 1);
        }
    }

    #[test]
    fn text_of_many_sessions_is_one_change_each() {
        let text = |n: u128, text: &str| Change::LiveText {
            added: LiveText {
                session: SessionId::new(Uuid::from_u128(n)),
                kind: LiveKind::Text,
                text: text.to_owned(),
            },
        };
        let frames = deltas("e", vec![vec![text(1, "a")], vec![text(2, "b")], vec![text(1, "c")]]);
        let merged = merge(frames);
        let Frame::Delta(delta) = &merged[0] else { panic!("{merged:?}") };
        assert_eq!(delta.changes, vec![text(1, "ac"), text(2, "b")]);
    }

    #[test]
    fn deltas_that_do_not_follow_each_other_stay_apart() {
        let step =
            |session: u128| vec![Change::LiveCleared { session: SessionId::new(Uuid::from_u128(session)) }];
        let mut frames = deltas("one", vec![step(1), step(2)]);
        frames.extend(deltas("two", vec![step(3)]));
        let merged = merge(frames);
        assert_eq!(merged.len(), 2);
        assert!(matches!(&merged[1], Frame::Delta(delta) if delta.epoch == "two"));
    }
}
