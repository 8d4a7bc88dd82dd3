//! Messages of the user, with their attachments.

use askdesk_agents::{Action, Attached};
use askdesk_contract::LogKind;
use askdesk_domain::{
    Attachment, DeliveryError, EntryBody, MessageId, NamedBy, Notice, QueueCommand, Rejection,
    RequestCommand, SessionCommand, SessionId, Timestamp, ValidationError, attachment, name_of_message,
};
use uuid::Uuid;

use super::pending::{Again, WriteSubject};
use super::task::SessionTask;
use crate::delivery_error::{rejected, unread};
use crate::error::EngineError;
use crate::images::Images;
use crate::mailbox::Message;

impl SessionTask {
    /// Ends the requests that the message closes, tells the agent, and only then sends the message. If an attachment
    /// is missing, nothing changes. Returns whether the agent took the message; if not, the transcript says so.
    pub(super) async fn send_message(&mut self, message: Message) -> Result<bool, EngineError> {
        let Message { text, attachments, closes } = message;
        let attached = self.read(&attachments).await?;
        self.mark_files(self.engine.clock().now()).await;
        let at = self.engine.clock().now();
        let said = attachment::in_words(&text, &attachments);
        let closes_nothing = closes.is_empty();
        let reply = RequestCommand::ReplyInChat { session: self.id, requests: closes, text: said, at };
        self.engine.act(reply).await?;
        self.on_already_resolved().await;
        let body = EntryBody::User { text: text.clone(), attachments };
        match closes_nothing {
            true => self.engine.write_now(self.id, body).await?,
            // The ended questions already have the message.
            false => self.write_entry(body).await,
        }
        self.name_after(&text).await;
        Ok(self.send_words(text, attached).await)
    }

    /// Sends the message that a session begins with.
    pub(super) async fn send_first(&mut self, text: String) {
        // The transcript has it already. Under a later time, the files would count as recorded before the next message.
        if let Some(at) = self.last_said().await {
            self.mark_files(at).await;
        }
        self.turn.first_sent = self.send_words(text, Attached::default()).await;
    }

    /// Sends the oldest queued message if the agent is idle. If that fails, it stays queued, and the transcript
    /// says why.
    pub(super) async fn send_next_queued(&mut self) {
        match self.send_queued(None).await {
            Ok(()) => {}
            Err(error @ EngineError::Reject(Rejection::Invalid { .. })) => {
                self.write_notice(Notice::MessageNotSent { error: rejected(error) }).await;
            }
            Err(EngineError::Journal(_)) => self.pending.add_again(Again::SendQueued),
            Err(error) => self.note(LogKind::Note, &error.to_string()),
        }
    }

    /// Sends a queued message. It moves from the queue to the transcript in one step, so it is sent once.
    pub(super) async fn send_queued(&mut self, now: Option<MessageId>) -> Result<(), EngineError> {
        let queue = self.engine.session(self.id).await?.queue;
        let next = match now {
            Some(id) => queue.into_iter().find(|message| message.id == id),
            None => queue.into_iter().next(),
        };
        // Attachments are read before the message leaves the queue: if that fails, it must stay queued.
        let read = match &next {
            Some(message) => self.read(&message.attachments).await?,
            None => Attached::default(),
        };
        self.mark_files(self.engine.clock().now()).await;
        let applied = self.engine.act(QueueCommand::Send { session: self.id, now }).await?;
        let Some(message) = applied.sent else { return Ok(()) };
        self.name_after(&message.text).await;
        let working = std::mem::replace(&mut self.turn.is_running, true);
        // Another message may have become the first meanwhile.
        let attached = match next {
            Some(next) if next.id == message.id => Ok(read),
            _ => self.read(&message.attachments).await,
        };
        let sent = match attached {
            Ok(attached) => self.send_words(message.text, attached).await,
            Err(error) => {
                self.write_notice(Notice::MessageNotSent { error: rejected(error) }).await;
                false
            }
        };
        if !sent {
            self.set_working(working).await;
        }
        Ok(())
    }

    /// Names the session after its first message, unless it has a better name than that of its folder.
    async fn name_after(&mut self, text: &str) {
        if let Some(name) = name_of_message(text) {
            self.record(SessionCommand::SuggestName { session: self.id, name, by: NamedBy::Message }).await;
        }
    }

    /// Returns when the user said the last message of the transcript.
    async fn last_said(&mut self) -> Option<Timestamp> {
        Some(self.engine.user_messages(self.id).await.ok()?.last()?.at)
    }

    /// Records the files as they are before a message begins a turn: under a time after the message before, and not after this one.
    async fn mark_files(&mut self, at: Timestamp) {
        if !self.turn.is_running {
            self.engine.changes().mark(self.id, at).await;
        }
    }

    /// Returns whether the agent accepts such a message; if not, the transcript says so.
    async fn send_words(&mut self, text: String, attached: Attached) -> bool {
        let action = Action::Message { id: Uuid::new_v4(), text, attached };
        let Err(error) = self.try_send(WriteSubject::Message, action).await else { return true };
        self.write_notice(Notice::MessageNotSent { error: error.to_string().into() }).await;
        false
    }

    /// Reads images and checks that files still exist, on a thread that may block.
    fn read(
        &self,
        attachments: &[Attachment],
    ) -> impl Future<Output = Result<Attached, EngineError>> + Send + use<> {
        let (session, images) = (self.id, self.engine.images().clone());
        let attachments = attachments.to_vec();
        async move {
            if attachments.is_empty() {
                return Ok(Attached::default());
            }
            let read = move || read(&images, session, &attachments);
            tokio::task::spawn_blocking(read).await.map_err(|_| EngineError::Closing)?
        }
    }
}

/// Reads images and checks that files still exist.
fn read(images: &Images, session: SessionId, attachments: &[Attachment]) -> Result<Attached, EngineError> {
    let mut attached = Attached::default();
    for attachment in attachments {
        match attachment {
            Attachment::Image { image, format, name, .. } => {
                let bytes = images.read(session, *image, name).map_err(|error| missing(unread(error)))?;
                attached.images.push((*format, bytes));
            }
            Attachment::File { path, .. } => match std::fs::metadata(path) {
                Ok(_) => attached.files.push(path.clone()),
                Err(error) => {
                    let (path, error) = (path.clone(), error.to_string());
                    return Err(missing(DeliveryError::FileUnreadable { path, error }));
                }
            },
        }
    }
    Ok(attached)
}

fn missing(why: DeliveryError) -> EngineError {
    Rejection::invalid("attachments", ValidationError::Attached { why }).into()
}
