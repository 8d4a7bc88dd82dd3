//! Permission rules, plans, modes and question policies, with whole sessions of the fake agent.

use std::time::{Duration, Instant};

use crate::support::agents::{Play, Stage, choices, is_alive};
use crate::support::desk::{poll, rejected};
use crate::support::mirror::Mirror;
use askdesk_domain::{
    AgentFailure, ChangeRefused, EntryBody, Notice, QuestionPolicy, Rejection, SessionEnd, SessionId,
    SessionOptions, SessionState, TodoStatus, ToolDetail,
};
use askdesk_engine::SessionCall;
use rstest::rstest;

fn options(mode: Option<&'static str>, questions: QuestionPolicy) -> SessionOptions {
    let config = mode.map(|mode| choices(&[("mode", mode)])).unwrap_or_default();
    SessionOptions { config, questions, ..SessionOptions::default() }
}

#[tokio::test]
async fn a_to_do_list_is_shown_with_the_status_of_each_item() {
    use TodoStatus::{Done, InProgress, Pending};
    let mut stage = Stage::open().await;
    let session = stage.play("todos").await;
    stage.until_said(session, "All done").await;
    let how_far = |detail: &ToolDetail| match detail {
        ToolDetail::Todos { items } => items.iter().map(|item| item.status).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let lists: Vec<_> = details(&stage, session).iter().map(how_far).collect();
    assert_eq!(lists, [[InProgress, Pending, Pending], [Done, InProgress, Pending], [Done, Done, Done]]);
}

fn details(stage: &Stage, session: SessionId) -> Vec<ToolDetail> {
    let known = stage.desk.mirror.transcript(session).into_iter();
    let detail = |body: &EntryBody| match body {
        EntryBody::Tool { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    known.filter_map(detail).collect()
}

#[rstest]
#[case::never(QuestionPolicy::Never, Some("plan"), "takes no questions in this session")]
#[case::outside_plan_mode(QuestionPolicy::PlanOnly, None, "only while you are in plan mode")]
#[tokio::test]
async fn a_question_that_the_policy_forbids_is_refused_with_a_notice(
    #[case] policy: QuestionPolicy,
    #[case] mode: Option<&'static str>,
    #[case] words: &str,
) {
    let mut stage = Stage::open().await;
    let play = Play { options: options(mode, policy), ..Play::of("technology") };
    let session = stage.start(play).await;
    stage.until_idle(session).await;
    stage.desk.until("the turn", |known| !known.turns(session).is_empty()).await;
    let refusal = &stage.responses(session)[0];
    assert_eq!(refusal["behavior"], "deny");
    assert!(refusal["message"].as_str().unwrap().contains(words), "{refusal}");
    assert!(stage.desk.mirror.requests.is_empty());
    let notices = stage.desk.mirror.notices(session);
    let [Notice::QuestionTurnedOff { policy: noted, text }] = notices.as_slice() else {
        panic!("{notices:?}")
    };
    assert_eq!((*noted, text.as_str()), (policy, "Which store should the notes be kept in?"));
}

#[tokio::test]
async fn in_plan_mode_questions_are_allowed_again() {
    let mut stage = Stage::open().await;
    let options = options(None, QuestionPolicy::PlanOnly);
    let session = stage.start(Play { prompt: None, options, ..Play::of("technology") }).await;
    stage.set(session, "mode", "plan").await.unwrap();
    stage.until_mode(session, "plan").await;
    stage.sessions.call(session, SessionCall::message("go".to_owned())).await.unwrap();
    stage.asked_one(session).await;
}

#[tokio::test]
async fn a_context_is_not_compacted_during_a_turn() {
    let (stage, session, _) = Stage::asking("technology").await;
    let refused = stage.sessions.call(session, SessionCall::Compact).await.unwrap_err();
    assert_eq!(rejected(refused), Rejection::AgentRefused { why: ChangeRefused::Working });
}

#[tokio::test]
async fn a_config_change_fails_when_the_agent_exits_instead() {
    let mut stage = Stage::open().await;
    // It reads the handshake and the request, answers neither, and ends.
    let session = stage.script("read -r hello; read -r change; exit 0", None).await;
    let gone = stage.set(session, "mode", "plan").await.unwrap_err();
    assert_eq!(rejected(gone), Rejection::SessionGone);
    assert_eq!(stage.until_ended(session).await, SessionEnd::Finished);
}

#[tokio::test]
async fn an_agent_that_ignores_an_interrupt_is_killed_with_all_its_processes() {
    let script = r#"
        trap '' TERM INT
        sh -c 'trap "" TERM INT; echo $$ > "$0/grandchild"; while :; do sleep 1; done' "$0" &
        echo '{"type":"system","subtype":"init"}'
        echo $$ > "$0/agent"
        while :; do read -r line || sleep 1; done
    "#;
    let mut stage = Stage::open().await;
    let session = stage.script(script, Some("go")).await;
    let files = ["agent", "grandchild"].map(|name| stage.desk.folder.join(name));
    let read = || files.each_ref().map(|file| std::fs::read_to_string(file).unwrap_or_default());
    poll("the agent begins", || read().iter().all(|pid| pid.ends_with('\n'))).await;
    let pids = read();
    let works =
        |known: &Mirror| known.sessions.get(&session).is_some_and(|it| it.state == SessionState::Working);
    stage.desk.until("the turn", works).await;

    let asked = Instant::now();
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    let end = stage.until_ended(session).await;
    let SessionEnd::Failed { why } = end else { panic!("{end:?}") };
    assert!(matches!(why, AgentFailure::InterruptIgnored { seconds: 5, .. }), "{why}");
    let took = asked.elapsed();
    assert!(took >= Duration::from_secs(5) && took < Duration::from_secs(10), "{took:?}");
    poll("all processes end", || !pids.iter().any(|pid| is_alive(pid.trim()))).await;
}
