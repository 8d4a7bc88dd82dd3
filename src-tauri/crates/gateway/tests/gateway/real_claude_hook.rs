//! The real `claude` in a real terminal beside Askdesk: the first answer wins. Its model is a mock on loopback.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use askdesk_domain::{Channel, Outcome, Request, WithdrawnWhy};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::Reply;
use serde_json::{Value, json};

use super::fixture::PATIENCE;
use super::real_claude::{REQUEST_WITHIN, World, which_store};

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
        let terminal = Self { socket: world.home.path().join("terminal") };
        let mut words = vec!["env".to_owned(), "-i".to_owned()];
        let mut env = clis::sealed_env(world.home.path(), &world.mock.base_url);
        env.retain(|(name, _)| name != "TERM");
        env.push(("TERM".to_owned(), "screen-256color".to_owned()));
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
    let project = std::fs::canonicalize(world.project.path()).unwrap();
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
