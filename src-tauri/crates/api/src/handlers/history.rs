//! Transcripts, logs and past sessions: reading, searching, exporting.

use std::collections::HashMap;

use askdesk_contract::*;
use askdesk_domain::{Desk, Origin, Rejection, Session, SessionId};

use crate::api::Api;
use crate::export;
use crate::host::SaveError;

/// Where an entry or a request of the past comes from.
#[derive(Clone)]
pub(super) struct SessionSource {
    pub name: String,
    pub folder: String,
    pub origin: Origin,
}

impl Api {
    pub(crate) async fn search_history(&self, input: SearchHistory) -> Result<HistoryFound, Error> {
        let found = self.engine.search(input.query, input.limit, input.offset).await?;
        let sessions = self.session_sources(found.hits.iter().map(|hit| hit.session)).await?;
        // A session may have been deleted since the search.
        let hits = found.hits.into_iter().filter_map(|hit| {
            let SessionSource { name, folder, .. } = sessions.get(&hit.session)?.clone();
            let askdesk_engine::Hit { session, n, at, kind, before, matched, after } = hit;
            Some(SearchHit { session, name, folder, n, at, kind, before, matched, after })
        });
        Ok(HistoryFound { hits: hits.collect(), more: found.more })
    }

    /// Looks up sessions by id; deleted ones are missing.
    pub(super) async fn session_sources(
        &self,
        ids: impl Iterator<Item = SessionId>,
    ) -> Result<HashMap<SessionId, SessionSource>, Error> {
        let ids: Vec<SessionId> = ids.collect();
        let look = move |desk: &Desk| {
            let known = ids.iter().filter_map(|id| desk.session(*id));
            let source = |session: &Session| {
                let Session { name, folder, origin, .. } = session.clone();
                (session.id, SessionSource { name, folder, origin })
            };
            known.map(source).collect()
        };
        Ok(self.engine.inspect(look).await?)
    }

    /// Exports a whole session as text.
    pub async fn export(&self, id: SessionId, format: ExportFormat) -> Result<Exported, Error> {
        let session = self.engine.inspect(move |desk| desk.session(id).cloned()).await?;
        let session = session.ok_or(Rejection::NotFound { what: "session" })?;
        let whole = self.engine.whole(id).await?;
        let text = match format {
            ExportFormat::Markdown => export::markdown::write(&session, &self.agent_name(&session), &whole),
            ExportFormat::Json => export::json::write(&session, &whole)?,
        };
        Ok(Exported { text, file_name: export::file_name(&session, format) })
    }

    pub(crate) async fn save_export(&self, input: SaveExport) -> Result<SavedExport, Error> {
        self.save(self.export(input.session, input.format).await?).await
    }

    /// Writes an export to a file that the user chooses.
    pub(super) async fn save(&self, exported: Exported) -> Result<SavedExport, Error> {
        let path = self.host.save(exported).await.map_err(not_saved)?;
        Ok(SavedExport { path: path.map(|path| path.display().to_string()) })
    }
}

fn not_saved(SaveError { path, error }: SaveError) -> Error {
    let path = path.map(|path| path.display().to_string());
    let message = path.as_ref().map_or_else(|| error.clone(), |path| format!("{path}: {error}"));
    Error::new(ErrorCode::FileNotWritten, message).with(Detail::File { path, error })
}
