use askdesk_domain::{QuestionId, SessionId};
use uuid::Uuid;

use super::super::notifier::fixtures::{notification, option};
use super::*;

#[test]
fn only_clicks_that_open_something_are_deep_links_and_only_to_this_run() {
    let link = format!("askdesk://request/{}", Uuid::from_u128(1));
    assert_eq!(deep_link::target_of(&link), Some(Uuid::from_u128(1)));
    let mut notification = Notification { title: "Fix <b>".to_owned(), ..notification(1) };
    notification.buttons.push(Button { action: ButtonAction::Undo, label: "Undo".to_owned() });
    let expected = |opens: [&str; 2], tap: &str, open: &str| {
        let [kind, other] = opens;
        format!(
            concat!(
                r#"<toast activationType="{kind}" launch="{tap}">"#,
                r#"<visual><binding template="ToastGeneric">"#,
                "<text>Fix &lt;b&gt;</text><text>a &lt; b &amp;&amp; c</text></binding></visual><actions>",
                r#"<action content="JWT" activationType="{other}" arguments="q1o1"/>"#,
                r#"<action content="Session" activationType="{other}" arguments="q1o2"/>"#,
                r#"<action content="Open" activationType="{kind}" arguments="{open}"/>"#,
                r#"<action content="Undo" activationType="{other}" arguments="undo"/>"#,
                r#"</actions><audio silent="true"/></toast>"#,
            ),
            kind = kind,
            other = other,
            tap = tap,
            open = open,
        )
    };
    assert_eq!(xml(&notification, DeepLinks::ThisRun), expected(["protocol", "foreground"], &link, &link));
    assert_eq!(xml(&notification, DeepLinks::OtherRun), expected(["foreground"; 2], "tap", "open"));
}

#[test]
fn a_summary_has_no_deep_link_and_a_session_has() {
    for (subject, leads) in [
        (Subject::Summary, false),
        (Subject::Budget, false),
        (Subject::Finished(SessionId::new(Uuid::from_u128(7))), true),
    ] {
        let written = xml(&Notification { subject, ..notification(7) }, DeepLinks::ThisRun);
        assert_eq!(written.contains("protocol"), leads, "{written}");
    }
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
    let written = xml(&Notification { sound: Sound::On, ..notification(1) }, DeepLinks::ThisRun);
    assert!(written.contains(r#"<audio src="ms-winsoundevent:Notification.Default"/>"#), "{written}");
}

#[test]
fn any_text_is_escaped() {
    for (text, shown) in [
        ("a & b &amp;", "a &amp; b &amp;amp;"),
        ("</text><action arguments='q1o1'/>", "&lt;/text&gt;&lt;action arguments=&apos;q1o1&apos;/&gt;"),
        (r#"" x=""#, "&quot; x=&quot;"),
        ("one\ntwo", "one&#10;two"),
        ("\0\u{7}\t\r\u{1b}[31mred\u{7f}\u{9b}\u{fffe}\u{ffff}", "[31mred"),
        ("日本語 🦀 e\u{301} \u{202e}", "日本語 🦀 e\u{301} \u{202e}"),
    ] {
        assert_eq!(escaped(text, BODY_BYTES), shown);
    }
}

#[test]
fn the_xml_stays_within_windows_limit() {
    for piece in ["x", "&", "\"", "語", "🦀", "\n"] {
        let long = piece.repeat(10_000);
        let buttons = vec![Button { action: option(0), label: long.clone() }; 20];
        let notification =
            Notification { title: long.clone(), body: long, buttons, sound: Sound::On, ..notification(1) };
        let written = xml(&notification, DeepLinks::ThisRun);
        assert!(written.len() < 5 * 1024, "{piece:?}: {}", written.len());
        assert_eq!(written.matches("<action ").count(), MAX_BUTTONS);
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
