//! Moves bytes between the desk and an agent: a process of the session's own, or a server that several sessions share.

mod attached;
mod process;
mod registry;
mod shared;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::AgentFailure;

use crate::adapter::{Inbound, Outbound};
use crate::connection::Connection;
use crate::error::WriteError;
use crate::launch::LaunchPlan;
use crate::supervisor::{AgentProcess, Exit, Lines};
use registry::Registry;
use shared::{SeatEvents, SeatHandle, Seated};

/// How a session is linked to its agent.
#[derive(Clone, Debug)]
pub enum LinkPlan {
    /// By a process of its own, which ends with the session.
    Process(LaunchPlan),
    /// By a server that we start for several sessions; it ends with the last of them.
    Shared(SharedPlan),
    /// By a server that somebody else runs; it is never ended.
    Attached(AttachedPlan),
}

/// Makes the conversation with a server that is started or connected to.
pub type NewConnection = Arc<dyn Fn() -> Box<dyn Connection> + Send + Sync>;

/// A server that we start for several sessions. It speaks JSON, a line each, on its standard input and output.
#[derive(Clone)]
pub struct SharedPlan {
    /// Sessions with the same key share one server.
    pub key: String,
    /// How the server is started.
    pub launch: LaunchPlan,
    /// Makes the conversation with it.
    pub connection: NewConnection,
}

/// A server that somebody else runs. It speaks JSON, a line each.
#[derive(Clone)]
pub struct AttachedPlan {
    /// Where it listens; sessions with the same address share one connection.
    pub address: Address,
    /// Makes the conversation with it.
    pub connection: NewConnection,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    Unix(PathBuf),
    /// On a host and port, as in `127.0.0.1:4096`.
    Tcp(String),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(host) => write!(f, "tcp:{host}"),
        }
    }
}

impl fmt::Debug for SharedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SharedPlan");
        shown.field("key", &self.key).field("launch", &self.launch).finish_non_exhaustive()
    }
}

impl fmt::Debug for AttachedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachedPlan").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Opens links, and knows the servers that sessions share. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Links(Arc<Registry>);

impl Links {
    /// Opens a link. A server that no session uses yet is started or connected to; one that has died is started again.
    pub async fn open(&self, plan: LinkPlan) -> Result<(Link, LinkEvents), AgentFailure> {
        match plan {
            LinkPlan::Process(plan) => {
                let (process, lines) = AgentProcess::spawn(&plan)?;
                Ok((Link(Inner::Process(process)), LinkEvents(Source::Process(lines))))
            }
            LinkPlan::Shared(plan) => self.0.share(plan).await.map(seated),
            LinkPlan::Attached(plan) => self.0.attach(plan).await.map(seated),
        }
    }

    /// Ends every server we started and closes every connection to another one. Processes of single sessions end with their
    /// links. Returns when all are gone.
    pub async fn shut_down(&self, grace: Duration) {
        self.0.shut_down(grace).await;
    }
}

fn seated((seat, events): Seated) -> (Link, LinkEvents) {
    (Link(Inner::Seat(seat)), LinkEvents(Source::Seat(events)))
}

/// The writing side of one session's link.
///
/// Dropping it ends a process of the session's own, and gives up a seat on a shared server.
#[derive(Debug)]
pub struct Link(Inner);

#[derive(Debug)]
enum Inner {
    Process(AgentProcess),
    Seat(SeatHandle),
}

impl Link {
    /// Writes in order; the order of calls is the order on the wire.
    ///
    /// What is returned resolves once all bytes are handed over, or it is known that they will not be.
    pub fn write(
        &self,
        outbound: Vec<Outbound>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        enum Queued<P, S> {
            Process(P),
            Seat(S),
        }
        let queued = match &self.0 {
            Inner::Process(process) => Queued::Process(process::write(process, outbound)),
            Inner::Seat(seat) => Queued::Seat(seat.write(outbound)),
        };
        async move {
            match queued {
                Queued::Process(written) => written.await,
                Queued::Seat(written) => written.await,
            }
        }
    }

    /// Ends the link and returns when whatever ends with it is gone.
    ///
    /// A process of the session's own is asked to end, and after `grace` it is killed with everything it started. On a shared
    /// server only this session's seat is given up; a server that we started ends with its last seat.
    pub async fn stop(&self, grace: Duration) {
        match &self.0 {
            Inner::Process(process) => process.stop(grace).await,
            Inner::Seat(seat) => seat.leave(grace).await,
        }
    }
}

/// What arrives over one session's link, in order.
#[derive(Debug)]
pub struct LinkEvents(Source);

#[derive(Debug)]
enum Source {
    Process(Lines),
    Seat(SeatEvents),
}

impl LinkEvents {
    /// Waits for the next event; none after [`LinkEvent::Ended`].
    pub async fn next(&mut self) -> Option<LinkEvent> {
        match &mut self.0 {
            Source::Process(lines) => lines.next().await.map(process::event),
            Source::Seat(events) => events.next().await,
        }
    }
}

/// Something that arrives over a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkEvent {
    /// Something for the session's adapter.
    Inbound(Inbound),
    /// A line of the agent's error output; that of a shared server goes to all its sessions.
    Stderr(String),
    /// The link has ended; nothing comes after this.
    Ended(LinkEnd),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEnd {
    /// What came after the last line feed, for [`Inbound::End`].
    pub unfinished: Vec<u8>,
    /// How the process or the server ended. A seat that was given up has exit code 0; a broken connection to somebody else's
    /// server has neither code nor signal.
    pub status: Exit,
    /// The last lines of the agent's error output, or why a connection broke.
    pub stderr_tail: String,
}
