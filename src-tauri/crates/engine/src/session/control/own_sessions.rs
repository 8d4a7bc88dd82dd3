//! Sessions that were begun outside Askdesk: listing them, and what was said in one that is continued.

use std::sync::Arc;

use askdesk_agents::{Agent, OwnSession, OwnSessions, PastConversation, Said, Start, Unanswered, ask_server};
use askdesk_contract::{LogKind, OwnSessionsProblem};
use askdesk_domain::{AgentFailure, AgentId, EarlierMessages, EntryBody, NativeSession, Notice, SessionId};
use askdesk_user_environment::complete;

use super::{Sessions, not_prepared};
use crate::error::EngineError;
use crate::mailbox::EntryWrite;
use crate::mailbox::SessionCall;
use crate::slow_files::{FILES_LIMIT, on_slow_files};

/// Why an agent's sessions, or what was said in one, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum NotListed {
    #[error("{0}")]
    Agent(AgentFailure),
    /// In the words of the agent or the system.
    #[error("{0}")]
    Refused(String),
    #[error("nothing responded within {seconds} seconds")]
    TimedOut { seconds: u64 },
}

impl From<Unanswered> for NotListed {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::Failed(failure) => Self::Agent(failure),
            Unanswered::Refused(error) => Self::Refused(error.message),
            Unanswered::TimedOut { seconds } => Self::TimedOut { seconds },
        }
    }
}

impl Sessions {
    /// Lists the sessions that an agent keeps for the folder of a start and that are not on the desk, newest first.
    pub async fn list_own(
        &self,
        agent: &AgentId,
        start: Start,
    ) -> Result<Result<Vec<OwnSession>, NotListed>, EngineError> {
        let (known, agent) = (self.agent(agent)?, agent.clone());
        let here = self
            .engine
            .inspect(move |desk| -> Vec<NativeSession> {
                let own = desk.sessions().filter(|session| session.origin.agent() == Some(&agent));
                own.filter_map(|session| session.native_session.clone()).collect()
            })
            .await?;
        Ok(match self.read_own(known, start, ToRead::List { except: here.clone() }).await {
            Ok(Own::Listed(mut listed)) => {
                listed.retain(|session| !here.contains(&session.native_session));
                Ok(listed)
            }
            Ok(Own::Said(_)) => Ok(Vec::new()),
            Err(why) => Err(why),
        })
    }

    /// Writes what was said in a session before it was continued here.
    pub(super) async fn write_earlier(&self, id: SessionId, agent: Arc<dyn Agent>, start: Start) {
        let session = start.open.resumed().cloned();
        let wanted = session.map_or(ToRead::List { except: Vec::new() }, ToRead::Conversation);
        let (said, earlier) = match self.read_own(agent, start, wanted).await {
            Ok(Own::Said(conversation)) => {
                let earlier = earlier_of(&conversation);
                (conversation.said, earlier)
            }
            Ok(Own::Listed(_)) => (Vec::new(), EarlierMessages::Unread),
            Err(why) => {
                let text = format!("the earlier messages could not be read: {why}");
                self.logs.add(id, self.engine.clock().now(), LogKind::Note, &text);
                (Vec::new(), EarlierMessages::Unread)
            }
        };
        let mut writes: Vec<EntryWrite> =
            said.into_iter().map(|said| EntryWrite::New(entry_of(said))).collect();
        writes.push(EntryWrite::New(EntryBody::Notice { notice: Notice::BegunElsewhere { earlier } }));
        self.engine.write(id, writes).await;
    }

    /// Sends the first message of a continued session once the agent has it. If the agent ends before that, the transcript keeps
    /// the message.
    pub(super) fn send_once_resumed(&self, id: SessionId, prompt: Option<String>) {
        let Some(text) = prompt else { return };
        let sessions = self.clone();
        tokio::spawn(async move {
            if sessions.call(id, SessionCall::message(text.clone())).await.is_err() {
                let body = EntryBody::User { text, attachments: Vec::new() };
                sessions.engine.write(id, vec![EntryWrite::New(body)]).await;
            }
        });
    }

    /// Reads the list, or what was said in one session.
    pub(super) async fn read_own(
        &self,
        agent: Arc<dyn Agent>,
        start: Start,
        wanted: ToRead,
    ) -> Result<Own, NotListed> {
        // Without it, a program might not be found, or keep its sessions elsewhere.
        complete().await;
        let seconds = FILES_LIMIT.as_secs();
        let name = agent.descriptor().name.clone();
        let planned =
            on_slow_files(FILES_LIMIT, move || agent.own_sessions().map_or(Ok(None), |plan| plan(&start)))
                .await;
        let planned = planned.unwrap_or_else(|| Err(not_prepared(name))).map_err(NotListed::Agent)?;
        match planned {
            None => Ok(Own::Listed(Vec::new())),
            Some(OwnSessions::Files(files)) => {
                let read = move || match wanted {
                    ToRead::Conversation(session) => files.read(&session).map(Own::Said),
                    ToRead::List { except } => files.list(&except).map(Own::Listed),
                };
                let read = on_slow_files(FILES_LIMIT, read).await.ok_or(NotListed::TimedOut { seconds })?;
                read.map_err(|error| NotListed::Refused(error.to_string()))
            }
            Some(OwnSessions::Server { link, protocol }) => {
                let request = match &wanted {
                    ToRead::Conversation(session) => protocol.read(session),
                    ToRead::List { .. } => protocol.list(),
                };
                let link = self.links.open(*link).await.map_err(NotListed::Agent)?;
                let response = ask_server(link, request).await?;
                Ok(match wanted {
                    ToRead::Conversation(_) => Own::Said(protocol.conversation(&response)),
                    ToRead::List { .. } => Own::Listed(protocol.listed(&response)),
                })
            }
        }
    }
}

pub(super) const fn earlier_of(conversation: &PastConversation) -> EarlierMessages {
    if conversation.is_cut { EarlierMessages::Newest } else { EarlierMessages::All }
}

pub(super) fn entry_of(said: Said) -> EntryBody {
    match said {
        Said::User { text, .. } => EntryBody::User { text, attachments: Vec::new() },
        Said::Agent(text) => EntryBody::Agent { text },
        Said::Did(body) => *body,
    }
}

/// What is read of an agent's sessions.
pub(super) enum ToRead {
    /// The list of them. Those that count as known take no place in it.
    List {
        except: Vec<NativeSession>,
    },
    Conversation(NativeSession),
}

/// What was read of an agent's sessions.
pub(super) enum Own {
    Listed(Vec<OwnSession>),
    Said(PastConversation),
}

impl From<NotListed> for OwnSessionsProblem {
    fn from(why: NotListed) -> Self {
        match why {
            NotListed::Agent(why) => Self::Agent { why },
            NotListed::Refused(error) => Self::Refused { error },
            NotListed::TimedOut { seconds } => Self::TimedOut { seconds },
        }
    }
}
