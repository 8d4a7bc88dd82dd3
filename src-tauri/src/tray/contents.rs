//! What the tray icon and its menu show, as data.

use std::fmt;
use std::str::FromStr;

use askdesk_desk::{PauseLength, PendingEntry};
use askdesk_domain::PendingItem;
use askdesk_domain::text::on_one_line;
use uuid::Uuid;

use crate::messages::{self, Messages};
use crate::sanitize::sanitized_start;

/// The most items in the menu; a longer menu fits no screen.
const MAX_ITEMS: usize = 10;

/// The most characters of an agent's text that an entry shows.
const TEXT_CHARS: usize = 60;

/// The most characters of a session's name that an entry shows.
const NAME_CHARS: usize = 30;

/// The color of the mark, as RGBA; the same as "needs you" in the window.
const MARK: [u8; 4] = [0xf5, 0x9e, 0x0b, 0xff];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub entries: Vec<MenuEntry>,
    pub pending: usize,
    pub tooltip: String,
}

/// An entry of the menu. Its text is escaped for a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuEntry {
    Item(MenuAction, String),
    Separator,
    Submenu(String, Vec<(MenuAction, String)>),
}

/// What an entry does. Its string form is the entry's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuAction {
    OpenWindow,
    /// Opens a request or a permission request.
    OpenItem(Uuid),
    Pause(PauseLength),
    Quit,
}

impl Contents {
    /// Builds the contents from what is pending, oldest first, and the time of day at which a pause ends.
    pub fn new(all: &[PendingEntry], paused: Option<&str>, messages: &Messages) -> Self {
        let pending = all.len();
        let mut entries: Vec<MenuEntry> =
            all.iter().take(MAX_ITEMS).map(|entry| menu_entry(entry, messages)).collect();
        if pending > MAX_ITEMS {
            let more = messages.and_others.with(pending - MAX_ITEMS);
            entries.push(MenuEntry::Item(MenuAction::OpenWindow, more));
        }
        if !entries.is_empty() {
            entries.push(MenuEntry::Separator);
        }
        entries.push(MenuEntry::Item(MenuAction::OpenWindow, messages.open_window.to_owned()));
        entries.push(match paused {
            Some(end) => {
                MenuEntry::Item(MenuAction::Pause(PauseLength::Off), messages.notify_again.with(end))
            }
            None => {
                let lengths = [
                    (PauseLength::OneHour, messages.an_hour),
                    (PauseLength::UntilTomorrow, messages.until_tomorrow),
                ];
                let lengths = lengths.map(|(pause, text)| (MenuAction::Pause(pause), text.to_owned()));
                MenuEntry::Submenu(messages.pause.to_owned(), lengths.into())
            }
        });
        entries.push(MenuEntry::Item(MenuAction::Quit, messages.quit_app.to_owned()));
        let tooltip = if pending == 0 { messages::APP.to_owned() } else { messages.waiting.of(pending) };
        Self { entries, pending, tooltip }
    }

    /// Returns the text beside the icon, on systems that show one.
    pub fn count(&self) -> String {
        if self.pending == 0 { String::new() } else { self.pending.to_string() }
    }
}

fn menu_entry(entry: &PendingEntry, messages: &Messages) -> MenuEntry {
    let name = one_line(&entry.name, NAME_CHARS);
    let (id, text) = match entry.item {
        PendingItem::Question(id) if entry.private => {
            (id.uuid(), format!("{name}: {}", messages.question_waits))
        }
        PendingItem::Question(id) => (id.uuid(), format!("{name}: {}", one_line(&entry.text, TEXT_CHARS))),
        PendingItem::Permission(id) if entry.private => (id.uuid(), messages.asks_permission.with(name)),
        PendingItem::Permission(id) => {
            let asks = messages.asks_permission.with(name);
            (id.uuid(), format!("{asks}: {}", one_line(&entry.text, TEXT_CHARS)))
        }
    };
    // A menu reads a single `&` as the mark of a keyboard mnemonic.
    MenuEntry::Item(MenuAction::OpenItem(id), text.replace('&', "&&"))
}

/// Shortens a text to one line of at most that many characters and a mark.
fn one_line(text: &str, most: usize) -> String {
    on_one_line(&sanitized_start(text, most), most + 1)
}

impl fmt::Display for MenuAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenWindow => f.write_str("open"),
            Self::OpenItem(id) => write!(f, "open:{id}"),
            Self::Pause(PauseLength::OneHour) => f.write_str("pause:hour"),
            Self::Pause(PauseLength::UntilTomorrow) => f.write_str("pause:tomorrow"),
            Self::Pause(PauseLength::Off) => f.write_str("pause:over"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

impl FromStr for MenuAction {
    type Err = ();

    fn from_str(id: &str) -> Result<Self, ()> {
        let known = [
            Self::OpenWindow,
            Self::Pause(PauseLength::OneHour),
            Self::Pause(PauseLength::UntilTomorrow),
            Self::Pause(PauseLength::Off),
            Self::Quit,
        ];
        match id.strip_prefix("open:") {
            Some(id) => id.parse().map(Self::OpenItem).map_err(|_| ()),
            None => known.into_iter().find(|action| action.to_string() == id).ok_or(()),
        }
    }
}

/// Draws a disc with a transparent ring into the lower right quarter of a square RGBA image.
pub fn mark(pixels: &mut [u8], width: u32) {
    let side = i64::from(width);
    let (radius, ring) = (side / 4, side / 16);
    let center = side - radius - 1;
    for (pixel, at) in pixels.chunks_exact_mut(4).zip(0..) {
        let (x, y) = (at % side - center, at / side - center);
        let distance = x * x + y * y;
        if distance <= radius * radius {
            pixel.copy_from_slice(&MARK);
        } else if distance <= (radius + ring) * (radius + ring) {
            pixel.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{ApprovalId, Language, RequestId, SessionId};

    use super::*;

    fn line(n: u128, name: &str, text: &str) -> PendingEntry {
        let item = PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        let (session, name, text) = (SessionId::new(Uuid::from_u128(9)), name.to_owned(), text.to_owned());
        PendingEntry { item, session, name, private: false, text }
    }

    fn texts(contents: &Contents) -> Vec<&str> {
        fn text(entry: &MenuEntry) -> &str {
            match entry {
                MenuEntry::Item(_, text) | MenuEntry::Submenu(text, _) => text,
                MenuEntry::Separator => "-",
            }
        }
        contents.entries.iter().map(text).collect()
    }

    #[test]
    fn the_menu_has_the_same_entries_in_each_language() {
        for (language, expected) in [
            (Language::En, ["Open Askdesk", "Pause notifications", "Quit Askdesk"]),
            (Language::Zh, ["打开 Askdesk", "暂停通知", "退出 Askdesk"]),
            (Language::De, ["Askdesk öffnen", "Benachrichtigungen pausieren", "Askdesk beenden"]),
        ] {
            let contents = Contents::new(&[], None, messages::of(language));
            assert_eq!(texts(&contents), expected);
            assert_eq!((contents.count(), contents.tooltip.as_str()), (String::new(), messages::APP));
        }
    }

    #[test]
    fn pending_items_come_first_and_each_opens_its_item() {
        let item = PendingItem::Permission(ApprovalId::new(Uuid::from_u128(2)));
        let lines = [
            line(1, "api & web", "Which\n\tdatabase?"),
            PendingEntry { item, ..line(2, "tests", "Bash: npm test") },
            PendingEntry { private: true, ..line(3, "secret", "Which key?") },
        ];
        let contents = Contents::new(&lines, Some("14:30"), messages::of(Language::En));
        let expected = [
            "api && web: Which database?",
            "tests asks for permission: Bash: npm test",
            "secret: A question is waiting",
            "-",
            "Open Askdesk",
            "Resume notifications (paused until 14:30)",
            "Quit Askdesk",
        ];
        assert_eq!(texts(&contents), expected);
        assert!(
            matches!(contents.entries[1], MenuEntry::Item(MenuAction::OpenItem(id), _) if id == Uuid::from_u128(2))
        );
        assert_eq!((contents.count().as_str(), contents.tooltip.as_str()), ("3", "Askdesk: 3 waiting"));
    }

    #[test]
    fn long_texts_are_cut_invisible_characters_are_shown_and_the_oldest_items_are_listed() {
        let lines: Vec<PendingEntry> =
            (0..64).map(|n| line(n, &"n".repeat(99), &"x\u{202e}".repeat(99))).collect();
        let contents = Contents::new(&lines, None, messages::of(Language::En));
        let texts = texts(&contents);
        assert_eq!(texts.len(), 15);
        assert!(texts[0].starts_with(&format!("{}…: x⟨U+202E⟩x", "n".repeat(30))), "{}", texts[0]);
        assert!(texts[0].chars().count() < 30 + 60 + 5 && texts[0].ends_with('…'));
        assert_eq!(texts[10], "54 more…");
    }

    #[test]
    fn the_id_of_an_entry_parses_back_to_its_action_and_nothing_else_parses() {
        for action in [
            MenuAction::OpenWindow,
            MenuAction::OpenItem(Uuid::from_u128(7)),
            MenuAction::Pause(PauseLength::OneHour),
            MenuAction::Pause(PauseLength::UntilTomorrow),
            MenuAction::Pause(PauseLength::Off),
            MenuAction::Quit,
        ] {
            assert_eq!(action.to_string().parse(), Ok(action));
        }
        for id in ["", "open:", "open:JWT", "pause:", "Quit"] {
            assert_eq!(id.parse::<MenuAction>(), Err(()), "{id}");
        }
    }

    #[test]
    fn the_mark_is_only_drawn_in_its_corner() {
        let mut pixels = vec![7; 32 * 32 * 4];
        mark(&mut pixels, 32);
        let at = |x: usize, y: usize| &pixels[(y * 32 + x) * 4..][..4];
        assert_eq!(at(23, 23), MARK);
        assert_eq!(at(31, 23), MARK);
        assert_eq!(at(23, 14), [0; 4], "the ring");
        assert_eq!(at(0, 0), [7; 4]);
        assert_eq!(at(31, 0), [7; 4]);
    }
}
