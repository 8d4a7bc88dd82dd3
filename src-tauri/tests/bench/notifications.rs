//! How long it takes until the desktop's notification daemon has a question of a session that is not in view.

use std::collections::HashMap;
use std::time::Duration;

use askdesk_testkit::fake_agent::record::monotonic_ns;
use serde_json::json;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::fdo::MonitoringProxy;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, MessageStream};

use crate::harness::Setup;
use crate::latency::{Times, has, lines};
use crate::working::{main_process, worked};

const DAEMON: &str = "org.freedesktop.Notifications";

/// How long the window gets to come to rest.
const SETTLED: Duration = Duration::from_secs(3);

/// How long it is looked at what the app does while a notification stands.
const STANDING: Duration = Duration::from_secs(10);

/// Sees what is handed to the daemon, whichever one runs.
async fn watch_the_daemon() -> MessageStream {
    let bus = Connection::session().await.unwrap();
    let messages = MessageStream::from(&bus);
    let posted = MatchRule::builder().msg_type(Type::MethodCall).interface(DAEMON).unwrap();
    let posted = posted.member("Notify").unwrap().build();
    MonitoringProxy::new(&bus).await.unwrap().become_monitor(&[posted], 0).await.unwrap();
    messages
}

/// Waits for the next notification; returns when the daemon had it, in milliseconds of the monotonic clock, and its text.
async fn next(messages: &mut MessageStream) -> (f64, String) {
    type Notify<'a> =
        (&'a str, u32, &'a str, &'a str, &'a str, Vec<&'a str>, HashMap<&'a str, Value<'a>>, i32);
    loop {
        let message = messages.next().await.unwrap().unwrap();
        let at_ms = monotonic_ns() as f64 / 1e6;
        if message.header().member().is_some_and(|member| member == "Notify") {
            let body = message.body();
            let (_, _, _, _, text, ..) = body.deserialize::<Notify<'_>>().unwrap();
            return (at_ms, text.to_owned());
        }
    }
}

/// Lets a session that is not in view ask one question after the other, each taken back before the next.
pub async fn measure(questions: usize) -> Times {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("asks-unseen.json");
    // Fewer than five in ten seconds, or a summary would stand for the rest.
    let question = json!({ "question": "Question {n}?", "header": "Unseen", "multiSelect": false,
        "options": [{ "label": "A" }, { "label": "B" }] });
    let steps =
        json!([{ "ask": { "questions": [question], "withdraw_after_ms": 500 } }, { "sleep_ms": 2_000 }]);
    let turn = json!([{ "sleep_ms": 1_000 }, { "repeat": { "times": questions, "steps": steps } }]);
    let text = json!({ "name": "asks-unseen", "title": "Asks unseen", "description": "Asks while nobody looks.",
        "turns": [turn] });
    std::fs::write(&scenario, text.to_string()).unwrap();

    let mut messages = watch_the_daemon().await;
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.start_demo(&scenario.display().to_string(), "Unseen").await;
    app.select(&shown).await;
    let mut heard = Vec::new();
    while heard.len() < questions {
        let (at_ms, body) = next(&mut messages).await;
        assert_eq!(body, format!("Question {}?", heard.len() + 1), "each is told of once, in order");
        heard.push(at_ms);
    }
    let record = lines(app.record());
    let asked =
        record.iter().filter(|line| line["dir"] == "out" && has(line, "can_use_tool") && has(line, "Unseen"));
    let asked: Vec<f64> = asked.map(|line| line["t_ns"].as_f64().unwrap() / 1e6).collect();
    assert_eq!(asked.len(), questions);
    app.close().await;
    Times(heard.iter().zip(asked).map(|(heard, asked)| heard - asked).collect())
}

/// Lets a notification stand while nothing else happens; returns the share of one processor that the app takes meanwhile.
pub async fn at_rest() -> f64 {
    let mut messages = watch_the_daemon().await;
    let app = Setup::default().open().await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.start_demo("technology", "Unseen").await;
    next(&mut messages).await;
    tokio::time::sleep(SETTLED).await;
    let process = main_process(app.root());
    let before = worked(process);
    tokio::time::sleep(STANDING).await;
    let share = (worked(process) - before).as_secs_f64() / STANDING.as_secs_f64();
    app.close().await;
    share
}
