//! The guide, in a window of its own. The app carries the built site as a resource and serves it over a scheme of its own: a
//! browser that runs as a snap or a Flatpak can't read the app's files.

use std::fs;
use std::path::{Path, PathBuf};

use tauri::http::{Method, Request, Response, StatusCode, header};
use tauri::{
    AppHandle, Manager, Runtime, State, UriSchemeContext, UriSchemeResponder, Url, WebviewUrl,
    WebviewWindowBuilder,
};

use askdesk_contract::Error;
use askdesk_domain::Settings;

use crate::pending_api::PendingApi;
use crate::{external_links, language, page_crash, window};

pub const SCHEME: &str = "guide";

/// No capability names this window, so its pages can call no command.
const LABEL: &str = "guide";

/// The folder of the site among the app's resources; `tauri.conf.json` puts it there.
const FOLDER: &str = "guide";

const FIRST: &str = "guide://localhost/guide/index.html";

/// Windows serves the scheme from this host.
const HOST_ON_WINDOWS: &str = "guide.localhost";

/// Builds the site where it is missing.
const BUILD_COMMAND: &str = "cargo xtask guide";

/// Where the page leads to when the user closes the window by Esc or Ctrl+W: its pages can call no command.
const CLOSE: &str = "guide://localhost/close";

/// Runs before the guide's own scripts, which take every Esc. An open search or help of the guide is closed by them first.
const KEYS: &str = "window.addEventListener('keydown', (event) => {
    const { key, code, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
    if (isComposing || altKey || shiftKey) return;
    const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code === 'KeyW' ? 'w' : '';
    const open = ['mdbook-search-wrapper', 'mdbook-help-container'].some((id) => document.getElementById(id)?.checkVisibility());
    if (!(ctrlKey !== metaKey && letter === 'w') && !(key === 'Escape' && !ctrlKey && !metaKey && !open)) return;
    event.preventDefault();
    location.href = 'guide://localhost/close';
}, true);";

const SIZE: (f64, f64) = (1080.0, 780.0);
const MIN_SIZE: (f64, f64) = (360.0, 480.0);

/// Opens the guide, or brings its window to the front.
#[tauri::command]
pub async fn open_guide(app: AppHandle, pending_api: State<'_, PendingApi>) -> Result<(), Error> {
    let settings = pending_api.api().await?.settings().watch().borrow().clone();
    let opened = tauri::async_runtime::spawn_blocking(move || open(&app, &settings)).await.flatten();
    if let Err(error) = opened {
        tracing::error!(%error, "the guide could not be opened");
    }
    Ok(())
}

fn open(app: &AppHandle, settings: &Settings) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(LABEL) {
        return window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    }
    let closing = app.clone();
    let first = FIRST.parse().map_err(tauri::Error::InvalidUrl)?;
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::CustomProtocol(first));
    let window = window::keep_in_data_folder(window)
        .title(language::messages(settings).guide)
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .initialization_script(KEYS)
        .on_navigation(move |url| {
            if url.as_str() == CLOSE {
                close(&closing);
                return false;
            }
            let inside = is_inside(url);
            if !inside {
                external_links::open_from_guide(url.clone());
            }
            inside
        })
        .build()?;
    page_crash::follow(&window);
    window.set_zoom(settings.text_size.factor())
}

fn close(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    if let Err(error) = window.close() {
        tracing::warn!(%error, "the guide could not be closed");
    }
}

/// Whether an address is a page of the guide.
fn is_inside(url: &Url) -> bool {
    url.scheme() == SCHEME || cfg!(windows) && url.host_str() == Some(HOST_ON_WINDOWS)
}

/// Responds with a file of the site.
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn serve<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let app = context.app_handle().clone();
    let path = (request.method() == Method::GET).then(|| request.uri().path().to_owned());
    tauri::async_runtime::spawn(async move {
        let folder = app.path().resource_dir().ok().map(|resources| resources.join(FOLDER));
        let found = folder.zip(path).and_then(|(folder, path)| read(&folder, &path));
        let (status, media_type, content) = match found {
            Some((media_type, content)) => (StatusCode::OK, media_type, content),
            None => (StatusCode::NOT_FOUND, "text/plain; charset=utf-8", missing(&app).await.into_bytes()),
        };
        let mut response = Response::new(content);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media_type));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
        responder.respond(response);
    });
}

/// Reads a file of the site, with its media type.
fn read(folder: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let file = file_of(folder, path)?;
    Some((media_type(&file)?, fs::read(file).ok()?))
}

/// What the window shows in a build without the guide.
async fn missing<R: Runtime>(app: &AppHandle<R>) -> String {
    let api = app.state::<PendingApi>().api().await;
    let messages = match api {
        Ok(api) => language::messages(&api.settings().watch().borrow()),
        Err(_) => crate::messages::of(language::of_system()),
    };
    messages.no_guide.with(BUILD_COMMAND)
}

/// Returns the file with this path; none if the path could lead out of the folder.
fn file_of(folder: &Path, path: &str) -> Option<PathBuf> {
    let plain = |part: &str| {
        let known = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(known)
    };
    let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    parts.iter().all(|part| plain(part)).then(|| folder.join(parts.iter().collect::<PathBuf>()))
}

/// The media types of the files in the site; no other file is served.
fn media_type(file: &Path) -> Option<&'static str> {
    Some(match file.extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_within_the_guide_name_a_file() {
        let folder = Path::new("/app/guide");
        let page = folder.join("guide/agents/claude-code.html");
        assert_eq!(file_of(folder, "/guide/agents/claude-code.html"), Some(page));
        for path in [
            "",
            "/",
            "guide/index.html",
            "//etc/passwd",
            "/guide/",
            "/../desk.db",
            "/guide/../../desk.db",
            "/%2e%2e/desk.db",
            "/.askdesk-stamp",
            "/C:/desk.db",
            "/..\\desk.db",
        ] {
            assert_eq!(file_of(folder, path), None, "{path}");
        }
    }

    #[test]
    fn files_of_the_site_are_read_with_their_types_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&folder.path().join("missing"), "/index.html"), None);
        let files = ["index.html", "book.js", "general.css", "favicon.svg", "settings.png", "desk.db"];
        let read_types = files.map(|file| {
            fs::write(folder.path().join(file), file).unwrap();
            let (media_type, content) = read(folder.path(), &format!("/{file}"))?;
            assert_eq!(content, file.as_bytes());
            media_type.split(';').next()
        });
        let types = ["text/html", "text/javascript", "text/css", "image/svg+xml", "image/png"].map(Some);
        assert_eq!(read_types, [types.as_slice(), &[None]].concat().as_slice());
    }

    #[test]
    fn links_out_of_the_guide_stay_out_of_its_window() {
        let inside = |url: &str| is_inside(&url.parse().unwrap());
        assert!(inside(FIRST) && inside("guide://localhost/guide/install.html#build"));
        for url in
            ["https://www.rust-lang.org/", "file:///etc/passwd", "tauri://localhost", "askdesk://request/1"]
        {
            assert!(!inside(url), "{url}");
        }
        assert_eq!(inside("http://guide.localhost/guide/index.html"), cfg!(windows));
    }
}
