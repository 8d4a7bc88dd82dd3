//! One server for several sessions: who is a member, what goes to whom, and when it ends.

mod member;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::attached::Socket;
use super::http::HttpServer;
use crate::adapter::Inbound;
use crate::connection::{Connection, HttpRequest, MemberId, Routed};
use crate::event_queue::ProcessEvents;
use crate::line_writer::WriteError;
use crate::link_event::{Exit, LinkEnd, LinkEvent};
use crate::rpc::{INTERNAL_ERROR, RpcError, RpcIn};
use crate::supervisor::AgentProcess;

use member::{BEHIND_LIMIT, Command, MemberSender, MemberWrite};
pub(super) use member::{Joined, MemberEvents, MemberHandle};

/// How long a server may take to end after the handshake failed.
const FAILED_GRACE: Duration = Duration::from_secs(2);

/// A server that we started, or a connection to another one.
#[derive(Debug)]
pub(super) enum Wire {
    Process(AgentProcess),
    Socket(Socket),
    Http(HttpServer),
}

type Written = Pin<Box<dyn Future<Output = Result<(), WriteError>> + Send>>;

impl Wire {
    /// Queues a line; fails if it can't be queued.
    fn write(&self, line: String) -> Result<Written, WriteError> {
        match self {
            Self::Process(process) => Ok(Box::pin(process.writer().write(line)?)),
            Self::Socket(socket) => Ok(Box::pin(socket.writer.write(line)?)),
            Self::Http(_) => Err(WriteError::Io("this server takes HTTP requests, not lines".to_owned())),
        }
    }

    /// Queues a request; fails if it can't be queued. Whether the server took it is in its response.
    fn request(&self, request: HttpRequest) -> Result<(), WriteError> {
        match self {
            Self::Http(server) => server.request(request),
            Self::Process(_) | Self::Socket(_) => {
                Err(WriteError::Io("this server takes lines, not HTTP requests".to_owned()))
            }
        }
    }

    /// Ends a server that we started, and disconnects from another one.
    async fn stop(&self, grace: Duration) {
        match self {
            Self::Process(process) => process.stop(grace).await,
            Self::Socket(socket) => socket.close(grace).await,
            Self::Http(server) => server.stop().await,
        }
    }
}

/// A running server, for sessions that want to join it.
#[derive(Debug)]
pub(super) struct ServerHandle {
    commands: mpsc::UnboundedSender<Command>,
    ended: watch::Receiver<bool>,
}

impl ServerHandle {
    /// Joins the server; none if it has ended or is about to.
    pub(super) async fn join(&self) -> Option<Joined> {
        let (reply, joined) = oneshot::channel();
        self.commands.send(Command::Join { reply }).ok()?;
        joined.await.ok()
    }

    pub(super) fn shut_down(&self, grace: Duration) {
        // A server that has ended does not receive it.
        let _ = self.commands.send(Command::ShutDown { grace });
    }

    pub(super) fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Waits until the server has ended.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // An error means that it is gone.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

/// Begins the conversation with a server; its first session joins at once.
pub(super) fn serve(
    connection: Box<dyn Connection>,
    wire: Wire,
    events: ProcessEvents,
) -> (ServerHandle, Joined) {
    let (command_sender, commands) = mpsc::unbounded_channel();
    let (write_sender, writes) = mpsc::unbounded_channel();
    let (gone, ended) = watch::channel(false);
    let mut server = Server {
        connection,
        wire,
        events,
        members: BTreeMap::new(),
        last_member: 0,
        room: Arc::new(Notify::new()),
        command_sender: command_sender.clone(),
        commands,
        write_sender,
        writes,
    };
    let joined = server.join();
    tokio::spawn(async move {
        server.run().await;
        gone.send_replace(true);
    });
    (ServerHandle { commands: command_sender, ended }, joined)
}

/// Why the conversation with a server ends.
#[derive(Debug)]
enum Ending {
    /// It ended, or the connection to it broke.
    Gone(LinkEnd),
    /// The conversation with it failed.
    Failed { reason: String },
    /// The last member left.
    Unused { grace: Duration, done: Option<oneshot::Sender<()>> },
    /// The app quits.
    ShutDown { grace: Duration },
}

#[derive(Debug)]
struct Server {
    connection: Box<dyn Connection>,
    wire: Wire,
    events: ProcessEvents,
    members: BTreeMap<MemberId, MemberSender>,
    last_member: u64,
    /// Notified when a session has read something, so that there may be room for more.
    room: Arc<Notify>,
    command_sender: mpsc::UnboundedSender<Command>,
    commands: mpsc::UnboundedReceiver<Command>,
    write_sender: mpsc::UnboundedSender<MemberWrite>,
    writes: mpsc::UnboundedReceiver<MemberWrite>,
}

impl Server {
    async fn run(mut self) {
        let opened = self.connection.open();
        let ending = match self.carry_out(opened) {
            Some(ending) => ending,
            None => self.converse().await,
        };
        self.end(ending).await;
    }

    async fn converse(&mut self) -> Ending {
        loop {
            // A session that is behind stops the reading of the server. Writing goes on, so that there is no deadlock.
            let limits = self.members.values_mut().filter_map(MemberSender::limit);
            let limit = limits.min();
            let ending = tokio::select! {
                biased;
                Some(command) = self.commands.recv() => self.on_command(command),
                Some(write) = self.writes.recv(), if self.connection.is_ready() => self.on_write(write),
                event = self.events.recv(), if limit.is_none() => self.on_event(event),
                () = self.room.notified(), if limit.is_some() => None,
                () = sleep_until(limit.unwrap_or_else(Instant::now)), if limit.is_some() => self.drop_behind(),
            };
            if let Some(ending) = ending {
                return ending;
            }
        }
    }

    /// Ends the sessions that have held up the others for too long. Their links end without a last event, because they
    /// can't get everything that is for them.
    fn drop_behind(&mut self) -> Option<Ending> {
        let now = Instant::now();
        let behind = self.members.iter_mut().filter_map(|(member, sender)| Some((*member, sender.limit()?)));
        let behind: Vec<MemberId> =
            behind.filter(|(_, limit)| *limit <= now).map(|(member, _)| member).collect();
        for member in behind {
            let seconds = BEHIND_LIMIT.as_secs();
            tracing::warn!(
                ?member,
                seconds,
                "a session doesn't read what a shared server sends, so it is ended"
            );
            self.members.remove(&member);
            let left = self.connection.leave(member);
            if let Some(ending) = self.carry_out(left) {
                return Some(ending);
            }
        }
        self.members.is_empty().then_some(Ending::Unused { grace: FAILED_GRACE, done: None })
    }

    fn join(&mut self) -> Joined {
        self.last_member += 1;
        let member = MemberId(self.last_member);
        let (sender, events) = member::event_channel(Arc::clone(&self.room));
        self.connection.join(member);
        self.members.insert(member, sender);
        (MemberHandle::new(member, self.write_sender.clone(), self.command_sender.clone()), events)
    }

    fn on_command(&mut self, command: Command) -> Option<Ending> {
        match command {
            Command::Join { reply } => {
                // A handle that nobody takes leaves again when it is dropped.
                let _ = reply.send(self.join());
                None
            }
            Command::Leave { member, grace, done } => {
                // What a session wrote before it left goes out first: its goodbye is among it.
                while self.connection.is_ready()
                    && let Ok(write) = self.writes.try_recv()
                {
                    if let Some(ending) = self.on_write(write) {
                        return Some(ending);
                    }
                }
                let sender = self.members.remove(&member)?;
                let left = self.connection.leave(member);
                let ending = self.carry_out(left);
                sender.send(LinkEvent::Ended(LinkEnd::with(Exit::SUCCESS)));
                if ending.is_none() && self.members.is_empty() {
                    return Some(Ending::Unused { grace, done });
                }
                ending
            }
            Command::ShutDown { grace } => Some(Ending::ShutDown { grace }),
        }
    }

    fn on_write(&mut self, write: MemberWrite) -> Option<Ending> {
        let MemberWrite { member, outbound, done, .. } = write;
        if !self.members.contains_key(&member) {
            // The caller may have stopped waiting.
            let _ = done.send(Err(WriteError::Closed));
            return None;
        }
        let mut all = Routed::default();
        for outbound in outbound {
            let routed = self.connection.send(member, outbound);
            all.lines.extend(routed.lines);
            all.requests.extend(routed.requests);
            all.inbound.extend(routed.inbound);
            all.failed = all.failed.or(routed.failed);
        }
        let mut refused = Ok(());
        let mut written = Vec::new();
        for line in std::mem::take(&mut all.lines) {
            match self.wire.write(line) {
                Ok(line) => written.push(line),
                Err(error) => refused = refused.and(Err(error)),
            }
        }
        for request in std::mem::take(&mut all.requests) {
            let id = request.id;
            if let Err(error) = self.wire.request(request) {
                // The caller gets the error; the connection must not wait for a response.
                let result = Err(RpcError::new(INTERNAL_ERROR, error.to_string()));
                drop(self.connection.receive(Inbound::Rpc(RpcIn::Response { id, result })));
                refused = refused.and(Err(error));
            }
        }
        tokio::spawn(async move {
            let mut result = refused;
            for line in written {
                result = result.and(line.await);
            }
            let _ = done.send(result);
        });
        self.carry_out(all)
    }

    fn on_event(&mut self, event: Option<LinkEvent>) -> Option<Ending> {
        match event {
            Some(LinkEvent::Inbound(inbound)) => self.on_inbound(inbound),
            Some(LinkEvent::Stderr(line)) => {
                for sender in self.members.values() {
                    sender.send(LinkEvent::Stderr(line.clone()));
                }
                None
            }
            Some(LinkEvent::Ended(end)) => Some(Ending::Gone(end)),
            None => Some(Ending::Gone(LinkEnd::with(Exit::UNKNOWN))),
        }
    }

    fn on_inbound(&mut self, inbound: Inbound) -> Option<Ending> {
        let routed = self.connection.receive(inbound);
        self.carry_out(routed)
    }

    fn carry_out(&mut self, routed: Routed) -> Option<Ending> {
        let lines = routed.lines.into_iter().map(|line| self.wire.write(line).map(drop));
        let requests = routed.requests.into_iter().map(|request| self.wire.request(request));
        // A server whose input is closed ends, and its members receive that. One that doesn't read would wait forever.
        let unread =
            lines.chain(requests).find_map(|queued| queued.err().filter(|it| *it != WriteError::Closed));
        for (member, inbound) in routed.inbound {
            if let Some(sender) = self.members.get(&member) {
                sender.send(LinkEvent::Inbound(inbound));
            }
        }
        let failed = routed.failed.or_else(|| unread.map(|error| error.to_string()));
        failed.map(|reason| Ending::Failed { reason })
    }

    async fn end(mut self, ending: Ending) {
        // A session that wants to join from now on has to start another server.
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            drop(command);
        }
        let (end, done) = match ending {
            Ending::Gone(end) => (end, None),
            Ending::Failed { reason } => {
                let end = self.stop(FAILED_GRACE).await;
                let parts = [reason, end.stderr_tail].into_iter().filter(|part| !part.is_empty());
                let stderr_tail = parts.collect::<Vec<_>>().join("\n");
                // Even a clean exit is a failure for the sessions.
                let status = if end.status.is_success() { Exit::UNKNOWN } else { end.status };
                (LinkEnd { status, stderr_tail, ..end }, None)
            }
            Ending::Unused { grace, done } => {
                self.wire.stop(grace).await;
                (LinkEnd::with(Exit::SUCCESS), done)
            }
            Ending::ShutDown { grace } => (self.stop(grace).await, None),
        };
        for sender in self.members.values() {
            sender.send(LinkEvent::Ended(end.clone()));
        }
        // The last member waits for the end of the server, unless it has been dropped.
        done.map(|done| done.send(()));
    }

    async fn stop(&mut self, grace: Duration) -> LinkEnd {
        let (wire, events) = (&self.wire, &mut self.events);
        let read = async {
            while let Some(event) = events.recv().await {
                if let LinkEvent::Ended(end) = event {
                    return LinkEnd { unfinished: Vec::new(), ..end };
                }
            }
            LinkEnd::with(Exit::SUCCESS)
        };
        let ((), end) = tokio::join!(wire.stop(grace), read);
        end
    }
}
