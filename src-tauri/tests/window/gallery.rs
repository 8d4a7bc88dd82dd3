//! The gallery of states in the app's webview: accessibility rules, and a screenshot of each state.

use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::harness::{App, Setup};

/// The state that is checked with the largest text size.
const LARGE: &str = "large_text";

/// The gallery, served over HTTP.
pub struct Gallery(String);

impl Gallery {
    /// Builds it once, and serves it while the test runs.
    pub async fn open() -> Self {
        let served = Served { folder: built(), policy: policy() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(file).with_state(served);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self(format!("http://{address}/gallery.html"))
    }

    /// Returns the names of all states, which the gallery lists.
    async fn states(&self, app: &App) -> Vec<String> {
        app.client.goto(&self.0).await.unwrap();
        let listed = "return [...document.links].map(link => new URL(link.href).searchParams.get('state')).filter(Boolean)";
        let states = app.wait("the list of states", async || {
            let states = app.client.execute(listed, vec![]).await.ok()?;
            serde_json::from_value::<Vec<String>>(states).ok().filter(|states| !states.is_empty())
        });
        states.await
    }

    /// Shows a state in the window, with more parameters of the address.
    pub async fn show(&self, app: &App, state: &str, more: &str) {
        app.client.goto(&format!("{}?state={state}{more}", self.0)).await.unwrap();
        let script = "const { state, failed } = document.documentElement.dataset; return { state, failed };";
        app.wait(&format!("the state {state}"), async || {
            let page = app.client.execute(script, vec![]).await.ok()?;
            assert!(page["failed"].is_null(), "{state}: {page}");
            (page["state"] == state).then_some(())
        })
        .await;
    }
}

#[derive(Clone)]
struct Served {
    folder: PathBuf,
    policy: String,
}

async fn file(State(served): State<Served>, uri: Uri) -> Response {
    let path = Path::new(uri.path().trim_start_matches('/'));
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let kind = match path.extension().and_then(|it| it.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match std::fs::read(served.folder.join(path)) {
        Ok(content) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, &served.policy)];
            (headers, content).into_response()
        }
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Builds the gallery into a folder of its own for each desktop, because tests run on several at once.
fn built() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let desktop = std::env::var("DISPLAY").unwrap_or_default().replace(':', "-");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gallery{desktop}"));
        let built = Command::new("node")
            .args([
                "node_modules/vite/bin/vite.js",
                "build",
                "--mode",
                "gallery",
                "--emptyOutDir",
                "--outDir",
            ])
            .arg(&folder)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("ui"))
            .output()
            .expect("Node is installed; `cargo xtask test` does that");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder
    };
    BUILT.get_or_init(build).clone()
}

/// Returns the app's content security policy.
fn policy() -> String {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("tauri.conf.json");
    let config: Value = serde_json::from_str(&std::fs::read_to_string(config).unwrap()).unwrap();
    let rules = config["app"]["security"]["csp"].as_object().unwrap().iter();
    rules.map(|(what, from)| format!("{what} {}", from.as_str().unwrap())).collect::<Vec<_>>().join("; ")
}

async fn open_with(settings: &str) -> (tempfile::TempDir, App) {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("settings.toml"), settings).unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    (data, app)
}

/// The entries of the transcript that should be drawn and aren't: all of them if they fit, else those in view. Also those
/// that should be one line and wrap.
const NOT_DRAWN: &str = "const scroller = document.querySelector('[data-transcript]');
    const feed = scroller?.querySelector('[role=feed]');
    // While it loads and while it is empty, the transcript shows something else.
    if (!feed) return scroller === null || scroller.querySelector('.quiet, .skeleton') !== null ? [] : ['no entry is drawn'];
    const articles = [...feed.querySelectorAll('article')];
    const problems = articles.filter(article => getComputedStyle(article).visibility !== 'visible' || article.offsetHeight === 0)
        .map(article => `entry ${article.dataset.entry} is hidden`);
    const lines = [...feed.querySelectorAll('article summary')];
    problems.push(...lines.filter(line => line.offsetHeight > parseFloat(getComputedStyle(line).minHeight) + 1)
        .map(line => `not one line: ${line.textContent.replace(/\\s+/g, ' ').trim()}`));
    if (scroller.scrollHeight > scroller.clientHeight) {
        const [view, all] = [scroller.getBoundingClientRect(), feed.getBoundingClientRect()];
        const [first, last] = [articles.at(0), articles.at(-1)].map(article => article?.getBoundingClientRect());
        if (!first || first.top > Math.max(view.top, all.top) + 1) problems.push('nothing is drawn at the start of the view');
        if (!last || last.bottom < Math.min(view.bottom, all.bottom) - 1) problems.push('nothing is drawn at the end of the view');
        return problems;
    }
    const drawn = new Set(articles.flatMap(({ dataset: { entry, last } }) =>
        Array.from({ length: (last ?? entry) - entry + 1 }, (_, index) => Number(entry) + index)));
    const count = Number(articles.at(-1)?.getAttribute('aria-setsize') ?? 1);
    for (let entry = 1; entry <= count; entry += 1) if (!drawn.has(entry)) problems.push(`entry ${entry} is not drawn`);
    return problems;";

/// Returns what is wrong with the drawn entries once they had time to settle.
async fn not_drawn(app: &App) -> Vec<String> {
    let mut problems = Vec::new();
    for _ in 0..20 {
        let found = app.script(NOT_DRAWN, vec![]).await;
        problems = found.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect();
        if problems.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    problems
}

/// The radios, checkboxes, and switches that are drawn by the system, or look the same whether they are chosen or not.
const UNCLEAR_MARKS: &str = "const marks = [...document.querySelectorAll('input:is([type=radio], [type=checkbox])')]
        .filter(mark => mark.checkVisibility());
    const look = mark => [getComputedStyle(mark).backgroundColor, getComputedStyle(mark, '::before').backgroundColor].join();
    const own = marks.filter(mark => getComputedStyle(mark).appearance === 'none');
    const chosen = new Set(own.filter(mark => mark.checked).map(look));
    const same = own.filter(mark => !mark.checked && chosen.has(look(mark)));
    return [...marks.filter(mark => !own.includes(mark)), ...same].map(mark => mark.outerHTML);";

#[rstest::rstest]
#[case::dark("dark")]
#[case::light("light")]
#[tokio::test]
async fn every_state_of_the_gallery_is_accessible_and_complete_in_each_theme(#[case] theme: &str) {
    let gallery = Gallery::open().await;
    let (_data, app) = open_with("").await;
    let mut usual = gallery.states(&app).await;
    app.close().await;
    usual.retain(|state| state != LARGE);
    let large = [LARGE.to_owned()];
    let mut wrong = Vec::new();
    // A few states per window, because the time of a window is limited.
    for (text_size, states) in usual.chunks(6).map(|states| (100, states)).chain([(200, &large[..])]) {
        let appearance = format!("[appearance]\ntheme = \"{theme}\"\ntext_size = {text_size}\n");
        let (_data, app) = open_with(&appearance).await;
        app.resize(960, 640).await;
        let dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
        app.wait("the theme", async || (app.script(dark, vec![]).await == (theme == "dark")).then_some(()))
            .await;
        for state in states {
            gallery.show(&app, state, "").await;
            app.picture(&format!("gallery/{theme}/{state}")).await;
            wrong.extend(not_drawn(&app).await.into_iter().map(|what| format!("{state}: {what}")));
            wrong.extend(app.axe().await.into_iter().map(|what| format!("{state}: {what}")));
            for part in ["aside", "dialog[open]"] {
                wrong.extend(app.cut(part).await.into_iter().map(|what| format!("{state}: cut: {what}")));
            }
            let unclear = app.script(UNCLEAR_MARKS, vec![]).await;
            wrong.extend(
                unclear.as_array().unwrap().iter().map(|mark| format!("{state}: unclear mark: {mark}")),
            );
        }
        app.close().await;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn animations_are_off_if_the_system_asks_for_less_motion() {
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir(config.path().join("gtk-3.0")).unwrap();
    let settings = "[Settings]\ngtk-enable-animations=0\n";
    std::fs::write(config.path().join("gtk-3.0/settings.ini"), settings).unwrap();
    let app = Setup::default().env("XDG_CONFIG_HOME", config.path().to_str().unwrap()).open().await;
    let durations = "const style = getComputedStyle(document.documentElement);
        return ['--quick', '--flash', '--turn'].map(name => parseFloat(style.getPropertyValue(name)));";
    assert_eq!(app.script(durations, vec![]).await, json!([0, 0, 0]));
    app.close().await;
    let app = App::open().await;
    let moves = app.script(durations, vec![]).await;
    assert!(moves.as_array().unwrap().iter().all(|duration| duration.as_f64() > Some(0.0)), "{moves}");
}
