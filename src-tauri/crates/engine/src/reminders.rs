//! Open questions that have waited for as long as the person set are told of once more, by the engine's clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use askdesk_domain::{ReminderMinutes, Request, RequestId, Session, Settings, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::clock::Source;
use crate::handle::EngineHandle;
use crate::writer::Attention;

/// How many notices wait to be taken before further ones wait for them.
const QUEUED: usize = 64;

/// How long the clock is trusted while a question waits: a timer stands still while a machine sleeps.
const LOOK_AGAIN_MILLIS: i64 = 60_000;

/// Passes on what the person should be told, and adds [`Attention::StillWaits`] once for each question that stays open
/// as long as is set.
pub fn with_reminders(
    engine: &EngineHandle,
    settings: watch::Receiver<Settings>,
    attention: mpsc::Receiver<Attention>,
) -> (mpsc::Receiver<Attention>, impl Future<Output = ()> + Send + 'static) {
    let (tell, told) = mpsc::channel(QUEUED);
    let source = engine.shared_source();
    (told, remind(source, settings, attention, tell))
}

/// A question that was not told of once more.
struct Open {
    request: Request,
    session: Session,
}

async fn remind(
    source: Arc<dyn Source>,
    mut settings: watch::Receiver<Settings>,
    mut attention: mpsc::Receiver<Attention>,
    tell: mpsc::Sender<Attention>,
) {
    let mut open: BTreeMap<RequestId, Open> = BTreeMap::new();
    loop {
        let minutes = settings.borrow_and_update().remind_minutes;
        let next = open.values().filter_map(|open| minutes.due(open.request.asked_at)).min();
        let reminders = tokio::select! {
            heard = attention.recv() => {
                let Some(heard) = heard else { return };
                match &heard {
                    Attention::Asked { request, session } => {
                        open.insert(request.id, Open { request: request.clone(), session: session.clone() });
                    }
                    Attention::Ended { request } => drop(open.remove(request)),
                    Attention::NotGiven { .. }
                    | Attention::StillWaits { .. }
                    | Attention::ApprovalAsked { .. }
                    | Attention::ApprovalEnded { .. }
                    | Attention::Finished { .. }
                    | Attention::FinishedNoMore { .. } => {}
                }
                vec![heard]
            }
            changed = settings.changed() => match changed {
                Ok(()) => Vec::new(),
                Err(_) => return,
            },
            () = wait(&*source, next) => due(&mut open, minutes, source.now()),
        };
        for attention in reminders {
            if tell.send(attention).await.is_err() {
                return;
            }
        }
    }
}

async fn wait(source: &dyn Source, next: Option<Timestamp>) {
    let Some(next) = next else { return std::future::pending().await };
    let soon = Timestamp::from_millis(source.now().millis().saturating_add(LOOK_AGAIN_MILLIS));
    source.wait_until(next.min(soon)).await;
}

fn due(open: &mut BTreeMap<RequestId, Open>, minutes: ReminderMinutes, now: Timestamp) -> Vec<Attention> {
    let is_due = |open: &Open| minutes.due(open.request.asked_at).is_some_and(|due| due <= now);
    let due: Vec<RequestId> = open.iter().filter(|(_, open)| is_due(open)).map(|(id, _)| *id).collect();
    let due = due.into_iter().filter_map(|id| open.remove(&id));
    due.map(|Open { request, session }| Attention::StillWaits { request, session }).collect()
}
