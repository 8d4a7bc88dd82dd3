//! Case 76: the real agents say whether somebody is signed in. They open no browser, and ask their provider for nothing.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use askdesk_agents::claude::ClaudeCode;
use askdesk_agents::codex::Codex;
use askdesk_agents::{Agent, Open, OpenCode, Start};
use askdesk_domain::{LaunchOverrides, SessionOptions};
use askdesk_testkit::clis::{self, Cli};

/// The start of a program in a home folder of its own, with these variables.
fn start(program: &Path, home: &Path, variables: &[(&str, &str)]) -> Start {
    let home_variable = ("HOME", home.to_str().unwrap());
    let all = variables.iter().chain([&home_variable]);
    let environment: BTreeMap<_, _> =
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let extras =
        LaunchOverrides { environment: environment.try_into().unwrap(), ..LaunchOverrides::default() };
    let program = Some(program.display().to_string());
    let options = SessionOptions { program, extras, ..SessionOptions::default() };
    Start { folder: home.to_owned(), options, open: Open::New }
}

async fn signed_in(agent: &dyn Agent, start: &Start) -> Option<bool> {
    agent.sign_in_probe(start).unwrap()?.ask().await
}

#[tokio::test]
async fn case_76_claude_code_says_whether_there_is_a_sign_in_and_asks_its_provider_nothing() {
    let Some(program) = clis::claude_or_skip("case_76_claude_code_says_whether_there_is_a_sign_in") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let provider = TcpListener::bind("127.0.0.1:0").unwrap();
    provider.set_nonblocking(true).unwrap();
    let url = format!("http://{}", provider.local_addr().unwrap());
    let config = home.path().join(".claude").display().to_string();
    let sealed = [("CLAUDE_CONFIG_DIR", config.as_str()), ("ANTHROPIC_BASE_URL", &url)];
    let key = ("ANTHROPIC_API_KEY", "dummy");
    let with = |more: &[(&str, &str)]| start(&program, home.path(), &[&sealed[..], more].concat());
    let agent = ClaudeCode::default();
    assert_eq!(signed_in(&agent, &with(&[])).await, Some(false));
    assert_eq!(signed_in(&agent, &with(&[key])).await, Some(true));
    assert_eq!(signed_in(&agent, &with(&[("CLAUDE_CODE_USE_BEDROCK", "1")])).await, Some(true));
    assert!(provider.accept().is_err(), "the provider was asked");

    // Without what the probe sets, the same command reaches for its provider.
    let mut usual = Command::new(&program);
    usual.args(["auth", "status"]).env_clear().env("HOME", home.path()).envs(sealed).envs([key]);
    usual.envs([("DISABLE_TELEMETRY", "1"), ("DISABLE_AUTOUPDATER", "1"), ("DISABLE_ERROR_REPORTING", "1")]);
    assert!(usual.stdout(Stdio::null()).status().unwrap().success());
    assert!(provider.accept().is_ok(), "the provider was not asked");
}

#[tokio::test]
async fn case_76_codex_says_whether_there_is_a_sign_in_unless_its_provider_takes_none() {
    let Some(program) = clis::native_or_skip(Cli::Codex, "case_76_codex_says_whether_there_is_a_sign_in")
    else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".codex");
    std::fs::create_dir(&folder).unwrap();
    let start = start(&program, home.path(), &[("CODEX_HOME", folder.to_str().unwrap())]);
    assert_eq!(signed_in(&Codex::default(), &start).await, Some(false));

    let mut login = Command::new(&program);
    login
        .args(["login", "--with-api-key"])
        .env_clear()
        .envs(clis::sealed_env(home.path(), "http://127.0.0.1:9"));
    let mut login = login.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    login.stdin.take().unwrap().write_all(b"sk-dummy").unwrap();
    assert!(login.wait().unwrap().success());
    assert_eq!(signed_in(&Codex::default(), &start).await, Some(true));

    Cli::Codex.write_settings(home.path(), "http://127.0.0.1:9").unwrap();
    assert_eq!(signed_in(&Codex::default(), &start).await, None);
}

#[tokio::test]
async fn nothing_is_asked_of_an_agent_whose_sessions_may_do_without_a_sign_in() {
    let home = tempfile::tempdir().unwrap();
    let start = start(&std::env::current_exe().unwrap(), home.path(), &[]);
    assert_eq!(signed_in(&OpenCode::default(), &start).await, None);
    assert_eq!(OpenCode::default().sign_in(&start).unwrap().unwrap().args, ["auth", "login"]);
}
