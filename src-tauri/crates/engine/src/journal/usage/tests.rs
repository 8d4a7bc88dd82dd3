use askdesk_domain::{AgentId, ContextUse, Entry, Event, Origin, Session, SessionEnd, SessionEvent};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const HOUR: i64 = 3_600_000;

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn entry(n: u64, at: i64, cost: Option<f64>) -> Entry {
    let body = EntryBody::TurnEnded {
        millis: 5,
        input_tokens: 100,
        output_tokens: 10,
        cached_tokens: 50,
        error: Some("secret words".to_owned()),
        cost_usd: cost.and_then(Usd::new),
        context: Some(ContextUse { used: n * 1_000, size: 200_000 }),
    };
    Entry { n, at: Timestamp::from_millis(at), body }
}

fn bounds(hours: &[i64]) -> DayBounds {
    let times: Vec<_> = hours.iter().map(|hour| Timestamp::from_millis(hour * HOUR)).collect();
    DayBounds::try_from(times).unwrap()
}

fn open(folder: &tempfile::TempDir) -> (Journal, Reader) {
    let journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
    let reader = journal.reader().unwrap();
    (journal, reader)
}

fn costs(reader: &Reader, of: Option<u128>, days: &DayBounds) -> Vec<Option<f64>> {
    let sums = reader.usage_of_days(of.map(session), days).unwrap();
    sums.iter().map(|sum| sum.cost.map(Usd::dollars)).collect()
}

fn started(n: u128) -> Event {
    let origin = Origin::started(AgentId::literal("demo"));
    SessionEvent::Started { session: Session::new(session(n), origin, Timestamp::from_millis(1)) }.into()
}

#[test]
fn a_turn_counts_on_the_day_it_ended_and_other_entries_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let said = Entry {
        n: 9,
        at: Timestamp::from_millis(HOUR),
        // As the beginning of a record is compared, words that look like one must not count.
        body: EntryBody::Agent { text: r#"{"kind":"turn_ended""#.to_owned() },
    };
    let turns = [
        (session(1), entry(1, 24 * HOUR - 1, Some(0.25))),
        (session(1), entry(2, 24 * HOUR, Some(0.5))),
        (session(2), entry(1, 47 * HOUR - 1, None)),
        (session(2), entry(2, 47 * HOUR, None)),
        (session(1), entry(3, 72 * HOUR, Some(4.0))),
        (session(1), said),
    ];
    journal.commit_entries(&turns).unwrap();
    // The second day has 23 hours, the third 25.
    let days = bounds(&[0, 24, 47, 72]);
    assert_eq!(costs(&reader, None, &days), [Some(0.25), Some(0.5), None]);
    assert_eq!(costs(&reader, Some(2), &days), [None, None, None]);
    let sums = reader.usage_of_days(None, &days).unwrap();
    assert_eq!(sums.iter().map(|sum| sum.turns).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!((sums[1].input_tokens, sums[1].output_tokens, sums[1].cached_tokens), (200, 20, 100));

    let of_session = reader.session_usage(session(1)).unwrap();
    assert_eq!((of_session.sum.turns, of_session.sum.cost), (3, Usd::new(4.75)));
    assert_eq!(of_session.context, Some(ContextUse { used: 3_000, size: 200_000 }));
    assert_eq!(reader.session_usage(session(7)).unwrap(), SessionUsage::default());
}

#[test]
fn a_deleted_session_stays_in_the_sums_of_days_without_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let at = Timestamp::from_millis(2);
    journal.commit(&[started(1), started(2)], &[], at).unwrap();
    journal
        .commit_entries(&[(session(1), entry(1, HOUR, Some(1.0))), (session(2), entry(1, HOUR, None))])
        .unwrap();
    let days = bounds(&[0, 24]);
    let before = reader.usage_of_days(None, &days).unwrap();
    let over = |n| SessionEvent::Ended { session: session(n), end: SessionEnd::Finished, at };
    let gone = |n| SessionEvent::Deleted { session: session(n) };
    journal.commit(&[over(1).into(), over(2).into(), gone(1).into(), gone(2).into()], &[], at).unwrap();
    journal.sweep_at_end();
    assert_eq!(reader.usage_of_days(None, &days).unwrap(), before);
    assert_eq!(reader.session_usage(session(1)).unwrap(), SessionUsage::default());
    assert_eq!(costs(&reader, Some(1), &days), [None]);
    drop((journal, reader));
    let file = std::fs::read(folder.path().join("desk.db")).unwrap();
    assert!(!file.windows(6).any(|bytes| bytes == b"secret"));
    let (_journal, reader) = open(&folder);
    assert_eq!(reader.usage_of_days(None, &days).unwrap(), before, "after a restart");
}

#[test]
fn a_passed_budget_is_news_once_a_day_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let budget = |dollars: u16| DailyBudget::try_from(dollars).unwrap();
    let (mut journal, _) = open(&folder);
    assert_eq!(journal.note_passed_budget("2026-11-23", budget(15)), Ok(true));
    assert_eq!(journal.note_passed_budget("2026-11-23", budget(15)), Ok(false));
    drop(journal);
    let (mut journal, _) = open(&folder);
    assert_eq!(journal.note_passed_budget("2026-11-23", budget(15)), Ok(false));
    assert_eq!(journal.note_passed_budget("2026-11-23", budget(20)), Ok(true), "another budget");
    assert_eq!(journal.note_passed_budget("2026-11-24", budget(15)), Ok(true), "another day");
}

#[test]
fn the_turns_of_some_days_are_found_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let (_journal, reader) = open(&folder);
    let plan: String = reader
        .query(|connection| {
            let sql = format!("EXPLAIN QUERY PLAN {TURNS} AND at >= 1 AND at < 2");
            connection.query_row(&sql, [], |row| row.get(3))
        })
        .unwrap();
    assert!(plan.contains("USING INDEX turns"), "{plan}");
}

proptest! {
    #[test]
    fn the_sums_do_not_depend_on_the_order_and_days_add_up(
        turns in prop::collection::vec((0..72 * HOUR, prop::option::of(0.0..10.0)), 0..20),
        seed in any::<u64>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, reader) = open(&folder);
        let mut entries: Vec<_> = (1_u64..)
            .zip(&turns)
            .map(|(n, (at, cost))| (session(u128::from(n % 3)), entry(n, *at, *cost)))
            .collect();
        if !entries.is_empty() {
            let by = (seed % entries.len() as u64) as usize;
            entries.rotate_left(by);
        }
        journal.commit_entries(&entries).unwrap();
        let mut all = UsageSum::default();
        for (_, cost) in &turns {
            let cost = cost.and_then(Usd::new);
            all.add(&Usage { input_tokens: 100, output_tokens: 10, cached_tokens: 50, cost, context: None });
        }
        prop_assert_eq!(reader.usage_of_days(None, &bounds(&[0, 72])).unwrap(), vec![all]);
        let days = reader.usage_of_days(None, &bounds(&[0, 24, 47, 72])).unwrap();
        prop_assert_eq!(days.iter().map(|day| day.turns).sum::<u64>(), all.turns);
        let added = days.iter().filter_map(|day| day.cost).fold(Usd::ZERO, Usd::plus);
        prop_assert_eq!(added, all.cost.unwrap_or(Usd::ZERO));
        let sessions = (0..3).map(|n| reader.session_usage(session(n)).unwrap().sum);
        let added = sessions.filter_map(|sum| sum.cost).fold(Usd::ZERO, Usd::plus);
        prop_assert_eq!(added, all.cost.unwrap_or(Usd::ZERO));
    }
}
