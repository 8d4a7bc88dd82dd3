//! Deleting what the person's settings keep no longer.

use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{RetentionDays, SessionId, retention};

use super::Sessions;
use crate::settings::SettingsFile;
use crate::writer::EngineError;

/// How often it is looked for what is due.
pub const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long to wait after a deletion: each writes the database anew, and a question must not wait for all of them.
const PAUSE: Duration = Duration::from_secs(1);

impl Sessions {
    /// Deletes for good what is due, and returns what was deleted.
    pub async fn delete_due(&self, keep: RetentionDays) -> Result<Vec<SessionId>, EngineError> {
        let now = self.engine.source().now();
        let due = self.engine.look(move |desk| retention::due(keep, desk, now)).await?;
        let mut deleted = Vec::new();
        for id in due {
            if !deleted.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
            // The person may have come back to it meanwhile.
            let look = self.engine.look(move |desk| {
                desk.session(id).is_some_and(|session| retention::is_due(keep, desk, session, now))
            });
            if look.await? {
                self.delete(id).await?;
                deleted.push(id);
            }
        }
        Ok(deleted)
    }

    /// Deletes what is due by the settings, now and then again and again, until the engine closes. A file of settings
    /// that cannot be read keeps everything.
    pub async fn delete_due_every(&self, period: Duration, settings: Arc<SettingsFile>) {
        loop {
            let file = Arc::clone(&settings);
            let Ok(read) = tokio::task::spawn_blocking(move || file.read()).await else { return };
            match self.delete_due(read.settings.keep_days).await {
                Ok(deleted) if deleted.is_empty() => {}
                Ok(deleted) => tracing::info!(sessions = deleted.len(), "deleted what is kept no longer"),
                Err(EngineError::Closing) => return,
                Err(error) => tracing::warn!(%error, "what is kept no longer could not be deleted"),
            }
            tokio::time::sleep(period).await;
        }
    }
}
