//! The guide, in the window that Help opens, and what each of both windows may call.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fantoccini::Locator;
use serde_json::json;

use crate::desktop::{activate, active_window, xdotool};
use crate::harness::{App, Setup};

/// The title of the guide's window.
const GUIDE: &str = "Askdesk guide";

impl App {
    /// Opens the guide with Help, and switches the driver to its window.
    async fn open_guide(&self) {
        let main = self.client.window().await.unwrap();
        self.click("button", "Help").await;
        let guide = self
            .wait("the guide's window", async || {
                self.client.windows().await.ok()?.into_iter().find(|window| *window != main)
            })
            .await;
        self.client.switch_to_window(guide).await.unwrap();
        self.shows_text("main h1", "Guide").await;
    }
}

#[tokio::test]
async fn help_opens_the_guide_offline_in_a_window_of_its_own() {
    let app = App::open().await;
    let main = app.client.window().await.unwrap();
    app.open_guide().await;
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
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("not allowed"), "the guide can call no command: {refused}");

    // Help in the sidebar brings the same window to the front.
    app.client.switch_to_window(main.clone()).await.unwrap();
    app.show_demo("technology", "Notes").await;
    app.click("button", "Help").await;
    app.wait("the guide in front", async || (active_window() == GUIDE).then_some(())).await;
    assert_eq!(app.client.windows().await.unwrap().len(), 2);

    // The first Esc closes the search that is still open, and nothing else.
    let guide = app.client.windows().await.unwrap().into_iter().find(|window| *window != main).unwrap();
    app.client.switch_to_window(guide).await.unwrap();
    app.find("#mdbook-searchbar").await;
    activate(GUIDE);
    xdotool(&["key", "Escape"]);
    app.gone("#mdbook-searchbar").await;
    assert_eq!(app.client.windows().await.unwrap().len(), 2);
    app.client.switch_to_window(main.clone()).await.unwrap();

    // Closing the guide closes nothing else.
    for keys in ["Escape", "ctrl+w", "alt+F4"] {
        activate(GUIDE);
        xdotool(&["key", keys]);
        app.wait("the guide to close", async || {
            (app.client.windows().await.ok()? == [main.clone()]).then_some(())
        })
        .await;
        if keys != "alt+F4" {
            app.open_guide().await;
            app.client.switch_to_window(main.clone()).await.unwrap();
        }
    }
    assert!(app.client.find(Locator::Css("nav [data-session]")).await.is_ok());
}

#[tokio::test]
async fn a_link_from_the_guide_to_the_web_opens_in_the_browser() {
    let folder = tempfile::tempdir().unwrap();
    let (browser, opened) = (folder.path().join("xdg-open"), folder.path().join("opened"));
    fs::write(&browser, format!("#!/bin/sh\necho \"$1\" >> '{}'\n", opened.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let app = Setup::default().env("PATH", path).open().await;
    app.open_guide().await;
    app.press(&app.find("main a[href='install.html']").await).await;
    app.shows_text("main h1", "Install").await;
    let address = "https://www.rust-lang.org/tools/install";
    app.press(&app.find(&format!("main a[href='{address}']")).await).await;
    app.wait("the browser", async || (fs::read_to_string(&opened).ok()?.trim() == address).then_some(()))
        .await;
    app.shows_text("main h1", "Install").await;
}

#[tokio::test]
async fn the_page_has_no_permissions_beyond_the_list() {
    let app = App::open().await;
    for command in [
        "plugin:dialog|open",
        "plugin:notification|notify",
        "plugin:window|close",
        "plugin:shell|open",
        "plugin:shell|execute",
    ] {
        let error = app.invoke(command, json!({})).await.unwrap_err().to_string();
        assert!(error.contains("not allowed") || error.contains("not found"), "{command}: {error}");
    }
}
