//! The tables of settings in the guide: generated from the settings and their English texts.

use std::fs;
use std::path::Path;

use askdesk_domain::{SETTINGS, SettingDescriptor, SettingKind, Settings};
use serde::Serialize;

const PAGES: [&str; 4] = ["settings.md", "notifications.md", "permission-rules.md", "open-in.md"];
const TEXTS: &str = "ui/src/shared/messages/en/settings.ts";
const RULES: &str =
    r#"a list of rules such as `{ action = "deny", tool = "Bash", argument = "git push *" }`"#;
const HEAD: &str = "| setting | what it does | key | values | default |\n|---|---|---|---|---|\n";

/// Returns the English text that the page shows for a key.
fn text<'a>(texts: &'a str, key: &str) -> &'a str {
    let (_, rest) = texts.split_once(&format!("'{key}':")).unwrap_or_else(|| panic!("{TEXTS} has no {key}"));
    let rest = rest.trim_start();
    let quote = rest.chars().next().unwrap();
    rest[1..].split_once(quote).unwrap().0
}

fn table(category: &str, texts: &str) -> String {
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    let rows = SETTINGS.iter().filter(|setting| setting.category == category).map(|setting| {
        let SettingDescriptor { id, key, kind, .. } = setting;
        let help = text(texts, &format!("settings.{id}.help")).replace('’', "'").replace('|', "\\|");
        let default = defaults.get(camel_case(id)).unwrap_or_else(|| panic!("{id} has no default"));
        let name = text(texts, &format!("settings.{id}"));
        format!("| {name} | {help} | `{key}` | {} | {} |\n", values(&kind()), code(default))
    });
    HEAD.to_owned() + &rows.collect::<String>()
}

fn values(kind: &SettingKind) -> String {
    match kind {
        SettingKind::Choice { choices } => list(choices),
        SettingKind::NumberChoice { choices } => list(choices),
        SettingKind::Number { least, most } => format!("{least} to {most}"),
        SettingKind::Hours => "hours such as `\"22:30-06:45\"`, or `\"off\"`".to_owned(),
        SettingKind::Pause => "seconds since 1970, or `0`".to_owned(),
        SettingKind::Shortcut => "keys such as `\"Ctrl+Alt+J\"`, or `\"off\"`".to_owned(),
        SettingKind::Command { placeholders } => {
            let placeholders: Vec<_> = placeholders.iter().map(|name| format!("`{{{name}}}`")).collect();
            format!("a command with {}, or `\"\"`", placeholders.join(", "))
        }
        SettingKind::Rules => RULES.to_owned(),
        SettingKind::Arguments | SettingKind::Variables => unreachable!("only agents have these"),
    }
}

fn list(choices: &[impl Serialize]) -> String {
    choices.iter().map(code).collect::<Vec<_>>().join(", ")
}

/// A value as in the settings file.
fn code(value: &impl Serialize) -> String {
    format!("`{}`", serde_json::to_string(value).unwrap())
}

fn camel_case(id: &str) -> String {
    let mut words = id.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// Writes each table again between `<!-- settings: CATEGORY -->` and `<!-- end -->`.
fn with_tables(page: &str, texts: &str) -> String {
    let (mut rest, mut written) = (page, String::new());
    while let Some((before, after)) = rest.split_once("<!-- settings: ") {
        let (category, after) = after.split_once(" -->").expect("a marker ends");
        let (_, after) = after.split_once("<!-- end -->").expect("a table ends");
        written +=
            &format!("{before}<!-- settings: {category} -->\n\n{}\n<!-- end -->", table(category, texts));
        rest = after;
    }
    written + rest
}

#[test]
fn the_guide_lists_every_setting() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let texts = fs::read_to_string(root.join(TEXTS)).unwrap();
    let mut all = String::new();
    for name in PAGES {
        let path = root.join("docs/guide").join(name);
        let page = fs::read_to_string(&path).unwrap();
        let now = with_tables(&page, &texts);
        match std::env::var_os("UPDATE_GUIDE") {
            Some(_) => fs::write(&path, &now).unwrap(),
            None => assert!(page == now, "{name} is out of date; run `cargo xtask wire`"),
        }
        all += &now;
    }
    for SettingDescriptor { category, id, .. } in SETTINGS {
        assert!(all.contains(&format!("<!-- settings: {category} -->")), "no page has a table for {id}");
    }
}
