//! Sessions that fail to start, and how sessions end.

use std::path::Path;

use crate::support::agents::{Play, Stage, choose, is_alive, parent_of};
use crate::support::desk::{TestDesk, locked, poll, rejected};
use askdesk_agents::Agent;
use askdesk_agents::claude::ClaudeCode;
use askdesk_domain::{
    Delivery, DeliveryError, EntryBody, Notice, OrphanedWhy, Outcome, Rejection, Request, SessionEnd,
    SessionId, ToolStatus,
};
use askdesk_engine::SessionCall;
use askdesk_engine::clock::Clock;
use rstest::rstest;

fn outcome(request: &Request) -> &Outcome {
    &request.ended().unwrap().outcome
}

fn why(end: SessionEnd) -> String {
    match end {
        SessionEnd::Failed { why } => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn case_27_a_question_of_an_agent_that_dies_is_missed_and_its_answer_is_parked() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { pace_percent: 100, ..Play::of("dies-pending") }).await;
    let request = stage.asked_one(session).await;
    let why = why(stage.until_ended(session).await);
    assert!(why.contains("exit code 3") && why.contains("fatal: lost while waiting"), "{why}");
    assert_eq!(why.contains("Resume the session"), stage.desk.mirror.sessions[&session].resumable, "{why}");
    let known = &stage.desk.mirror.requests[&request.id];
    assert_eq!(*outcome(known), Outcome::Orphaned { why: OrphanedWhy::AgentEnded });
    let late = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    let ended = late.unwrap().ended().cloned().unwrap();
    assert!(matches!(ended.outcome, Outcome::Answered { .. }), "{ended:?}");
    assert_eq!(ended.delivery, Some(Delivery::Parked));
    assert_eq!(stage.decisions(session).len(), 0);
    let gone = stage.sessions.call(session, SessionCall::message("hello?".to_owned())).await;
    assert_eq!(rejected(gone.unwrap_err()), Rejection::SessionGone);
}

#[rstest]
#[case::stopped(false)]
#[case::closed(true)]
#[tokio::test]
async fn case_27_a_stopped_session_ends_all_its_processes_and_its_question_is_missed(
    #[case] is_closed: bool,
) {
    let (mut stage, session, request) = Stage::asking("family").await;
    stage.until_said(session, "grandchild ").await;
    let said = stage.desk.mirror.said(session).join(" ");
    let grandchild = said.split_whitespace().nth(1).unwrap().to_owned();
    let agent = parent_of(&grandchild);
    assert_ne!(agent, std::process::id().to_string());
    assert!(is_alive(&grandchild) && is_alive(&agent));
    if is_closed {
        stage.sessions.close(session).await.unwrap();
        assert_eq!(stage.until_ended(session).await, SessionEnd::Stopped);
    } else {
        stage.stop(session).await;
    }
    poll("both processes end", || !is_alive(&agent) && !is_alive(&grandchild)).await;
    let known = &stage.desk.mirror.requests[&request.id];
    assert_eq!(*outcome(known), Outcome::Orphaned { why: OrphanedWhy::SessionStopped });
}

#[tokio::test]
async fn a_missing_program_fails_the_session_with_the_searched_paths_and_how_to_install_it() {
    let mut stage = Stage::open().await;
    let id = stage.desk.clock.session_id();
    let missing = ClaudeCode::default().find(Some(Path::new("/nowhere/claude"))).unwrap_err();
    stage.start_plan(id, Err(missing), Some("build me a boat")).await;
    let why = why(stage.until_ended(id).await);
    assert!(why.starts_with("Askdesk couldn't find claude. Run `npm install"), "{why}");
    assert!(why.ends_with("Searched: /nowhere/claude."), "{why}");
    assert!(why.contains("npm install -g @anthropic-ai/claude-code"), "{why}");
    assert!(stage.log(id).contains(&why));
    stage.desk.until("the first message is kept", |known| !known.transcript(id).is_empty()).await;
    let kept = EntryBody::User { text: "build me a boat".to_owned(), attachments: Vec::new() };
    assert_eq!(stage.desk.mirror.transcript(id), [&kept]);
}

/// Asks one question under the tool use `t1` as soon as there is a file `ask`; `$0` is the folder.
const ASK: &str = r#"
    until [ -e "$0/ask" ]; do sleep 0.02; done
    echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","input":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}}}'
"#;

/// Acknowledges the answer to `t1`.
const ACKNOWLEDGE: &str = r#"
    echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fine"}]}}'
"#;

fn touch(stage: &Stage, name: &str) {
    std::fs::write(stage.desk.folder.join(name), "").unwrap();
}

#[tokio::test]
async fn case_32_an_answer_that_cannot_be_written_is_kept_and_a_retry_delivers_it_once() {
    let mut stage = Stage::open().await;
    let script = format!(
        r#"{ASK}
        until [ -e "$0/read" ]; do sleep 0.02; done
        while read -r line; do
            case "$line" in *'"control_response"'*) echo "$line" >> "$0/answers"; {ACKNOWLEDGE} ;; esac
        done"#
    );
    let session = stage.script(&script, None).await;
    stage.fill_pipe(session).await;
    touch(&stage, "ask");
    let request = stage.asked_one(session).await;
    let answers = vec![choose(&request, 0, &["B"])];
    stage.desk.engine.answer(request.id, answers.clone()).await.unwrap();
    let error = stage.until_undelivered(request.id).await;
    assert!(matches!(error, DeliveryError::NotReading { .. }), "{error}");
    let Outcome::Answered { answers: kept } = outcome(&stage.desk.mirror.requests[&request.id]) else {
        panic!()
    };
    assert_eq!(kept.iter().next().unwrap().chosen, answers[0].chosen);

    touch(&stage, "read");
    let answered = stage.desk.folder.join("answers");
    stage.retry_until(&request, |_| answered.exists()).await;
    stage.until_delivered(request.id).await;
    stage.desk.engine.retry(request.id).await.unwrap();
    stage.sessions.stop(session).await.unwrap();
    let written = std::fs::read_to_string(answered).unwrap();
    assert_eq!(written.lines().count(), 1, "{written}");
    assert!(written.contains(r#""answers":{"Which?":"B"}"#), "{written}");
}

#[tokio::test]
async fn case_32_an_answer_to_an_agent_that_has_closed_its_input_fails_and_is_parked() {
    let mut stage = Stage::open().await;
    let session =
        stage.script(&format!("exec 0<&-\n{ASK}\nuntil [ -e \"$0/end\" ]; do sleep 0.02; done"), None).await;
    touch(&stage, "ask");
    let request = stage.asked_one(session).await;
    stage.answer(&request, "A").await;
    stage.until_undelivered(request.id).await;
    stage.desk.engine.retry(request.id).await.unwrap();
    stage.until_undelivered(request.id).await;
    touch(&stage, "end");
    stage.until_ended(session).await;
    let known = &stage.desk.mirror.requests[&request.id];
    assert_eq!(stage.desk.mirror.delivery(request.id), Some(&Delivery::Parked));
    assert!(matches!(outcome(known), Outcome::Answered { .. }));
}

#[tokio::test]
async fn an_outcome_that_was_never_written_is_not_delivered_when_the_agent_continues() {
    let mut stage = Stage::open().await;
    let script =
        format!("exec 0<&-\n{ASK}\nuntil [ -e \"$0/go\" ]; do sleep 0.02; done\n{ACKNOWLEDGE}\nsleep 60");
    let session = stage.script(&script, None).await;
    touch(&stage, "ask");
    let request = stage.asked_one(session).await;
    stage.answer(&request, "A").await;
    stage.until_undelivered(request.id).await;
    touch(&stage, "go");
    stage.until_delivery(request.id, |delivery| *delivery == Delivery::Parked).await;
    stage.sessions.stop(session).await.unwrap();
}

/// Asks `r1` as soon as it may and a permission `r2` after that, withdraws `r1` when it is told to, and keeps what it is told.
fn holds_on() -> String {
    format!(
        r#"{ASK}
        echo '{{"type":"control_request","request_id":"r2","request":{{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t2","input":{{"command":"ls"}}}}}}'
        {{ until [ -e "$0/withdraw" ]; do sleep 0.02; done
        echo '{{"type":"control_cancel_request","request_id":"r1"}}'; }} &
        while read -r line; do
            case "$line" in *'"control_response"'*) echo "$line" >> "$0/answers" ;; esac
        done"#
    )
}

/// A session of that agent on a disk that refuses what it asks.
async fn refused_by_the_disk() -> (Stage, SessionId, rusqlite::Connection) {
    let mut stage = Stage::open().await;
    let session = stage.script(&holds_on(), None).await;
    let lock = locked(&stage.desk.folder);
    touch(&stage, "ask");
    stage.desk.until("the outage", |known| known.outage.is_some()).await;
    (stage, session, lock)
}

#[tokio::test]
async fn case_168_a_question_and_a_permission_that_the_disk_refuses_for_a_while_are_asked_after_that() {
    let (mut stage, session, lock) = refused_by_the_disk().await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let answers = stage.desk.folder.join("answers");
    assert!(!answers.exists(), "the agent was told: {:?}", std::fs::read_to_string(answers));
    assert!(stage.desk.mirror.requests.is_empty());
    drop(lock);
    stage.asked_one(session).await;
    stage.desk.until("the permission", |known| known.open_approval(session).is_some()).await;
    assert_eq!(stage.desk.mirror.notices(session), [] as [&Notice; 0]);
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test]
async fn case_168_after_a_minute_the_agent_is_told_and_nobody_is_shown_anything() {
    let (mut stage, session, lock) = refused_by_the_disk().await;
    // The permission comes after the first attempts at the question, and each waits for the lock.
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(60)).await;
    tokio::time::resume();
    let answers = stage.desk.folder.join("answers");
    let told = || std::fs::read_to_string(&answers).unwrap_or_default();
    poll("the agent is told of both", || told().lines().count() == 2).await;
    drop(lock);
    for words in
        [r#""behavior":"deny""#, "Askdesk could not save the question", "or another Askdesk, is using"]
    {
        assert!(told().contains(words), "{words}: {}", told());
    }
    assert!(!told().contains("The user takes"), "nobody was asked: {}", told());
    stage.desk.until("the notices", |known| known.notices(session).len() == 2).await;
    stage.desk.check_mirror().await;
    assert!(stage.desk.mirror.requests.is_empty() && stage.desk.mirror.approvals.is_empty());
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test]
async fn case_168_what_is_withdrawn_or_ends_with_its_session_while_the_disk_refuses_it_has_ended_after_that()
{
    let (mut stage, session, lock) = refused_by_the_disk().await;
    // The agent is read between the attempts, and each waits for the lock.
    touch(&stage, "withdraw");
    tokio::time::sleep(std::time::Duration::from_secs(8)).await;
    stage.sessions.stop(session).await.unwrap();
    drop(lock);
    stage.until_ended(session).await;
    stage.desk.check_mirror().await;
    let mirror = &stage.desk.mirror;
    let (requests, approvals): (Vec<_>, Vec<_>) =
        (mirror.requests.values().collect(), mirror.approvals.values().collect());
    assert!(requests.len() == 1 && approvals.len() == 1, "{requests:?} {approvals:?}");
    assert!(matches!(outcome(requests[0]), Outcome::Withdrawn { .. }), "{requests:?}");
    assert!(mirror.open_approval(session).is_none(), "{approvals:?}");
    assert!(!stage.desk.folder.join("answers").exists());
}

#[tokio::test]
async fn the_end_of_a_session_is_stored_again_until_it_succeeds() {
    let mut stage = Stage::open().await;
    let session = stage.script("until [ -e \"$0/end\" ]; do sleep 0.02; done", None).await;
    let lock = locked(&stage.desk.folder);
    touch(&stage, "end");
    stage.desk.until("a first attempt", |known| known.outage.is_some()).await;
    drop(lock);
    assert_eq!(stage.until_ended(session).await, SessionEnd::Finished);
    stage.desk.until("the disk accepts everything", |known| known.outage.is_none()).await;
}

#[tokio::test]
async fn case_109_the_token_of_a_session_counts_for_nothing_once_the_session_is_shown_as_ended() {
    let mut stage = Stage::open().await;
    let script = r#"printf %s "$ASKDESK_SESSION" > "$0/part"; mv "$0/part" "$0/token"; until [ -e "$0/go" ]; do sleep 0.01; done"#;
    let session = stage.script(script, None).await;
    let token = stage.desk.folder.join("token");
    poll("the token is written", || token.exists()).await;
    let token = std::fs::read_to_string(token).unwrap();
    assert_eq!(stage.desk.engine.session_of_token(&token), Some(session));
    std::fs::write(stage.desk.folder.join("go"), "").unwrap();
    stage.until_ended(session).await;
    assert_eq!(stage.desk.engine.session_of_token(&token), None);
}

/// Calls a tool under the tool uses `t1` and `t2`.
const CALL: &str = r#"
    for call in t1 t2; do
        echo '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"'$call'","name":"Bash","input":{"command":"ls"}}]}}'
    done
"#;

#[tokio::test]
async fn case_113_a_call_without_a_result_does_not_run_on_after_its_turn_and_a_late_result_is_shown() {
    let mut stage = Stage::open().await;
    let script = format!(
        r#"{CALL}
        echo '{{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"result":"","usage":{{}}}}'
        until [ -e "$0/late" ]; do sleep 0.02; done
        {ACKNOWLEDGE}
        sleep 60"#
    );
    let session = stage.script(&script, None).await;
    stage.desk.until("the end of the turn", |known| !known.turns(session).is_empty()).await;
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::NoResult; 2]);
    touch(&stage, "late");
    let expected = [ToolStatus::Done, ToolStatus::NoResult];
    stage.desk.until("the late result", |known| known.tool_statuses(session) == expected).await;
    stage.desk.check_mirror().await;
    stage.stop(session).await;
}

#[tokio::test]
async fn a_turn_of_which_the_agent_says_no_length_took_as_long_as_it_was_seen() {
    let mut stage = Stage::open().await;
    let result =
        r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":0,"result":"","usage":{}}"#;
    let script = format!(r#"{CALL} until [ -e "$0/end" ]; do sleep 0.02; done; echo '{result}'; sleep 60"#);
    let session = stage.script(&script, None).await;
    stage.desk.until("the calls", |known| known.tool_statuses(session).len() == 2).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    touch(&stage, "end");
    stage.desk.until("the end of the turn", |known| !known.turns(session).is_empty()).await;
    let page = stage.desk.engine.page(session, None, 20).await.unwrap();
    let millis = page.entries.iter().find_map(|entry| match entry.body {
        EntryBody::TurnEnded { millis, .. } => Some(millis),
        _ => None,
    });
    assert!(millis.unwrap() >= 250, "{millis:?}");
    stage.stop(session).await;
}

#[rstest]
#[case::just_before(0)]
#[case::long_before(600)]
#[tokio::test]
async fn case_113_a_call_that_a_crash_cut_off_does_not_run_after_the_restart(#[case] said_since: usize) {
    let mut stage = Stage::open().await;
    let script = format!(
        r#"{CALL}
        n=0; while [ $n -lt {said_since} ]; do n=$((n + 1))
            echo '{{"type":"assistant","message":{{"id":"m'$n'","content":[{{"type":"text","text":"more"}}]}}}}'
        done
        {ASK}
        sleep 60"#
    );
    let session = stage.script(&script, None).await;
    touch(&stage, "ask");
    stage.asked_one(session).await;
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Running; 2]);
    stage.desk.engine.close().await.unwrap();
    let again = TestDesk::open_at(&stage.desk.folder).await;
    let page = again.engine.page(session, Some(20), 20).await.unwrap();
    let statuses = page.entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::Tool { status, .. } => Some(*status),
        _ => None,
    });
    assert_eq!(statuses.collect::<Vec<_>>(), [ToolStatus::NoResult; 2]);
}
