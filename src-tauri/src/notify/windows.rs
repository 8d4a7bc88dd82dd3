//! Windows notifications: XML that says what each click sends back. Clicks that only open something are deep links, which work
//! even after the app has ended. Buttons that answer never are, because any program can open a deep link.

#[cfg(test)]
mod tests;
#[cfg(windows)]
pub mod winrt;

use askdesk_domain::PendingItem;

use super::notifier::{Button, ButtonAction, Notification, Sound, Subject};
use super::numbered::TAP;
use crate::deep_link;

/// The most bytes of a title, a body and a label, after escaping. The whole stays below Windows' limit of 5 KB.
const TITLE_BYTES: usize = 512;
const BODY_BYTES: usize = 2_048;
const LABEL_BYTES: usize = 256;

/// Windows' own limit.
const MAX_BUTTONS: usize = 5;

const ELLIPSIS: char = '…';

/// Whether deep links lead to this run of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeepLinks {
    ThisRun,
    /// They lead to the run with the usual data folder.
    OtherRun,
}

pub fn xml(notification: &Notification, links: DeepLinks) -> String {
    let link = link(notification.subject).filter(|_| links == DeepLinks::ThisRun);
    let opens = link.as_deref();
    let [kind, launch] = activation(TAP, opens);
    let title = escaped(&notification.title, TITLE_BYTES);
    let body = escaped(&notification.body, BODY_BYTES);
    let button = |Button { action, label }: &Button| {
        let link = opens.filter(|_| *action == ButtonAction::Open);
        let [kind, arguments] = activation(&action.to_string(), link);
        let label = escaped(label, LABEL_BYTES);
        format!(r#"<action content="{label}" activationType="{kind}" arguments="{arguments}"/>"#)
    };
    let buttons: String = notification.buttons.iter().take(MAX_BUTTONS).map(button).collect();
    let audio = match notification.sound {
        Sound::On => r#"<audio src="ms-winsoundevent:Notification.Default"/>"#,
        Sound::Off => r#"<audio silent="true"/>"#,
    };
    format!(
        r#"<toast activationType="{kind}" launch="{launch}"><visual><binding template="ToastGeneric"><text>{title}</text><text>{body}</text></binding></visual><actions>{buttons}</actions>{audio}</toast>"#
    )
}

/// Returns the key of a click; none for a deep link, which the system opens by itself.
pub fn clicked_key(arguments: &str) -> Option<&str> {
    (!deep_link::is_deep_link(arguments)).then_some(arguments)
}

/// Returns the activation type of a click and its argument.
fn activation(key: &str, link: Option<&str>) -> [String; 2] {
    let (kind, arguments) = match link {
        Some(link) => ("protocol", link),
        None => ("foreground", key),
    };
    [kind.to_owned(), escaped(arguments, LABEL_BYTES)]
}

fn link(subject: Subject) -> Option<String> {
    let id = match subject {
        Subject::Item(PendingItem::Question(id)) => id.uuid(),
        Subject::Item(PendingItem::Permission(id)) => id.uuid(),
        Subject::Finished(session) => session.uuid(),
        Subject::Summary | Subject::Budget => return None,
    };
    Some(deep_link::address_of(id))
}

/// Escapes a text for XML, and cuts it at a number of bytes.
fn escaped(plain: &str, most: usize) -> String {
    let mut text = String::new();
    // The longest prefix with room for an ellipsis.
    let mut end = 0;
    let mut bytes = [0; 4];
    for character in plain.chars() {
        let piece = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&apos;",
            '\n' => "&#10;",
            // XML cannot express them.
            invalid if invalid.is_control() || matches!(invalid, '\u{fffe}' | '\u{ffff}') => continue,
            other => &*other.encode_utf8(&mut bytes),
        };
        if text.len() + piece.len() > most {
            text.truncate(end);
            text.push(ELLIPSIS);
            return text;
        }
        text.push_str(piece);
        if text.len() + ELLIPSIS.len_utf8() <= most {
            end = text.len();
        }
    }
    text
}
