//! A person who takes 400 seconds: longer than what cuts waits short in these programs by themselves.
//!
//! Each takes seven minutes, so they run only when asked for, all at once:
//! `cargo test -p askdesk-cli --test real -- --ignored`. What came of it stands in `docs/measured.md`.

use std::time::Duration;

use askdesk_testkit::clis::Cli;

use crate::agents::{Person, asks};

const LONG: Person = Person::AnswersAfter(Duration::from_secs(400));

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes seven minutes"]
async fn case_55_claude_waits_for_400_seconds() {
    asks("case_55_claude_waits_for_400_seconds", Cli::ClaudeCode, LONG).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes seven minutes"]
async fn case_55_codex_waits_for_400_seconds() {
    asks("case_55_codex_waits_for_400_seconds", Cli::Codex, LONG).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes seven minutes"]
async fn case_55_gemini_waits_for_400_seconds() {
    asks("case_55_gemini_waits_for_400_seconds", Cli::GeminiCli, LONG).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes seven minutes"]
async fn case_55_opencode_waits_for_400_seconds() {
    asks("case_55_opencode_waits_for_400_seconds", Cli::OpenCode, LONG).await;
}
