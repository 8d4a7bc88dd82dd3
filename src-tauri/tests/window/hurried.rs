//! What a fast user types goes where it was begun, whatever starts or arrives meanwhile.

use std::os::unix::fs::symlink;
use std::time::Duration;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::desktop::xdotool;
use crate::harness::Setup;
use crate::real_claude::sealed;
use crate::worktrees::repository;

/// The pauses between two acts, in milliseconds.
const PACES: [u64; 5] = [0, 50, 200, 400, 800];

#[tokio::test]
async fn case_143_a_second_prompt_goes_to_its_own_agent_at_every_pace() {
    let test = "case_143_a_second_prompt_goes_to_its_own_agent_at_every_pace";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let (home, projects) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = repository(&std::fs::canonicalize(projects.path()).unwrap());
    let replies = PACES.iter().flat_map(|_| [Reply::text("Understood."), Reply::text("Understood.")]);
    let mock = MockApi::start(Script(replies.collect())).await.unwrap();
    let programs = TempDir::new().unwrap();
    symlink(program, programs.path().join("claude")).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let app = sealed(Setup::default(), home.path(), &mock).env("PATH", path).open().await;
    app.find("form.start [data-agent=claude_code] .state .icon-check").await;
    let field = app.by_role("textbox", "Folder").await;
    field.clear().await.unwrap();
    field.send_keys(&folder.display().to_string()).await.unwrap();
    for pace in PACES {
        let pause = || sleep(Duration::from_millis(pace));
        let (first, second) = (format!("first-{pace}"), format!("SECOND-{pace}"));
        // The worktree takes its time, and the session with it.
        app.click("switch", "New worktree").await;
        if pace == 0 {
            // It is remembered for the repository.
            app.write("Setup command", "sleep 3").await;
        }
        app.press(&app.by_role("textbox", "First message").await).await;
        xdotool(&["type", "--delay", "0", &first]);
        app.wait("the worktree's branch", async || {
            let field = app.by_role("textbox", "New branch").await;
            field.prop("value").await.ok()??.ends_with(&first).then_some(())
        })
        .await;
        for keys in ["ctrl+Return", "ctrl+n"] {
            xdotool(&["key", keys]);
            pause().await;
        }
        xdotool(&["type", "--delay", "0", &second]);
        pause().await;
        xdotool(&["key", "ctrl+Return"]);
        let both = async || {
            let said: Vec<String> = mock.conversation().iter().map(ToString::to_string).collect();
            let with = |text: &str| said.iter().any(|body| body.contains(text));
            let mixed = said.iter().any(|body| body.contains(&first) && body.contains(&second));
            assert!(!mixed, "both prompts went to one agent");
            (with(&first) && with(&second)).then_some(())
        };
        app.wait_long("both prompts", both).await;
        app.key_now("Ctrl+n").await;
        app.find("form.start").await;
    }
    assert_eq!(app.count("nav [data-session]").await, 2 * PACES.len() as u64);
    app.close().await;
}
