//! Ten sessions that do nothing: how much of a processor the app uses.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::Setup;
use crate::process::{Worked, of_app};
use crate::rounded;

const SESSIONS: usize = 10;
/// How long what follows from the last turn takes.
const SETTLED: Duration = Duration::from_secs(10);
const MEASURED: Duration = Duration::from_secs(60);

pub async fn measure() -> Value {
    let app = Setup::default().open().await;
    let scenario = app.scenario("rests", json!([[{ "say": { "text": "It is done." } }]]));
    for n in 0..SESSIONS {
        let session = app.start_demo(&scenario, &format!("Rests {n}")).await;
        app.in_state(&session, "idle").await;
    }
    sleep(SETTLED).await;
    let processes = of_app(app.root());
    let before: Vec<_> = processes
        .iter()
        .map(|process| (process.name.clone(), process.pid, Worked::of(process.pid)))
        .collect();
    sleep(MEASURED).await;
    let mut each = serde_json::Map::new();
    let mut all = 0.0;
    for (name, pid, before) in &before {
        let share = Worked::of(*pid).since(before).as_secs_f64() / MEASURED.as_secs_f64() * 100.0;
        all += share;
        each.insert(name.clone(), json!(rounded(share)));
    }
    app.close().await;
    json!({ "sessions": SESSIONS, "cpu_percent": { "all": rounded(all), "each": each } })
}
