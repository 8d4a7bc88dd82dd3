//! A screen that is served elsewhere: what it is asked waits there in order, and nobody waits for it.

use tokio::sync::mpsc;

use super::super::contract::Posted;
use super::Screen;

/// What is asked of a screen.
#[derive(Debug)]
pub enum Wish {
    /// Shows one under a number.
    Show(i32, Posted),
    /// Takes away what stands under some numbers.
    Remove(Vec<i32>),
}

/// The way to who serves it. At most one notification stands for each thing that waits, so what waits here needs no other bound.
pub struct Queue(mpsc::UnboundedSender<Wish>);

impl Queue {
    /// Makes one, with the end at which it is served.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Wish>) {
        let (wish, wishes) = mpsc::unbounded_channel();
        (Self(wish), wishes)
    }
}

impl Screen for Queue {
    fn show(&mut self, number: i32, posted: Posted) {
        // Nobody serves it any more when the app ends.
        let _ = self.0.send(Wish::Show(number, posted));
    }

    fn remove(&mut self, numbers: Vec<i32>) {
        let _ = self.0.send(Wish::Remove(numbers));
    }
}
