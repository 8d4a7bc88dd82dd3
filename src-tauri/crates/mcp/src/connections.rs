//! Who is at the doors: each connection of a client has a session of its own on the desk, from its first question on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_domain::{Reject, SessionId, Visitor};
use askdesk_engine::{EngineError, Visits};
use tokio::time::Instant;

/// How long a connection whose client does not say when it goes is kept after its last question.
pub const KEPT_FOR: Duration = Duration::from_secs(15 * 60);
/// How often those are looked for.
pub const LOOKED_FOR: Duration = Duration::from_secs(60);

/// All connections that have asked something.
pub struct Connections {
    visits: Visits,
    known: Mutex<HashMap<String, Arc<Connection>>>,
}

/// One connection.
#[derive(Debug)]
struct Connection {
    session: tokio::sync::Mutex<Option<SessionId>>,
    used: Mutex<Used>,
}

#[derive(Debug)]
struct Used {
    calls: usize,
    last: Instant,
}

/// A connection while one of its calls is open.
#[derive(Debug)]
pub struct InCall(Arc<Connection>);

impl Connections {
    pub(crate) fn new(visits: Visits) -> Self {
        Self { visits, known: Mutex::default() }
    }

    /// Keeps a connection for a call.
    pub(crate) fn call(&self, key: &str) -> InCall {
        let mut known = self.known();
        let connection = known.entry(key.to_owned()).or_insert_with(|| {
            let used = Mutex::new(Used { calls: 0, last: Instant::now() });
            Arc::new(Connection { session: tokio::sync::Mutex::default(), used })
        });
        connection.used().calls += 1;
        InCall(Arc::clone(connection))
    }

    /// Returns the session of a connection, and opens it with its first question.
    pub(crate) async fn session(&self, call: &InCall, visitor: Visitor) -> Result<SessionId, EngineError> {
        let mut session = call.0.session.lock().await;
        if let Some(session) = *session {
            return Ok(session);
        }
        let opened = self.visits.open(visitor).await?;
        *session = Some(opened);
        Ok(opened)
    }

    /// Opens another session for a connection whose own was ended on the desk.
    pub(crate) async fn another_session(
        &self,
        call: &InCall,
        ended: SessionId,
        visitor: Visitor,
    ) -> Result<SessionId, EngineError> {
        {
            let mut session = call.0.session.lock().await;
            if *session == Some(ended) {
                *session = None;
            }
        }
        self.session(call, visitor).await
    }

    /// The client is gone.
    pub(crate) async fn close(&self, key: &str) {
        let connection = self.known().remove(key);
        if let Some(connection) = connection {
            self.end(&connection).await;
        }
    }

    /// The client is gone, unless it has called again meanwhile.
    pub(crate) async fn close_unless_in_call(&self, key: &str) {
        let connection = {
            let mut known = self.known();
            let over = known.get(key).is_some_and(|connection| connection.used().calls == 0);
            if over { known.remove(key) } else { None }
        };
        if let Some(connection) = connection {
            self.end(&connection).await;
        }
    }

    /// Closes what has been at rest for long; what is asked there later opens it again.
    pub(crate) async fn close_resting(&self, kept_for: Duration) {
        let mut resting = Vec::new();
        self.known().retain(|_, connection| {
            let rests = connection.used().rests(kept_for);
            if rests {
                resting.push(Arc::clone(connection));
            }
            !rests
        });
        for connection in resting {
            self.end(&connection).await;
        }
    }

    async fn end(&self, connection: &Connection) {
        let session = connection.session.lock().await.take();
        if let Some(session) = session
            && let Err(error) = self.visits.close(session).await
            && !matches!(error, EngineError::Closing | EngineError::Reject(Reject::SessionGone))
        {
            tracing::debug!(%error, "a client's session was not closed");
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<Connection>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Used {
    fn rests(&self, kept_for: Duration) -> bool {
        self.calls == 0 && self.last.elapsed() >= kept_for
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        let mut used = self.0.used();
        used.calls = used.calls.saturating_sub(1);
        used.last = Instant::now();
    }
}
