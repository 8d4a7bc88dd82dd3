//! What each supported release of the real `claude` must do.

use askdesk_domain::{
    AgentFailure, AnswerInput, ApprovalOption, OptionLabel, OptionScope, Outcome, SessionEnd, ToolDetail,
    ToolRule, WithdrawnWhy,
};
use rstest::rstest;

use super::*;
use crate::support::agents::{choose, decides, denies, mode_of};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_01_and_10_the_answer_reaches_the_model_as_it_was_given_and_the_turn_goes_on(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let questions = json!([
        {"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite (Recommended)", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]},
        {"question": "Which features do you want?", "header": "Features", "multiSelect": true, "options": [
            {"label": "Search", "description": "Full text"},
            {"label": "Yes, always", "description": "Sync"},
            {"label": "Export", "description": "PDF"}]},
    ]);
    let script = vec![
        Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions)]),
        Reply::text("Thank you."),
    ];
    let test = "case_01_and_10_the_answer_reaches_the_model";
    let Some(mut real) = Real::start_release(release, test, script).await else { return };
    let request = real.stage.asked_one(real.session).await;
    let store = choose(&request, 0, &["PostgreSQL"]);
    let features = choose(&request, 1, &["Export", "Yes, always"]);
    let features = AnswerInput { other: Some("Tags".to_owned()), ..features };
    real.stage.desk.engine.answer(request.id, vec![store, features]).await.unwrap();
    real.stage.until_delivered(request.id).await;
    real.until_turns(1).await;

    let known = &real.stage.desk.mirror;
    assert_eq!(known.said(real.session), ["I need to ask.", "Thank you."]);
    assert_eq!(known.notices(real.session), Vec::<&Notice>::new());
    assert_eq!(known.requests.len(), 1);
    assert_eq!(mode_of(&known.sessions[&real.session]), Some("default"));
    let result = real.result_of("toolu_ask_1");
    for pair in [
        r#"\"Which store should the notes be kept in?\"=\"PostgreSQL\""#,
        r#"\"Which features do you want?\"=\"Yes, always, Export, Tags\""#,
    ] {
        assert!(result.contains(pair), "{result}");
    }
    real.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_allowed_once_then_by_a_rule_and_another_is_denied_with_a_message(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![
        bash("toolu_1", "mkdir once"),
        bash("toolu_2", "mkdir ruled"),
        bash("toolu_3", "mkdir ruled -p"),
        bash("toolu_4", "mkdir denied"),
        Reply::text("Done."),
    ];
    let Some(mut real) = Real::start_release(release, "a_command_is_allowed_once", script).await else {
        return;
    };
    let first = real.asked().await;
    let description = Some("Runs it".to_owned());
    assert_eq!(first.subject, ToolDetail::Command { command: "mkdir once".to_owned(), description });
    real.decide(&first, decides(&["allow"])).await;

    real.stage.desk.until("the second approval", |known| known.approvals.len() == 2).await;
    let second = real.asked().await;
    let rule = OptionLabel::Tool {
        tool: "Bash".to_owned(),
        content: Some("mkdir ruled *".to_owned()),
        behavior: ToolRule::Allow,
    };
    let is_rule = |it: &&ApprovalOption| it.label == rule && it.scope == Some(OptionScope::Local);
    let offered = second.options.iter().find(is_rule).unwrap().id.clone();
    real.decide(&second, ApprovalDecision::of(offered)).await;

    real.stage.desk.until("the third approval", |known| known.approvals.len() == 3).await;
    let third = real.asked().await;
    assert!(
        matches!(&third.subject, ToolDetail::Command { command, .. } if command == "mkdir denied"),
        "{third:?}"
    );
    real.decide(&third, denies("Not this one, please.")).await;
    real.until_turns(1).await;

    let made = ["once", "ruled", "denied"].map(|name| real.world.project.path().join(name).is_dir());
    assert_eq!(made, [true, true, false]);
    let kept: Value = serde_json::from_str(&real.file(".claude/settings.local.json").unwrap()).unwrap();
    assert_eq!(kept, json!({"permissions": {"allow": ["Bash(mkdir ruled *)"]}}));
    assert!(real.result_of("toolu_4").contains("Not this one, please."), "{}", real.result_of("toolu_4"));
    real.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_withdraws_a_question_and_is_no_error(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![Reply::question("toolu_ask_1", &questions()), Reply::text("Here again.")];
    let Some(mut real) = Real::start_release(release, "an_interrupt_withdraws_a_question", script).await
    else {
        return;
    };
    let request = real.stage.asked_one(real.session).await;
    let real = interrupted(real).await;
    let ended = real.stage.desk.mirror.requests[&request.id].ended().map(|ended| &ended.outcome);
    assert_eq!(ended, Some(&Outcome::Withdrawn { why: WithdrawnWhy::Interrupted }));
    real.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_session_keeps_its_name_when_it_is_resumed_and_its_model_knows_what_was_said(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![Reply::text("First."), Reply::text("Second.")];
    let test = "a_session_keeps_its_name_when_it_is_resumed";
    let Some(mut real) = Real::start_release(release, test, script).await else { return };
    real.until_turns(1).await;
    let name = |real: &Real| real.stage.desk.mirror.sessions[&real.session].native_session.clone();
    let named = name(&real).expect("it has an id");
    real.stage.stop(real.session).await;
    real.resume().await;
    real.say("And now?").await;
    real.stage.until_said(real.session, "Second.").await;
    assert_eq!(name(&real), Some(named));
    let heard = real.world.mock.conversation().last().unwrap().to_string();
    assert!(heard.contains("First."), "the model was not told what was said before: {heard}");
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_agent_does_not_know_is_told_of() {
    let test = "a_session_that_the_agent_does_not_know_is_told_of";
    let Some(mut real) = Real::start(test, SessionOptions::default(), vec![]).await else { return };
    real.until_turns(1).await;
    real.stage.stop(real.session).await;
    std::fs::remove_dir_all(real.world.home.path().join(".claude/projects")).unwrap();
    real.resume().await;
    let end = real.stage.until_ended(real.session).await;
    assert_eq!(end, SessionEnd::Failed { why: AgentFailure::SessionUnknown });
}

/// Why the launch always names the prompt tool: without it such a process cannot ask at all.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_prompt_tool_the_agent_does_not_offer_its_question_tool() {
    let Some(world) = World::open("without_the_prompt_tool", vec![]).await else { return };
    let mut stage = Stage::open().await;
    let drop_prompt_tool = |args: &mut Vec<OsString>| {
        let flag = args.iter().position(|arg| arg == "--permission-prompt-tool").unwrap();
        args.drain(flag..flag + 2);
    };
    let session = world.start_changed(&stage, drop_prompt_tool).await;
    stage.desk.until("the turn ends", |known| known.turns(session).len() == 1).await;
    let requests = world.mock.requests();
    let offered: Vec<String> = requests.iter().map(|request| request.body["tools"].to_string()).collect();
    assert!(offered.iter().any(|tools| tools.contains("\"Bash\"")), "{offered:?}");
    assert!(!offered.iter().any(|tools| tools.contains("\"AskUserQuestion\"")), "{offered:?}");
    stage.stop(session).await;
}
