//! One server for several sessions: who has a seat, what goes to whom, and when it ends.

mod seat;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::attached::Socket;
use super::{LinkEnd, LinkEvent};
use crate::adapter::Inbound;
use crate::connection::{Connection, Routed, Seat};
use crate::error::WriteError;
use crate::supervisor::{AgentProcess, Exit, Lines, Output, WRITE_QUEUE};

use seat::{Order, SeatSender, Write};
pub(super) use seat::{SeatEvents, SeatHandle, Seated};

/// How long a server that refused the handshake may take to end by itself.
const REFUSED_GRACE: Duration = Duration::from_secs(2);

/// The writing side of a server.
#[derive(Debug)]
pub(super) enum Wire {
    Process(AgentProcess),
    Socket(Socket),
}

impl Wire {
    fn write(&self, line: String) -> Pin<Box<dyn Future<Output = Result<(), WriteError>> + Send>> {
        match self {
            Self::Process(process) => Box::pin(process.write(line)),
            Self::Socket(socket) => Box::pin(socket.write(line)),
        }
    }

    /// Ends a server that we started, and lets go of another one.
    async fn stop(&self, grace: Duration) {
        match self {
            Self::Process(process) => process.stop(grace).await,
            Self::Socket(socket) => socket.close(grace).await,
        }
    }
}

/// The reading side of a server.
#[derive(Debug)]
pub(super) enum Source {
    Process(Lines),
    Socket(mpsc::Receiver<Output>),
}

impl Source {
    async fn next(&mut self) -> Option<Output> {
        match self {
            Self::Process(lines) => lines.next().await,
            Self::Socket(lines) => lines.recv().await,
        }
    }
}

/// A server that runs, for whoever wants a seat on it.
#[derive(Debug)]
pub(super) struct ServerHandle {
    orders: mpsc::UnboundedSender<Order>,
    ended: watch::Receiver<bool>,
}

impl ServerHandle {
    /// Takes a seat; none on a server that has ended or is about to.
    pub(super) async fn join(&self) -> Option<Seated> {
        let (reply, seated) = oneshot::channel();
        self.orders.send(Order::Join { reply }).ok()?;
        seated.await.ok()
    }

    pub(super) fn shut_down(&self, grace: Duration) {
        // One that has ended needs no order.
        let _ = self.orders.send(Order::ShutDown { grace });
    }

    /// Waits until the server has ended.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // An error means that it is gone.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

/// Begins the conversation with a server, and takes the first seat.
pub(super) fn serve(connection: Box<dyn Connection>, wire: Wire, source: Source) -> (ServerHandle, Seated) {
    let (orders_in, orders) = mpsc::unbounded_channel();
    let (writes_in, writes) = mpsc::channel(WRITE_QUEUE);
    let (gone, ended) = watch::channel(false);
    let mut server = Server {
        connection,
        wire,
        source,
        seats: BTreeMap::new(),
        seats_taken: 0,
        room: Arc::new(Notify::new()),
        orders_in: orders_in.clone(),
        orders,
        writes_in,
        writes,
    };
    let seated = server.seat();
    tokio::spawn(async move {
        server.run().await;
        gone.send_replace(true);
    });
    (ServerHandle { orders: orders_in, ended }, seated)
}

/// Why a server is done with.
#[derive(Debug)]
enum Ending {
    /// It ended, or the connection to it broke.
    Gone(LinkEnd),
    /// It cannot be spoken with.
    Refused { words: String },
    /// Nobody uses it any more.
    Unused { grace: Duration, done: Option<oneshot::Sender<()>> },
    /// The desk closes.
    ShutDown { grace: Duration },
}

#[derive(Debug)]
struct Server {
    connection: Box<dyn Connection>,
    wire: Wire,
    source: Source,
    seats: BTreeMap<Seat, SeatSender>,
    seats_taken: u64,
    /// Says that a session has read something, so that there may be room for more.
    room: Arc<Notify>,
    orders_in: mpsc::UnboundedSender<Order>,
    orders: mpsc::UnboundedReceiver<Order>,
    writes_in: mpsc::Sender<Write>,
    writes: mpsc::Receiver<Write>,
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
            // A session that does not read holds the server back. What is written goes on, so nobody waits in a circle.
            let full = self.seats.values().any(SeatSender::is_full);
            let ending = tokio::select! {
                biased;
                Some(order) = self.orders.recv() => self.on_order(order),
                Some(write) = self.writes.recv(), if self.connection.is_ready() => self.on_write(write),
                output = self.source.next(), if !full => self.on_output(output),
                () = self.room.notified(), if full => None,
            };
            if let Some(ending) = ending {
                return ending;
            }
        }
    }

    fn seat(&mut self) -> Seated {
        self.seats_taken += 1;
        let seat = Seat(self.seats_taken);
        let (sender, events) = seat::channel(Arc::clone(&self.room));
        self.connection.join(seat);
        self.seats.insert(seat, sender);
        (SeatHandle::new(seat, self.writes_in.clone(), self.orders_in.clone()), events)
    }

    fn on_order(&mut self, order: Order) -> Option<Ending> {
        match order {
            Order::Join { reply } => {
                // A seat that nobody takes is given up when it is dropped.
                let _ = reply.send(self.seat());
                None
            }
            Order::Leave { seat, grace, done } => {
                // What a session wrote before it left goes out first: its goodbye is among it.
                while self.connection.is_ready()
                    && let Ok(write) = self.writes.try_recv()
                {
                    if let Some(ending) = self.on_write(write) {
                        return Some(ending);
                    }
                }
                let sender = self.seats.remove(&seat)?;
                let left = self.connection.leave(seat);
                let ending = self.carry_out(left);
                sender.send(LinkEvent::Ended(given_up()));
                if ending.is_none() && self.seats.is_empty() {
                    return Some(Ending::Unused { grace, done });
                }
                ending
            }
            Order::ShutDown { grace } => Some(Ending::ShutDown { grace }),
        }
    }

    fn on_write(&mut self, write: Write) -> Option<Ending> {
        let Write { seat, outbound, done } = write;
        if !self.seats.contains_key(&seat) {
            // The caller need not wait.
            let _ = done.send(Err(WriteError::Closed));
            return None;
        }
        let mut all = Routed::default();
        for outbound in outbound {
            let routed = self.connection.send(seat, outbound);
            all.lines.extend(routed.lines);
            all.inbound.extend(routed.inbound);
            all.failed = all.failed.or(routed.failed);
        }
        let written: Vec<_> =
            std::mem::take(&mut all.lines).into_iter().map(|line| self.wire.write(line)).collect();
        tokio::spawn(async move {
            let mut result = Ok(());
            for line in written {
                result = result.and(line.await);
            }
            let _ = done.send(result);
        });
        self.carry_out(all)
    }

    fn on_output(&mut self, output: Option<Output>) -> Option<Ending> {
        match output {
            Some(Output::Line(line)) => self.on_inbound(Inbound::Line(line)),
            Some(Output::Overlong { bytes }) => self.on_inbound(Inbound::Overlong { bytes }),
            Some(Output::Stderr(line)) => {
                for sender in self.seats.values() {
                    sender.send(LinkEvent::Stderr(line.clone()));
                }
                None
            }
            Some(Output::End { unfinished, status, stderr_tail }) => {
                Some(Ending::Gone(LinkEnd { unfinished, status, stderr_tail }))
            }
            None => Some(Ending::Gone(LinkEnd {
                unfinished: Vec::new(),
                status: Exit { code: None, signal: None },
                stderr_tail: String::new(),
            })),
        }
    }

    fn on_inbound(&mut self, inbound: Inbound) -> Option<Ending> {
        let routed = self.connection.receive(inbound);
        self.carry_out(routed)
    }

    fn carry_out(&mut self, routed: Routed) -> Option<Ending> {
        for line in routed.lines {
            // It is queued here and now; a server that does not take it ends, and everybody hears of that.
            drop(self.wire.write(line));
        }
        for (seat, inbound) in routed.inbound {
            if let Some(sender) = self.seats.get(&seat) {
                sender.send(LinkEvent::Inbound(inbound));
            }
        }
        routed.failed.map(|words| Ending::Refused { words })
    }

    async fn end(mut self, ending: Ending) {
        // Whoever wants a seat from now on has to start another server.
        self.orders.close();
        while let Ok(order) = self.orders.try_recv() {
            drop(order);
        }
        let (end, done) = match ending {
            Ending::Gone(end) => (end, None),
            Ending::Refused { words } => {
                let end = self.stop(REFUSED_GRACE).await;
                let said = [words, end.stderr_tail].into_iter().filter(|said| !said.is_empty());
                let stderr_tail = said.collect::<Vec<_>>().join("\n");
                // However politely it ended, to its sessions it did not finish.
                let status =
                    if end.status.is_success() { Exit { code: None, signal: None } } else { end.status };
                (LinkEnd { status, stderr_tail, ..end }, None)
            }
            Ending::Unused { grace, done } => {
                self.wire.stop(grace).await;
                (given_up(), done)
            }
            Ending::ShutDown { grace } => (self.stop(grace).await, None),
        };
        for sender in self.seats.values() {
            sender.send(LinkEvent::Ended(end.clone()));
        }
        // Whoever left last waits for the server's end, unless it has given up.
        done.map(|done| done.send(()));
    }

    async fn stop(&mut self, grace: Duration) -> LinkEnd {
        let (wire, source) = (&self.wire, &mut self.source);
        let read = async {
            while let Some(output) = source.next().await {
                if let Output::End { status, stderr_tail, .. } = output {
                    return LinkEnd { unfinished: Vec::new(), status, stderr_tail };
                }
            }
            given_up()
        };
        let ((), end) = tokio::join!(wire.stop(grace), read);
        end
    }
}

/// The end of a seat that was given up, or of a connection that was closed.
const fn given_up() -> LinkEnd {
    LinkEnd {
        unfinished: Vec::new(),
        status: Exit { code: Some(0), signal: None },
        stderr_tail: String::new(),
    }
}
