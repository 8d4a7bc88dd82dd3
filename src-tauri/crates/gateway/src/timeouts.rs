use std::time::Duration;

use askdesk_mcp_tools::shown::PROGRESS;

/// The gateway's timeouts. Tests use shorter ones.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// How often a waiting caller gets a progress report.
    pub progress: Duration,
    /// How long a client may take to name its folder.
    pub roots: Duration,
    /// How long the head of a request may take, and how long an idle connection is kept.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long closing waits for open calls to end.
    pub closing: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            progress: PROGRESS,
            roots: Duration::from_secs(2),
            head: Duration::from_secs(15),
            body: Duration::from_secs(10),
            closing: Duration::from_millis(800),
        }
    }
}
