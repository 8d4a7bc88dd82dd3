//! Removing one entry from a list in an agent's file changes nothing else, or nothing at all.

use std::fs;
use std::path::Path;

use askdesk_client_config::edit::{Format, read, remove_text};
use askdesk_client_config::{Change, ConfigPath, FileErrorKind, texts_of};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

const LIST: &[&str] = &["permissions", "allow"];

fn place(folder: &Path, name: &str) -> ConfigPath {
    ConfigPath { path: folder.join(name), within: folder.to_owned() }
}

#[rstest]
#[case::first(
    "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      \"A\",\n      \"B\" // stays\n    ],\n    \"deny\": [\"A\"]\n  }\n}\n",
    Ok(
        "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      \"B\" // stays\n    ],\n    \"deny\": [\"A\"]\n  }\n}\n"
    )
)]
#[case::only(r#"{"permissions":{"allow":["A"]},"n":1e3}"#, Ok(r#"{"permissions":{"allow":[]},"n":1e3}"#))]
#[case::twice(r#"{"permissions":{"allow":["A","B","A"]}}"#, Ok(r#"{"permissions":{"allow":["B"]}}"#))]
#[case::crlf_and_mark(
    "\u{feff}{\r\n  \"permissions\": { \"allow\": [\"B\", \"A\"] }\r\n}\r\n",
    Ok("\u{feff}{\r\n  \"permissions\": { \"allow\": [\"B\"] }\r\n}\r\n")
)]
#[case::gone(r#"{"permissions":{"allow":["B"]}}"#, Ok(r#"{"permissions":{"allow":["B"]}}"#))]
#[case::no_list(r#"{"permissions":{"allow":"A"}}"#, Ok(r#"{"permissions":{"allow":"A"}}"#))]
#[case::empty("", Ok(""))]
fn the_entry_goes_and_the_rest_stays(#[case] text: &str, #[case] expected: Result<&str, ()>) {
    let removed = remove_text(Format::Json, text, LIST, "A");
    assert_eq!(removed.as_deref().map_err(drop), expected);
}

#[test]
fn a_file_that_cannot_be_changed_safely_stays() {
    let twice = r#"{"permissions":{"allow":["A"]},"permissions":{"allow":["A"]}}"#;
    assert!(remove_text(Format::Json, twice, LIST, "A").is_err());
    assert!(remove_text(Format::Json, "{ permissions", LIST, "A").is_err());
}

#[test]
fn a_planned_removal_is_carried_out_only_on_the_file_it_was_planned_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path(), "settings.json");
    fs::write(&place.path, r#"{"permissions":{"allow":["A","B"]}}"#).unwrap();
    assert_eq!(texts_of(&place, &[LIST, &["x"]]).unwrap(), [vec!["A".to_owned(), "B".to_owned()], vec![]]);
    let planned = || Change::remove_text(&place, LIST, "A").unwrap();
    let change = planned().unwrap();
    fs::write(&place.path, r#"{"permissions":{"allow":["A","B","C"]}}"#).unwrap();
    assert_eq!(change.carry_out().unwrap_err().kind, FileErrorKind::Changed);
    planned().unwrap().carry_out().unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), r#"{"permissions":{"allow":["B","C"]}}"#);
    assert!(planned().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_neither_read_nor_changed() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let target = other.path().join("settings.json");
    fs::write(&target, r#"{"permissions":{"allow":["A"]}}"#).unwrap();
    let place = place(folder.path(), "settings.json");
    std::os::unix::fs::symlink(&target, &place.path).unwrap();
    assert!(matches!(texts_of(&place, &[LIST]).unwrap_err().kind, FileErrorKind::OutsideRoot { .. }));
    assert!(Change::remove_text(&place, LIST, "A").is_err());
}

proptest! {
    #[test]
    fn any_removal_is_exact(texts in prop::collection::vec("[a-c(*) ]{1,4}", 0..8), which in 0_usize..8, pretty in any::<bool>()) {
        let document = json!({"x": [1, {"y": null}], "permissions": {"allow": texts, "ask": texts}, "z": "allow"});
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let removed = texts.get(which).cloned().unwrap_or_else(|| "other".to_owned());
        let after = remove_text(Format::Json, &text, LIST, &removed).unwrap();
        let mut expected: Value = document;
        expected["permissions"]["allow"].as_array_mut().unwrap().retain(|text| *text != json!(removed));
        prop_assert_eq!(read(Format::Json, &after).unwrap(), expected);
    }
}
