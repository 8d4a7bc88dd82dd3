//! Closing the window and quitting: what is at work is named before it ends, and goes on where the person wants that.

use std::sync::atomic::{AtomicBool, Ordering};

use askdesk_api::RunningWork;
use askdesk_domain::{OnClose, Settings};
use tauri::{AppHandle, Manager, Window, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};

use crate::opening::Opening;
use crate::presence::{Goal, Presence};
use crate::{language, tray, window};

/// Whether the person is being asked at this moment.
#[derive(Default)]
pub struct Asking(AtomicBool);

pub fn on_window_event(closed: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else { return };
    let app = closed.app_handle().clone();
    // A desk that is not open yet has nothing that could be lost.
    let Some(desk) = app.state::<Opening>().now() else { return };
    api.prevent_close();
    let wanted = app.state::<Presence>().wanted();
    tauri::async_runtime::spawn(async move {
        let on_close = desk.settings().watch().borrow().on_close;
        if on_close == OnClose::KeepRunning && tray::offer(&app).await {
            app.state::<Presence>().leave(Goal::Tray, wanted);
        } else {
            quit(&app);
        }
    });
}

/// Ends the app, after asking where something is at work.
pub fn quit(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(desk) = app.state::<Opening>().now() else { return app.exit(0) };
        let at_work = desk.running_work().await.unwrap_or_default();
        if at_work == RunningWork::default() {
            end(&app);
        } else {
            ask(&app, &desk.settings().watch().borrow().clone(), at_work);
        }
    });
}

fn ask(app: &AppHandle, settings: &Settings, at_work: RunningWork) {
    if app.state::<Asking>().0.swap(true, Ordering::Relaxed) {
        return;
    }
    let words = language::words(settings);
    let buttons = MessageDialogButtons::OkCancelCustom(words.quit.to_owned(), words.keep_running.to_owned());
    let mut dialog = app.dialog().message(words.at_work(at_work));
    if let Some(window) = app.get_webview_window(window::MAIN) {
        dialog = dialog.parent(&window);
    }
    let dialog = dialog.title(words.quit_title).kind(MessageDialogKind::Warning).buttons(buttons);
    let app = app.clone();
    dialog.show(move |quit| {
        app.state::<Asking>().0.store(false, Ordering::Relaxed);
        if quit {
            end(&app);
        }
    });
}

/// Ends the app once the page has kept everything.
fn end(app: &AppHandle) {
    let presence = app.state::<Presence>();
    presence.leave(Goal::Exit, presence.wanted());
}
