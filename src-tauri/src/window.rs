//! Creates the window, shows it and hides it.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askdesk_client_config::discovery::{self, DATA_FOLDER};
use askdesk_domain::Theme;
use tauri::plugin::TauriPlugin;
use tauri::webview::PageLoadEvent;
#[cfg(target_os = "linux")]
use tauri::window::Color;
use tauri::{AppHandle, Manager, WebviewWindow, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::trace::{self, Milestone};

pub const MAIN: &str = "main";

/// The folder for the webview's files in a data folder of its own.
const WEBVIEW_FOLDER: &str = "webview";

/// The file for the window's size and position in a data folder of its own.
const STATE_FILE: &str = "window.json";

/// The window is shown without its page after this time.
const PAGE_TIMEOUT: Duration = Duration::from_secs(2);

/// A window that has no focus this long after it was raised was refused it.
#[cfg(target_os = "linux")]
const FOCUS_TIMEOUT: Duration = Duration::from_millis(300);

/// Whether showing the window takes the focus, or leaves it to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Take,
    Keep,
}

/// Restores the window's size and position, but never as hidden.
pub fn window_state_plugin(data_folder: Option<OsString>) -> TauriPlugin<Wry> {
    let what = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let plugin = tauri_plugin_window_state::Builder::new().with_state_flags(what);
    // The plugin joins a relative path to the system's config folder.
    let own =
        data_folder.and_then(|folder| std::path::absolute(folder).ok()).map(|folder| folder.join(STATE_FILE));
    match own.as_deref().and_then(|path| path.to_str()) {
        Some(path) => plugin.with_filename(path).build(),
        None => plugin.build(),
    }
}

/// Creates and shows the window. The script runs before the page's own.
pub fn create(app: &AppHandle, script: &str, focus: Focus) -> tauri::Result<Option<WebviewWindow>> {
    let Some(window) = prepare(app, script)? else { return Ok(None) };
    let window = window.build()?;
    show(app, focus);
    Ok(Some(window))
}

/// Creates the first window of a run, and shows its page once that has loaded. On Linux, the window is there at once, in its
/// background color.
///
/// A page that is drawn before it has loaded is waited for, while it waits for the window's thread: with WebKitGTK 2.50
/// and its plain renderer, every second start froze for half a second. Later windows show their page at once,
/// because none of 21 froze and a click on the tray should show something.
pub fn create_first(app: &AppHandle, script: &str) -> tauri::Result<Option<WebviewWindow>> {
    let Some(window) = prepare(app, script)? else { return Ok(None) };
    let shown = Arc::new(AtomicBool::new(false));
    let by_page = Arc::clone(&shown);
    let window = window.visible(false).on_page_load(move |window, page| {
        if page.event() == PageLoadEvent::Finished && !by_page.swap(true, Ordering::Relaxed) {
            show_page(&window);
        }
    });
    let window = window.build()?;
    trace::reached(Milestone::WindowMade);
    #[cfg(target_os = "linux")]
    {
        hold_page(&window)?;
        let theme = window.theme().unwrap_or(tauri::Theme::Light);
        window.as_ref().window().set_background_color(Some(color(theme)))?;
        show_unfocused(app);
    }
    let later = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PAGE_TIMEOUT).await;
        if !shown.swap(true, Ordering::Relaxed) {
            tracing::warn!("the page did not load in time; the window is shown without it");
            show_page(&later);
        }
    });
    Ok(Some(window))
}

fn prepare<'a>(
    app: &'a AppHandle,
    script: &str,
) -> tauri::Result<Option<WebviewWindowBuilder<'a, Wry, AppHandle>>> {
    let config = app.config().app.windows.iter().find(|window| window.label == MAIN);
    let window = config.map(|config| WebviewWindowBuilder::from_config(app, config)).transpose()?;
    Ok(window.map(|window| keep_in_data_folder(window.initialization_script(script))))
}

/// Lets the webview keep its own files in a data folder that the user chose, and not in the home folder.
pub fn keep_in_data_folder<'a>(
    window: WebviewWindowBuilder<'a, Wry, AppHandle>,
) -> WebviewWindowBuilder<'a, Wry, AppHandle> {
    match (std::env::var_os(DATA_FOLDER), discovery::data_folder()) {
        (Some(_), Ok(folder)) => window.data_directory(folder.join(WEBVIEW_FOLDER)),
        _ => window,
    }
}

/// Shows the page of the first window.
fn show_page(window: &WebviewWindow) {
    #[cfg(target_os = "linux")]
    log_error(window.with_webview(|page| {
        use gtk::prelude::WidgetExt;

        let page = page.inner();
        page.set_child_visible(true);
        // Within the window: whether the window itself has the focus is not changed.
        page.grab_focus();
    }));
    #[cfg(not(target_os = "linux"))]
    show_unfocused(window.app_handle());
}

/// Keeps the page from being drawn, and gives it its final size, so that it is laid out once.
#[cfg(target_os = "linux")]
fn hold_page(window: &WebviewWindow) -> tauri::Result<()> {
    use gtk::prelude::WidgetExt;

    let size = window.inner_size()?.to_logical::<i32>(window.scale_factor()?);
    window.with_webview(move |page| {
        let page = page.inner();
        page.set_child_visible(false);
        // GTK warns if a size is allocated before the preferred size was asked for.
        let _ = page.preferred_size();
        page.size_allocate(&gtk::Allocation::new(0, 0, size.width, size.height));
    })
}

pub fn show(app: &AppHandle, focus: Focus) {
    match focus {
        Focus::Take => raise(app),
        Focus::Keep => show_unfocused(app),
    }
}

/// Gives the window the token of a click in another program, so that the desktop lets it take the focus when it is raised.
pub fn take_token(app: &AppHandle, token: String) {
    #[cfg(target_os = "linux")]
    if let Some(window) = app.get_webview_window(MAIN) {
        let of_window = window.clone();
        log_error(window.run_on_main_thread(move || match of_window.gtk_window() {
            Ok(window) => gtk::prelude::GtkWindowExt::set_startup_id(&window, &token),
            Err(error) => tracing::warn!(%error, "the window has no place for the token of a click"),
        }));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (app, token);
}

pub fn hide(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.hide()
    {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

/// Shows a hidden window; the system decides about the focus.
fn show_unfocused(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.show()
    {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// Shows and focuses the window, even if it is minimized or on another workspace.
fn raise(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    log_error(window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus()));
    #[cfg(target_os = "linux")]
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(FOCUS_TIMEOUT).await;
        // Some window managers refuse the focus to a window on another workspace. Putting it on all workspaces for a moment
        // moves it to the current one.
        if !window.is_focused().unwrap_or(true) {
            let everywhere = |yes| window.set_visible_on_all_workspaces(yes);
            log_error(everywhere(true).and_then(|()| everywhere(false)).and_then(|()| window.set_focus()));
        }
    });
}

/// Sets the theme of all windows, also of those to come.
pub fn set_theme(app: &AppHandle, theme: Theme) {
    app.set_theme(match theme {
        Theme::System => None,
        Theme::Light => Some(tauri::Theme::Light),
        Theme::Dark => Some(tauri::Theme::Dark),
    });
}

/// The color of the window before its page is painted: `--window` in `tokens.css`.
#[cfg(target_os = "linux")]
const fn color(theme: tauri::Theme) -> Color {
    match theme {
        tauri::Theme::Dark => Color(0x14, 0x13, 0x12, 0xff),
        _ => Color(0xf2, 0xf0, 0xeb, 0xff),
    }
}

fn log_error(raised: tauri::Result<()>) {
    if let Err(error) = raised {
        tracing::warn!(%error, "the window could not be raised");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_the_color_that_its_page_will_have() {
        let tokens = include_str!("../../ui/src/shared/tokens.css");
        let mut colors = tokens.lines().filter_map(|line| line.trim().strip_prefix("--window: #")?.get(..6));
        for theme in [tauri::Theme::Dark, tauri::Theme::Light] {
            let Color(red, green, blue, _) = color(theme);
            assert_eq!(colors.next(), Some(format!("{red:02x}{green:02x}{blue:02x}").as_str()), "{theme:?}");
        }
    }
}
