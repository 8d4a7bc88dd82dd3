//! Sessions that the real agents began in their own way, continued in the real window.

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::{MockApi, Script};
use rstest::rstest;
use tempfile::TempDir;

use crate::harness::{App, Setup};
use crate::real_agent::{agent, open_beside};

const BEGUN: &str = "Remember the word walnut.";
const ASKED: &str = "Which word was it?";

/// The window beside one agent, which has run once in a folder without Askdesk.
struct Begun {
    app: App,
    mock: MockApi,
    _folders: [TempDir; 3],
}

impl Begun {
    async fn open(cli: Cli, test: &str) -> Option<Self> {
        let program = cli.program()?;
        let mock = MockApi::start(Script(Vec::new())).await.unwrap();
        let [home, project] = [(); 2].map(|()| TempDir::new().unwrap());
        cli.write_settings(home.path(), &mock.base_url).unwrap();
        let mut run = cli.run_once(&program, home.path(), project.path(), &mock.base_url, BEGUN);
        let ran = tokio::task::spawn_blocking(move || run.output()).await.unwrap().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

        let setup = Setup::default().pictured();
        let (app, programs) = open_beside(cli, setup, test, home.path(), &mock).await?;
        let agent = agent(cli);
        app.find(&format!("form.start [data-agent={agent}] .state .icon-check")).await;
        app.press(&app.find(&format!("form.start [data-agent={agent}]")).await).await;
        let field = app.by_role("textbox", "Folder").await;
        field.clear().await.unwrap();
        field.send_keys(&project.path().display().to_string()).await.unwrap();
        Some(Self { app, mock, _folders: [home, project, programs] })
    }

    /// Continues the session with a message, and checks that the model gets the earlier conversation with it. The mock has
    /// no script, and replied to the first message as it does to each agent.
    async fn continues(&self, title: &str, replied: &str) {
        let app = &self.app;
        app.press(&app.find("form.start details.own summary").await).await;
        app.find("form.start [data-own]").await;
        app.shows_text("form.start [data-own]", title).await;
        assert_eq!(app.count("form.start [data-own]").await, 1);
        assert_eq!(app.axe().await, Vec::<String>::new());
        app.picture("begun-elsewhere").await;
        app.write("First message", ASKED).await;
        app.press(&app.find("form.start [data-own]").await).await;

        app.shows_text("[data-notice=begun_elsewhere]", "Everything above is copied from there.").await;
        app.shows_text("main", "Turn finished").await;
        app.shows_text("main", BEGUN).await;
        app.shows_text("main", &format!("{replied} This session was begun outside Askdesk.")).await;
        app.shows_text("main", ASKED).await;
        let requests = self.mock.requests();
        let heard = requests.iter().map(|request| request.body.to_string());
        let turn = heard.filter(|heard| heard.contains(ASKED) && heard.contains(BEGUN));
        assert!(turn.count() > 0, "no request has both messages: {requests:?}");
        app.picture("continued").await;
    }
}

/// OpenCode may end before the model has given the session a title.
#[rstest]
#[case::claude_code(Cli::ClaudeCode, BEGUN, "ok")]
#[case::codex(Cli::Codex, BEGUN, "(The script is over.)")]
#[case::opencode(Cli::OpenCode, "", "ok")]
#[tokio::test]
async fn case_124_a_session_begun_elsewhere_is_listed_and_continued(
    #[case] cli: Cli,
    #[case] title: &str,
    #[case] replied: &str,
) {
    let test = "case_124_a_session_begun_elsewhere_is_listed_and_continued";
    let Some(begun) = Begun::open(cli, test).await else { return };
    begun.continues(title, replied).await;
}
