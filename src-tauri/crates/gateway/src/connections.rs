//! The connections of clients. Each has a session of its own, from its first question on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_domain::{InboundClient, Rejection, SessionId};
use askdesk_engine::{EngineError, InboundCalls};
use tokio::time::Instant;

/// How long a connection is kept after its last question, unless its client closes it.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How often idle connections are looked for.
pub const IDLE_CHECK: Duration = Duration::from_secs(60);

pub struct Connections {
    inbound: InboundCalls,
    known: Mutex<HashMap<String, Arc<Connection>>>,
}

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

/// Keeps a connection for an open call. If the connection is closed, its session ends with its last call.
pub struct CallGuard {
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    key: String,
    lifetime: Lifetime,
}

/// How long a connection lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its last call has ended: a command line asks once.
    Calls,
    /// Until its client closes it or is idle for [`IDLE_TIMEOUT`].
    UntilClosed,
}

impl Connections {
    pub(crate) fn new(inbound: InboundCalls) -> Arc<Self> {
        Arc::new(Self { inbound, known: Mutex::default() })
    }

    /// Returns the connection with a key for a call.
    pub(crate) fn call(self: &Arc<Self>, key: &str, lifetime: Lifetime) -> CallGuard {
        let mut known = self.known();
        let connection = known.entry(key.to_owned()).or_insert_with(|| {
            let used = Mutex::new(Used { calls: 0, last: Instant::now() });
            Arc::new(Connection { session: tokio::sync::Mutex::default(), used })
        });
        connection.used().calls += 1;
        let connection = Arc::clone(connection);
        CallGuard { connections: Arc::clone(self), connection, key: key.to_owned(), lifetime }
    }

    /// Returns the session of a connection. The first question opens it.
    pub(crate) async fn session(
        &self,
        call: &CallGuard,
        client: InboundClient,
    ) -> Result<SessionId, EngineError> {
        let mut session = call.connection.session.lock().await;
        if let Some(session) = *session {
            return Ok(session);
        }
        let opened = self.inbound.open(client).await?;
        *session = Some(opened);
        Ok(opened)
    }

    /// Opens another session for a connection whose session the user has ended.
    pub(crate) async fn another_session(
        &self,
        call: &CallGuard,
        ended: SessionId,
        client: InboundClient,
    ) -> Result<SessionId, EngineError> {
        {
            let mut session = call.connection.session.lock().await;
            if *session == Some(ended) {
                *session = None;
            }
        }
        self.session(call, client).await
    }

    /// Closes the connection of a client that has gone.
    pub(crate) async fn close(&self, key: &str) {
        let connection = self.known().remove(key);
        if let Some(connection) = connection {
            self.end(&connection).await;
        }
    }

    /// Closes connections that have been idle for some time. A later question opens them again.
    pub(crate) async fn close_idle(&self, timeout: Duration) {
        let mut idle = Vec::new();
        self.known().retain(|_, connection| {
            let is_idle = connection.used().is_idle(timeout);
            if is_idle {
                idle.push(Arc::clone(connection));
            }
            !is_idle
        });
        for connection in idle {
            self.end(&connection).await;
        }
    }

    /// Ends the session of a closed connection. If one of its calls opens a session later, this runs again when that call ends.
    async fn end(&self, connection: &Connection) {
        let Some(session) = *connection.session.lock().await else { return };
        let known: Vec<_> = self.known().values().cloned().collect();
        for other in known {
            // The user closed the session, and another connection of the same client has reopened it.
            if *other.session.lock().await == Some(session) {
                return;
            }
        }
        if let Err(error) = self.inbound.close(session).await
            && !matches!(error, EngineError::Closing | EngineError::Reject(Rejection::SessionGone))
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
    fn is_idle(&self, timeout: Duration) -> bool {
        self.calls == 0 && self.last.elapsed() >= timeout
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let over = {
            let mut known = self.connections.known();
            let is_known = known.get(&self.key).is_some_and(|known| Arc::ptr_eq(known, &self.connection));
            let mut used = self.connection.used();
            used.calls = used.calls.saturating_sub(1);
            used.last = Instant::now();
            let over = used.calls == 0 && (!is_known || self.lifetime == Lifetime::Calls);
            if over && is_known {
                known.remove(&self.key);
            }
            over
        };
        // Outside of the runtime there is no engine left to tell.
        if over && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (connections, connection) = (Arc::clone(&self.connections), Arc::clone(&self.connection));
            runtime.spawn(async move { connections.end(&connection).await });
        }
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Channel, Desk, NativeRef, Settings};
    use askdesk_engine::{InboundAsk, Sessions};
    use askdesk_mcp_tools::Tool;
    use serde_json::json;

    use super::*;
    use crate::arguments;
    use crate::state::GatewayState;

    struct Fixture {
        state: Arc<GatewayState>,
        _folder: tempfile::TempDir,
    }

    impl Fixture {
        fn open() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let state = GatewayState::for_test(folder.path());
            Self { state, _folder: folder }
        }

        async fn session(&self, call: &CallGuard) -> SessionId {
            let (name, folder) = ("codex".to_owned(), Some("/work".to_owned()));
            let client = InboundClient { channel: Channel::Mcp, name, version: None, folder };
            self.state.connections.session(call, client).await.unwrap()
        }

        async fn asks(&self, session: SessionId, question: &str) {
            let asks = json!({"questions": [{"question": question, "type": "text"}]});
            let ask = InboundAsk {
                native_ref: NativeRef::new(question).unwrap(),
                asked_by: None,
                questions: arguments::read(Tool::AskUser, &asks).unwrap().questions,
                limit: None,
                again: None,
            };
            drop(self.state.connections.inbound.ask(session, ask).await.unwrap());
        }

        async fn runs(&self, session: SessionId) -> bool {
            let runs = move |desk: &Desk| desk.session(session).is_some_and(|it| it.is_running());
            self.state.engine.inspect(runs).await.unwrap()
        }

        async fn ends(&self, session: SessionId) {
            let over = async {
                while self.runs(session).await {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), over).await.expect("the session is over in time");
        }
    }

    #[tokio::test]
    async fn a_session_that_opens_after_its_client_has_gone_ends_with_its_call() {
        let fixture = Fixture::open();
        let call = fixture.state.connections.call("one", Lifetime::UntilClosed);
        fixture.state.connections.close("one").await;
        let session = fixture.session(&call).await;
        fixture.asks(session, "Which name?").await;
        // There are several ways to notice that a client has gone, so it is closed twice.
        fixture.state.connections.close("one").await;
        assert!(fixture.runs(session).await);
        drop(call);
        fixture.ends(session).await;
    }

    #[tokio::test]
    async fn a_connection_that_lasts_for_its_calls_ends_with_the_last_one() {
        let fixture = Fixture::open();
        let calls = [(); 2].map(|()| fixture.state.connections.call("one", Lifetime::Calls));
        let session = fixture.session(&calls[0]).await;
        let [one, other] = calls;
        drop(one);
        assert!(fixture.runs(session).await && fixture.state.connections.known().contains_key("one"));
        drop(other);
        fixture.ends(session).await;
        assert!(fixture.state.connections.known().is_empty());
    }

    #[tokio::test]
    async fn closing_a_connection_keeps_a_session_that_another_one_has_reopened() {
        let fixture = Fixture::open();
        let first = fixture.state.connections.call("one", Lifetime::UntilClosed);
        let session = fixture.session(&first).await;
        fixture.asks(session, "Which name?").await;
        drop(first);
        let (_, settings) = tokio::sync::watch::channel(Settings::default());
        Sessions::new(fixture.state.engine.clone(), settings).close(session).await.unwrap();
        let second = fixture.state.connections.call("two", Lifetime::UntilClosed);
        assert_eq!(fixture.session(&second).await, session, "the same client, after the user closed the tab");
        fixture.asks(session, "Which store?").await;
        fixture.state.connections.close("one").await;
        assert!(fixture.runs(session).await);
        drop(second);
        fixture.state.connections.close("two").await;
        fixture.ends(session).await;
    }
}
