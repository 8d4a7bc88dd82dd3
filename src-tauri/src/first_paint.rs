//! The first paint. Everything that the window does not need starts after it, so as not to delay it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// After this time, notifications, the tray and the gateway start without a paint.
const TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct FirstPaint {
    painted: Mutex<bool>,
    noted: Condvar,
}

impl FirstPaint {
    /// Blocks until the first paint. Must not be called on the main thread or in an async task.
    pub fn wait(&self) {
        let painted = self.painted.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.noted.wait_timeout_while(painted, TIMEOUT, |painted| !*painted));
    }

    pub fn note(&self) {
        *self.painted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.noted.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;

    #[test]
    fn who_waits_goes_on_once_it_is_painted_and_does_not_wait_again() {
        let paint = Arc::new(FirstPaint::default());
        let waits = Arc::clone(&paint);
        let began = Instant::now();
        let waiting = std::thread::spawn(move || {
            waits.wait();
            began.elapsed()
        });
        std::thread::sleep(Duration::from_millis(50));
        paint.note();
        assert!(waiting.join().unwrap() >= Duration::from_millis(50), "it had not been painted yet");
        paint.wait();
        assert!(*paint.painted.lock().unwrap());
    }

    #[test]
    fn a_page_that_does_not_come_is_not_waited_for_without_end() {
        let began = Instant::now();
        FirstPaint::default().wait();
        assert!(began.elapsed() >= TIMEOUT);
    }
}
