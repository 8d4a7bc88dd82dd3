//! The rule of what the person is told of, as a table; and what is remembered between two decisions.

use askdesk_domain::notification_policy::{BURST, BURST_MILLIS, Before, PolicyInput, Recent, tell};
use askdesk_domain::{
    DoNotDisturbHours, Finished, MinuteOfDay, NotNeededWhy, NotificationCandidate, NotificationContent,
    NotificationDecision, NotificationHistory, NotificationRemoval, NotifyQuestions, Occasion, OnOff, OptIn,
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

/// The moment at which the table is read, in milliseconds.
const NOW: i64 = 1_700_000_000_000;

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn question(n: u128) -> PendingItem {
    PendingItem::Question(RequestId::new(Uuid::from_u128(n)))
}

/// A question of a session that is not looked at, by day, where nothing is set.
fn usual() -> PolicyInput {
    PolicyInput {
        occasion: Occasion::Asked,
        session: session(ASKS),
        by_subagent: false,
        waits: false,
        attention: SessionNotifications::default(),
        looked_at: None,
        minute: MinuteOfDay::at(12, 0).unwrap(),
        at: Timestamp::from_millis(NOW),
        before: Before::Nothing,
        recent: Recent::Few,
    }
}

/// Puts words into facts and settings; every word stands for one change.
fn read(words: &str) -> (PolicyInput, Settings) {
    let (mut facts, mut settings) = (usual(), Settings::default());
    for word in words.split_whitespace() {
        let setting = match word {
            "usual" => continue,
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
            "finished" => facts.occasion = Occasion::Finished,
            "waits" => facts.waits = true,
            "reminder" => facts.occasion = Occasion::Reminder,
            "subagent" => facts.by_subagent = true,
            "muted" => facts.attention.muted = true,
            "private" => facts.attention.private = true,
            "looked-at" => facts.looked_at = Some(session(ASKS)),
            "other-looked-at" => facts.looked_at = Some(session(OTHER)),
            "night" => facts.minute = MinuteOfDay::at(23, 30).unwrap(),
            "decided" => facts.before = Before::Decided,
            "ended" => facts.before = Before::Ended,
            "many" => facts.recent = Recent::Many,
            "summed" => facts.recent = Recent::Summary,
            other => panic!("no such word: {other}"),
        }
    }
    (facts, settings)
}

#[rstest]
#[case("usual", WHOLE)]
#[case("other-looked-at", WHOLE)]
#[case("looked-at", IN_VIEW)]
#[case("never", NEVER)]
#[case("never looked-at", IN_VIEW)]
#[case("paused", PAUSED)]
#[case("pause-over", WHOLE)]
#[case("paused looked-at", IN_VIEW)]
#[case("paused never", NEVER)]
#[case("paused muted private", PAUSED)]
#[case("paused many", PAUSED)]
#[case("paused reminder", PAUSED)]
#[case("muted", MUTED)]
#[case("muted never", NEVER)]
#[case("muted looked-at", IN_VIEW)]
#[case("muted private", MUTED)]
#[case("subagent", WHOLE)]
#[case("subagents-off", WHOLE)]
#[case("subagent subagents-off", SUBAGENT)]
#[case("subagent subagents-off muted", MUTED)]
#[case("subagent subagents-off looked-at", IN_VIEW)]
#[case("hours", WHOLE)]
#[case("night", WHOLE)]
#[case("hours night", QUIET)]
#[case("hours night private", QUIET)]
#[case("hours night many", QUIET)]
#[case("hours night looked-at", IN_VIEW)]
#[case("hours night subagent subagents-off", SUBAGENT)]
#[case("private", PRIVATE)]
#[case("private subagent", PRIVATE)]
#[case("private other-looked-at", PRIVATE)]
#[case("private looked-at", IN_VIEW)]
#[case("many", SUMMARY)]
#[case("many private", SUMMARY)]
#[case("many muted", MUTED)]
#[case("many never", NEVER)]
#[case("many looked-at", IN_VIEW)]
#[case("summed", IN_SUMMARY)]
#[case("summed private", IN_SUMMARY)]
#[case("summed muted", MUTED)]
#[case("decided", BEFORE)]
#[case("decided looked-at", BEFORE)]
#[case("decided never", BEFORE)]
#[case("decided many", BEFORE)]
#[case("ended", ENDED)]
#[case("ended muted", ENDED)]
#[case("reminder", WHOLE)]
#[case("reminder private", PRIVATE)]
#[case("reminder looked-at", IN_VIEW)]
#[case("reminder muted", MUTED)]
#[case("reminder never", NEVER)]
#[case("reminder hours night", QUIET)]
#[case("reminder subagent subagents-off", SUBAGENT)]
#[case("reminder many", SUMMARY)]
#[case("reminder ended", ENDED)]
#[case("reminder decided", BEFORE)]
fn case_37_what_is_told_follows_from_the_facts_alone(
    #[case] words: &str,
    #[case] expected: NotificationDecision,
) {
    let (facts, settings) = read(words);
    assert_eq!(tell(&facts, &settings), expected);
}

#[rstest]
#[case("finished", NotificationDecision::Nothing(NotNeededWhy::Unwanted))]
#[case("finished waits", NotificationDecision::Nothing(NotNeededWhy::Unwanted))]
#[case("finished wanted", WHOLE)]
#[case("finished wanted waits", WAITS)]
#[case("finished wanted waits looked-at", WAITS)]
#[case("finished wanted waits paused", WAITS)]
#[case("finished wanted waits muted", WAITS)]
#[case("finished wanted waits private", WAITS)]
#[case("finished wanted waits never", WAITS)]
#[case("finished wanted waits many", WAITS)]
#[case("finished wanted waits other-looked-at", WAITS)]
#[case("finished wanted looked-at", IN_VIEW)]
#[case("finished wanted looked-at muted", IN_VIEW)]
#[case("finished wanted other-looked-at", WHOLE)]
#[case("finished wanted private", PRIVATE)]
#[case("finished wanted never", WHOLE)]
#[case("finished wanted subagents-off", WHOLE)]
#[case("finished wanted paused", NotificationDecision::Untold(SuppressedWhy::Paused))]
#[case("finished wanted pause-over", WHOLE)]
#[case("finished wanted muted", NotificationDecision::Untold(SuppressedWhy::Muted))]
#[case("finished wanted muted private", NotificationDecision::Untold(SuppressedWhy::Muted))]
#[case("finished wanted hours", WHOLE)]
#[case("finished wanted hours night", NotificationDecision::Untold(SuppressedWhy::QuietHours))]
#[case("finished wanted many", NotificationDecision::Untold(SuppressedWhy::Burst))]
#[case("finished wanted summed", NotificationDecision::Untold(SuppressedWhy::Burst))]
#[case("wanted waits", WHOLE)]
fn case_40_that_a_session_has_finished_is_not_told_while_something_waits_in_it(
    #[case] words: &str,
    #[case] expected: NotificationDecision,
) {
    let (facts, settings) = read(words);
    assert_eq!(tell(&facts, &settings), expected);
}

fn finished(session_of: u128, at: i64) -> Finished {
    Finished {
        session: session(session_of),
        waits: false,
        attention: SessionNotifications::default(),
        looked_at: None,
        minute: MinuteOfDay::at(12, 0).unwrap(),
        at: Timestamp::from_millis(at),
    }
}

#[test]
fn each_turn_that_finishes_is_told_and_what_waits_in_other_sessions_changes_nothing() {
    let (mut told, settings) = (NotificationHistory::default(), wanted());
    assert_eq!(told.decide(&news(1, 0), &settings), WHOLE);
    for at in [0, 60_000, 120_000] {
        assert_eq!(told.decide_finished(&finished(OTHER, at), &settings), WHOLE, "{at}");
    }
}

#[test]
fn sessions_that_finish_together_are_told_of_up_to_five_and_bury_no_question() {
    let (mut told, settings) = (NotificationHistory::default(), wanted());
    let tellings: Vec<NotificationDecision> =
        (0..8).map(|n| told.decide_finished(&finished(n, 0), &settings)).collect();
    assert_eq!(tellings[..BURST], [WHOLE; BURST]);
    assert!(
        tellings[BURST..]
            .iter()
            .all(|telling| *telling == NotificationDecision::Untold(SuppressedWhy::Burst))
    );
    assert_eq!(told.decide(&news(1, 1), &settings), WHOLE, "a question is no part of their burst");
    assert_eq!(told.decide_finished(&finished(9, BURST_MILLIS), &settings), WHOLE);
}

#[test]
fn in_a_burst_of_questions_no_session_is_told_to_have_finished() {
    let (mut told, settings) = (NotificationHistory::default(), wanted());
    for n in 0..3 {
        told.decide(&news(n, 0), &settings);
    }
    assert_eq!(told.decide_finished(&finished(OTHER, 1), &settings), WHOLE);
    for n in 3..8 {
        told.decide(&news(n, 2), &settings);
    }
    assert_eq!(
        told.decide_finished(&finished(OTHER, 3), &settings),
        NotificationDecision::Untold(SuppressedWhy::Burst)
    );
    assert_eq!(told.first_summed(), Some(question(BURST as u128)), "no summary speaks of it");
}

fn wanted() -> Settings {
    Settings::default().with(Setting::NotifyFinished(OptIn::On))
}

fn news(n: u128, at: i64) -> NotificationCandidate {
    NotificationCandidate {
        waiting: question(n),
        occasion: Occasion::Asked,
        session: session(ASKS),
        by_subagent: false,
        attention: SessionNotifications::default(),
        looked_at: None,
        minute: MinuteOfDay::at(12, 0).unwrap(),
        at: Timestamp::from_millis(at),
    }
}

#[test]
fn case_39_the_same_thing_is_told_once_and_reminded_of_once() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    let reminder = |at| NotificationCandidate { occasion: Occasion::Reminder, ..news(1, at) };
    assert_eq!(told.decide(&news(1, 0), &settings), WHOLE);
    assert_eq!(told.decide(&news(1, 60_000), &settings), BEFORE);
    assert_eq!(told.decide(&reminder(900_000), &settings), WHOLE);
    assert_eq!(told.decide(&reminder(1_800_000), &settings), BEFORE);
}

#[test]
fn what_was_seen_when_it_was_asked_is_not_told_when_it_comes_again() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    assert_eq!(
        told.decide(&NotificationCandidate { looked_at: Some(session(ASKS)), ..news(1, 0) }, &settings),
        IN_VIEW
    );
    assert_eq!(told.decide(&news(1, 1), &settings), BEFORE);
}

#[test]
fn what_has_ended_is_told_of_no_more() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    told.decide(&news(1, 0), &settings);
    assert_eq!(told.end(question(1)), NotificationRemoval::Own);
    assert_eq!(
        told.decide(&NotificationCandidate { occasion: Occasion::Reminder, ..news(1, 300_000) }, &settings),
        ENDED
    );
}

#[test]
fn a_burst_of_more_than_five_in_ten_seconds_becomes_one_summary() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    let tellings: Vec<NotificationDecision> =
        (0..60).map(|n| told.decide(&news(n, 100 * n as i64), &settings)).collect();
    assert_eq!(tellings[..BURST], [WHOLE; BURST]);
    assert_eq!(tellings[BURST], SUMMARY);
    assert!(tellings[BURST + 1..].iter().all(|telling| *telling == IN_SUMMARY));
    assert_eq!(told.first_summed(), Some(question(BURST as u128)));
}

#[test]
fn five_in_ten_seconds_are_no_burst_and_those_before_do_not_count() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    for n in 0..20 {
        let at = i64::try_from(n).unwrap() * BURST_MILLIS / i64::try_from(BURST).unwrap();
        assert_eq!(told.decide(&news(n, at), &settings), WHOLE, "{n}");
    }
}

#[test]
fn what_is_not_shown_is_no_part_of_a_burst() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    let muted = SessionNotifications { muted: true, private: false };
    for n in 0..20 {
        assert_eq!(told.decide(&NotificationCandidate { attention: muted, ..news(n, 0) }, &settings), MUTED);
    }
    assert_eq!(told.decide(&news(20, 0), &settings), WHOLE);
}

#[test]
fn a_summary_stands_until_the_last_that_it_speaks_of_has_its_end() {
    let (mut told, settings) = (NotificationHistory::default(), Settings::default());
    for n in 0..8 {
        told.decide(&news(n, 0), &settings);
    }
    let ends = [5, 0, 7, 6, 1].map(|n| told.end(question(n)));
    use NotificationRemoval::{Own, OwnAndSummary};
    assert_eq!(ends, [Own, Own, Own, OwnAndSummary, Own]);
    assert_eq!(told.first_summed(), None);
    assert_eq!(told.decide(&news(8, 1), &settings), SUMMARY, "the one that stood is gone");
}

#[test]
fn nothing_is_quiet_where_nothing_is_set() {
    assert_eq!(Settings::default().quiet_hours, DoNotDisturbHours::default());
    assert_eq!(Settings::default().notify_subagents, OnOff::On);
}

#[test]
fn what_was_missed_and_is_asked_again_is_told_of_once_more_and_what_never_ended_is_not() {
    let settings = Settings::default();
    let mut told = NotificationHistory::default();
    let asked = news(7, 1_000);
    told.begin(asked.waiting);
    assert_eq!(told.decide(&asked, &settings), NotificationDecision::Notify(NotificationContent::Whole));
    told.begin(asked.waiting);
    assert_eq!(told.decide(&asked, &settings), NotificationDecision::Nothing(NotNeededWhy::Before));
    told.end(asked.waiting);
    told.begin(asked.waiting);
    assert_eq!(told.decide(&asked, &settings), NotificationDecision::Notify(NotificationContent::Whole));
}
