//! Storage problems that the user deals with.

use crate::api::Api;
use crate::dto::*;
use crate::error::Error;

impl Api {
    pub async fn recover_database(&self, input: RecoverDatabase) -> Result<DatabaseRecovered, Error> {
        let recovered = self.engine.recover(input.kept).await?;
        Ok(DatabaseRecovered { sessions: recovered.sessions as u64, complete: recovered.complete })
    }

    pub async fn settle_storage(&self, input: SettleStorage) -> Result<Done, Error> {
        self.engine.settle_storage(input.notice).await?;
        Ok(Done {})
    }
}
