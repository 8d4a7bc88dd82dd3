//! Tests of the XML that Windows gets.

mod simulated;

use std::collections::BTreeMap;

use askdesk_domain::{ApprovalId, QuestionId, RequestId, SessionId};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use uuid::Uuid;

use super::super::notifier::contract_tests;
use super::*;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

impl Element {
    fn of(start: &BytesStart<'_>) -> Self {
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap();
            (attribute.key.0.to_owned(), value.into_owned())
        });
        Self { name: start.name().0.to_owned(), attributes: attributes.collect(), text: String::new() }
    }

    fn get(&self, attribute: &str) -> &str {
        self.attributes.get(attribute).map_or("", String::as_str)
    }

    /// Returns the activation type of a press and its arguments.
    fn press(&self) -> [&str; 2] {
        let arguments = if self.name == "toast" { "launch" } else { "arguments" };
        [self.get("activationType"), self.get(arguments)]
    }
}

/// Reads all elements in order. Panics if this is not well-formed XML.
fn read(xml: &str) -> Vec<Element> {
    assert!(!xml.contains(|it: char| it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}')), "{xml:?}");
    let mut reader = Reader::from_str(xml);
    let (mut read, mut open) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open.push(read.len());
                read.push(Element::of(&start));
            }
            Event::Empty(start) => read.push(Element::of(&start)),
            Event::End(_) => drop(open.pop().unwrap()),
            Event::Text(text) => read[*open.last().unwrap()].text.push_str(&text),
            Event::GeneralRef(name) => {
                let text = quick_xml::escape::unescape(&format!("&{};", &*name)).unwrap().into_owned();
                read[*open.last().unwrap()].text.push_str(&text);
            }
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty(), "{xml}");
    read
}

/// Returns the title and the body.
fn texts(read: &[Element]) -> Vec<&str> {
    read.iter().filter(|it| it.name == "text").map(|it| it.text.as_str()).collect()
}

fn buttons(read: &[Element]) -> Vec<&Element> {
    read.iter().filter(|it| it.name == "action").collect()
}

fn says(messages: &str) -> Notification {
    let label = |action| Button { action, label: messages.to_owned() };
    let buttons =
        vec![label(ButtonAction::Open), label(contract_tests::option(0)), label(contract_tests::option(1))];
    Notification {
        title: messages.to_owned(),
        body: messages.to_owned(),
        buttons,
        ..contract_tests::notification(1)
    }
}

#[test]
fn a_notification_is_written_as_toast_xml() {
    let id = Uuid::from_u128(1);
    let notification = Notification { title: "Fix <b>".to_owned(), ..contract_tests::notification(1) };
    assert_eq!(
        xml(&notification, DeepLinks::ThisRun),
        format!(
            concat!(
                r#"<toast activationType="protocol" launch="askdesk://request/{id}">"#,
                r#"<visual><binding template="ToastGeneric">"#,
                "<text>Fix &lt;b&gt;</text><text>a &lt; b &amp;&amp; c</text></binding></visual><actions>",
                r#"<action content="JWT" activationType="foreground" arguments="q1o1"/>"#,
                r#"<action content="Session" activationType="foreground" arguments="q1o2"/>"#,
                r#"<action content="Open" activationType="protocol" arguments="askdesk://request/{id}"/>"#,
                r#"</actions><audio silent="true"/></toast>"#,
            ),
            id = id
        )
    );
}

#[test]
fn any_text_is_escaped() {
    let table = [
        ("plain", "plain"),
        ("", ""),
        ("a & b && c &amp; &#38; &lt;", "a & b && c &amp; &#38; &lt;"),
        ("</text><action content='x' arguments='q1o1'/>", "</text><action content='x' arguments='q1o1'/>"),
        (r#"" activationType="protocol" x=""#, r#"" activationType="protocol" x=""#),
        ("<![CDATA[x]]> <!-- y --> <?z?>", "<![CDATA[x]]> <!-- y --> <?z?>"),
        ("one\ntwo", "one\ntwo"),
        ("\0\u{1}\u{7}\u{8}\t\u{b}\r\u{1b}[31mred\u{7f}\u{9b}", "[31mred"),
        ("\u{fffe}x\u{ffff}", "x"),
        ("日本語 🦀 e\u{301} \u{202e}", "日本語 🦀 e\u{301} \u{202e}"),
    ];
    for (messages, shown) in table {
        for links in [DeepLinks::ThisRun, DeepLinks::OtherRun] {
            let read = read(&xml(&says(messages), links));
            assert_eq!(texts(&read), [shown, shown], "{messages:?}");
            let labels: Vec<_> = buttons(&read).into_iter().map(|it| it.get("content")).collect();
            assert_eq!(labels, [shown; 3], "{messages:?}");
            let names: Vec<&str> = read.iter().map(|it| it.name.as_str()).collect();
            let frame = ["toast", "visual", "binding", "text", "text", "actions"];
            assert_eq!(names, [&frame[..], &["action"; 3], &["audio"]].concat(), "{messages:?}");
        }
    }
}

#[test]
fn the_xml_stays_within_windows_limit() {
    for piece in ["x", "&", "\"", "語", "🦀", "<b>", "\n", "a&é🦀"] {
        let notification = says(&piece.repeat(10_000));
        let button = notification.buttons[1].clone();
        let notification = Notification { buttons: vec![button; 20], sound: Sound::On, ..notification };
        let written = xml(&notification, DeepLinks::ThisRun);
        assert!(written.len() < 5 * 1024, "{piece:?}: {}", written.len());
        let read = read(&written);
        assert_eq!(buttons(&read).len(), MAX_BUTTONS);
        for text in texts(&read).into_iter().chain(buttons(&read).into_iter().map(|it| it.get("content"))) {
            let start =
                text.strip_suffix(ELLIPSIS).unwrap_or_else(|| panic!("{piece:?}: {text:?} has no mark"));
            assert!(piece.repeat(10_000).starts_with(start), "{text:?}");
        }
    }
}

#[test]
fn a_text_that_just_fits_is_not_cut() {
    assert_eq!(escaped("12345", 5), "12345");
    assert_eq!(escaped("123456", 5), "12…");
    assert_eq!(escaped("1&2", 6), "1…", "an entity is never cut");
    assert_eq!(escaped("1&2", 7), "1&amp;2");
    assert_eq!(escaped("1234\u{7}\u{7}\u{7}5", 5), "12345");
}

#[test]
fn only_presses_that_open_something_are_deep_links() {
    let id = Uuid::from_u128(7);
    let address = format!("askdesk://request/{id}");
    let one = |waiting| Subject::Item(waiting);
    for (subject, leads) in [
        (one(PendingItem::Question(RequestId::new(id))), true),
        (one(PendingItem::Permission(ApprovalId::new(id))), true),
        (Subject::Finished(SessionId::new(id)), true),
        (Subject::Summary, false),
    ] {
        for (links, leads) in [(DeepLinks::ThisRun, leads), (DeepLinks::OtherRun, false)] {
            let undo = Button { action: ButtonAction::Undo, label: "Undo".to_owned() };
            let mut notification = Notification { subject, ..contract_tests::notification(7) };
            notification.buttons.push(undo);
            let read = read(&xml(&notification, links));
            let presses: Vec<_> = buttons(&read).into_iter().map(Element::press).collect();
            let [tap, open] = if leads {
                [["protocol", address.as_str()]; 2]
            } else {
                [["foreground", "tap"], ["foreground", "open"]]
            };
            assert_eq!(read[0].press(), tap, "{subject:?} {links:?}");
            let [jwt, session, undo] = ["q1o1", "q1o2", "undo"].map(|key| ["foreground", key]);
            assert_eq!(presses, [jwt, session, open, undo], "{subject:?} {links:?}");
        }
    }
    assert_eq!(deep_link::target_of(&address), Some(id));
}

#[test]
fn a_deep_link_is_not_handled_as_a_press() {
    assert_eq!(clicked_key(&deep_link::address_of(Uuid::from_u128(7))), None);
    for key in ["tap", "open", "undo", "", &QuestionId::at(0).option(0).to_string()] {
        assert_eq!(clicked_key(key), Some(key));
    }
}

#[test]
fn a_notification_is_silent_unless_it_has_a_sound() {
    let audio = |sound| {
        let read = read(&xml(&Notification { sound, ..contract_tests::notification(1) }, DeepLinks::ThisRun));
        let audio = read.into_iter().filter(|it| it.name == "audio");
        audio.map(|it| (it.get("silent").to_owned(), it.get("src").to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(audio(Sound::Off), [("true".to_owned(), String::new())]);
    assert_eq!(audio(Sound::On), [(String::new(), "ms-winsoundevent:Notification.Default".to_owned())]);
}
