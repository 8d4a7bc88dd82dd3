//! Updates of the app, which its host carries out.

use crate::api::Api;
use crate::dto::*;
use crate::error::Error;
use crate::host::UpdateAsked;

impl Api {
    pub async fn read_update(&self, _: ReadUpdate) -> Result<UpdateRead, Error> {
        Ok(self.host.updates(UpdateAsked::Nothing).await)
    }

    /// Looks for a newer version, and returns when it has looked.
    pub async fn check_for_update(&self, _: CheckForUpdate) -> Result<UpdateRead, Error> {
        Ok(self.host.updates(UpdateAsked::Check).await)
    }

    /// Takes the next step of an update, and returns when it has begun.
    pub async fn install_update(&self, input: InstallUpdate) -> Result<UpdateRead, Error> {
        Ok(self.host.updates(UpdateAsked::Install { version: input.version }).await)
    }

    pub async fn cancel_update(&self, _: CancelUpdate) -> Result<UpdateRead, Error> {
        Ok(self.host.updates(UpdateAsked::Cancel).await)
    }

    pub async fn set_update_aside(&self, input: SetUpdateAside) -> Result<UpdateRead, Error> {
        let SetUpdateAside { version, until } = input;
        Ok(self.host.updates(UpdateAsked::SetAside { version, until }).await)
    }
}
