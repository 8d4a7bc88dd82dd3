//! Signing in to a real Codex, with a model of the tests' own that accepts one key, in the real window.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use askdesk_testkit::clis;
use askdesk_testkit::login_server::{CODE, LoginServer, TOKEN};
use askdesk_testkit::mock_api::Reply;
use serde_json::json;

use crate::harness::Setup;
use crate::real_codex::RealCodex;

/// The names under which a program looks for a browser.
const BROWSERS: [&str; 4] = ["xdg-open", "open", "firefox", "x-www-browser"];
/// The line of the agent's card that says whether it can start.
const STATE: &str = "form.start [data-agent=codex] .state";
const OFFER: &str = "[data-sign-in=codex]";

/// Has the program use the key that it is signed in with, instead of one of the environment.
fn use_the_sign_in(home: &Path) {
    let config = home.join(".codex/config.toml");
    let settings = fs::read_to_string(&config).unwrap();
    let changed = settings.replace("env_key = \"MOCK_API_KEY\"", "requires_openai_auth = true");
    assert_ne!(changed, settings);
    fs::write(config, changed).unwrap();
}

fn install(program: PathBuf, script: &str) {
    fs::write(&program, script).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Installs browsers that record the pages that they are asked to open.
fn install_browsers(programs: &Path) {
    for name in BROWSERS {
        install(programs.join(name), "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"$HOME/pages\"\n");
    }
}

impl RealCodex {
    /// Returns the pages that browsers were asked to open.
    fn pages(&self) -> Option<String> {
        fs::read_to_string(self.home.path().join("pages")).ok()
    }

    /// Sets a terminal of the user's own, which takes the way of the sign-in that shows a code, to a server of the test's own. What it
    /// shows is in the file `shown`.
    async fn use_a_terminal(&self, server: &LoginServer) {
        let terminal = self.programs.path().join("terminal");
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/part\" && mv \"$HOME/part\" \"$HOME/told\"\n\
            exec \"$@\" --device-auth --experimental_issuer {} > \"$HOME/shown\" 2>&1\n",
            server.url
        );
        install(terminal.clone(), &script);
        let command = format!("{} {{command}}", terminal.display());
        for change in [
            json!({ "setting": "terminal_command", "value": command }),
            json!({ "setting": "terminal", "value": "terminal_command" }),
        ] {
            self.app.invoke("change_setting", json!({ "change": change })).await.unwrap();
        }
    }

    /// Returns what the terminal was told to run.
    async fn told(&self) -> Vec<String> {
        let file = self.home.path().join("told");
        let told = self.app.wait("a terminal", async || fs::read_to_string(&file).ok()).await;
        told.lines().map(str::to_owned).collect()
    }

    /// Enters the code that the terminal shows.
    async fn complete(&self, server: &LoginServer) {
        let shown = || fs::read_to_string(self.home.path().join("shown")).ok();
        self.app.wait("a code in the terminal", async || shown()?.contains(CODE).then_some(())).await;
        server.enter_code();
    }

    /// The environment of the program in another terminal.
    fn environment(&self) -> Vec<(String, String)> {
        let mut environment = clis::sealed_env(self.home.path(), &self.mock.base_url);
        let path = format!("{}:/usr/bin:/bin", self.programs.path().display());
        environment.extend([("PATH".to_owned(), path), ("BROWSER".to_owned(), BROWSERS[0].to_owned())]);
        environment
    }

    /// Signs in as a user does in another terminal.
    fn sign_in_elsewhere(&self, key: &str) {
        let mut command = Command::new(self.program());
        command.args(["login", "--with-api-key"]).env_clear();
        command.envs(self.environment());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(key.as_bytes()).unwrap();
        assert!(running.wait().unwrap().success());
    }

    async fn send(&self, text: &str) {
        let field = self.app.by_role_in("main", "textbox", "Message to the agent").await;
        field.send_keys(text).await.unwrap();
        self.app.click("button", "Send").await;
    }
}

#[tokio::test]
async fn case_123_a_changed_sign_in_is_said_and_a_restart_and_a_new_session_use_it() {
    let test = "case_123_a_changed_sign_in_is_said_and_a_restart_and_a_new_session_use_it";
    let script = vec![Reply::text("One."), Reply::text("Two."), Reply::text("Three.")];
    let Some(real) = RealCodex::open(test, script).await else { return };
    use_the_sign_in(real.home.path());
    real.sign_in_elsewhere("sk-old");
    real.mock.accept_only("sk-old");
    let session = real.start(json!({})).await;
    let app = &real.app;
    app.shows_text("main", "One.").await;
    app.in_state(&session, "idle").await;

    real.sign_in_elsewhere("sk-new");
    real.mock.accept_only("sk-new");
    real.send("Again.").await;
    app.shows_text("[data-notice=sign_in_changed]", "The sign-in changed since this session started").await;
    app.in_state(&session, "idle").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Restart session").await;
    app.gone("main .entry.notice button").await;
    app.in_state(&session, "idle").await;
    real.send("And now?").await;
    app.shows_text("main", "Two.").await;
    app.in_state(&session, "idle").await;

    let new = real.start(json!({})).await;
    app.shows_text("main", "Three.").await;
    app.in_state(&new, "idle").await;
}

#[tokio::test]
async fn case_76_a_missing_sign_in_is_said_and_made_in_a_terminal_and_the_session_starts_afterwards() {
    let test = "case_76_a_missing_sign_in_is_said_and_made_in_a_terminal_and_the_session_starts_afterwards";
    let setup = Setup::default().env("BROWSER", BROWSERS[0]);
    let server = LoginServer::start().await.unwrap();
    let prepare = |home: &Path, programs: &Path| {
        use_the_sign_in(home);
        // An account has a server of its own too.
        let config = home.join(".codex/config.toml");
        let settings = fs::read_to_string(&config).unwrap();
        fs::write(config, format!("chatgpt_base_url = \"{}\"\n{settings}", server.url)).unwrap();
        install_browsers(programs);
    };
    let script = vec![Reply::text("Signed in now.")];
    let Some(real) = RealCodex::open_at(setup, test, script, prepare).await else { return };
    let app = &real.app;
    real.use_a_terminal(&server).await;
    app.shows_text(STATE, "Not signed in").await;
    app.write("First message", "Keep my notes.").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    app.click("button", "Sign in…").await;
    assert_eq!(real.told().await, [real.program().to_str().unwrap(), "login"]);
    app.shows_text(OFFER, "Complete the sign-in in the terminal that opened.").await;
    app.shows_text(STATE, "Not signed in").await;
    real.complete(&server).await;
    app.find(&format!("{STATE} .icon-check")).await;
    app.gone(OFFER).await;
    // Nothing that asked about the sign-in opened a page, and neither does a sign-in that shows a code.
    assert_eq!(real.pages(), None);

    real.mock.accept_only(TOKEN);
    app.press(&app.by_role("textbox", "First message").await).await;
    app.key("Ctrl+Enter").await;
    app.shows_text("main", "Keep my notes.").await;
    app.shows_text("main", "Signed in now.").await;

    // The program opens its pages in these browsers.
    let mut browsing = Command::new(real.program());
    browsing.arg("login").env_clear().envs(real.environment());
    let mut browsing =
        browsing.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let page = app.wait("a page in a browser", async || real.pages()).await;
    browsing.kill().unwrap();
    browsing.wait().unwrap();
    assert!(page.contains("/oauth/authorize?"), "{page}");
}
