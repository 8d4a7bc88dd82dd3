//! Whether the user is signed in to an agent, and the agent's own sign-in in a terminal.

use std::env;
use std::sync::Arc;

use askdesk_agents::{Open, Start};
use askdesk_contract::*;
use askdesk_domain::{AgentFailure, AgentId, ProgramError, Rejection, SessionOptions, UnsupportedFeature};
use askdesk_engine::slow_files::{FILES_LIMIT, on_slow_files};
use askdesk_user_environment::settled;

use super::open_in::{in_terminal, not_planned};
use super::sessions::checked_options;
use crate::api::{Api, blocking};

impl Api {
    pub(crate) async fn read_sign_in(&self, input: ReadSignIn) -> Result<SignInRead, Error> {
        settled().await;
        let agent = Arc::clone(self.agent(&input.agent)?);
        let start = self.at_home(&input.agent, input.program).await?;
        let probe = on_slow_files(FILES_LIMIT, move || agent.sign_in_probe(&start)).await;
        let signed_in = match probe {
            Some(Ok(Some(probe))) => Box::pin(probe.ask()).await,
            _ => None,
        };
        Ok(SignInRead { signed_in })
    }

    pub(crate) async fn sign_in(&self, input: SignIn) -> Result<(), Error> {
        let SignIn { agent: id, program, .. } = input;
        settled().await;
        let agent = Arc::clone(self.agent(&id)?);
        let start = self.at_home(&id, program).await?;
        let name = agent.descriptor().name.clone();
        let plan = on_slow_files(FILES_LIMIT, move || agent.sign_in(&start)).await;
        let plan = plan.unwrap_or_else(|| Err(no_response(name))).map_err(not_planned)?;
        let plan = plan.ok_or(Rejection::Unsupported { what: UnsupportedFeature::SigningIn })?;
        let programs = self.programs().await?;
        let open = move || {
            let folder = plan.folder.clone();
            askdesk_open_in::start(&in_terminal(&programs, &folder, plan)?)
        };
        Ok(blocking(open).await??)
    }

    /// A start of an agent with the user's settings, in the home folder.
    async fn at_home(&self, agent: &AgentId, program: Option<String>) -> Result<Start, Error> {
        let extras = self.current_settings().await?.settings.extras(agent);
        let options = SessionOptions { program, extras, ..SessionOptions::default() };
        let options = checked_options(&options, &[])?;
        let folder = env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(env::temp_dir);
        Ok(Start { folder, options, open: Open::New })
    }
}

fn no_response(program: String) -> AgentFailure {
    let error = format!("its files didn't respond within {} seconds", FILES_LIMIT.as_secs());
    AgentFailure::NotStarted { program, problem: ProgramError::TimedOut, error }
}
