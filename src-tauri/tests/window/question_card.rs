//! The layout of a question's card, and the answers that reach the agent.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{App, DELIVERED, Setup};

const SECRET: &str = "hunter2-lighthouse-9f3a";

/// Returns whether the middle of an element can be clicked.
async fn is_reachable(app: &App, role: &str, name: &str) -> bool {
    let element = serde_json::to_value(app.by_role(role, name).await).unwrap();
    let script = "const box = arguments[0].getBoundingClientRect();
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        return arguments[0].contains(document.elementFromPoint(x, y));";
    app.script(script, vec![element]).await == json!(true)
}

/// Lists the texts in the panel that are cut off.
async fn cut_texts(app: &App) -> Value {
    let script = "const out = [];
        const panel = document.querySelector('aside');
        for (const element of panel.querySelectorAll('button, label, legend, p, span, h2, h3, figcaption')) {
            const style = getComputedStyle(element);
            const box = element.getBoundingClientRect();
            if (element.closest('.unseen') || box.width === 0 || style.display === 'inline') continue;
            if (element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible')
                out.push(`${element.tagName} ${element.textContent.trim().slice(0, 40)}: ${element.scrollWidth} in ${element.clientWidth}`);
            const around = panel.getBoundingClientRect();
            if (box.right > around.right + 1 || box.left < around.left - 1)
                out.push(`${element.tagName} ${element.textContent.trim().slice(0, 40)} leaves the panel: ${box.left} to ${box.right} in ${around.left} to ${around.right}`);
        }
        return out;";
    app.script(script, vec![]).await
}

/// Lists the options that reach over the next one.
async fn overlaps(app: &App) -> Value {
    let script = "const rows = [...document.querySelectorAll('aside .options > [data-option]')];
        if (rows.length < 2) return 'the question has too few options';
        const bottom = (row) => Math.max(...[row, ...row.querySelectorAll('*')]
            .filter((element) => !element.closest('.unseen'))
            .map((element) => element.getBoundingClientRect().bottom));
        return rows.slice(1).flatMap((row, place) => {
            const over = bottom(rows[place]) - row.getBoundingClientRect().top;
            return over > 1 ? [`${rows[place].dataset.option} is ${over} px over ${row.dataset.option}`] : [];
        });";
    app.script(script, vec![]).await
}

#[tokio::test]
async fn case_19_submit_stays_reachable_however_tall_the_options_are() {
    let app = App::open_asked("tall").await;
    for (width, height) in [(1280, 820), (1000, 560), (800, 820), (640, 480), (360, 640)] {
        app.resize(width, height).await;
        for place in ["0", "panel.scrollHeight / 2", "panel.scrollHeight"] {
            let scroll = format!(
                "const panel = document.querySelector('aside .card .content'); panel.scrollTop = {place};
                 return panel.scrollHeight > panel.clientHeight"
            );
            assert_eq!(app.script(&scroll, vec![]).await, json!(true), "it is taller at {width} × {height}");
            assert!(is_reachable(&app, "button", "Submit").await, "Submit at {width} × {height}, {place}");
        }
        let transcript = "const [main, panel] = ['main', 'aside'].map(css => document.querySelector(css).getBoundingClientRect());
            return panel.left >= main.right - 1 ? main.height : main.height - panel.height";
        let transcript = app.script(transcript, vec![]).await.as_f64().unwrap();
        assert!(transcript > 100.0, "the transcript has {transcript} px at {width} × {height}");
        assert_eq!(cut_texts(&app).await, json!([]), "at {width} × {height}");
        let last = app.by_role("radio", "Store 12").await;
        app.press(&last).await;
        let chosen = "return document.querySelector('aside [data-option]:has(> input:checked)')?.innerText";
        let chosen = app.script(chosen, vec![]).await;
        let is_last = chosen.as_str().is_some_and(|words| words.trim_start().starts_with("Store 12"));
        assert!(is_last, "at {width} × {height}, the press chose {chosen}");
    }
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let answers = responses[0]["updatedInput"]["answers"].as_object().unwrap();
    assert_eq!(answers.values().collect::<Vec<_>>(), ["Store 12"]);
}

#[tokio::test]
async fn the_narrowest_panel_and_twice_the_text_size_cut_no_text() {
    let examples = ["tall", "authentication", "long-header", "kinds"];
    for (size, example) in [100, 200].into_iter().flat_map(|size| examples.map(|example| (size, example))) {
        let data = tempfile::TempDir::new().unwrap();
        let settings = format!("[appearance]\ntext_size = {size}\n");
        fs::write(data.path().join("settings.toml"), settings).unwrap();
        let (app, _) = Setup::default().data(data.path()).open_asked(example).await;
        if size == 100 {
            let handle = app.find("aside [role=separator]").await;
            for _ in 0..8 {
                handle.send_keys("\u{e014}").await.unwrap();
            }
            let width = "return document.querySelector('aside').getBoundingClientRect().width";
            assert!(app.script(width, vec![]).await.as_f64().unwrap() <= 320.0);
        }
        assert_eq!(cut_texts(&app).await, json!([]), "{example} at {size} %");
        let goes_on = if ["tall", "long-header"].contains(&example) { "Submit" } else { "Next" };
        assert!(is_reachable(&app, "button", goes_on).await, "{goes_on} of {example} at {size} %");
    }
}

#[tokio::test]
async fn the_field_for_your_own_answer_grows_to_three_tenths_of_the_height_and_then_scrolls() {
    let app = App::open_asked("package-manager").await;
    app.click("radio", "Other").await;
    let field = app.by_role("textbox", "Your own answer").await;
    let field = serde_json::to_value(&field).unwrap();
    let measure = "const field = arguments[0];
        return [field.clientHeight, innerHeight, field.scrollHeight > field.clientHeight + 1]";
    let before = app.script(measure, vec![field.clone()]).await;
    let write = "arguments[0].value = 'one line\\n'.repeat(60);
        arguments[0].dispatchEvent(new Event('input', { bubbles: true }))";
    app.script(write, vec![field.clone()]).await;
    let after = app.script(measure, vec![field]).await;
    let [height, window] = [&after[0], &after[1]].map(|number| number.as_f64().unwrap());
    assert!(height > before[0].as_f64().unwrap() * 4.0, "{before} {after}");
    assert!(height <= window * 0.3 + 1.0, "{after}");
    assert_eq!(after[2], json!(true));
    assert!(is_reachable(&app, "button", "Submit").await);
}

#[tokio::test]
async fn the_preview_of_the_focused_option_is_beside_or_above_the_options() {
    let app = App::open_asked("tall").await;
    app.shows_text("aside .preview figcaption", "Preview: Store 1").await;
    let place = "const options = document.querySelector('aside .options').getBoundingClientRect();
        const preview = document.querySelector('aside .preview').getBoundingClientRect();
        return preview.left >= options.right ? 'beside' : preview.bottom <= options.top ? 'above' : 'over';";
    assert_eq!(app.script(place, vec![]).await, "above", "the panel is narrow");
    let first = app.by_role("radio", "Store 1").await;
    app.armed().await;
    first.send_keys(" ").await.unwrap();
    app.shows_text("aside .preview figcaption", "Preview: Store 1").await;
    app.shows_text("aside .preview pre", "create table if not exists notes").await;
    first.send_keys("\u{e015}\u{e015}").await.unwrap();
    app.shows_text("aside .preview figcaption", "Preview: Store 3").await;
    app.point_at(&app.by_role("radio", "Store 2").await).await;
    app.shows_text("aside .preview figcaption", "Preview: Store 2").await;
    app.point_at(&app.find("[data-transcript]").await).await;
    app.shows_text("aside .preview figcaption", "Preview: Store 3").await;

    for (width, height, expected) in [(720, 900, "beside"), (1280, 820, "above")] {
        app.resize(width, height).await;
        app.wait("the preview at its other place", async || {
            (app.script(place, vec![]).await == expected).then_some(())
        })
        .await;
        assert_eq!(overlaps(&app).await, json!([]), "at {width} × {height}");
    }

    app.resize(1600, 900).await;
    let handle = app.find("aside [role=separator]").await;
    for _ in 0..16 {
        handle.send_keys("\u{e012}").await.unwrap();
    }
    app.wait("the preview beside the options", async || {
        (app.script(place, vec![]).await == "beside").then_some(())
    })
    .await;
    assert_eq!(overlaps(&app).await, json!([]));
    assert_eq!(cut_texts(&app).await, json!([]));
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let annotations = responses[0]["updatedInput"]["annotations"].as_object().unwrap();
    assert_eq!(
        annotations.values().next().unwrap()["preview"],
        "store 3\n",
        "the agent receives the chosen preview"
    );
}

#[tokio::test]
async fn the_preview_and_the_note_are_never_under_the_footer() {
    let app = App::open_asked("tall").await;
    let uncovered = async |css: &str| {
        let element = serde_json::to_value(app.find(css).await).unwrap();
        let script = "const [element] = arguments;
            element.scrollIntoView({ block: 'nearest' });
            const { x, top, bottom, width } = element.getBoundingClientRect();
            return [top + 2, bottom - 2].map((y) => element.contains(document.elementFromPoint(x + width / 2, y)))";
        app.script(script, vec![element]).await
    };
    for (width, height) in [(1280, 820), (1000, 560), (720, 900)] {
        app.resize(width, height).await;
        app.click("radio", "Store 1").await;
        assert_eq!(
            uncovered("aside .preview pre").await,
            json!([true, true]),
            "preview at {width} × {height}"
        );
        app.key("n").await;
        let note = "aside [data-note] textarea";
        app.find(note).await;
        assert_eq!(uncovered(note).await, json!([true, true]), "note at {width} × {height}");
    }
}

#[tokio::test]
async fn case_59_a_subagents_question_names_it_and_every_kind_of_answer_reaches_the_agent() {
    let app = App::open_asked("kinds").await;
    app.shows_text("aside", "Asked by release-bot").await;
    app.write("Your own answer", "Lighthouse").await;
    app.click("button", "Next").await;
    app.click("radio", "Yes").await;
    let secret = app.find("aside input[type=password]").await;
    secret.send_keys(SECRET).await.unwrap();
    app.click("button", "Next").await;
    app.click("button", "Submit").await;
    let expected = json!({ "What should the release be called?": "Lighthouse", "Publish it now?": "Yes",
        "Which token may I use?": SECRET });
    app.check_answers(expected).await;
}

/// Lists the files below a folder that contain a secret, except the demo agent's record.
pub fn holders(folder: &Path, secret: &str) -> Vec<String> {
    let utf16: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(holders(&path, secret));
        } else if path.file_name().is_some_and(|name| name != "record.jsonl") {
            let bytes = fs::read(&path).unwrap_or_default();
            let holds = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
            if holds(secret.as_bytes()) || holds(&utf16) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[tokio::test]
async fn case_61_a_secret_is_masked_and_never_stored() {
    let app = App::open_asked("kinds").await;
    let holds_none = |when: &str| {
        assert_eq!(holders(app.home(), SECRET), Vec::<String>::new(), "{when}");
    };
    app.write("Your own answer", "Lighthouse").await;
    app.press(&app.find("aside [data-step=q3]").await).await;
    let field = app.find("aside input[type=password]").await;
    field.send_keys(SECRET).await.unwrap();
    app.shows_text("aside", "Sent only to the agent.").await;
    app.click("button", "Show secret").await;
    app.find("aside fieldset input[type=text]").await;
    app.click("button", "Hide secret").await;
    app.find("aside input[type=password]").await;
    // A draft is saved as a whole, so a later text is on disk after the secret.
    app.press(&app.find("aside [data-step=q1]").await).await;
    app.write("Your own answer", " keeper").await;
    app.wait("the draft", async || {
        let drafts = app.invoke("read_drafts", json!({})).await.unwrap();
        drafts.to_string().contains("Lighthouse keeper").then_some(())
    })
    .await;
    holds_none("while it is typed");

    app.press(&app.find("aside [data-step=summary]").await).await;
    app.shows_text("aside [data-summary]", "Secret provided").await;
    app.click("button", "Submit").await;
    app.shows_text("aside [role=alert]", "Not answered:").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["updatedInput"]["answers"]["Which token may I use?"], SECRET);
    app.find(DELIVERED).await;
    app.shows_text("main [data-request]", "Secret provided").await;
    app.shows_text("main", "Turn finished").await;
    holds_none("after it was given");
    let page = app.script("return document.documentElement.outerHTML", vec![]).await;
    assert!(!page.as_str().unwrap().contains(SECRET), "the page shows it");

    app.click("button", "History").await;
    let transcripts = app.by_role_in("main nav", "button", "Transcripts").await;
    app.press(&transcripts).await;
    app.find("#history-search").await.send_keys(SECRET).await.unwrap();
    app.shows_text("main", "No results for").await;
}

#[tokio::test]
async fn the_collapsed_panel_is_a_strip_with_the_number_of_open_questions() {
    let app = App::open_asked("technology").await;
    app.click("button", "Fold side").await;
    let strip = app.by_role("button", "1 question, open the side").await;
    assert!(strip.text().await.unwrap().contains('1'));
    let width = "return document.querySelector('aside').getBoundingClientRect().width";
    assert!(app.script(width, vec![]).await.as_f64().unwrap() < 60.0);
    app.resize(700, 700).await;
    let height = "return document.querySelector('aside').getBoundingClientRect().height";
    assert!(app.script(height, vec![]).await.as_f64().unwrap() < 60.0, "under the transcript it is a line");
    app.press(&strip).await;
    app.by_role("radio", "PostgreSQL").await;
    let under = "return document.querySelector('aside').getBoundingClientRect().top
        >= document.querySelector('[data-transcript]').getBoundingClientRect().bottom - 1";
    assert_eq!(app.script(under, vec![]).await, json!(true), "the panel is under the transcript");
}

#[tokio::test]
async fn a_missing_answer_has_an_outline_and_a_message() {
    let app = App::open_asked("technology").await;
    app.click("button", "Submit").await;
    app.shows_text("aside [role=alert]", "Choose an answer, or skip.").await;
    let ring = "const probe = document.createElement('i'); probe.style.color = 'var(--danger)'; document.body.append(probe);
        const danger = getComputedStyle(probe).color; probe.remove();
        const options = document.querySelector('aside .options');
        const said = document.querySelector('aside fieldset').getAttribute('aria-describedby').split(' ')
            .map(id => document.getElementById(id)?.textContent ?? '').join(' ');
        return [getComputedStyle(options).outlineColor === danger, said]";
    let ring = app.script(ring, vec![]).await;
    assert_eq!(ring[0], json!(true), "the field is ringed");
    assert!(ring[1].as_str().unwrap().contains("Choose an answer, or skip."), "{ring}");
}
