//! What the window reports about itself.

use std::time::Duration;

use askdesk_domain::{Session, SessionId, SessionState};
use askdesk_engine::frame::Frame;
use askdesk_engine::{EngineError, Subscription};
use tokio::time::timeout;

use crate::api::{Api, View};
use crate::dto::*;
use crate::error::Error;

/// How long the first picture may wait for the search for agents.
const AGENTS_LIMIT: Duration = Duration::from_millis(50);
/// How many entries of its transcript the page shows first.
const FIRST_ENTRIES: u32 = 200;

impl Api {
    /// Returns what the page shows first, and the subscription that follows it.
    pub async fn start_page(&self) -> Result<(PageStart, Subscription), Error> {
        let mut frames = self.engine.subscribe().await?;
        let snapshot = frames.next().await.ok_or(EngineError::Closing)?;
        let first = match &snapshot {
            Frame::Snapshot(now) => first_shown(&now.sessions),
            Frame::Delta(_) => None,
        };
        let (settings, drafts, agents, transcript) = tokio::join!(
            self.settings_in_force(),
            self.read_drafts(ReadDrafts {}),
            timeout(AGENTS_LIMIT, self.list_agents(ListAgents { latest: false })),
            self.first_transcript(first),
        );
        let agents = agents.ok().transpose()?;
        let (settings, drafts, transcript) = (settings?, drafts?, transcript?);
        Ok((PageStart { snapshot, settings, agents, drafts, transcript }, frames))
    }

    async fn first_transcript(&self, first: Option<SessionId>) -> Result<Option<FirstTranscript>, Error> {
        let Some(session) = first else { return Ok(None) };
        let page =
            self.read_transcript(ReadTranscript { session, before: None, limit: FIRST_ENTRIES }).await?;
        Ok(Some(FirstTranscript { session, page }))
    }

    pub async fn note_view(&self, input: NoteView) -> Result<Done, Error> {
        self.view.send_replace(View { session: input.session, focused: input.focused });
        Ok(Done {})
    }

    pub async fn note_painted(&self, input: NotePainted) -> Result<Done, Error> {
        self.host.painted(input);
        Ok(Done {})
    }
}

/// Chooses the session that a window without a past shows: one that runs, or else the newest.
fn first_shown(sessions: &[Session]) -> Option<SessionId> {
    let running = sessions.iter().find(|session| !matches!(session.state, SessionState::Ended { .. }));
    running.or(sessions.last()).map(|session| session.id)
}
