//! The window in the language of its person: as the system says, as they choose, and with room for every word.

use serde_json::json;

use crate::gallery::Gallery;
use crate::harness::{Desk, Setup};

/// What a language calls things.
struct Spoken {
    locale: &'static str,
    tag: &'static str,
    start: &'static str,
    decline: &'static str,
    questions: &'static str,
    allow: &'static str,
}

const GERMAN: Spoken = Spoken {
    locale: "de_DE.UTF-8",
    tag: "de",
    start: "Sitzung starten",
    decline: "Ablehnen",
    questions: "Fragen",
    allow: "Einmal erlauben",
};

const CHINESE: Spoken = Spoken {
    locale: "zh_CN.UTF-8",
    tag: "zh-Hans",
    start: "启动会话",
    decline: "不回答",
    questions: "问题",
    allow: "允许一次",
};

/// The narrowest the panel may be asked to be, and less than that.
const NARROW: &str = "&width=320";

/// States with the most words of the window's own.
const WORDY: [&str; 10] =
    ["empty", "many", "error", "parked", "expired", "orphaned", "secret", "note", "long_texts", "narrow"];

async fn speaks(desk: &Desk, tag: &str) {
    desk.wait(&format!("the language {tag}"), async || {
        (desk.script("return document.documentElement.lang", vec![]).await == tag).then_some(())
    })
    .await;
}

async fn case_64(spoken: &Spoken) {
    let desk = Setup::default().pictured().env("LC_ALL", "").env("LANG", spoken.locale).open().await;
    assert_eq!(desk.script("return document.documentElement.lang", vec![]).await, spoken.tag);
    desk.by_role("button", spoken.start).await;
    assert_eq!(desk.cut("main").await, Vec::<String>::new());
    desk.picture(&format!("language-{}", spoken.tag)).await;

    let four = desk.start_demo("four", "web").await;
    desk.select(&four).await;
    desk.by_role_in("aside", "button", spoken.decline).await;
    desk.shows_text("aside h2", spoken.questions).await;
    let approval = desk.start_demo("approval", "build").await;
    desk.select(&approval).await;
    desk.by_role_in("aside", "button", spoken.allow).await;
    for session in [&four, &approval] {
        desk.select(session).await;
        desk.find("aside [data-card]").await;
        assert_eq!(desk.cut("aside").await, Vec::<String>::new());
        assert_eq!(desk.cut("nav").await, Vec::<String>::new());
    }
    let violations = desk.axe().await;
    assert!(violations.is_empty(), "{violations:#?}");

    let gallery = Gallery::open().await;
    let lang = spoken.tag.split('-').next().unwrap();
    let mut cut = Vec::new();
    for state in WORDY {
        gallery.show(&desk, state, &format!("&lang={lang}{NARROW}")).await;
        let width = desk.script("return document.querySelector('aside').offsetWidth", vec![]).await;
        assert!(width.as_u64().unwrap() <= 320, "{width}");
        cut.extend(desk.cut("aside").await.into_iter().map(|what| format!("{state}: {what}")));
    }
    assert!(cut.is_empty(), "{cut:#?}");
    desk.close().await;
}

#[tokio::test]
async fn case_64_on_a_german_system_everything_is_german_and_nothing_is_cut() {
    case_64(&GERMAN).await;
}

#[tokio::test]
async fn case_64_on_a_chinese_system_everything_is_chinese_and_nothing_is_cut() {
    case_64(&CHINESE).await;
}

#[tokio::test]
async fn case_64_another_language_holds_at_once_and_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let desk = Setup::default().data(data.path()).open().await;
    let session = desk.start_demo("technology", "api").await;
    desk.select(&session).await;
    desk.by_role_in("aside", "textbox", "Your own words").await.send_keys("Neither of them").await.unwrap();
    desk.click("button", "Settings").await;
    let control = desk.by_role_in("dialog[open]", "combobox", "Language").await;
    control.select_by_label("Deutsch").await.unwrap();
    speaks(&desk, "de").await;
    desk.by_role_in("dialog[open]", "combobox", "Sprache").await;
    desk.script("document.querySelector('dialog[open]').close()", vec![]).await;
    desk.by_role_in("aside", "button", GERMAN.decline).await;
    let written = desk.by_role_in("aside", "textbox", "In eigenen Worten").await;
    assert_eq!(
        written.prop("value").await.unwrap().as_deref(),
        Some("Neither of them"),
        "no word is lost by it"
    );
    // A page that is read anew begins in the language that was chosen since.
    desk.client.refresh().await.unwrap();
    desk.find("main").await;
    assert_eq!(desk.script("return document.documentElement.lang", vec![]).await, "de");
    desk.close().await;

    let desk = Setup::default().data(data.path()).open().await;
    assert_eq!(desk.script("return document.documentElement.lang", vec![]).await, "de");
    let file = std::fs::read_to_string(data.path().join("settings.toml")).unwrap();
    assert_eq!(file, "[appearance]\nlanguage = \"de\"\n");
    let english = json!({ "change": { "setting": "language", "value": "en" } });
    desk.invoke("change_setting", english).await.unwrap();
    desk.click("button", "Einstellungen").await;
    speaks(&desk, "en").await;
    desk.close().await;
}
