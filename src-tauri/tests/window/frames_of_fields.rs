//! A press of the frame around a field is a press of the field.

use std::fs::{Permissions, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use fantoccini::actions::{InputSource, MouseActions, PointerAction};

use tempfile::TempDir;

use crate::first_run::path_with;
use crate::harness::{App, Setup};

#[tokio::test]
async fn a_press_between_the_text_and_the_tools_of_a_frame_is_a_press_of_its_field() {
    let programs = agents();
    let app = Setup::default().env("PATH", path_with(programs.path())).open().await;
    app.show_idle_session().await;
    for (frame, field) in
        [("[data-session-view] .box", "Message to the agent"), ("form.start .composer", "First message")]
    {
        if frame.starts_with("form") {
            app.click("button", "New session").await;
            app.find(frame).await;
        }
        app.script("document.activeElement.blur()", vec![]).await;
        press_between(&app, frame).await;
        app.key("x").await;
        let field = app.by_role("textbox", field).await;
        assert_eq!(field.prop("value").await.unwrap().as_deref(), Some("x"), "{frame}");
    }
}

#[tokio::test]
async fn nothing_in_the_german_start_form_is_cut_in_a_narrow_or_wide_window() {
    let programs = agents();
    let app = Setup::default().env("PATH", path_with(programs.path())).open().await;
    app.show_idle_session().await;
    app.change_setting("language", "de").await;
    app.client.refresh().await.unwrap();
    app.find("main").await;
    app.click("button", "Neue Sitzung").await;
    app.find("form.start .composer").await;
    for width in [600, 1440] {
        app.resize(width, 900).await;
        app.picture(&format!("start-de-{width}")).await;
        assert_eq!(app.cut("form.start").await, Vec::<String>::new(), "{width}");
    }
}

/// Programs that only say their versions.
fn agents() -> TempDir {
    let programs = TempDir::new().unwrap();
    for name in ["claude", "codex", "opencode"] {
        let program = programs.path().join(name);
        write(&program, "#!/bin/sh\necho 2.1.0\n").unwrap();
        set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    programs
}

/// Presses a place of a frame in which nothing else takes the press.
async fn press_between(app: &App, frame: &str) {
    let script = "const frame = document.querySelector(arguments[0]);
        const { left, right, top, bottom } = frame.getBoundingClientRect();
        const taken = 'a, button, input, label, select, textarea';
        for (let y = bottom - 3; y > top; y -= 3) for (let x = left + 6; x < right; x += 6) {
            const there = document.elementFromPoint(x, y);
            if (frame.contains(there) && !there.closest(taken)) return [x, y];
        }
        return null;";
    let place = app.script(script, vec![frame.into()]).await;
    let [x, y] = [&place[0], &place[1]].map(|at| at.as_f64().unwrap());
    let there = PointerAction::MoveTo { duration: Some(Duration::from_millis(10)), x, y };
    let pointer = MouseActions::new("pointer".to_owned()).then(there);
    app.client.perform_actions(pointer).await.unwrap();
    app.press_there().await;
}
