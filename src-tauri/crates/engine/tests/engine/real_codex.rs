//! The real `codex`: several sessions on its app server; its model is a mock on loopback.

mod async_questions;
mod faults;
mod images;
mod subagents;
mod world;

use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentFailure, AnswerInput, ApprovalDecision, ApprovalOptionKind, EntryBody, LaunchOverrides, Notice,
    OptionLabel, OrphanedWhy, Outcome, QuestionKind, Request, SessionEnd, SessionId, ToolDetail, ToolStatus,
    WithdrawnWhy,
};
use askdesk_engine::SessionCall;
use askdesk_testkit::clis::Release;
use askdesk_testkit::eliciting_server::{ElicitingServer, PAGE};
use askdesk_testkit::mock_api::{Block, Reply};
use rstest::rstest;
use serde_json::{Value, json};
use world::{REQUEST_WITHIN, World, ask, asking_first, decision, shell};

use crate::support::agents::{choose, is_alive};
use crate::support::desk::poll;
use crate::support::moves::goes_on_in_the_moved_folder;

/// Lists the files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn case_65_each_answer_reaches_the_models_next_request_as_it_was_given_and_a_secret_stays_off_the_disk()
{
    const SECRET: &str = "correct horse battery";
    let questions = json!([
        {"id": "auth", "header": "Auth", "question": "Which auth method?", "options": [
            {"label": "JWT, signed (Recommended)", "description": "No state"},
            {"label": "Sessions", "description": "On the server"}]},
        {"id": "db", "header": "DB", "question": "Which database?", "options": [
            {"label": "SQLite", "description": "A file"}, {"label": "Postgres", "description": "A server"}]},
        {"id": "name", "header": "Name", "question": "What is it called?", "options": [
            {"label": "Notes", "description": "Short"}, {"label": "Desk", "description": "Shorter"}]},
        {"id": "token", "header": "Token", "question": "Which token?", "isSecret": true, "options": [
            {"label": "The old one", "description": "Old"}, {"label": "A new one", "description": "New"}]},
        {"id": "left", "header": "Left", "question": "Anything else?", "options": [
            {"label": "No", "description": "Done"}, {"label": "Yes", "description": "More"}]},
    ]);
    let script = vec![
        Reply::new([Block::text("I need to ask."), ask("call_1", &questions)]),
        Reply::text("Thank you."),
    ];
    let Some(mut world) = World::open("case_65_each_answer_reaches_the_models_next_request", script).await
    else {
        return;
    };
    let session = world.start("Please go on.").await;
    let request = world.stage.asked_one(session).await;
    let kinds: Vec<QuestionKind> = request.questions.iter().map(|question| question.kind).collect();
    use QuestionKind::{Secret, Single};
    assert_eq!(kinds, [Single, Single, Single, Secret, Single]);
    world.stage.until_said(session, "I need to ask.").await;

    let mut noted = choose(&request, 1, &["Postgres"]);
    noted.note = Some("version 16".to_owned());
    let mut own = choose(&request, 2, &[]);
    own.other = Some("Say \"Desk\"\nto nobody".to_owned());
    let mut secret = choose(&request, 3, &[]);
    secret.other = Some(SECRET.to_owned());
    let answers = vec![choose(&request, 0, &["JWT, signed (Recommended)"]), noted, own, secret];
    world.stage.desk.engine.answer(request.id, answers).await.unwrap();
    let heard = world.result_of(2, "call_1").await;
    assert_eq!(
        heard,
        json!({"answers": {
            "auth": {"answers": ["JWT, signed (Recommended)"]},
            "db": {"answers": ["Postgres", "user_note: version 16"]},
            "name": {"answers": ["user_note: Say \"Desk\"\nto nobody"]},
            "token": {"answers": [format!("user_note: {SECRET}")]},
            "left": {"answers": ["user_note: The user left this question unanswered."]},
        }})
    );
    world.stage.until_said(session, "Thank you.").await;
    world.stage.until_delivered(request.id).await;
    world.stage.until_idle(session).await;
    let known = &world.stage.desk.mirror;
    assert!(known.sessions[&session].native_session.is_some());
    assert!(matches!(known.turns(session)[..], [EntryBody::TurnEnded { input_tokens: 20, error: None, .. }]));
    assert!(!format!("{known:?}").contains(SECRET));
    assert!(!world.stage.log(session).contains(SECRET));
    world.stage.desk.check_mirror().await;
    world.stage.stop(session).await;
    assert_eq!(files_with(&world.stage.desk.folder, SECRET), Vec::<PathBuf>::new());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_66_and_75_each_decision_on_a_command_arrives_as_it_was_made(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![
        shell("c1", "touch one"),
        shell("c2", "touch two"),
        shell("c3", "touch three"),
        Reply::text("As you wish."),
    ];
    let Some(mut world) =
        World::open_release(release, "case_66_and_75_each_decision_on_a_command", script).await
    else {
        return;
    };
    let session = world.start_with("Please go on.", asking_first()).await;

    let approval = world.stage.permission(session).await;
    world.until_status(session, ToolStatus::AwaitingPermission).await;
    let ToolDetail::Command { command, .. } = &approval.subject else { panic!("{:?}", approval.subject) };
    assert!(command.contains("touch one"), "{command}");
    world.decide(&approval, decision("accept")).await;

    let approval = world.stage.permission(session).await;
    let kinds: Vec<_> = approval.options.iter().map(|option| option.kind).collect();
    assert!(
        kinds.contains(&ApprovalOptionKind::AllowOnce) && kinds.contains(&ApprovalOptionKind::RejectOnce)
    );
    let rule = approval.options.iter().find(|option| matches!(option.label, OptionLabel::Tool { .. }));
    assert!(world.file("one"));
    match rule {
        Some(rule) => world.decide(&approval, ApprovalDecision::of(rule.id.clone())).await,
        None => world.decide(&approval, decision("acceptForSession")).await,
    }

    let approval = world.stage.permission(session).await;
    let refused = ApprovalDecision { message: Some("Not a third.".to_owned()), ..decision("decline") };
    world.decide(&approval, refused).await;
    world.stage.until_said(session, "As you wish.").await;
    // The server puts them into the next request, or into one more.
    let heard = || world.mock.conversation().last().unwrap()["input"].to_string();
    poll("the model reads the words", || heard().contains("Not a third.")).await;
    world.stage.until_idle(session).await;
    assert_eq!([world.file("two"), world.file("three")], [true, false]);
    world.until_status(session, ToolStatus::Denied).await;

    let before = world.mock.conversation().len();
    world.mock.push(shell("c4", "touch four"));
    world.mock.push(Reply::text("Not reached by the fourth."));
    world.stage.sessions.call(session, SessionCall::message("And a fourth.".to_owned())).await.unwrap();
    let approval = world.stage.permission(session).await;
    world.decide(&approval, decision("cancel")).await;
    world.stage.until_idle(session).await;
    assert!(!world.file("four"));
    assert_eq!(world.mock.conversation().len(), before + 1);
    world.stage.desk.check_mirror().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_withdraws_the_question_and_the_session_goes_on(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let questions = json!([{"id": "q", "header": "Q", "question": "Which?", "options": [
        {"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]);
    let script = vec![Reply::new([ask("call_1", &questions)]), Reply::text("On with it.")];
    let Some(mut world) = World::open_release(release, "an_interrupt_withdraws_the_question", script).await
    else {
        return;
    };
    let session = world.start("Go.").await;
    let request = world.stage.asked_one(session).await;
    world.stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    world.stage.until_idle(session).await;
    let withdrawn = world.stage.desk.request(request.id).await;
    let why = WithdrawnWhy::Interrupted;
    assert_eq!(withdrawn.ended().unwrap().outcome, Outcome::Withdrawn { why });
    world.stage.sessions.call(session, SessionCall::message("Then without it.".to_owned())).await.unwrap();
    world.stage.until_idle_after(session, "On with it.").await;
    world.stage.desk.check_mirror().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_68_and_69_a_killed_server_ends_its_sessions_and_each_goes_on_where_it_was(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let questions = json!([{"id": "store", "header": "Store", "question": "Which store?", "options": [
        {"label": "SQLite", "description": "a"}, {"label": "Postgres", "description": "b"}]}]);
    let script = vec![
        Reply::text("Hello from the other one."),
        Reply::new([Block::text("I need to ask."), ask("call_1", &questions)]),
        Reply::text("Postgres it is."),
    ];
    let Some(mut world) =
        World::open_release(release, "case_68_and_69_a_killed_server_ends_its_sessions", script).await
    else {
        return;
    };
    let other = world.start("Other.").await;
    world.stage.until_idle_after(other, "Hello from the other one.").await;
    let session = world.start("Go.").await;
    let request = world.stage.asked_one(session).await;
    let server = world.server();
    world.kill_server();
    for session in [session, other] {
        let SessionEnd::Failed { why } = world.stage.until_ended(session).await else { panic!() };
        assert!(matches!(why, AgentFailure::Exited { .. }), "{why}");
        assert!(world.stage.desk.mirror.sessions[&session].resumable);
    }
    let why = OrphanedWhy::AgentEnded;
    assert_eq!(
        world.stage.desk.request(request.id).await.ended().unwrap().outcome,
        Outcome::Orphaned { why }
    );

    world.stage.answer(&request, "Postgres").await;
    for session in [session, other] {
        world.stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    }
    world.stage.until_said(session, "Postgres it is.").await;
    world.stage.until_delivered_late(request.id).await;
    world.stage.until_idle(session).await;
    let heard = world.mock.wait_for_request(3, REQUEST_WITHIN).await.unwrap();
    let input = heard["input"].to_string();
    assert_eq!(input.matches("This is a late answer.").count(), 1, "{input}");
    assert!(input.contains("Which store?") && input.contains("Go."), "{input}");
    assert_ne!(world.server(), server);
    world.stage.desk.check_mirror().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_options_reach_the_server_and_the_model() {
    let Some(mut world) = World::open("changed_options_reach_the_server", vec![Reply::text("One.")]).await
    else {
        return;
    };
    let session = world.start("Go.").await;
    world.stage.until_idle_after(session, "One.").await;
    for (option, value) in
        [("model", "other"), ("effort", "low"), ("approval_policy", "never"), ("sandbox", "read-only")]
    {
        world.stage.set(session, option, value).await.unwrap();
        world
            .stage
            .desk
            .until(option, |known| {
                let config = &known.sessions[&session].config;
                config.iter().any(|it| {
                    it.id.as_str() == option && it.current.as_ref().is_some_and(|it| it.as_str() == value)
                })
            })
            .await;
    }
    world.mock.push(Reply::text("Two."));
    world.stage.sessions.call(session, SessionCall::message("Again.".to_owned())).await.unwrap();
    world.stage.until_idle_after(session, "Two.").await;
    let heard: Vec<Value> = world.mock.conversation();
    assert_eq!(heard[1]["model"], "other");
    assert!(world.stage.set(session, "approval_policy", "sometimes").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_123_a_new_sign_in_is_told_to_a_session_of_the_old_one_and_used_by_new_and_resumed_sessions() {
    let script = vec![Reply::text("One."), Reply::text("Two."), Reply::text("Three.")];
    let Some(mut world) = World::open("case_123_a_new_sign_in_is_told", script).await else { return };
    world.sign_in("sk-old");
    world.mock.accept_only("sk-old");
    let old = world.start("Go.").await;
    world.stage.until_idle_after(old, "One.").await;
    let server = world.server();

    world.sign_in("sk-new");
    world.mock.accept_only("sk-new");
    world.stage.sessions.call(old, SessionCall::message("Again.".to_owned())).await.unwrap();
    let is_told =
        |notice: &&Notice| matches!(notice, Notice::SignInChanged { error } if error.contains("401"));
    let told = "the session is told of the sign-in";
    world.stage.desk.until(told, |known| known.notices(old).iter().any(is_told)).await;
    world.stage.until_idle(old).await;

    let new = world.start("Another.").await;
    world.stage.until_idle_after(new, "Two.").await;
    assert_ne!(world.server(), server);
    world.stage.stop(old).await;
    world.stage.sessions.resume(old, &LaunchOverrides::default()).await.unwrap();
    world.stage.sessions.call(old, SessionCall::message("And now?".to_owned())).await.unwrap();
    world.stage.until_idle_after(old, "Three.").await;
    assert_eq!(world.stage.desk.mirror.notices(old).iter().filter(|it| is_told(it)).count(), 1);
    assert!(!is_alive(server));
    world.stage.desk.check_mirror().await;
}

/// Starts a session whose model calls a tool of an eliciting server, allows the call, and waits for what the server asks.
async fn elicited(test: &str, tool: &str) -> Option<(World, ElicitingServer, SessionId, Request)> {
    let input = json!({"topic": "auth"});
    let script = vec![Reply::new([Block::tool("call_1", tool, input.clone())]), Reply::text("Thank you.")];
    let mut world = World::open(test, script).await?;
    let server = ElicitingServer::start().await.unwrap();
    world.add_server("desk", &server.url);
    let session = world.start("Go.").await;
    let approval = world.stage.permission(session).await;
    assert_eq!(approval.title, format!("mcp__desk__{tool}"));
    let ToolDetail::Other { input: shown } = &approval.subject else { panic!("{:?}", approval.subject) };
    assert_eq!(serde_json::from_str::<Value>(shown).unwrap(), input);
    world.decide(&approval, decision("accept")).await;
    let request = world.stage.asked_one(session).await;
    assert_eq!(request.asked_by.as_deref(), Some("desk"));
    Some((world, server, session, request))
}

/// Waits until the turn is over, and returns how the server heard the end of its elicitation.
async fn heard(world: &mut World, server: &ElicitingServer, session: SessionId) -> Value {
    world.stage.until_idle_after(session, "Thank you.").await;
    world.stage.desk.check_mirror().await;
    let replies = server.replies();
    assert_eq!(replies.len(), 1, "{replies:?}");
    replies[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_and_141_a_form_of_a_server_is_a_card_and_its_values_reach_the_server_within_its_bounds() {
    let test = "case_111_codex_passes_on_a_form";
    let Some((mut world, server, session, request)) = elicited(test, "form").await else { return };
    let answers = |count: &str| {
        let count = AnswerInput { chosen: vec![], other: Some(count.to_owned()), ..choose(&request, 1, &[]) };
        vec![choose(&request, 0, &["sessions"]), count]
    };
    assert_eq!(request.questions[1].default.as_ref().unwrap().other.as_deref(), Some("4"));
    let refused = world.stage.desk.engine.answer(request.id, answers("23")).await.unwrap_err();
    assert!(refused.to_string().ends_with("a whole number (at least 2, at most 9)"), "{refused}");
    world.stage.desk.engine.answer(request.id, answers("3")).await.unwrap();
    let reply = heard(&mut world, &server, session).await;
    assert_eq!(
        (&reply["action"], &reply["content"]),
        (&json!("accept"), &json!({"auth": "sessions", "count": 3}))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_a_page_that_a_server_wants_opened_is_a_card_and_the_consent_reaches_the_server() {
    let test = "case_111_codex_passes_on_a_page";
    let Some((mut world, server, session, request)) = elicited(test, "page").await else { return };
    assert_eq!(request.questions[0].text, format!("Sign in\n\n{PAGE}"));
    world.stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["Yes"])]).await.unwrap();
    assert_eq!(heard(&mut world, &server, session).await["action"], "accept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_real_codex_goes_on_in_the_folder_that_its_own_one_became() {
    let script = vec![Reply::text("Hi."), Reply::text("Still here.")];
    let Some(mut world) = World::open("a_session_of_the_real_codex_goes_on", script).await else { return };
    let session = world.start("Please go on.").await;
    world.stage.until_idle_after(session, "Hi.").await;
    let World { stage, mock, project, .. } = &mut world;
    goes_on_in_the_moved_folder(stage, mock, project, session, |_| ()).await;
}
