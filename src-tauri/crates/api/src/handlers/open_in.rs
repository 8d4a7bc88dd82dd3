//! Opening folders and files in other programs, and continuing a session in a terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_agents::LaunchPlan;
use askdesk_contract::*;
use askdesk_domain::{
    AgentFailure, AgentId, MachineId, OpenError, Program, Rejection, Session, UnsupportedFeature,
    ValidationError,
};
use askdesk_open_in::{Launch, PATH_BYTES, Programs, Target};

use crate::api::{Api, blocking};

impl Api {
    pub(crate) async fn list_programs(&self) -> Result<ProgramsFound, Error> {
        let programs = self.programs().await?;
        blocking(move || ProgramsFound { programs: programs.found() }).await
    }

    pub(crate) async fn open_in(&self, input: OpenIn) -> Result<(), Error> {
        if let Some(path) = input.path.as_deref().filter(|path| path.len() > PATH_BYTES) {
            let rule = ValidationError::TooLong { most: PATH_BYTES, bytes: path.len() };
            return Err(Rejection::invalid("path", rule).into());
        }
        let folder = folder_of(&self.engine.session(input.session).await?);
        let OpenIn { path, line, program, .. } = input;
        let (programs, host) = (self.programs().await?, Arc::clone(&self.host));
        let open = move || {
            let target = Target::find(&folder, path.as_deref(), line)?;
            match program {
                Program::FileManager => {
                    host.reveal(target.path()).map_err(|error| OpenError::FileManager { error })
                }
                program => askdesk_open_in::start(&programs.open(program, &target)?),
            }
        };
        Ok(blocking(open).await??)
    }

    pub(crate) async fn continue_in_terminal(&self, input: ContinueInTerminal) -> Result<(), Error> {
        let session = &self.engine.session(input.session).await?;
        let agent = session.origin.agent().ok_or(Rejection::SessionGone)?;
        let set = self.current_settings().await?.settings.extras(agent);
        let plan = self
            .sessions
            .plan_own(session, &set, |agent, start| {
                agent.continue_in_terminal().map_or(Ok(None), |plan| plan(start))
            })
            .await?
            .map_err(not_planned)?;
        let plan = plan.ok_or_else(|| self.not_continued(agent))?;
        if session.is_running() && !input.end_running {
            return Err(Rejection::invalid("endRunning", ValidationError::StillRunning).into());
        }
        let (programs, folder) = (self.programs().await?, folder_of(session));
        let planned = move || {
            Target::find(&folder, None, None)?;
            in_terminal(&programs, &folder, plan)
        };
        let launch = blocking(planned).await??;
        if session.is_running() {
            self.sessions.stop(session.id).await?;
        }
        Ok(blocking(move || askdesk_open_in::start(&launch)).await??)
    }

    /// Says why the agent planned nothing.
    fn not_continued(&self, agent: &AgentId) -> Error {
        match self.agent(agent) {
            Ok(agent) if agent.continue_in_terminal().is_some() => OpenError::NothingToContinue.into(),
            Ok(_) => Rejection::Unsupported { what: UnsupportedFeature::ContinuingInTerminal }.into(),
            Err(error) => error,
        }
    }

    pub(super) async fn programs(&self) -> Result<Programs, Error> {
        let settings = self.current_settings().await?.settings;
        Ok(Programs::new(self.host.program_search(), settings))
    }
}

/// Plans an agent's program in the user's terminal. May block.
pub(super) fn in_terminal(programs: &Programs, folder: &Path, plan: LaunchPlan) -> Result<Launch, OpenError> {
    let launch = programs.run_in_terminal(folder, &plan.program, &plan.args)?;
    Ok(Launch { env: plan.env, env_remove: plan.env_remove, ..launch })
}

/// The agent's program can't be run in a terminal.
pub(super) fn not_planned(why: AgentFailure) -> Error {
    Error::new(ErrorCode::NotOpened, why.to_string()).with(Detail::Agent { why })
}

/// Returns the session's folder; a session of another computer has none here.
fn folder_of(session: &Session) -> PathBuf {
    let here = session.origin.machine == MachineId::LOCAL;
    if here { PathBuf::from(&session.folder) } else { PathBuf::new() }
}
