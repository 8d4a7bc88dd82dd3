//! The start by the pixels of the screen, beside an empty window, and what all processes hold then.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::harness::PATIENCE;
use crate::latency::lines;
use crate::process::memory;
use crate::screen::Screen;
use crate::{desks, now_ms, rounded};

/// Names another build of the app that is measured too.
const OTHER: &str = "ASKDESK_BENCH_OTHER";
/// How often each window is started.
const ROUNDS: usize = 7;
/// A window that has not changed for this long has settled.
const QUIET: Duration = Duration::from_millis(1_200);

/// What follows from the end of a window is over after this time.
const PAUSE: Duration = Duration::from_millis(300);

/// A program on a data folder.
struct Subject {
    name: &'static str,
    program: PathBuf,
    data: Data,
    /// Lines of `.bashrc`.
    shell: &'static str,
}

enum Data {
    /// A folder that is made for each start.
    New,
    Kept(PathBuf),
}

/// What one start showed.
struct Start {
    first_pixel: f64,
    settled: f64,
    pictures: f64,
    pss_mib: f64,
    steps: BTreeMap<String, f64>,
}

/// Measures the starts of an empty window, of the app without a session, and with ten of them.
pub fn measure() -> Value {
    let app = PathBuf::from(env!("CARGO_BIN_EXE_askdesk-desktop"));
    let new = |name, program: &Path, shell| Subject { name, program: program.into(), data: Data::New, shell };
    let ten = |name, program: &Path| {
        let data = Data::Kept(desks::ten_sessions());
        Subject { name, program: program.into(), data, shell: "" }
    };
    let mut subjects = vec![
        new("empty_window", Path::new(env!("CARGO_BIN_EXE_empty-window")), ""),
        new("no_session", &app, ""),
        new("slow_shell", &app, "sleep 10\n"),
        ten("ten_sessions", &app),
    ];
    // Another build of the app, for comparisons within one run.
    if let Some(other) = std::env::var_os(OTHER).map(PathBuf::from) {
        subjects.extend([new("other_no_session", &other, ""), ten("other_ten_sessions", &other)]);
    }
    let screen = Screen::open();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    // The first start of each reads its files from the disk, and makes those that later starts find.
    for subject in &subjects {
        subject.start(&screen, &pictures);
    }
    let mut starts: Vec<Vec<Start>> = subjects.iter().map(|_| Vec::new()).collect();
    // All take turns, so that the machine's load affects all.
    for _ in 0..ROUNDS {
        for (subject, starts) in subjects.iter().zip(&mut starts) {
            starts.push(subject.start(&screen, &pictures));
        }
    }
    let empty = &starts[0];
    let all = subjects.iter().zip(&starts);
    all.map(|(subject, starts)| (subject.name.to_owned(), figures(starts, empty)))
        .collect::<Map<_, _>>()
        .into()
}

fn figures(starts: &[Start], empty: &[Start]) -> Value {
    let figure = |of: fn(&Start) -> f64| {
        let (mine, base) = (Spread::of(starts, of), Spread::of(empty, of));
        json!({ "best": rounded(mine.best), "median": rounded(mine.median),
            "ratio": { "best": rounded(mine.best / base.best), "median": rounded(mine.median / base.median) } })
    };
    let steps = starts[0].steps.keys().map(|step| {
        let at = Spread::of(starts, |start| start.steps.get(step).copied().unwrap_or(f64::NAN));
        (step.clone(), json!(rounded(at.median)))
    });
    json!({
        "first_pixel_ms": figure(|start| start.first_pixel),
        "settled_ms": figure(|start| start.settled),
        "pictures": figure(|start| start.pictures)["median"],
        "pss_mib": figure(|start| start.pss_mib),
        "steps_ms": steps.collect::<Map<_, _>>(),
    })
}

struct Spread {
    best: f64,
    median: f64,
}

impl Spread {
    fn of(starts: &[Start], of: impl Fn(&Start) -> f64) -> Self {
        let mut values: Vec<f64> = starts.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        Self { best: values[0], median: values[values.len() / 2] }
    }
}

impl Subject {
    /// Starts the program as a desktop does, in a home of its own.
    fn start(&self, screen: &Screen, pictures: &Path) -> Start {
        let home = TempDir::new().unwrap();
        let trace = home.path().join("trace.jsonl");
        let config = home.path().join("config/gtk-3.0");
        fs::create_dir_all(&config).unwrap();
        // A blinking caret never settles.
        fs::write(home.path().join(".bashrc"), self.shell).unwrap();
        fs::write(config.join("settings.ini"), "[Settings]\ngtk-cursor-blink=false\n").unwrap();
        let data = match &self.data {
            Data::New => home.path().join("data"),
            Data::Kept(folder) => folder.clone(),
        };
        let before = screen.sample();
        let began = now_ms();
        let mut child = Command::new("setsid")
            .arg(&self.program)
            .env("SHELL", "/bin/bash")
            .env("HOME", home.path())
            .env("XDG_CONFIG_HOME", home.path().join("config"))
            .env("XDG_DATA_HOME", home.path().join("share"))
            .env("XDG_CACHE_HOME", home.path().join("cache"))
            .env("ASKDESK_DATA_DIR", data)
            .env("ASKDESK_TRACE", &trace)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let seen = screen.watch(before, QUIET, PATIENCE);
        let (first, last) = (seen.changes.first(), seen.changes.last());
        let (Some(first), Some(last)) = (first, last) else { panic!("{} showed nothing", self.name) };
        screen.save(&seen, pictures, self.name);
        let pss_mib = memory(child.id());
        end(&mut child);
        let mut steps = BTreeMap::new();
        for line in lines(&trace) {
            let name = line["step"].as_str().or_else(|| line["painted"].is_null().then_some("painted"));
            if let (Some(name), Some(at)) = (name, line["at_ms"].as_f64()) {
                steps.entry(name.to_owned()).or_insert(at - began);
            }
        }
        let pictures = seen.changes.len() as f64;
        Start { first_pixel: first - began, settled: last - began, pictures, pss_mib, steps }
    }
}

fn end(child: &mut Child) {
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
    std::thread::sleep(PAUSE);
}
