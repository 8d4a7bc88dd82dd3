//! Looks whether agents' questions reach the desk: for each program that is found, whether they do, why not, and what is
//! to be done.

use std::path::PathBuf;
use std::time::Duration;

use askdesk_clients::desk::{Desk, Token};
use askdesk_clients::{
    Client, Door as Wanted, Entry, Limit, Scope, Standing, Surroundings, installed, limit, obstacles,
    standings,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::Doctor;
use crate::ask;
use crate::connecting::{hook_command, surroundings};
use crate::door::Door;
use crate::ending::{Ending, Failure};
use crate::terminal;
use crate::version;

/// How long a test question waits for a desk that has gone meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

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
    /// It does not.
    Broken { why: String, remedy: String },
    /// It never was set up.
    NotConnected { remedy: String },
}

/// Looks, and says what was seen.
pub fn run(desk: &Desk, doctor: &Doctor) -> Result<Ending, Failure> {
    let around = surroundings()?;
    let seen = look_at_desk(desk);
    let wanted = wanted(desk, &seen);
    let versions = |client: Client| {
        let found = installed(client, &around);
        let program = found.as_ref().and_then(|found| found.program.clone());
        (client, found.is_some(), program)
    };
    let found: Vec<_> = Client::ALL.into_iter().map(versions).collect();
    // Programs take their time to say a version, so all are asked at once.
    let clients = std::thread::scope(|scope| {
        let asking: Vec<_> = found
            .into_iter()
            .map(|(client, found, program)| {
                scope.spawn(move || (client, found, program.as_deref().and_then(version::ask), program))
            })
            .collect();
        let told = asking.into_iter().filter_map(|it| it.join().ok());
        told.map(|(client, found, version, program)| {
            let mut report = look_at(client, &around, &wanted, &seen);
            (report.found, report.version, report.program) = (found, version, program);
            report
        })
        .collect()
    });
    let mut report = Report { desk: seen, clients, test: None };
    if !doctor.json {
        terminal::print(&words(&report))?;
    }
    let mut ending = report.ending();
    if doctor.ask {
        if !doctor.json {
            eprintln!("A test question is on the desk now; answer it there.");
        }
        let result = ask::wait_for("/v1/test", desk, &mut json!({}), PATIENCE)?;
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

fn look_at_desk(desk: &Desk) -> DeskReport {
    let folder = desk.folder().to_owned();
    let nobody = |why: String| DeskReport {
        reachable: false,
        folder: folder.clone(),
        port: None,
        version: None,
        open: None,
        why: Some(why),
    };
    let door = match Door::find(desk) {
        Ok(door) => door,
        Err(failure) => return nobody(failure.to_string()),
    };
    match door.get("/health") {
        Ok(said) => DeskReport {
            reachable: true,
            folder,
            port: Some(door.port),
            version: said["version"].as_str().map(str::to_owned),
            open: said["open"].as_u64(),
            why: None,
        },
        Err(failure) => nobody(failure.to_string()),
    }
}

/// What has to stand in clients' files; where the desk does not run, what would have to if it did.
fn wanted(desk: &Desk, seen: &DeskReport) -> Option<Wanted> {
    let token: Token = desk.token().ok().flatten()?;
    let port = seen.port.unwrap_or(askdesk_clients::desk::USUAL_PORT);
    Some(Wanted { port, token, command: hook_command().ok(), asks_by_command: false })
}

fn look_at(
    client: Client,
    around: &Surroundings,
    wanted: &Option<Wanted>,
    desk: &DeskReport,
) -> ClientReport {
    let scopes = [Scope::User, Scope::Project];
    let files: Vec<FileReport> = scopes
        .into_iter()
        .flat_map(|scope| {
            let standings = wanted.as_ref().map(|wanted| standings(client, scope, around, wanted));
            standings.unwrap_or_default().into_iter().map(move |standing| FileReport { scope, standing })
        })
        .collect();
    let path = path(client, around, &files, desk);
    let (name, limit) = (client.name(), limit(client));
    ClientReport { client, name, found: false, program: None, version: None, files, path, limit }
}

fn path(client: Client, around: &Surroundings, files: &[FileReport], desk: &DeskReport) -> Path {
    let connect = format!("askdesk connect {client}");
    let of = |scope| files.iter().filter(move |file| file.scope == scope).map(|file| &file.standing);
    let stands = |scope| of(scope).count() > 0 && of(scope).all(|it| it.entry == Entry::Current);
    let broken = |why: String, remedy: &str| Path::Broken { why, remedy: remedy.to_owned() };
    if !stands(Scope::User) && !stands(Scope::Project) {
        let all = || files.iter().map(|file| &file.standing);
        let trouble = all().find(|it| !matches!(it.entry, Entry::Absent | Entry::Current));
        let half = [Scope::User, Scope::Project]
            .into_iter()
            .find(|scope| of(*scope).any(|it| it.entry == Entry::Current));
        let lacks = half.and_then(|scope| of(scope).find(|it| it.entry == Entry::Absent));
        let Some(Standing { file, entry }) = trouble.or(lacks) else {
            return Path::NotConnected { remedy: connect };
        };
        let file = file.display();
        return match entry {
            Entry::Stale | Entry::Current => broken(
                format!("{file}: it leads to another port, has another token, or lacks something"),
                &connect,
            ),
            Entry::Off => {
                broken(format!("{file}: it is turned off"), &format!("turn it on in {}", client.name()))
            }
            Entry::Foreign => broken(format!("{file}: something else is called askdesk there"), &connect),
            Entry::Unusable { why } => {
                broken(format!("{file}: {why}"), "repair the file, then connect again")
            }
            Entry::Absent => broken(format!("{file}: the entry is missing there"), &connect),
        };
    }
    if !desk.reachable {
        let why = desk.why.clone().unwrap_or_else(|| "no desk is running".to_owned());
        return broken(why, "start Askdesk");
    }
    let obstacles = obstacles(client, around);
    if obstacles.contains(&askdesk_clients::Obstacle::Denied) {
        return broken(askdesk_clients::Obstacle::Denied.to_string(), "take the rule out");
    }
    Path::Works { but: obstacles.iter().map(ToString::to_string).collect() }
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
    }
    let absent: Vec<&str> = report.clients.iter().filter(|it| !is_there(it)).map(|it| it.name).collect();
    if !absent.is_empty() {
        text.push_str(&format!("Not found    {}\n", absent.join(", ")));
    }
    text
}
