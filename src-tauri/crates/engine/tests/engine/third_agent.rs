//! A third agent, built like the next ones: a descriptor, an adapter over frames and a shared server. Whole sessions with the
//! real server process.

mod adapter;
mod agent;
mod stage;
mod wire;

use std::io::{BufReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use agent::{MODEL, ThirdAgent};
use askdesk_agents::Address;
use askdesk_domain::{
    AgentFailure, ApprovalOptionKind, Attachment, ChangeRefused, ConfigOption, ContextUse, EntryBody,
    LaunchOverrides, MinuteOfDay, NextStep, NotNeededWhy, Notice, NotificationCandidate, NotificationCause,
    NotificationDecision, NotificationHistory, OptIn, OptionLabel, OrphanedWhy, Outcome, Rejection, Request,
    SessionEnd, SessionId, SessionOptions, SessionState, SessionUsage, Setting, Settings, TodoItem,
    TodoStatus, ToolDetail, ToolStatus, UnsupportedFeature, UsageSum, Usd, ValueId, WithdrawnWhy,
};
use askdesk_engine::clock::Clock;
use askdesk_engine::{EngineError, Message, NotificationEvent};
use rstest::rstest;
use serde_json::{Value, json};
use stage::{Stage, asks, permits, says, tool};

use crate::support::agents::is_alive;
use crate::support::desk::{PATIENCE, TestDesk};
use crate::support::mirror::Mirror;

fn steps<const N: usize>(parts: [&[Value]; N]) -> Vec<Value> {
    parts.concat()
}

/// The answer that the server gets when `label` is chosen.
fn answered(text: &str, label: &str) -> String {
    json!({"answers": [{"question": text, "chosen": [label], "text": null, "note": null}]}).to_string()
}

fn outcome(known: &Mirror, request: &Request) -> Option<Outcome> {
    known.requests[&request.id].ended().map(|ended| ended.outcome.clone())
}

#[tokio::test]
async fn two_sessions_on_one_server_keep_their_questions_and_answers_apart() {
    let mut stage = Stage::open().await;
    let mut sessions = Vec::new();
    for name in ["first", "second"] {
        let (question, permission) =
            (asks(&format!("Which {name} store?")), permits(name, &format!("rm {name}")));
        sessions.push(stage.play(&steps([&[says("$pid")], &question, &permission])).await);
    }
    let (first, second) = (sessions[0], sessions[1]);
    let of_first = stage.asked_one(first).await;
    let of_second = stage.asked_one(second).await;
    assert_eq!(of_first.questions[0].text, "Which first store?");
    assert_eq!(of_second.questions[0].text, "Which second store?");
    let pid = stage.desk.mirror.said(first)[0].to_owned();
    assert_eq!(stage.desk.mirror.said(second), [pid.as_str()]);

    // The last question is answered first.
    stage.answer(&of_second, "B").await;
    let permission = stage.permission(second).await;
    assert!(stage.desk.engine.request(of_first.id).await.unwrap().is_open());
    let detail = ToolDetail::Command { command: "rm second".to_owned(), description: None };
    assert_eq!((permission.title.as_str(), &permission.subject), ("Shell", &detail));
    let offered: Vec<_> =
        permission.options.iter().map(|it| (it.id.as_str(), it.kind, it.label.clone())).collect();
    let label = |text: &str| OptionLabel::Text { text: text.to_owned() };
    let expected = [
        ("0x7f/Yes ✓", ApprovalOptionKind::AllowOnce, label("Yes, go ahead")),
        ("opt:{\"always\":1}", ApprovalOptionKind::AllowAlways, label("Yes, and never ask again here")),
        ("no", ApprovalOptionKind::RejectOnce, label("No")),
        ("NEVER", ApprovalOptionKind::RejectAlways, label("No, and never again")),
    ];
    assert_eq!(offered, expected);
    stage.decide(&permission, "NEVER").await;
    stage.until_turns(second, 1).await;
    stage.until_delivered(of_second.id).await;
    let told = [pid.as_str(), &answered("Which second store?", "B"), r#"{"option":"NEVER"}"#];
    assert_eq!(stage.desk.mirror.said(second), told);

    stage.answer(&of_first, "A").await;
    let permission = stage.permission(first).await;
    stage.decide(&permission, "opt:{\"always\":1}").await;
    stage.until_turns(first, 1).await;
    stage.until_delivered(of_first.id).await;
    let told = [pid.as_str(), &answered("Which first store?", "A"), r#"{"option":"opt:{\"always\":1}"}"#];
    assert_eq!(stage.desk.mirror.said(first), told);
    assert_eq!(stage.desk.mirror.said(second).len(), 3);
    stage.desk.check_mirror().await;
}

#[rstest]
#[case::announced_before_the_permission(true, "0x7f/Yes ✓", ToolStatus::Running, "done", ToolStatus::Done)]
#[case::announced_while_it_is_asked(false, "0x7f/Yes ✓", ToolStatus::Running, "done", ToolStatus::Done)]
#[case::allowed_and_failed(true, "0x7f/Yes ✓", ToolStatus::Running, "failed", ToolStatus::Failed)]
#[case::refused(true, "no", ToolStatus::Failed, "failed", ToolStatus::Failed)]
#[case::refused_before_it_was_announced(false, "NEVER", ToolStatus::Failed, "failed", ToolStatus::Failed)]
#[case::refused_and_done_all_the_same(true, "no", ToolStatus::Failed, "done", ToolStatus::Done)]
#[tokio::test]
async fn case_75_a_tool_call_awaits_permission_and_then_follows_the_decision(
    #[case] announced: bool,
    #[case] decision: &'static str,
    #[case] then: ToolStatus,
    #[case] says_agent: &str,
    #[case] last: ToolStatus,
) {
    let mut stage = Stage::open().await;
    let [mut permission, _] = permits("call-1", "rm -r notes");
    let mut before = Vec::new();
    match announced {
        true => {
            before.push(tool("call-1", "pending"));
            permission["meanwhile"] = json!([says("waiting")]);
        }
        false => permission["meanwhile"] = json!([tool("call-1", "running"), says("waiting")]),
    }
    // The question blocks the agent until the state in between was seen.
    let steps = steps([&before, &[permission], &asks("Go on?"), &[tool("call-1", says_agent)]]);
    let session = stage.play(&steps).await;
    let permission = stage.permission(session).await;
    stage.until_said(session, "waiting").await;
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::AwaitingPermission]);

    stage.decide(&permission, decision).await;
    let question = stage.asked_one(session).await;
    stage.until_status(session, then).await;
    stage.answer(&question, "A").await;
    stage.until_turns(session, 1).await;
    assert_eq!(stage.desk.mirror.tool_statuses(session), [last]);
    let output = |body: &&EntryBody| matches!(body, EntryBody::Tool { output: Some(output), .. } if *output == format!("{says_agent}."));
    assert_eq!(stage.desk.mirror.transcript(session).iter().filter(|body| output(body)).count(), 1);
}

#[tokio::test]
async fn case_113_a_call_without_a_result_does_not_run_on_after_its_turn() {
    let mut stage = Stage::open().await;
    let calls = [tool("call-1", "running"), tool("call-2", "pending"), tool("call-3", "done")];
    let session = stage.play(&calls).await;
    stage.until_turns(session, 1).await;
    assert_eq!(
        stage.desk.mirror.tool_statuses(session),
        [ToolStatus::NoResult, ToolStatus::NoResult, ToolStatus::Done]
    );
    // A result that comes late is shown all the same.
    stage.send(session, &[tool("call-1", "done")]).await;
    stage.until_turns(session, 2).await;
    assert_eq!(
        stage.desk.mirror.tool_statuses(session),
        [ToolStatus::Done, ToolStatus::NoResult, ToolStatus::Done]
    );
    stage.desk.check_mirror().await;
}

#[rstest]
#[case::running("running", 0)]
#[case::long_before("pending", 600)]
#[tokio::test]
async fn case_113_a_call_that_a_crash_cut_off_does_not_run_after_the_restart(
    #[case] status: &str,
    #[case] said_since: usize,
) {
    let mut stage = Stage::open().await;
    let since: Vec<_> = (0..said_since).map(|n| says(&n.to_string())).collect();
    let steps = steps([&[tool("call-1", status)], &since[..], &asks("Go on?")]);
    let session = stage.play(&steps).await;
    stage.asked_one(session).await;
    assert!(!stage.desk.mirror.tool_statuses(session)[0].is_final());
    stage.desk.engine.close().await.unwrap();
    let again = TestDesk::open_at(&stage.desk.folder).await;
    let page = again.engine.page(session, Some(20), 20).await.unwrap();
    let statuses = page.entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::Tool { status, .. } => Some(*status),
        _ => None,
    });
    assert_eq!(statuses.collect::<Vec<_>>(), [ToolStatus::NoResult]);
}

#[tokio::test]
async fn stopping_one_session_keeps_the_server_and_stopping_the_last_ends_it() {
    let mut stage = Stage::open().await;
    let first = stage.play(&steps([&[says("$pid")], &asks("First?")])).await;
    let second = stage.play(&steps([&asks("Second?"), &[says("$sessions")]])).await;
    let (of_first, of_second) = (stage.asked_one(first).await, stage.asked_one(second).await);
    let pid: u32 = stage.desk.mirror.said(first)[0].parse().unwrap();

    stage.stop(first).await;
    let why = OrphanedWhy::SessionStopped;
    assert_eq!(outcome(&stage.desk.mirror, &of_first), Some(Outcome::Orphaned { why }));
    assert!(stage.desk.engine.request(of_second.id).await.unwrap().is_open());
    assert!(is_alive(pid));
    stage.answer(&of_second, "B").await;
    stage.until_turns(second, 1).await;
    stage.until_delivered(of_second.id).await;
    // The server has closed the first session.
    let native = stage.desk.mirror.sessions[&second].native_session.clone().unwrap();
    assert_eq!(stage.desk.mirror.said(second), [&answered("Second?", "B"), native.as_str()]);

    stage.sessions.stop(second).await.unwrap();
    assert!(!is_alive(pid));
    assert_eq!(stage.until_ended(second).await, SessionEnd::Stopped);
    let third = stage.start(None, SessionOptions::default()).await;
    stage.until_idle(third).await;
    assert_ne!(stage.pid(third).await, pid);
}

#[tokio::test]
async fn a_crash_of_the_server_ends_its_sessions_and_each_can_be_resumed_on_a_new_server() {
    let mut stage = Stage::open().await;
    let first = stage.play(&steps([&[says("$pid")], &asks("First?")])).await;
    let of_first = stage.asked_one(first).await;
    let second = stage.play(&steps([&[says("$pid")], &asks("Second?")])).await;
    let of_second = stage.asked_one(second).await;
    let pid: u32 = stage.desk.mirror.said(first)[0].parse().unwrap();
    let third = stage.start(Some("die".to_owned()), SessionOptions::default()).await;
    for (session, next) in
        [(first, NextStep::Resume), (second, NextStep::Resume), (third, NextStep::StartAnew)]
    {
        let code = Some(i32::from(askdesk_testkit::fake_server::DIED));
        let why = AgentFailure::Exited { code, signal: None, said: String::new(), next };
        assert_eq!(stage.until_ended(session).await, SessionEnd::Failed { why });
    }
    for request in [&of_first, &of_second] {
        let why = OrphanedWhy::AgentEnded;
        assert_eq!(outcome(&stage.desk.mirror, request), Some(Outcome::Orphaned { why }));
        assert!(stage.desk.mirror.requests[&request.id].is_missed());
    }
    assert!(!is_alive(pid));

    // The answer is parked, and sent to the resumed session.
    stage.answer(&of_first, "A").await;
    let native = stage.desk.mirror.sessions[&first].native_session.clone().unwrap();
    assert_ne!(native.as_str(), first.to_string());
    for session in [first, second] {
        assert!(stage.desk.mirror.sessions[&session].resumable);
        stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    }
    stage.until_delivered_late(of_first.id).await;
    stage.until_said(first, "This is a late answer.").await;
    stage.until_said(first, "Question: First?\nAnswer: \"A\"").await;
    stage.until_turns(first, 1).await;
    stage.until_idle(second).await;
    assert!(stage.desk.mirror.requests[&of_second.id].is_missed());
    let now = stage.pid(first).await;
    assert_ne!(now, pid);
    assert_eq!(stage.pid(second).await, now);
    let begun = stage.ask_server(first, "$begun").await;
    let begun: Value = serde_json::from_str(&begun).unwrap();
    assert_eq!(begun["sessionId"], native.as_str());

    // The new server reuses the ids of requests, but they are other questions.
    for text in ["First?", "And now?"] {
        stage.send(first, &asks(text)).await;
        let again = stage.asked_one(first).await;
        assert_ne!(again.id, of_first.id);
        stage.answer(&again, "B").await;
        stage.until_delivered(again.id).await;
        stage.until_said(first, &answered(text, "B")).await;
        stage.until_idle(first).await;
    }
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn a_session_that_the_server_does_not_know_ends_and_the_others_continue() {
    let mut stage = Stage::open().await;
    let first = stage.start(Some("forget me".to_owned()), SessionOptions::default()).await;
    let second = stage.play(&asks("Second?")).await;
    let of_second = stage.asked_one(second).await;
    stage.until_turns(first, 1).await;
    stage.stop(first).await;
    stage.sessions.resume(first, &LaunchOverrides::default()).await.unwrap();
    let ended = |known: &Mirror| match &known.sessions[&first].state {
        SessionState::Ended { end, .. } => *end == SessionEnd::Failed { why: AgentFailure::SessionUnknown },
        _ => false,
    };
    stage.desk.until("the session ends as unknown", ended).await;
    assert!(!stage.desk.mirror.sessions[&first].resumable);
    stage.answer(&of_second, "A").await;
    stage.until_turns(second, 1).await;
}

/// A question that stays open past the end of its turn; its answer begins the next one.
fn outlives_its_turn() -> Vec<Value> {
    let [mut question, answer] = asks("Which?");
    question["meanwhile"] = json!([{"end": {"said": "That is all for now."}}]);
    vec![question, answer, json!({"notify": "session/idle"})]
}

#[rstest]
#[case::written_during_the_turn(true)]
#[case::written_after_it(false)]
#[tokio::test]
async fn case_35_queued_messages_wait_for_a_question_that_outlives_its_turn(#[case] during: bool) {
    let mut stage = Stage::open().await;
    let mut script = steps([&asks("First?"), &outlives_its_turn()]);
    if !during {
        script.drain(..2);
    }
    let session = stage.play(&script).await;
    if during {
        let first = stage.asked_one(session).await;
        stage.desk.queue(session, "then add tests", Vec::new()).await;
        stage.answer(&first, "A").await;
    }
    stage.until_turns(session, 1).await;
    let request = stage.asked_one(session).await;
    if !during {
        stage.desk.queue(session, "then add tests", Vec::new()).await;
    }
    // The session handles its inputs in order, so anything before this change has been sent.
    stage.set(session, "model", "small").await.unwrap();
    stage.desk.catch_up();
    assert_eq!(stage.desk.mirror.sessions[&session].queue.len(), 1);
    assert!(stage.desk.engine.request(request.id).await.unwrap().is_open());

    stage.answer(&request, "B").await;
    stage.until_delivered(request.id).await;
    stage.until_turns(session, 3).await;
    let said = stage.desk.mirror.said(session);
    assert_eq!(said[said.len() - 2..], [&answered("Which?", "B"), "then add tests"]);
    assert!(stage.desk.mirror.sessions[&session].queue.is_empty());
}

/// Waits for a finished turn; returns whether something is open in the session, and what the policy decides.
async fn finished_turn(stage: &mut Stage) -> (bool, NotificationDecision) {
    loop {
        let told = tokio::time::timeout(PATIENCE, stage.desk.notifications.recv()).await;
        let NotificationEvent::Finished { session, waits } = told.expect("in time").expect("the engine runs")
        else {
            continue;
        };
        let finished = NotificationCandidate {
            cause: NotificationCause::FinishedTurn { has_pending: waits },
            session: Some(session.id),
            notifications: session.notifications,
            in_view: None,
            minute: MinuteOfDay::of(12, 0),
            at: stage.desk.clock.now(),
        };
        let wanted = Settings::default().with(Setting::NotifyFinished(OptIn::On));
        return (waits, NotificationHistory::default().decide(&finished, &wanted));
    }
}

#[tokio::test]
async fn case_40_a_session_with_an_open_question_has_not_finished() {
    let mut stage = Stage::open().await;
    let session = stage.play(&outlives_its_turn()).await;
    let request = stage.asked_one(session).await;
    assert_eq!(finished_turn(&mut stage).await, (true, NotificationDecision::Nothing(NotNeededWhy::Waits)));
    stage.until_turns(session, 1).await;
    assert!(stage.desk.engine.request(request.id).await.unwrap().is_open());
    stage.answer(&request, "A").await;
    let (waits, decision) = finished_turn(&mut stage).await;
    assert!(!waits && matches!(decision, NotificationDecision::Notify(_)), "{decision:?}");
    stage.until_delivered(request.id).await;
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_withdraws_its_question() {
    let mut stage = Stage::open().await;
    let [question, _] = asks("Which?");
    let session = stage.play(&[question, says("not said any more")]).await;
    let request = stage.asked_one(session).await;
    stage.sessions.interrupt(session).unwrap();
    stage.until_turns(session, 1).await;
    let why = WithdrawnWhy::Interrupted;
    assert_eq!(outcome(&stage.desk.mirror, &request), Some(Outcome::Withdrawn { why }));
    stage.sessions.send_message(session, "go on".to_owned()).await.unwrap();
    stage.until_turns(session, 2).await;
    assert_eq!(stage.desk.mirror.said(session), ["go on"]);
}

#[tokio::test]
async fn a_session_that_ignores_an_interrupt_ends_without_its_server() {
    let mut stage = Stage::open().await;
    let first = stage.start(None, SessionOptions::default()).await;
    let second = stage.play(&asks("Second?")).await;
    let of_second = stage.asked_one(second).await;
    stage.sessions.send_message(first, "hang".to_owned()).await.unwrap();
    stage.sessions.interrupt(first).unwrap();
    let why = AgentFailure::InterruptIgnored { seconds: 5, next: NextStep::StartAnew };
    assert_eq!(stage.until_ended(first).await, SessionEnd::Failed { why });
    stage.answer(&of_second, "A").await;
    stage.until_turns(second, 1).await;
    let native = stage.desk.mirror.sessions[&second].native_session.clone().unwrap();
    assert_eq!(stage.ask_server(second, "$sessions").await, native.as_str());
}

fn config<'a>(stage: &'a Stage, session: SessionId, id: &str) -> Option<&'a ConfigOption> {
    stage.desk.mirror.sessions[&session].config.iter().find(|option| option.id.as_str() == id)
}

fn current<'a>(stage: &'a Stage, session: SessionId, id: &str) -> Option<&'a str> {
    config(stage, session, id)?.current.as_ref().map(ValueId::as_str)
}

fn refusal(result: Result<(), EngineError>) -> ChangeRefused {
    match result {
        Err(EngineError::Reject(Rejection::AgentRefused { why })) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn config_options_that_the_agent_reports_later_are_shown_and_can_be_set() {
    let mut stage = Stage::open().await;
    let choices = [(MODEL, ValueId::literal("small"))].into();
    let options = SessionOptions { config: choices, ..SessionOptions::default() };
    let session = stage.start(None, options).await;
    stage.until_idle(session).await;
    assert_eq!(current(&stage, session, "model"), Some("small"));
    let begun: Value = serde_json::from_str(&stage.ask_server(session, "$begun").await).unwrap();
    assert_eq!(
        begun,
        json!({"folder": stage.desk.folder.display().to_string(), "config": {"model": "small"}})
    );

    let value = |id: &str| json!({"id": id, "name": id});
    let options = json!([
        {"id": "model", "name": "Model", "values": [value("huge-7"), value("tiny-1")], "current": "huge-7"},
        {"id": "persona", "name": "Persona", "values": [value("pirate"), value("gone-west")]},
    ]);
    stage.send(session, &[json!({"notify": "session/config", "params": {"options": options}})]).await;
    stage.until_turns(session, 2).await;
    let model = config(&stage, session, "model").unwrap();
    let names: Vec<&str> = model.values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), current(&stage, session, "model")),
        (&["huge-7", "tiny-1"][..], Some("huge-7"))
    );
    assert_eq!(config(&stage, session, "persona").unwrap().current, None);

    stage.set(session, "persona", "pirate").await.unwrap();
    stage.set(session, "model", "tiny-1").await.unwrap();
    stage.desk.catch_up();
    assert_eq!(current(&stage, session, "persona"), Some("pirate"));
    assert_eq!(current(&stage, session, "model"), Some("tiny-1"));
    let words = "there is no such value".to_owned();
    assert_eq!(refusal(stage.set(session, "persona", "gone-west").await), ChangeRefused::InWords { words });
    let words = "the agent doesn't support this change".to_owned();
    assert_eq!(refusal(stage.set(session, "mood", "good").await), ChangeRefused::InWords { words });
    stage.desk.catch_up();
    assert_eq!(current(&stage, session, "persona"), Some("pirate"));
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_99_the_use_of_any_agent_is_added_up_and_its_context_is_told() {
    let turn = |used: u64, cost: Value| {
        let context = json!({"used": used, "size": 200_000});
        json!({"end": {"millis": 5, "usage": {"input": 900, "output": 80, "cached": 700, "cost": cost,
            "context": context}}})
    };
    let mut stage = Stage::open().await;
    let session = stage.play(&[turn(40_000, json!(0.25))]).await;
    stage.until_turns(session, 1).await;
    stage.send(session, &[turn(90_000, json!(null))]).await;
    stage.until_turns(session, 2).await;
    let context = Some(ContextUse { used: 90_000, size: 200_000 });
    assert_eq!(stage.desk.mirror.contexts[&session], context);
    stage.desk.check_mirror().await;
    let usage = stage.desk.engine.session_usage(session).await.unwrap();
    let sum = UsageSum {
        turns: 2,
        input_tokens: 1_800,
        output_tokens: 160,
        cached_tokens: 1_400,
        cost: Usd::new(0.25),
    };
    assert_eq!(usage, SessionUsage { sum, context });
    let spent = stage.desk.notified().into_iter().filter(|event| *event == NotificationEvent::Spent).count();
    assert_eq!(spent, 1, "only a turn with a cost can pass a budget");
}

#[tokio::test]
async fn an_agent_that_cannot_compact_says_so_and_one_at_work_is_not_asked() {
    let mut stage = Stage::open().await;
    let session = stage.play(&[says("done")]).await;
    // It is idle before its first turn, too.
    stage.until_said(session, "done").await;
    stage.until_idle(session).await;
    let what = UnsupportedFeature::Compacting;
    let refused = stage.sessions.compact(session).await;
    assert!(matches!(refused, Err(EngineError::Reject(Rejection::Unsupported { what: it })) if it == what));
    let [question, _] = asks("Which?");
    stage.send(session, &[question]).await;
    stage.asked_one(session).await;
    let refused = stage.sessions.compact(session).await;
    let working = Rejection::AgentRefused { why: ChangeRefused::Working };
    assert!(matches!(refused, Err(EngineError::Reject(why)) if why == working));
}

#[tokio::test]
async fn a_plan_is_one_entry_of_its_turn_and_usage_is_in_its_end() {
    let plan = |items: &[(&str, &str)]| {
        let items: Vec<_> =
            items.iter().map(|(text, status)| json!({"text": text, "status": status})).collect();
        json!({"notify": "session/plan", "params": {"items": items}})
    };
    let usage = json!({"input": 900, "output": 80, "cached": 700, "cost": 0.25,
        "context": {"used": 40_000, "size": 200_000}});
    let mut stage = Stage::open().await;
    let session = stage
        .play(&[
            plan(&[("read", "in_progress"), ("write", "pending")]),
            says("reading"),
            plan(&[("read", "done"), ("write", "in_progress")]),
            json!({"end": {"millis": 1_200, "usage": usage}}),
        ])
        .await;
    stage.until_turns(session, 1).await;
    stage.send(session, &[plan(&[("check", "pending")])]).await;
    stage.until_turns(session, 2).await;

    let item = |text: &str, status| TodoItem { text: text.to_owned(), status };
    let first = [item("read", TodoStatus::Done), item("write", TodoStatus::InProgress)];
    let next = [item("check", TodoStatus::Pending)];
    let transcript = stage.desk.mirror.transcript(session);
    let kept: Vec<&EntryBody> =
        transcript.into_iter().filter(|body| !matches!(body, EntryBody::Person { .. })).collect();
    let ended = EntryBody::TurnEnded {
        millis: 1_200,
        input_tokens: 900,
        output_tokens: 80,
        cached_tokens: 700,
        error: None,
        cost_usd: Usd::new(0.25),
        context: Some(ContextUse { used: 40_000, size: 200_000 }),
    };
    let [EntryBody::Plan { items }, EntryBody::Agent { text }, end, EntryBody::Plan { items: again }, _] =
        kept[..]
    else {
        panic!("{kept:?}");
    };
    assert_eq!((items.as_slice(), text.as_str(), again.as_slice()), (&first[..], "reading", &next[..]));
    assert_eq!(*end, ended);
}

#[tokio::test]
async fn an_unknown_request_is_refused_and_counted() {
    let mut stage = Stage::open().await;
    let session = stage.play(&[json!({"ask": "session/dance"}), says("$answer")]).await;
    stage.until_turns(session, 1).await;
    let said = r#"{"code":-32601,"message":"Method not found: session/dance"}"#;
    assert_eq!(stage.desk.mirror.said(session), [said]);
    stage.desk.until("it is counted", |known| known.sessions[&session].unusable_lines == 1).await;
    let log = stage.log(session);
    assert!(log.contains("a message of unknown type session/dance"), "{log}");
}

#[tokio::test]
async fn a_message_that_the_agent_cannot_take_has_a_notice_and_the_session_stays_idle() {
    let mut stage = Stage::open().await;
    let session = stage.start(None, SessionOptions::default()).await;
    stage.until_idle(session).await;
    let path = stage.desk.folder.display().to_string();
    let text = "look at this".to_owned();
    let message = Message { text, attachments: vec![Attachment::File { path, bytes: 0 }], closes: vec![] };
    stage.sessions.send_message(session, message).await.unwrap();
    let not_sent = |notice: &&Notice| matches!(notice, Notice::MessageNotSent { .. });
    stage.desk.until("the notice", |known| known.notices(session).iter().any(not_sent)).await;
    stage.desk.catch_up();
    assert_eq!(stage.desk.mirror.sessions[&session].state, SessionState::Idle);
    let Notice::MessageNotSent { error } = stage.desk.mirror.notices(session)[0] else { panic!() };
    assert_eq!(error.to_string(), "the agent doesn't support attachments");
}

/// Everything that a server received.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    fn count(&self, method: &str) -> usize {
        String::from_utf8_lossy(&self.0.lock().unwrap()).matches(method).count()
    }
}

struct Listening(UnixStream, Heard);

impl Read for Listening {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read(into)?;
        self.1.0.lock().unwrap().extend(&into[..count]);
        Ok(count)
    }
}

/// Runs a server outside the engine, which serves one connection after another.
fn attached_server(folder: &Path) -> (Address, Heard) {
    let path = folder.join("server.sock");
    let (listener, heard) = (UnixListener::bind(&path).unwrap(), Heard::default());
    let hears = heard.clone();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let reader = Listening(stream.try_clone().unwrap(), hears.clone());
            askdesk_testkit::fake_server::serve(BufReader::new(reader), stream);
        }
    });
    (Address::Unix(path), heard)
}

#[tokio::test]
async fn an_attached_server_works_like_a_started_one_and_is_never_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (address, heard) = attached_server(folder.path());
    let mut stage = Stage::of(ThirdAgent::attached(address)).await;
    let first = stage.play(&asks("First?")).await;
    let second = stage.play(&steps([&asks("Second?"), &permits("call", "rm")])).await;
    let (_, of_second) = (stage.asked_one(first).await, stage.asked_one(second).await);
    stage.stop(first).await;
    stage.answer(&of_second, "B").await;
    let permission = stage.permission(second).await;
    stage.decide(&permission, "no").await;
    stage.until_turns(second, 1).await;
    assert_eq!(stage.desk.mirror.said(second), [&answered("Second?", "B"), r#"{"option":"no"}"#]);
    stage.stop(second).await;

    let third = stage.start(None, SessionOptions::default()).await;
    stage.until_idle(third).await;
    assert_eq!(stage.pid(third).await, std::process::id());
    assert_eq!(heard.count("session/close"), 2, "each session was closed");
}

#[rstest]
#[case::started(false)]
#[case::attached(true)]
#[tokio::test]
async fn a_refused_handshake_fails_the_session_with_the_servers_words(#[case] attached: bool) {
    let folder = tempfile::tempdir().unwrap();
    let agent = match attached {
        true => ThirdAgent::attached(attached_server(folder.path()).0),
        false => ThirdAgent::new(stage::server()),
    };
    let mut stage = Stage::of(agent.with_hello("howdy")).await;
    let session = stage.start(Some("hello".to_owned()), SessionOptions::default()).await;
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    let AgentFailure::Exited { said, .. } = &why else { panic!("{why}") };
    assert!(said.starts_with("say hello first"), "{said}");
}
