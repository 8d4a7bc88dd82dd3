//! A desktop's tray: it reads the icon, and presses the entries of its menu.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

use crate::harness::wait_until;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// The bus name and the object of the icon.
type Place = Arc<Mutex<Option<(String, String)>>>;

pub struct Tray {
    bus: Connection,
    icon: Place,
}

struct Watcher(Place);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[expect(clippy::needless_pass_by_value, reason = "the header is made anew for each call")]
    fn register_status_notifier_item(&self, #[zbus(header)] header: Header<'_>, item: &str) {
        let sender = header.sender().expect("the bus says who calls").to_string();
        *self.0.lock().unwrap() = Some((sender, item.to_owned()));
    }
}

/// The root of a menu: its number, its properties and its entries.
type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// An entry of the menu with its submenu.
struct Entry {
    id: i32,
    label: String,
    below: Vec<Entry>,
}

impl Tray {
    /// Starts a tray, which ends on drop.
    pub async fn start() -> Self {
        Self::serve(zbus::connection::Builder::session().unwrap()).await
    }

    /// Starts a tray on another bus.
    pub async fn start_on(address: &str) -> Self {
        Self::serve(zbus::connection::Builder::address(address).unwrap()).await
    }

    async fn serve(bus: zbus::connection::Builder<'_>) -> Self {
        let icon = Place::default();
        let bus = bus.name(WATCHER).unwrap();
        let bus = bus.serve_at("/StatusNotifierWatcher", Watcher(Arc::clone(&icon))).unwrap();
        Self { bus: bus.build().await.unwrap(), icon }
    }

    /// Returns a property of the icon.
    pub async fn property<T>(&self, name: &str) -> Option<T>
    where
        T: TryFrom<OwnedValue>,
        T::Error: Into<zbus::Error>,
    {
        let (owner, path) = self.icon.lock().unwrap().clone()?;
        Proxy::new(&self.bus, owner, path, ITEM).await.unwrap().get_property(name).await.ok()
    }

    async fn menu(&self) -> Option<(Proxy<'_>, Entry)> {
        let path: OwnedObjectPath = self.property("Menu").await?;
        let (owner, _) = self.icon.lock().unwrap().clone()?;
        let menu = Proxy::new(&self.bus, owner, path, MENU).await.unwrap();
        let all = (0, -1, vec!["label"]);
        let (_, root): (u32, Layout) = menu.call("GetLayout", &all).await.ok()?;
        let below = root.2.iter().map(|value| entry(value)).collect();
        Some((menu, Entry { id: root.0, label: String::new(), below }))
    }

    /// Returns the labels of the menu and its submenus.
    pub async fn labels(&self) -> Vec<String> {
        self.menu().await.map(|(_, root)| root.labels()).unwrap_or_default()
    }

    /// Waits until the menu has these entries and no others.
    pub async fn shows(&self, expected: &[&str]) {
        self.labels_match(&format!("{expected:?}"), |labels| labels == expected).await;
    }

    /// Waits until the menu has entries with these beginnings.
    pub async fn lists(&self, beginnings: &[&str]) {
        let listed = |labels: &[String], start: &str| labels.iter().any(|label| label.starts_with(start));
        let all = |labels: &[String]| beginnings.iter().all(|start| listed(labels, start));
        self.labels_match(&format!("{beginnings:?}"), all).await;
    }

    async fn labels_match(&self, expected: &str, matches: impl Fn(&[String]) -> bool) {
        let what = format!("{expected} in the menu of the tray");
        wait_until(&what, async || matches(&self.labels().await).then_some(())).await;
    }

    /// Presses the entry with this beginning, once it exists.
    pub async fn press(&self, label: &str) {
        let what = format!("{label} in the tray");
        wait_until(&what, async || self.pressed(label).await.then_some(())).await;
    }

    async fn pressed(&self, label: &str) -> bool {
        let Some((menu, root)) = self.menu().await else { return false };
        let Some(id) = root.find(label) else { return false };
        menu.call::<_, _, ()>("Event", &(id, "clicked", Value::from(0), 0_u32)).await.is_ok()
    }
}

impl Entry {
    fn labels(&self) -> Vec<String> {
        let own = Some(self.label.clone()).filter(|label| !label.is_empty());
        own.into_iter().chain(self.below.iter().flat_map(Self::labels)).collect()
    }

    fn find(&self, label: &str) -> Option<i32> {
        let own = (!self.label.is_empty() && self.label.starts_with(label)).then_some(self.id);
        own.or_else(|| self.below.iter().find_map(|entry| entry.find(label)))
    }
}

/// Reads an entry: its number, its properties and its submenu.
fn entry(value: &Value<'_>) -> Entry {
    let Value::Structure(fields) = (if let Value::Value(inner) = value { inner } else { value }) else {
        panic!("{value:?}")
    };
    let [Value::I32(id), Value::Dict(properties), Value::Array(below)] = fields.fields() else {
        panic!("{value:?}")
    };
    let properties: HashMap<String, Value<'_>> = properties.try_clone().unwrap().try_into().unwrap();
    let label = match properties.get("label") {
        Some(Value::Str(label)) => label.to_string(),
        _ => String::new(),
    };
    Entry { id: *id, label, below: below.iter().map(entry).collect() }
}
