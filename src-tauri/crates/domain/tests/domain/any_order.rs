//! Properties that hold for commands in any order.

use std::collections::{HashMap, HashSet};

use crate::support::desks::*;
use crate::support::questions::{choose, draft, multi, say, single};
use askdesk_domain::desk::SETTLED_REQUESTS;
use askdesk_domain::{
    AgentFailure, AnswerInput, ApprovalCommand, ApprovalDecision, Ask, Asker, Command, Delivery, Desk, Event,
    EventSubject, HelperCommand, HelperState, InboundCommand, Limit, NativeRef, Outcome, Question,
    QuestionKind, QuestionLimits, QueueCommand, Request, RequestCommand, RequestEvent, RequestId,
    SessionCommand, SessionEnd, SessionEvent, SessionId, SessionNotifications, WithdrawnWhy, decide,
    question_input,
};
use proptest::prelude::*;

const SESSIONS: u128 = 3;
const REQUESTS: u128 = 5;
const MESSAGES: u128 = 4;
const SECRET: &str = "hunter2-hunter2";

/// A single, a multiple, a text and a secret question.
fn form() -> Vec<Question> {
    let drafts = [
        single("Which store?", &["SQLite", "Files"]),
        multi("Which features?", &["Search", "Sync"]),
        draft(QuestionKind::Text, "Which name?", &[]),
        draft(QuestionKind::Secret, "Which key?", &[]),
    ];
    question_input::accept(&drafts, QuestionLimits::ASK_USER).unwrap()
}

fn some_answers() -> impl Strategy<Value = Vec<AnswerInput>> {
    let one = prop_oneof![
        (0..2_usize).prop_map(|place| choose(0, &[place])),
        prop_oneof![Just(vec![0]), Just(vec![1]), Just(vec![0, 1]), Just(vec![7])]
            .prop_map(|places| choose(1, &places)),
        prop_oneof![Just(""), Just("Anna")].prop_map(|words| say(2, words)),
        (0..2_u8).prop_map(|n| say(3, &format!("{SECRET}-{n}"))),
    ];
    prop::collection::vec(one, 0..4)
}

fn some_ask() -> impl Strategy<Value = Command> {
    let limit = (0_i64..100).prop_map(|when| Limit { at: at(when), then: String::new() });
    let limit = prop::option::weighted(0.2, limit);
    // Often the same questions, so that calls repeat one another.
    let questions = prop_oneof![Just(4), 0..5_usize];
    let asker = prop_oneof![4 => Just(Asker::Waits), 1 => Just(Asker::GoesOn)];
    (0..SESSIONS, 0..REQUESTS, 0..REQUESTS, questions, limit, asker).prop_map(
        |(of, id, native_ref, questions, limit, asker)| {
            let ask = new_ask(of, native_ref, form()[..questions.min(4)].to_vec());
            asks(Ask { id: request(id), asked_by: None, limit, asker, ..ask })
        },
    )
}

fn some_why() -> impl Strategy<Value = WithdrawnWhy> {
    prop_oneof![
        Just(WithdrawnWhy::ByAgent),
        Just(WithdrawnWhy::TurnEnded),
        Just(WithdrawnWhy::Interrupted),
        Just(WithdrawnWhy::AnsweredElsewhere),
    ]
}

fn some_command() -> impl Strategy<Value = Command> {
    let words = || prop::option::of(prop_oneof![Just(" "), Just("no")]);
    let end_of = prop_oneof![
        Just(SessionEnd::Finished),
        Just(SessionEnd::Stopped),
        Just(SessionEnd::Failed { why: AgentFailure::DeskFailed })
    ];
    let delivery = prop_oneof![
        Just(Delivery::Pending),
        Just(Delivery::Parked),
        Just(failed()),
        (0_i64..3, any::<bool>()).prop_map(|(when, late)| Delivery::Delivered { at: at(when), late }),
    ];
    let decision = prop_oneof![
        Just(decides(&["allow"])),
        Just(ApprovalDecision { message: Some("no".to_owned()), ..decides(&["deny"]) })
    ];
    prop_oneof![
        4 => (0..SESSIONS).prop_map(start),
        8 => some_ask(),
        8 => (0..REQUESTS, some_answers()).prop_map(|(n, answers)| answer(n, answers)),
        2 => (0..REQUESTS, words()).prop_map(|(n, words)| decline(n, words)),
        2 => (0..REQUESTS, words()).prop_map(|(n, words)| cancel(n, words)),
        2 => (0..SESSIONS).prop_map(|of| reply_in_chat(of, "let us talk")),
        2 => (0..SESSIONS, 0..REQUESTS, some_why()).prop_map(|(of, n, why)| withdraw(of, n, why)),
        1 => (0..SESSIONS, some_why())
            .prop_map(|(of, why)| withdraw_all(of, why)),
        2 => (0..REQUESTS, 0_i64..200).prop_map(|(n, when)| expire(n, when)),
        4 => (0..REQUESTS, delivery.clone()).prop_map(|(n, delivery)| note(n, delivery)),
        4 => (0..REQUESTS, 0..REQUESTS, delivery)
            .prop_map(|(n, call, delivery)| note_call(n, call, delivery)),
        3 => (0..REQUESTS).prop_map(retry),
        5 => (0..REQUESTS, 0..REQUESTS).prop_map(|(n, call)| sending_to(n, call)),
        3 => (0..SESSIONS).prop_map(resume),
        2 => (0..SESSIONS).prop_map(introduce),
        3 => (0..SESSIONS).prop_map(send_parked),
        1 => (0..REQUESTS).prop_map(dismiss),
        1 => (0..SESSIONS).prop_map(close),
        1 => (0..SESSIONS).prop_map(spoke),
        1 => (0..SESSIONS).prop_map(forget),
        1 => (0..SESSIONS, prop::option::of(0..SESSIONS)).prop_map(|(of, before)| move_before(of, before)),
        2 => (0..SESSIONS, helper()).prop_map(|(of, id)| begin_helper(of, id)),
        1 => (0..SESSIONS, helper()).prop_map(|(of, id)| set_helper(of, id, HelperState::Stopping)),
        1 => (0..SESSIONS, helper()).prop_map(|(of, id)| end_helper(of, id)),
        1 => (0..SESSIONS).prop_map(|of| rename(of, "Another name")),
        1 => (0..SESSIONS).prop_map(|of| change_folder(of, "/work")),
        1 => (0..SESSIONS, end_of).prop_map(|(of, how)| end(of, how)),
        1 => Just(close_earlier_run(400)),
        2 => (0..SESSIONS, 0..3_u128).prop_map(|(of, n)| ask_approval(of, n)),
        2 => (0..3_u128, decision)
            .prop_map(|(n, decision)| decide_approval(n, decision)),
        1 => (0..3_u128)
            .prop_map(decision_failed),
        1 => (0..SESSIONS, 0..3_u128).prop_map(|(of, n)| refuse_approval(of, n)),
        1 => (0..SESSIONS, any::<bool>())
            .prop_map(|(of, is_working)| working(of, is_working)),
        1 => (0..SESSIONS, any::<bool>()).prop_map(|(of, plans)| {
            Command::Session(SessionCommand::NoteConfig { session: session(of), config: plans.then(|| mode(Some("plan"))).into_iter().collect() })
        }),
        1 => (0..SESSIONS, any::<bool>(), any::<bool>()).prop_map(|(of, muted, private)| {
            Command::Session(SessionCommand::SetNotifications { session: session(of), notifications: SessionNotifications { muted, private } })
        }),
        6 => (0..SESSIONS, 0..MESSAGES, "[ab]").prop_map(|(of, n, text)| queue(of, n, &text)),
        2 => (0..SESSIONS, 0..MESSAGES, "[ab ]").prop_map(|(of, n, text)| edit_queued(of, n, &text)),
        2 => (0..SESSIONS, 0..MESSAGES).prop_map(|(of, n)| remove_queued(of, n)),
        4 => (0..SESSIONS, prop::option::of(0..MESSAGES)).prop_map(|(of, n)| send_queued(of, n)),
        1 => (0..SESSIONS).prop_map(|of| Command::Session(SessionCommand::CountUnusable { session: session(of), lines: 1 })),
    ]
}

fn helper() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b"])
}

/// The session that an event is about, if the desk before it knows the session.
fn session_of(desk: &Desk, event: &Event) -> Option<SessionId> {
    match event.subject() {
        EventSubject::Session(session) => Some(session),
        EventSubject::Request(request) => desk.request(request).map(|request| request.session),
        EventSubject::Approval(approval) => desk.approval(approval).map(|approval| approval.session),
    }
}

/// The session that a command is about, if the desk before it knows the session; none if it is about all.
fn target(desk: &Desk, command: &Command) -> Option<SessionId> {
    match command {
        Command::Session(SessionCommand::Start { id, .. }) => Some(*id),
        Command::Session(SessionCommand::Introduce { session, .. })
        | Command::Session(SessionCommand::NoteConfig { session, .. })
        | Command::Session(SessionCommand::SetWorking { session, .. })
        | Command::Session(SessionCommand::NoteFinished { session })
        | Command::Session(SessionCommand::CountUnusable { session, .. })
        | Command::Session(SessionCommand::End { session, .. })
        | Command::Session(SessionCommand::Rename { session, .. })
        | Command::Session(SessionCommand::SuggestName { session, .. })
        | Command::Session(SessionCommand::ChangeFolder { session, .. })
        | Command::Session(SessionCommand::SetNotifications { session, .. })
        | Command::Session(SessionCommand::Move { session, .. })
        | Command::Session(SessionCommand::Close { session, .. })
        | Command::Session(SessionCommand::Resume { session, .. })
        | Command::Session(SessionCommand::NoteSpoke { session })
        | Command::Session(SessionCommand::NoteForgotten { session })
        | Command::Request(RequestCommand::SendParked { session })
        | Command::Session(SessionCommand::Delete { session })
        | Command::Request(RequestCommand::ReplyInChat { session, .. })
        | Command::Helper(HelperCommand::Begin { session, .. })
        | Command::Helper(HelperCommand::SetState { session, .. })
        | Command::Helper(HelperCommand::End { session, .. })
        | Command::Queue(QueueCommand::Add { session, .. })
        | Command::Queue(QueueCommand::Edit { session, .. })
        | Command::Queue(QueueCommand::Remove { session, .. })
        | Command::Queue(QueueCommand::Send { session, .. })
        | Command::Request(RequestCommand::Withdraw { session, .. })
        | Command::Approval(ApprovalCommand::NoteRefused { session, .. })
        | Command::Request(RequestCommand::WithdrawAll { session, .. })
        | Command::Inbound(InboundCommand::LeaveCall { session, .. })
        | Command::Inbound(InboundCommand::Leave { session, .. }) => Some(*session),
        Command::Inbound(InboundCommand::Open { id, .. }) => Some(*id),
        Command::Request(RequestCommand::Ask(ask)) | Command::Inbound(InboundCommand::Ask { ask, .. }) => {
            Some(ask.session)
        }
        Command::Approval(ApprovalCommand::Ask(ask)) => Some(ask.session),
        Command::Request(RequestCommand::Answer { request, .. })
        | Command::Request(RequestCommand::Decline { request, .. })
        | Command::Request(RequestCommand::Cancel { request, .. })
        | Command::Request(RequestCommand::Expire { request, .. })
        | Command::Request(RequestCommand::NoteDelivery { request, .. })
        | Command::Request(RequestCommand::NoteSending { request, .. })
        | Command::Inbound(InboundCommand::GoOn { request, .. })
        | Command::Inbound(InboundCommand::NoteDelivered { request, .. })
        | Command::Request(RequestCommand::Dismiss { request, .. })
        | Command::Request(RequestCommand::Retry { request }) => {
            desk.request(*request).map(|request| request.session)
        }
        Command::Approval(ApprovalCommand::Decide { approval, .. })
        | Command::Approval(ApprovalCommand::NoteNotDelivered { approval, .. }) => {
            desk.approval(*approval).map(|approval| approval.session)
        }
        Command::Request(RequestCommand::Identified { command, .. }) => {
            command.about().and_then(|id| desk.request(id)).map(|request| request.session)
        }
        Command::Request(RequestCommand::MoveTimes { .. })
        | Command::Session(SessionCommand::CloseEarlierRun { .. }) => None,
    }
}

/// Returns whether an ended request has neither reopened nor ended in another way, and stays delivered. Only a missed one
/// can be answered or dismissed, and only an undelivered outcome discarded.
fn is_legal(before: &Request, after: &Request) -> bool {
    let Some(ended) = before.ended() else { return true };
    let Some(now) = after.ended() else { return false };
    if before.is_missed() && !after.is_missed() {
        return match now.delivery {
            Some(Delivery::Parked | Delivery::Pending) => now.outcome.can_come_late(),
            _ => matches!(now.outcome, Outcome::Withdrawn { why: WithdrawnWhy::Canceled { .. } }),
        };
    }
    let arrived = matches!(ended.delivery, Some(Delivery::Delivered { .. }));
    let given_up = matches!(ended.delivery, Some(Delivery::Parked | Delivery::Failed { .. }));
    ended.outcome == now.outcome
        && ended.at == now.at
        && (ended.delivery.is_some() == now.delivery.is_some() || (given_up && now.delivery.is_none()))
        && (!arrived || ended.delivery == now.delivery)
}

/// Deletes a session between commands: nothing of it is left on the desk, and no text of it in the journal.
pub fn check_deletion(
    before: &[Command],
    after: &[Command],
    deleted: SessionId,
    words: &[&str],
) -> Result<(), TestCaseError> {
    let mut desk = Desk::default();
    let mut journal: Vec<(Option<SessionId>, Event)> = Vec::new();
    let how = SessionEnd::Failed { why: AgentFailure::DeskFailed };
    let goes: [Command; 2] = [
        SessionCommand::End { session: deleted, end: how, at: at(300) }.into(),
        SessionCommand::Delete { session: deleted }.into(),
    ];
    let gone = |command: &Command| matches!(command, Command::Session(SessionCommand::Start { id, .. }) if *id == deleted);
    for command in before.iter().chain(&goes).chain(after.iter().filter(|command| !gone(command))) {
        let Ok(decision) = decide(&desk, command) else { continue };
        for event in decision.events {
            journal.push((session_of(&desk, &event), event.clone()));
            if event == (Event::Session(SessionEvent::Deleted { session: deleted })) {
                let of_it = journal.iter_mut().filter(|(of, _)| *of == Some(deleted));
                of_it.for_each(|(_, event)| *event = event.without_words());
            }
            desk.fold(&event);
        }
    }
    prop_assert!(desk.session(deleted).is_none());
    prop_assert!(desk.requests().all(|request| request.session != deleted));
    prop_assert!(desk.approvals().all(|approval| approval.session != deleted));
    prop_assert_eq!(Desk::replay(journal.iter().map(|(_, event)| event)), desk);
    for (of, event) in &journal {
        let said = serde_json::to_string(event).unwrap();
        let left = words.iter().find(|word| *of == Some(deleted) && said.contains(**word));
        prop_assert!(left.is_none(), "{said}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn each_request_ends_at_most_once_and_a_replay_gives_the_same_desk(
        commands in prop::collection::vec(some_command(), 1..80),
    ) {
        let mut desk = Desk::default();
        let mut journal: Vec<Event> = Vec::new();
        let mut ends: HashMap<RequestId, usize> = HashMap::new();
        let mut late: HashMap<RequestId, usize> = HashMap::new();
        for command in &commands {
            let Ok(decision) = decide(&desk, command) else { continue };
            let aimed_at = target(&desk, command);
            let before = desk.clone();
            for event in &decision.events {
                // Events are about known sessions, and only about the one that the command is about.
                let of = session_of(&desk, event);
                prop_assert!(of.is_some(), "{command:?} made {event:?}");
                if !matches!(command, Command::Session(SessionCommand::CloseEarlierRun { .. })) {
                    prop_assert_eq!(of, aimed_at, "{:?} made {:?}", command, event);
                }
                if let Event::Request(RequestEvent::Ended { request, .. }) = event {
                    *ends.entry(*request).or_default() += 1;
                }
                if let Event::Request(RequestEvent::AnsweredLate { request, .. }) = event {
                    *late.entry(*request).or_default() += 1;
                }
                desk.fold(event);
            }
            for request in before.requests() {
                let after = desk.request(request.id).unwrap();
                prop_assert!(is_legal(request, after), "{command:?}: {request:?} -> {after:?}");
            }
            journal.extend(decision.events);
        }
        for request in desk.requests() {
            let expected = usize::from(!request.is_open());
            // One that nobody waits for ends with its answer or its dismissal.
            if request.asker == Asker::GoesOn {
                prop_assert!(ends_of(&journal, request.id) <= expected);
                continue;
            }
            prop_assert_eq!(ends.get(&request.id).copied().unwrap_or_default(), expected);
            prop_assert_eq!(ends_of(&journal, request.id), expected);
            prop_assert!(late.get(&request.id).copied().unwrap_or_default() <= expected);
        }
        prop_assert_eq!(Desk::replay(&journal), desk);
    }

    /// An outcome is sent to a call again only after a delivery that failed or was given up, or if it is another one.
    #[test]
    fn no_outcome_is_sent_twice(commands in prop::collection::vec(some_command(), 1..120)) {
        let mut desk = Desk::default();
        let mut sent: HashSet<(RequestId, Option<NativeRef>)> = HashSet::new();
        for command in &commands {
            let Ok(decision) = take(&mut desk, command) else { continue };
            for event in decision.events {
                match event {
                    Event::Request(RequestEvent::Sending { request, call, .. }) => {
                        prop_assert!(sent.insert((request, call.clone())), "{request:?} to {call:?}");
                    }
                    Event::Request(RequestEvent::DeliveryChanged { request, call: Some(news), .. }) => {
                        if let Delivery::Failed { .. } = news.delivery {
                            sent.remove(&(request, Some(news.native_ref)));
                        }
                    }
                    Event::Request(RequestEvent::AnsweredLate { request, .. })
                    | Event::Request(RequestEvent::DeliveryChanged {
                        request, delivery: Delivery::Failed { .. } | Delivery::Parked, ..
                    }) => {
                        sent.remove(&(request, None));
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_deleted_session_leaves_no_text_in_the_journal_and_a_replay_gives_the_same_desk(
        commands in prop::collection::vec(some_command(), 1..80),
        place in 0..80_usize,
        deleted in (0..SESSIONS).prop_map(session),
    ) {
        let mut before = commands;
        let after = before.split_off(place.min(before.len()));
        let words = ["Session ", "/work", "call-", "Which", "Anna", "let us talk", "broken", "Bash", "pipe"];
        check_deletion(&before, &after, deleted, &words)?;
    }

    #[test]
    fn a_secret_is_never_stored_but_reaches_the_asker(
        commands in prop::collection::vec(some_command(), 1..80),
    ) {
        let mut desk = Desk::default();
        for command in &commands {
            let Ok(decision) = take(&mut desk, command) else { continue };
            let journal = serde_json::to_string(&decision.events).unwrap();
            prop_assert!(!journal.contains(SECRET), "{command:?} made {journal}");
            let Command::Request(RequestCommand::Answer { answers, .. }) = command else { continue };
            let given = answers.iter().any(|answer| answer.other.as_ref().is_some_and(|it| it.contains(SECRET)));
            let told = decision.effects.iter().any(|effect| format!("{effect:?}").contains(SECRET));
            prop_assert_eq!(told, given && !decision.effects.is_empty());
        }
        let kept = format!("{desk:?}");
        prop_assert!(!kept.contains(SECRET));
    }

    #[test]
    fn a_repeated_command_changes_nothing(
        commands in prop::collection::vec(some_command(), 1..60),
    ) {
        let mut desk = Desk::default();
        for command in &commands {
            let first = take(&mut desk, command).is_ok();
            // Notes about the agent count each time; only commands of callers are repeated.
            let noted = matches!(
                command,
                Command::Session(SessionCommand::CountUnusable { .. })
                    | Command::Approval(ApprovalCommand::NoteNotDelivered { .. })
                    | Command::Request(RequestCommand::NoteDelivery { .. })
            );
            if !first || noted {
                continue;
            }
            if let Ok(second) = decide(&desk, command) {
                prop_assert!(second.events.is_empty() && second.effects.is_empty(), "{command:?}: {second:?}");
            }
        }
    }
}

#[test]
fn the_oldest_settled_requests_leave_memory_and_open_ones_never_do() {
    let mut desk = desk(&[start(1), ask(1, 0, form())]);
    let mut journal = Vec::new();
    for n in 1..=SETTLED_REQUESTS as u128 + 10 {
        journal.extend(take(&mut desk, &ask(1, n, form())).unwrap().events);
        journal.extend(take(&mut desk, &withdraw(1, n, WithdrawnWhy::ByAgent)).unwrap().events);
    }
    assert_eq!(desk.requests().count(), SETTLED_REQUESTS + 1);
    assert!(desk.request(request(0)).unwrap().is_open());
    assert_eq!(desk.request(request(10)), None);
    assert!(matches!(
        desk.request(request(11)).unwrap().ended().unwrap().outcome,
        Outcome::Withdrawn { why: WithdrawnWhy::ByAgent }
    ));
    let from_disk = Desk::replay(&journal);
    assert_eq!(from_disk.requests().count(), SETTLED_REQUESTS);
}
