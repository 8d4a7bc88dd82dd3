//! Files that are dragged onto the window from another program's window, with the pointer of the display.

use std::fs;
use std::thread;
use std::time::Duration;

use askdesk_testkit::mock_api::Reply;
use gtk::gdk::{DragAction, ModifierType};
use gtk::glib;
use gtk::prelude::*;
use serde_json::json;

use crate::desktop::{WINDOW, xdotool};
use crate::harness::Setup;
use crate::real_claude::RealClaude;

/// The window that files are dragged from.
const SOURCE: &str = "Files to drag";

/// Shows a window whose whole area can be dragged as a file. It stays until the tests end.
fn show_source(uri: String) {
    thread::spawn(move || {
        gtk::init().unwrap();
        let window = gtk::Window::new(gtk::WindowType::Toplevel);
        window.set_title(SOURCE);
        window.set_default_size(160, 120);
        window.set_keep_above(true);
        let area = gtk::EventBox::new();
        area.add(&gtk::Label::new(Some("a file")));
        let targets = [gtk::TargetEntry::new("text/uri-list", gtk::TargetFlags::OTHER_APP, 0)];
        area.drag_source_set(ModifierType::BUTTON1_MASK, &targets, DragAction::COPY);
        area.connect_drag_data_get(move |_, _, data, _, _| {
            data.set_uris(&[&uri]);
        });
        window.add(&area);
        window.show_all();
        gtk::main();
    });
}

/// Moves the pointer in small steps, as a hand does.
fn drag_to(x: i32, y: i32) {
    for step in (0..8).rev() {
        xdotool(&["mousemove", &(x - 6 * step).to_string(), &(y - 6 * step).to_string()]);
        thread::sleep(Duration::from_millis(40));
    }
}

/// The middle of a window on the display.
fn middle_of(title: &str) -> (i32, i32) {
    let shell =
        xdotool(&["search", "--sync", "--onlyvisible", "--name", title, "getwindowgeometry", "--shell"]);
    let value = |name: &str| -> i32 {
        shell.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap().parse().unwrap()
    };
    (value("X") + value("WIDTH") / 2, value("Y") + value("HEIGHT") / 2)
}

#[tokio::test]
async fn a_file_that_is_dragged_onto_the_window_is_announced_and_attached() {
    let test = "a_file_that_is_dragged_onto_the_window_is_announced_and_attached";
    let replies = vec![Reply::text("Ready."), Reply::text("I read it.")];
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    let file = real.project.path().join("door plan.txt");
    fs::write(&file, "left of the window").unwrap();

    show_source(glib::filename_to_uri(&file, None).unwrap().to_string());
    let (x, y) = middle_of(SOURCE);
    xdotool(&["mousemove", &x.to_string(), &y.to_string(), "mousedown", "1"]);
    drag_to(x + 20, y + 20);
    let (x, y) = middle_of(WINDOW);
    drag_to(x, y);
    app.shows_text(".composer", "Drop to attach").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("drag-over").await;
    xdotool(&["mouseup", "1"]);
    app.shows_text(".composer [data-attachment=file]", "door plan.txt").await;
    app.gone(".composer .supporting").await;

    real.send("See the plan.").await;
    app.shows_text("main", "I read it.").await;
    let heard = real.mock.conversation().last().unwrap()["messages"].to_string();
    assert!(heard.contains("door plan.txt"), "{heard}");
}
