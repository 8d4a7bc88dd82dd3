//! `askdesk connect` and `askdesk disconnect`: show a change, ask for confirmation, and apply it.

use askdesk_client_config::discovery::DEFAULT_PORT;
use askdesk_client_config::{
    Change, DataFolder, Endpoint, Env, FileError, Os, Plan, Scope, Token, TokenDisplay, confirm, installed,
};
use askdesk_contract::{Client, Confirmation};

use crate::arguments::{Connect, Which};
use crate::exit::{Exit, Failure};
use crate::http_client::HttpClient;
use crate::terminal;

pub async fn connect(folder: &DataFolder, connect: &Connect) -> Result<Exit, Failure> {
    let env = env()?;
    let unusable =
        |error| Failure::System(format!("can't use the token in {}: {error}", folder.path().display()));
    let token = match folder.token().map_err(unusable)? {
        Some(token) => token,
        // A dry run creates nothing, not even a token.
        None if connect.which.dry_run => Token::placeholder(),
        None => folder.token_or_new().map_err(unusable)?,
    };
    let endpoint =
        Endpoint { ask_by_command: connect.command_hook, ..endpoint(gateway_port(folder).await, token)? };
    let plan = |client| askdesk_client_config::connect(client, connect.which.scope, &env, &endpoint);
    let exit = each(&connect.which, &env, Some(&endpoint), plan)?;
    if endpoint.port != DEFAULT_PORT {
        eprintln!(
            "Askdesk uses port {} because {DEFAULT_PORT} was taken. If the port changes after a restart, connect again; \
             `askdesk doctor` tells you.",
            endpoint.port
        );
    }
    Ok(exit)
}

pub fn disconnect(which: &Which) -> Result<Exit, Failure> {
    let env = env()?;
    each(which, &env, None, |client| askdesk_client_config::disconnect(client, which.scope, &env))
}

/// Returns the port of the running gateway, or else the default port.
pub async fn gateway_port(folder: &DataFolder) -> u16 {
    match HttpClient::for_asking(folder) {
        Ok(client) if client.get("/health").await.is_ok() => client.port(),
        Ok(_) | Err(_) => DEFAULT_PORT,
    }
}

/// Returns the endpoint that clients are registered with.
pub fn endpoint(port: u16, token: Token) -> Result<Endpoint, Failure> {
    let program = std::env::current_exe()?;
    let command = askdesk_client_config::hook_command(&program, Os::CURRENT).ok_or_else(|| {
        Failure::System("a settings file can't contain the path of this program".to_owned())
    })?;
    Ok(Endpoint { port, token, command: Some(command), ask_by_command: false })
}

/// Returns where the user's files are.
pub fn env() -> Result<Env, Failure> {
    let folder = std::env::current_dir()?;
    Env::of_user(folder).ok_or_else(|| Failure::System("can't find your home folder".to_owned()))
}

fn each(
    which: &Which,
    env: &Env,
    endpoint: Option<&Endpoint>,
    plan: impl Fn(Client) -> Result<Plan, FileError>,
) -> Result<Exit, Failure> {
    let clients = if which.all { all(which.scope, env) } else { which.clients.clone() };
    if clients.is_empty() {
        eprintln!("No supported program is installed.");
        return Ok(Exit::Problem);
    }
    let mut exit = Exit::Success;
    for client in clients {
        // A problem with one client doesn't affect the others.
        let result = plan(client).map_err(Failure::from).and_then(|plan| one(which, &plan, env, endpoint));
        match result {
            Ok(Exit::Success) => {}
            Ok(other) => exit = other,
            Err(failure) if which.all || which.clients.len() > 1 => {
                eprintln!("{}: {failure}", client.name());
                exit = Exit::Problem;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(exit)
}

fn all(scope: Scope, env: &Env) -> Vec<Client> {
    let has_files = |client: &Client| scope == Scope::User || *client != Client::Windsurf;
    Client::ALL.into_iter().filter(has_files).filter(|client| installed(*client, env).is_some()).collect()
}

fn one(which: &Which, plan: &Plan, env: &Env, endpoint: Option<&Endpoint>) -> Result<Exit, Failure> {
    let name = plan.client.name();
    for note in &plan.notes {
        eprintln!("{name}: {note}");
    }
    if plan.is_empty() && !plan.notes.is_empty() {
        return Ok(Exit::Problem);
    }
    if plan.is_empty() {
        terminal::print(&format!("{name}: nothing to change.\n"))?;
        return Ok(Exit::Success);
    }
    for change in &plan.changes {
        terminal::print(&shown(change, which.show_token))?;
    }
    if which.dry_run {
        terminal::print(&format!("{name}: nothing was written.\n"))?;
        return Ok(Exit::Success);
    }
    if !which.yes {
        if !terminal::is_interactive() {
            let why = format!("{name}: nothing was written. There is no terminal to confirm in; use --yes");
            return Err(Failure::BadInput(why));
        }
        if !terminal::confirm(&format!("{name}: apply these changes?"))? {
            eprintln!("{name}: nothing was written.");
            return Ok(Exit::Problem);
        }
    }
    let backups = plan.apply()?;
    let done = endpoint.map_or_else(|| "disconnected".to_owned(), |endpoint| connected(plan, env, endpoint));
    let backups = backups.iter().map(|it| format!(" Backup: {}", it.display()));
    terminal::print(&format!("{name}: {}.{}\n", done.trim_end_matches('.'), backups.collect::<String>()))?;
    Ok(Exit::Success)
}

/// Asks the program whether it uses the entry, and says what that means.
fn connected(plan: &Plan, env: &Env, endpoint: &Endpoint) -> String {
    // A project's files may name programs that the check would start.
    let confirmation = match plan.scope {
        Scope::User => confirm(plan.client, env, endpoint),
        Scope::Project => Confirmation::Unasked,
    };
    words_of(&confirmation, plan.client.name())
}

/// Says that a program is connected, if it confirms that it uses the entry.
pub fn words_of(confirmation: &Confirmation, name: &str) -> String {
    match confirmation {
        Confirmation::Confirmed => format!("connected, as {name} confirms"),
        Confirmation::Unlisted => {
            format!(
                "written, but {name} doesn't list this entry. It may read its settings from another folder"
            )
        }
        Confirmation::Refused { said } => format!("written, but {name} can't use it yet. It says: {said}"),
        Confirmation::Unasked => "written, not confirmed".to_owned(),
    }
}

/// Formats a change as a patch.
fn shown(change: &Change, with_token: bool) -> String {
    let file = change.file.display().to_string();
    let diff = change.diff(if with_token { TokenDisplay::Shown } else { TokenDisplay::Hidden });
    if diff.is_empty() {
        // Only the token differs.
        return format!("--- {file}\n+++ {file}\nOnly the token changes.\n");
    }
    let name = |text: &Option<String>| if text.is_some() { file.as_str() } else { "/dev/null" };
    format!("--- {}\n+++ {}\n{diff}", name(&change.before), name(&change.after))
}
