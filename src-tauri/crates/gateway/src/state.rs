//! What all routes share.

use std::sync::Arc;
use std::time::Instant;

use askdesk_engine::{EngineError, EngineHandle, InboundCalls};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access_tokens::AccessTokens;
use crate::connections::Connections;
use crate::hook_dialogs::HookDialogs;
use crate::metrics::Metrics;
use crate::rate_limit::{OpenQuestion, RateLimitError, RateLimits};
use crate::timeouts::Timeouts;

/// The state that all routes share.
pub struct GatewayState {
    pub(crate) engine: EngineHandle,
    pub(crate) inbound: InboundCalls,
    pub(crate) connections: Arc<Connections>,
    pub(crate) rate_limits: RateLimits,
    pub(crate) hook_dialogs: HookDialogs,
    pub(crate) timeouts: Timeouts,
    pub(crate) tokens: AccessTokens,
    pub(crate) metrics: Metrics,
    pub(crate) version: String,
    pub(crate) port: u16,
    /// Canceled when the gateway starts to close.
    pub(crate) closing: CancellationToken,
    /// Canceled once no response is awaited any more. It ends the streams of MCP clients that only listen.
    pub(crate) streams: CancellationToken,
    /// The calls whose response isn't delivered yet.
    pub(crate) calls: TaskTracker,
}

impl GatewayState {
    pub(crate) fn new(
        engine: EngineHandle,
        tokens: AccessTokens,
        version: String,
        port: u16,
        timeouts: Timeouts,
    ) -> Arc<Self> {
        let inbound = InboundCalls::new(engine.clone());
        Arc::new(Self {
            connections: Connections::new(inbound.clone()),
            engine,
            inbound,
            rate_limits: RateLimits::default(),
            hook_dialogs: HookDialogs::default(),
            timeouts,
            tokens,
            metrics: Metrics::default(),
            version,
            port,
            closing: CancellationToken::new(),
            streams: CancellationToken::new(),
            calls: TaskTracker::new(),
        })
    }

    /// Counts a call of a client and the question it asks.
    pub(crate) fn count_question(&self, client: &str) -> Result<Arc<OpenQuestion>, RateLimitError> {
        self.rate_limits.call(client, Instant::now())?;
        Ok(Arc::new(self.rate_limits.open(client)?))
    }

    /// Returns the number of open questions.
    pub(crate) async fn open_requests(&self) -> Result<usize, EngineError> {
        self.engine.inspect(|desk| desk.requests().filter(|request| request.is_open()).count()).await
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use askdesk_client_config::DataFolder;
    use askdesk_engine::Catalog;
    use askdesk_engine::clock::SystemClock;

    use super::*;

    impl GatewayState {
        /// Opens an engine in a folder.
        pub(crate) fn for_test(folder: &Path) -> Arc<Self> {
            let engine = EngineHandle::open(folder, Arc::new(SystemClock), Catalog::default()).unwrap();
            let tokens = AccessTokens::load(&DataFolder::at(folder)).unwrap();
            Self::new(engine, tokens, "0.1.0".to_owned(), 1, Timeouts::default())
        }
    }
}
