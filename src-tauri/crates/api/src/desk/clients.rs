//! The commands about other programs: how they stand to the desk, and telling them of it.
//!
//! What is written is the very plan that was shown: it is kept here until it is carried out or another one is made.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use askdesk_client_config::desk::{Desk as DataFolder, Token, USUAL_PORT};
use askdesk_client_config::{
    Change, Checkup, Client, Door, Entry, Examined, Plan, Refusal, Scope, Seen, Surroundings, Tokens,
    as_connected, check, connect, disconnect, installed, version,
};
use askdesk_domain::{CommandId, LastAsked, Timestamp};
use askdesk_engine::EngineError;

use super::DeskApi;
use crate::dto::*;
use crate::error::{Detail, Error, ErrorCode};

/// The longest diff that is shown, in bytes.
const DIFF_BYTES: usize = 64 * 1024;
/// What stands in the place of a token.
const HIDDEN: &str = "…";

/// What is needed to tell other programs of this desk.
#[derive(Clone, Debug)]
pub struct Here {
    /// Where the person's files are.
    pub around: Surroundings,
    /// The data folder, in which the token is.
    pub data: PathBuf,
    /// The port the desk listens at; none while its doors are shut.
    pub port: Option<u16>,
    /// What a terminal's hook runs to tell the desk something, where that program is there.
    pub command: Option<String>,
}

/// Looks where the desk is now; none where the person has no home folder.
pub type Whereabouts = Arc<dyn Fn() -> Option<Here> + Send + Sync>;

/// Why a test question did not get to the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untried {
    Shut,
    Broken {
        /// What the system or the door said.
        error: String,
    },
}

/// The answer to a wish to ask a test question.
pub type Trying = Pin<Box<dyn Future<Output = Result<(), Untried>> + Send>>;

/// Asks a test question over the desk's own door.
pub type Trial = Arc<dyn Fn() -> Trying + Send + Sync>;

impl Here {
    /// What has to stand in clients' files; while the doors are shut, what would have to if they were open as usual.
    fn door(&self) -> Option<Door> {
        let token = self.token()?;
        let port = self.port.unwrap_or(USUAL_PORT);
        Some(Door { port, token, command: self.command.clone(), asks_by_command: false })
    }

    fn token(&self) -> Option<Token> {
        DataFolder::at(&self.data).token().ok().flatten()
    }
}

impl DeskApi {
    /// Says how other programs are told of the desk; without it, none is.
    pub fn telling_clients(self, whereabouts: Whereabouts) -> Self {
        Self { whereabouts: Some(whereabouts), ..self }
    }

    /// Says how the desk asks itself over its own door; without it, no door is there.
    pub fn trying_the_door(self, trial: Trial) -> Self {
        Self { trial: Some(trial), ..self }
    }

    pub(super) async fn try_door(&self) -> Result<(), Error> {
        let trial = self.trial.as_ref().ok_or_else(shut)?;
        trial().await.map_err(|why| match why {
            Untried::Shut => shut(),
            Untried::Broken { error } => Error::new(ErrorCode::DoorFailed, error),
        })
    }

    pub(super) async fn clients(&self) -> Result<ClientsRead, Error> {
        let seen = self.engine.look(askdesk_domain::Desk::last_asked).await?;
        let seen: Vec<Seen> = seen.into_iter().map(seen_as).collect();
        self.with_files(move |here| {
            let door = here.door();
            let examined =
                Examined { around: &here.around, scopes: &[Scope::User], door: door.as_ref(), seen: &seen };
            let mut clients: Vec<ClientRead> =
                Client::ALL.into_iter().map(|client| read(check(client, &examined))).collect();
            clients.sort_by_key(|client| !client.found);
            Ok(ClientsRead { port: here.port, clients })
        })
        .await
    }

    pub(super) async fn client_versions(&self) -> Result<ClientVersions, Error> {
        self.with_files(|here| {
            // Each takes its time, so all are asked at once.
            let versions = std::thread::scope(|scope| {
                let program = |client| Some((client, installed(client, &here.around)?.program?));
                let asking: Vec<_> = Client::ALL
                    .into_iter()
                    .filter_map(program)
                    .map(|(client, program)| (client, scope.spawn(move || version::ask(&program))))
                    .collect();
                let told = asking.into_iter();
                told.filter_map(|(client, asked)| {
                    Some(ClientVersion { client, version: asked.join().ok().flatten()? })
                })
                .collect()
            });
            Ok(ClientVersions { versions })
        })
        .await
    }

    pub(super) async fn plan_of_client(&self, input: PlanClient) -> Result<ClientPlan, Error> {
        let PlanClient { request_id, client, goal } = input;
        let (plan, shown) = self.with_files(move |here| planned(&here, client, goal)).await?;
        *self.planned.lock().unwrap_or_else(PoisonError::into_inner) = Some((request_id, plan));
        Ok(shown)
    }

    pub(super) async fn carry_out(&self, plan: CommandId) -> Result<(), Error> {
        let planned = {
            let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
            planned.take_if(|(id, _)| *id == plan)
        };
        let gone = || Error::new(ErrorCode::PlanGone, "what was shown is not kept any more");
        let (_, plan) = planned.ok_or_else(gone)?;
        let done = tokio::task::spawn_blocking(move || plan.apply()).await;
        done.map_err(|_| Error::from(EngineError::Closing))?.map(drop).map_err(refused)
    }

    /// Does something with files of other programs, off the threads on which others wait.
    async fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(Here) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let whereabouts = self.whereabouts.clone();
        let work = move || {
            let here = whereabouts.and_then(|whereabouts| whereabouts());
            work(here.ok_or_else(|| Error::new(ErrorCode::FolderMissing, "there is no home folder"))?)
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::from(EngineError::Closing))?
    }
}

fn shut() -> Error {
    Error::new(ErrorCode::DoorsShut, "the desk takes no questions of other programs now")
}

fn seen_as(LastAsked { channel, name, asked_at }: LastAsked) -> Seen {
    Seen { channel: channel.word().to_owned(), name, asked_at: asked_at.millis() }
}

fn read(checkup: Checkup) -> ClientRead {
    let Checkup { client, installed, files, way, limit, last_question } = checkup;
    let ours = |entry: &Entry| matches!(entry, Entry::Current | Entry::Differs | Entry::Stale | Entry::Off);
    ClientRead {
        client,
        found: installed.is_some(),
        connected: files.iter().any(|(_, standing)| ours(&standing.entry)),
        files: files.iter().map(|(_, standing)| standing.file.display().to_string()).collect(),
        way: way.into(),
        limit_seconds: limit.seconds.and_then(|seconds| u32::try_from(seconds).ok()),
        last_question: last_question.map(Timestamp::from_millis),
    }
}

fn planned(here: &Here, client: Client, goal: ClientGoal) -> Result<(Plan, ClientPlan), Error> {
    let mut notes = Vec::new();
    let plan = match goal {
        ClientGoal::Disconnected => disconnect(client, Scope::User, &here.around),
        ClientGoal::Connected => {
            let port = here.port.ok_or_else(shut)?;
            let door = as_connected(client, Scope::User, &here.around, &here.door().ok_or_else(shut)?);
            if port != USUAL_PORT {
                notes.push(ClientNote::OtherPort { port });
            }
            if client.has_hook() && door.command.is_none() {
                notes.push(ClientNote::NoCommand);
            }
            connect(client, Scope::User, &here.around, &door)
        }
    };
    let plan = plan.map_err(refused)?;
    let token = here.token();
    notes.extend(plan.notes.iter().filter_map(ClientNote::of));
    let changes = plan.changes.iter().map(|change| shown(change, token.as_ref())).collect();
    Ok((plan, ClientPlan { changes, notes }))
}

fn shown(change: &Change, token: Option<&Token>) -> ClientChange {
    let mut diff = change.diff(Tokens::Hidden);
    if let Some(token) = token {
        // Wherever else it stands, it is no business of the page.
        diff = diff.replace(token.reveal(), HIDDEN);
    }
    let cut = diff.len() > DIFF_BYTES;
    if cut {
        let whole = (0..=DIFF_BYTES).rev().find(|at| diff.is_char_boundary(*at));
        diff.truncate(whole.unwrap_or_default());
    }
    ClientChange {
        file: change.file.display().to_string(),
        becomes: match (&change.before, &change.after) {
            (None, _) => FileBecomes::Made,
            (Some(_), Some(_)) => FileBecomes::Changed,
            (Some(_), None) => FileBecomes::Removed,
        },
        diff,
        cut,
        copy: change.copy().map(|copy| copy.display().to_string()),
    }
}

fn refused(refusal: Refusal) -> Error {
    let message = format!("{refusal}; nothing was written");
    let Refusal { file, why } = refusal;
    let detail = Detail::ClientFile { file: file.display().to_string(), trouble: why.into() };
    Error::new(ErrorCode::ClientFileLeft, message).with(detail)
}
