//! Connecting other programs, so that their agents can ask here.
//!
//! `change_client` carries out exactly the plan that `plan_client` showed: the API keeps the last plan.

use std::sync::{Arc, PoisonError};

use askdesk_client_config::discovery::DEFAULT_PORT;
use askdesk_client_config::{
    Change, Diagnosis, DiagnosticInput, EntryState, FileError, FileStatus, Plan, Scope, SeenClient, Token,
    TokenDisplay, as_connected, confirm, connect, diagnose, disconnect, installed_versions,
};
use askdesk_contract::*;
use askdesk_domain::{CommandId, LastAsked, Timestamp};

use askdesk_user_environment::latest;

use crate::api::{Api, blocking};
use crate::host::{ClientHost, SelfTestError};

/// The longest diff that is shown, in bytes.
const DIFF_BYTES: usize = 64 * 1024;
/// Replaces a token in a diff.
const HIDDEN: &str = "…";

impl Api {
    pub(crate) async fn test_gateway(&self) -> Result<(), Error> {
        self.host.self_test().await.map_err(|why| match why {
            SelfTestError::GatewayClosed => gateway_closed(),
            SelfTestError::Failed { error } => Error::new(ErrorCode::TestFailed, error),
        })
    }

    pub(crate) async fn read_clients(&self) -> Result<ClientsRead, Error> {
        let seen = self.engine.inspect(askdesk_domain::Desk::last_asked).await?;
        let seen: Vec<SeenClient> = seen.into_iter().map(seen_as).collect();
        self.with_files(move |here| {
            let endpoint = here.endpoint();
            let input = DiagnosticInput {
                env: &here.env,
                scopes: &[Scope::User],
                endpoint: endpoint.as_ref(),
                seen: &seen,
            };
            let mut clients: Vec<ClientRead> =
                Client::ALL.into_iter().map(|client| read(diagnose(client, &input))).collect();
            clients.sort_by_key(|client| !client.found);
            Ok(ClientsRead { port: here.port, clients })
        })
        .await
    }

    pub(crate) async fn read_client_versions(&self) -> Result<ClientVersions, Error> {
        self.with_files(|here| {
            let versions = installed_versions(&here.env).into_iter();
            let versions = versions.map(|(client, version)| ClientVersion { client, version });
            Ok(ClientVersions { versions: versions.collect() })
        })
        .await
    }

    pub(crate) async fn confirm_client(&self, client: Client) -> Result<Confirmation, Error> {
        self.with_files(move |here| {
            let endpoint = here.endpoint().ok_or_else(gateway_closed)?;
            Ok(confirm(client, &here.env, &endpoint))
        })
        .await
    }

    pub(crate) async fn plan_client(&self, input: PlanClient) -> Result<ClientPlan, Error> {
        let PlanClient { request_id, client, goal } = input;
        let (plan, shown) = self.with_files(move |here| planned(&here, client, goal)).await?;
        *self.client_plan.lock().unwrap_or_else(PoisonError::into_inner) = Some((request_id, plan));
        Ok(shown)
    }

    pub(crate) async fn change_client(&self, plan: CommandId) -> Result<(), Error> {
        let planned = {
            let mut planned = self.client_plan.lock().unwrap_or_else(PoisonError::into_inner);
            planned.take_if(|(id, _)| *id == plan)
        };
        let (_, plan) = planned.ok_or_else(plan_gone)?;
        blocking(move || plan.apply()).await?.map(drop).map_err(refused)
    }

    /// Works with other programs' files, off the async threads.
    async fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(ClientHost) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        // Other programs' files are where the variables of the user's shell say.
        latest().await;
        let host = Arc::clone(&self.host);
        let no_home = || Error::new(ErrorCode::FolderMissing, "can't find your home folder");
        blocking(move || work(host.client_host().ok_or_else(no_home)?)).await?
    }
}

pub(super) fn plan_gone() -> Error {
    Error::new(ErrorCode::PlanGone, "these changes are out of date; review them again")
}

fn gateway_closed() -> Error {
    Error::new(ErrorCode::GatewayClosed, "Askdesk isn't accepting connections; restart it")
}

fn seen_as(LastAsked { channel, name, asked_at }: LastAsked) -> SeenClient {
    SeenClient { channel: channel.word().to_owned(), name, asked_at: asked_at.millis() }
}

fn read(diagnosis: Diagnosis) -> ClientRead {
    let Diagnosis { client, installed, files, connection, limit, last_question } = diagnosis;
    let ours = |it: &FileStatus| {
        matches!(it.entry, EntryState::Current | EntryState::Differs | EntryState::Stale | EntryState::Off)
    };
    ClientRead {
        client,
        found: installed.is_some(),
        connected: files.iter().any(ours),
        files: files.iter().map(|it| it.file.display().to_string()).collect(),
        way: connection.into(),
        limit_seconds: limit.seconds.and_then(|seconds| u32::try_from(seconds).ok()),
        last_question: last_question.map(Timestamp::from_millis),
    }
}

fn planned(here: &ClientHost, client: Client, goal: ClientGoal) -> Result<(Plan, ClientPlan), Error> {
    let mut notes = Vec::new();
    let plan = match goal {
        ClientGoal::Disconnected => disconnect(client, Scope::User, &here.env),
        ClientGoal::Connected => {
            let port = here.port.ok_or_else(gateway_closed)?;
            let endpoint = here.endpoint().ok_or_else(gateway_closed)?;
            let endpoint = as_connected(client, Scope::User, &here.env, &endpoint);
            if port != DEFAULT_PORT {
                notes.push(ClientNote::OtherPort { port });
            }
            if client.has_hook() && endpoint.command.is_none() {
                notes.push(ClientNote::NoCommand);
            }
            connect(client, Scope::User, &here.env, &endpoint)
        }
    };
    let plan = plan.map_err(refused)?;
    let token = here.token();
    notes.extend(plan.notes.iter().filter_map(askdesk_client_config::Note::shown));
    let changes = plan.changes.iter().map(|change| shown(change, token.as_ref())).collect();
    Ok((plan, ClientPlan { changes, notes }))
}

pub(super) fn shown(change: &Change, token: Option<&Token>) -> ClientChange {
    let mut diff = change.diff(TokenDisplay::Hidden);
    if let Some(token) = token {
        // The page must not get the token, wherever else in the file it is.
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

pub(super) fn refused(error: FileError) -> Error {
    let message = format!("{error}; nothing was written");
    let FileError { file, kind } = error;
    let detail = Detail::ClientFile { file: file.display().to_string(), trouble: kind.into() };
    Error::new(ErrorCode::ClientFileLeft, message).with(detail)
}
