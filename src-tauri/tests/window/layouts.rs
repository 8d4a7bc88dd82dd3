//! The window's shortcuts on keyboard layouts of several countries, with the keys of the display.

use serde_json::json;

use crate::desktop::{QUIT_DIALOG, WINDOW, activate, xdotool};
use crate::harness::{App, OPEN_CARD, Setup};

/// A key by its code in the display, the same on every layout. `xdotool` would change the layout for a character that it lacks.
const ESC: &str = "Escape";
const DIGIT_1: &str = "10";
const DIGIT_2: &str = "11";
const DIGIT_0: &str = "19";
const NUMPAD_PLUS: &str = "86";
const NUMPAD_MINUS: &str = "82";
const J: &str = "44";
const K: &str = "45";
const N: &str = "57";
const F: &str = "41";
const SHIFT_F6: &str = "shift+72";

/// Where the characters are that have another place on some layouts.
struct Layout {
    name: &'static str,
    q: &'static str,
    comma: &'static str,
    slash: &'static str,
    question_mark: &'static str,
    plus: &'static str,
    minus: &'static str,
}

const US: Layout = Layout {
    name: "us",
    q: "24",
    comma: "59",
    slash: "61",
    question_mark: "shift+61",
    plus: "shift+21",
    minus: "20",
};

const LAYOUTS: [Layout; 6] = [
    US,
    Layout { name: "de", slash: "shift+16", question_mark: "shift+20", plus: "35", minus: "61", ..US },
    Layout {
        name: "fr",
        q: "38",
        comma: "58",
        slash: "shift+60",
        question_mark: "shift+58",
        minus: "15",
        ..US
    },
    // A Cyrillic letter is on the key of the comma, and the question mark is on the 7.
    Layout { name: "ru", question_mark: "shift+16", ..US },
    Layout { name: "gr", ..US },
    // The slash is on the Q, and the comma on the apostrophe.
    Layout { name: "il", comma: "48", slash: "24", ..US },
];

fn press(key: &str) {
    xdotool(&["key", key]);
}

fn command(key: &str) {
    press(&format!("ctrl+{key}"));
}

async fn focused(app: &App, css: &str) {
    let script = "return document.activeElement?.matches(arguments[0]) ?? false";
    app.wait(&format!("the focus on {css}"), async || {
        (app.script(script, vec![json!(css)]).await == true).then_some(())
    })
    .await;
}

async fn text_size(app: &App, percent: u64) {
    app.wait(&format!("text of {percent}%"), async || {
        let read = app.invoke("read_settings", json!({})).await.ok()?;
        (read["settings"]["textSize"] == percent).then_some(())
    })
    .await;
}

/// Tries every shortcut where it is on this layout.
async fn try_shortcuts(app: &App, layout: &Layout, sessions: [&str; 2]) {
    xdotool(&["search", "--name", WINDOW]);
    let set = std::process::Command::new("setxkbmap").arg(layout.name).status();
    assert!(set.expect("setxkbmap is installed").success(), "{}", layout.name);
    // The first key after a change of the layout can be lost.
    press(SHIFT_F6);

    command(K);
    app.find("dialog.palette[open]").await;
    press(ESC);
    app.gone("dialog.palette[open]").await;

    command(layout.comma);
    app.find("dialog.settings[open]").await;
    press(layout.slash);
    focused(app, "dialog.settings input[type=search]").await;
    press(DIGIT_1);
    press(ESC);
    let emptied = "return document.querySelector('dialog.settings input[type=search]').value === ''";
    app.wait("an empty search", async || (app.script(emptied, vec![]).await == true).then_some(())).await;
    press(ESC);
    app.gone("dialog.settings[open]").await;

    command(DIGIT_2);
    app.find(&format!("main [data-session-view='{}']", sessions[1])).await;
    command(DIGIT_1);
    app.find(&format!("main [data-session-view='{}']", sessions[0])).await;

    command(F);
    focused(app, "[data-find] input").await;
    press(ESC);
    app.gone("[data-find]").await;

    command(J);
    app.armed().await;
    focused(app, &format!("{OPEN_CARD} input[type=radio]")).await;
    press(DIGIT_2);
    focused(app, &format!("{OPEN_CARD} [data-option]:nth-child(2) input:checked")).await;
    press(N);
    focused(app, &format!("{OPEN_CARD} [data-note] textarea")).await;
    press(ESC);
    press(layout.question_mark);
    app.find("dialog.keys[open]").await;
    press(ESC);
    app.gone("dialog.keys[open]").await;
    press(layout.slash);
    focused(app, "[data-composer]").await;

    for (keys, percent) in [(layout.plus, 110), (NUMPAD_PLUS, 125), (layout.minus, 110), (NUMPAD_MINUS, 100)]
    {
        command(keys);
        text_size(app, percent).await;
    }
    command(layout.plus);
    text_size(app, 110).await;
    command(DIGIT_0);
    text_size(app, 100).await;

    command(N);
    app.find("main details.own").await;
    command(DIGIT_1);
    app.find(&format!("main [data-session-view='{}']", sessions[0])).await;

    command(layout.q);
    activate(QUIT_DIALOG);
    press(ESC);
    app.wait("the dialog to go", async || {
        xdotool(&["search", "--onlyvisible", "--name", QUIT_DIALOG]).is_empty().then_some(())
    })
    .await;
    activate(WINDOW);
}

#[tokio::test]
async fn case_118_every_shortcut_works_on_every_layout_as_shown() {
    let app = Setup::default().open().await;
    app.change_setting("quick_answer", "off").await;
    let first = app.show_demo("technology", "Notes").await;
    app.find(OPEN_CARD).await;
    let second = app.show_demo("technology", "Later").await;
    app.find(OPEN_CARD).await;
    let order = "return [...document.querySelectorAll('nav [data-session]')].map(row => row.dataset.session)";
    let listed = app.script(order, vec![]).await;
    let listed: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
    assert!(listed.contains(&first.as_str()) && listed.contains(&second.as_str()));
    activate(WINDOW);
    for layout in &LAYOUTS {
        println!("{}", layout.name);
        try_shortcuts(&app, layout, [listed[0], listed[1]]).await;
    }
    std::process::Command::new("setxkbmap").arg("us").status().unwrap();
}
