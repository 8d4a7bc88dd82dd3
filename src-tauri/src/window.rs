use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::plugin::TauriPlugin;
use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Manager, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::presence::Focus;

/// The label of the app's window.
pub const MAIN: &str = "main";

/// Where the window stood, in a data folder of its own.
const PLACE: &str = "window.json";

/// How long a page may take to come before its window is shown without it.
const PAGE_COMES: Duration = Duration::from_secs(2);

/// How long after it was raised a window that has no focus is taken for one that was refused it.
#[cfg(target_os = "linux")]
const REFUSED: Duration = Duration::from_millis(300);

/// Brings the window back where it stood and as large as it was, but never hidden.
pub fn remembered(data_folder: Option<OsString>) -> TauriPlugin<Wry> {
    let what = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let plugin = tauri_plugin_window_state::Builder::new().with_state_flags(what);
    // An absolute path stands for itself; otherwise the system's place for the app's configuration is taken.
    let own =
        data_folder.and_then(|folder| std::path::absolute(folder).ok()).map(|folder| folder.join(PLACE));
    match own.as_deref().and_then(|path| path.to_str()) {
        Some(path) => plugin.with_filename(path).build(),
        None => plugin.build(),
    }
}

/// Makes the window and puts it on the screen, with a script that runs before any of the page's.
pub fn open(app: &AppHandle, script: &str, focus: Focus) -> tauri::Result<()> {
    if let Some(window) = prepare(app, script)? {
        window.build()?;
        bring_up(app, focus);
    }
    Ok(())
}

/// Makes the first window of a run, which is put on the screen once its page is there.
///
/// A window that is drawn before its page can draw waits for it, while the page waits for what the window's thread has to
/// give: with WebKitGTK 2.50 and its plain renderer both stood still for half a second at every second start.
/// Later windows come up at once: none of 21 stood still, and a click on the tray shall show something.
pub fn open_first(app: &AppHandle, script: &str) -> tauri::Result<()> {
    let Some(window) = prepare(app, script)? else { return Ok(()) };
    let shown = Arc::new(AtomicBool::new(false));
    let by_page = Arc::clone(&shown);
    let window = window.visible(false).on_page_load(move |window, page| {
        if page.event() == PageLoadEvent::Finished && !by_page.swap(true, Ordering::Relaxed) {
            show(window.app_handle());
        }
    });
    let window = window.build()?;
    #[cfg(target_os = "linux")]
    lay_out(&window)?;
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PAGE_COMES).await;
        if !shown.swap(true, Ordering::Relaxed) {
            tracing::warn!("the page did not come; the window is shown without it");
            show(window.app_handle());
        }
    });
    Ok(())
}

fn prepare<'a>(
    app: &'a AppHandle,
    script: &str,
) -> tauri::Result<Option<WebviewWindowBuilder<'a, Wry, AppHandle>>> {
    let config = app.config().app.windows.iter().find(|window| window.label == MAIN);
    let window = config.map(|config| WebviewWindowBuilder::from_config(app, config)).transpose()?;
    Ok(window.map(|window| window.initialization_script(script)))
}

/// Gives the page of a window that is not on the screen yet the size it will have there, so that it is laid out once.
#[cfg(target_os = "linux")]
fn lay_out(window: &tauri::WebviewWindow) -> tauri::Result<()> {
    use gtk::prelude::WidgetExt;

    let size = window.inner_size()?.to_logical::<i32>(window.scale_factor()?);
    window.with_webview(move |page| {
        let page = page.inner();
        // GTK warns of a size that was given before one was asked for.
        let _ = page.preferred_size();
        page.size_allocate(&gtk::Allocation::new(0, 0, size.width, size.height));
    })
}

/// Puts the window on the screen.
pub fn bring_up(app: &AppHandle, focus: Focus) {
    match focus {
        Focus::Taken => raise(app),
        Focus::Left => show(app),
    }
}

/// Takes the window off the screen; what runs goes on.
pub fn hide(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.hide()
    {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

/// Puts a hidden window on the screen, and leaves the focus to the system.
fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.show()
    {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// Brings up the window that is there, wherever it is.
fn raise(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    note(window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus()));
    #[cfg(target_os = "linux")]
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(REFUSED).await;
        // A window manager that keeps to its workspace refuses the focus. What was on all of them for a moment stays on the
        // one that the person is at.
        if !window.is_focused().unwrap_or(true) {
            let everywhere = |yes| window.set_visible_on_all_workspaces(yes);
            note(everywhere(true).and_then(|()| everywhere(false)).and_then(|()| window.set_focus()));
        }
    });
}

fn note(raised: tauri::Result<()>) {
    if let Err(error) = raised {
        tracing::warn!(%error, "the window could not be raised");
    }
}
