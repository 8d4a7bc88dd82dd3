//! What the user or the log should know besides.

use askdesk_agents::{Inbound, InputError, Trouble};
use askdesk_contract::LogKind;
use askdesk_domain::text::bounded;
use askdesk_domain::{AgentFailure, Notice};

use super::task::{STOP_GRACE, SessionTask};

impl SessionTask {
    pub(super) async fn on_trouble(&mut self, event: Trouble, inbound: Option<&Inbound>) {
        match event {
            Trouble::Noticed { notice } => match notice {
                Notice::LoginRejected { error } => self.on_login_rejected(error).await,
                Notice::QuestionRefused { reason } => self.note_refused(reason).await,
                notice => self.write_notice(notice).await,
            },
            Trouble::SessionUnknown { error } => {
                self.session_unknown = true;
                self.note(LogKind::Note, &error);
                // A server that other sessions share keeps running.
                self.agent.link.stop(STOP_GRACE).await;
            }
            Trouble::StartRefused { why, error } => {
                self.start_refused = Some(AgentFailure::StartRefused { why, said: error });
            }
            Trouble::InvalidInput { why } => self.on_unusable(why, inbound).await,
        }
    }

    pub(super) async fn note_refused(&mut self, reason: String) {
        self.note(LogKind::Refused, &reason);
        self.write_notice(Notice::QuestionRefused { reason }).await;
    }

    /// An agent that keeps an old sign-in takes a new one only when it is restarted.
    async fn on_login_rejected(&mut self, error: String) {
        let sign_in = self.agent.sign_in.clone();
        let changed = tokio::task::spawn_blocking(move || sign_in.is_some_and(|it| it.has_changed()));
        let notice = match changed.await {
            Ok(true) => Notice::SignInChanged { error },
            _ => Notice::LoginRejected { error },
        };
        self.write_notice(notice).await;
    }

    async fn on_unusable(&mut self, why: InputError, inbound: Option<&Inbound>) {
        let quoted = inbound.map(Inbound::quoted).unwrap_or_default();
        self.note(LogKind::Unusable, format!("{why}: {quoted}").trim_end_matches(": "));
        self.unusable.add();
        match why {
            InputError::CutInHalf => self.write_notice(Notice::CutInHalf).await,
            InputError::RequestRefused { kind } => {
                let text = bounded(&quoted);
                self.write_notice(Notice::NotUnderstood { kind, text, refused: true }).await;
            }
            _ => {}
        }
    }
}
