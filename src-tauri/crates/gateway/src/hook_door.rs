//! The door for terminals: Claude Code's hook asks here while its own dialog stands, and whoever answers first wins. Other hooks
//! of it tell that the dialog was first.

use std::sync::Arc;
use std::time::Instant;

use askdesk_domain::{Channel, InboundClient};
use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use serde_json::Value;

use crate::arguments::Asking;
use crate::call::{Caller, read_body};
use crate::connections::Stays;
use crate::denied::Denied;
use crate::desk::Desk;
use crate::handover::Handover;
use crate::hook::{self, Called, nothing_to_say};

/// What a Claude Code in a terminal is called on the desk.
const TERMINAL: &str = "Claude Code";

/// Asks for a terminal, and returns what its hook hands back.
pub async fn ask(
    State(desk): State<Arc<Desk>>,
    Extension(handover): Extension<Handover>,
    body: Bytes,
) -> Result<Json<Value>, Denied> {
    let body = read_body(&body)?;
    let ask = match hook::read(&body) {
        Ok(Called::Asks(ask)) => ask,
        Ok(Called::Answered { session, drafts }) => {
            desk.terminals.answered(&session, &drafts);
            return Ok(Json(nothing_to_say()));
        }
        Ok(Called::Over { session }) => {
            desk.terminals.over(&session);
            return Ok(Json(nothing_to_say()));
        }
        Ok(Called::Otherwise) => return Ok(Json(nothing_to_say())),
        // The terminal shows it in its own way; there is nobody here to tell.
        Err(refusal) => {
            tracing::debug!(%refusal, "a terminal's question could not be shown");
            desk.metrics().called("hook", "refused");
            return Ok(Json(nothing_to_say()));
        }
    };
    let client = format!("terminal {} {}", ask.session, ask.folder.as_deref().unwrap_or_default());
    desk.pace.call(&client, Instant::now())?;
    let counted = Arc::new(desk.pace.open(&client)?);
    let caller = Caller {
        connection: client,
        stays: Stays::UntilItGoes,
        visitor: InboundClient {
            channel: Channel::TerminalHook,
            name: TERMINAL.to_owned(),
            version: None,
            folder: ask.folder.clone(),
        },
        again: None,
        counted,
        tool: "hook",
    };
    let dialog = desk.terminals.asks(&ask.session, &ask.drafts);
    let asking = Asking { questions: ask.questions.clone(), limit_seconds: None };
    let mut waiting = match desk.ask(caller, asking).await {
        Ok(waiting) => waiting,
        Err(denied) => {
            tracing::debug!(why = denied.message, "a terminal's question was not taken");
            return Ok(Json(nothing_to_say()));
        }
    };
    let outcome = tokio::select! {
        biased;
        // The terminal goes on with its own answer, so one that was given here at that moment would be said to nobody.
        () = dialog.answered() => {
            waiting.answered_elsewhere().await;
            return Ok(Json(nothing_to_say()));
        }
        outcome = waiting.end() => outcome,
        () = desk.closing.cancelled() => None,
    };
    let Some(outcome) = outcome else {
        waiting.leave().await;
        return Ok(Json(nothing_to_say()));
    };
    let output = ask.output(&outcome);
    // What the terminal tells of this question from here on is the answer that it gets now.
    drop(dialog);
    waiting.told(&outcome, Some(handover));
    Ok(Json(output))
}
