//! The changed files of a session.

use std::path::PathBuf;

use askdesk_contract::*;
use askdesk_domain::{Rejection, SessionId};

use crate::api::Api;

/// The longest id or version of a changed file, in bytes. A path has at most 4096, each written as up to three.
const ID_BYTES: usize = 16 * 1024;

impl Api {
    pub(crate) async fn list_changes(&self, session: SessionId) -> Result<ChangedFiles, Error> {
        let folder = self.folder_of(session).await?;
        Ok(self.engine.changes().list(session, &folder).await?)
    }

    pub(crate) async fn read_change(&self, input: ReadChange) -> Result<FileChange, Error> {
        let ReadChange { session, id, version } = input;
        check_id(&id, &version)?;
        let folder = self.folder_of(session).await?;
        Ok(self.engine.changes().read(session, &folder, id, version).await?)
    }

    pub(crate) async fn revert_change(&self, input: RevertChange) -> Result<(), Error> {
        let RevertChange { session, id, version, part, .. } = input;
        check_id(&id, &version)?;
        let folder = self.folder_of(session).await?;
        Ok(self.engine.changes().revert(session, &folder, id, version, part).await?)
    }

    async fn folder_of(&self, session: SessionId) -> Result<PathBuf, Error> {
        Ok(PathBuf::from(self.engine.session(session).await?.folder))
    }
}

fn check_id(id: &str, version: &str) -> Result<(), Error> {
    for (field, text) in [("id", id), ("version", version)] {
        if text.len() > ID_BYTES {
            return Err(Rejection::invalid(field, format!("is longer than {ID_BYTES} bytes")).into());
        }
    }
    Ok(())
}
