//! What the window reports about itself.

use askdesk_domain::{RequestId, SessionId, Timestamp};

use crate::frame::Frame;
use crate::{AgentsFound, DraftsRead, SettingsRead, TranscriptPage};

wire! {
    /// Everything that the page shows first, in one message.
    struct PageStart {
        /// What the page's subscription begins with; later frames follow it.
        snapshot: Frame,
        /// Without the settings that the system did not apply, which takes longer to find out.
        settings: SettingsRead,
        /// None if the search takes longer than the first picture may wait.
        agents: Option<AgentsFound>,
        drafts: DraftsRead,
        /// The newest entries of the session that is shown first; none without a session.
        transcript: Option<FirstTranscript>,
    }

    /// The newest entries of the session that is shown first.
    struct FirstTranscript {
        session: SessionId,
        page: TranscriptPage,
    }

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
