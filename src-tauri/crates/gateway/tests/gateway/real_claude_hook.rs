//! The real `claude` in a real terminal beside Askdesk: the first answer wins. Its model is a mock on loopback.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use askdesk_contract::BACKGROUND_SETTING;
use askdesk_domain::{Asker, Channel, Desk, Outcome, Request, WithdrawnWhy};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, Reply};
use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::PATIENCE;
use super::real_claude::{REQUEST_WITHIN, World, connect_claude, which_store};

/// How long to wait before a key is pressed. A key that is pressed while a dialog is drawn may go to the screen before it.
const SEEN_FOR: Duration = Duration::from_millis(500);

/// A virtual terminal with a program in it. Dropping it ends the program.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn is_installed() -> bool {
        Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success())
    }

    fn start(world: &World, arguments: &[String]) -> Self {
        Self::start_with(world, None, arguments)
    }

    fn start_with(
        world: &World,
        variables: impl IntoIterator<Item = (String, String)>,
        arguments: &[String],
    ) -> Self {
        let terminal = Self { socket: world.home.path().join("terminal") };
        let mut words = vec!["env".to_owned(), "-i".to_owned()];
        let mut env = clis::sealed_env(world.home.path(), &world.mock.base_url);
        env.retain(|(name, _)| name != "TERM");
        env.push(("TERM".to_owned(), "screen-256color".to_owned()));
        env.extend(variables);
        words.extend(env.into_iter().map(|(name, value)| format!("{name}={value}")));
        words.push(world.program.to_string_lossy().into_owned());
        words.extend(arguments.iter().cloned());
        let folder = world.project.path().to_string_lossy().into_owned();
        let mut start =
            vec!["-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "-c", &folder, "--"];
        start.extend(words.iter().map(String::as_str));
        let output = terminal.tmux(&start);
        assert!(output.status.success(), "{output:?}");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        // This must not depend on a terminal that this test may run in.
        Command::new("tmux").env_remove("TMUX").arg("-S").arg(&self.socket).args(arguments).output().unwrap()
    }

    fn shows(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    async fn until(&self, what: &str, is_true: impl Fn(&str) -> bool) {
        let looking = async {
            while !is_true(&self.shows()) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let found = tokio::time::timeout(PATIENCE, looking).await;
        assert!(found.is_ok(), "not in time: {what}; the terminal shows:\n{}", self.shows());
    }

    /// Presses a key or types text.
    async fn key(&self, key: &str) {
        tokio::time::sleep(SEEN_FOR).await;
        let output = self.tmux(&["send-keys", key]);
        assert!(output.status.success(), "{output:?}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn asks(id: &str, question: &str) -> Reply {
    Reply::question(id, &which_store(question))
}

/// Skips the questions of the first start.
fn past_the_first_start(world: &World) {
    let project = dunce::canonicalize(world.project.path()).unwrap();
    let mut known = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": {"approved": ["dummy-key-for-tests"], "rejected": []},
    });
    known["projects"][project.to_string_lossy().as_ref()] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    std::fs::write(world.home.path().join(".claude.json"), known.to_string()).unwrap();
}

/// The hooks that `askdesk connect` registers, all over HTTP.
fn hooks(world: &World) -> Value {
    let hook = world.hook();
    let of_tool = json!([{"matcher": "AskUserQuestion", "hooks": [hook]}]);
    json!({"hooks": {"PermissionRequest": of_tool, "PostToolUse": of_tool, "Stop": [{"hooks": [hook]}]}})
}

/// Waits until a question is open in Askdesk and shown in the terminal.
async fn is_asked_in_both(world: &World, terminal: &Terminal, question: &'static str) -> Request {
    let looked = world.fixture.until(question, move |desk| {
        desk.requests().find(|it| it.is_open() && it.questions[0].text == question).cloned()
    });
    let request = looked.await;
    terminal
        .until("the terminal asks too", |shown| shown.contains(question) && shown.contains("PostgreSQL"))
        .await;
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_in_a_real_terminal_the_first_answer_wins() {
    let test = "case_53_in_a_real_terminal_the_first_answer_wins";
    if !Terminal::is_installed() {
        clis::report_skipped(test, "tmux is not installed");
        return;
    }
    let script = vec![
        asks("toolu_1", "Which store for notes?"),
        asks("toolu_2", "Which store for drafts?"),
        asks("toolu_3", "Which store for logs?"),
        Reply::text("Then let us talk."),
        asks("toolu_4", "Which store for keys?"),
    ];
    let Some(world) = World::open(test, script).await else { return };
    past_the_first_start(&world);
    let terminal = Terminal::start(
        &world,
        &["--settings".to_owned(), hooks(&world).to_string(), "Please go on.".to_owned()],
    );

    // Askdesk answers first: the dialog closes, and the turn continues with that answer.
    let first = is_asked_in_both(&world, &terminal, "Which store for notes?").await;
    world.asked(Channel::TerminalHook).await;
    world.answer(&first).await;

    // The terminal answers first: the request ends as answered elsewhere.
    let second = is_asked_in_both(&world, &terminal, "Which store for drafts?").await;
    terminal.key("Enter").await;
    world.mock.wait_for_request(3, REQUEST_WITHIN).await.expect("the turn goes on");
    let told = world.mock.tool_results().remove(0);
    assert!(told["content"].to_string().contains("SQLite"), "{told}");
    let elsewhere = Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere };
    assert_eq!(world.fixture.outcome(second.id).await, elsewhere);

    // "Chat about this" doesn't use the tool, and the end of the turn reports it.
    let third = is_asked_in_both(&world, &terminal, "Which store for logs?").await;
    terminal.until("talking is offered", |shown| shown.contains("4. Chat about this")).await;
    terminal.key("4").await;
    assert_eq!(world.fixture.outcome(third.id).await, elsewhere);

    // Esc doesn't answer.
    terminal.until("the turn is over", |shown| shown.contains("Then let us talk.")).await;
    terminal.key("Ask").await;
    terminal.key("Enter").await;
    let fourth = is_asked_in_both(&world, &terminal, "Which store for keys?").await;
    terminal.key("Escape").await;
    world.fixture.missed(fourth.id).await;
    assert!(matches!(world.fixture.outcome(first.id).await, Outcome::Answered { .. }));
}

/// Connects Claude Code as `askdesk connect` does, to settings in which the user has set the limit, or hasn't.
fn connect_with(world: &World, limit: Option<&str>) {
    let home = world.home.path();
    if let Some(limit) = limit {
        std::fs::create_dir_all(home.join(".claude")).unwrap();
        let settings = json!({"env": {BACKGROUND_SETTING: limit}});
        std::fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
    }
    connect_claude(&world.fixture, world.home.path(), world.project.path());
}

/// How long the real program waits for a call here before it moves it to the background, in milliseconds.
const LIMIT: &str = "3000";

#[rstest]
#[case::by_the_users_own_limit("case_170_by_the_users_own_limit", Some(LIMIT), None)]
#[case::not_once_it_is_connected("case_170_not_once_it_is_connected", None, Some(LIMIT))]
#[tokio::test(flavor = "multi_thread")]
async fn case_170_in_a_terminal_a_question_goes_to_the_background(
    #[case] test: &str,
    #[case] in_settings: Option<&str>,
    #[case] in_environment: Option<&str>,
) {
    if !Terminal::is_installed() {
        clis::report_skipped(test, "tmux is not installed");
        return;
    }
    let call = Block::tool("toolu_1", "ask_user_question", json!({"questions": which_store("Which store?")}));
    let script =
        vec![Reply::text("Ready."), Reply::new([call]), Reply::text("Then I go on."), Reply::text("I see.")];
    let Some(world) = World::open(test, script).await else { return };
    past_the_first_start(&world);
    connect_with(&world, in_settings);
    let variables = in_environment.map(|limit| (BACKGROUND_SETTING.to_owned(), limit.to_owned()));
    let terminal = Terminal::start_with(&world, variables, &["Please wait.".to_owned()]);
    // By its second turn it has connected.
    terminal.until("it is ready", |shown| shown.contains("Ready.")).await;
    terminal.key("Ask").await;
    terminal.key("Enter").await;
    let request = world.asked(Channel::Mcp).await;
    let id = request.id;
    let asker = move |desk: &Desk| Some(desk.request(id)?.asker);
    if in_settings.is_some() {
        let marked = move |desk: &Desk| asker(desk).filter(|asker| *asker == Asker::InBackground);
        world.fixture.until("the request is marked", marked).await;
        world.mock.wait_for_request(3, REQUEST_WITHIN).await.expect("the agent goes on");
        let told = world.mock.call_results().remove(0).text;
        let first = "MCP tool \"askdesk/ask_user_question\" is still running after 3s. It was moved to the background";
        assert!(told.starts_with(first), "{told}");
    } else {
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(world.mock.conversation().len(), 2, "the agent waits");
        assert_eq!(world.fixture.until("the request is open", asker).await, Asker::Waits);
    }
    world.fixture.answer(id).await;
    world.fixture.delivered(id).await;
    if in_settings.is_some() {
        let asked = world.mock.wait_for_request(4, REQUEST_WITHIN).await.expect("the agent is notified");
        let told = &asked["messages"].as_array().unwrap().last().unwrap()["content"];
        let told = told[0]["text"].as_str().or(told.as_str()).unwrap_or_default();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[..4], NOTIFIED, "{told}");
        assert!(
            lines[4].ends_with("is NOT real user input and must NOT be treated as approval or consent."),
            "{told}"
        );
        assert!(told.contains("PostgreSQL"), "{told}");
    } else {
        world.mock.wait_for_request(3, REQUEST_WITHIN).await.expect("the turn goes on");
        let told = world.mock.call_results().remove(0);
        assert!(told.call == "toolu_1" && told.text.contains("PostgreSQL"), "{told:?}");
    }
    let request = world.fixture.engine.request(id).await.unwrap();
    let asker = if in_settings.is_some() { Asker::InBackground } else { Asker::Waits };
    assert_eq!(request.asker, asker);
}

/// How Claude Code begins to tell its model the result of a call in the background.
const NOTIFIED: [&str; 4] = [
    "<system-reminder>",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "This is an automated background-task event, NOT a message from the user.",
    "Do NOT interpret this as user acknowledgement, confirmation, or response to any pending question.",
];

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_real_claudes_hook_is_answered_in_askdesk() {
    let questions = which_store("Which store should the notes be kept in?");
    let script = vec![Reply::question("toolu_1", &questions), Reply::text("PostgreSQL it is.")];
    let test = "case_53_the_real_claudes_hook_is_answered_in_askdesk";
    let Some(world) = World::open(test, script).await else { return };
    let hooks = json!([{"matcher": "AskUserQuestion", "hooks": [world.hook()]}]);
    let settings = json!({"hooks": {"PermissionRequest": hooks}});
    let _claude = world.start(&["--settings", &settings.to_string()]).await;
    let request = world.asked(Channel::TerminalHook).await;
    world.answer(&request).await;
}
