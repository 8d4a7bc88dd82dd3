//! The time from an agent's question out of view to the notification daemon.

use std::collections::HashMap;
use std::time::Duration;

use askdesk_demo_agent::record::monotonic_ns;
use serde_json::json;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::fdo::MonitoringProxy;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, MessageStream};

use crate::harness::Setup;
use crate::latency::{Times, has, lines};
use crate::process::Worked;
use crate::process_stats::main_process;

const DAEMON: &str = "org.freedesktop.Notifications";

/// How long the window takes to become idle.
const SETTLED: Duration = Duration::from_secs(3);

/// How long the processor time is measured with a notification on the screen.
const STANDING: Duration = Duration::from_secs(10);

/// Monitors the calls to the daemon.
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

/// Has a session out of view ask questions, each withdrawn before the next.
pub async fn measure(questions: usize) -> Times {
    // Fewer than five in ten seconds, or a summary would replace the rest.
    let question = json!({ "question": "Question {n}?", "header": "Unseen", "multiSelect": false,
        "options": [{ "label": "A" }, { "label": "B" }] });
    let steps =
        json!([{ "ask": { "questions": [question], "withdraw_after_ms": 500 } }, { "sleep_ms": 2_000 }]);
    let turn = json!([{ "sleep_ms": 1_000 }, { "repeat": { "times": questions, "steps": steps } }]);

    let mut messages = watch_the_daemon().await;
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.start_demo(&app.scenario("asks-unseen", json!([turn])), "Unseen").await;
    app.select(&shown).await;
    let mut heard = Vec::new();
    while heard.len() < questions {
        let (at_ms, body) = next(&mut messages).await;
        assert_eq!(body, format!("Question {}?", heard.len() + 1), "each is notified once, in order");
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

/// Returns the share of one processor that the app uses with a notification on the screen and nothing else to do.
pub async fn at_rest() -> f64 {
    let mut messages = watch_the_daemon().await;
    let app = Setup::default().open().await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.start_demo("technology", "Unseen").await;
    next(&mut messages).await;
    tokio::time::sleep(SETTLED).await;
    let process = main_process(app.root());
    let before = Worked::of(process);
    tokio::time::sleep(STANDING).await;
    let share = Worked::of(process).since(&before).as_secs_f64() / STANDING.as_secs_f64();
    app.close().await;
    share
}
