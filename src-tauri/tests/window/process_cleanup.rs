//! However a session ends, nothing that it started is left: not even what ignores being asked to end.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::App;

/// Starts an agent with a process below it that ignores SIGTERM, and returns the session and both process ids.
async fn family(app: &App, name: &str) -> (String, Vec<String>) {
    let session = app.start_demo("family", name).await;
    app.select(&session).await;
    let text = app
        .wait("the process below the agent", async || {
            let page = json!({ "session": session, "before": null, "limit": 50 });
            let page = app.invoke("read_transcript", page).await.ok()?;
            let mut texts =
                page["entries"].as_array()?.iter().filter_map(|entry| entry["body"]["text"].as_str());
            texts.find_map(|text| text.strip_prefix("grandchild ")).map(str::to_owned)
        })
        .await;
    let grandchild = text.trim().to_owned();
    let parents = Command::new("ps").args(["-o", "ppid=", "-p", &grandchild]).output().unwrap();
    let parent = String::from_utf8_lossy(&parents.stdout).trim().to_owned();
    (session, vec![parent, grandchild])
}

fn is_alive(process: &str) -> bool {
    // A process that has ended but was not collected yet does nothing any more.
    let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

async fn all_end(app: &App, processes: &[String]) {
    let ended = async || processes.iter().all(|process| !is_alive(process)).then_some(());
    app.wait(&format!("the processes {processes:?} to end"), ended).await;
}

#[tokio::test]
async fn no_process_is_left_after_stopping_closing_and_quitting() {
    let app = App::open().await;

    let (_, stopped) = family(&app, "Stopped").await;
    assert!(stopped.iter().all(|process| is_alive(process)), "{stopped:?}");
    app.click("button", "End session").await;
    app.click("button", "End it").await;
    all_end(&app, &stopped).await;

    let (session, closed) = family(&app, "Closed").await;
    let close = json!({ "requestId": uuid::Uuid::new_v4(), "session": session });
    app.invoke("close_session", close).await.unwrap();
    all_end(&app, &closed).await;
    app.gone(&format!("nav [data-session='{session}']")).await;

    let (_, quit) = family(&app, "Quit").await;
    let raise = "xdotool search --sync --onlyvisible --name '(^|[)] )Askdesk$' windowactivate --sync && xdotool key alt+F4";
    assert!(Command::new("sh").args(["-c", raise]).status().unwrap().success());
    let agree = "xdotool search --sync --onlyvisible --name '^Quit Askdesk' windowactivate --sync && xdotool key alt+q Return";
    assert!(Command::new("sh").args(["-c", agree]).status().unwrap().success());
    let began = std::time::Instant::now();
    while quit.iter().any(|process| is_alive(process)) {
        assert!(began.elapsed() < crate::harness::PATIENCE, "{quit:?} live on");
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    app.close().await;
}
