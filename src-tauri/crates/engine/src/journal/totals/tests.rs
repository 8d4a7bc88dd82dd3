use rstest::rstest;

use super::*;

const HOUR: i64 = 3_600_000;

fn bounds(hours: &[i64]) -> DayBounds {
    let times: Vec<_> = hours.iter().map(|hour| Timestamp::from_millis(hour * HOUR)).collect();
    DayBounds::try_from(times).unwrap()
}

fn end(asked_at: i64, outcome: OutcomeKind, waited_millis: i64) -> CountedEnd {
    CountedEnd { asked_at: Timestamp::from_millis(asked_at), outcome, waited_millis }
}

#[rstest]
#[case::before_the_first_day(-1, &[0, 0, 0])]
#[case::midnight_starts_a_day(0, &[1, 0, 0])]
#[case::the_last_millisecond(24 * HOUR - 1, &[1, 0, 0])]
#[case::the_next_midnight(24 * HOUR, &[0, 1, 0])]
#[case::the_end_of_a_day_of_23_hours(47 * HOUR - 1, &[0, 1, 0])]
#[case::the_midnight_after_it(47 * HOUR, &[0, 0, 1])]
#[case::the_last_hour_of_a_day_of_25_hours(72 * HOUR - 1, &[0, 0, 1])]
#[case::after_the_last_day(72 * HOUR, &[0, 0, 0])]
fn a_request_is_counted_on_the_day_it_was_asked(#[case] asked_at: i64, #[case] expected: &[u64]) {
    let days = bounds(&[0, 24, 47, 72]);
    let totals = QuestionTotals::count(&days, &[end(asked_at, OutcomeKind::Expired, 1)]);
    assert_eq!(totals.days, expected);
    let ended: u64 = totals.outcomes.iter().map(|known| known.count).sum();
    assert_eq!(ended, expected.iter().sum::<u64>(), "only requests of the days are counted at all");
}

#[test]
fn a_day_that_the_time_zone_skips_has_no_requests() {
    let days = bounds(&[0, 24, 24, 48]);
    assert_eq!(QuestionTotals::count(&days, &[end(24 * HOUR, OutcomeKind::Expired, 1)]).days, [0, 0, 1]);
}

#[rstest]
#[case(-5_000, 0)]
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
    let totals = QuestionTotals::count(&bounds(&[0, 24]), &[end(0, OutcomeKind::Answered, waited)]);
    let counts: Vec<_> = totals.answer_times.iter().map(|group| group.count).collect();
    assert_eq!(counts.iter().position(|count| *count == 1), Some(expected), "{counts:?}");
    assert_eq!(counts.iter().sum::<u64>(), 1);
    assert_eq!(totals.answer_times[7].up_to, None);
}

#[rstest]
#[case(OutcomeKind::Answered, 1)]
#[case(OutcomeKind::Declined, 0)]
#[case(OutcomeKind::RepliedInChat, 0)]
#[case(OutcomeKind::Expired, 0)]
#[case(OutcomeKind::Withdrawn, 0)]
#[case(OutcomeKind::Orphaned, 0)]
fn only_an_answered_request_has_a_time_to_answer(#[case] outcome: OutcomeKind, #[case] answered: u64) {
    let totals = QuestionTotals::count(&bounds(&[0, 24]), &[end(7, outcome, 1_000)]);
    assert_eq!(totals.answer_times.iter().map(|group| group.count).sum::<u64>(), answered);
    assert_eq!(totals.median_millis, (answered == 1).then_some(1_000));
    let counts = totals.outcomes.iter().map(|known| (known.outcome, known.count));
    let expected = OutcomeKind::ALL.map(|kind| (kind, u64::from(kind == outcome)));
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}

#[rstest]
#[case(&[], None)]
#[case(&[700], Some(700))]
#[case(&[9_000, 100, 400], Some(400))]
#[case(&[9_000, 1_000, 4_000, 2_000], Some(3_000))]
#[case(&[-5_000], Some(0))]
#[case(&[i64::MAX, i64::MAX], Some(i64::MAX))]
fn the_median_is_the_middle_time_to_answer(#[case] waits: &[i64], #[case] expected: Option<i64>) {
    let ends: Vec<_> = waits.iter().map(|waited| end(0, OutcomeKind::Answered, *waited)).collect();
    assert_eq!(QuestionTotals::count(&bounds(&[0, 24]), &ends).median_millis, expected);
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
