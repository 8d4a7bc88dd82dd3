//! What the window reports about itself.

use std::time::Duration;

use askdesk_contract::frame::Frame;
use askdesk_contract::*;
use askdesk_domain::{Session, SessionId, SessionState};
use tokio::time::timeout;

use crate::api::Api;

/// How long the first picture may wait for the search for agents.
const AGENTS_LIMIT: Duration = Duration::from_millis(50);
/// How many entries of its transcript the page shows first.
const FIRST_ENTRIES: u32 = 200;

impl Api {
    /// Returns what the page shows first, with the snapshot that its subscription begins with.
    pub async fn start_page(&self, snapshot: Frame) -> Result<PageStart, Error> {
        let first = match &snapshot {
            Frame::Snapshot(now) => first_shown(&now.sessions),
            Frame::Delta(_) => None,
        };
        let (settings, drafts, agents, transcript) = tokio::join!(
            self.settings_in_force(),
            self.engine.drafts(),
            timeout(AGENTS_LIMIT, self.list_agents(false)),
            self.first_transcript(first),
        );
        let agents = agents.ok().transpose()?;
        let (settings, drafts, transcript) = (settings?, DraftsRead { drafts: drafts? }, transcript?);
        Ok(PageStart { snapshot, settings, agents, drafts, transcript })
    }

    async fn first_transcript(&self, first: Option<SessionId>) -> Result<Option<FirstTranscript>, Error> {
        let Some(session) = first else { return Ok(None) };
        let page = self.engine.page(session, None, FIRST_ENTRIES).await?;
        Ok(Some(FirstTranscript { session, page }))
    }
}

/// Chooses the session that a window without a past shows: one that runs, or else the newest.
fn first_shown(sessions: &[Session]) -> Option<SessionId> {
    let running = sessions.iter().find(|session| !matches!(session.state, SessionState::Ended { .. }));
    running.or(sessions.last()).map(|session| session.id)
}
