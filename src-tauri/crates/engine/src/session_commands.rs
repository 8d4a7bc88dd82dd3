//! The agents' own commands, as they were last told. They are kept for this run, after a session's end too.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{AgentCommand, SessionId};
use tokio::sync::watch;
use tokio::time::timeout;

/// How long an agent that runs may take to tell of its commands.
const TOLD_LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub(crate) struct SessionCommands {
    known: Arc<watch::Sender<HashMap<SessionId, Vec<AgentCommand>>>>,
}

impl SessionCommands {
    pub(crate) fn set(&self, session: SessionId, commands: Vec<AgentCommand>) {
        self.known.send_modify(|known| {
            known.insert(session, commands);
        });
    }

    pub(crate) fn remove(&self, session: SessionId) {
        self.known.send_modify(|known| {
            known.remove(&session);
        });
    }

    /// Returns what a session's agent told; none if it told nothing.
    pub(crate) fn of(&self, session: SessionId) -> Vec<AgentCommand> {
        self.known.borrow().get(&session).cloned().unwrap_or_default()
    }

    /// Waits until a session's agent has told of its commands, but not for long.
    pub(crate) async fn told(&self, session: SessionId) {
        let mut known = self.known.subscribe();
        let _ = timeout(TOLD_LIMIT, known.wait_for(|known| known.contains_key(&session))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_asks_early_waits_for_the_agent() {
        let (commands, session) = (SessionCommands::default(), SessionId::new(uuid::Uuid::from_u128(1)));
        let told = tokio::spawn({
            let commands = commands.clone();
            async move {
                commands.told(session).await;
                commands.of(session)
            }
        });
        tokio::task::yield_now().await;
        let review = AgentCommand::new("review", "", "").unwrap();
        commands.set(session, vec![review.clone()]);
        assert_eq!(told.await.unwrap(), [review]);
        commands.remove(session);
        assert_eq!(commands.of(session), []);
    }
}
