//! Signing in to a real Codex, with a model of the tests' own that accepts one key, in the real window.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::Reply;
use serde_json::json;

use crate::real_codex::RealCodex;

impl RealCodex {
    /// Has the program use the key that it is signed in with, instead of one of the environment.
    fn use_the_sign_in(&self) {
        let config = self.home.path().join(".codex/config.toml");
        let settings = fs::read_to_string(&config).unwrap();
        let changed = settings.replace("env_key = \"MOCK_API_KEY\"", "requires_openai_auth = true");
        assert_ne!(changed, settings);
        fs::write(config, changed).unwrap();
    }

    /// Signs in as a user does in another terminal.
    fn sign_in_elsewhere(&self, key: &str) {
        let mut command = Command::new(self.program());
        command.args(["login", "--with-api-key"]).env_clear();
        command.envs(clis::sealed_env(self.home.path(), &self.mock.base_url));
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
    real.use_the_sign_in();
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
    app.picture("sign-in-changed").await;
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
