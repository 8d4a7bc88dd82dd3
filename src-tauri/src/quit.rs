//! Quitting the app. It asks first if sessions are working or questions are open.

use std::sync::atomic::{AtomicBool, Ordering};

use askdesk_desk::{Desk, RunningWork};
use askdesk_domain::Settings;
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};

use crate::window_lifecycle::{Goal, WindowLifecycle};
use crate::{language, window};

#[derive(Default)]
pub struct QuitDialog(AtomicBool);

/// Quits from the window's own keys.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn quit(app: AppHandle) {
    request(&app);
}

/// Quits, after asking if something is running.
pub fn request(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(desk) = app.try_state::<Desk>() else { return app.exit(0) };
        let running = desk.mirror().running_work();
        if running == RunningWork::default() {
            end(&app);
        } else {
            confirm(&app, &desk.settings(), running);
        }
    });
}

fn confirm(app: &AppHandle, settings: &Settings, running: RunningWork) {
    if app.state::<QuitDialog>().0.swap(true, Ordering::Relaxed) {
        return;
    }
    let messages = language::messages(settings);
    let buttons =
        MessageDialogButtons::OkCancelCustom(messages.quit.to_owned(), messages.keep_running.to_owned());
    let mut dialog = app.dialog().message(messages.running_work(running));
    if let Some(window) = app.get_webview_window(window::MAIN) {
        dialog = dialog.parent(&window);
    }
    let dialog = dialog.title(messages.quit_title).kind(MessageDialogKind::Warning).buttons(buttons);
    let app = app.clone();
    dialog.show(move |confirmed| {
        app.state::<QuitDialog>().0.store(false, Ordering::Relaxed);
        if confirmed {
            end(&app);
        }
    });
}

/// Ends the app once the page has saved everything.
fn end(app: &AppHandle) {
    let lifecycle = app.state::<WindowLifecycle>();
    lifecycle.close(Goal::Exit, lifecycle.show_count());
}
