//! What the window reports about itself.

use askdesk_domain::{RequestId, SessionId, Timestamp};

wire! {
    /// Reports what the window shows, so that nobody is notified about what they are looking at.
    struct NoteView {
        /// The session in view; none on the start screen.
        session: Option<SessionId>,
        focused: bool,
    }

    /// Reports that something was painted, for measurements.
    struct NotePainted {
        /// The request; none is the window's first paint.
        request: Option<RequestId>,
        /// The time on the page's clock, because the report itself takes time.
        at: Timestamp,
    }
}
