//! Full-text search: in the journal, and after a restart.

use std::path::Path;

use crate::support::agents::denies;
use crate::support::desk::{TestDesk, ask, choose, request, say, session};
use crate::support::desks::{approval, ask_approval, decide_approval, desk, start, take};
use askdesk_contract::EntryKind;
use askdesk_domain::{Entry, EntryBody, Outcome, QuestionId, SessionId, Timestamp, ToolKind, ToolStatus};
use askdesk_engine::Journal;
use askdesk_engine::journal::{Hit, Reader};
use proptest::prelude::*;
use rstest::rstest;

const NOW: Timestamp = Timestamp::from_millis(86_400_000_000);

fn journal(folder: &Path) -> Journal {
    Journal::open(folder, NOW).unwrap().journal
}

fn entry(of: u128, n: u64, body: EntryBody) -> (SessionId, Entry) {
    (session(of), Entry { n, at: NOW, body })
}

fn agent(of: u128, n: u64, text: &str) -> (SessionId, Entry) {
    entry(of, n, EntryBody::Agent { text: text.to_owned() })
}

fn tool(n: u64, status: ToolStatus, output: Option<&str>) -> (SessionId, Entry) {
    let body = EntryBody::Tool {
        tool_use: "t1".to_owned(),
        name: "Read".to_owned(),
        tool_kind: ToolKind::Read,
        summary: "src/routes.rs".to_owned(),
        detail: askdesk_domain::ToolDetail::Other { input: "{\"file_path\": \"src/routes.rs\"}".to_owned() },
        status,
        output: output.map(str::to_owned),
        images: Vec::new(),
        subagent: None,
    };
    entry(1, n, body)
}

fn hits(reader: &Reader, text: &str) -> Vec<Hit> {
    reader.search(text, 50, 0).unwrap().hits
}

/// The sessions and places where something is found, newest first.
fn places(reader: &Reader, text: &str) -> Vec<(SessionId, u64)> {
    hits(reader, text).iter().map(|hit| (hit.session, hit.n)).collect()
}

#[rstest]
#[case::a_word("migration", &[1])]
#[case::the_beginning_of_a_word("migr", &[1])]
#[case::not_its_middle("gration", &[])]
#[case::in_another_case("MIGRATION", &[1])]
#[case::without_its_accents("cafe", &[2])]
#[case::all_words_in_any_order("routes look", &[2])]
#[case::not_some_of_the_words("routes elephant", &[])]
#[case::words_held_together("\"the café routes\"", &[2])]
#[case::held_together_in_another_order("\"routes café\"", &[])]
#[case::typographic_quotes("“the café routes”", &[2])]
#[case::a_name_with_signs("schema_version", &[1])]
#[case::words_of_a_query_language("schema NOT migration", &[])]
#[case::signs_alone("*** ( ) ^ -", &[])]
#[case::nothing("", &[])]
fn an_entry_is_found_by(#[case] text: &str, #[case] expected: &[u64]) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    let first = agent(1, 1, "The migration writes schema_version last.");
    journal.commit_entries(&[first, agent(1, 2, "I'll look at the café routes.")]).unwrap();
    let found = places(&journal.reader().unwrap(), text);
    assert_eq!(found, expected.iter().map(|n| (session(1), *n)).collect::<Vec<_>>());
}

#[test]
fn a_hit_has_an_excerpt_around_the_match_as_plain_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    let text = format!("{}<b>needle</b> {}", "before ".repeat(100), "after ".repeat(100));
    journal.commit_entries(&[agent(1, 1, &text)]).unwrap();
    let hit = hits(&journal.reader().unwrap(), "needle").remove(0);
    assert_eq!((hit.matched.as_str(), hit.kind, hit.at), ("needle", EntryKind::Agent, NOW));
    assert!(hit.before.starts_with('…') && hit.before.ends_with("before <b>"), "{}", hit.before);
    assert!(hit.after.starts_with("</b> after") && hit.after.ends_with('…'), "{}", hit.after);
    assert!(hit.before.len() + hit.after.len() < 300);
}

#[test]
fn a_tool_call_that_has_ended_is_found_once_by_its_input_and_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    journal.commit_entries(&[tool(1, ToolStatus::Running, None)]).unwrap();
    let reader = journal.reader().unwrap();
    assert_eq!((places(&reader, "routes").len(), places(&reader, "handler").len()), (1, 0));
    journal.commit_entries(&[tool(1, ToolStatus::Done, Some("fn handler()"))]).unwrap();
    assert_eq!(places(&reader, "routes"), [(session(1), 1)]);
    assert_eq!(places(&reader, "handler"), [(session(1), 1)]);
}

#[test]
fn the_newest_match_comes_first_however_often_it_says_the_word_and_pages_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    let often = agent(1, 1, "needle needle needle");
    journal.commit_entries(&[often, agent(2, 1, "one needle"), agent(1, 2, "needle")]).unwrap();
    journal
        .commit_entries(&[agent(2, 2, "a needle in a large stack of hay"), agent(2, 1, "a needle")])
        .unwrap();
    let reader = journal.reader().unwrap();
    let ns = |limit, offset| {
        let found = reader.search("needle", limit, offset).unwrap();
        (found.hits.iter().map(|hit| (hit.session, hit.n)).collect::<Vec<_>>(), found.more)
    };
    let (one, two) = (session(1), session(2));
    // An entry keeps its place when it changes.
    assert_eq!(ns(10, 0), (vec![(two, 2), (one, 2), (two, 1), (one, 1)], false));
    assert_eq!((ns(2, 0), ns(2, 2)), ((vec![(two, 2), (one, 2)], true), (vec![(two, 1), (one, 1)], false)));
    assert_eq!(ns(2, 4), (vec![], false));
}

#[test]
fn a_denied_approval_is_found_by_its_title_its_input_and_the_users_message() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    let mut desk = desk(&[start(1)]);
    let asked = take(&mut desk, &ask_approval(1, 7)).unwrap().events;
    journal.commit(&asked, &[entry(1, 1, EntryBody::Approval { approval: approval(7) })], NOW).unwrap();
    let denied = take(&mut desk, &decide_approval(7, denies("never do that"))).unwrap().events;
    journal.commit(&denied, &[], NOW).unwrap();
    let reader = journal.reader().unwrap();
    for text in ["bash", "ls", "\"never do that\""] {
        assert_eq!(places(&reader, text), [(session(1), 1)], "{text}");
    }
}

#[tokio::test]
async fn case_46_an_ended_question_is_found_after_a_restart_by_its_texts_and_answers() {
    let first = TestDesk::started().await;
    let (id, _outcome) = first.ask(1, 1).await;
    let answers = vec![choose(0, &[1]), say(2, "call it the lighthouse")];
    let ended = first.engine.answer(id, answers).await.unwrap();
    let (_, _other) = first.ask(1, 2).await;
    first.engine.decline(request(2), Some("ask me tomorrow".to_owned())).await.unwrap();
    let again = first.reopened().await;
    for (text, n) in [("lighthouse", 1), ("\"ask me tomorrow\"", 2)] {
        let found = again.engine.search(text.to_owned(), 10, 0).await.unwrap().hits;
        let found: Vec<_> = found.iter().map(|hit| (hit.session, hit.n, hit.kind)).collect();
        assert_eq!(found, [(session(1), n, EntryKind::Request)], "{text}");
    }
    for text in ["\"which store\"", "\"which features\" z"] {
        assert_eq!(again.engine.search(text.to_owned(), 10, 0).await.unwrap().hits.len(), 2, "{text}");
    }
    let page = again.engine.page(session(1), Some(2), 1).await.unwrap();
    assert_eq!(page.requests[0].questions, ask(1, 1).questions);
    let kept = page.requests[0].ended().unwrap();
    assert_eq!((&kept.outcome, kept.at), (&ended.ended().unwrap().outcome, ended.ended().unwrap().at));
    let Outcome::Answered { answers } = &kept.outcome else { panic!("{kept:?}") };
    assert_eq!(answers.to(QuestionId::at(2)).unwrap().other.as_deref(), Some("call it the lighthouse"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_query_fails(
        text in prop_oneof![
            any::<String>(),
            "[ \"“”‘’*^():+{}.,;a-cANDORNOT_'\\-\u{0}]{0,60}",
            "(NEAR|AND|OR|NOT|text:|\"| |a\\*|\\^a){0,12}",
        ],
    ) {
        thread_local! {
            static FILLED: (tempfile::TempDir, Reader) = {
                let folder = tempfile::tempdir().unwrap();
                let mut journal = journal(folder.path());
                journal.commit_entries(&[agent(1, 1, "a b c and or not near text")]).unwrap();
                let reader = journal.reader().unwrap();
                (folder, reader)
            };
        }
        let failed = FILLED.with(|(_, reader)| reader.search(&text, 5, 0).err());
        prop_assert!(failed.is_none(), "{text:?}: {failed:?}");
    }
}
