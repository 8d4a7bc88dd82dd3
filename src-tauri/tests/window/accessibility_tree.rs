//! The window as a screen reader sees it, over the accessibility bus.

use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use zbus::export::futures_core::Stream;
use zbus::zvariant::{OwnedObjectPath, Structure, Value};
use zbus::{Connection, MatchRule, MessageStream, Proxy};

use crate::harness::{App, Setup, wait_until};

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const EVENTS: &str = "org.a11y.atspi.Event.Object";
const REGISTRY: &str = "org.a11y.atspi.Registry";

/// Roles, from AT-SPI's `AtspiRole`.
const CHECK_BOX: u32 = 7;
const RADIO_BUTTON: u32 = 44;
const PANEL: u32 = 39;
const GROUPING: u32 = 99;

/// The bit of a state, from AT-SPI's `AtspiStateType`.
const CHECKED: usize = 4;

/// The most objects of a tree; a larger one is taken for endless.
const MANY: usize = 3000;

/// All events have arrived once none has come for this long.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a reply may take. One never came on a busy machine, and the call waited for ever.
const REPLY_LIMIT: Duration = Duration::from_secs(5);

/// An object of the tree: its bus name and its path.
type Reference = (String, OwnedObjectPath);

pub struct Bus(Connection);

#[derive(Debug)]
struct Object {
    reference: Reference,
    role: u32,
    name: String,
    states: Vec<u32>,
    attributes: HashMap<String, String>,
    children: Vec<Reference>,
}

impl Object {
    fn is(&self, state: usize) -> bool {
        self.states.get(state / 32).is_some_and(|set| set & (1 << (state % 32)) != 0)
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map(String::as_str).unwrap_or_default()
    }
}

impl Bus {
    pub async fn open() -> Self {
        let session = Connection::session().await.unwrap();
        let launcher = Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus").await.unwrap();
        let address: String = launcher.call("GetAddress", &()).await.unwrap();
        let bus = zbus::connection::Builder::address(address.as_str()).unwrap().method_timeout(REPLY_LIMIT);
        Self(bus.build().await.unwrap())
    }

    /// Reads everything below an object, in the order of the screen.
    async fn below(&self, top: &Reference) -> Vec<Object> {
        let mut waiting = vec![top.clone()];
        let mut found = Vec::new();
        while let Some(reference) = waiting.pop() {
            assert!(found.len() < MANY, "the tree has no end");
            // The object may have been removed in the meantime.
            let Some(object) = self.look(reference).await else { continue };
            waiting.extend(object.children.iter().rev().cloned());
            found.push(object);
        }
        found
    }

    async fn look(&self, reference: Reference) -> Option<Object> {
        let (owner, path) = reference.clone();
        let proxy = Proxy::new(&self.0, owner, path, ACCESSIBLE).await.ok()?;
        let mut children: Vec<Reference> = proxy.call("GetChildren", &()).await.ok()?;
        // The socket of the page lists no children, although it has one.
        if children.is_empty() && proxy.get_property::<i32>("ChildCount").await.is_ok_and(|count| count > 0) {
            children.push(proxy.call("GetChildAtIndex", &0_i32).await.ok()?);
        }
        Some(Object {
            reference,
            role: proxy.call("GetRole", &()).await.ok()?,
            name: proxy.get_property("Name").await.unwrap_or_default(),
            states: proxy.call("GetState", &()).await.unwrap_or_default(),
            attributes: proxy.call("GetAttributes", &()).await.unwrap_or_default(),
            children,
        })
    }

    /// Waits until a part of the page is in the tree, and reads what is below it.
    async fn part(&self, app: &App, what: &str, is: impl Fn(&Object) -> bool) -> Vec<Object> {
        app.wait(what, async || {
            let found = self.below(&top()).await.into_iter().find(&is)?;
            Some(self.below(&found.reference).await)
        })
        .await
    }

    /// Waits until something on the screen contains these words. It needs no driver of the page.
    pub async fn shows(&self, words: &str) {
        wait_until(words, async || self.text(&top()).await.contains(words).then_some(())).await;
    }

    /// Reads the text of an object and all below it.
    async fn text(&self, top: &Reference) -> String {
        let mut text = String::new();
        for object in self.below(top).await {
            let (owner, path) = object.reference;
            let proxy = Proxy::new(&self.0, owner, path, "org.a11y.atspi.Text").await.unwrap();
            text += &proxy.call::<_, _, String>("GetText", &(0_i32, -1_i32)).await.unwrap_or_default();
        }
        text
    }

    /// Subscribes to the events that a screen reader gets.
    async fn listen(&self) -> MessageStream {
        let registry = Proxy::new(&self.0, REGISTRY, "/org/a11y/atspi/registry", REGISTRY).await.unwrap();
        let () = registry.call("RegisterEvent", &("object:", Vec::<String>::new(), "")).await.unwrap();
        let rule =
            MatchRule::builder().msg_type(zbus::message::Type::Signal).interface(EVENTS).unwrap().build();
        MessageStream::for_match_rule(rule, &self.0, Some(MANY)).await.unwrap()
    }
}

/// Returns the object that all applications are below.
fn top() -> Reference {
    let root = OwnedObjectPath::try_from("/org/a11y/atspi/accessible/root").unwrap();
    (REGISTRY.to_owned(), root)
}

/// An event that a screen reader gets.
#[derive(Debug)]
struct Event {
    path: String,
    member: String,
    detail: String,
    on: i32,
    about: Option<Reference>,
}

async fn heard(stream: &mut MessageStream) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let next = std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context));
        let Ok(Some(message)) = timeout(SILENCE, next).await else { return events };
        let message = message.unwrap();
        let header = message.header();
        let body = message.body();
        // Toolkits append different fields.
        let fields = body.deserialize::<Structure<'_>>().unwrap().into_fields();
        let [Value::Str(detail), Value::I32(on), _, Value::Value(about), ..] = fields.as_slice() else {
            panic!("{fields:?} is no event")
        };
        events.push(Event {
            path: header.path().map(ToString::to_string).unwrap_or_default(),
            member: header.member().map(ToString::to_string).unwrap_or_default(),
            detail: detail.to_string(),
            on: *on,
            about: about.try_clone().ok().and_then(|about| about.try_into().ok()),
        });
    }
}

fn names(objects: &[Object], role: u32) -> Vec<(&str, bool)> {
    let of_role = objects.iter().filter(|object| object.role == role);
    of_role.map(|object| (object.name.as_str(), object.is(CHECKED))).collect()
}

fn question(text: &str) -> impl Fn(&Object) -> bool {
    move |object| [PANEL, GROUPING].contains(&object.role) && object.name.ends_with(text)
}

#[tokio::test]
async fn a_screen_reader_finds_the_question_as_a_group_with_its_options_and_choices() {
    let bus = Bus::open().await;
    let app = App::open().await;
    app.show_demo("technology", "api").await;
    let store = "Which store should the notes be kept in?";
    let group = bus.part(&app, "the question with one choice", question(store)).await;
    assert_eq!(
        group[0].name,
        format!("Store {store}"),
        "the header and the question are the name of the group"
    );
    assert_eq!(group[0].attribute("computed-role"), "group");
    let options = ["SQLite", "PostgreSQL", "Plain files", "Other"];
    assert_eq!(names(&group, RADIO_BUTTON), options.map(|name| (name, false)));
    app.click("radio", "PostgreSQL").await;
    let chosen = options.map(|name| (name, name == "PostgreSQL"));
    app.wait("the choice in the tree", async || {
        (names(&bus.below(&group[0].reference).await, RADIO_BUTTON) == chosen).then_some(())
    })
    .await;

    app.show_demo("features", "web").await;
    app.click("checkbox", "Sync").await;
    let ticked = |object: &Object| object.role == CHECK_BOX && object.name == "Sync" && object.is(CHECKED);
    bus.part(&app, "the tick in the tree", ticked).await;
}

#[tokio::test]
async fn case_85_a_screen_reader_hears_each_announcement_once_and_the_focus_stays() {
    let bus = Bus::open().await;
    // At its own pace, a turn takes long enough to be seen at work.
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    app.show_idle_session().await;
    app.by_role("textbox", "Message to the agent").await.click().await.unwrap();
    let polite = |object: &Object| object.attribute("live") == "polite" && object.attribute("tag") == "div";
    let announcer = bus.part(&app, "the live region", polite).await.remove(0).reference;
    let mut stream = bus.listen().await;
    heard(&mut stream).await;

    let says = app.scenario("says", json!([[{ "sleep_ms": 500 }, { "say": { "text": "All done." } }]]));
    let news = [
        ("technology", "needs_you", "New question from Other: Which store should the notes be kept in?"),
        ("approval", "needs_you", "Permission request from Other: mkdir notes"),
        ("plan", "needs_you", "Plan to review from Other"),
        (says.as_str(), "idle", "Other finished its turn"),
        ("dies-mid-line", "failed", "Other failed"),
    ];
    for (example, state, expected) in news {
        let session = app.start_demo(example, "Other").await;
        app.in_state(&session, state).await;
        let added = |event: &Event| {
            event.member == "ChildrenChanged"
                && event.detail.starts_with("add")
                && event.path == announcer.1.as_str()
        };
        let mut events = heard(&mut stream).await;
        // On a busy machine, the announcement may follow the row's new state by more than the silence.
        for _ in 0..10 {
            if events.iter().any(added) {
                break;
            }
            events.extend(heard(&mut stream).await);
        }
        let said: Vec<&Event> = events.iter().filter(|event| added(event)).collect();
        assert_eq!(said.len(), 1, "{example}: {events:#?}");
        assert_eq!(bus.text(said[0].about.as_ref().unwrap()).await, expected);
        let focus: Vec<&Event> =
            events.iter().filter(|event| event.detail == "focused" && event.on == 1).collect();
        assert!(focus.is_empty(), "{example}: the focus was moved: {focus:#?}");
    }
}
