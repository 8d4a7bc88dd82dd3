//! Which drafts can be saved, and how events change them.

use crate::approval::{Approval, ApprovalState};
use crate::desk::Desk;
use crate::draft::{ApprovalDraft, DRAFT_BYTES, Draft, DraftKey, DraftOutcome, DraftTarget, SavedDraft};
use crate::ended_by::EndedBy;
use crate::error::ValidationError;
use crate::event::{ApprovalEvent, Event, RequestEvent};
use crate::id::ApprovalOptionId;
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{Outcome, Request, WithdrawnWhy};

/// Checks a draft against its target, and removes the texts of secret questions.
///
/// A draft for something that was already sent or discarded is refused: there is nothing to return to.
pub fn check(desk: &Desk, of: &DraftTarget) -> Result<SavedDraft, Rejection> {
    let bytes: usize = of.texts().map(str::len).sum();
    if bytes > DRAFT_BYTES {
        return Err(Rejection::invalid("draft", ValidationError::TooLong { most: DRAFT_BYTES, bytes }));
    }
    match of {
        DraftTarget::Request { id, draft } => {
            let request = desk.request(*id).ok_or(Rejection::NotFound { what: "request" })?;
            if let Some(ended) = request.ended().filter(|ended| fate(&ended.outcome) == DraftOutcome::Goes) {
                return Err(ended.rejection());
            }
            let draft = of_request(request, draft)?;
            Ok(SavedDraft { session: request.session, of: DraftTarget::Request { id: *id, draft } })
        }
        DraftTarget::Approval { id, draft } => {
            let approval = desk.approval(*id).ok_or(Rejection::NotFound { what: "approval" })?;
            if let ApprovalState::Decided { at, .. } = approval.state {
                return Err(Rejection::AlreadyEnded { by: EndedBy::User, at });
            }
            of_approval(approval, draft)?;
            Ok(SavedDraft { session: approval.session, of: of.clone() })
        }
    }
}

/// Returns how an event affects a draft, if it does.
pub fn after(event: &Event) -> Option<(DraftKey, DraftOutcome)> {
    match event {
        Event::Request(RequestEvent::Ended { request, outcome, .. }) => {
            Some((DraftKey::Request(*request), fate(outcome)))
        }
        Event::Request(RequestEvent::AnsweredLate { request, .. })
        | Event::Request(RequestEvent::Dismissed { request, .. }) => {
            Some((DraftKey::Request(*request), DraftOutcome::Goes))
        }
        Event::Approval(ApprovalEvent::Decided { approval, .. }) => {
            Some((DraftKey::Approval(*approval), DraftOutcome::Goes))
        }
        Event::Approval(
            ApprovalEvent::Withdrawn { approval, .. } | ApprovalEvent::Refused { approval, .. },
        ) => Some((DraftKey::Approval(*approval), DraftOutcome::TextStays)),
        _ => None,
    }
}

/// Only an action of the user on the card itself clears its draft.
const fn fate(outcome: &Outcome) -> DraftOutcome {
    match outcome {
        Outcome::Orphaned { .. } | Outcome::Expired => DraftOutcome::Stays,
        Outcome::Withdrawn { why: WithdrawnWhy::Canceled { .. } }
        | Outcome::Answered { .. }
        | Outcome::Declined { .. } => DraftOutcome::Goes,
        Outcome::Withdrawn { .. } | Outcome::RepliedInChat { .. } => DraftOutcome::TextStays,
    }
}

fn of_request(request: &Request, draft: &Draft) -> Result<Draft, Rejection> {
    if usize::from(draft.active) > request.questions.len() {
        let rule = format!("too large ({}; the limit is {})", draft.active, request.questions.len());
        return Err(Rejection::invalid("draft.active", rule));
    }
    let mut answers = Vec::with_capacity(draft.answers.len());
    for (index, answer) in draft.answers.iter().enumerate() {
        let field = |name: &str| format!("draft.answers[{index}].{name}");
        let known = request.questions.iter().find(|question| question.id == answer.question);
        let question = known.ok_or_else(|| {
            Rejection::invalid(field("question"), format!("no question {} in this request", answer.question))
        })?;
        if draft.answers[..index].iter().any(|earlier| earlier.question == answer.question) {
            return Err(Rejection::invalid(field("question"), format!("{} appears twice", answer.question)));
        }
        for (place, id) in answer.chosen.iter().enumerate() {
            if question.option(*id).is_none() || answer.chosen[..place].contains(id) {
                let rule = format!("{id} is not an option of {}, or appears twice", question.id);
                return Err(Rejection::invalid(field("chosen"), rule));
            }
        }
        if question.kind != QuestionKind::Secret {
            answers.push(answer.clone());
        }
    }
    answers.sort_by_key(|answer| answer.question);
    Ok(Draft { answers, ..draft.clone() })
}

fn of_approval(approval: &Approval, draft: &ApprovalDraft) -> Result<(), Rejection> {
    let chosen = draft.options.as_deref().unwrap_or_default();
    let stranger = |(place, id): &(usize, &ApprovalOptionId)| {
        approval.option(id).is_none() || chosen[..*place].contains(id)
    };
    match chosen.iter().enumerate().find(stranger) {
        Some((_, id)) => {
            Err(Rejection::invalid("draft.options", format!("{id} is not an option here, or appears twice")))
        }
        None => Ok(()),
    }
}
