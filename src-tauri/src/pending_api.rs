//! The API while the engine is still opening: the window starts at once, and its first calls wait here.

use askdesk_api::{Api, Error, ErrorCode};
use tokio::sync::watch;

/// Receives the API once the engine is open.
#[derive(Clone)]
pub struct PendingApi(watch::Receiver<Option<Api>>);

pub fn channel() -> (watch::Sender<Option<Api>>, PendingApi) {
    let (sender, receiver) = watch::channel(None);
    (sender, PendingApi(receiver))
}

impl PendingApi {
    /// Waits for the API. Fails if the engine could not be opened.
    pub async fn api(&self) -> Result<Api, Error> {
        let mut receiver = self.0.clone();
        let api = receiver.wait_for(Option::is_some).await.ok().and_then(|api| api.clone());
        api.ok_or_else(|| Error::new(ErrorCode::Closing, "the app could not be opened"))
    }

    /// Returns the API if the engine is already open.
    pub fn now(&self) -> Option<Api> {
        self.0.borrow().clone()
    }
}
