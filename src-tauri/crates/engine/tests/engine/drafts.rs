//! Drafts on disk: kept over restarts, gone with what ends them, and never a secret in them.

use std::path::Path;

use crate::support::desk::{TestDesk, allow, approval_options, ask, choose, rejected, request, session};
use askdesk_domain::{
    ApprovalCommand, ApprovalDraft, ApprovalForm, ApprovalId, AskApproval, Command, CommandId, Draft,
    DraftAnswer, DraftTarget, NativeRef, QuestionId, QuestionKind, QuestionLimits, RawQuestion, Rejection,
    RequestCommand, SessionCommand, SessionEnd, Timestamp, ToolDetail, WithdrawnWhy, question_input,
};
use askdesk_engine::clock::Clock;
use askdesk_engine::journal::KEPT_DRAFTS;
use askdesk_engine::{DraftRevision, SaveDraft};
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

fn chosen_only(n: u128) -> DraftTarget {
    on(n, "")
}

async fn save_as(desk: &TestDesk, n: u64, of: DraftTarget) -> Result<(), Rejection> {
    let revision = DraftRevision { page: PAGE, n };
    desk.engine.save_draft(SaveDraft { revision, of }).await.map_err(rejected)
}

async fn save(desk: &TestDesk, of: DraftTarget) {
    // Ids that are drawn count up, and so do the page's saves.
    let n = desk.clock.uuid().as_u128() as u64;
    save_as(desk, n, of).await.unwrap();
}

async fn kept(desk: &TestDesk) -> Vec<DraftTarget> {
    desk.engine.drafts().await.unwrap()
}

async fn act(desk: &TestDesk, command: Command) {
    desk.engine.act(command).await.unwrap();
}

/// The agent says its own id of the session.
fn introduced() -> Command {
    let native_session = askdesk_domain::NativeSession::new("native");
    Command::Session(SessionCommand::Introduce {
        session: session(1),
        version: None,
        model: None,
        native_session,
    })
}

async fn ask_approval(desk: &TestDesk) -> ApprovalId {
    let id = desk.clock.approval_id();
    let asked = AskApproval {
        id,
        session: session(1),
        native_ref: NativeRef::new(format!("approval-{id}")).unwrap(),
        title: "ExitPlanMode".to_owned(),
        description: None,
        subject: ToolDetail::Other { input: "a plan".to_owned() },
        options: approval_options(),
        takes_message: true,
        at: Timestamp::from_millis(5),
    };
    act(desk, Command::Approval(ApprovalCommand::Ask(asked))).await;
    id
}

fn edited(id: ApprovalId, plan: &str) -> DraftTarget {
    let draft =
        ApprovalDraft { form: ApprovalForm::Plan, plan: Some(plan.to_owned()), ..ApprovalDraft::default() };
    DraftTarget::Approval { id, draft }
}

fn end() -> Command {
    let end = SessionEnd::Failed { why: "killed".to_owned().into() };
    Command::Session(SessionCommand::End { session: session(1), end, at: Timestamp::from_millis(30) })
}

fn standing(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let count = |path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(word.len()).filter(|part| *part == word.as_bytes()).count()
    };
    files.filter(|path| path.is_file()).map(count).sum()
}

#[tokio::test]
async fn case_28_a_draft_is_there_again_after_a_restart_and_the_missed_question_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    act(&desk, introduced()).await;
    let (_, _waiter) = desk.ask(1, 1).await;
    let approval = ask_approval(&desk).await;
    save(&desk, on(1, "half a sent")).await;
    save(&desk, edited(approval, "1. Wait")).await;
    save(&desk, on(1, "half a sentence")).await;
    let expected = vec![edited(approval, "1. Wait"), on(1, "half a sentence")];
    let as_set = |drafts: Vec<DraftTarget>| {
        let mut drafts: Vec<_> = drafts.into_iter().map(|draft| format!("{draft:?}")).collect();
        drafts.sort();
        drafts
    };
    assert_eq!(as_set(kept(&desk).await), as_set(expected.clone()));
    desk.engine.close().await.unwrap();
    drop(desk);

    let desk = TestDesk::open_at(folder.path()).await;
    assert!(desk.request(request(1)).await.is_missed());
    assert_eq!(as_set(kept(&desk).await), as_set(expected));
    // It can go on being written, and goes with the late answer.
    save(&desk, on(1, "a whole sentence")).await;
    desk.engine.answer(request(1), vec![choose(0, &[1])]).await.unwrap();
    assert_eq!(kept(&desk).await, [edited(approval, "1. Wait")]);
}

#[tokio::test]
async fn an_end_takes_the_draft_with_it_in_its_own_commit_and_a_save_that_comes_late_is_refused() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    for n in 1..=4 {
        let (_, waiter) = desk.ask(1, n).await;
        drop(waiter);
        save(&desk, on(n, "mine")).await;
    }
    let approval = ask_approval(&desk).await;
    save(&desk, edited(approval, "mine")).await;
    desk.engine.answer(request(1), vec![choose(0, &[1])]).await.unwrap();
    desk.engine.decline(request(2), None).await.unwrap();
    desk.engine.cancel(request(3), None).await.unwrap();
    desk.engine.decide_approval(approval, allow()).await.unwrap();
    assert_eq!(kept(&desk).await, [on(4, "mine")]);
    for (n, of) in
        [on(1, "late"), on(2, "late"), on(3, "late"), edited(approval, "late")].into_iter().enumerate()
    {
        let refused = save_as(&desk, u64::MAX - 9 + n as u64, of).await;
        assert!(matches!(refused, Err(Rejection::AlreadyEnded { .. })), "{refused:?}");
    }
    let unknown = save_as(&desk, u64::MAX, on(99, "x")).await;
    assert!(matches!(unknown, Err(Rejection::NotFound { what: "request" })));
    act(&desk, end()).await;
    desk.engine.dismiss(request(4)).await.unwrap();
    assert_eq!(kept(&desk).await, []);
}

#[tokio::test]
async fn what_others_end_leaves_the_persons_words_and_no_bare_choices() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let mut waiters = Vec::new();
    for n in 1..=3 {
        waiters.push(desk.ask(1, n).await);
    }
    let approval = ask_approval(&desk).await;
    save(&desk, on(1, "do not lose this")).await;
    save(&desk, chosen_only(2)).await;
    save(&desk, chosen_only(3)).await;
    save(&desk, edited(approval, "a long plan")).await;
    for n in 1..=2 {
        let native_ref = ask(1, n).native_ref;
        let at = Timestamp::from_millis(20);
        act(
            &desk,
            Command::Request(RequestCommand::Withdraw {
                session: session(1),
                native_ref,
                why: WithdrawnWhy::ByAgent,
                at,
            }),
        )
        .await;
    }
    act(&desk, end()).await;
    let mut left = kept(&desk).await;
    left.sort_by_key(|of| of.begun());
    assert_eq!(left, [on(1, "do not lose this"), chosen_only(3), edited(approval, "a long plan")]);
    // The last keys may have come after the end.
    save(&desk, on(1, "do not lose this!")).await;
    assert!(kept(&desk).await.contains(&on(1, "do not lose this!")));
}

#[tokio::test]
async fn of_two_saves_on_their_way_the_later_one_counts_and_a_new_page_begins_anew() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (_, _waiter) = desk.ask(1, 1).await;
    save_as(&desk, 2, on(1, "second")).await.unwrap();
    save_as(&desk, 1, on(1, "first")).await.unwrap();
    save_as(&desk, 2, on(1, "second again")).await.unwrap();
    assert_eq!(kept(&desk).await, [on(1, "second")]);
    let revision = DraftRevision { page: CommandId::new(Uuid::from_u128(8)), n: 1 };
    desk.engine.save_draft(SaveDraft { revision, of: on(1, "third") }).await.unwrap();
    assert_eq!(kept(&desk).await, [on(1, "third")]);
    let blank = DraftTarget::Request { id: request(1), draft: Draft::default() };
    save_as(&desk, 3, blank).await.unwrap();
    assert_eq!(kept(&desk).await, []);
}

#[tokio::test]
async fn no_word_said_to_a_secret_question_and_none_of_a_deleted_session_is_in_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let secret = RawQuestion {
        text: "Which key?".to_owned(),
        header: None,
        kind: QuestionKind::Secret,
        options: Vec::new(),
        required: false,
        placeholder: None,
    };
    let questions = question_input::accept(&[secret], QuestionLimits::FOREIGN).unwrap();
    let (waiter, _outcome) = tokio::sync::oneshot::channel();
    let asked = askdesk_domain::Ask { questions, ..ask(1, 1) };
    desk.engine.register(asked, waiter).await.unwrap();
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
    assert_eq!((standing(folder.path(), "tzatziki"), standing(folder.path(), "quetzal")), (0, 1));
    act(&desk, end()).await;
    act(&desk, Command::Session(SessionCommand::Delete { session: session(1) })).await;
    assert_eq!((standing(folder.path(), "quetzal"), kept(&desk).await), (0, vec![]));
    desk.engine.close().await.unwrap();
    assert_eq!(standing(folder.path(), "tzatziki") + standing(folder.path(), "quetzal"), 0);
}

#[tokio::test]
async fn a_draft_that_cannot_be_read_hides_no_other_one() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let mut waiters = Vec::new();
    for n in 1..=2 {
        waiters.push(desk.ask(1, n).await);
        save(&desk, on(n, "mine")).await;
    }
    desk.engine.close().await.unwrap();
    drop(desk);
    let connection = Connection::open(folder.path().join("desk.db")).unwrap();
    let changed =
        connection.execute("UPDATE drafts SET body = '{' WHERE about = ?1", [request(1).to_string()]);
    assert_eq!(changed.unwrap(), 1);
    drop(connection);
    let desk = TestDesk::open_at(folder.path()).await;
    assert_eq!(kept(&desk).await, [on(2, "mine")]);
    save(&desk, on(1, "again")).await;
    assert_eq!(kept(&desk).await.len(), 2);
}

#[tokio::test]
async fn of_more_drafts_than_are_kept_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let (_, _waiter) = desk.ask(1, 1).await;
    let (_, _other) = desk.ask(1, 2).await;
    save(&desk, on(1, "oldest")).await;
    let connection = Connection::open(folder.path().join("desk.db")).unwrap();
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
