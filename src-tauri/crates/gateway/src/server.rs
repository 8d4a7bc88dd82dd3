//! The server: where it listens, how many connections it serves, its timeouts, and how it closes.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use askdesk_client_config::DataFolder;
use askdesk_client_config::discovery::{DEFAULT_PORT, Discovery, PublishedDiscovery};
use askdesk_engine::EngineHandle;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access_tokens::{AccessTokens, TokenFileError};
use crate::connections;
use crate::routes;
use crate::state::GatewayState;
use crate::timeouts::Timeouts;

/// How many connections are served at a time. Further ones are closed at once.
pub const MAX_CONNECTIONS: usize = 4_096;
/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How many ports are tried, starting with the configured one, before any free port is used.
const PORTS: u16 = 11;
/// The pause after the system could not accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How many open files this process asks the system for.
#[cfg(unix)]
const OPEN_FILES: u64 = 8_192;

/// Why the gateway could not open.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    #[error(transparent)]
    Token(#[from] TokenFileError),
    #[error("can't listen on any port of 127.0.0.1: {0}")]
    Bind(io::Error),
    #[error("couldn't write the discovery file: {0}")]
    Discovery(io::Error),
}

#[derive(Clone)]
pub struct GatewayConfig {
    /// The data folder, for the tokens and the discovery file.
    pub folder: PathBuf,
    pub engine: EngineHandle,
    pub version: String,
    /// The first port to try, or `None` for any free port.
    pub port: Option<u16>,
    pub timeouts: Timeouts,
}

impl GatewayConfig {
    /// Returns the configuration of the app's gateway.
    pub fn new(folder: &Path, engine: EngineHandle, version: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            engine,
            version: version.to_owned(),
            port: Some(DEFAULT_PORT),
            timeouts: Timeouts::default(),
        }
    }
}

/// The open connections, and what cuts off those that don't end by themselves.
#[derive(Clone, Debug, Default)]
struct Sockets {
    open: TaskTracker,
    cut_off: CancellationToken,
}

pub struct Gateway {
    address: SocketAddr,
    state: Arc<GatewayState>,
    sockets: Sockets,
    serving: JoinHandle<()>,
    published: PublishedDiscovery,
}

impl Gateway {
    /// Starts to listen, and writes the discovery file.
    pub async fn open(config: GatewayConfig) -> Result<Self, GatewayError> {
        let GatewayConfig { folder, engine, version, port, timeouts } = config;
        #[cfg(unix)]
        raise_file_limit();
        let folder = DataFolder::at(folder);
        let tokens = AccessTokens::load(&folder)?;
        let listener = listen(port).await.map_err(GatewayError::Bind)?;
        let address = listener.local_addr().map_err(GatewayError::Bind)?;
        let discovery = Discovery::of_this_process(address.port(), &version);
        let state = GatewayState::new(engine, tokens, version, address.port(), timeouts);
        let router = routes::router(&state);
        let published = folder.publish(discovery).map_err(GatewayError::Discovery)?;
        let sockets = Sockets::default();
        let serving = tokio::spawn(serve(listener, router, Arc::clone(&state), sockets.clone()));
        tracing::info!(%address, "the gateway is open");
        Ok(Self { address, state, sockets, serving, published })
    }

    /// Returns the address it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the `Authorization` header that permits asking.
    pub(crate) fn ask_header(&self) -> String {
        self.state.tokens.ask_header()
    }

    /// Accepts no more calls, tells the waiting ones that Askdesk quits, and closes.
    pub async fn close(self) {
        let Self { state, sockets, serving, published, .. } = self;
        drop(published);
        state.closing.cancel();
        state.calls.close();
        sockets.open.close();
        let closed = async {
            state.calls.wait().await;
            // A client that only listens would do so forever.
            state.streams.cancel();
            sockets.open.wait().await;
        };
        let _ = tokio::time::timeout(state.timeouts.closing, closed).await;
        state.streams.cancel();
        sockets.cut_off.cancel();
        serving.abort();
        let _ = serving.await;
    }
}

async fn listen(port: Option<u16>) -> io::Result<TcpListener> {
    for port in port.into_iter().flat_map(|first| first..first.saturating_add(PORTS)) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) => tracing::debug!(port, %error, "another program has this port"),
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}

async fn serve(listener: TcpListener, router: Router, state: Arc<GatewayState>, sockets: Sockets) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut idle_check = tokio::time::interval(connections::IDLE_CHECK);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            _ = idle_check.tick() => {
                let state = Arc::clone(&state);
                tokio::spawn(async move { state.connections.close_idle(connections::IDLE_TIMEOUT).await });
                continue;
            }
            () = state.closing.cancelled() => return,
        };
        let permit = Arc::clone(&permits).try_acquire_owned();
        state.metrics.connected(permit.is_ok());
        let Ok(permit) = permit else { continue };
        let router = router.clone();
        let (closing, cut_off) = (state.closing.clone(), sockets.cut_off.clone());
        let head = state.timeouts.head;
        sockets.open.spawn(async move {
            tokio::select! {
                () = serve_one(stream, router, head, closing) => {}
                () = cut_off.cancelled() => {}
            }
            drop(permit);
        });
    }
}

async fn serve_one(stream: TcpStream, router: Router, head: Duration, closing: CancellationToken) {
    // Answers are small, and somebody is waiting for them.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(MAX_HEAD_BYTES);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection was interrupted");
    }
}

/// Raises the limit of open files, so that it doesn't limit connections. Some systems start with 256.
#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX).min(OPEN_FILES);
    if limit.current.is_some_and(|current| current < most) {
        limit.current = Some(most);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it was");
        }
    }
}
