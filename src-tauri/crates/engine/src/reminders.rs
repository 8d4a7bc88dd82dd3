//! Reminders of questions that stay open for as long as the user set, measured by the engine's clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{ReminderMinutes, Request, RequestId, Session, Settings, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::clock::{Clock, ClockSteps, wait_or_look_again};
use crate::handle::EngineHandle;
use crate::mailbox::NotificationEvent;

/// How many events the receiver's queue holds before senders wait.
const QUEUED: usize = 64;

/// How long to wait before checking the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Forwards events, and adds one [`NotificationEvent::Reminder`] for each question that stays open for the set time.
pub fn with_reminders(
    engine: &EngineHandle,
    settings: watch::Receiver<Settings>,
    events: mpsc::Receiver<NotificationEvent>,
) -> (mpsc::Receiver<NotificationEvent>, impl Future<Output = ()> + Send + 'static) {
    let (forward, forwarded) = mpsc::channel(QUEUED);
    let clock = engine.shared_clock();
    (forwarded, remind(clock, settings, events, forward))
}

/// An open question that has had no reminder.
struct Open {
    request: Request,
    session: Session,
}

async fn remind(
    clock: Arc<dyn Clock>,
    mut settings: watch::Receiver<Settings>,
    mut events: mpsc::Receiver<NotificationEvent>,
    forward: mpsc::Sender<NotificationEvent>,
) {
    let mut open: BTreeMap<RequestId, Open> = BTreeMap::new();
    let mut steps = ClockSteps::new(&*clock);
    loop {
        let minutes = settings.borrow_and_update().remind_minutes;
        let next = open.values().filter_map(|open| minutes.due(open.request.asked_at)).min();
        let sent = tokio::select! {
            event = events.recv() => {
                let Some(event) = event else { return };
                follow_clock(&mut open, &mut steps, &*clock);
                match &event {
                    NotificationEvent::Asked { request, session } => {
                        open.insert(request.id, Open { request: request.clone(), session: session.clone() });
                    }
                    NotificationEvent::Ended { request } => drop(open.remove(request)),
                    NotificationEvent::EndNotGiven { .. }
                    | NotificationEvent::Reminder { .. }
                    | NotificationEvent::ApprovalAsked { .. }
                    | NotificationEvent::ApprovalEnded { .. }
                    | NotificationEvent::Finished { .. }
                    | NotificationEvent::Spent
                    | NotificationEvent::FinishedWithdrawn { .. } => {}
                }
                vec![event]
            }
            changed = settings.changed() => match changed {
                Ok(()) => Vec::new(),
                Err(_) => return,
            },
            () = wait_or_look_again(&*clock, next, LOOK_AGAIN) => {
                follow_clock(&mut open, &mut steps, &*clock);
                due(&mut open, minutes, clock.now())
            }
        };
        for event in sent {
            if forward.send(event).await.is_err() {
                return;
            }
        }
    }
}

/// If the system's clock was set, each question is still open for as long as before.
fn follow_clock(open: &mut BTreeMap<RequestId, Open>, steps: &mut ClockSteps, clock: &dyn Clock) {
    if let Some(by) = steps.look(clock) {
        open.values_mut().for_each(|open| open.request.asked_at = open.request.asked_at.moved(by));
    }
}

fn due(
    open: &mut BTreeMap<RequestId, Open>,
    minutes: ReminderMinutes,
    now: Timestamp,
) -> Vec<NotificationEvent> {
    let is_due = |open: &Open| minutes.due(open.request.asked_at).is_some_and(|due| due <= now);
    let due: Vec<RequestId> = open.iter().filter(|(_, open)| is_due(open)).map(|(id, _)| *id).collect();
    let due = due.into_iter().filter_map(|id| open.remove(&id));
    due.map(|Open { request, session }| NotificationEvent::Reminder { request, session }).collect()
}
