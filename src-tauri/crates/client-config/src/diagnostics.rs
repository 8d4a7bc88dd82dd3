//! Finds out whether a client's questions reach Askdesk, for `askdesk doctor` and for the settings.

use std::path::PathBuf;

use crate::client_match::{SeenClient, last_question};
use crate::entries::Endpoint;
use crate::env::Env;
use crate::error::FileErrorKind;
use crate::scope::Scope;
use crate::status::{
    EntryState, FileStatus, Installed, WaitLimit, file_statuses, installed, obstacles, wait_limit,
};
use askdesk_contract::{Client, Obstacle};

/// What a diagnosis looks at.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticInput<'a> {
    /// Where the user's files are.
    pub env: &'a Env,
    pub scopes: &'a [Scope],
    /// What the entries should say. If it isn't known, files aren't looked at.
    pub endpoint: Option<&'a Endpoint>,
    /// The clients that have asked, according to Askdesk.
    pub seen: &'a [SeenClient],
}

/// The diagnosis of one client. Its version isn't part of it, because that takes running a program.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    pub client: Client,
    /// How it was recognized, if it is installed.
    pub installed: Option<Installed>,
    /// The state of each of its files.
    pub files: Vec<FileStatus>,
    /// Whether questions arrive while Askdesk runs.
    pub connection: ConnectionState,
    /// How long a question can wait.
    pub limit: WaitLimit,
    /// When it last asked, in milliseconds since 1970.
    pub last_question: Option<i64>,
}

/// Whether a client's questions reach Askdesk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    Works {
        but: Vec<Obstacle>,
    },
    Broken(ConnectionProblem),
    /// The client was never connected.
    NotConnected,
}

/// Why questions don't arrive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionProblem {
    #[error("the port or token in {} is wrong or missing", .0.display())]
    Stale(PathBuf),
    #[error("Askdesk is turned off in {}", .0.display())]
    Disabled(PathBuf),
    #[error("{} already has a different entry named askdesk", .0.display())]
    Foreign(PathBuf),
    #[error("can't use {}: {kind}", file.display())]
    Unusable { file: PathBuf, kind: FileErrorKind },
    /// The entry is in another of the client's files, and missing in this one.
    #[error("{} has no Askdesk entry", .0.display())]
    Incomplete(PathBuf),
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
}

pub fn diagnose(client: Client, input: &DiagnosticInput<'_>) -> Diagnosis {
    let DiagnosticInput { env, scopes, endpoint, seen } = *input;
    let of = |endpoint| scopes.iter().flat_map(move |scope| file_statuses(client, *scope, env, endpoint));
    let files: Vec<FileStatus> = endpoint.into_iter().flat_map(of).collect();
    Diagnosis {
        client,
        installed: installed(client, env),
        connection: connection(client, input, &files),
        files,
        limit: wait_limit(client),
        last_question: last_question(client, seen),
    }
}

fn connection(client: Client, input: &DiagnosticInput<'_>, files: &[FileStatus]) -> ConnectionState {
    let of = |scope| files.iter().filter(move |it| it.scope == scope);
    let works = |it: &FileStatus| matches!(it.entry, EntryState::Current | EntryState::Differs);
    let by_hand = |it: &FileStatus| it.entry == EntryState::ByHand;
    let is_connected = |scope: &&Scope| {
        // A user who wrote one of the entries may not want the others.
        let is_fine = |it: &FileStatus| works(it) || by_hand(it) || it.entry == EntryState::Absent;
        of(**scope).any(by_hand) && of(**scope).all(is_fine)
            || of(**scope).count() > 0 && of(**scope).all(works)
    };
    let Some(scope) = input.scopes.iter().find(is_connected) else {
        let faulty = files.iter().find(|it| it.entry != EntryState::Absent && !works(it));
        let partial = input.scopes.iter().find(|scope| of(**scope).any(works));
        let missing = partial.and_then(|scope| of(*scope).find(|it| it.entry == EntryState::Absent));
        return match faulty.or(missing) {
            None => ConnectionState::NotConnected,
            Some(status) => ConnectionState::Broken(ConnectionProblem::of(status)),
        };
    };
    let mut but = obstacles(client, input.scopes, input.env);
    match but.iter().find(|it| **it == Obstacle::Denied) {
        Some(denied) => ConnectionState::Broken((*denied).into()),
        None => {
            but.extend(of(*scope).any(|it| it.entry == EntryState::Differs).then_some(Obstacle::Differs));
            but.extend(of(*scope).any(by_hand).then_some(Obstacle::ByHand));
            ConnectionState::Works { but }
        }
    }
}

impl ConnectionProblem {
    fn of(FileStatus { file, entry, .. }: &FileStatus) -> Self {
        let file = file.clone();
        match entry {
            EntryState::Stale | EntryState::Differs | EntryState::Current => Self::Stale(file),
            EntryState::Off => Self::Disabled(file),
            // An entry written by hand gets here only if something else is wrong too.
            EntryState::ByHand | EntryState::Foreign => Self::Foreign(file),
            EntryState::Unusable { why } => Self::Unusable { file, kind: why.clone() },
            EntryState::Absent => Self::Incomplete(file),
        }
    }
}
