//! The servers that sessions share, by what they are started or reached with.

use std::collections::HashMap;
use std::time::Duration;

use askdesk_domain::AgentFailure;
use tokio::sync::Mutex;

use super::attached::connect;
use super::shared::{Seated, ServerHandle, Source, Wire, serve};
use super::{Address, AttachedPlan, SharedPlan};
use crate::supervisor::AgentProcess;

/// What a server is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Started(String),
    Attached(Address),
}

/// The servers that are in use.
#[derive(Debug, Default)]
pub(super) struct Registry {
    // Held while a server is started, so that two sessions that come at once share it.
    servers: Mutex<HashMap<Key, ServerHandle>>,
}

impl Registry {
    /// Takes a seat on the server of a plan, which is started where none runs.
    pub(super) async fn share(&self, plan: SharedPlan) -> Result<Seated, AgentFailure> {
        let mut servers = self.servers.lock().await;
        let key = Key::Started(plan.key);
        if let Some(seated) = join(&mut servers, &key).await {
            return Ok(seated);
        }
        let (process, lines) = AgentProcess::spawn(&plan.launch)?;
        let (server, seated) = serve((plan.connection)(), Wire::Process(process), Source::Process(lines));
        servers.insert(key, server);
        Ok(seated)
    }

    /// Takes a seat on the connection to an address, which is connected to where none is open.
    pub(super) async fn attach(&self, plan: AttachedPlan) -> Result<Seated, AgentFailure> {
        let mut servers = self.servers.lock().await;
        let key = Key::Attached(plan.address.clone());
        if let Some(seated) = join(&mut servers, &key).await {
            return Ok(seated);
        }
        let (socket, lines) = connect(&plan.address).await?;
        let (server, seated) = serve((plan.connection)(), Wire::Socket(socket), Source::Socket(lines));
        servers.insert(key, server);
        Ok(seated)
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

/// Takes a seat on a server that runs; one that ends is waited for, so that two never run at a time.
async fn join(servers: &mut HashMap<Key, ServerHandle>, key: &Key) -> Option<Seated> {
    let seated = servers.get(key)?.join().await;
    if seated.is_none()
        && let Some(server) = servers.remove(key)
    {
        server.ended().await;
    }
    seated
}
