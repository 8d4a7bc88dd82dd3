use rstest::rstest;

use super::super::{Journal, Opened};
use super::*;

const HOUR: i64 = 3_600_000;

fn bounds(hours: &[i64]) -> DayBounds {
    let times: Vec<_> = hours.iter().map(|hour| Timestamp::from_millis(hour * HOUR)).collect();
    DayBounds::try_from(times).unwrap()
}

#[rstest]
#[case::before_the_first_day(-1, None)]
#[case::midnight_starts_a_day(0, Some(0))]
#[case::the_last_millisecond(24 * HOUR - 1, Some(0))]
#[case::the_next_midnight(24 * HOUR, Some(1))]
#[case::the_end_of_a_day_of_23_hours(47 * HOUR - 1, Some(1))]
#[case::the_midnight_after_it(47 * HOUR, Some(2))]
#[case::the_last_hour_of_a_day_of_25_hours(72 * HOUR - 1, Some(2))]
#[case::after_the_last_day(72 * HOUR, None)]
fn a_moment_is_on_the_day_that_has_begun(#[case] at: i64, #[case] expected: Option<usize>) {
    assert_eq!(bounds(&[0, 24, 47, 72]).day_of(Timestamp::from_millis(at)), expected);
}

#[test]
fn nothing_is_on_a_day_that_the_time_zone_skips() {
    assert_eq!(bounds(&[0, 24, 24, 48]).day_of(Timestamp::from_millis(24 * HOUR)), Some(2));
}

#[rstest]
#[case(0, 0)]
#[case(5_000, 0)]
#[case(5_001, 1)]
#[case(15_000, 1)]
#[case(30_000, 2)]
#[case(60_000, 3)]
#[case(120_000, 4)]
#[case(300_000, 5)]
#[case(900_000, 6)]
#[case(900_001, 7)]
#[case(i64::MAX, 7)]
fn an_answer_is_counted_in_the_group_of_its_time(#[case] waited: i64, #[case] expected: usize) {
    let totals = QuestionTotals::count(vec![waited]);
    let counts: Vec<_> = totals.answer_times.iter().map(|group| group.count).collect();
    assert_eq!(counts.iter().position(|count| *count == 1), Some(expected), "{counts:?}");
    assert_eq!(counts.iter().sum::<u64>(), 1);
    assert_eq!(totals.answer_times[7].up_to, None);
}

#[rstest]
#[case::no_time(0, Err(NotDayBounds::Number(0)))]
#[case::a_start_without_an_end(1, Err(NotDayBounds::Number(0)))]
#[case::one_day(2, Ok(()))]
#[case::the_most_days(DAYS_COUNTED + 1, Ok(()))]
#[case::too_many_days(DAYS_COUNTED + 2, Err(NotDayBounds::Number(DAYS_COUNTED + 1)))]
fn days_are_bounded(#[case] times: usize, #[case] expected: Result<(), NotDayBounds>) {
    let times: Vec<_> = (0..times as i64).map(Timestamp::from_millis).collect();
    assert_eq!(DayBounds::try_from(times).map(drop), expected);
}

#[test]
fn days_are_in_order() {
    let times = [0, 2, 1].map(Timestamp::from_millis).to_vec();
    assert_eq!(DayBounds::try_from(times), Err(NotDayBounds::Order));
}

#[test]
fn questions_with_a_word_are_counted_without_a_look_at_other_entries() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { journal, .. } = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap();
    let condition =
        QuestionFilter { words: "hay".to_owned(), ..QuestionFilter::default() }.condition().unwrap();
    let plan = journal.reader().unwrap().query(|connection| {
        let sql = format!("EXPLAIN QUERY PLAN SELECT {TIME_TO_ANSWER} FROM requests WHERE {}", condition.sql);
        let mut statement = connection.prepare(&sql)?;
        let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(3))?;
        rows.collect::<rusqlite::Result<Vec<String>>>()
    });
    let plan = plan.unwrap();
    assert!(
        plan.iter().any(|step| step.contains("searched USING COVERING INDEX searched_by_about")),
        "{plan:?}"
    );
    assert!(!plan.iter().any(|step| step.contains("SCAN requests")), "{plan:?}");
}
