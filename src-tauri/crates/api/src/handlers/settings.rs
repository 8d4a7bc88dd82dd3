//! Settings: reading and changing them, and applying those that belong to the system.

use std::sync::Arc;

use askdesk_contract::*;
use askdesk_domain::{Rejection, Setting, UndoSeconds, ValidationError};

use crate::api::{Api, blocking};

impl Api {
    pub(crate) async fn read_settings(&self) -> Result<SettingsRead, Error> {
        Ok(self.apply(self.current_settings().await?).await)
    }

    pub async fn change_setting(&self, change: Setting) -> Result<SettingsRead, Error> {
        self.check_agent_setting(&change)?;
        let changed = self.store_setting(change).await?;
        Ok(self.apply(changed).await)
    }

    pub(super) async fn store_setting(&self, change: Setting) -> Result<askdesk_engine::ReadSettings, Error> {
        let (settings, now) = (Arc::clone(&self.settings), self.engine.clock().now());
        let changed = blocking(move || settings.change(&change, now)).await?;
        changed.map_err(|error| {
            let path = Some(error.path.display().to_string());
            let file = Detail::File { path, error: error.source.to_string() };
            Error::new(ErrorCode::SettingsNotWritten, error.to_string()).with(file)
        })
    }

    /// Reads the settings file again, because it may have been edited by hand.
    pub(super) async fn current_settings(&self) -> Result<askdesk_engine::ReadSettings, Error> {
        let settings = Arc::clone(&self.settings);
        blocking(move || settings.read()).await
    }

    /// Checks the rules of a setting that only the agent knows.
    fn check_agent_setting(&self, change: &Setting) -> Result<(), Error> {
        let (agent, arguments) = match change {
            Setting::AgentArguments { agent, arguments } => (agent, Some(arguments)),
            Setting::AgentEnvironment { agent, .. } => (agent, None),
            _ => return Ok(()),
        };
        let reserved = self.engine.agents().get(agent).and_then(|agent| agent.reserved_flags());
        let reserved = reserved.ok_or_else(|| {
            Error::from(Rejection::invalid(
                "change.value.agent",
                "no such agent takes anything from the settings",
            ))
        })?;
        let checked = arguments.map_or(Ok(()), |arguments| reserved.check(arguments));
        checked.map_err(|flaw| {
            Rejection::invalid("change.value.arguments", ValidationError::Unfit { flaw }).into()
        })
    }

    pub(crate) fn undo_seconds(&self) -> UndoSeconds {
        self.settings.watch().borrow().undo_seconds
    }

    /// Reads the settings, without asking the system what it did not apply.
    pub(super) async fn settings_in_force(&self) -> Result<SettingsRead, Error> {
        Ok(self.with_places(self.current_settings().await?))
    }

    async fn apply(&self, read: askdesk_engine::ReadSettings) -> SettingsRead {
        let read = self.with_places(read);
        SettingsRead { unmet: self.host.apply_system_settings(&read.settings).await, ..read }
    }

    fn with_places(&self, read: askdesk_engine::ReadSettings) -> SettingsRead {
        let askdesk_engine::ReadSettings { settings, ignored } = read;
        let file = self.settings.path().display().to_string();
        let home = std::env::home_dir().map(|home| home.display().to_string());
        SettingsRead { settings, ignored, unmet: Vec::new(), file, home }
    }
}
