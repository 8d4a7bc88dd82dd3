//! The guide, in the window that Help opens.

use fantoccini::Locator;
use serde_json::json;

use crate::desktop::{activate, active_window, visible_windows, xdotool};
use crate::harness::App;

const GUIDE: &str = "^Askdesk guide$";

#[tokio::test]
async fn help_opens_the_guide_offline_in_a_window_of_its_own() {
    let app = App::open().await;
    let main = app.client.window().await.unwrap();
    app.click("button", "Help").await;
    let guide = app
        .wait("the guide's window", async || {
            app.client.windows().await.ok()?.into_iter().find(|window| *window != main)
        })
        .await;
    app.client.switch_to_window(guide).await.unwrap();
    app.shows_text("main h1", "Guide").await;
    app.press(&app.find("main a[href='quickstart.html']").await).await;
    app.shows_text("main h1", "Quickstart").await;

    let loaded = "return [...document.images].map(image => image.complete && image.naturalWidth > 0);";
    app.wait("the pictures of the page", async || {
        let pictures = app.script(loaded, vec![]).await;
        let pictures = pictures.as_array()?;
        (!pictures.is_empty() && pictures.iter().all(|loaded| *loaded == true)).then_some(())
    })
    .await;
    let elsewhere = "return performance.getEntriesByType('resource').map(file => file.name)
        .filter(name => !name.startsWith('guide://localhost/'));";
    assert_eq!(app.script(elsewhere, vec![]).await, json!([]), "nothing is loaded from anywhere else");

    app.press(&app.find("#mdbook-search-toggle").await).await;
    app.find("#mdbook-searchbar").await.send_keys("late answers").await.unwrap();
    app.find("#mdbook-searchresults a[href*='questions.html']").await;

    let refused = app.invoke("read_settings", json!({})).await;
    assert!(refused.is_err(), "the guide can call no command: {refused:?}");

    // A second click on Help brings the same window to the front.
    app.client.switch_to_window(main.clone()).await.unwrap();
    app.click("button", "Help").await;
    app.wait("the guide in front", async || (active_window() == "Askdesk guide").then_some(())).await;
    assert_eq!((visible_windows(GUIDE), app.client.windows().await.unwrap().len()), (1, 2));

    // Closing the guide closes nothing else.
    activate(GUIDE);
    xdotool(&["key", "alt+F4"]);
    app.wait("the guide to close", async || (visible_windows(GUIDE) == 0).then_some(())).await;
    assert!(app.client.find(Locator::Css("nav.sessions")).await.is_ok());
}
