//! Drives the real app in a real window over WebDriver.
//!
//! `cargo xtask test` provides a private display, session bus, window manager and notification daemon. Tests take turns,
//! because there is one keyboard focus and one notification daemon.

#[path = "harness/pictures.rs"]
mod pictures;
#[path = "harness/steps.rs"]
mod steps;

use std::cell::Cell;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

const PROGRAM: &str = env!("CARGO_BIN_EXE_askdesk-desktop");

/// How long anything may take. Generous, because tests must also pass on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// How long one test may take; the bench needs the most.
const LIMIT: Duration = Duration::from_secs(400);

/// Longer than the two clicks of a double click are apart, which GTK says are 400 ms.
const DOUBLE_CLICK: Duration = Duration::from_millis(600);

/// How often a condition is polled.
const LOOK: Duration = Duration::from_millis(30);

/// How often a condition is polled that takes minutes, so that polling does not change what is measured.
const SELDOM: Duration = Duration::from_secs(1);

static TURN: Mutex<()> = Mutex::const_new(());

/// The card of an open question in the panel.
pub const OPEN_CARD: &str = "aside [data-request][data-state=open]";

/// A question in the transcript whose answer the agent has received.
pub const DELIVERED: &str = "main [data-request][data-state=answered][data-delivery=delivered]";

/// What the app is opened with.
#[derive(Default)]
pub struct Setup {
    env: Vec<(String, String)>,
    data: Option<PathBuf>,
    home: Option<PathBuf>,
    args: Vec<String>,
    log: Option<PathBuf>,
    from_menu: bool,
    from_terminal: bool,
}

impl Setup {
    /// Sets an environment variable of the app, which its agents inherit.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Keeps the webview's default renderer. On a machine without a graphics card the app chooses the plain one, of which
    /// WebDriver takes no screenshots (measured with WebKitGTK 2.50: the call never returns).
    pub fn pictured(self) -> Self {
        // A screenshot must not depend on the machine.
        self.env("WEBKIT_DISABLE_DMABUF_RENDERER", "0").env("PATH", "/usr/local/bin:/usr/bin:/bin")
    }

    /// Uses a data folder that outlives the app.
    pub fn data(mut self, folder: &Path) -> Self {
        self.data = Some(folder.to_owned());
        self
    }

    /// Starts the app with an argument, such as a deep link.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Writes the app's log to a file.
    pub fn log_to(mut self, file: &Path) -> Self {
        self.log = Some(file.to_owned());
        self
    }

    /// Uses a home folder that outlives the app, with the data in the system's usual place. A second instance hands its
    /// arguments to the first.
    pub fn at_home(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// Starts the app as a desktop menu does: with a home folder, without a terminal, and with the few variables of a desktop
    /// session. It asks the shell for the others.
    pub fn started_from_menu(mut self, home: &Path, shell: &str) -> Self {
        self.from_menu = true;
        self.at_home(home).env("PATH", "/usr/bin:/bin").env("SHELL", shell)
    }

    /// Starts the app from a terminal, as `cargo xtask run` does: the terminal is the one that its processes would be stopped by.
    pub const fn started_from_terminal(mut self) -> Self {
        self.from_terminal = true;
        self
    }

    fn env_in(&mut self, home: &Path) -> Vec<(String, String)> {
        let mut env = std::mem::take(&mut self.env);
        if self.from_menu {
            let own = self.home.as_deref().unwrap_or(home);
            env.insert(0, ("HOME".to_owned(), own.display().to_string()));
            return env;
        }
        match &self.home {
            Some(own) => env.splice(0..0, at_home(own)).for_each(drop),
            None => {
                let data = self.data.take().unwrap_or_else(|| home.join("data"));
                env.splice(0..0, at_home(home)).for_each(drop);
                env.push(("ASKDESK_DATA_DIR".to_owned(), data.display().to_string()));
            }
        }
        env.push(("ASKDESK_FAKE_RECORD".to_owned(), home.join("record.jsonl").display().to_string()));
        env
    }

    /// Starts the app without the driver, which would wait for a window.
    pub async fn start(mut self) -> Started {
        let turn = TURN.lock().await;
        let home = TempDir::new().unwrap();
        let env = self.env_in(home.path());
        let mut command = command(PROGRAM, &env);
        if let Some(log) = &self.log {
            command.stderr(fs::File::create(log).unwrap());
        }
        let process = command.args(&self.args).process_group(0).spawn().unwrap();
        Started { env, process: Driver::watched(process), _home: home, _turn: turn }
    }

    pub async fn open(mut self) -> App {
        let turn = TURN.lock().await;
        let home = TempDir::new().unwrap();
        let record = home.path().join("record.jsonl");
        let env = self.env_in(home.path());
        let port = free_port();
        let driver = match self.from_menu {
            true => start_driver_from_menu(port, &env, self.log.as_deref()),
            false => start_driver(port, &env, self.log.as_deref(), self.from_terminal),
        };
        let driver = Driver::watched(driver);
        let options = json!({ "binary": PROGRAM, "args": self.args });
        // The default of 30 s is too short for scrolling a long transcript on a slow machine.
        let timeouts = json!({ "script": 120_000 });
        let capabilities = json!({ "webkitgtk:browserOptions": options, "timeouts": timeouts });
        let capabilities = capabilities.as_object().unwrap().clone();
        let began = Instant::now();
        let client = loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder
                .capabilities(capabilities.clone())
                .connect(&format!("http://127.0.0.1:{port}"))
                .await
            {
                Ok(client) => break client,
                Err(error) => assert!(began.elapsed() < PATIENCE, "the app did not open: {error}"),
            }
            tokio::time::sleep(LOOK).await;
        };
        let app = App {
            client,
            home,
            record,
            env,
            pointer: Cell::default(),
            pressed: Cell::default(),
            driver,
            _turn: turn,
        };
        app.find("main").await;
        app
    }

    /// Opens the app on a session of the demo agent that waits for an answer; returns both.
    pub async fn open_asked(self, example: &str) -> (App, String) {
        let app = self.open().await;
        let session = app.show_demo(example, "Notes").await;
        app.find(OPEN_CARD).await;
        (app, session)
    }
}

/// The app without a driver of its window.
pub struct Started {
    env: Vec<(String, String)>,
    process: Driver,
    _home: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Started {
    /// Returns the app's process id.
    pub fn root(&self) -> u32 {
        self.process.process.id()
    }

    /// Returns how the app ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.process.try_wait().unwrap()
    }

    /// Starts a second instance, and waits until it has ended.
    pub async fn start_again(&self, args: &[&str]) -> ExitStatus {
        start_again(&self.env, args).await
    }
}

pub struct App {
    pub client: Client,
    record: PathBuf,
    env: Vec<(String, String)>,
    pointer: Cell<[f64; 2]>,
    /// When and where the pointer was pressed last.
    pressed: Cell<Option<(Instant, [f64; 2])>>,
    // Dropped before the folder that the app writes to.
    driver: Driver,
    home: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// The app beside another one.
pub struct Beside(Driver);

impl Beside {
    pub fn runs(&mut self) -> bool {
        self.0.process.try_wait().unwrap().is_none()
    }
}

/// The driver, and the app in its process group.
struct Driver {
    process: Child,
    /// Dropped when the test ends; a thread waits for that with a limit.
    _over: mpsc::Sender<()>,
}

impl Driver {
    /// Kills the app after the limit, because a call that it never answers would hang the test.
    fn watched(process: Child) -> Self {
        let (over, is_over) = mpsc::channel::<()>();
        let group = process.id();
        std::thread::spawn(move || {
            if is_over.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("the test took more than {} s; the app is ended", LIMIT.as_secs());
                kill_group(group);
            }
        });
        Self { process, _over: over }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Killing the driver alone would leave the app behind.
        kill_group(self.process.id());
        let _ = self.process.wait();
    }
}

fn kill_group(leader: u32) {
    if let Some(group) = rustix::process::Pid::from_raw(leader.cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

impl App {
    pub async fn open() -> Self {
        Setup::default().open().await
    }

    /// Opens the app on a session of the demo agent that waits for an answer.
    pub async fn open_asked(example: &str) -> Self {
        Setup::default().open_asked(example).await.0
    }

    /// Returns the home folder of the app and its agents.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the process that the app and its agents descend from.
    pub fn root(&self) -> u32 {
        self.driver.process.id()
    }

    /// Starts a second instance, as a deep link or a user does, and waits until it has ended.
    pub async fn start_again(&self, args: &[&str]) -> ExitStatus {
        start_again(&self.env, args).await
    }

    /// Starts the app beside this one, with another data folder, until the result is dropped.
    pub fn start_beside(&self, data: &Path) -> Beside {
        let data = ("ASKDESK_DATA_DIR".to_owned(), data.display().to_string());
        let env: Vec<_> = self.env.iter().cloned().chain([data]).collect();
        Beside(Driver::watched(command(PROGRAM, &env).process_group(0).spawn().unwrap()))
    }

    /// Switches the driver to the window that was created after the earlier one was destroyed.
    pub async fn switch_to_new_window(&self) {
        self.wait("the new window", async || {
            let handle = self.client.windows().await.ok()?.pop()?;
            self.client.switch_to_window(handle).await.ok()
        })
        .await;
        self.find("main").await;
    }

    /// Calls a command of the bridge, as the page does.
    pub async fn invoke(&self, command: &str, input: Value) -> Result<Value, Value> {
        let script = "const [command, input, done] = arguments;
            window.__TAURI_INTERNALS__.invoke(command, { input }).then(ok => done({ ok }), error => done({ error }));";
        let result = self.client.execute_async(script, vec![json!(command), input]).await.unwrap();
        match result.get("ok") {
            Some(ok) => Ok(ok.clone()),
            None => Err(result["error"].clone()),
        }
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str, args: Vec<Value>) -> Value {
        self.client.execute(script, args).await.unwrap()
    }

    /// Sets the size of the window in pixels, and waits until the page is laid out in it.
    ///
    /// The driver returns once the window has its new size; on a busy machine, the page still has the old one for a moment.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.unwrap();
        let read = self.invoke("read_settings", json!({})).await.unwrap();
        let zoom = read["settings"]["textSize"].as_f64().unwrap() / 100.0;
        let script = "const [width, height, zoom, done] = arguments;
            const reached = Math.abs(innerWidth * zoom - width) <= zoom && Math.abs(innerHeight * zoom - height) <= zoom;
            requestAnimationFrame(() => requestAnimationFrame(() => done(reached)));";
        let args = vec![json!(width), json!(height), json!(zoom)];
        self.wait(&format!("a page of {width} × {height}"), async || {
            (self.client.execute_async(script, args.clone()).await.unwrap() == true).then_some(())
        })
        .await;
    }

    /// Waits for an element that can be seen.
    pub async fn find(&self, css: &str) -> Element {
        self.wait(&format!("an element {css}"), async || {
            let element = self.client.find(Locator::Css(css)).await.ok()?;
            element.is_displayed().await.ok()?.then_some(element)
        })
        .await
    }

    /// Waits for an element with this role and accessible name.
    pub async fn by_role(&self, role: &str, name: &str) -> Element {
        self.by_role_in("body", role, name).await
    }

    pub async fn by_role_in(&self, within: &str, role: &str, name: &str) -> Element {
        self.wait(&format!("a {role} {name:?} in {within}"), async || {
            for element in
                self.client.find_all(Locator::Css(&format!("{within} {}", css_of(role)))).await.ok()?
            {
                let label = self.accessible_name(&element).await?;
                if (label == name || label.starts_with(&format!("{name} ")))
                    && element.is_displayed().await.ok()?
                {
                    return Some(element);
                }
            }
            None
        })
        .await
    }

    async fn accessible_name(&self, element: &Element) -> Option<String> {
        let script = "const [e] = arguments;
            const words = element => {
                const copy = element?.cloneNode(true);
                copy?.querySelectorAll('[aria-hidden=true]').forEach(hidden => hidden.remove());
                return copy?.textContent ?? '';
            };
            const by = e.getAttribute('aria-labelledby');
            const text = e.getAttribute('aria-label')
                ?? (by ? by.split(/\\s+/).map(id => words(document.getElementById(id))).join(' ') : null)
                ?? (e.labels?.length ? [...e.labels].map(words).join(' ') : words(e));
            return text.replace(/\\s+/g, ' ').trim();";
        let element = serde_json::to_value(element).ok()?;
        self.client.execute(script, vec![element]).await.ok()?.as_str().map(str::to_owned)
    }

    /// Clicks the element with this role and name, or whatever covers it.
    pub async fn click(&self, role: &str, name: &str) {
        let element = self.by_role(role, name).await;
        self.press(&element).await;
    }

    /// Clicks the middle of an element, late enough to be no double click with the one before in its place.
    pub async fn press(&self, element: &Element) {
        for _ in 0..5 {
            let place = self.move_to(element).await;
            // A card that moved meanwhile doesn't act on a click yet.
            self.armed().await;
            // On a busy machine, it can move once more, and the press would reach what is there now.
            if self.place_of(element).await == place {
                break;
            }
        }
        if let Some((at, place)) = self.pressed.get()
            && place == self.pointer.get()
        {
            tokio::time::sleep(DOUBLE_CLICK.saturating_sub(at.elapsed())).await;
        }
        self.press_there().await;
    }

    /// Clicks the middle of an element at once, even if a card doesn't act on clicks yet.
    pub async fn press_now(&self, element: &Element) {
        self.point_to(self.place_of(element).await, None).await;
        self.press_there().await;
    }

    async fn point_to(&self, place: [f64; 2], duration: Option<Duration>) {
        let [x, y] = place;
        let there = PointerAction::MoveTo { duration, x, y };
        self.client.perform_actions(MouseActions::new("pointer".to_owned()).then(there)).await.unwrap();
        self.pointer.set(place);
    }

    /// Moves the pointer to the middle of an element, and returns whether that element is under it.
    pub async fn point_at(&self, element: &Element) -> bool {
        self.armed().await;
        self.move_to(element).await;
        self.script("return arguments[0].matches(':hover')", vec![serde_json::to_value(element).unwrap()])
            .await
            == true
    }

    /// Moves the pointer to the middle of an element that has come to rest, and returns its place.
    async fn move_to(&self, element: &Element) -> [f64; 2] {
        let script = "arguments[0].scrollIntoView({ block: 'nearest' })";
        self.script(script, vec![serde_json::to_value(element).unwrap()]).await;
        // What moves is waited for: the end of a turn adds a line below an entry and a count in the header.
        let until = Instant::now() + Duration::from_secs(1);
        let mut place = self.place_of(element).await;
        loop {
            tokio::time::sleep(Duration::from_millis(40)).await;
            let before = std::mem::replace(&mut place, self.place_of(element).await);
            if before == place || Instant::now() > until {
                break;
            }
        }
        self.point_to(place, Some(Duration::from_millis(10))).await;
        place
    }

    /// Returns the middle of an element, in the driver's pixels.
    async fn place_of(&self, element: &Element) -> [f64; 2] {
        // The driver doesn't scale an element's place by the zoom of the page, which is a multiple of 0.1 here.
        let script = "const { x, y, width, height } = arguments[0].getBoundingClientRect();
            const zoom = Math.round(10 * outerWidth / innerWidth) / 10;
            return [zoom * (x + width / 2), zoom * (y + height / 2)];";
        let place = self.script(script, vec![serde_json::to_value(element).unwrap()]).await;
        [0, 1].map(|at| place[at].as_f64().unwrap())
    }

    /// Clicks where the pointer is.
    pub async fn press_there(&self) {
        let pointer = MouseActions::new("pointer".to_owned())
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.client.perform_actions(pointer).await.unwrap();
        self.pressed.set(Some((Instant::now(), self.pointer.get())));
    }

    /// Presses a key or a combination, such as `2`, `Enter` or `Ctrl+Enter`.
    pub async fn key(&self, written: &str) {
        self.armed().await;
        self.key_now(written).await;
    }

    /// Presses a key or a combination, even if a card doesn't act on keys yet.
    pub async fn key_now(&self, written: &str) {
        let values: Vec<_> = written.split('+').map(key_value).collect();
        let down = values.iter().map(|&value| KeyAction::Down { value });
        let up = values.iter().rev().map(|&value| KeyAction::Up { value });
        let keys = down.chain(up).fold(KeyActions::new("keyboard".to_owned()), InputSource::then);
        self.client.perform_actions(keys).await.unwrap();
    }

    /// Returns whether an element is visible now.
    pub async fn shows(&self, css: &str) -> bool {
        match self.client.find(Locator::Css(css)).await {
            Ok(element) => element.is_displayed().await.unwrap_or(false),
            Err(_) => false,
        }
    }

    pub async fn count(&self, css: &str) -> u64 {
        let script = "return document.querySelectorAll(arguments[0]).length";
        self.script(script, vec![json!(css)]).await.as_u64().unwrap()
    }

    /// Waits until an element is no longer there.
    pub async fn gone(&self, css: &str) {
        self.wait(&format!("{css} to go"), async || (!self.shows(css).await).then_some(())).await;
    }

    /// Waits until the page, or a part of it, shows a text. Line breaks count as spaces.
    pub async fn shows_text(&self, css: &str, text: &str) {
        // The text that WebDriver itself reads leaves out lines that are shown in a shortened form. The inner text of an element
        // that isn't shown is all of its text.
        let script = "const element = document.querySelector(arguments[0]);
            const shown = element?.checkVisibility({ visibilityProperty: true }) ?? false;
            return shown ? element.innerText.replace(/\\s+/g, ' ').trim() : '';";
        let mut last = String::new();
        let began = Instant::now();
        loop {
            if let Ok(read) = self.client.execute(script, vec![json!(css)]).await {
                last = read.as_str().unwrap_or_default().to_owned();
                if last.contains(text) {
                    return;
                }
            }
            assert!(began.elapsed() < PATIENCE, "{css} does not show {text:?} but:\n{last}");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until a condition holds.
    pub async fn wait<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        self.wait_within(PATIENCE, LOOK, what, look).await
    }

    /// Waits for something that takes minutes.
    pub async fn wait_long<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        self.wait_within(PATIENCE * 8, SELDOM, what, look).await
    }

    async fn wait_within<T>(
        &self,
        patience: Duration,
        every: Duration,
        what: &str,
        mut look: impl AsyncFnMut() -> Option<T>,
    ) -> T {
        let began = Instant::now();
        loop {
            if let Some(found) = look().await {
                return found;
            }
            if began.elapsed() > patience {
                let page = self.client.find(Locator::Css("body")).await;
                let text = match page {
                    Ok(page) => page.text().await.unwrap_or_default(),
                    Err(error) => error.to_string(),
                };
                let windows = crate::desktop::all_visible_windows().join(", ");
                panic!("waited in vain for {what}; the windows are: {windows}; the page shows:\n{text}");
            }
            tokio::time::sleep(every).await;
        }
    }

    /// Returns the violations of accessibility rules in the whole page.
    pub async fn axe(&self) -> Vec<String> {
        let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/node_modules/axe-core/axe.min.js");
        let axe = fs::read_to_string(axe).expect("axe-core is installed with the window's packages");
        self.script(&format!("if (!window.axe) {{ {axe} }}"), vec![]).await;
        // The buttons of a card that has just arrived or moved are dimmed, so what was found then doesn't count. On a busy machine,
        // a card can be dimmed and clear again before the rules have run.
        let script = "const done = arguments[0];
            const dimmed = () => document.querySelector('[data-armed=false]') !== null;
            let wasDimmed = dimmed();
            if (wasDimmed) return done(null);
            const watch = new MutationObserver(() => { wasDimmed ||= dimmed(); });
            watch.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-armed'] });
            axe.run(document, { resultTypes: ['violations'] }).finally(() => watch.disconnect()).then(
                result => done(wasDimmed ? null : result.violations.map(v => `${v.id}: ${v.help}: ${v.nodes.map(n => n.html).join(' | ')}`)),
                error => done([String(error)]));";
        let found = self
            .wait("a card that isn't dimmed", async || {
                let found = self.client.execute_async(script, vec![]).await.unwrap();
                (!found.is_null()).then_some(found)
            })
            .await;
        found.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    }

    /// Lists the elements of a part of the page whose text or placeholder is cut off, and those that scroll sideways. Text that
    /// is shortened on purpose has a tooltip.
    pub async fn cut(&self, within: &str) -> Vec<String> {
        let script = "const words = 'button, label, legend, summary, h1, h2, h3, p, span, dt, dd, option';
            const scrolls = element => /auto|scroll/.test(getComputedStyle(element).overflowX);
            const shortened = element => element.closest(`[title]:not([title='']), [data-title]`) !== null && getComputedStyle(element).textOverflow === 'ellipsis';
            const seen = element => !shortened(element) && element.clientWidth > 0 && !element.closest('.unseen, pre, textarea, input');
            const pen = document.createElement('canvas').getContext('2d');
            const placeholder = element => {
                const style = getComputedStyle(element);
                pen.font = style.font;
                return pen.measureText(element.placeholder).width + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
            };
            const fields = [...document.querySelectorAll(`${arguments[0]} input[placeholder]`)]
                .filter(element => element.clientWidth > 0 && placeholder(element) > element.clientWidth)
                .map(element => `the placeholder ${element.placeholder} in ${element.clientWidth}`);
            return [...document.querySelectorAll(`${arguments[0]} *`)].filter(seen)
                .filter(element => element.matches(words) || scrolls(element))
                .filter(element => element.scrollWidth > element.clientWidth)
                .map(element => `${element.scrollWidth} > ${element.clientWidth}: ${element.outerHTML.slice(0, 200)}`)
                .concat(fields);";
        let found = self.script(script, vec![json!(within)]).await;
        found.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    }

    /// Takes a screenshot once everything is painted.
    pub async fn picture(&self, name: &str) {
        let script = "const done = arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150)));";
        self.client.execute_async(script, vec![]).await.unwrap();
        let png = self.client.screenshot().await.unwrap();
        assert!(!pictures::is_one_color(&png), "the picture {name} is empty");
        // The pictures of the guide change only on request.
        let folder = std::env::var_os("ASKDESK_PICTURES").map(PathBuf::from).unwrap_or_else(|| {
            pictures::compare_with_guide(name, &png);
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures")
        });
        let file = folder.join(format!("{name}.png"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, png).unwrap();
    }

    /// Closes the app, so that it saves everything before it is opened again.
    pub async fn close(self) {
        let Self { client, driver, home, .. } = self;
        let _ = client.close().await;
        drop(driver);
        drop(home);
    }
}

/// Waits until a condition holds, where no window is driven.
pub async fn wait_until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(LOOK).await;
    }
}

async fn start_again(env: &[(String, String)], args: &[&str]) -> ExitStatus {
    let again = command(PROGRAM, env).args(args).process_group(0).spawn().unwrap();
    let mut again = Driver::watched(again);
    wait_until("the second instance to end", async || again.process.try_wait().unwrap()).await
}

fn key_value(name: &str) -> char {
    match name {
        "Enter" => '\u{e007}',
        "Esc" => '\u{e00c}',
        "Tab" => '\u{e004}',
        "Space" => ' ',
        "Shift" => '\u{e008}',
        "Ctrl" => '\u{e009}',
        "Alt" => '\u{e00a}',
        "End" => '\u{e010}',
        "Left" => '\u{e012}',
        "Up" => '\u{e013}',
        "Right" => '\u{e014}',
        "Down" => '\u{e015}',
        "F6" => '\u{e036}',
        other => {
            let mut letters = other.chars();
            let letter = letters.next().expect("a key has a name");
            assert_eq!(letters.next(), None, "no key is called {other}");
            letter
        }
    }
}

fn css_of(role: &str) -> &'static str {
    match role {
        "button" => "button",
        "radio" => "input[type=radio]",
        "checkbox" => "input[type=checkbox]",
        "switch" => "input[role=switch]",
        "textbox" => ":is(input[type=text], input:not([type]), textarea)",
        "searchbox" => "input[type=search]",
        "group" => "fieldset",
        "combobox" => "select",
        "menuitem" => "[role^=menuitem]",
        "treeitem" => "[role=treeitem]",
        other => panic!("no selector for the role {other}"),
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn at_home(home: &Path) -> Vec<(String, String)> {
    let folders = [("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "share")];
    let folders = folders.map(|(name, folder)| (name, home.join(folder)));
    let all = [("HOME", home.to_owned())].into_iter().chain(folders);
    all.map(|(name, folder)| (name.to_owned(), folder.display().to_string())).collect()
}

/// Makes a command with the display and the bus of the tests, and without the developer's environment.
fn command(program: &str, env: &[(String, String)]) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    let of_desktop =
        ["PATH", "DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "LC_ALL"];
    for name in of_desktop.into_iter().chain(["ASKDESK_ENGINE"]) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // The shell of whoever runs the tests has no part in them.
    command.env("GDK_BACKEND", "x11").env("ASKDESK_FAKE_PACE", "0").env("ASKDESK_SHELL_ENVIRONMENT", "off");
    command.envs(env.iter().map(|(name, value)| (name, value))).stdout(Stdio::null());
    if std::env::var_os("ASKDESK_TEST_LOG").is_none() {
        command.stderr(Stdio::null());
    }
    command
}

/// Starts the driver without a terminal, in a session of its own, and without any variable that the tests set.
fn start_driver_from_menu(port: u16, env: &[(String, String)], log: Option<&Path>) -> Child {
    let mut command = command("setsid", env);
    for name in ["GDK_BACKEND", "ASKDESK_FAKE_PACE", "ASKDESK_SHELL_ENVIRONMENT", "LC_ALL"] {
        if !env.iter().any(|(known, _)| known == name) {
            command.env_remove(name);
        }
    }
    if let Some(log) = log {
        command.stderr(fs::File::create(log).unwrap());
    }
    command.arg("WebKitWebDriver").arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
    command.spawn().expect("setsid belongs to every Linux")
}

fn start_driver(port: u16, env: &[(String, String)], log: Option<&Path>, from_terminal: bool) -> Child {
    let mut command = command(if from_terminal { "script" } else { "WebKitWebDriver" }, env);
    if let Some(log) = log {
        command.stderr(fs::File::create(log).unwrap());
    }
    match from_terminal {
        true => command.args(["-qec", &format!("exec WebKitWebDriver --port={port}"), "/dev/null"]),
        false => command.arg(format!("--port={port}")),
    };
    command.env("TAURI_WEBVIEW_AUTOMATION", "true").process_group(0);
    command.spawn().expect("WebKitWebDriver is installed; `cargo xtask test` does that")
}
