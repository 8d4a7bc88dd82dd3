//! The window as a screen reader sees it, over the accessibility bus.

use std::collections::HashMap;
use std::time::Duration;

use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, Proxy};

use crate::harness::{App, wait_until};

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
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
}

/// Returns the object that all applications are below.
fn top() -> Reference {
    let root = OwnedObjectPath::try_from("/org/a11y/atspi/accessible/root").unwrap();
    (REGISTRY.to_owned(), root)
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
