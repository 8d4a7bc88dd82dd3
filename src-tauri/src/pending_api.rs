//! The API while the engine is still opening: the window starts at once, and its first calls wait here.

use std::sync::Arc;

use askdesk_api::Api;
use askdesk_contract::{Engine, Error, ErrorCode, Frames, FramesInJson, InJson};
use askdesk_engine::Subscription;
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

/// Says that the engine is behind JSON, as if it were on another machine. Only a debug build looks at it.
const ENGINE: &str = "ASKDESK_ENGINE";

/// Returns the engine as a desk knows it.
pub fn line(api: &Api) -> Arc<dyn Engine> {
    let engine: Arc<dyn Engine> = Arc::new(api.clone());
    if is_in_json() { Arc::new(InJson(engine)) } else { engine }
}

/// Returns an engine's frames as a desk gets them.
pub fn frames(frames: Subscription) -> Box<dyn Frames> {
    let frames: Box<dyn Frames> = Box::new(frames);
    if is_in_json() { Box::new(FramesInJson(frames)) } else { frames }
}

fn is_in_json() -> bool {
    cfg!(debug_assertions) && std::env::var_os(ENGINE).is_some_and(|engine| engine == "json")
}
