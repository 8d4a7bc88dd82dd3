//! The route of Claude Code's hooks. One hook asks while the terminal shows its own dialog, and the first answer wins. Other hooks
//! report that the dialog was answered first.

use std::sync::Arc;

use askdesk_domain::{Channel, InboundClient, Leave};
use axum::extract::State;
use axum::{Extension, Json};
use serde_json::Value;

use super::SharedState;
use crate::arguments::Asking;
use crate::call::{Asker, Caller};
use crate::connections::Lifetime;
use crate::error::HttpError;
use crate::guard::ManagedSession;
use crate::hook::{self, HookEvent, no_decision};
use crate::response_tracking::ResponseTracker;

/// The client name of a Claude Code in a terminal.
const CLIENT: &str = "Claude Code";

/// Handles a hook, and returns what it prints.
pub async fn ask(
    State(state): State<SharedState>,
    Extension(tracker): Extension<ResponseTracker>,
    Extension(body): Extension<Arc<Value>>,
    managed: Option<Extension<ManagedSession>>,
) -> Result<Json<Value>, HttpError> {
    if managed.is_some() {
        state.metrics.called("hook", "managed");
        // Askdesk runs this Claude Code, and the question reaches it as a permission request of that session.
        return Ok(Json(no_decision()));
    }
    let question = match hook::read(&body) {
        Ok(HookEvent::Asked(question)) => question,
        Ok(HookEvent::Answered { session, drafts }) => {
            state.hook_dialogs.answered(&session, &drafts);
            return Ok(Json(no_decision()));
        }
        Ok(HookEvent::TurnEnded { session }) => {
            state.hook_dialogs.session_ended_turn(&session);
            return Ok(Json(no_decision()));
        }
        Ok(HookEvent::Other) => return Ok(Json(no_decision())),
        // The terminal shows the question in its own dialog.
        Err(refusal) => {
            tracing::debug!(%refusal, "a terminal's question cannot be shown");
            state.metrics.called("hook", "refused");
            return Ok(Json(no_decision()));
        }
    };
    let folder = question.folder.clone();
    let connection = format!("terminal {} {}", question.session, folder.as_deref().unwrap_or_default());
    let (channel, name) = (Channel::TerminalHook, CLIENT.to_owned());
    let caller = Caller {
        open_question: state.count_question(&connection)?,
        asker: Asker::App { connection, lifetime: Lifetime::UntilClosed },
        client: InboundClient { channel, name, version: None, folder },
        again: None,
        tool: "hook",
    };
    let dialog = state.hook_dialogs.open(&question.session, &question.drafts);
    let asking = Asking { questions: question.questions.clone(), limit_seconds: None };
    let mut call = match state.ask(caller, asking).await {
        Ok(call) => call,
        Err(error) => {
            tracing::debug!(error = error.message, "a terminal's question was rejected");
            return Ok(Json(no_decision()));
        }
    };
    let outcome = tokio::select! {
        biased;
        // The terminal continues with its own answer and would ignore one that was given here at the same moment.
        () = dialog.answered() => {
            call.leave(Leave::AnsweredElsewhere).await;
            return Ok(Json(no_decision()));
        }
        outcome = call.outcome() => outcome,
        () = state.closing.cancelled() => None,
    };
    let Some(outcome) = outcome else {
        call.leave(Leave::Gone).await;
        return Ok(Json(no_decision()));
    };
    let decision = question.decision(&outcome);
    // From here on, a report that the dialog was answered is about the answer that the terminal gets now.
    drop(dialog);
    call.finish(&outcome, tracker);
    Ok(Json(decision))
}
