//! Registering the desk with programs: the change is shown, agreed to, and written.

use askdesk_client_config::desk::{Desk, Token, USUAL_PORT};
use askdesk_client_config::{Change, Client, Door, Plan, Refusal, Scope, Surroundings, Tokens, installed};

use crate::arguments::{Connect, Disconnect, Which};
use crate::door;
use crate::ending::{Ending, Failure};
use crate::terminal;

pub fn connect(desk: &Desk, connect: &Connect) -> Result<Ending, Failure> {
    let around = surroundings()?;
    let unusable =
        |error| Failure::System(format!("the token in {} cannot be used: {error}", desk.folder().display()));
    let token = match desk.token().map_err(unusable)? {
        Some(token) => token,
        // A dry run leaves nothing behind, not even a token.
        None if connect.which.dry_run => Token::to_come(),
        None => desk.token_or_new().map_err(unusable)?,
    };
    let command = Some(hook_command()?);
    let door = Door { port: port(desk), token, command, asks_by_command: connect.command_hook };
    let plan = |client| askdesk_client_config::connect(client, connect.which.scope.into(), &around, &door);
    let ending = each(&connect.which, &around, "Connected", plan)?;
    if door.port != USUAL_PORT {
        eprintln!(
            "The desk listens on {} because {USUAL_PORT} was taken. Where it listens elsewhere after a restart, \
             connect again; `askdesk doctor` says so.",
            door.port
        );
    }
    Ok(ending)
}

/// Takes it out again.
pub fn disconnect(_: &Desk, disconnect: &Disconnect) -> Result<Ending, Failure> {
    let around = surroundings()?;
    let plan = |client| askdesk_client_config::disconnect(client, disconnect.which.scope.into(), &around);
    each(&disconnect.which, &around, "Disconnected", plan)
}

/// Where the desk listens now, or where it usually does.
pub fn port(desk: &Desk) -> u16 {
    let listens = |door: &door::Door| door.get("/health").is_ok();
    door::Door::find(desk).ok().filter(listens).map_or(USUAL_PORT, |door| door.port)
}

/// Where the person's files are.
pub fn surroundings() -> Result<Surroundings, Failure> {
    let folder = std::env::current_dir()?;
    Surroundings::of_this_process(folder).ok_or_else(|| Failure::System("there is no home folder".to_owned()))
}

/// What Claude Code is to run, so that its shell finds this very program.
pub fn hook_command() -> Result<String, Failure> {
    let program = std::env::current_exe()?;
    askdesk_client_config::hook_command(&program).ok_or_else(|| {
        Failure::System("the path of this program is no text that a settings file can hold".to_owned())
    })
}

fn each(
    which: &Which,
    around: &Surroundings,
    done: &str,
    plan: impl Fn(Client) -> Result<Plan, Refusal>,
) -> Result<Ending, Failure> {
    let clients = if which.all { all(which.scope.into(), around) } else { which.clients.clone() };
    if clients.is_empty() {
        eprintln!("None of the programs that are known is installed here.");
        return Ok(Ending::Problem);
    }
    let mut ending = Ending::Well;
    for client in clients {
        // What one program's file has against it is nothing to the others.
        let result = plan(client).map_err(Failure::from).and_then(|plan| one(which, &plan, done));
        match result {
            Ok(Ending::Well) => {}
            Ok(other) => ending = other,
            Err(failure) if which.all || which.clients.len() > 1 => {
                eprintln!("{}: {failure}", client.name());
                ending = Ending::Problem;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(ending)
}

fn all(scope: Scope, around: &Surroundings) -> Vec<Client> {
    let has_files = |client: &Client| scope == Scope::User || *client != Client::Windsurf;
    Client::ALL.into_iter().filter(has_files).filter(|client| installed(*client, around).is_some()).collect()
}

fn one(which: &Which, plan: &Plan, done: &str) -> Result<Ending, Failure> {
    let name = plan.client.name();
    for note in &plan.notes {
        eprintln!("{name}: {note}");
    }
    if plan.is_nothing() {
        let nothing_to_do = plan.notes.is_empty();
        if nothing_to_do {
            terminal::print(&format!("{name}: nothing to change.\n"))?;
        }
        return Ok(if nothing_to_do { Ending::Well } else { Ending::Problem });
    }
    for change in &plan.changes {
        terminal::print(&shown(change, which.show_token))?;
    }
    if which.dry_run {
        terminal::print(&format!("{name}: nothing was written.\n"))?;
        return Ok(Ending::Well);
    }
    if !which.yes {
        if !terminal::has_person() {
            let why =
                format!("{name}: nothing was written, because nobody can be asked; use --yes to write it");
            return Err(Failure::BadInput(why));
        }
        if !terminal::agrees(&format!("{name}: write this?"))? {
            eprintln!("{name}: nothing was written.");
            return Ok(Ending::Problem);
        }
    }
    let written = plan.apply()?;
    let backups = written.backups.iter().map(|it| format!(" The file as it was is in {}.", it.display()));
    terminal::print(&format!("{name}: {}.{}\n", done.to_lowercase(), backups.collect::<String>()))?;
    Ok(Ending::Well)
}

/// Shows a change as programs that patch files read it.
fn shown(change: &Change, with_token: bool) -> String {
    let file = change.file.display().to_string();
    let diff = change.diff(if with_token { Tokens::Shown } else { Tokens::Hidden });
    if diff.is_empty() {
        // Only what is left out differs.
        return format!("--- {file}\n+++ {file}\nAnother token.\n");
    }
    let name = |text: &Option<String>| if text.is_some() { file.as_str() } else { "/dev/null" };
    format!("--- {}\n+++ {}\n{diff}", name(&change.before), name(&change.after))
}
