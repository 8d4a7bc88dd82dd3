//! The desk while it is being opened: the window comes up at once, and what it asks waits until the journal is read.

use askdesk_api::{Api, Error, ErrorCode};
use tokio::sync::watch;

pub struct Opening(watch::Receiver<Option<Api>>);

/// Puts the desk where everybody waits for it.
pub struct Opener(watch::Sender<Option<Api>>);

/// Makes both ends.
pub fn opening() -> (Opener, Opening) {
    let (put, wait) = watch::channel(None);
    (Opener(put), Opening(wait))
}

impl Opener {
    pub fn open(&self, desk: Api) {
        self.0.send_replace(Some(desk));
    }
}

impl Opening {
    /// Waits for the desk; an error if it will never be open.
    pub async fn desk(&self) -> Result<Api, Error> {
        let mut wait = self.0.clone();
        let desk = wait.wait_for(Option::is_some).await.ok().and_then(|desk| desk.clone());
        desk.ok_or_else(|| Error::new(ErrorCode::Closing, "the app could not be opened"))
    }

    /// Returns the desk if it is open.
    pub fn now(&self) -> Option<Api> {
        self.0.borrow().clone()
    }
}
