//! The real agent CLIs confirm what `askdesk connect` wrote, and ask nothing meanwhile.

use std::fs;
use std::path::Path;

use askdesk_testkit::clis::{Cli, native_or_skip, sealed_env};
use rstest::rstest;

use super::fixture::Fixture;
use crate::fake_app::write_program;

/// Puts a program into the user's `bin` folder, as a script that starts it.
fn install(name: &str, script: &str, bin: &Path) {
    fs::create_dir_all(bin).unwrap();
    write_program(&bin.join(name), &format!("{script}\n"));
}

/// Connects with only the program of the test on the path.
async fn connect(fixture: &Fixture, cli: Cli, bin: &Path) -> String {
    let said = run(fixture, bin, &["connect", cli.id(), "--yes"]).await;
    said.lines().last().unwrap().to_owned()
}

async fn run(fixture: &Fixture, bin: &Path, words: &[&str]) -> String {
    let mut set = sealed_env(&fixture.home(), "http://127.0.0.1:9");
    set.retain(|(name, _)| name != "PATH");
    set.push(("PATH".to_owned(), format!("{}:/usr/bin:/bin", bin.display())));
    fixture.askdesk_with(words, set).await
}

fn name(cli: Cli) -> &'static str {
    match cli {
        Cli::ClaudeCode => "claude",
        Cli::Codex => "codex",
        Cli::GeminiCli => "gemini",
        Cli::OpenCode => "opencode",
    }
}

#[rstest]
#[case::claude_code(Cli::ClaudeCode, "Claude Code: connected, as Claude Code confirms.")]
#[case::codex(Cli::Codex, "Codex: connected, as Codex confirms.")]
#[case::opencode(Cli::OpenCode, "OpenCode: connected, as OpenCode confirms.")]
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_uses_the_entry_confirms_it_and_asks_nothing(
    #[case] cli: Cli,
    #[case] expected: &str,
) {
    let Some(program) = native_or_skip(cli, "a_program_that_uses_the_entry_confirms_it") else { return };
    let fixture = Fixture::open().await;
    let bin = fixture.home().join("bin");
    install(name(cli), &format!("#!/bin/sh\nexec '{}' \"$@\"", program.display()), &bin);
    assert_eq!(connect(&fixture, cli, &bin).await, expected);
    let words = expected.split_once(": ").unwrap().1.trim_end_matches('.');
    let doctor = run(&fixture, &bin, &["doctor"]).await;
    assert!(doctor.contains(&format!(": {words}; calls wait")), "{doctor}");
    let (sessions, requests) = fixture
        .gateway
        .engine
        .inspect(|desk| (desk.sessions().count(), desk.requests().count()))
        .await
        .unwrap();
    assert_eq!((sessions, requests), (0, 0));
}

#[rstest]
#[case::claude_code(Cli::ClaudeCode, "CLAUDE_CONFIG_DIR", "Claude Code")]
#[case::codex(Cli::Codex, "CODEX_HOME", "Codex")]
#[case::opencode(Cli::OpenCode, "XDG_CONFIG_HOME", "OpenCode")]
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_reads_another_folder_is_not_called_connected(
    #[case] cli: Cli,
    #[case] variable: &str,
    #[case] shown: &str,
) {
    let Some(program) = native_or_skip(cli, "a_program_that_reads_another_folder") else { return };
    let fixture = Fixture::open().await;
    let bin = fixture.home().join("bin");
    let other = fixture.home().join("other");
    fs::create_dir(&other).unwrap();
    let script = format!("#!/bin/sh\n{variable}='{}' exec '{}' \"$@\"", other.display(), program.display());
    install(name(cli), &script, &bin);
    let expected = format!(
        "{shown}: written, but {shown} doesn't list this entry. It may read its settings from another folder."
    );
    assert_eq!(connect(&fixture, cli, &bin).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_does_not_answer_is_not_called_connected() {
    let fixture = Fixture::open().await;
    let bin = fixture.home().join("bin");
    install("codex", "#!/bin/sh\nsleep 600", &bin);
    assert_eq!(connect(&fixture, Cli::Codex, &bin).await, "Codex: written, not confirmed.");
}
