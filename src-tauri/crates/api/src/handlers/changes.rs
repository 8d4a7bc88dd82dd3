//! The changed files of a session.

use std::path::PathBuf;

use askdesk_changes::{RevertRefused, Unavailable};
use askdesk_domain::{Rejection, SessionId};

use crate::api::Api;
use crate::dto::*;
use crate::error::{Detail, Error, ErrorCode};

/// The longest id or version of a changed file, in bytes. A path has at most 4096, each written as up to three.
const ID_BYTES: usize = 16 * 1024;

impl Api {
    pub async fn list_changes(&self, input: ListChanges) -> Result<ChangedFiles, Error> {
        let folder = self.folder_of(input.session).await?;
        Ok(self.engine.changes().list(input.session, &folder).await?)
    }

    pub async fn read_change(&self, input: ReadChange) -> Result<FileChange, Error> {
        let ReadChange { session, id, version } = input;
        check_id(&id, &version)?;
        let folder = self.folder_of(session).await?;
        Ok(self.engine.changes().read(session, &folder, id, version).await?)
    }

    pub async fn revert_change(&self, input: RevertChange) -> Result<Done, Error> {
        let RevertChange { request_id, session, id, version, part } = input;
        check_id(&id, &version)?;
        let folder = self.folder_of(session).await?;
        let revert = self.engine.changes().revert(session, &folder, id, version, part);
        self.run_once(request_id, "revert_change", revert).await
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

impl From<Unavailable> for Error {
    fn from(why: Unavailable) -> Self {
        Self::new(ErrorCode::ChangesUnavailable, why.to_string()).with(Detail::Changes { why })
    }
}

impl From<RevertRefused> for Error {
    fn from(why: RevertRefused) -> Self {
        match why {
            RevertRefused::Unavailable { why } => why.into(),
            why => Self::new(ErrorCode::NotReverted, why.to_string()).with(Detail::NotReverted { why }),
        }
    }
}
