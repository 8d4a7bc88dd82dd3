//! Sessions: starting, resuming, stopping, and what can be changed about them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::{Agent, Open, Start, expand_home};
use askdesk_contract::*;
use askdesk_domain::{
    Choices, ConfigCategory, ConfigOption, FolderError, NamedBy, Rejection, Session, SessionId,
    SessionOptions, ValidationError, ValueId,
};
use askdesk_engine::slow_files::{FILES_LIMIT, on_slow_files};
use askdesk_engine::{Before, Beginning, ConfigChange, SessionCall, StartSpec, private};

use super::open_in::not_planned;
use crate::api::{Api, blocking};

/// The longest program path, folder or typed value of a config option, in bytes.
const NAME_BYTES: usize = 4_096;

/// The longest model name, in bytes.
const MODEL_BYTES: usize = 256;

/// How long the agent's own command may take to end its process in the background.
const END_LIMIT: Duration = Duration::from_secs(20);

/// How many sessions that were begun elsewhere are listed.
const OWN_SESSIONS_SHOWN: usize = 50;

impl Api {
    pub(crate) async fn fork_session(&self, input: ForkSession) -> Result<Session, Error> {
        let ForkSession { session: source, before, put_back, .. } = input;
        let before = before.map(|message| Before { message, put_back });
        let known = self.engine.session(source).await?;
        let agent = known.origin.agent().ok_or(Rejection::SessionGone)?;
        let set = self.current_settings().await?.settings.extras(agent);
        let id = self.engine.clock().session_id();
        Ok(Box::pin(self.sessions.fork(source, before, id, &set)).await?)
    }

    pub(crate) async fn list_own_sessions(&self, input: ListOwnSessions) -> Result<OwnSessionsFound, Error> {
        let agent = self.agent(&input.agent)?;
        let folder = working_folder(Some(input.folder), Arc::clone(agent)).await?;
        let extras = self.current_settings().await?.settings.extras(&input.agent);
        let options = SessionOptions { program: input.program, extras, ..SessionOptions::default() };
        let options = checked_options(&options, &[])?;
        let start = Start { folder, options, open: Open::New };
        let (sessions, problem) = match Box::pin(self.sessions.list_own(&input.agent, start)).await? {
            Ok(sessions) => (sessions, None),
            Err(why) => (Vec::new(), Some(why.into())),
        };
        let shown = sessions.into_iter().take(OWN_SESSIONS_SHOWN).map(|session| OwnSession {
            native_session: session.native_session,
            title: session.title,
            updated_at: session.updated_at,
        });
        Ok(OwnSessionsFound { sessions: shown.collect(), problem })
    }

    pub(crate) async fn change_folder(&self, input: ChangeFolder) -> Result<Session, Error> {
        let ChangeFolder { session, folder, .. } = input;
        let known = self.engine.session(session).await?;
        let agent = self.agent(known.origin.agent().ok_or(Rejection::SessionGone)?)?;
        if folder.trim().is_empty() {
            return Err(Rejection::invalid("folder", ValidationError::NoFolder).into());
        }
        let folder = working_folder(Some(folder), Arc::clone(agent)).await?;
        Ok(self.sessions.change_folder(session, folder).await?)
    }

    pub(crate) async fn resume_session(&self, input: ResumeSession) -> Result<Session, Error> {
        let known = self.engine.session(input.session).await?;
        if input.end_in_background {
            Box::pin(self.end_in_background(&known)).await?;
        }
        Box::pin(self.resume(&known)).await
    }

    pub(crate) async fn set_config(&self, input: SetConfig) -> Result<(), Error> {
        let SetConfig { session, option, value, .. } = input;
        let known = self.engine.session(session).await?;
        let option = known.config.into_iter().find(|known| known.id == option);
        let option = option.ok_or_else(|| Rejection::invalid("option", "the session has no such option"))?;
        if !option.live {
            return Err(Rejection::invalid("option", "it can only be chosen when a session starts").into());
        }
        let value = config_value(&option, &value, "value")?
            .ok_or_else(|| Error::from(Rejection::invalid("value", ValidationError::Empty)))?;
        let change = SessionCall::SetConfig(ConfigChange { option: option.id, value });
        Ok(self.sessions.call(session, change).await?)
    }

    pub(crate) async fn start_session(&self, input: StartSession) -> Result<Session, Error> {
        let agent = self.agent(&input.agent)?;
        let options = checked_options(&input.options, &agent.descriptor().config)?;
        let prompt = askdesk_domain::attachment::message_text(input.prompt.as_deref(), "prompt")?;
        let folder = working_folder(input.folder, Arc::clone(agent)).await?;
        if options.extras != self.current_settings().await?.settings.extras(&input.agent) {
            let message = "the settings for this agent have changed since they were shown";
            return Err(Error::new(ErrorCode::ExtrasChanged, message));
        }
        let continues = input.continues;
        if continues.is_some() && agent.own_sessions().is_none() {
            return Err(Rejection::invalid(
                "continues",
                "the agent can't continue a session begun elsewhere",
            )
            .into());
        }
        if continues.is_some() && input.worktree.is_some() {
            // The agent finds it only in its own folder.
            return Err(Rejection::invalid("continues", "it can't be continued in a new worktree").into());
        }
        let id = self.engine.clock().session_id();
        let repository = folder.clone();
        let (folder, worktree, make) = match input.worktree {
            Some(wanted) => {
                let (folder, worktree, make) = self.prepare_worktree(folder, wanted).await?;
                (folder, Some(Box::new(worktree)), make)
            }
            None => (folder, None, None),
        };
        let chosen = input.name.filter(|name| !name.trim().is_empty());
        let (name, named_by) = match (chosen, agent.own_folder()) {
            (Some(name), _) => (name, NamedBy::User),
            // The name of the agent's own folder says nothing about the session.
            (None, Some(_)) => (agent.descriptor().name.clone(), NamedBy::Agent),
            // The branch says which worktree it is.
            (None, None) => (folder_name(&repository), NamedBy::Folder),
        };
        let beginning =
            continues.map_or(Beginning::Nothing, |native_session| Beginning::Elsewhere { native_session });
        let spec = StartSpec {
            agent: input.agent,
            name,
            named_by,
            folder,
            options,
            prompt,
            worktree,
            make,
            beginning,
        };
        Ok(Box::pin(self.sessions.start(id, spec)).await?)
    }

    /// Resumes an ended session with the options it was started with.
    async fn resume(&self, session: &Session) -> Result<Session, Error> {
        let agent = session.origin.agent().ok_or(Rejection::SessionGone)?;
        let set = self.current_settings().await?.settings.extras(agent);
        Ok(self.sessions.resume(session.id, &set).await?)
    }

    /// Ends the agent's own process that holds a session. Whether that has worked is seen when the session is resumed.
    async fn end_in_background(&self, session: &Session) -> Result<(), Error> {
        let agent = session.origin.agent().ok_or(Rejection::SessionGone)?;
        let set = self.current_settings().await?.settings.extras(agent);
        let plan =
            self.sessions.plan_own(session, &set, |agent, start| agent.end_in_background(start)).await?;
        if let Some(plan) = plan.map_err(not_planned)? {
            let said = blocking(move || plan.answer(END_LIMIT)).await?;
            tracing::info!(?said, "the agent's own process was told to end");
        }
        Ok(())
    }

    /// Resumes a session if it has ended and can be resumed, so that a message reaches a running agent.
    pub(super) async fn wake(&self, session: SessionId) -> Result<(), Error> {
        let known = self.engine.session(session).await?;
        if known.resumable {
            Box::pin(self.resume(&known)).await?;
        }
        Ok(())
    }
}

/// Returns the folder to work in, which exists; an agent that needs none has one of its own.
async fn working_folder(given: Option<String>, agent: Arc<dyn Agent>) -> Result<PathBuf, Error> {
    let shown = given.clone();
    let found = on_slow_files(FILES_LIMIT, move || found_folder(given.as_deref(), &*agent)).await;
    found.unwrap_or_else(|| {
        let problem = FolderError::TimedOut { seconds: FILES_LIMIT.as_secs() };
        Err(folder_error(&expand_home(shown.as_deref().unwrap_or_default().trim()), problem))
    })
}

fn found_folder(given: Option<&str>, agent: &dyn Agent) -> Result<PathBuf, Error> {
    if let Some(folder) = given.filter(|folder| folder.len() > NAME_BYTES) {
        return Err(Rejection::invalid("folder", too_long(NAME_BYTES, folder)).into());
    }
    let given = given.map(str::trim).filter(|folder| !folder.is_empty());
    let folder = match (given, agent.own_folder()) {
        (Some(folder), _) => expand_home(folder),
        (None, Some(own)) => {
            private::create_folder(own).map_err(|error| folder_error(own, FolderError::of(&error)))?;
            own.to_owned()
        }
        (None, None) => return Err(Rejection::invalid("folder", ValidationError::NoFolder).into()),
    };
    if !folder.is_absolute() {
        return Err(folder_error(&folder, FolderError::NotAbsolute));
    }
    match std::fs::metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => Ok(folder),
        Ok(_) => Err(folder_error(&folder, FolderError::NotAFolder)),
        Err(error) => Err(folder_error(&folder, FolderError::of(&error))),
    }
}

/// Checks the options of a new session. Blank texts count as none.
pub(super) fn checked_options(
    options: &SessionOptions,
    config: &[ConfigOption],
) -> Result<SessionOptions, Error> {
    let mut chosen = Choices::new();
    for (id, value) in &options.config {
        let field = format!("options.config.{id}");
        let option = config.iter().find(|option| option.id == *id);
        let option = option.ok_or_else(|| Rejection::invalid(&field, "the agent has no such option"))?;
        if let Some(value) = config_value(option, value.as_str(), &field)? {
            chosen.insert(id.clone(), value);
        }
    }
    let program = options.program.as_deref().map(str::trim).filter(|program| !program.is_empty());
    if let Some(program) = program.filter(|program| program.len() > NAME_BYTES) {
        return Err(Rejection::invalid("options.program", too_long(NAME_BYTES, program)).into());
    }
    Ok(SessionOptions { config: chosen, program: program.map(str::to_owned), ..options.clone() })
}

/// Checks the value of a config option; returns none if it is blank. Free text must not start with `-`, because a command
/// line would read it as a flag.
fn config_value(option: &ConfigOption, value: &str, field: &str) -> Result<Option<ValueId>, Error> {
    let value = value.trim();
    if value.is_empty() {
        return Ok(None);
    }
    if let Some(listed) = option.values.iter().find(|listed| listed.id.as_str() == value) {
        return Ok(Some(listed.id.clone()));
    }
    if !option.free_text {
        return Err(Rejection::invalid(field, "the option has no such value").into());
    }
    let most = if option.category == ConfigCategory::Model { MODEL_BYTES } else { NAME_BYTES };
    if value.len() > most {
        return Err(Rejection::invalid(field, too_long(most, value)).into());
    }
    let id = if value.starts_with('-') { None } else { ValueId::new(value) };
    id.map(Some).ok_or_else(|| Rejection::invalid(field, ValidationError::NoModel).into())
}

fn too_long(most: usize, text: &str) -> ValidationError {
    ValidationError::TooLong { most, bytes: text.len() }
}

fn folder_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    name.to_string_lossy().into_owned()
}

pub(super) fn folder_error(folder: &Path, problem: FolderError) -> Error {
    let path = folder.display().to_string();
    let error = Error::new(ErrorCode::FolderMissing, format!("{path}: {problem}"));
    Error { field: Some("folder".to_owned()), ..error.with(Detail::Folder { path, problem }) }
}
