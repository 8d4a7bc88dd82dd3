//! A notification as Windows takes it: a text in XML, which says what each press on it comes back as. What only brings something
//! up is a link, which works also when the notification has long gone aside and when the app has ended; a link can be written
//! by anybody, so what answers never is one.

#[cfg(test)]
mod tests;
#[cfg(windows)]
pub mod winrt;

use askdesk_domain::PendingItem;

use super::contract::{About, Button, Heard, Posted, What};
use super::numbered::TAP;
use crate::addresses;

/// The most bytes of a title, of a text and of a button's label, as they are written: the whole stays below the 5 KB at which
/// Windows refuses it.
const TITLE_BYTES: usize = 512;
const BODY_BYTES: usize = 2_048;
const LABEL_BYTES: usize = 256;

/// The most buttons that Windows takes.
const MOST_BUTTONS: usize = 5;

const MORE: char = '…';

/// Whether addresses lead to this desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Here,
    /// They lead to another desk, if to any.
    Elsewhere,
}

/// Writes a notification.
pub fn xml(posted: &Posted, links: Links) -> String {
    let link = link(posted.about).filter(|_| links == Links::Here);
    let opens = link.as_deref();
    let [kind, launch] = press(TAP, opens);
    let title = escaped(&posted.title, TITLE_BYTES);
    let body = escaped(&posted.body, BODY_BYTES);
    let button = |Button { what, label }: &Button| {
        let link = opens.filter(|_| *what == What::Open);
        let [kind, arguments] = press(&what.to_string(), link);
        let label = escaped(label, LABEL_BYTES);
        format!(r#"<action content="{label}" activationType="{kind}" arguments="{arguments}"/>"#)
    };
    let buttons: String = posted.buttons.iter().take(MOST_BUTTONS).map(button).collect();
    let audio = match posted.heard {
        Heard::Sound => r#"<audio src="ms-winsoundevent:Notification.Default"/>"#,
        Heard::Silent => r#"<audio silent="true"/>"#,
    };
    format!(
        r#"<toast activationType="{kind}" launch="{launch}"><visual><binding template="ToastGeneric"><text>{title}</text><text>{body}</text></binding></visual><actions>{buttons}</actions>{audio}</toast>"#
    )
}

/// Reads the key of a press that comes back to this process; none for a link, which takes its own way.
pub fn heard(arguments: &str) -> Option<&str> {
    (!addresses::is_ours(arguments)).then_some(arguments)
}

/// Returns how Windows hands a press over, and what it hands over.
fn press(key: &str, link: Option<&str>) -> [String; 2] {
    let (kind, arguments) = match link {
        Some(link) => ("protocol", link),
        None => ("foreground", key),
    };
    [kind.to_owned(), escaped(arguments, LABEL_BYTES)]
}

fn link(about: About) -> Option<String> {
    let id = match about {
        About::One(PendingItem::Question(id)) => id.uuid(),
        About::One(PendingItem::Permission(id)) => id.uuid(),
        About::Finished(session) => session.uuid(),
        About::Summary => return None,
    };
    Some(addresses::of(id))
}

/// Writes words as text that is text wherever it stands, up to some bytes, with a mark where there is more.
fn escaped(words: &str, most: usize) -> String {
    let mut text = String::new();
    // Where a mark still fits.
    let mut end = 0;
    let mut bytes = [0; 4];
    for character in words.chars() {
        let piece = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&apos;",
            '\n' => "&#10;",
            // XML has no way to write them.
            unseen if unseen.is_control() || matches!(unseen, '\u{fffe}' | '\u{ffff}') => continue,
            seen => &*seen.encode_utf8(&mut bytes),
        };
        if text.len() + piece.len() > most {
            text.truncate(end);
            text.push(MORE);
            return text;
        }
        text.push_str(piece);
        if text.len() + MORE.len_utf8() <= most {
            end = text.len();
        }
    }
    text
}
