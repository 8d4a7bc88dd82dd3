//! What happens when the process of a page dies, such as for lack of memory, or when a page can't be shown. The page is loaded again
//! and says so once. If that happens again within a minute, a page without a script says what can be done, so that nothing loads
//! again and again.
//!
//! WebKitGTK and WKWebView report this. WebView2 does too, but wry passes it on to nobody: on Windows, the window shows the error
//! page of WebView2.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tauri::http::{Request, Response, header};
use tauri::webview::{PageLoadEvent, PageLoadPayload};
use tauri::{AppHandle, Manager, Runtime, State, UriSchemeContext, Url, Webview, WebviewWindow};

use crate::messages::{self, Messages};
use crate::{language, window};

/// The scheme of the page that says what can be done.
pub const SCHEME: &str = "page-crash";
const ADDRESS: &str = "page-crash://localhost/";

/// A page that dies again this soon is not loaded again without the user.
const SOON: Duration = Duration::from_secs(60);

#[derive(Default)]
pub struct PageCrashes(Mutex<Crashes>);

#[derive(Default)]
struct Crashes {
    /// When a page died last, by the label of its window.
    last: HashMap<String, Instant>,
    /// The address that a window shows, by its label. WebKit forgets it when the process dies.
    shown: HashMap<String, Url>,
    /// The id of the last report of a page that could not be shown.
    report: Option<String>,
    /// The main page has not said yet that it was loaded again.
    is_unsaid: bool,
    /// The address of the main page, also while its window shows another one.
    address: Option<Url>,
}

/// What follows the death of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    Reload,
    /// Show the page that says what can be done.
    Explain,
    /// The window stays as it is.
    Leave,
}

impl PageCrashes {
    fn lock(&self) -> MutexGuard<'_, Crashes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crashes {
    /// Notes that the page of a window died, and decides what follows.
    fn next(&mut self, label: &str, now: Instant) -> Recovery {
        let before = self.last.insert(label.to_owned(), now);
        let is_soon = before.is_some_and(|before| now.saturating_duration_since(before) < SOON);
        let explains = self.shown.get(label).is_some_and(|shown| shown.scheme() == SCHEME);
        let is_main = label == window::MAIN && !explains;
        self.is_unsaid |= is_main;
        match (is_soon, is_main) {
            (false, _) => Recovery::Reload,
            (true, true) => Recovery::Explain,
            (true, false) => Recovery::Leave,
        }
    }

    /// Whether a report is another one than the last. Tauri sends a command a second time if its page is gone before the response.
    fn is_new(&mut self, report: String) -> bool {
        let is_new = self.report.as_ref() != Some(&report);
        self.report = Some(report);
        is_new
    }

    fn note_shown(&mut self, label: &str, shown: &Url) {
        if label == window::MAIN && shown.scheme() != SCHEME {
            self.address = Some(shown.clone());
        }
        self.shown.insert(label.to_owned(), shown.clone());
    }
}

/// Notes the address that a window shows.
pub fn note_shown(page: &Webview, payload: &PageLoadPayload<'_>) {
    if payload.event() == PageLoadEvent::Started
        && let Some(crashes) = page.try_state::<PageCrashes>()
    {
        crashes.lock().note_shown(page.label(), payload.url());
    }
}

/// Follows the process of a window's page.
#[cfg(target_os = "linux")]
pub fn follow(window: &WebviewWindow) {
    use webkit2gtk::{WebProcessTerminationReason, WebViewExt};

    let (app, label) = (window.app_handle().clone(), window.label().to_owned());
    let followed = window.with_webview(move |page| {
        page.inner().connect_web_process_terminated(move |_, reason| {
            if reason != WebProcessTerminationReason::TerminatedByApi {
                let (app, label) = (app.clone(), label.clone());
                // Not within the signal: WebKit is still handling the end of the process.
                tauri::async_runtime::spawn(async move { recover(&app, &label) });
            }
        });
    });
    if let Err(error) = followed {
        tracing::error!(label = window.label(), %error, "the process of the page can't be followed");
    }
}

/// Tauri follows it.
#[cfg(not(target_os = "linux"))]
pub fn follow(_: &WebviewWindow) {}

/// Brings back a page whose process has died.
pub fn recover(app: &AppHandle, label: &str) {
    let Some(window) = app.get_webview_window(label) else { return };
    let recovery = app.state::<PageCrashes>().lock().next(label, Instant::now());
    tracing::error!(label, ?recovery, "the page is gone");
    let recovered = match recovery {
        Recovery::Reload => window.reload(),
        Recovery::Explain => {
            ADDRESS.parse().map_err(tauri::Error::InvalidUrl).and_then(|address| window.navigate(address))
        }
        Recovery::Leave => Ok(()),
    };
    if let Err(error) = recovered {
        tracing::error!(label, %error, "the page could not be loaded again");
    }
}

/// Returns whether the page was loaded again because its process had died. It is said once.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn take_page_crash(crashes: State<'_, PageCrashes>) -> bool {
    std::mem::take(&mut crashes.lock().is_unsaid)
}

/// Takes the report of a page that could not be shown.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn page_failed(webview: Webview, crashes: State<'_, PageCrashes>, report: String, why: String) {
    if !crashes.lock().is_new(report) {
        return;
    }
    let why = askdesk_domain::text::bounded(&why);
    tracing::error!(label = webview.label(), why, "the page could not be shown");
    recover(webview.app_handle(), webview.label());
}

/// Responds with the page that says what can be done.
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn serve<R: Runtime>(context: UriSchemeContext<'_, R>, _: Request<Vec<u8>>) -> Response<Vec<u8>> {
    let app = context.app_handle();
    let messages = language::of_app(app);
    let address = app.state::<PageCrashes>().lock().address.clone();
    let mut response = Response::new(explanation(messages, address.as_ref()).into_bytes());
    let headers = response.headers_mut();
    let html = header::HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, html);
    response
}

/// Makes the page. It has no script, so what ended the other page can hardly end this one.
fn explanation(messages: &Messages, address: Option<&Url>) -> String {
    let address =
        address.map_or("tauri://localhost/", Url::as_str).replace('&', "&amp;").replace('"', "&quot;");
    let Messages { page_ended, page_advice, load_page, .. } = messages;
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>{}</title><style>\
         :root {{ color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif }}\
         body {{ max-width: 36em; margin: 15vh auto; padding: 0 2em }}\
         h1 {{ font-size: 1.25em }}</style>\
         <main><h1>{page_ended}</h1><p>{page_advice}</p><p><a href=\"{address}\">{load_page}</a></p></main>",
        messages::APP
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "tauri://localhost/";

    fn url(address: &str) -> Url {
        address.parse().unwrap()
    }

    #[test]
    fn case_133_a_page_is_loaded_again_once_a_minute() {
        let (mut crashes, began) = (Crashes::default(), Instant::now());
        let mut dies = |label: &str, shown: &str, seconds: u64| {
            crashes.note_shown(label, &url(shown));
            crashes.next(label, began + Duration::from_secs(seconds))
        };
        assert_eq!(dies(window::MAIN, PAGE, 0), Recovery::Reload);
        assert_eq!(dies("guide", "guide://localhost/", 1), Recovery::Reload);
        assert_eq!(dies(window::MAIN, PAGE, 59), Recovery::Explain);
        assert_eq!(dies(window::MAIN, ADDRESS, 60), Recovery::Leave);
        assert_eq!(dies("guide", "guide://localhost/", 2), Recovery::Leave);
        // The user has loaded the page again.
        assert_eq!(dies(window::MAIN, PAGE, 90), Recovery::Explain);
        assert_eq!(dies(window::MAIN, ADDRESS, 160), Recovery::Reload);
        assert_eq!(dies(window::MAIN, PAGE, 230), Recovery::Reload);
        assert_eq!(crashes.address, Some(url(PAGE)));
    }

    #[test]
    fn the_explanation_leads_back_to_the_page_in_each_language() {
        for language in
            [askdesk_domain::Language::En, askdesk_domain::Language::De, askdesk_domain::Language::Zh]
        {
            let page = explanation(messages::of(language), Some(&url("http://127.0.0.1:5173/?a=1&b=\"")));
            assert!(page.contains("href=\"http://127.0.0.1:5173/?a=1&amp;b=%22\""), "{page}");
            assert!(!page.contains("script"), "{page}");
        }
    }
}
