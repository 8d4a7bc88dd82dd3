//! Lines of an agent that nobody could read, counted together.

use std::time::Duration;

use tokio::time::Instant;

/// How long unusable lines are counted before they are recorded, so that many of them become one event.
const COUNT_DELAY: Duration = Duration::from_millis(200);

#[derive(Debug, Default)]
pub(super) struct UnusableLines {
    count: u64,
    /// When the count is recorded.
    pub(super) due: Option<Instant>,
}

impl UnusableLines {
    pub(super) fn add(&mut self) {
        self.count += 1;
        self.due.get_or_insert_with(|| Instant::now() + COUNT_DELAY);
    }

    /// Returns how many came since the last count.
    pub(super) fn take(&mut self) -> u64 {
        std::mem::take(self).count
    }
}
