//! The notification policy as a table, and what its history remembers between two decisions.

use askdesk_domain::notification_policy::{BURST, BURST_MILLIS, Recent, decide};
use askdesk_domain::{
    MinuteOfDay, NotNeededWhy, NotificationCandidate, NotificationCause, NotificationContent,
    NotificationDecision, NotificationHistory, NotificationRemoval, NotifyQuestions, OnOff, OptIn,
    PausedUntil, PendingItem, RequestId, SessionId, SessionNotifications, Setting, Settings, SuppressedWhy,
    Timestamp,
};
use rstest::rstest;
use uuid::Uuid;

const ASKS: u128 = 1;
const OTHER: u128 = 2;
const WHOLE: NotificationDecision = NotificationDecision::Notify(NotificationContent::Whole);
const PRIVATE: NotificationDecision = NotificationDecision::Notify(NotificationContent::Private);
const SUMMARY: NotificationDecision = NotificationDecision::Notify(NotificationContent::Summary);
const IN_SUMMARY: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::Summary);
const NEVER: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::Never);
const PAUSED: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::Paused);
const MUTED: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::Muted);
const SUBAGENT: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::Subagent);
const QUIET: NotificationDecision = NotificationDecision::BadgeOnly(SuppressedWhy::QuietHours);
const BEFORE: NotificationDecision = NotificationDecision::Nothing(NotNeededWhy::Before);
const ENDED: NotificationDecision = NotificationDecision::Nothing(NotNeededWhy::Ended);
const WAITS: NotificationDecision = NotificationDecision::Nothing(NotNeededWhy::Waits);
const IN_VIEW: NotificationDecision = NotificationDecision::Nothing(NotNeededWhy::InView);

/// The time of every row of the table, in milliseconds.
const NOW: i64 = 1_700_000_000_000;

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn question(n: u128) -> PendingItem {
    PendingItem::Question(RequestId::new(Uuid::from_u128(n)))
}

/// A candidate at noon, whose session is not in view and has no notification settings.
fn candidate(cause: NotificationCause, of: u128, at: i64) -> NotificationCandidate {
    NotificationCandidate {
        cause,
        session: Some(session(of)),
        notifications: SessionNotifications::default(),
        in_view: None,
        minute: MinuteOfDay::of(12, 0),
        at: Timestamp::from_millis(at),
    }
}

/// Applies the policy to a question with default settings, changed by each word.
fn decision(words: &str) -> NotificationDecision {
    let has = |word: &str| words.split_whitespace().any(|given| given == word);
    let cause = if has("finished") {
        NotificationCause::FinishedTurn { has_pending: has("pending") }
    } else {
        let (reminder, by_subagent) = (has("reminder"), has("subagent"));
        NotificationCause::Pending { item: question(1), reminder, by_subagent }
    };
    let (mut before, mut recent, mut settings) = (None, Recent::Few, Settings::default());
    let mut given = candidate(cause, ASKS, NOW);
    for word in words.split_whitespace() {
        let setting = match word {
            "never" => Some(Setting::NotifyQuestions(NotifyQuestions::Never)),
            "subagents-off" => Some(Setting::NotifySubagents(OnOff::Off)),
            "paused" => Some(Setting::PausedUntil(PausedUntil::at(Timestamp::from_millis(NOW + 1_000)))),
            "pause-over" => Some(Setting::PausedUntil(PausedUntil::at(Timestamp::from_millis(NOW)))),
            "wanted" => Some(Setting::NotifyFinished(OptIn::On)),
            "hours" => Some(Setting::QuietHours("22:00-07:00".to_owned().try_into().unwrap())),
            _ => None,
        };
        if let Some(setting) = setting {
            settings = settings.with(setting);
            continue;
        }
        match word {
            "usual" => {}
            // They are part of the cause.
            "finished" | "pending" | "reminder" | "subagent" => {}
            "muted" => given.notifications.muted = true,
            "private" => given.notifications.private = true,
            "in-view" => given.in_view = Some(session(ASKS)),
            "other-in-view" => given.in_view = Some(session(OTHER)),
            "night" => given.minute = MinuteOfDay::of(23, 30),
            "decided" => before = Some(NotNeededWhy::Before),
            "ended" => before = Some(NotNeededWhy::Ended),
            "many" => recent = Recent::Many,
            "summed" => recent = Recent::Summary,
            other => panic!("no such word: {other}"),
        }
    }
    decide(&given, before, recent, &settings)
}

#[rstest]
#[case("usual", WHOLE)]
#[case("other-in-view", WHOLE)]
#[case("in-view", IN_VIEW)]
#[case("never", NEVER)]
#[case("never in-view", IN_VIEW)]
#[case("paused", PAUSED)]
#[case("pause-over", WHOLE)]
#[case("paused in-view", IN_VIEW)]
#[case("paused never", NEVER)]
#[case("paused muted private", PAUSED)]
#[case("paused many", PAUSED)]
#[case("paused reminder", PAUSED)]
#[case("muted", MUTED)]
#[case("muted never", NEVER)]
#[case("muted in-view", IN_VIEW)]
#[case("muted private", MUTED)]
#[case("subagent", WHOLE)]
#[case("subagents-off", WHOLE)]
#[case("subagent subagents-off", SUBAGENT)]
#[case("subagent subagents-off muted", MUTED)]
#[case("subagent subagents-off in-view", IN_VIEW)]
#[case("hours", WHOLE)]
#[case("night", WHOLE)]
#[case("hours night", QUIET)]
#[case("hours night private", QUIET)]
#[case("hours night many", QUIET)]
#[case("hours night in-view", IN_VIEW)]
#[case("hours night subagent subagents-off", SUBAGENT)]
#[case("private", PRIVATE)]
#[case("private subagent", PRIVATE)]
#[case("private other-in-view", PRIVATE)]
#[case("private in-view", IN_VIEW)]
#[case("many", SUMMARY)]
#[case("many private", SUMMARY)]
#[case("many muted", MUTED)]
#[case("many never", NEVER)]
#[case("many in-view", IN_VIEW)]
#[case("summed", IN_SUMMARY)]
#[case("summed private", IN_SUMMARY)]
#[case("summed muted", MUTED)]
#[case("decided", BEFORE)]
#[case("decided in-view", BEFORE)]
#[case("decided never", BEFORE)]
#[case("decided many", BEFORE)]
#[case("ended", ENDED)]
#[case("ended muted", ENDED)]
#[case("reminder", WHOLE)]
#[case("reminder private", PRIVATE)]
#[case("reminder in-view", IN_VIEW)]
#[case("reminder muted", MUTED)]
#[case("reminder never", NEVER)]
#[case("reminder hours night", QUIET)]
#[case("reminder subagent subagents-off", SUBAGENT)]
#[case("reminder many", SUMMARY)]
#[case("reminder ended", ENDED)]
#[case("reminder decided", BEFORE)]
fn case_37_the_decision_follows_from_its_inputs_alone(
    #[case] words: &str,
    #[case] expected: NotificationDecision,
) {
    assert_eq!(decision(words), expected);
}

#[rstest]
#[case("finished", NotificationDecision::Nothing(NotNeededWhy::Unwanted))]
#[case("finished pending", NotificationDecision::Nothing(NotNeededWhy::Unwanted))]
#[case("finished wanted", WHOLE)]
#[case("finished wanted pending", WAITS)]
#[case("finished wanted pending in-view", WAITS)]
#[case("finished wanted pending paused", WAITS)]
#[case("finished wanted pending muted", WAITS)]
#[case("finished wanted pending private", WAITS)]
#[case("finished wanted pending never", WAITS)]
#[case("finished wanted pending many", WAITS)]
#[case("finished wanted pending other-in-view", WAITS)]
#[case("finished wanted in-view", IN_VIEW)]
#[case("finished wanted in-view muted", IN_VIEW)]
#[case("finished wanted other-in-view", WHOLE)]
#[case("finished wanted private", PRIVATE)]
#[case("finished wanted never", WHOLE)]
#[case("finished wanted subagents-off", WHOLE)]
#[case("finished wanted paused", NotificationDecision::Suppressed(SuppressedWhy::Paused))]
#[case("finished wanted pause-over", WHOLE)]
#[case("finished wanted muted", NotificationDecision::Suppressed(SuppressedWhy::Muted))]
#[case("finished wanted muted private", NotificationDecision::Suppressed(SuppressedWhy::Muted))]
#[case("finished wanted hours", WHOLE)]
#[case("finished wanted hours night", NotificationDecision::Suppressed(SuppressedWhy::QuietHours))]
#[case("finished wanted many", NotificationDecision::Suppressed(SuppressedWhy::Burst))]
#[case("finished wanted summed", NotificationDecision::Suppressed(SuppressedWhy::Burst))]
fn case_40_a_finished_turn_causes_no_notification_while_the_session_has_a_pending_item(
    #[case] words: &str,
    #[case] expected: NotificationDecision,
) {
    assert_eq!(decision(words), expected);
}

fn finished(of: u128, at: i64) -> NotificationCandidate {
    candidate(NotificationCause::FinishedTurn { has_pending: false }, of, at)
}

fn asked(n: u128, at: i64) -> NotificationCandidate {
    let cause = NotificationCause::Pending { item: question(n), reminder: false, by_subagent: false };
    candidate(cause, ASKS, at)
}

fn reminder(n: u128, at: i64) -> NotificationCandidate {
    let cause = NotificationCause::Pending { item: question(n), reminder: true, by_subagent: false };
    candidate(cause, ASKS, at)
}

/// A history, and settings with notifications of finished turns.
fn new_history() -> (NotificationHistory, Settings) {
    (NotificationHistory::default(), Settings::default().with(Setting::NotifyFinished(OptIn::On)))
}

#[test]
fn each_finished_turn_causes_a_notification_whatever_is_pending_in_other_sessions() {
    let (mut history, settings) = new_history();
    assert_eq!(history.decide(&asked(1, 0), &settings), WHOLE);
    for at in [0, 60_000, 120_000] {
        assert_eq!(history.decide(&finished(OTHER, at), &settings), WHOLE, "{at}");
    }
}

#[test]
fn up_to_five_sessions_that_finish_together_cause_notifications_and_hide_no_question() {
    let (mut history, settings) = new_history();
    let decisions: Vec<NotificationDecision> =
        (0..8).map(|n| history.decide(&finished(n, 0), &settings)).collect();
    assert_eq!(decisions[..BURST], [WHOLE; BURST]);
    assert!(
        decisions[BURST..]
            .iter()
            .all(|decision| *decision == NotificationDecision::Suppressed(SuppressedWhy::Burst))
    );
    assert_eq!(history.decide(&asked(1, 1), &settings), WHOLE, "a question is no part of their burst");
    assert_eq!(history.decide(&finished(9, BURST_MILLIS), &settings), WHOLE);
}

#[test]
fn in_a_burst_of_questions_no_finished_turn_causes_a_notification() {
    let (mut history, settings) = new_history();
    for n in 0..3 {
        history.decide(&asked(n, 0), &settings);
    }
    assert_eq!(history.decide(&finished(OTHER, 1), &settings), WHOLE);
    for n in 3..8 {
        history.decide(&asked(n, 2), &settings);
    }
    assert_eq!(
        history.decide(&finished(OTHER, 3), &settings),
        NotificationDecision::Suppressed(SuppressedWhy::Burst)
    );
    assert_eq!(history.first_summed(), Some(question(BURST as u128)), "no summary covers it");
}

#[test]
fn case_39_an_item_causes_one_notification_and_one_reminder() {
    let (mut history, settings) = new_history();
    assert_eq!(history.decide(&asked(1, 0), &settings), WHOLE);
    assert_eq!(history.decide(&asked(1, 60_000), &settings), BEFORE);
    assert_eq!(history.decide(&reminder(1, 900_000), &settings), WHOLE);
    assert_eq!(history.decide(&reminder(1, 1_800_000), &settings), BEFORE);
}

#[test]
fn an_item_that_was_in_view_when_asked_causes_no_notification_later() {
    let (mut history, settings) = new_history();
    assert_eq!(
        history.decide(&NotificationCandidate { in_view: Some(session(ASKS)), ..asked(1, 0) }, &settings),
        IN_VIEW
    );
    assert_eq!(history.decide(&asked(1, 1), &settings), BEFORE);
}

#[test]
fn an_item_that_has_ended_causes_no_notification() {
    let (mut history, settings) = new_history();
    history.decide(&asked(1, 0), &settings);
    assert_eq!(history.end(question(1)), NotificationRemoval::Own);
    assert_eq!(history.decide(&reminder(1, 300_000), &settings), ENDED);
}

#[test]
fn a_burst_of_more_than_five_in_ten_seconds_becomes_one_summary() {
    let (mut history, settings) = new_history();
    let decisions: Vec<NotificationDecision> =
        (0..60).map(|n| history.decide(&asked(n, 100 * n as i64), &settings)).collect();
    assert_eq!(decisions[..BURST], [WHOLE; BURST]);
    assert_eq!(decisions[BURST], SUMMARY);
    assert!(decisions[BURST + 1..].iter().all(|decision| *decision == IN_SUMMARY));
    assert_eq!(history.first_summed(), Some(question(BURST as u128)));
}

#[test]
fn five_in_ten_seconds_are_no_burst_and_earlier_ones_do_not_count() {
    let (mut history, settings) = new_history();
    for n in 0..20 {
        let at = i64::try_from(n).unwrap() * BURST_MILLIS / i64::try_from(BURST).unwrap();
        assert_eq!(history.decide(&asked(n, at), &settings), WHOLE, "{n}");
    }
}

#[test]
fn an_item_without_a_notification_is_not_part_of_a_burst() {
    let (mut history, settings) = new_history();
    let muted = SessionNotifications { muted: true, private: false };
    for n in 0..20 {
        assert_eq!(
            history.decide(&NotificationCandidate { notifications: muted, ..asked(n, 0) }, &settings),
            MUTED
        );
    }
    assert_eq!(history.decide(&asked(20, 0), &settings), WHOLE);
}

#[test]
fn a_summary_stays_until_its_last_item_has_ended() {
    let (mut history, settings) = new_history();
    for n in 0..8 {
        history.decide(&asked(n, 0), &settings);
    }
    let ends = [5, 0, 7, 6, 1].map(|n| history.end(question(n)));
    use NotificationRemoval::{Own, OwnAndSummary};
    assert_eq!(ends, [Own, Own, Own, OwnAndSummary, Own]);
    assert_eq!(history.first_summed(), None);
    assert_eq!(history.decide(&asked(8, 1), &settings), SUMMARY, "the earlier summary is gone");
}

#[test]
fn a_missed_item_that_is_asked_again_causes_another_notification_and_one_that_never_ended_does_not() {
    let (mut history, settings) = new_history();
    for expected in [WHOLE, BEFORE] {
        history.begin(question(7));
        assert_eq!(history.decide(&asked(7, 1_000), &settings), expected);
    }
    history.end(question(7));
    history.begin(question(7));
    assert_eq!(history.decide(&asked(7, 1_000), &settings), WHOLE);
}

#[rstest]
#[case::always(Settings::default(), 12, NotificationDecision::Notify(NotificationContent::Whole))]
#[case::without_those_of_questions(
    Settings::default().with(Setting::NotifyQuestions(NotifyQuestions::Never)), 12,
    NotificationDecision::Notify(NotificationContent::Whole)
)]
#[case::in_quiet_hours(quiet(), 23, NotificationDecision::Suppressed(SuppressedWhy::QuietHours))]
#[case::outside_of_quiet_hours(quiet(), 12, NotificationDecision::Notify(NotificationContent::Whole))]
#[case::paused(paused(), 12, NotificationDecision::Suppressed(SuppressedWhy::Paused))]
fn case_99_a_passed_budget_is_notified_unless_notifications_are_silenced(
    #[case] settings: Settings,
    #[case] hour: u16,
    #[case] expected: NotificationDecision,
) {
    let passed = |at| NotificationCandidate {
        session: None,
        minute: MinuteOfDay::of(hour, 0),
        in_view: Some(session(1)),
        ..candidate(NotificationCause::PassedBudget, 1, at)
    };
    assert_eq!(NotificationHistory::default().decide(&passed(0), &settings), expected);
    // Questions in a burst neither hide it nor are hidden by it.
    let mut history = NotificationHistory::default();
    let sure = Settings::default();
    for n in 0..5 {
        history.decide(&asked(n, 0), &sure);
    }
    assert_eq!(history.decide(&passed(1), &settings), expected);
    let mut history = NotificationHistory::default();
    history.decide(&passed(0), &sure);
    for n in 0..4 {
        history.decide(&asked(n, 1), &sure);
    }
    assert_eq!(history.decide(&asked(9, 2), &sure), NotificationDecision::Notify(NotificationContent::Whole));
}

fn quiet() -> Settings {
    Settings::default().with(Setting::QuietHours("22:00-07:00".to_owned().try_into().unwrap()))
}

fn paused() -> Settings {
    Settings::default().with(Setting::PausedUntil(PausedUntil::at(Timestamp::from_millis(1_000_000))))
}
