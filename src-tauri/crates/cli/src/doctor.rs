//! `askdesk doctor`: reports for each client whether its questions arrive, and if not, why and what to do.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use askdesk_client_config::discovery::DEFAULT_PORT;
use askdesk_client_config::{
    ConnectionProblem, ConnectionState, DataFolder, Diagnosis, DiagnosticInput, Endpoint, EntryState,
    FileStatus, Scope, SeenClient, WaitLimit, confirm, diagnose, installed_versions,
};
use askdesk_contract::{Client, Confirmation, Obstacle};
use askdesk_user_environment::Origin;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arguments::Doctor;
use crate::ask;
use crate::connect::{endpoint, env, words_of};
use crate::exit::{Exit, Failure};
use crate::http_client::{HttpClient, is_stopped};
use crate::retry::Retry;
use crate::terminal;

/// How long the test question waits for Askdesk to come back.
const PATIENCE: Duration = Duration::from_secs(60);

/// The note while the test question is open.
const TEST_IS_OPEN: &str = "test question sent; answer it in Askdesk";

/// Why no question arrives, if nothing better is known.
const NOT_RUNNING: &str = "Askdesk isn't running";

const SCOPES: [Scope; 2] = [Scope::User, Scope::Project];

#[derive(Debug, Serialize)]
struct Report {
    desk: DeskReport,
    clients: Vec<ClientReport>,
    /// The agents that Askdesk starts itself.
    agents: Vec<AgentReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Value>,
}

#[derive(Debug, Default, Serialize)]
struct DeskReport {
    reachable: bool,
    folder: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<u64>,
    /// Where the environment of its agents comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ClientReport {
    client: Client,
    name: &'static str,
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    files: Vec<FileStatus>,
    path: Connection,
    limit: WaitLimit,
    /// When it last asked, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_question: Option<i64>,
    /// What it says about the entry in the user's files, if no question has proved that it uses it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    confirmation: Option<Confirmation>,
}

/// An agent that Askdesk starts itself, and how its installed version fits.
#[derive(Debug, Serialize, Deserialize)]
struct AgentReport {
    name: String,
    version: Option<String>,
    fit: Option<Fit>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "fit", rename_all = "snake_case")]
enum Fit {
    Tested,
    Newer {
        tested: String,
    },
    NotVerified {
        good: String,
        install: Option<String>,
    },
    /// Of an Askdesk that knows more.
    #[serde(other)]
    Other,
}

impl AgentReport {
    /// Says what to know before a session is started.
    fn words(&self) -> Option<String> {
        let Self { name, version, fit } = self;
        let version = version.as_deref().unwrap_or_default();
        match fit.as_ref()? {
            Fit::Tested | Fit::Other => None,
            Fit::Newer { tested } => Some(format!(
                "{name} {version} is newer than {tested}, the newest tested one; Askdesk shows what it doesn't \
                 understand"
            )),
            Fit::NotVerified { good, install } => {
                let how = install.as_ref().map(|command| format!(": {command}")).unwrap_or_default();
                Some(format!(
                    "{name} {version} hasn't been tested with Askdesk, which knows it only from its public description; \
                     {good} is tested{how}"
                ))
            }
        }
    }
}

/// Whether a client's questions arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum Connection {
    Works {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        but: Vec<String>,
    },
    /// They don't arrive.
    Broken { why: String, remedy: String },
    /// The client was never connected.
    NotConnected { remedy: String },
}

/// Reports the state of Askdesk and of every client.
pub async fn run(folder: &DataFolder, doctor: &Doctor) -> Result<Exit, Failure> {
    let env = env()?;
    let (desk, seen, agents) = inspect_desk(folder).await;
    let endpoint = expected_endpoint(folder, &desk);
    let input = DiagnosticInput { env: &env, scopes: &SCOPES, endpoint: endpoint.as_ref(), seen: &seen };
    let mut versions = installed_versions(&env);
    let clients = Client::ALL.into_iter().map(|client| {
        let version = versions.iter().position(|(found, _)| *found == client);
        let version = version.map(|place| versions.swap_remove(place).1);
        client_report(diagnose(client, &input), version, &desk)
    });
    let mut clients: Vec<ClientReport> = clients.collect();
    if let Some(endpoint) = &endpoint {
        for client in clients.iter_mut().filter(|client| client.is_unproved()) {
            client.confirmation = Some(confirm(client.client, &env, endpoint));
        }
    }
    let mut report = Report { clients, agents, desk, test: None };
    if !doctor.json {
        terminal::print(&text(&report))?;
    }
    let mut exit = report.exit();
    if doctor.ask {
        let retry = Retry::new(PATIENCE);
        let retry = if doctor.json { retry } else { retry.note_when_open(TEST_IS_OPEN) };
        let result = ask::result_of(folder, "/v1/test", json!({}), retry).await?;
        if !doctor.json {
            let outcome = match result["outcome"].as_str() {
                Some("declined") => "skipped",
                Some("withdrawn") if result["why"] == "canceled" => "skipped",
                Some("expired") => "timed out",
                outcome => outcome.unwrap_or("unknown outcome"),
            };
            terminal::print(&format!("Test question: {outcome}.\n"))?;
        }
        exit = if exit == Exit::Success { ask::exit_of(&result) } else { exit };
        report.test = Some(result);
    }
    if doctor.json {
        terminal::print_json(&report)?;
    }
    Ok(exit)
}

impl ClientReport {
    /// Whether the user's files have an entry, and nothing shows that the program uses it.
    fn is_unproved(&self) -> bool {
        let is_written = |file: &FileStatus| file.scope == Scope::User && file.entry != EntryState::Absent;
        let works = matches!(self.path, Connection::Works { .. });
        works && self.found && self.last_question.is_none() && self.files.iter().any(is_written)
    }
}

impl Report {
    fn exit(&self) -> Exit {
        let is_broken = |client: &ClientReport| matches!(client.path, Connection::Broken { .. });
        match (self.desk.reachable, self.clients.iter().any(is_broken)) {
            (false, _) => Exit::NotRunning,
            (true, true) => Exit::Problem,
            (true, false) => Exit::Success,
        }
    }
}

/// Inspects the running Askdesk, and asks it which clients have asked and which agents it starts.
async fn inspect_desk(folder: &DataFolder) -> (DeskReport, Vec<SeenClient>, Vec<AgentReport>) {
    let inspected = async {
        let client = HttpClient::for_asking(folder)?;
        let health = client.get("/health").await?;
        Ok((client, health))
    };
    let desk = DeskReport { folder: folder.path().to_owned(), ..DeskReport::default() };
    match inspected.await {
        Ok((client, health)) => {
            let desk = DeskReport {
                reachable: true,
                port: Some(client.port()),
                version: health["version"].as_str().map(str::to_owned),
                open: health["open"].as_u64(),
                // Older versions don't say it.
                environment: serde_json::from_value(health["environment"].clone()).ok(),
                ..desk
            };
            // Older versions don't have these routes.
            let seen = client.get("/v1/clients").await.unwrap_or_default();
            let agents = client.get("/v1/agents").await.unwrap_or_default();
            let agents = serde_json::from_value(agents["agents"].clone()).unwrap_or_default();
            (desk, serde_json::from_value(seen["clients"].clone()).unwrap_or_default(), agents)
        }
        Err(failure) => {
            let (why, remedy) = match failure {
                Failure::NotRunning(why) if !is_stopped(folder).await => {
                    (format!("Askdesk can't be reached: {why}"), "restart Askdesk")
                }
                Failure::NotRunning(_) => (failure.to_string(), "start Askdesk"),
                Failure::Closed(why) => (
                    format!("Askdesk is running, but other programs can't reach it: {why}"),
                    "solve that; Askdesk tries again every few seconds",
                ),
                failure => (failure.to_string(), "restart Askdesk"),
            };
            (DeskReport { why: Some(why), remedy: Some(remedy), ..desk }, Vec::new(), Vec::new())
        }
    }
}

/// Returns what clients' entries should say. While Askdesk isn't running, that is with the default port.
fn expected_endpoint(folder: &DataFolder, desk: &DeskReport) -> Option<Endpoint> {
    let token = folder.token().ok().flatten()?;
    endpoint(desk.port.unwrap_or(DEFAULT_PORT), token).ok()
}

fn client_report(diagnosis: Diagnosis, version: Option<String>, desk: &DeskReport) -> ClientReport {
    let Diagnosis { client, installed, files, connection, limit, last_question } = diagnosis;
    ClientReport {
        client,
        name: client.name(),
        found: installed.is_some(),
        program: installed.and_then(|it| it.program),
        version,
        files,
        path: connection_report(client, connection, desk),
        limit,
        last_question,
        confirmation: None,
    }
}

fn connection_report(client: Client, state: ConnectionState, desk: &DeskReport) -> Connection {
    let connect = format!("askdesk connect {client}");
    match state {
        ConnectionState::NotConnected => Connection::NotConnected { remedy: connect },
        ConnectionState::Broken(why) if desk.reachable || !matches!(why, ConnectionProblem::Obstacle(_)) => {
            let remedy = match &why {
                ConnectionProblem::Stale(_)
                | ConnectionProblem::Foreign(_)
                | ConnectionProblem::Incomplete(_) => connect,
                ConnectionProblem::Disabled(_) => format!("turn Askdesk on in {}", client.name()),
                ConnectionProblem::Unusable { .. } => "correct the file, then connect again".to_owned(),
                ConnectionProblem::Obstacle(_) => "remove the rule".to_owned(),
            };
            Connection::Broken { why: why.to_string(), remedy }
        }
        ConnectionState::Works { but } if desk.reachable => {
            Connection::Works { but: but.iter().map(Obstacle::to_string).collect() }
        }
        ConnectionState::Works { .. } | ConnectionState::Broken(_) => {
            let why = desk.why.clone().unwrap_or_else(|| NOT_RUNNING.to_owned());
            Connection::Broken { why, remedy: desk.remedy.unwrap_or("start Askdesk").to_owned() }
        }
    }
}

fn text(report: &Report) -> String {
    let desk = &report.desk;
    let mut text = match (&desk.version, desk.port) {
        (Some(version), Some(port)) if desk.reachable => {
            let open = desk.open.unwrap_or_default();
            format!("Askdesk      {version}, 127.0.0.1:{port}, {open} waiting\n")
        }
        _ if desk.reachable => "Askdesk      running\n".to_owned(),
        _ => {
            let why = desk.why.as_deref().unwrap_or(NOT_RUNNING);
            format!("Askdesk      {}\n", why.strip_prefix("Askdesk ").unwrap_or(why))
        }
    };
    let rights = "clients can ask with their token; answering takes answer-token, which they never get";
    let further = |words: &str| format!("{:<13}{words}\n", "");
    text.push_str(&further(rights));
    if let Some(environment) = &desk.environment {
        text.push_str(&further(&format!("agents get the environment {}", environment.words())));
        text.extend(environment.failed.iter().map(|failed| further(&format!("note: {failed}"))));
    }
    text.extend(
        report.agents.iter().filter_map(AgentReport::words).map(|words| further(&format!("note: {words}"))),
    );
    let is_relevant =
        |client: &&ClientReport| client.found || !matches!(client.path, Connection::NotConnected { .. });
    for client in report.clients.iter().filter(is_relevant) {
        let version = match (&client.version, client.found) {
            (Some(version), _) => version.as_str(),
            (None, true) => "version unknown",
            (None, false) => "not found",
        };
        text.push_str(&format!("{:<12} {version}: ", client.name));
        match &client.path {
            Connection::Works { but } => {
                let words = client.confirmation.as_ref().map(|said| words_of(said, client.name));
                let words = words.as_deref().unwrap_or("connected").trim_end_matches('.');
                text.push_str(&format!("{words}; {}\n", client.limit.words));
                text.extend(but.iter().map(|but| further(&format!("note: {but}"))));
            }
            Connection::Broken { why, remedy } => {
                text.push_str(&format!("questions don't arrive: {why}\n"));
                text.push_str(&further(&format!("fix: {remedy}")));
            }
            Connection::NotConnected { remedy } => {
                text.push_str("not connected\n");
                text.push_str(&further(&format!("to connect: {remedy}")));
            }
        }
        if let Some(asked) = client.last_question {
            text.push_str(&further(&format!("last question {}", ago(asked, SystemTime::now()))));
        }
    }
    let absent: Vec<&str> = report.clients.iter().filter(|it| !is_relevant(it)).map(|it| it.name).collect();
    if !absent.is_empty() {
        text.push_str(&format!("Not found    {}\n", absent.join(", ")));
    }
    text
}

/// Formats how long ago a moment was. It is given in milliseconds since 1970.
fn ago(moment: i64, now: SystemTime) -> String {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(moment).unwrap_or_default());
    let minutes = now.duration_since(moment).unwrap_or_default().as_secs() / 60;
    let counted = |count: u64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match minutes {
        0 => "less than a minute ago".to_owned(),
        1..60 => counted(minutes, "minute"),
        60..1440 => counted(minutes / 60, "hour"),
        _ => counted(minutes / 1440, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_formatted_as_how_long_ago_it_was() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let check = |seconds: i64, words: &str| assert_eq!(ago((1_000_000 - seconds) * 1_000, now), words);
        check(59, "less than a minute ago");
        check(60, "1 minute ago");
        check(3_599, "59 minutes ago");
        check(7_200, "2 hours ago");
        check(86_400, "1 day ago");
        // The clock was set back.
        check(-100, "less than a minute ago");
    }
}
