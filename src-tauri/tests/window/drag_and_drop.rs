//! Files that are dragged onto the window from another program's window, with the pointer of the display.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::Reply;
use gtk::gdk::{DragAction, ModifierType};
use gtk::glib;
use gtk::prelude::*;
use serde_json::json;

use crate::desktop::{WINDOW, xdotool};
use crate::harness::{App, Setup};
use crate::real_agent::Real;

/// The window that files are dragged from.
const SOURCE: &str = "Files to drag";

/// The window that files are dragged from. Once it is dropped, it is gone and no button of the mouse is held, so the next test on
/// this display has the keys and the pointer to itself.
struct Source {
    thread: Option<JoinHandle<()>>,
    is_drawn: Arc<AtomicBool>,
}

impl Source {
    /// Shows a window whose whole area can be dragged as a file. It doesn't take the keyboard.
    fn show(uri: String) -> Self {
        let is_drawn = Arc::<AtomicBool>::default();
        let drawn = Arc::clone(&is_drawn);
        let thread = thread::spawn(move || {
            gtk::init().unwrap();
            let window = gtk::Window::new(gtk::WindowType::Toplevel);
            window.set_title(SOURCE);
            window.set_default_size(160, 120);
            window.set_keep_above(true);
            window.set_accept_focus(false);
            let area = gtk::EventBox::new();
            area.add(&gtk::Label::new(Some("a file")));
            let targets = [gtk::TargetEntry::new("text/uri-list", gtk::TargetFlags::OTHER_APP, 0)];
            area.drag_source_set(ModifierType::BUTTON1_MASK, &targets, DragAction::COPY);
            area.connect_drag_data_get(move |_, _, data, _, _| {
                data.set_uris(&[&uri]);
            });
            area.connect_draw(move |_, _| {
                drawn.store(true, Ordering::Relaxed);
                glib::Propagation::Proceed
            });
            window.add(&area);
            window.show_all();
            gtk::main();
            window.close();
            while gtk::events_pending() {
                gtk::main_iteration();
            }
        });
        Self { thread: Some(thread), is_drawn }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        xdotool(&["mouseup", "1"]);
        glib::idle_add(|| {
            gtk::main_quit();
            glib::ControlFlow::Break
        });
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Moves the pointer in small steps, as a hand does.
fn drag_to(x: i32, y: i32) {
    for step in (0..8).rev() {
        xdotool(&["mousemove", &(x - 6 * step).to_string(), &(y - 6 * step).to_string()]);
        thread::sleep(Duration::from_millis(40));
    }
}

/// The middle of a window on the display. A window that has just come has no place yet.
async fn middle_of(app: &App, title: &str) -> (i32, i32) {
    app.wait(&format!("the place of {title}"), async || {
        let shell = xdotool(&["search", "--onlyvisible", "--name", title, "getwindowgeometry", "--shell"]);
        let value = |name: &str| -> Option<i32> {
            shell.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?.parse().ok()
        };
        Some((value("X")? + value("WIDTH")? / 2, value("Y")? + value("HEIGHT")? / 2))
    })
    .await
}

#[tokio::test]
async fn a_file_that_is_dragged_onto_the_window_is_announced_and_attached() {
    let test = "a_file_that_is_dragged_onto_the_window_is_announced_and_attached";
    let replies = vec![Reply::text("Ready."), Reply::text("I read it.")];
    let setup = Setup::default().pictured();
    let Some(real) = Real::start(Cli::ClaudeCode, setup, test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    let file = real.project.path().join("door plan.txt");
    fs::write(&file, "left of the window").unwrap();

    let source = Source::show(glib::filename_to_uri(&file, None).unwrap().to_string());
    let (x, y) = middle_of(app, SOURCE).await;
    // A window that has a place is not yet drawn, and takes no press.
    app.wait("the window to be drawn", async || source.is_drawn.load(Ordering::Relaxed).then_some(())).await;
    xdotool(&["mousemove", &x.to_string(), &y.to_string(), "mousedown", "1"]);
    drag_to(x + 20, y + 20);
    let (x, y) = middle_of(app, WINDOW).await;
    drag_to(x, y);
    app.shows_text(".composer", "Drop to attach").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("drag-over").await;
    xdotool(&["mouseup", "1"]);
    // Its ending is kept apart, so that it is never cut off.
    app.shows_text(".composer [data-attachment=file]", "door plan").await;
    app.gone(".composer .supporting").await;
    drop(source);

    real.send("See the plan.").await;
    app.shows_text("main", "I read it.").await;
    let heard = real.mock.conversation().last().unwrap()["messages"].to_string();
    assert!(heard.contains("door plan.txt"), "{heard}");
}
