//! The real agents side by side: what a question and an answer take with each, and what a session holds in memory.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::harness::{App, Setup};
use crate::latency::{ANSWER_EVERYTHING, Times, all_painted, lines, numbers};
use crate::real_claude::sealed;
use crate::{process, relay, rounded};

/// How many questions each agent asks.
const QUESTIONS: usize = 100;
/// How long the model thinks before each.
const THINKING_MS: u64 = 100;
/// How many sessions are started after the first.
const FURTHER: usize = 4;
/// How long memory settles after the last turn.
const SETTLED: Duration = Duration::from_secs(5);

/// An agent, and how its protocol is recognized on the way.
struct Agent {
    id: &'static str,
    cli: Cli,
    program: &'static str,
    /// What only a question contains.
    asked: &'static str,
    /// What only an answer contains.
    answered: &'static str,
    ask: fn(usize) -> Block,
}

const AGENTS: [Agent; 3] = [
    Agent {
        id: "claude_code",
        cli: Cli::ClaudeCode,
        program: "claude",
        asked: r#""subtype":"can_use_tool""#,
        answered: r#""updatedInput""#,
        ask: |n| Block::ask(&format!("toolu_{n}"), &questions()),
    },
    Agent {
        id: "codex",
        cli: Cli::Codex,
        program: "codex",
        asked: r#""method":"item/tool/requestUserInput""#,
        answered: r#""answers":{"#,
        ask: |n| {
            let mut questions = questions();
            questions[0]["id"] = json!("store");
            Block::tool(&format!("call_{n}"), "request_user_input", json!({ "questions": questions }))
        },
    },
    Agent {
        id: "opencode",
        cli: Cli::OpenCode,
        program: "opencode",
        asked: r#""type":"question.asked""#,
        answered: "/reply?",
        ask: |n| Block::tool(&format!("call_{n}"), "question", json!({ "questions": questions() })),
    },
];

fn questions() -> Value {
    json!([{ "question": "Where should the notes be kept?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }])
}

/// Measures each agent that is installed; ratios compare with the first.
pub async fn measure() -> Value {
    let mut result = Map::new();
    let mut first: Option<[f64; 2]> = None;
    for agent in &AGENTS {
        let Some(program) = agent.cli.program().and_then(|it| it.native().map(Path::to_owned)) else {
            result.insert(agent.id.to_owned(), json!("not installed"));
            continue;
        };
        let [painted, sent] = agent.latencies(&program).await;
        let medians = [&painted, &sent].map(|times| times.json()["p50"].as_f64().unwrap());
        let mut entry = json!({ "line_to_panel_painted_ms": painted.json(), "submit_to_sent_ms": sent.json(),
            "memory_pss_mib": agent.memory(&program).await });
        if let Some(base) = first {
            let ratio = |n: usize| rounded(medians[n] / base[n]);
            entry["ratio_of_medians"] = json!({ "painted": ratio(0), "sent": ratio(1) });
        }
        first.get_or_insert(medians);
        result.insert(agent.id.to_owned(), entry);
    }
    Value::Object(result)
}

impl Agent {
    /// Returns the times from the agent's line to the painted panel, and from Submit to the answer's bytes.
    async fn latencies(&self, program: &Path) -> [Times; 2] {
        let folder = TempDir::new().unwrap();
        let [trace, times] = ["trace.jsonl", "times.jsonl"].map(|name| folder.path().join(name));
        let replies = (0..QUESTIONS).map(|n| Reply::new([(self.ask)(n)]).after(THINKING_MS));
        let script = replies.chain([Reply::text("Thank you.")]).collect();
        let relayed = relay::description(program, &times, self.asked, self.answered);
        let setup =
            Setup::default().env("ASKDESK_TRACE", trace.display().to_string()).env(relay::VARIABLE, relayed);
        let opened = Opened::open(self, setup, &std::env::current_exe().unwrap(), script).await;
        let app = &opened.app;
        let session = opened.start(self, "Bench").await;
        app.select(&session).await;
        app.script(ANSWER_EVERYTHING, vec![]).await;
        app.wait_long("the last answer", async || opened.mock.conversation().get(QUESTIONS).map(|_| ()))
            .await;
        let painted = app.wait("the last paint", async || all_painted(&trace, QUESTIONS)).await;
        let submitted = numbers(&app.script("return window.__submitted", vec![]).await);
        let noted = lines(&times);
        let of = |name: &str| noted.iter().filter_map(|line| line[name].as_f64()).collect::<Vec<_>>();
        let (asked, answered) = (of("asked"), of("answered"));
        for (what, times) in
            [("asked", &asked), ("painted", &painted), ("submitted", &submitted), ("answered", &answered)]
        {
            assert_eq!(times.len(), QUESTIONS, "every question of {} was {what} once", self.id);
        }
        let between = |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(from, to)| to - from).collect();
        let result = [Times(between(&asked, &painted)), Times(between(&submitted, &answered))];
        opened.app.close().await;
        result
    }

    /// Returns what the agent's processes and the app hold with one session, and what each further session adds.
    async fn memory(&self, program: &Path) -> Value {
        let script = (0..=FURTHER).map(|_| Reply::text("Done.")).collect();
        let opened = Opened::open(self, Setup::default(), program, script).await;
        let before = opened.held();
        opened.run_to_the_end(self).await;
        let one = opened.held();
        for _ in 0..FURTHER {
            opened.run_to_the_end(self).await;
        }
        let all = opened.held();
        opened.app.close().await;
        let first = |n: usize| rounded(one[n] - before[n]);
        let each = |n: usize| rounded((all[n] - one[n]) / FURTHER as f64);
        json!({ "first_session": { "agent": first(0), "app": first(1) },
            "each_further_session": { "agent": each(0), "app": each(1) } })
    }
}

/// The app with one agent in its path.
struct Opened {
    app: App,
    mock: MockApi,
    project: TempDir,
    programs: TempDir,
    _home: TempDir,
}

impl Opened {
    async fn open(agent: &Agent, setup: Setup, program: &Path, script: Vec<Reply>) -> Self {
        let mock = MockApi::start(Script(script)).await.unwrap();
        let [home, project, programs] = [(); 3].map(|()| TempDir::new().unwrap());
        agent.cli.write_settings(home.path(), &mock.base_url).unwrap();
        symlink(program, programs.path().join(agent.program)).unwrap();
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let app = sealed(setup, home.path(), &mock).env("PATH", path).open().await;
        Self { app, mock, project, programs, _home: home }
    }

    async fn start(&self, agent: &Agent, name: &str) -> String {
        let input = json!({ "agent": agent.id, "folder": self.project.path(), "options": {}, "name": name,
            "prompt": "Please go on." });
        self.app.start_session(input).await
    }

    /// Starts a session, and waits until its turn has ended and memory has settled.
    async fn run_to_the_end(&self, agent: &Agent) {
        let session = self.start(agent, "Held").await;
        self.app.in_state(&session, "idle").await;
        sleep(SETTLED).await;
    }

    /// Sums what the agent's processes hold, and what all others below the driver hold, in MiB.
    fn held(&self) -> [f64; 2] {
        let programs = self.programs.path().display().to_string();
        let mut sums = [0.0; 2];
        for held in process::held(self.app.root()) {
            sums[usize::from(!held.arguments.starts_with(&programs))] += held.pss_mib;
        }
        sums
    }
}
