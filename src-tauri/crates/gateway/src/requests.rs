//! What waits on the desk, for the command line: listed, answered and declined; and the answers to earlier questions.

use std::sync::Arc;

use askdesk_domain::{
    AnswerInput, NativeRef, Outcome, Question, QuestionId, QuestionKind, Rejection, Request, RequestId,
    Session,
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

use crate::arguments;
use crate::call::read_body;
use crate::denied::Denied;
use crate::desk::Desk;
use crate::handover::Handover;
use crate::result;

#[derive(Debug, Deserialize)]
struct AnswerBody {
    answers: Vec<OneAnswer>,
}

#[derive(Debug, Deserialize)]
struct OneAnswer {
    question: Value,
    #[serde(default)]
    chosen: Vec<String>,
    other: Option<String>,
    note: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct DeclineBody {
    words: Option<String>,
}

/// Lists what is open, oldest first.
pub async fn list(State(desk): State<Arc<Desk>>) -> Result<Json<Value>, Denied> {
    let waiting = desk.visits.open_requests().await?;
    let listed: Vec<Value> = waiting.iter().map(|(request, session)| listed(request, session)).collect();
    Ok(Json(json!({"requests": listed})))
}

/// Answers one request, as the person does in the window.
pub async fn answer(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Denied> {
    let id = known(&id)?;
    let body: AnswerBody = form(&body)?;
    let questions = desk.engine.request(id).await?.questions;
    let answers = body.answers.iter().enumerate();
    let answers = answers.map(|(index, answer)| checked(index, answer, &questions));
    let answered = desk.engine.answer(id, answers.collect::<Result<Vec<_>, _>>()?).await;
    Ok(ended(answered))
}

pub async fn decline(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Denied> {
    let id = known(&id)?;
    let body: DeclineBody = form(&body)?;
    Ok(ended(desk.engine.decline(id, body.words).await))
}

impl Desk {
    /// Looks for the end of a request that came by a door, as `collect_answer` names it, and notes that a late answer was
    /// fetched.
    pub(crate) async fn collect(
        self: &Arc<Self>,
        arguments: &Value,
        handover: Option<Handover>,
    ) -> Result<CallResult, Denied> {
        let id =
            arguments::read_request_id(arguments).map_err(|refusal| Denied::invalid(refusal.to_string()))?;
        if let Some(handover) = &handover {
            handover.ends_with_piece_that_holds(id.to_string());
        }
        match self.visits.collect(id).await {
            Err(EngineError::Reject(Rejection::NotFound { .. })) => Err(Denied::not_found(
                "There is no question with this requestId on the desk any more. Ask again if you still need the answer.",
            )),
            Err(error) => Err(error.into()),
            Ok(collected) => self.fetched(id, collected, handover).await,
        }
    }

    async fn fetched(
        self: &Arc<Self>,
        id: RequestId,
        collected: InboundStatus,
        handover: Option<Handover>,
    ) -> Result<CallResult, Denied> {
        match collected {
            InboundStatus::Open => Ok(CallResult::open(id)),
            InboundStatus::Ended(outcome) => {
                let questions = self.engine.request(id).await?.questions;
                self.collected(id, &outcome, handover);
                Ok(result::of(id, &questions, &outcome))
            }
        }
    }

    fn collected(self: &Arc<Self>, id: RequestId, outcome: &Outcome, handover: Option<Handover>) {
        let said = matches!(
            outcome,
            Outcome::Answered { .. } | Outcome::Declined { .. } | Outcome::RepliedInChat { .. }
        );
        let Some(fetching) = NativeRef::new(format!("collect {}", Uuid::new_v4())).filter(|_| said) else {
            return;
        };
        let desk = Arc::clone(self);
        tokio::spawn(async move {
            let written = match handover {
                Some(handover) => handover.written_out().await,
                None => true,
            };
            if written && let Err(error) = desk.visits.told(id, fetching, Ok(())).await {
                tracing::debug!(%error, "that an answer was fetched was not noted");
            }
        });
    }
}

fn known(id: &str) -> Result<RequestId, Denied> {
    id.parse().map_err(|_| Denied::not_found("there is no request with this id"))
}

fn form<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Denied> {
    serde_json::from_value(read_body(body)?).map_err(|error| Denied::invalid(error.to_string()))
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
        Err(error) => Denied::from(error).into_response(),
    }
}

fn checked(index: usize, answer: &OneAnswer, questions: &[Question]) -> Result<AnswerInput, Denied> {
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
        let rule = format!("must be the id of a question or its number from 1 to {}", questions.len());
        Denied::invalid(format!("{}: {rule}", field("question")))
    })?;
    if question.kind == QuestionKind::Secret {
        let rule = "a secret is given in the window alone";
        return Err(Denied::invalid(format!("{}: {rule}", field("question"))));
    }
    let chosen = answer.chosen.iter().enumerate().map(|(place, wanted)| {
        let by_id = wanted.parse().ok().filter(|id| question.option(*id).is_some());
        let mut labelled = question.options.iter().filter(|option| option.label == *wanted);
        let by_label = labelled.next().filter(|_| labelled.next().is_none()).map(|option| option.id);
        by_id.or(by_label).ok_or_else(|| {
            let rule = "must be the id of an option of this question, or its label if only one has it";
            Denied::invalid(format!("{}[{place}]: {rule}", field("chosen")))
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
        "session": {"name": session.name, "agent": session.origin.word(), "folder": session.folder},
        "askedAt": request.asked_at,
        "questions": questions.collect::<Vec<_>>(),
    })
}
