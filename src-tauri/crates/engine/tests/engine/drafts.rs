//! Drafts on disk: they survive restarts, are deleted when they are no longer needed, and contain no secrets.

use crate::support::desk::{
    TestDesk, allow, approval, ask_approval, choose, count_in_files, end, introduce, new_ask, rejected,
    request, withdraw,
};
use crate::support::desks::delete;
use crate::support::questions::secret;
use askdesk_domain::{
    ApprovalDraft, ApprovalForm, CommandId, Draft, DraftAnswer, DraftTarget, QuestionId, Rejection,
    SessionEnd, WithdrawnWhy,
};
use askdesk_engine::DraftRevision;
use askdesk_engine::clock::Clock;
use askdesk_engine::journal::KEPT_DRAFTS;
use rusqlite::Connection;
use uuid::Uuid;

const PAGE: CommandId = CommandId::new(Uuid::from_u128(7));

fn on(n: u128, words: &str) -> DraftTarget {
    let question = QuestionId::at(0);
    let answer = DraftAnswer {
        question,
        chosen: vec![question.option(1)],
        other_chosen: false,
        other: words.to_owned(),
        note: String::new(),
    };
    let draft = Draft { active: 2, answers: vec![answer], ..Draft::default() };
    DraftTarget::Request { id: request(n), draft }
}

async fn save_as(desk: &TestDesk, n: u64, of: DraftTarget) -> Result<(), Rejection> {
    let revision = DraftRevision { page: PAGE, n };
    desk.engine.save_draft(revision, of).await.map_err(rejected)
}

async fn save(desk: &TestDesk, of: DraftTarget) {
    // Ids that are drawn count up, and so do the page's saves.
    let n = desk.clock.uuid().as_u128() as u64;
    save_as(desk, n, of).await.unwrap();
}

async fn kept(desk: &TestDesk) -> Vec<DraftTarget> {
    desk.engine.drafts().await.unwrap()
}

fn edited(n: u128, plan: &str) -> DraftTarget {
    let draft =
        ApprovalDraft { form: ApprovalForm::Plan, plan: Some(plan.to_owned()), ..ApprovalDraft::default() };
    DraftTarget::Approval { id: approval(n), draft }
}

#[tokio::test]
async fn case_28_a_draft_survives_a_restart_and_belongs_to_the_missed_question() {
    let desk = TestDesk::started().await;
    desk.engine.act(introduce(1)).await.unwrap();
    let (_, _waiter) = desk.ask(1, 1).await;
    desk.engine.act(ask_approval(1, 1)).await.unwrap();
    save(&desk, on(1, "half a sent")).await;
    save(&desk, edited(1, "1. Wait")).await;
    save(&desk, on(1, "half a sentence")).await;
    let expected = vec![edited(1, "1. Wait"), on(1, "half a sentence")];
    let as_set = |drafts: Vec<DraftTarget>| {
        let mut drafts: Vec<_> = drafts.into_iter().map(|draft| format!("{draft:?}")).collect();
        drafts.sort();
        drafts
    };
    assert_eq!(as_set(kept(&desk).await), as_set(expected.clone()));
    let desk = desk.reopened().await;
    assert!(desk.request(request(1)).await.is_missed());
    assert_eq!(as_set(kept(&desk).await), as_set(expected));
    // It can still be changed, and is deleted with the late answer.
    save(&desk, on(1, "a whole sentence")).await;
    desk.engine.answer(request(1), vec![choose(0, &[1])]).await.unwrap();
    assert_eq!(kept(&desk).await, [edited(1, "1. Wait")]);
}

#[tokio::test]
async fn when_the_agent_or_the_session_ends_a_question_the_draft_keeps_its_words() {
    let desk = TestDesk::started().await;
    let mut waiters = Vec::new();
    for n in 1..=3 {
        waiters.push(desk.ask(1, n).await);
    }
    for n in 1..=2 {
        desk.engine.act(ask_approval(1, n)).await.unwrap();
        save(&desk, edited(n, "a long plan")).await;
    }
    save(&desk, on(1, "do not lose this")).await;
    save(&desk, on(2, "")).await;
    save(&desk, on(3, "")).await;
    desk.engine.decide_approval(approval(2), allow()).await.unwrap();
    for n in 1..=2 {
        desk.engine.act(withdraw(1, n, WithdrawnWhy::ByAgent)).await.unwrap();
    }
    desk.engine.act(end(1, SessionEnd::Stopped)).await.unwrap();
    let mut left = kept(&desk).await;
    left.sort_by_key(|of| of.key());
    assert_eq!(left, [on(1, "do not lose this"), on(3, ""), edited(1, "a long plan")]);
    // The last keys may have been typed after the end.
    save(&desk, on(1, "do not lose this!")).await;
    assert!(kept(&desk).await.contains(&on(1, "do not lose this!")));
}

#[tokio::test]
async fn of_two_saves_of_one_page_the_later_counts_and_a_new_page_starts_over() {
    let desk = TestDesk::started().await;
    let (_, _waiter) = desk.ask(1, 1).await;
    save_as(&desk, 2, on(1, "second")).await.unwrap();
    save_as(&desk, 1, on(1, "first")).await.unwrap();
    save_as(&desk, 2, on(1, "second again")).await.unwrap();
    assert_eq!(kept(&desk).await, [on(1, "second")]);
    let revision = DraftRevision { page: CommandId::new(Uuid::from_u128(8)), n: 1 };
    desk.engine.save_draft(revision, on(1, "third")).await.unwrap();
    assert_eq!(kept(&desk).await, [on(1, "third")]);
    let blank = DraftTarget::Request { id: request(1), draft: Draft::default() };
    save_as(&desk, 3, blank).await.unwrap();
    assert_eq!(kept(&desk).await, []);
}

#[tokio::test]
async fn secrets_are_in_no_file_and_a_deleted_session_leaves_no_draft() {
    let desk = TestDesk::started().await;
    let (_, _outcome) = desk.register(new_ask(1, 1, secret())).await;
    let hidden = DraftAnswer {
        question: QuestionId::at(0),
        chosen: Vec::new(),
        other_chosen: false,
        other: "tzatziki-key".to_owned(),
        note: "tzatziki-note".to_owned(),
    };
    let draft = Draft { answers: vec![hidden], words: "quetzal words".to_owned(), ..Draft::default() };
    save(&desk, DraftTarget::Request { id: request(1), draft }).await;
    assert_eq!(kept(&desk).await.len(), 1);
    assert_eq!((count_in_files(&desk.folder, "tzatziki"), count_in_files(&desk.folder, "quetzal")), (0, 1));
    desk.engine.act(end(1, SessionEnd::Stopped)).await.unwrap();
    desk.engine.act(delete(1)).await.unwrap();
    assert_eq!(kept(&desk).await, vec![]);
    let began = std::time::Instant::now();
    // Traces are removed in steps, between what else there is to do.
    while count_in_files(&desk.folder, "quetzal") > 0 {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "the words are still in a file");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    desk.engine.close().await.unwrap();
    assert_eq!(count_in_files(&desk.folder, "tzatziki") + count_in_files(&desk.folder, "quetzal"), 0);
}

#[tokio::test]
async fn a_draft_that_cannot_be_read_is_skipped() {
    let desk = TestDesk::started().await;
    let mut waiters = Vec::new();
    for n in 1..=2 {
        waiters.push(desk.ask(1, n).await);
        save(&desk, on(n, "mine")).await;
    }
    let connection = Connection::open(desk.folder.join("desk.db")).unwrap();
    let changed =
        connection.execute("UPDATE drafts SET body = '{' WHERE about = ?1", [request(1).to_string()]);
    assert_eq!(changed.unwrap(), 1);
    let desk = desk.reopened().await;
    assert_eq!(kept(&desk).await, [on(2, "mine")]);
    save(&desk, on(1, "again")).await;
    assert_eq!(kept(&desk).await.len(), 2);
}

#[tokio::test]
async fn the_oldest_drafts_are_deleted_when_there_are_too_many() {
    let desk = TestDesk::started().await;
    let (_, _waiter) = desk.ask(1, 1).await;
    let (_, _other) = desk.ask(1, 2).await;
    save(&desk, on(1, "oldest")).await;
    let connection = Connection::open(desk.folder.join("desk.db")).unwrap();
    let fill = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1 - 1)
        INSERT INTO drafts SELECT 'x' || n, 's', 9e15, 1, '{}' FROM n";
    connection.execute(fill, [KEPT_DRAFTS]).unwrap();
    desk.clock.advance(1);
    save(&desk, on(1, "still there")).await;
    desk.clock.advance(1);
    save(&desk, on(2, "one more")).await;
    let count: u32 = connection.query_row("SELECT count(*) FROM drafts", [], |row| row.get(0)).unwrap();
    assert_eq!((count, kept(&desk).await), (KEPT_DRAFTS, vec![on(2, "one more")]));
}
