//! What the composer offers while a message is written.

use std::path::PathBuf;

use askdesk_contract::*;
use askdesk_domain::{FolderError, Rejection};
use askdesk_engine::slow_files::{FILES_LIMIT, on_slow_files};
use askdesk_file_search::FoundFiles;

use crate::api::Api;
use crate::handlers::sessions::folder_error;

impl Api {
    pub(crate) async fn find_files(&self, input: FindFiles) -> Result<FilesFound, Error> {
        let FindFiles { session, query, limit } = input;
        if query.chars().count() > FILE_QUERY_CHARS {
            return Err(
                Rejection::invalid("query", format!("is longer than {FILE_QUERY_CHARS} characters")).into()
            );
        }
        let folder = PathBuf::from(self.engine.session(session).await?.folder);
        let (files, most) = (self.files.clone(), usize::try_from(limit).unwrap_or(usize::MAX));
        let find = {
            let folder = folder.clone();
            move || files.find(&folder, &query, most)
        };
        match on_slow_files(FILES_LIMIT, find).await {
            Some(FoundFiles { paths, is_cut, is_reading }) => Ok(FilesFound { paths, is_cut, is_reading }),
            None => Err(folder_error(&folder, FolderError::TimedOut { seconds: FILES_LIMIT.as_secs() })),
        }
    }
}
