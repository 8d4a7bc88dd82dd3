//! The languages of the window: the system's, or the chosen one, with no text cut off.

use crate::gallery::Gallery;
use crate::harness::Setup;

/// Some texts of a language.
struct Spoken {
    locale: &'static str,
    tag: &'static str,
    start: &'static str,
    skip_all: &'static str,
    questions: &'static str,
    allow: &'static str,
}

const GERMAN: Spoken = Spoken {
    locale: "de_DE.UTF-8",
    tag: "de",
    start: "Sitzung starten",
    skip_all: "Alle überspringen",
    questions: "Fragen",
    allow: "Einmal erlauben",
};

const CHINESE: Spoken = Spoken {
    locale: "zh_CN.UTF-8",
    tag: "zh-Hans",
    start: "启动会话",
    skip_all: "全部跳过",
    questions: "问题",
    allow: "允许一次",
};

/// The narrowest panel.
const NARROW: &str = "&width=320";

/// The states with the most text of the window's own.
const WORDY: [&str; 10] =
    ["empty", "many", "error", "parked", "expired", "orphaned", "secret", "note", "long_texts", "narrow"];

#[rstest::rstest]
#[case::german(GERMAN)]
#[case::chinese(CHINESE)]
#[tokio::test]
async fn case_64_on_a_system_in_another_language_everything_is_in_it_and_nothing_is_cut(
    #[case] spoken: Spoken,
) {
    let app = Setup::default().pictured().env("LC_ALL", "").env("LANG", spoken.locale).open().await;
    assert_eq!(app.script("return document.documentElement.lang", vec![]).await, spoken.tag);
    app.unfold_start_form().await;
    app.by_role("button", spoken.start).await;
    assert_eq!(app.cut("main").await, Vec::<String>::new());

    let four = app.show_project("four", "storefront", "Set up the service.").await;
    app.by_role_in("aside", "button", spoken.skip_all).await;
    app.shows_text("aside .sheet h2", spoken.questions).await;
    app.point_at(&app.find("[data-transcript]").await).await;
    app.picture(&format!("language-{}", spoken.tag)).await;
    let approval = app.show_project("approval", "billing-worker", "Add a folder for notes.").await;
    app.by_role_in("aside", "button", spoken.allow).await;
    for session in [&four, &approval] {
        app.select(session).await;
        app.find("aside [data-card]").await;
        assert_eq!(app.cut("aside").await, Vec::<String>::new());
        assert_eq!(app.cut("nav").await, Vec::<String>::new());
    }
    let violations = app.axe().await;
    assert!(violations.is_empty(), "{violations:#?}");

    let gallery = Gallery::open().await;
    let lang = spoken.tag.split('-').next().unwrap();
    let mut cut = Vec::new();
    for state in ["settings", "settings_agents", "settings_connected"] {
        gallery.show(&app, state, &format!("&lang={lang}")).await;
        cut.extend(app.cut("dialog[open]").await.into_iter().map(|what| format!("{state}: {what}")));
    }
    for state in WORDY {
        gallery.show(&app, state, &format!("&lang={lang}{NARROW}")).await;
        let width = app.script("return document.querySelector('aside').offsetWidth", vec![]).await;
        assert!(width.as_u64().unwrap() <= 320, "{width}");
        cut.extend(app.cut("aside").await.into_iter().map(|what| format!("{state}: {what}")));
    }
    assert!(cut.is_empty(), "{cut:#?}");
}
