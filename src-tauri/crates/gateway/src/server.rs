//! The server itself: where it listens, how many it serves, how long it is patient, and how it ends.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use askdesk_engine::EngineHandle;
use askdesk_mcp_tools::shown::PROGRESS;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connections;
use crate::desk::Desk;
use crate::discovery::{Discovery, PORT, PORTS, Published};
use crate::routes;
use crate::token::{Secrets, TokenError};

/// How many connections are served at a time; further ones are closed at once.
pub const CONNECTIONS: usize = 4_096;
/// How large the head of a request may be.
const HEAD_BYTES: usize = 64 * 1024;
/// How long is waited when the system can take no connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How many files a process may have open that serves many connections, where the system lets it.
#[cfg(unix)]
const OPEN_FILES: u64 = 8_192;

/// Why the doors stay shut.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// There is no token to tell callers apart by.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Nothing can be listened at.
    #[error("no port of 127.0.0.1 can be listened at: {0}")]
    Bind(std::io::Error),
    /// Where it listens could not be written down.
    #[error("where the desk listens could not be written down: {0}")]
    Discovery(std::io::Error),
}

/// The times a server keeps; tests have their own.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How often a caller hears that it still waits.
    pub progress: Duration,
    /// How long a client has to say in which folder it works.
    pub roots: Duration,
    /// How long the head of a request may take, and how long an idle connection is kept.
    pub head: Duration,
    /// How long its body may take.
    pub body: Duration,
    /// How long calls have to hear that the desk closes.
    pub closing: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            progress: PROGRESS,
            roots: Duration::from_secs(2),
            head: Duration::from_secs(15),
            body: Duration::from_secs(10),
            closing: Duration::from_millis(800),
        }
    }
}

/// What a server needs.
#[derive(Clone)]
pub struct DoorSpec {
    /// The data folder, for the token and the address.
    pub folder: PathBuf,
    /// The desk behind the doors.
    pub engine: EngineHandle,
    pub version: String,
    /// The first port to try, or none for any.
    pub port: Option<u16>,
    pub times: Times,
}

impl DoorSpec {
    /// Describes the doors of a desk, as clients are registered with them.
    pub fn new(folder: &Path, engine: EngineHandle, version: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            engine,
            version: version.to_owned(),
            port: Some(PORT),
            times: Times::default(),
        }
    }
}

/// The connections that are served, and what cuts off those that do not end.
#[derive(Clone, Debug, Default)]
struct Sockets {
    served: TaskTracker,
    cut: CancellationToken,
}

pub struct Doors {
    address: SocketAddr,
    desk: Arc<Desk>,
    streams: CancellationToken,
    sockets: Sockets,
    serving: JoinHandle<()>,
    published: Published,
}

impl Doors {
    pub async fn open(spec: DoorSpec) -> Result<Self, DoorError> {
        let DoorSpec { folder, engine, version, port, times } = spec;
        #[cfg(unix)]
        allow_files();
        let secrets = Secrets::of(&folder)?;
        let listener = listen(port).await.map_err(DoorError::Bind)?;
        let address = listener.local_addr().map_err(DoorError::Bind)?;
        let desk = Desk::new(engine, secrets, version, address.port(), times);
        let streams = CancellationToken::new();
        let router = routes::all(&desk, &streams);
        let discovery = Discovery::of(address.port(), desk.version());
        let published = discovery.publish(&folder).map_err(DoorError::Discovery)?;
        let sockets = Sockets::default();
        let serving = tokio::spawn(serve(listener, router, Arc::clone(&desk), sockets.clone()));
        tracing::info!(%address, "the doors are open");
        Ok(Self { address, desk, streams, sockets, serving, published })
    }

    /// Returns where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns what opens them to those who ask.
    pub(crate) fn bearer(&self) -> String {
        self.desk.secrets().bearer()
    }

    /// Takes no more calls, tells those that wait that the desk closes, and ends.
    pub async fn close(self) {
        let Self { desk, streams, sockets, serving, published, .. } = self;
        drop(published);
        desk.closing.cancel();
        desk.calls.close();
        sockets.served.close();
        let over = async {
            desk.calls.wait().await;
            // A client that only listens would do so for ever.
            streams.cancel();
            sockets.served.wait().await;
        };
        let _ = tokio::time::timeout(desk.times.closing, over).await;
        streams.cancel();
        sockets.cut.cancel();
        serving.abort();
        let _ = serving.await;
    }
}

async fn listen(port: Option<u16>) -> Result<TcpListener, std::io::Error> {
    for port in port.into_iter().flat_map(|first| first..first.saturating_add(PORTS)) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) => tracing::debug!(port, %error, "another program has this port"),
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}

async fn serve(listener: TcpListener, router: Router, desk: Arc<Desk>, sockets: Sockets) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut rest = tokio::time::interval(connections::LOOKED_FOR);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no connection can be taken");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            _ = rest.tick() => {
                let desk = Arc::clone(&desk);
                tokio::spawn(async move { desk.connections.close_resting(connections::KEPT_FOR).await });
                continue;
            }
            () = desk.closing.cancelled() => return,
        };
        let place = Arc::clone(&places).try_acquire_owned();
        desk.metrics().connected(place.is_ok());
        let Ok(place) = place else { continue };
        let router = router.clone();
        let (closing, cut) = (desk.closing.clone(), sockets.cut.clone());
        let head = desk.times.head;
        sockets.served.spawn(async move {
            tokio::select! {
                () = serve_one(stream, router, head, closing) => {}
                () = cut.cancelled() => {}
            }
            drop(place);
        });
    }
}

async fn serve_one(stream: TcpStream, router: Router, head: Duration, closing: CancellationToken) {
    // An answer is small, and somebody waits for it.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(HEAD_BYTES);
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
        tracing::debug!(%error, "a connection broke off");
    }
}

/// Lets this process have as many connections open as it may serve. Some systems begin with 256.
#[cfg(unix)]
fn allow_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX).min(OPEN_FILES);
    if limit.current.is_some_and(|current| current < most) {
        limit.current = Some(most);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the number of open files stays as it was");
        }
    }
}
