//! Who is at the doors: each connection of a client has a session of its own on the desk, from its first question on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_domain::{InboundClient, Rejection, SessionId};
use askdesk_engine::{EngineError, InboundCalls};
use tokio::time::Instant;

/// How long a connection whose client does not say when it goes is kept after its last question.
pub const KEPT_FOR: Duration = Duration::from_secs(15 * 60);
pub const LOOKED_FOR: Duration = Duration::from_secs(60);

pub struct Connections {
    visits: InboundCalls,
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

/// A connection while one of its calls is open. With the last call of a connection that is over, its session is over too.
pub struct InCall {
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    key: String,
    stays: Stays,
}

/// How long a connection stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// As long as its calls: a command line asks once and ends.
    WhileItCalls,
    /// Until its client says that it goes, or has been at rest for long.
    UntilItGoes,
}

impl Connections {
    pub(crate) fn new(visits: InboundCalls) -> Arc<Self> {
        Arc::new(Self { visits, known: Mutex::default() })
    }

    pub(crate) fn call(self: &Arc<Self>, key: &str, stays: Stays) -> InCall {
        let mut known = self.known();
        let connection = known.entry(key.to_owned()).or_insert_with(|| {
            let used = Mutex::new(Used { calls: 0, last: Instant::now() });
            Arc::new(Connection { session: tokio::sync::Mutex::default(), used })
        });
        connection.used().calls += 1;
        let connection = Arc::clone(connection);
        InCall { connections: Arc::clone(self), connection, key: key.to_owned(), stays }
    }

    /// Returns the session of a connection, and opens it with its first question.
    pub(crate) async fn session(
        &self,
        call: &InCall,
        visitor: InboundClient,
    ) -> Result<SessionId, EngineError> {
        let mut session = call.connection.session.lock().await;
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
        visitor: InboundClient,
    ) -> Result<SessionId, EngineError> {
        {
            let mut session = call.connection.session.lock().await;
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

    /// Ends the session of a connection that is not known any more. A call of it that is not over yet may still open one, and
    /// comes back here when it is.
    async fn end(&self, connection: &Connection) {
        let Some(session) = *connection.session.lock().await else { return };
        let known: Vec<_> = self.known().values().cloned().collect();
        for other in known {
            // The person closed it, and another connection of the same client has taken it up.
            if *other.session.lock().await == Some(session) {
                return;
            }
        }
        if let Err(error) = self.visits.close(session).await
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
    fn rests(&self, kept_for: Duration) -> bool {
        self.calls == 0 && self.last.elapsed() >= kept_for
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        let over = {
            let mut known = self.connections.known();
            let is_known = known.get(&self.key).is_some_and(|known| Arc::ptr_eq(known, &self.connection));
            let mut used = self.connection.used();
            used.calls = used.calls.saturating_sub(1);
            used.last = Instant::now();
            let over = used.calls == 0 && (!is_known || self.stays == Stays::WhileItCalls);
            if over && is_known {
                known.remove(&self.key);
            }
            over
        };
        // Outside of the runtime there is no engine any more that could be told.
        if over && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (connections, connection) = (Arc::clone(&self.connections), Arc::clone(&self.connection));
            runtime.spawn(async move { connections.end(&connection).await });
        }
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Channel, NativeRef};
    use askdesk_engine::clock::SystemClock;
    use askdesk_engine::{Catalog, EngineHandle, InboundAsk, OpenedEngine, Sessions};
    use askdesk_mcp_tools::Tool;
    use serde_json::json;

    use super::*;
    use crate::arguments;

    struct House {
        engine: EngineHandle,
        connections: Arc<Connections>,
        _folder: tempfile::TempDir,
    }

    impl House {
        fn open() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let OpenedEngine { handle: engine, .. } =
                EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
            let connections = Connections::new(InboundCalls::new(engine.clone()));
            Self { engine, connections, _folder: folder }
        }

        async fn session(&self, call: &InCall) -> SessionId {
            let (name, folder) = ("codex".to_owned(), Some("/work".to_owned()));
            let visitor = InboundClient { channel: Channel::Mcp, name, version: None, folder };
            self.connections.session(call, visitor).await.unwrap()
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
            drop(self.connections.visits.ask(session, ask).await.unwrap());
        }

        async fn runs(&self, session: SessionId) -> bool {
            let runs =
                self.engine.inspect(move |desk| desk.session(session).is_some_and(|it| it.is_running()));
            runs.await.unwrap()
        }

        async fn is_over(&self, session: SessionId) {
            let over = async {
                while self.runs(session).await {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), over).await.expect("the session is over in time");
        }
    }

    #[tokio::test]
    async fn a_session_that_opens_after_its_client_went_ends_with_its_call() {
        let house = House::open();
        let call = house.connections.call("one", Stays::UntilItGoes);
        house.connections.close("one").await;
        let session = house.session(&call).await;
        house.asks(session, "Which name?").await;
        // It went once more, as the client is known to be gone in several ways.
        house.connections.close("one").await;
        assert!(house.runs(session).await);
        drop(call);
        house.is_over(session).await;
    }

    #[tokio::test]
    async fn a_connection_for_its_calls_is_over_with_the_last_one_also_where_nothing_was_asked() {
        let house = House::open();
        let calls = [(); 2].map(|()| house.connections.call("one", Stays::WhileItCalls));
        let session = house.session(&calls[0]).await;
        let [one, other] = calls;
        drop(one);
        assert!(house.runs(session).await && house.connections.known().contains_key("one"));
        drop(other);
        house.is_over(session).await;
        assert!(house.connections.known().is_empty());
    }

    #[tokio::test]
    async fn the_end_of_a_connection_leaves_the_session_that_another_has_taken_up() {
        let house = House::open();
        let first = house.connections.call("one", Stays::UntilItGoes);
        let session = house.session(&first).await;
        house.asks(session, "Which name?").await;
        drop(first);
        Sessions::new(house.engine.clone()).close(session).await.unwrap();
        let second = house.connections.call("two", Stays::UntilItGoes);
        assert_eq!(house.session(&second).await, session, "the same client, after the person closed the tab");
        house.asks(session, "Which store?").await;
        house.connections.close("one").await;
        assert!(house.runs(session).await);
        drop(second);
        house.connections.close("two").await;
        house.is_over(session).await;
    }
}
