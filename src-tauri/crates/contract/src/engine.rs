//! What a desk knows of an engine.

use std::pin::Pin;

use crate::frame::Frame;
use crate::{EngineCall, Error, ErrorCode, Input};

/// A result that takes a while.
pub type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An engine, wherever it runs. It asks nothing of the desk.
pub trait Engine: Send + Sync {
    /// Carries out a command, and returns its output as JSON. A command that is sent again under its `requestId` is not carried
    /// out again.
    fn call(&self, call: EngineCall) -> Pending<Result<String, Error>>;

    /// Subscribes: a snapshot, then every change after it.
    fn subscribe(&self) -> Pending<Result<Box<dyn Frames>, Error>>;
}

impl dyn Engine {
    /// Carries out a command, and reads its output.
    pub async fn carry_out<I>(&self, input: I) -> Result<I::Output, Error>
    where
        I: Input + Into<EngineCall>,
    {
        let output = self.call(input.into()).await?;
        serde_json::from_str(&output).map_err(|error| Error::new(ErrorCode::Invalid, error.to_string()))
    }
}

/// The stream of an engine.
pub trait Frames: Send {
    /// Waits for the next frame; none once the engine has ended.
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<Frame>> + Send + '_>>;

    /// Takes a frame that has already come.
    fn take(&mut self) -> Option<Frame>;
}
