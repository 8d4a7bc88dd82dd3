//! The shared servers in use, by key or address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_domain::AgentFailure;
use tokio::task::JoinSet;

use super::attached::connect;
use super::http;
use super::shared::{Joined, ServerHandle, Wire, serve};
use super::{Address, AttachedPlan, HttpPlan, NewConnection, SharedPlan};
use crate::event_queue::ProcessEvents;
use crate::program_file::ProgramFile;
use crate::supervisor::AgentProcess;

/// A server runs what its program was at its start, so one whose program was updated since is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Started(String, Option<ProgramFile>),
    Http(String, Option<ProgramFile>),
    Attached(Address),
}

/// The place of one server. Locked while it is started or ends, so that two sessions that start at once share it, and two
/// servers of one key never run at a time. Both take seconds at most.
type ServerSlot = Arc<tokio::sync::Mutex<Option<ServerHandle>>>;

#[derive(Debug, Default)]
pub(super) struct Registry {
    // Never locked during a wait: servers don't wait for each other.
    places: Mutex<HashMap<Key, ServerSlot>>,
}

impl Registry {
    /// Joins the server of a plan, and starts it first where none runs.
    pub(super) async fn share(
        &self,
        plan: SharedPlan,
        program: Option<ProgramFile>,
    ) -> Result<Joined, AgentFailure> {
        let start = async {
            let (process, events) = AgentProcess::spawn(&plan.launch).await?;
            Ok((Wire::Process(process), events))
        };
        self.join(Key::Started(plan.key.clone(), program), &plan.connection, start).await
    }

    /// Joins the HTTP server of a plan, and starts it first where none runs.
    pub(super) async fn share_http(
        &self,
        plan: HttpPlan,
        program: Option<ProgramFile>,
    ) -> Result<Joined, AgentFailure> {
        let start = async {
            let (wire, events) = http::start(&plan).await?;
            Ok((Wire::Http(wire), events))
        };
        self.join(Key::Http(plan.key.clone(), program), &plan.connection, start).await
    }

    /// Joins the connection to an address, and connects first where none is open.
    pub(super) async fn attach(&self, plan: AttachedPlan) -> Result<Joined, AgentFailure> {
        let start = async {
            let (socket, events) = connect(&plan.address).await?;
            Ok((Wire::Socket(socket), events))
        };
        self.join(Key::Attached(plan.address.clone()), &plan.connection, start).await
    }

    async fn join(
        &self,
        key: Key,
        connection: &NewConnection,
        start: impl Future<Output = Result<(Wire, ProcessEvents), AgentFailure>> + Send,
    ) -> Result<Joined, AgentFailure> {
        let place = self.place(key);
        let mut known = place.lock().await;
        if let Some(server) = &*known {
            if let Some(joined) = server.join().await {
                return Ok(joined);
            }
            server.ended().await;
        }
        let (wire, events) = start.await?;
        let (server, joined) = serve(connection(), wire, events);
        *known = Some(server);
        Ok(joined)
    }

    /// Returns the place of a key, and forgets those of servers that are gone.
    fn place(&self, key: Key) -> ServerSlot {
        let mut places = self.places();
        places.retain(|_, place| {
            let is_used = Arc::strong_count(place) > 1;
            is_used || place.try_lock().is_ok_and(|known| known.as_ref().is_some_and(|it| !it.has_ended()))
        });
        Arc::clone(places.entry(key).or_default())
    }

    /// Ends all servers side by side.
    pub(super) async fn shut_down(&self, grace: Duration) {
        let places = std::mem::take(&mut *self.places());
        let mut ending = JoinSet::new();
        for place in places.into_values() {
            ending.spawn(async move {
                // It is locked while its server starts.
                if let Some(server) = &*place.lock().await {
                    server.shut_down(grace);
                    server.ended().await;
                }
            });
        }
        ending.join_all().await;
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Key, ServerSlot>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
