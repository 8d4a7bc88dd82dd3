//! The shared servers in use, by key or address.

use std::collections::HashMap;
use std::time::Duration;

use askdesk_domain::AgentFailure;
use tokio::sync::Mutex;

use super::attached::connect;
use super::http;
use super::shared::{Joined, ServerHandle, Wire, serve};
use super::{Address, AttachedPlan, HttpPlan, SharedPlan};
use crate::supervisor::AgentProcess;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Started(String),
    Http(String),
    Attached(Address),
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    // Locked while a server is started, so that two sessions that start at once share it.
    servers: Mutex<HashMap<Key, ServerHandle>>,
}

impl Registry {
    /// Joins the server of a plan, and starts it first where none runs.
    pub(super) async fn share(&self, plan: SharedPlan) -> Result<Joined, AgentFailure> {
        let mut servers = self.servers.lock().await;
        let key = Key::Started(plan.key);
        if let Some(joined) = join(&mut servers, &key).await {
            return Ok(joined);
        }
        let (process, events) = AgentProcess::spawn(&plan.launch)?;
        let (server, joined) = serve((plan.connection)(), Wire::Process(process), events);
        servers.insert(key, server);
        Ok(joined)
    }

    /// Joins the HTTP server of a plan, and starts it first where none runs.
    pub(super) async fn share_http(&self, plan: HttpPlan) -> Result<Joined, AgentFailure> {
        let mut servers = self.servers.lock().await;
        let key = Key::Http(plan.key.clone());
        if let Some(joined) = join(&mut servers, &key).await {
            return Ok(joined);
        }
        let (wire, events) = http::start(&plan)?;
        let (server, joined) = serve((plan.connection)(), Wire::Http(wire), events);
        servers.insert(key, server);
        Ok(joined)
    }

    /// Joins the connection to an address, and connects first where none is open.
    pub(super) async fn attach(&self, plan: AttachedPlan) -> Result<Joined, AgentFailure> {
        let mut servers = self.servers.lock().await;
        let key = Key::Attached(plan.address.clone());
        if let Some(joined) = join(&mut servers, &key).await {
            return Ok(joined);
        }
        let (socket, events) = connect(&plan.address).await?;
        let (server, joined) = serve((plan.connection)(), Wire::Socket(socket), events);
        servers.insert(key, server);
        Ok(joined)
    }

    pub(super) async fn shut_down(&self, grace: Duration) {
        let servers = std::mem::take(&mut *self.servers.lock().await);
        for server in servers.values() {
            server.shut_down(grace);
        }
        for server in servers.into_values() {
            server.ended().await;
        }
    }
}

/// Joins a running server. Waits for one that is ending, so that two never run at a time.
async fn join(servers: &mut HashMap<Key, ServerHandle>, key: &Key) -> Option<Joined> {
    let joined = servers.get(key)?.join().await;
    if joined.is_none()
        && let Some(server) = servers.remove(key)
    {
        server.ended().await;
    }
    joined
}
