//! Moves bytes between the app and an agent: a process of the session's own, or a server that several sessions share.
//! Sessions on a shared link are its members; stopping one leaves the server running. A server that Askdesk started ends with
//! its last member; an attached server is never ended.

mod attached;
mod http;
mod registry;
mod shared;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::AgentFailure;

use crate::adapter::Outbound;
use crate::connection::Connection;
use crate::event_queue::ProcessEvents;
use crate::launch::LaunchPlan;
use crate::line_writer::WriteError;
use crate::link_event::LinkEvent;
use crate::program_file::ProgramFile;
use crate::secrets::Secrets;
use crate::supervisor::AgentProcess;
use registry::Registry;
use shared::{MemberEvents, MemberHandle};

/// How a session is linked to its agent.
#[derive(Clone, Debug)]
pub enum LinkPlan {
    /// By a process of its own, which ends with the session.
    Process(LaunchPlan),
    /// By a server that we start for several sessions; it ends with the last of them.
    Shared(SharedPlan),
    /// By a server that we start for several sessions and that speaks HTTP; it ends with the last of them.
    Http(HttpPlan),
    /// By a server that somebody else runs; it is never ended.
    Attached(AttachedPlan),
}

impl LinkPlan {
    /// Sets a variable for the session's own process. A server that several sessions share can't have a variable of one of them.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        match self {
            Self::Process(plan) => plan.env.push((name.into(), value.into())),
            Self::Shared(_) | Self::Http(_) | Self::Attached(_) => {}
        }
    }

    /// How a process is started; none where somebody else has started it.
    const fn launch(&self) -> Option<&LaunchPlan> {
        match self {
            Self::Process(launch)
            | Self::Shared(SharedPlan { launch, .. })
            | Self::Http(HttpPlan { launch, .. }) => Some(launch),
            Self::Attached(_) => None,
        }
    }
}

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

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

/// A server that we start for several sessions. It takes HTTP requests, and reports what happens as server-sent events.
///
/// Each event's data reaches the connection as a line, and each response as [`RpcIn::Response`](crate::RpcIn). A stream that
/// breaks is opened again; what happened in between is not sent again.
#[derive(Clone)]
pub struct HttpPlan {
    /// Sessions with the same key share one server. It may contain secrets, and is never shown.
    pub key: String,
    /// How the server is started.
    pub launch: LaunchPlan,
    /// Finds the address the server listens on in a line of its output.
    pub address_in: fn(&str) -> Option<SocketAddr>,
    /// The paths that its event stream may have, of which the first that is one counts.
    pub events: &'static [&'static str],
    /// The name that every request is signed with.
    pub user: &'static str,
    /// The password that it is started with. It is struck out of its output.
    pub password: String,
    /// Finds another password in a line of its output. A server that chose its own one says so there.
    pub password_in: fn(&str) -> Option<&str>,
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

impl fmt::Debug for HttpPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("HttpPlan");
        shown.field("program", &self.launch.program).field("events", &self.events).finish_non_exhaustive()
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
    /// Opens a link. A server that no session uses yet is started or connected to; one that has died, or whose program has
    /// been replaced, is started anew.
    pub async fn open(&self, plan: LinkPlan) -> Result<(Link, LinkEvents), AgentFailure> {
        let launch = plan.launch();
        let secrets = launch.map_or_else(Secrets::of_user, Secrets::of);
        let program = match launch {
            Some(launch) => Some(ProgramFile::look_at(&launch.program).await),
            None => None,
        };
        let joined = match plan {
            LinkPlan::Process(plan) => {
                let (process, events) = AgentProcess::spawn(&plan).await?;
                let link = Link { writer: Writer::Process(process), program, secrets };
                return Ok((link, LinkEvents(Reader::Process(events))));
            }
            LinkPlan::Shared(plan) => self.0.share(plan, program.clone()).await,
            LinkPlan::Http(plan) => self.0.share_http(plan, program.clone()).await,
            LinkPlan::Attached(plan) => self.0.attach(plan).await,
        };
        let (member, events) = joined?;
        Ok((Link { writer: Writer::Shared(member), program, secrets }, LinkEvents(Reader::Shared(events))))
    }

    /// Ends every server we started and closes every connection to another one. Processes of single sessions end with their
    /// links. Returns when all are gone.
    pub async fn shut_down(&self, grace: Duration) {
        self.0.shut_down(grace).await;
    }
}

/// The writing side of one session's link.
///
/// Dropping it ends a process of the session's own, and leaves a shared server.
#[derive(Debug)]
pub struct Link {
    writer: Writer,
    program: Option<ProgramFile>,
    secrets: Secrets,
}

#[derive(Debug)]
enum Writer {
    Process(AgentProcess),
    Shared(MemberHandle),
}

impl Link {
    /// Writes in order; the order of calls is the order on the wire.
    ///
    /// The future resolves once all bytes are handed over, or once it is known that they will not be.
    pub fn write(&self, outbound: Vec<Outbound>) -> BoxFuture<Result<(), WriteError>> {
        match &self.writer {
            Writer::Process(process) => {
                let queued: Vec<_> = outbound.into_iter().map(|it| write_to_process(process, it)).collect();
                Box::pin(async move {
                    for written in queued {
                        written?.await?;
                    }
                    Ok(())
                })
            }
            Writer::Shared(member) => Box::pin(member.write(outbound)),
        }
    }

    /// The secrets that the agent was started with.
    pub const fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Ends the link and returns when whatever ends with it is gone.
    ///
    /// A process of the session's own is asked to end, and after `grace` it is killed with everything it started. On a shared
    /// server only this session leaves; a server that we started ends with its last session.
    pub async fn stop(&self, grace: Duration) {
        match &self.writer {
            Writer::Process(process) => process.stop(grace).await,
            Writer::Shared(member) => member.leave(grace).await,
        }
    }

    /// Whether the program that we started has been removed or replaced since. What runs can't start itself again then, as
    /// Codex does for each command in a sandbox.
    pub async fn has_lost_program(&self) -> bool {
        match &self.program {
            Some(program) => program.is_gone().await,
            None => false,
        }
    }
}

fn write_to_process(
    process: &AgentProcess,
    outbound: Outbound,
) -> Result<impl Future<Output = Result<(), WriteError>> + Send + use<>, WriteError> {
    match outbound {
        Outbound::Line(line) => Ok(process.write(line)),
        Outbound::Rpc(_) => Err(WriteError::Io("this link takes lines, not RPC messages".to_owned())),
    }
}

/// What arrives over one session's link, in order. It ends without [`LinkEvent::Ended`] if the session was so far behind that
/// the others on its server had to wait.
#[derive(Debug)]
pub struct LinkEvents(Reader);

#[derive(Debug)]
enum Reader {
    Process(ProcessEvents),
    Shared(MemberEvents),
}

impl LinkEvents {
    /// Waits for the next event; none after [`LinkEvent::Ended`].
    pub async fn next(&mut self) -> Option<LinkEvent> {
        match &mut self.0 {
            Reader::Process(events) => events.recv().await,
            Reader::Shared(events) => events.next().await,
        }
    }
}
