//! Looks whether agents' questions reach the desk: for each program that is found, whether they do, why not, and what is
//! to be done.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use askdesk_client_config::desk::{Desk, Token};
use askdesk_client_config::{
    Break, Checkup, Client, Door as Wanted, Examined, Limit, Obstacle, Scope, Seen, Standing, Way, check,
    version,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::Doctor;
use crate::ask;
use crate::connecting::{hook_command, surroundings};
use crate::door::{Door, is_closed};
use crate::ending::{Ending, Failure};
use crate::terminal;
use crate::wait::Wait;

/// How long a test question waits for a desk that has gone meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is said while it waits.
const ON_THE_DESK: &str = "a test question is on the desk now; answer it there";

/// For whom a client may be set up here.
const SCOPES: [Scope; 2] = [Scope::User, Scope::Project];

#[derive(Debug, Serialize)]
struct Report {
    desk: DeskReport,
    clients: Vec<ClientReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Value>,
}

#[derive(Debug, Serialize)]
struct DeskReport {
    reachable: bool,
    folder: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<u64>,
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
    files: Vec<FileReport>,
    path: Path,
    limit: Limit,
    /// When it asked last, in milliseconds since 1970; none where the desk knows of no question.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_question: Option<i64>,
}

#[derive(Debug, Serialize)]
struct FileReport {
    scope: Scope,
    #[serde(flatten)]
    standing: Standing,
}

/// The way of a question from a client to the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum Path {
    /// A question arrives.
    Works {
        /// What is worth knowing all the same.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        but: Vec<String>,
    },
    Broken {
        why: String,
        remedy: String,
    },
    /// It never was set up.
    NotConnected {
        remedy: String,
    },
}

/// Looks, and says what was seen.
pub fn run(desk: &Desk, doctor: &Doctor) -> Result<Ending, Failure> {
    let around = surroundings()?;
    let (at_desk, seen) = look_at_desk(desk);
    let wanted = wanted(desk, &at_desk);
    let examined = Examined { around: &around, scopes: &SCOPES, door: wanted.as_ref(), seen: &seen };
    let checkups: Vec<Checkup> = Client::ALL.into_iter().map(|client| check(client, &examined)).collect();
    let clients = with_versions(checkups, &at_desk);
    let mut report = Report { desk: at_desk, clients, test: None };
    if !doctor.json {
        terminal::print(&words(&report))?;
    }
    let mut ending = report.ending();
    if doctor.ask {
        let wait = Wait::new(PATIENCE);
        let wait = if doctor.json { wait } else { wait.saying(ON_THE_DESK) };
        let result = ask::wait_for("/v1/test", desk, &mut json!({}), wait)?;
        if !doctor.json {
            let outcome = result["outcome"].as_str().unwrap_or("in a way that is not understood");
            terminal::print(&format!("The test question ended: {outcome}.\n"))?;
        }
        ending = if ending == Ending::Well { ask::ending(&result) } else { ending };
        report.test = Some(result);
    }
    if doctor.json {
        terminal::print(&format!("{}\n", serde_json::to_string_pretty(&report).unwrap_or_default()))?;
    }
    Ok(ending)
}

impl Report {
    fn ending(&self) -> Ending {
        let is_broken = |client: &ClientReport| matches!(client.path, Path::Broken { .. });
        match (self.desk.reachable, self.clients.iter().any(is_broken)) {
            (false, _) => Ending::NoDesk,
            (true, true) => Ending::Problem,
            (true, false) => Ending::Well,
        }
    }
}

/// Looks at the desk and asks it who has asked.
fn look_at_desk(desk: &Desk) -> (DeskReport, Vec<Seen>) {
    let folder = desk.folder().to_owned();
    let nobody = |failure: Failure| {
        let (why, remedy) = match failure {
            Failure::NoDesk(why) if !is_closed(desk) => {
                (format!("the desk does not answer: {why}"), "restart Askdesk")
            }
            Failure::NoDesk(_) => (failure.to_string(), "start Askdesk"),
            failure => (failure.to_string(), "restart Askdesk"),
        };
        let nothing = DeskReport {
            reachable: false,
            folder: folder.clone(),
            port: None,
            version: None,
            open: None,
            why: Some(why),
            remedy: Some(remedy),
        };
        (nothing, Vec::new())
    };
    let door = match Door::find(desk) {
        Ok(door) => door,
        Err(failure) => return nobody(failure),
    };
    match door.get("/health") {
        Ok(said) => {
            let there = DeskReport {
                reachable: true,
                folder,
                port: Some(door.port),
                version: said["version"].as_str().map(str::to_owned),
                open: said["open"].as_u64(),
                why: None,
                remedy: None,
            };
            (there, seen_at(&door))
        }
        Err(failure) => nobody(failure),
    }
}

/// Asks the desk who has asked; an older desk does not say.
fn seen_at(door: &Door) -> Vec<Seen> {
    let said = door.get("/v1/clients").unwrap_or_default();
    serde_json::from_value(said["clients"].clone()).unwrap_or_default()
}

/// What has to stand in clients' files; where the desk does not run, what would have to if it did.
fn wanted(desk: &Desk, seen: &DeskReport) -> Option<Wanted> {
    let token: Token = desk.token().ok().flatten()?;
    let port = seen.port.unwrap_or(askdesk_client_config::desk::USUAL_PORT);
    Some(Wanted { port, token, command: hook_command().ok(), asks_by_command: false })
}

/// Asks the programs that were found for their versions: all at once, because each takes its time.
fn with_versions(checkups: Vec<Checkup>, desk: &DeskReport) -> Vec<ClientReport> {
    std::thread::scope(|scope| {
        let asking: Vec<_> = checkups
            .into_iter()
            .map(|checkup| {
                let program = checkup.installed.as_ref().and_then(|it| it.program.clone());
                let asked = scope.spawn(move || program.as_deref().and_then(version::ask));
                (checkup, asked)
            })
            .collect();
        let told = asking.into_iter();
        told.map(|(checkup, asked)| reported(checkup, asked.join().ok().flatten(), desk)).collect()
    })
}

fn reported(checkup: Checkup, version: Option<String>, desk: &DeskReport) -> ClientReport {
    let Checkup { client, installed, files, way, limit, last_question } = checkup;
    ClientReport {
        client,
        name: client.name(),
        found: installed.is_some(),
        program: installed.and_then(|it| it.program),
        version,
        files: files.into_iter().map(|(scope, standing)| FileReport { scope, standing }).collect(),
        path: path(client, way, desk),
        limit,
        last_question,
    }
}

fn path(client: Client, way: Way, desk: &DeskReport) -> Path {
    let connect = format!("askdesk connect {client}");
    match way {
        Way::NotConnected => Path::NotConnected { remedy: connect },
        Way::Broken(why) if desk.reachable || !matches!(why, Break::Obstacle(_)) => {
            let remedy = match &why {
                Break::Stale(_) | Break::Foreign(_) | Break::Half(_) => connect,
                Break::Off(_) => format!("turn it on in {}", client.name()),
                Break::Unusable { .. } => "repair the file, then connect again".to_owned(),
                Break::Obstacle(_) => "take the rule out".to_owned(),
            };
            Path::Broken { why: why.to_string(), remedy }
        }
        Way::Works { but } if desk.reachable => {
            Path::Works { but: but.iter().map(Obstacle::to_string).collect() }
        }
        Way::Works { .. } | Way::Broken(_) => {
            let why = desk.why.clone().unwrap_or_else(|| "no desk is running".to_owned());
            Path::Broken { why, remedy: desk.remedy.unwrap_or("start Askdesk").to_owned() }
        }
    }
}

fn words(report: &Report) -> String {
    let desk = &report.desk;
    let mut text = match (&desk.version, desk.port) {
        (Some(version), Some(port)) if desk.reachable => {
            let open = desk.open.unwrap_or_default();
            format!("Desk         {version}, listens on 127.0.0.1:{port}, {open} waiting\n")
        }
        _ if desk.reachable => "Desk         is there\n".to_owned(),
        _ => format!("Desk         {}\n", desk.why.as_deref().unwrap_or("no desk is running")),
    };
    let rights =
        "clients may ask by their token; to answer takes the file answer-token, which they never get";
    text.push_str(&format!("{:<13}{rights}\n", ""));
    let is_there = |client: &&ClientReport| client.found || !matches!(client.path, Path::NotConnected { .. });
    for client in report.clients.iter().filter(is_there) {
        let version = match (&client.version, client.found) {
            (Some(version), _) => version.as_str(),
            (None, true) => "version not known",
            (None, false) => "not found",
        };
        text.push_str(&format!("{:<12} {version}: ", client.name));
        match &client.path {
            Path::Works { but } => {
                text.push_str(&format!("questions reach the desk; {}\n", client.limit.words));
                but.iter().for_each(|but| text.push_str(&format!("{:<13}but {but}\n", "")));
            }
            Path::Broken { why, remedy } => {
                text.push_str(&format!(
                    "questions do not reach the desk: {why}\n{:<13}to do: {remedy}\n",
                    ""
                ));
            }
            Path::NotConnected { remedy } => {
                text.push_str(&format!("not connected\n{:<13}to do: {remedy}\n", ""));
            }
        }
        if let Some(asked) = client.last_question {
            text.push_str(&format!("{:<13}last question {}\n", "", ago(asked, SystemTime::now())));
        }
    }
    let absent: Vec<&str> = report.clients.iter().filter(|it| !is_there(it)).map(|it| it.name).collect();
    if !absent.is_empty() {
        text.push_str(&format!("Not found    {}\n", absent.join(", ")));
    }
    text
}

/// Says how long ago a moment was, which is given in milliseconds since 1970.
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
    fn a_moment_is_told_by_how_long_ago_it_was() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let check = |seconds: i64, words: &str| assert_eq!(ago((1_000_000 - seconds) * 1_000, now), words);
        check(59, "less than a minute ago");
        check(60, "1 minute ago");
        check(3_599, "59 minutes ago");
        check(7_200, "2 hours ago");
        check(86_400, "1 day ago");
        // A clock that was put back.
        check(-100, "less than a minute ago");
    }
}
