use askdesk_domain::Timestamp;
use rstest::rstest;

use super::super::{Journal, Opened};
use super::*;

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
    let totals = count(vec![waited]);
    let counts: Vec<_> = totals.answer_times.iter().map(|group| group.count).collect();
    assert_eq!(counts.iter().position(|count| *count == 1), Some(expected), "{counts:?}");
    assert_eq!(counts.iter().sum::<u64>(), 1);
    assert_eq!(totals.answer_times[7].up_to, None);
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
