//! An engine behind JSON: each call and each frame is written and read again, as on the way to another machine.

use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frame::Frame;
use crate::{Call, Engine, EngineCall, Error, ErrorCode, Frames, Pending};

/// Passes on what it has written and read.
pub struct InJson(pub Arc<dyn Engine>);

impl Engine for InJson {
    fn call(&self, call: EngineCall) -> Pending<Result<String, Error>> {
        let engine = Arc::clone(&self.0);
        Box::pin(async move {
            let name = call.name();
            let input = call.input().map_err(lost)?.to_string();
            let input = serde_json::from_str(&input).map_err(lost)?;
            let read = Call::read(name, input).ok_or_else(|| lost(name))??;
            if read != Call::Engine(call.clone()) {
                return Err(lost(format!("{call:?} was read as {read:?}")));
            }
            match engine.call(call).await {
                Ok(output) => EngineCall::retype(name, &output).map_err(lost),
                Err(error) => Err(again(&error).map_err(lost)?),
            }
        })
    }

    fn subscribe(&self) -> Pending<Result<Box<dyn Frames>, Error>> {
        let engine = Arc::clone(&self.0);
        Box::pin(async move { Ok(Box::new(FramesInJson(engine.subscribe().await?)) as Box<dyn Frames>) })
    }
}

/// Frames behind JSON.
pub struct FramesInJson(pub Box<dyn Frames>);

impl Frames for FramesInJson {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<Frame>> + Send + '_>> {
        Box::pin(async { self.0.next().await.and_then(|frame| frame_again(&frame)) })
    }

    fn take(&mut self) -> Option<Frame> {
        self.0.take().and_then(|frame| frame_again(&frame))
    }
}

/// Ends the stream at a frame that doesn't come back as it was.
fn frame_again(frame: &Frame) -> Option<Frame> {
    let read = again(frame).inspect_err(|error| tracing::error!(%error, ?frame, "a frame can't be read"));
    read.ok().filter(|read| read == frame)
}

fn again<T: Serialize + DeserializeOwned>(value: &T) -> serde_json::Result<T> {
    serde_json::from_str(&serde_json::to_string(value)?)
}

fn lost(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::Invalid, format!("it did not cross the line as JSON: {error}"))
}
