//! Bounds what is queued, in number and in bytes.

use std::mem::size_of;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::adapter::{Inbound, Outbound};
use crate::link_event::LinkEvent;
use crate::rpc::{RpcError, RpcMessage};

/// The room of a queue. A message of any size fits where nothing else is queued.
#[derive(Debug)]
pub(crate) struct Room {
    most: usize,
    most_bytes: usize,
    held: Mutex<Queued>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    count: usize,
    bytes: usize,
}

/// The place of one message; dropping it makes room.
#[derive(Debug)]
pub(crate) struct HeldRoom {
    room: Arc<Room>,
    bytes: usize,
}

impl Room {
    pub(crate) fn new(most: usize, most_bytes: usize) -> Arc<Self> {
        Arc::new(Self { most, most_bytes, held: Mutex::default() })
    }

    /// Takes a place. Where there is none, returns how many messages are queued.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Result<HeldRoom, usize> {
        let mut held = self.lock();
        let is_over = held.count >= self.most || held.bytes.saturating_add(bytes) > self.most_bytes;
        if held.count > 0 && is_over {
            return Err(held.count);
        }
        held.count += 1;
        held.bytes += bytes;
        Ok(HeldRoom { room: Arc::clone(self), bytes })
    }

    /// Takes a place even if there is none.
    pub(crate) fn take_anyway(self: &Arc<Self>, bytes: usize) -> HeldRoom {
        let mut held = self.lock();
        held.count += 1;
        held.bytes += bytes;
        HeldRoom { room: Arc::clone(self), bytes }
    }

    pub(crate) fn is_full(&self) -> bool {
        let held = self.lock();
        held.count >= self.most || held.bytes >= self.most_bytes
    }

    pub(crate) fn is_half_empty(&self) -> bool {
        let held = self.lock();
        held.count <= self.most / 2 && held.bytes <= self.most_bytes / 2
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queued> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldRoom {
    fn drop(&mut self) {
        let mut held = self.room.lock();
        held.count -= 1;
        held.bytes -= self.bytes;
    }
}

/// Returns about how much memory a value takes, in bytes.
pub(crate) fn bytes_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| size_of::<String>() + name.len() + bytes_of(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}

impl LinkEvent {
    pub(crate) fn bytes(&self) -> usize {
        let inside = match self {
            Self::Inbound(Inbound::Line(line) | Inbound::Abridged { line, .. }) => line.len(),
            Self::Inbound(Inbound::End { unfinished }) => unfinished.len(),
            Self::Inbound(Inbound::Rpc(message)) => message.bytes(),
            Self::Stderr(line) => line.len(),
            Self::Ended(end) => end.unfinished.len() + end.stderr_tail.len(),
        };
        size_of::<Self>() + inside
    }
}

impl Outbound {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Line(line) => line.len(),
            Self::Rpc(message) => message.bytes(),
        }
    }
}

impl<RequestId, ResponseId> RpcMessage<RequestId, ResponseId> {
    fn bytes(&self) -> usize {
        match self {
            Self::Request { method, params, .. } | Self::Notification { method, params } => {
                method.len() + bytes_of(params)
            }
            Self::Response { result: Ok(result), .. } => bytes_of(result),
            Self::Response { result: Err(RpcError { message, data, .. }), .. } => {
                message.len() + data.as_ref().map_or(0, bytes_of)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_room_is_bounded_in_number_and_in_bytes_and_takes_one_message_of_any_size() {
        let room = Room::new(2, 100);
        let large = room.take(1_000).unwrap();
        assert_eq!(room.take(0).unwrap_err(), 1);
        drop(large);
        let (first, _second) = (room.take(60).unwrap(), room.take(40).unwrap());
        assert_eq!(room.take(0).unwrap_err(), 2);
        assert!(room.is_full() && !room.is_half_empty());
        drop(first);
        assert_eq!(room.take(61).unwrap_err(), 1);
        assert!(!room.is_full() && room.is_half_empty());
        let _anyway = (room.take_anyway(500), room.take_anyway(0));
        assert!(room.is_full());
        let wide = Room::new(100, 100);
        let (_kept, large) = (wide.take_anyway(51), wide.take_anyway(49));
        assert!(wide.is_full() && !wide.is_half_empty(), "in bytes");
        drop(large);
        assert!(!wide.is_full() && !wide.is_half_empty());
    }

    #[test]
    fn a_value_counts_with_all_that_is_inside() {
        let text = "x".repeat(1000);
        let value = json!({"list": [text, {"deep": text}], "number": 1});
        assert!((2_000..3_000).contains(&bytes_of(&value)), "{}", bytes_of(&value));
    }
}
