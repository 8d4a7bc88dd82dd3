//! Lists, answers and declines open requests for the command line, and returns the answers to earlier questions.

use std::sync::Arc;

use askdesk_domain::{
    AnswerId, AnswerInput, Desk, EndInput, NativeRef, Outcome, PendingItem, Question, QuestionId,
    QuestionKind, Rejection, Request, RequestId, Session, pending,
};
use askdesk_engine::{EngineError, InboundStatus};
use askdesk_mcp_tools::CallResult;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::SharedState;
use crate::arguments;
use crate::error::HttpError;
use crate::guard::{ManagedSession, parse_body};
use crate::response_tracking::ResponseTracker;
use crate::result;
use crate::state::GatewayState;

/// The longest title of a permission request, in characters.
const TITLE_CHARS: usize = 200;

#[derive(Debug, Deserialize)]
struct AnswerBody {
    answers: Vec<AnswerToQuestion>,
    /// The caller's own id of its answer, to look it up.
    #[serde(default)]
    id: Option<AnswerId>,
}

#[derive(Debug, Deserialize)]
struct AnswerToQuestion {
    question: Value,
    #[serde(default)]
    chosen: Vec<String>,
    other: Option<String>,
    note: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct DeclineBody {
    words: Option<String>,
    /// The caller's own id of its answer, to look it up.
    #[serde(default)]
    id: Option<AnswerId>,
}

/// Lists what needs the user, by kind, each oldest first. Only the open requests can be answered here.
pub async fn list(State(state): State<SharedState>) -> Result<Json<Value>, HttpError> {
    Ok(Json(state.engine.inspect(listing).await?))
}

fn listing(desk: &Desk) -> Value {
    let (mut requests, mut permissions, mut undelivered) = (Vec::new(), Vec::new(), Vec::new());
    let requests_shown = desk.requests().filter(|request| !desk.is_closed(request.session));
    let approvals_shown = desk.approvals().filter(|approval| !desk.is_closed(approval.session));
    for item in pending(requests_shown, approvals_shown) {
        match item {
            PendingItem::Question(id) => {
                let Some(request) = desk.request(id) else { continue };
                let kind = if request.is_open() { &mut requests } else { &mut undelivered };
                kind.extend(desk.session(request.session).map(|session| listed(request, session)));
            }
            PendingItem::Permission(id) => {
                let Some(approval) = desk.approval(id) else { continue };
                permissions.extend(desk.session(approval.session).map(|session| {
                    json!({
                        "permissionId": id,
                        "session": session_of(session),
                        "askedAt": approval.asked_at,
                        "title": approval.name(TITLE_CHARS),
                    })
                }));
            }
        }
    }
    json!({"requests": requests, "permissions": permissions, "undelivered": undelivered})
}

fn session_of(session: &Session) -> Value {
    json!({"name": session.name, "agent": session.origin.word(), "folder": session.folder})
}

/// Returns how a request ended, and the id of the answer that ended it. A caller whose connection was lost looks up its answer.
pub async fn find(
    State(state): State<SharedState>,
    Path(id): Path<String>,
) -> Result<Json<Value>, HttpError> {
    let request = state.engine.request(known(&id)?).await?;
    let Some(ended) = request.ended() else {
        return Ok(Json(json!({"outcome": "open", "requestId": request.id})));
    };
    let mut found = result::of(request.id, &request.questions, &ended.outcome).structured;
    found["id"] = json!(ended.answer);
    Ok(Json(found))
}

/// Answers a request, as the user does in the window.
pub async fn answer(
    State(state): State<SharedState>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, HttpError> {
    let id = known(&id)?;
    let body: AnswerBody = parse_body(&body).map_err(HttpError::invalid)?;
    let questions = state.engine.request(id).await?.questions;
    let answers = body.answers.iter().enumerate();
    let answers = answers.map(|(index, answer)| checked(index, answer, &questions));
    let end = EndInput::Answered { answers: answers.collect::<Result<_, _>>()? };
    Ok(ended(state.engine.end_as(id, end, body.id).await))
}

pub async fn decline(
    State(state): State<SharedState>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, HttpError> {
    let id = known(&id)?;
    let body: DeclineBody = parse_body(&body).map_err(HttpError::invalid)?;
    let end = EndInput::Declined { words: body.words };
    Ok(ended(state.engine.end_as(id, end, body.id).await))
}

impl GatewayState {
    /// Returns the outcome of an earlier request for `collect_answer`, and saves that a late answer was delivered.
    pub(crate) async fn collect(
        self: &Arc<Self>,
        arguments: &Value,
        managed: Option<ManagedSession>,
        tracker: ResponseTracker,
    ) -> Result<CallResult, HttpError> {
        let id = arguments::read_request_id(arguments)
            .map_err(|refusal| HttpError::invalid(refusal.to_string()))?;
        tracker.answer_follows();
        match self.inbound.collect(id, managed.map(|ManagedSession(session)| session)).await {
            Err(EngineError::Reject(Rejection::NotFound { .. })) => Err(HttpError::new(
                StatusCode::NOT_FOUND,
                "There is no question with this requestId in Askdesk. Ask again if you still need the answer.",
            )),
            Err(error) => Err(error.into()),
            Ok(InboundStatus::Open) => Ok(CallResult::open(id)),
            Ok(InboundStatus::Ended(outcome)) => {
                let questions = self.engine.request(id).await?.questions;
                self.save_delivery(id, &outcome, tracker);
                Ok(result::of(id, &questions, &outcome))
            }
        }
    }

    fn save_delivery(self: &Arc<Self>, id: RequestId, outcome: &Outcome, tracker: ResponseTracker) {
        let is_answer = matches!(
            outcome,
            Outcome::Answered { .. } | Outcome::Declined { .. } | Outcome::RepliedInChat { .. }
        );
        let Some(native_ref) = NativeRef::new(format!("collect {}", Uuid::new_v4())).filter(|_| is_answer)
        else {
            return;
        };
        let state = Arc::clone(self);
        tokio::spawn(async move {
            if tracker.delivered().await
                && let Err(error) = state.inbound.note_delivered(id, native_ref, Ok(())).await
            {
                tracing::debug!(%error, "the delivery of a late answer was not saved");
            }
        });
    }
}

fn known(id: &str) -> Result<RequestId, HttpError> {
    id.parse().map_err(|_| HttpError::new(StatusCode::NOT_FOUND, "there is no request with this ID"))
}

fn ended(request: Result<Request, EngineError>) -> Response {
    match request {
        Ok(request) => match request.ended() {
            Some(ended) => {
                Json(result::of(request.id, &request.questions, &ended.outcome).structured).into_response()
            }
            None => Json(json!({"outcome": "open", "requestId": request.id})).into_response(),
        },
        Err(EngineError::Reject(Rejection::AlreadyEnded { by, at })) => {
            let message = "the request has already ended in another way";
            let body = json!({"error": "already_ended", "message": message, "by": by, "at": at});
            (StatusCode::CONFLICT, Json(body)).into_response()
        }
        Err(error) => HttpError::from(error).into_response(),
    }
}

fn checked(
    index: usize,
    answer: &AnswerToQuestion,
    questions: &[Question],
) -> Result<AnswerInput, HttpError> {
    let field = |name: &str| format!("answers[{index}].{name}");
    let place = match &answer.question {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::String(text) => match text.parse::<QuestionId>() {
            Ok(id) => Some(id.index() + 1),
            Err(_) => text.trim().parse().ok(),
        },
        _ => None,
    };
    let question = place.and_then(|place| questions.get(place.checked_sub(1)?)).ok_or_else(|| {
        let rule = format!("must be a question's ID, or its number from 1 to {}", questions.len());
        HttpError::invalid(format!("{}: {rule}", field("question")))
    })?;
    if question.kind == QuestionKind::Secret {
        let rule = "a secret can only be given in the window of Askdesk";
        return Err(HttpError::invalid(format!("{}: {rule}", field("question"))));
    }
    let chosen = answer.chosen.iter().enumerate().map(|(place, wanted)| {
        let by_id = wanted.parse().ok().filter(|id| question.option(*id).is_some());
        let mut labeled = question.options.iter().filter(|option| option.label == *wanted);
        let by_label = labeled.next().filter(|_| labeled.next().is_none()).map(|option| option.id);
        by_id.or(by_label).ok_or_else(|| {
            let rule = "must be the ID of one of this question's options, or its label if that is unique";
            HttpError::invalid(format!("{}[{place}]: {rule}", field("chosen")))
        })
    });
    Ok(AnswerInput {
        question: question.id,
        chosen: chosen.collect::<Result<_, _>>()?,
        other: answer.other.clone(),
        note: answer.note.clone(),
    })
}

fn listed(request: &Request, session: &Session) -> Value {
    let questions = request.questions.iter().map(|question| {
        let options = question
            .options
            .iter()
            .map(|option| json!({"id": option.id, "label": option.label, "description": option.description}));
        json!({
            "id": question.id,
            "text": question.text,
            "header": question.header,
            "kind": question.kind,
            "allowsOther": question.allows_other,
            "required": question.required,
            "options": options.collect::<Vec<_>>(),
        })
    });
    json!({
        "requestId": request.id,
        "session": session_of(session),
        "askedAt": request.asked_at,
        "agentGoesOn": !request.asker.waits(),
        "questions": questions.collect::<Vec<_>>(),
    })
}
