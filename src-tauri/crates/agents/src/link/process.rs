//! A link by a process of the session's own.

use crate::adapter::{Inbound, Outbound};
use crate::error::WriteError;
use crate::link::{LinkEnd, LinkEvent};
use crate::supervisor::{AgentProcess, Output};

/// Queues lines for a process.
pub(super) fn write(
    process: &AgentProcess,
    outbound: Vec<Outbound>,
) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
    let queue = |outbound| match outbound {
        Outbound::Line(line) => Ok(process.write(line)),
        Outbound::Frame(_) => Err(WriteError::Io("this link takes lines, not frames".to_owned())),
    };
    let queued: Vec<_> = outbound.into_iter().map(queue).collect();
    async move {
        for line in queued {
            line?.await?;
        }
        Ok(())
    }
}

/// Says what a process's output is to its session.
pub(super) fn event(output: Output) -> LinkEvent {
    match output {
        Output::Line(line) => LinkEvent::Inbound(Inbound::Line(line)),
        Output::Overlong { bytes } => LinkEvent::Inbound(Inbound::Overlong { bytes }),
        Output::Stderr(line) => LinkEvent::Stderr(line),
        Output::End { unfinished, status, stderr_tail } => {
            LinkEvent::Ended(LinkEnd { unfinished, status, stderr_tail })
        }
    }
}
