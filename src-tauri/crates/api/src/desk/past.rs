//! The commands about the past: finding, exporting.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use askdesk_domain::{Rejection, SessionId, UnsupportedFeature};

use super::DeskApi;
use crate::dto::{ExportFormat, Exported, HistoryFound, SaveExport, SavedExport, SearchHistory, SearchHit};
use crate::error::{Detail, Error, ErrorCode};
use crate::export;

/// Why a text was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// The file, where it has a path on this machine.
    pub path: Option<PathBuf>,
    pub error: String,
}

/// The answer to a wish to save a text: the file, none if the person chose none, or why it could not be written.
pub type Saving = Pin<Box<dyn Future<Output = Result<Option<PathBuf>, Unsaved>> + Send>>;

/// Asks the person for a file and writes a text to it.
pub type Save = Arc<dyn Fn(Exported) -> Saving + Send + Sync>;

impl DeskApi {
    pub(super) async fn search(&self, input: SearchHistory) -> Result<HistoryFound, Error> {
        let found = self.engine.search(input.query, input.limit, input.offset).await?;
        let ids: Vec<SessionId> = found.hits.iter().map(|hit| hit.session).collect();
        let names = move |desk: &askdesk_domain::Desk| -> HashMap<SessionId, (String, String)> {
            let known = ids.iter().filter_map(|id| desk.session(*id));
            known.map(|session| (session.id, (session.name.clone(), session.folder.clone()))).collect()
        };
        let names = self.engine.look(names).await?;
        // A session that was deleted in between is in nobody's history any more.
        let hits = found.hits.into_iter().filter_map(|hit| {
            let (name, folder) = names.get(&hit.session)?.clone();
            let askdesk_engine::Hit { session, n, at, kind, before, matched, after } = hit;
            Some(SearchHit { session, name, folder, n, at, kind, before, matched, after })
        });
        Ok(HistoryFound { hits: hits.collect(), more: found.more })
    }

    /// Writes a whole session as a text.
    pub async fn export(&self, id: SessionId, format: ExportFormat) -> Result<Exported, Error> {
        let session = self.engine.look(move |desk| desk.session(id).cloned()).await?;
        let session = session.ok_or(Rejection::NotFound { what: "session" })?;
        let whole = self.engine.whole(id).await?;
        let text = match format {
            ExportFormat::Markdown => export::markdown::write(&session, &self.agent_name(&session), &whole),
            ExportFormat::Json => export::json::write(&session, &whole)?,
        };
        Ok(Exported { text, file_name: export::file_name(&session, format) })
    }

    pub(super) async fn save_session(&self, input: SaveExport) -> Result<SavedExport, Error> {
        self.save(self.export(input.session, input.format).await?).await
    }

    /// Writes a text to a file that the person chooses.
    pub(super) async fn save(&self, exported: Exported) -> Result<SavedExport, Error> {
        let save = self.save.as_ref().ok_or(Rejection::Unsupported { what: UnsupportedFeature::Saving })?;
        let path = save(exported).await.map_err(unsaved)?;
        Ok(SavedExport { path: path.map(|path| path.display().to_string()) })
    }
}

fn unsaved(Unsaved { path, error }: Unsaved) -> Error {
    let path = path.map(|path| path.display().to_string());
    let message = path.as_ref().map_or_else(|| error.clone(), |path| format!("{path}: {error}"));
    Error::new(ErrorCode::FileNotWritten, message).with(Detail::File { path, error })
}
