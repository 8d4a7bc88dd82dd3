//! What a fast user types goes where it was begun, whatever starts or arrives meanwhile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use fantoccini::Locator;
use fantoccini::elements::Element;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::desktop::{
    WINDOW, activate, all_visible_windows, confirm_quit, descendants, press_close, xdotool,
};
use crate::harness::{App, OPEN_CARD, Setup, wait_until};
use crate::real_agent::open_beside;

/// A repository with one commit, in a folder of its own.
pub fn repository(root: &Path) -> PathBuf {
    let folder = root.join("shop-api");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("limits.txt"), "none\n").unwrap();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first"],
    ] {
        assert!(Command::new("git").args(arguments).current_dir(&folder).status().unwrap().success());
    }
    folder
}

/// The pauses between two acts, in milliseconds.
pub const PACES: [u64; 5] = [0, 50, 200, 400, 800];

#[tokio::test]
async fn case_143_a_second_prompt_goes_to_its_own_agent_at_every_pace() {
    let test = "case_143_a_second_prompt_goes_to_its_own_agent_at_every_pace";
    let (home, projects) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = repository(&dunce::canonicalize(projects.path()).unwrap());
    let replies = PACES.iter().flat_map(|_| [Reply::text("Understood."), Reply::text("Understood.")]);
    let mock = MockApi::start(Script(replies.collect())).await.unwrap();
    let opened = open_beside(Cli::ClaudeCode, Setup::default(), test, home.path(), &mock).await;
    let Some((app, _programs)) = opened else { return };
    app.find("form.start [data-agent=claude_code] .state .icon-check").await;
    let field = app.by_role("textbox", "Folder").await;
    field.clear().await.unwrap();
    field.send_keys(&folder.display().to_string()).await.unwrap();
    for pace in PACES {
        let pause = || sleep(Duration::from_millis(pace));
        let (first, second) = (format!("first-{pace}"), format!("SECOND-{pace}"));
        // The worktree takes its time, and the session with it.
        app.click("switch", "New worktree").await;
        if pace == 0 {
            // It is remembered for the repository.
            app.write("Setup command", "sleep 3").await;
        }
        app.press(&app.by_role("textbox", "First message").await).await;
        xdotool(&["type", "--delay", "0", &first]);
        app.wait("the worktree's branch", async || {
            let field = app.by_role("textbox", "New branch").await;
            field.prop("value").await.ok()??.ends_with(&first).then_some(())
        })
        .await;
        for keys in ["ctrl+Return", "ctrl+n"] {
            xdotool(&["key", keys]);
            pause().await;
        }
        xdotool(&["type", "--delay", "0", &second]);
        pause().await;
        xdotool(&["key", "ctrl+Return"]);
        let both = async || {
            let said: Vec<String> = mock.conversation().iter().map(ToString::to_string).collect();
            let with = |text: &str| said.iter().any(|body| body.contains(text));
            let mixed = said.iter().any(|body| body.contains(&first) && body.contains(&second));
            assert!(!mixed, "both prompts went to one agent");
            (with(&first) && with(&second)).then_some(())
        };
        app.wait_long("both prompts", both).await;
        app.key_now("Ctrl+n").await;
        app.find("form.start").await;
    }
    assert_eq!(app.count("nav [data-session]").await, 2 * PACES.len() as u64);
    app.close().await;
}

/// A question with three options.
fn asks(header: &str) -> Value {
    let options =
        ["First", "Second", "Third"].map(|label| json!({ "label": label, "description": "An option" }));
    json!({ "question": format!("Which {header}?"), "header": header, "multiSelect": false, "options": options })
}

/// What a hurried hand does next to the card.
#[derive(Clone, Copy, Debug)]
enum Act {
    Enter,
    Digit,
    Click,
}

impl Act {
    const ALL: [Self; 3] = [Self::Enter, Self::Digit, Self::Click];

    async fn carry_out(self, app: &App) {
        match self {
            Self::Enter => drop(xdotool(&["key", "Return"])),
            Self::Digit => drop(xdotool(&["key", "1"])),
            Self::Click => app.press_now(&option(app, 0).await).await,
        }
    }
}

/// An option of the question in view.
async fn option(app: &App, index: usize) -> Element {
    app.client.find_all(Locator::Css("aside .options label")).await.unwrap().remove(index)
}

#[tokio::test]
async fn case_144_the_next_question_takes_no_key_or_click_that_was_meant_for_the_one_before() {
    let app = App::open().await;
    let scenario = app.scenario("two", json!([[{ "ask": { "questions": [asks("store"), asks("cache")] } }]]));
    let mut answered = 0;
    let mut tried = BTreeSet::new();
    for act in Act::ALL {
        for pace in PACES {
            let session = app.show_demo(&scenario, &format!("{act:?} after {pace} ms")).await;
            app.find(OPEN_CARD).await;
            activate(WINDOW);
            app.key("Ctrl+j").await;
            app.armed().await;
            let began = Instant::now();
            // Once in the way of the keys, once in that of the pointer.
            match act {
                Act::Click => app.press_now(&option(&app, 1).await).await,
                _ => drop(xdotool(&["key", "2"])),
            }
            let chosen = "aside [data-request] input:checked";
            if pace < 500 {
                sleep(Duration::from_millis(pace)).await;
                act.carry_out(&app).await;
                if was_too_slow(&app, &session, began).await {
                    answered = app.responses().len();
                    continue;
                }
                app.shows_text(OPEN_CARD, "Which cache?").await;
                app.armed().await;
                assert_eq!(app.count(chosen).await, 0, "{act:?} after {pace} ms");
                tried.insert(format!("{act:?}"));
            }
            // After its first half second, the question takes it.
            app.shows_text(OPEN_CARD, "Which cache?").await;
            app.armed().await;
            let began = Instant::now();
            Act::Digit.carry_out(&app).await;
            app.find("aside [data-summary]").await;
            if pace < 500 {
                sleep(Duration::from_millis(pace)).await;
                xdotool(&["key", "Return"]);
                if was_too_slow(&app, &session, began).await {
                    answered = app.responses().len();
                    continue;
                }
                app.armed().await;
                assert_eq!(
                    app.responses().len(),
                    answered,
                    "the summary was there for less than half a second"
                );
            }
            app.key("Enter").await;
            answered += 1;
            let responses = app.wait_for_responses(answered).await;
            let expected = json!({ "Which store?": "Second", "Which cache?": "First" });
            assert_eq!(responses[answered - 1]["updatedInput"]["answers"], expected);
        }
    }
    assert_eq!(tried.len(), Act::ALL.len(), "the machine is too slow to be early: only {tried:?}");
    app.close().await;
}

/// Returns whether an act took so long to reach the page that it was not early; its session has ended then, and says nothing.
async fn was_too_slow(app: &App, session: &str, began: Instant) -> bool {
    // The page answers once it has taken what was pressed before.
    app.count(OPEN_CARD).await;
    if began.elapsed() < Duration::from_millis(500) {
        return false;
    }
    let stop = json!({ "session": session, "requestId": uuid::Uuid::new_v4() });
    app.invoke("stop_session", stop).await.unwrap();
    app.in_state(session, "ended").await;
    true
}

#[tokio::test]
async fn case_144_a_digit_and_enter_right_after_ctrl_j_send_nothing() {
    let app = App::open().await;
    app.show_idle_session().await;
    let answered = app.responses().len();
    let text = json!({ "question": "Which name?", "header": "name", "type": "text" });
    let mut tried = BTreeSet::new();
    for (kind, question) in [("choice", asks("store")), ("text", text)] {
        let scenario = app.scenario(kind, json!([[{ "ask": { "questions": [question] } }]]));
        for pace in PACES.into_iter().filter(|pace| *pace < 500) {
            let session = app.start_demo(&scenario, &format!("{kind} after {pace} ms")).await;
            app.in_state(&session, "needs_you").await;
            activate(WINDOW);
            let began = Instant::now();
            xdotool(&["key", "ctrl+j"]);
            sleep(Duration::from_millis(pace)).await;
            xdotool(&["key", "3"]);
            if was_too_slow(&app, &session, began).await {
                continue;
            }
            tried.insert(kind);
            sleep(Duration::from_millis(400)).await;
            xdotool(&["key", "Return"]);
            app.check_unanswered(&session, answered).await;
            let stop = json!({ "session": session, "requestId": uuid::Uuid::new_v4() });
            app.invoke("stop_session", stop).await.unwrap();
            app.in_state(&session, "ended").await;
        }
    }
    assert_eq!(tried.len(), 2, "the machine is too slow to be early: only {tried:?}");
    app.close().await;
}

#[tokio::test]
async fn case_144_a_menu_that_the_user_opened_and_its_form_take_every_click_and_key() {
    let app = App::open().await;
    for pace in PACES {
        let pause = || sleep(Duration::from_millis(pace));
        app.show_demo("approval", &format!("{pace} ms")).await;
        let more = app.by_role_in("aside", "button", "More ways to deny").await;
        activate(WINDOW);
        app.press(&more).await;
        pause().await;
        app.press_now(&app.by_role("menuitem", "Deny with message…").await).await;
        pause().await;
        xdotool(&["type", "--delay", "0", "use tmp, please"]);
        let field = app.find("aside textarea").await;
        app.wait("the whole message", async || {
            let written = field.prop("value").await.ok()??;
            assert!("use tmp, please".starts_with(&written), "after {pace} ms: {written:?}");
            (written == "use tmp, please").then_some(())
        })
        .await;
    }
    assert_eq!(app.responses().len(), 0);
    app.close().await;
}

/// The places of the buttons in the card's foot and in the header, and of the composer, in device pixels.
async fn places(app: &App) -> Value {
    let script = "const box = (element) => {
            const { left, top, right, bottom } = element.getBoundingClientRect();
            return [left, top, right, bottom].map((at) => Math.round(at * 10) / 10).join(' ');
        };
        const foot = [...document.querySelectorAll('aside [data-foot] .acts button')].filter((one) => one.checkVisibility({ visibilityProperty: true }));
        const named = foot.map((one) => [one.matches('.primary') ? 'main' : (one.ariaLabel ?? 'skip'), box(one)]);
        const header = [...document.querySelectorAll('main header button')].map((one) => [`header: ${one.ariaLabel ?? one.textContent.trim()}`, box(one)]);
        return Object.fromEntries([...named, ...header, ['composer', box(document.querySelector('[data-composer]'))]]);";
    app.script(script, vec![]).await
}

/// Each button that is seen in several states is in the same place in all of them.
#[derive(Default)]
struct Seen(std::collections::BTreeMap<String, (String, String)>);

impl Seen {
    async fn look(&mut self, app: &App, state: &str) {
        let places = places(app).await;
        for (button, place) in places.as_object().unwrap() {
            let now = (place.as_str().unwrap().to_owned(), state.to_owned());
            let before = self.0.entry(button.clone()).or_insert_with(|| now.clone());
            assert_eq!(before.0, now.0, "{button}: {} and {}", before.1, now.1);
        }
    }
}

#[rstest::rstest]
#[case::wide("en", 1440)]
#[case::narrow("en", 900)]
#[case::german("de", 1280)]
#[case::chinese("zh", 1280)]
#[tokio::test]
async fn case_145_no_button_moves_through_all_states_of_a_card(#[case] language: &str, #[case] width: u32) {
    let app = App::open().await;
    app.change_setting("language", language).await;
    app.client.refresh().await.unwrap();
    app.wait("the language", async || {
        let spoken = app.script("return document.documentElement.lang", vec![]).await;
        spoken.as_str()?.starts_with(language).then_some(())
    })
    .await;
    app.resize(width, 820).await;
    let ask = |header: &str| json!({ "ask": { "questions": [asks(header)] } });
    let both = json!({ "ask": { "questions": [asks("store"), asks("cache")] } });
    let scenario = app.scenario("states", json!([[{ "sleep_ms": 300 }, ask("tool"), ask("log"), both]]));
    let session = app.show_demo(&scenario, "States").await;
    let mut seen = Seen::default();
    app.find(OPEN_CARD).await;
    activate(WINDOW);
    seen.look(&app, "arming").await;
    app.armed().await;
    seen.look(&app, "open").await;
    app.key("Ctrl+j").await;
    app.key("Ctrl+Enter").await;
    app.find("aside [data-foot] [role=alert]").await;
    seen.look(&app, "not answered").await;
    // Typed in the composer, one letter.
    app.press(&app.find("[data-composer]").await).await;
    xdotool(&["key", "x"]);
    app.wait("the letter", async || {
        let field = app.find("[data-composer]").await;
        (field.prop("value").await.ok()?? == "x").then_some(())
    })
    .await;
    seen.look(&app, "typed in the composer").await;
    xdotool(&["key", "BackSpace"]);
    app.key("Ctrl+j").await;
    app.key("2").await;
    app.find("aside [data-held]").await;
    seen.look(&app, "held").await;
    app.key_now("Enter").await;
    app.shows_text(OPEN_CARD, "Which log?").await;
    seen.look(&app, "the next card").await;
    let skip = "aside [data-foot] .acts button";
    app.press(&app.find(skip).await).await;
    app.find("aside [data-held]").await;
    seen.look(&app, "skipped").await;
    app.press(&app.find(skip).await).await;
    app.shows_text(OPEN_CARD, "Which store?").await;
    seen.look(&app, "several, arming").await;
    app.armed().await;
    seen.look(&app, "several").await;
    app.key("2").await;
    app.shows_text(OPEN_CARD, "Which cache?").await;
    seen.look(&app, "second, arming").await;
    app.armed().await;
    seen.look(&app, "second").await;
    app.key("Alt+Right").await;
    app.find("aside [data-summary]").await;
    seen.look(&app, "summary with a gap").await;
    app.key("Enter").await;
    app.find("aside [data-foot] [role=alert]").await;
    seen.look(&app, "gap named").await;
    app.key("Enter").await;
    app.wait_for_responses(3).await;
    app.in_state(&session, "idle").await;
    seen.look(&app, "idle").await;
    app.close().await;
}

/// Writes into a field by keys, clears it, and takes that back and forth.
async fn undoes(app: &App, field: &Element, what: &str) {
    let value = async |expected: &str, after: &str| {
        app.wait(&format!("{what}: {expected:?} {after}"), async || {
            (field.prop("value").await.ok()?? == expected).then_some(())
        })
        .await;
    };
    app.press(field).await;
    xdotool(&["key", "ctrl+a", "BackSpace"]);
    value("", "to begin").await;
    for pace in PACES {
        let keys = async |keys: &[&str]| {
            for key in keys {
                xdotool(&["key", key]);
                sleep(Duration::from_millis(pace)).await;
            }
        };
        xdotool(&["type", "--delay", "0", "one two"]);
        value("one two", "typed").await;
        keys(&["ctrl+a", "BackSpace"]).await;
        value("", "cleared").await;
        keys(&["ctrl+z"]).await;
        value("one two", "undone").await;
        keys(&["ctrl+shift+z"]).await;
        value("", "redone").await;
        keys(&["ctrl+z", "ctrl+z"]).await;
        value("one ", "undone by a word").await;
        keys(&["ctrl+z"]).await;
        value("", "all undone").await;
    }
}

#[tokio::test]
async fn case_146_what_was_typed_or_cleared_by_mistake_comes_back() {
    let app = App::open_asked("technology").await;
    activate(WINDOW);
    undoes(&app, &app.find("[data-composer]").await, "the composer").await;
    app.click("radio", "Other").await;
    undoes(&app, &app.find("aside fieldset :is(textarea, input[type=text])").await, "Other").await;
    app.key_now("Ctrl+k").await;
    undoes(&app, &app.find("dialog[open] input").await, "the palette").await;
    app.key_now("Esc").await;
    app.key_now("Ctrl+f").await;
    undoes(&app, &app.find("[data-find] input").await, "find").await;
    app.key_now("Esc").await;
    app.key_now("Ctrl+n").await;
    app.unfold_start_form().await;
    undoes(&app, &app.by_role("textbox", "First message").await, "the first message").await;
    assert_eq!(app.responses().len(), 0);
    app.close().await;
}

/// Presses the right button of the pointer in the middle of an element.
async fn right_click(app: &App, element: &Element) {
    let script = "const { x, y, width, height } = arguments[0].getBoundingClientRect();
        return [x + width / 2, y + height / 2].map((at) => String(Math.round(at)))";
    let at = app.script(script, vec![serde_json::to_value(element).unwrap()]).await;
    let window = ["search", "--onlyvisible", "--name", WINDOW, "mousemove", "--window", "%1"];
    xdotool(&[&window[..], &[at[0].as_str().unwrap(), at[1].as_str().unwrap(), "click", "3"]].concat());
}

/// Opens the menu of a field by the pointer, and chooses its nth entry by keys.
async fn choose_in_menu(app: &App, field: &Element, nth: usize) {
    let before = all_visible_windows().len();
    right_click(app, field).await;
    wait_until("the menu", async || (all_visible_windows().len() > before).then_some(())).await;
    for _ in 0..nth {
        xdotool(&["key", "Down"]);
    }
    xdotool(&["key", "Return"]);
}

/// Opens the window's own menu of a message, which no menu of the system covers, and closes it.
async fn opens_own_menu(app: &App) {
    let before = all_visible_windows().len();
    right_click(app, &app.find("[data-transcript] .said:not(.user)").await).await;
    app.by_role("menuitem", "Copy message").await;
    assert_eq!(all_visible_windows().len(), before, "there is a menu of the system");
    xdotool(&["key", "Escape"]);
    app.gone("[role=menu]").await;
}

#[tokio::test]
async fn case_146_the_menu_of_a_field_undoes_and_redoes() {
    let app = App::open_asked("technology").await;
    let field = app.find("[data-composer]").await;
    activate(WINDOW);
    app.press(&field).await;
    let has = async |expected: &str| {
        let what = format!("{expected:?}");
        app.wait(&what, async || (field.prop("value").await.ok()?? == expected).then_some(())).await;
    };
    xdotool(&["type", "--delay", "0", "one two"]);
    has("one two").await;
    xdotool(&["key", "ctrl+a", "BackSpace"]);
    has("").await;
    opens_own_menu(&app).await;
    for (nth, expected) in [(1, "one two"), (2, "")] {
        choose_in_menu(&app, &field, nth).await;
        has(expected).await;
    }
    opens_own_menu(&app).await;
    app.close().await;
}

#[tokio::test]
async fn case_148_a_session_that_is_starting_holds_messages_and_ends_at_once() {
    let test = "case_148_a_session_that_is_starting_holds_messages_and_ends_at_once";
    let (home, projects) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = repository(&dunce::canonicalize(projects.path()).unwrap());
    let replies = [Reply::text("Understood."), Reply::text("Understood again.")];
    let mock = MockApi::start(Script(replies.into())).await.unwrap();
    let opened = open_beside(Cli::ClaudeCode, Setup::default(), test, home.path(), &mock).await;
    let Some((app, _programs)) = opened else { return };
    let go = folder.join("go");
    let start = async |name: &str| {
        let setup = format!("until [ -e {} ]; do sleep 0.1; done", go.display());
        let path = folder.with_file_name(name);
        let worktree = json!({ "branch": name, "base": "main", "path": path, "setup": setup, "made": false });
        let input = json!({ "agent": "claude_code", "folder": folder, "options": { "config": {} }, "name": name,
            "prompt": format!("First of {name}."), "worktree": worktree });
        let session = app.start_session(input).await;
        app.select(&session).await;
        session
    };
    // Ended while its setup waits.
    let ended = start("ended").await;
    app.click("button", "Session menu").await;
    app.click("menuitem", "End session").await;
    app.press(&app.by_role_in("dialog[open]", "button", "End session").await).await;
    app.in_state(&ended, "ended").await;
    // Written to while its setup waits.
    let session = start("written-to").await;
    let composer = app.find("[data-composer]").await;
    for pace in PACES {
        app.press(&composer).await;
        xdotool(&["type", "--delay", "0", &format!("held {pace}")]);
        sleep(Duration::from_millis(pace)).await;
        xdotool(&["key", "ctrl+Return"]);
        app.shows_text("main", &format!("held {pace}")).await;
    }
    assert_eq!(mock.conversation().len(), 0, "no agent runs");
    std::fs::write(&go, "").unwrap();
    app.wait_long("all messages", async || {
        let said: Vec<String> = mock.conversation().iter().map(ToString::to_string).collect();
        let all = said.last()?;
        (all.contains("First of written-to.")
            && PACES.iter().all(|pace| all.contains(&format!("held {pace}"))))
        .then_some(())
    })
    .await;
    app.in_state(&session, "idle").await;
    assert!(!mock.conversation().iter().any(|body| body.to_string().contains("First of ended.")));
    // The window is closed while a setup waits.
    std::fs::remove_file(&go).unwrap();
    start("left").await;
    app.change_setting("on_close", "quit").await;
    press_close();
    confirm_quit();
    let runs = || descendants(app.root()).iter().any(|name| name.starts_with("askdesk-desktop"));
    wait_until("the end of the app", async || (!runs()).then_some(())).await;
}
