//! Hostile text of an agent is shown as plain text everywhere.

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::harness::{App, DELIVERED, OPEN_CARD};

const HOSTILE: &str = include_str!("../../crates/demo-agent/scenarios/hostile.json");

/// Records all violations of the content security policy.
const WATCH: &str = "window.violations = [];
    document.addEventListener('securitypolicyviolation', event => window.violations.push(event.blockedURI));";

/// Returns all texts and the attributes that are shown or read out.
const SHOWN: &str = "const all = [];
    for (const element of document.body.querySelectorAll('*')) {
        for (const node of element.childNodes) if (node.nodeType === 3) all.push(node.nodeValue);
        for (const name of ['title', 'aria-label', 'placeholder', 'alt', 'value'])
            if (element.hasAttribute(name)) all.push(element.getAttribute(name));
    }
    return all.filter(text => text.trim() !== '');";

/// Returns the elements that extend beyond the window, and those that scroll sideways.
const OVERFLOWING: &str = "const out = [];
    for (const element of document.querySelectorAll('aside, aside *, main, nav, nav *')) {
        const box = element.getBoundingClientRect();
        const scrolls = element.closest('pre, .wide');
        const unseen = element.closest('.unseen') || box.width === 0;
        if (!scrolls && !unseen && box.right > innerWidth + 1)
            out.push(`${element.tagName}.${element.className} ends at ${box.right} of ${innerWidth}`);
    }
    for (const element of document.querySelectorAll('body, aside, aside .cards, main, nav'))
        if (element.scrollWidth > element.clientWidth + 1)
            out.push(`${element.tagName}.${element.className} is ${element.scrollWidth} wide in ${element.clientWidth}`);
    return out;";

/// Plays the hostile scenario with the address of a server, and with another label of 70,000 letters.
async fn opened(app: &App, server: &TcpListener) -> String {
    let address = format!("http://{}", server.local_addr().unwrap());
    let mut scene: Value =
        serde_json::from_str(&HOSTILE.replace("https://attacker.invalid", &address)).unwrap();
    scene["name"] = json!("hostile-here");
    let steps = scene["turns"][0].as_array_mut().unwrap();
    let asks = steps.iter_mut().find_map(|step| step.get_mut("ask")).unwrap();
    let options = asks["questions"][0]["options"].as_array_mut().unwrap();
    options.push(json!({ "label": "L".repeat(70_000), "description": "D".repeat(70_000) }));
    let file = app.home().join("hostile.json");
    fs::write(&file, scene.to_string()).unwrap();
    app.script(WATCH, vec![]).await;
    app.start_demo(file.to_str().unwrap(), "Hostile").await
}

/// Checks that nothing ran or was loaded, and that no shown text hides or reorders anything.
async fn check_harmless(app: &App, server: &TcpListener, at: &str) {
    assert_eq!(app.script("return document.title", vec![]).await, "Askdesk", "{at}: a script ran");
    assert_eq!(app.script("return window.violations", vec![]).await, json!([]), "{at}");
    let foreign = "return [...document.querySelectorAll('img, iframe, object, embed, video, audio, base, form[action], \
        a[href], link:not([rel=stylesheet]), script:not([src^=\"/\"], [src^=\"./\"]), style')].map(e => e.outerHTML.slice(0, 200))";
    let foreign = app.script(foreign, vec![]).await;
    let foreign: Vec<&str> = foreign.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(
        foreign.iter().all(|html| !html.contains("owned") && !html.contains("127.0.0.1")),
        "{at}: {foreign:?}"
    );
    let loaded = "return performance.getEntriesByType('resource').map(entry => entry.name)";
    let loaded = app.script(loaded, vec![]).await;
    let address = server.local_addr().unwrap().to_string();
    assert!(!loaded.to_string().contains(&address), "{at}: {loaded}");
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_err(), "{at}: something was asked of the server");

    let shown = app.script(SHOWN, vec![]).await;
    for text in shown.as_array().unwrap().iter().filter_map(Value::as_str) {
        let hidden = |c: char| matches!(c, '\u{1b}' | '\u{7}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        assert!(!text.contains(hidden), "{at}: {:?}", text.chars().take(300).collect::<String>());
    }
    let overflowing = app.script(OVERFLOWING, vec![]).await;
    assert_eq!(overflowing, json!([]), "{at}");
}

#[tokio::test]
async fn case_57_no_text_of_an_agent_runs_loads_or_deceives() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let app = App::open().await;
    let session = opened(&app, &server).await;
    app.select(&session).await;
    app.find(OPEN_CARD).await;
    app.shows_text("aside [data-question=q1]", "<img src=").await;
    app.shows_text("aside [data-question=q1]", "⟨U+202E⟩").await;
    app.shows_text("aside [data-question=q1]", "javascript:document.title").await;
    app.shows_text("aside", "Asked by <b>reviewer</b>").await;
    app.shows_text("main", "<script>document.title").await;
    check_harmless(&app, &server, "the first question").await;
    app.press(&app.by_role_in("aside [data-option=q1o3]", "button", "Show all").await).await;
    app.by_role_in("aside [data-option=q1o3]", "button", "Show less").await;
    check_harmless(&app, &server, "the whole label").await;
    app.click("radio", "Left").await;
    app.find("aside [data-question=q2]").await;
    check_harmless(&app, &server, "forty options").await;
    app.click("checkbox", "Same (option 5)").await;
    app.click("checkbox", "<script>document.title='owned'</script>").await;
    app.click("button", "Next").await;
    app.write("Your own answer", "<b>mine</b>").await;
    app.click("button", "Next").await;
    app.shows_text("aside [data-summary]", "Same (option 5)").await;
    check_harmless(&app, &server, "the summary").await;
    app.click("button", "Submit").await;

    // The agent receives its own labels unchanged. Two questions with the same text are numbered.
    let responses = app.wait_for_responses(1).await;
    let answers = responses[0]["updatedInput"]["answers"].as_object().unwrap().clone();
    let both = answers
        .values()
        .filter_map(Value::as_str)
        .find(|answer| answer.contains("(1) Left"))
        .unwrap()
        .to_owned();
    assert!(both.contains("Same") && both.contains("<script>document.title='owned'</script>"), "{both}");
    app.find(DELIVERED).await;
    app.shows_text("main", "Same (option 5)").await;
    app.shows_text("main", "Thank you. I go on with:").await;
    check_harmless(&app, &server, "the transcript").await;
    app.script(
        "for (const details of document.querySelectorAll('main details')) details.open = true",
        vec![],
    )
    .await;
    check_harmless(&app, &server, "the transcript unfolded").await;

    app.click("button", "History").await;
    app.find("main [data-past]").await;
    check_harmless(&app, &server, "the past questions").await;
    let transcripts = app.by_role_in("main nav", "button", "Transcripts").await;
    app.press(&transcripts).await;
    let field = app.find("#history-search").await;
    field.send_keys("owned").await.unwrap();
    app.find("main mark").await;
    check_harmless(&app, &server, "the search").await;
}
