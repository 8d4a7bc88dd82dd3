//! The fake agent started as a program.

use std::path::Path;

use serde_json::Value;

use super::host::{Host, MANAGED, kind};

pub const STORE: &str = "Which store should the notes be kept in?";
pub const FEATURES: &str = "Which features should the first version have?";

pub fn start_with(scenario: &str, flags: &[&str], env: &[(&str, &str)]) -> Host {
    let args: Vec<&str> = flags.iter().copied().chain(["--scenario", scenario]).collect();
    let mut env: Vec<_> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    env.push(("PATH".to_owned(), std::env::var("PATH").unwrap()));
    Host::start(Path::new(env!("CARGO_BIN_EXE_fake-agent")), &args, &env, Path::new("."))
}

pub fn start(scenario: &str) -> Host {
    start_with(scenario, &MANAGED, &[])
}

/// Starts, says something and skips to the first request.
pub fn start_asking(scenario: &str) -> (Host, Value) {
    let mut host = start(scenario);
    host.say("go");
    let request = host.request();
    (host, request)
}

pub fn kinds(events: &[Value]) -> Vec<String> {
    events.iter().map(kind).collect()
}
