//! Deletes past sessions according to the retention setting.

use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{RetentionDays, retention};

use super::Sessions;
use crate::error::EngineError;
use crate::settings::SettingsFile;

/// The interval between checks for sessions to delete.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

impl Sessions {
    /// Deletes the sessions that are due, and counts them.
    async fn delete_due(&self, keep: RetentionDays) -> Result<usize, EngineError> {
        let now = self.engine.clock().now();
        let due = self.engine.inspect(move |desk| retention::due(keep, desk, now)).await?;
        let mut deleted = 0;
        for id in due {
            // The user may have resumed it meanwhile.
            let still_due = self.engine.inspect(move |desk| {
                desk.session(id).is_some_and(|session| retention::is_due(keep, desk, session, now))
            });
            if still_due.await? {
                self.delete(id).await?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    /// Deletes due sessions, now and once a day, until the engine closes. If the settings can't be read, everything is
    /// kept.
    pub async fn delete_due_daily(&self, settings: Arc<SettingsFile>) {
        loop {
            let file = Arc::clone(&settings);
            let Ok(read) = tokio::task::spawn_blocking(move || file.read()).await else { return };
            match self.delete_due(read.settings.keep_days).await {
                Ok(0) => {}
                Ok(deleted) => tracing::info!(sessions = deleted, "deleted past sessions"),
                Err(EngineError::Closing) => return,
                Err(error) => tracing::warn!(%error, "past sessions could not be deleted"),
            }
            let clock = self.engine.clock();
            clock.wait_until(clock.after(EVERY)).await;
        }
    }
}
