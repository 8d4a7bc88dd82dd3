//! What the tray shows, as data.

use std::fmt;
use std::str::FromStr;

use askdesk_api::PauseLength;
use askdesk_domain::PendingItem;
use uuid::Uuid;

use crate::seen::seen;
use crate::waiting::Waits;
use crate::words::Words;

/// How many of those who wait are listed; a menu that is longer fits no screen.
pub const MOST: usize = 10;

/// The most characters of an agent's text that an entry shows.
const TEXT_CHARS: usize = 60;

/// The most characters of a session's name that an entry shows.
const NAME_CHARS: usize = 30;

/// The colour of the mark, which is that of "needs you" in the window; opaque.
const MARK: [u8; 4] = [0xf5, 0x9e, 0x0b, 0xff];

/// Everything the tray shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub entries: Vec<Entry>,
    pub waiting: usize,
    pub tooltip: String,
}

/// One entry of the menu, in words that a menu shows as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Press(Does, String),
    /// Stands between others.
    Separator,
    /// Has others below it.
    Under(String, Vec<(Does, String)>),
}

/// What an entry does; written, it is the id by which the system names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Brings up the window.
    OpenWindow,
    /// Brings up a request or an approval.
    BringUp(Uuid),
    Pause(PauseLength),
    /// Ends the app.
    Quit,
}

/// One that waits, and what its session is called and shows now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub waits: Waits,
    /// What its session is called.
    pub name: String,
    /// Whether its text is kept from being seen outside the window.
    pub private: bool,
}

impl Contents {
    /// Puts together what is shown of those that wait, the oldest first, and how many there are in all; `paused` is when a
    /// pause ends.
    pub fn of(lines: &[Line], waiting: usize, paused: Option<&str>, words: &Words) -> Self {
        let mut entries: Vec<Entry> = lines.iter().map(|line| line.entry(words)).collect();
        if waiting > lines.len() {
            let more = words.and_others(waiting - lines.len());
            entries.push(Entry::Press(Does::OpenWindow, more));
        }
        if !entries.is_empty() {
            entries.push(Entry::Separator);
        }
        entries.push(Entry::Press(Does::OpenWindow, words.open_window.to_owned()));
        entries.push(match paused {
            Some(end) => Entry::Press(Does::Pause(PauseLength::Off), words.notify_again(end)),
            None => {
                let below = [
                    (PauseLength::OneHour, words.an_hour),
                    (PauseLength::UntilTomorrow, words.until_tomorrow),
                ];
                let below = below.map(|(pause, text)| (Does::Pause(pause), text.to_owned()));
                Entry::Under(words.pause.to_owned(), below.into())
            }
        });
        entries.push(Entry::Press(Does::Quit, words.quit_app.to_owned()));
        Self { entries, waiting, tooltip: words.waiting(waiting) }
    }

    /// Returns what stands beside the icon where the system shows that.
    pub fn count(&self) -> String {
        if self.waiting == 0 { String::new() } else { self.waiting.to_string() }
    }
}

impl Line {
    fn entry(&self, words: &Words) -> Entry {
        let name = one_line(&self.name, NAME_CHARS);
        let (id, text) = match self.waits.waiting {
            PendingItem::Question(id) if self.private => {
                (id.uuid(), format!("{name}: {}", words.question_waits))
            }
            PendingItem::Question(id) => {
                (id.uuid(), format!("{name}: {}", one_line(&self.waits.text, TEXT_CHARS)))
            }
            PendingItem::Permission(id) => (id.uuid(), words.asks_permission(&name)),
        };
        // A menu takes a lone one as the mark of a key.
        Entry::Press(Does::BringUp(id), text.replace('&', "&&"))
    }
}

/// Shows the start of somebody's words in one line.
fn one_line(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most + 1).collect();
    let words: Vec<String> = seen(&start).split_whitespace().map(str::to_owned).collect();
    let line = words.join(" ");
    let mut shown: String = line.chars().take(most).collect();
    if line.chars().count() > most || text.chars().count() > most {
        shown.push('…');
    }
    shown
}

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenWindow => f.write_str("open"),
            Self::BringUp(id) => write!(f, "bring-up:{id}"),
            Self::Pause(PauseLength::OneHour) => f.write_str("pause:hour"),
            Self::Pause(PauseLength::UntilTomorrow) => f.write_str("pause:tomorrow"),
            Self::Pause(PauseLength::Off) => f.write_str("pause:over"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

impl FromStr for Does {
    type Err = ();

    fn from_str(id: &str) -> Result<Self, ()> {
        let known = [
            Self::OpenWindow,
            Self::Pause(PauseLength::OneHour),
            Self::Pause(PauseLength::UntilTomorrow),
            Self::Pause(PauseLength::Off),
            Self::Quit,
        ];
        match id.strip_prefix("bring-up:") {
            Some(id) => id.parse().map(Self::BringUp).map_err(|_| ()),
            None => known.into_iter().find(|does| does.to_string() == id).ok_or(()),
        }
    }
}

/// Draws a disc into the lower right quarter of a square picture of RGBA pixels, with a clear ring around it.
pub fn mark(pixels: &mut [u8], width: u32) {
    let side = i64::from(width);
    let (radius, ring) = (side / 4, side / 16);
    let centre = side - radius - 1;
    for (pixel, at) in pixels.chunks_exact_mut(4).zip(0..) {
        let (x, y) = (at % side - centre, at / side - centre);
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
    use crate::words;

    fn line(n: u128, name: &str, text: &str) -> Line {
        let waiting = PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        let waits = Waits { waiting, session: SessionId::new(Uuid::from_u128(9)), text: text.to_owned() };
        Line { waits, name: name.to_owned(), private: false }
    }

    fn texts(contents: &Contents) -> Vec<&str> {
        fn text(entry: &Entry) -> &str {
            match entry {
                Entry::Press(_, text) | Entry::Under(text, _) => text,
                Entry::Separator => "-",
            }
        }
        contents.entries.iter().map(text).collect()
    }

    #[test]
    fn the_menu_offers_the_same_in_each_language_in_its_own_words() {
        for (language, expected) in [
            (Language::En, ["Open Askdesk", "Pause notifications", "Quit Askdesk"]),
            (Language::Zh, ["打开 Askdesk", "暂停通知", "退出 Askdesk"]),
            (Language::De, ["Askdesk öffnen", "Benachrichtigungen pausieren", "Askdesk beenden"]),
        ] {
            let contents = Contents::of(&[], 0, None, words::of(language));
            assert_eq!(texts(&contents), expected);
            assert_eq!((contents.count(), contents.tooltip.as_str()), (String::new(), words::APP));
        }
    }

    #[test]
    fn who_waits_stands_first_each_leading_to_what_it_asks() {
        let permission = Waits {
            waiting: PendingItem::Permission(ApprovalId::new(Uuid::from_u128(2))),
            ..line(2, "", "Bash").waits
        };
        let lines = [
            line(1, "api & web", "Which\n\tdatabase?"),
            Line { waits: permission, name: "tests".to_owned(), private: false },
            Line { private: true, ..line(3, "secret", "Which key?") },
        ];
        let contents = Contents::of(&lines, 3, Some("14:30"), words::of(Language::En));
        let expected = [
            "api && web: Which database?",
            "tests asks for permission",
            "secret: A question is waiting",
            "-",
            "Open Askdesk",
            "Notify again (paused until 14:30)",
            "Quit Askdesk",
        ];
        assert_eq!(texts(&contents), expected);
        assert!(
            matches!(contents.entries[1], Entry::Press(Does::BringUp(id), _) if id == Uuid::from_u128(2))
        );
        assert_eq!(
            (contents.count().as_str(), contents.tooltip.as_str()),
            ("3", "Askdesk: 3 things wait for you")
        );
    }

    #[test]
    fn long_words_are_cut_unseen_ones_are_shown_and_of_many_the_oldest_stand_there() {
        let lines: Vec<Line> = (0..10).map(|n| line(n, &"n".repeat(99), &"x\u{202e}".repeat(99))).collect();
        let contents = Contents::of(&lines, 64, None, words::of(Language::En));
        let texts = texts(&contents);
        assert_eq!(texts.len(), 15);
        assert!(texts[0].starts_with(&format!("{}…: x⟨U+202E⟩x", "n".repeat(30))), "{}", texts[0]);
        assert!(texts[0].chars().count() < 30 + 60 + 5 && texts[0].ends_with('…'));
        assert_eq!(texts[10], "… and 54 more");
    }

    #[test]
    fn an_entry_is_read_back_as_what_it_was_written_for_and_nothing_else_is_one() {
        for does in [
            Does::OpenWindow,
            Does::BringUp(Uuid::from_u128(7)),
            Does::Pause(PauseLength::OneHour),
            Does::Pause(PauseLength::UntilTomorrow),
            Does::Pause(PauseLength::Off),
            Does::Quit,
        ] {
            assert_eq!(does.to_string().parse(), Ok(does));
        }
        for id in ["", "bring-up:", "bring-up:JWT", "pause:", "Quit"] {
            assert_eq!(id.parse::<Does>(), Err(()), "{id}");
        }
    }

    #[test]
    fn the_mark_is_drawn_in_its_corner_alone() {
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
