//! What all doors share: the engine behind them, who is at them, and what is counted.

use std::sync::Arc;

use askdesk_engine::{EngineError, EngineHandle, InboundCalls};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connections::Connections;
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::server::Times;
use crate::terminals::Terminals;
use crate::token::Secrets;

/// The desk as its doors know it.
pub struct Desk {
    pub(crate) engine: EngineHandle,
    pub(crate) visits: InboundCalls,
    pub(crate) connections: Arc<Connections>,
    pub(crate) pace: Pace,
    pub(crate) terminals: Terminals,
    pub(crate) times: Times,
    pub(crate) closing: CancellationToken,
    /// The calls whose response is not written out.
    pub(crate) calls: TaskTracker,
    secrets: Secrets,
    metrics: Metrics,
    version: String,
    port: u16,
}

impl Desk {
    pub(crate) fn new(
        engine: EngineHandle,
        secrets: Secrets,
        version: String,
        port: u16,
        times: Times,
    ) -> Arc<Self> {
        let visits = InboundCalls::new(engine.clone());
        Arc::new(Self {
            connections: Connections::new(visits.clone()),
            engine,
            visits,
            pace: Pace::default(),
            terminals: Terminals::default(),
            times,
            closing: CancellationToken::new(),
            calls: TaskTracker::new(),
            secrets,
            metrics: Metrics::default(),
            version,
            port,
        })
    }

    pub(crate) const fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Counts the questions that wait for the person.
    pub(crate) async fn open(&self) -> Result<usize, EngineError> {
        self.engine.inspect(|desk| desk.requests().filter(|request| request.is_open()).count()).await
    }
}
