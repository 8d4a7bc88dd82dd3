//! Writes events and entries, and updates the tables of requests and approvals. A row that can't be read never keeps an event
//! from being stored: the writer would try it again forever.

use askdesk_domain::{
    ApprovalEvent, ApprovalState, Delivery, Ended, Entry, Event, EventSubject, RequestEvent, RequestId,
    SessionEvent, SessionId, Timestamp,
};
use rusqlite::{Params, Transaction, params};

use super::record::encode;
use super::{drafts, redaction, search};

pub(super) fn write_event(
    transaction: &Transaction<'_>,
    event: &Event,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let (session, request, approval) = match event.subject() {
        EventSubject::Session(id) => (Some(id.to_string()), None, None),
        EventSubject::Request(id) => (None, Some(id.to_string()), None),
        EventSubject::Approval(id) => (None, None, Some(id.to_string())),
    };
    execute(
        transaction,
        "INSERT INTO events (at, body, session) VALUES (?1, ?2, COALESCE(
            ?3, (SELECT session FROM requests WHERE id = ?4), (SELECT session FROM approvals WHERE id = ?5)))",
        params![at.millis(), encode(event)?, session, request, approval],
    )?;
    match event {
        Event::Request(event) => update_request(transaction, event)?,
        Event::Approval(event) => update_approval(transaction, event)?,
        Event::Session(SessionEvent::Deleted { session }) => redaction::delete(transaction, *session)?,
        // Sessions and their queues have no table.
        Event::Session(_) | Event::Queue(_) => {}
    }
    drafts::after(transaction, event)
}

fn update_request(transaction: &Transaction<'_>, event: &RequestEvent) -> rusqlite::Result<()> {
    match event {
        RequestEvent::Asked { request } => execute(
            transaction,
            "INSERT INTO requests (id, session, asked_at, body) VALUES (?1, ?2, ?3, ?4)",
            params![
                request.id.to_string(),
                request.session.to_string(),
                request.asked_at.millis(),
                encode(request)?
            ],
        ),
        RequestEvent::Ended { request, outcome, at, answer } => {
            let (outcome, at, answer) = (outcome.clone(), *at, *answer);
            let delivery = outcome.needs_delivery().then_some(Delivery::Pending);
            write_end(transaction, *request, &Ended { outcome, at, delivery, answer })
        }
        RequestEvent::AnsweredLate { request, outcome, at, answer } => {
            let (outcome, at, answer) = (outcome.clone(), *at, *answer);
            let delivery = Some(Delivery::Parked);
            write_end(transaction, *request, &Ended { outcome, at, delivery, answer })
        }
        RequestEvent::Dismissed { request, outcome, at } => {
            let (outcome, at) = (outcome.clone(), *at);
            write_end(transaction, *request, &Ended { outcome, at, delivery: None, answer: None })
        }
        RequestEvent::TimesMoved { request, by } => execute(
            transaction,
            "UPDATE requests SET asked_at = asked_at + ?2,
                body = json_replace(body, '$.askedAt', (body ->> '$.askedAt') + ?2,
                    '$.limit.at', (body ->> '$.limit.at') + ?2)
             WHERE id = ?1 AND json_valid(body)",
            params![request.to_string(), by],
        ),
        RequestEvent::AskerChanged { request, asker } => execute(
            transaction,
            "UPDATE requests SET body = json_set(body, '$.asker', json(?2)) WHERE id = ?1 AND json_valid(body)",
            params![request.to_string(), encode(asker)?],
        ),
        RequestEvent::DeliveryChanged { request, delivery, .. } => {
            write_delivery(transaction, *request, delivery)
        }
        RequestEvent::Sending { request, call: None, .. } => {
            write_delivery(transaction, *request, &Delivery::Pending)
        }
        RequestEvent::Reopened { request, native_ref, limit, .. } => {
            execute(
                transaction,
                "UPDATE requests SET outcome = NULL, ended_at = NULL, delivery = NULL,
                    body = CASE WHEN json_valid(body)
                        THEN json_remove(json_set(body, '$.nativeRef', ?2, '$.limit', json(?3)), '$.asker')
                        ELSE body END
                 WHERE id = ?1",
                params![request.to_string(), native_ref.as_str(), encode(limit)?],
            )?;
            search::index_again(transaction, &request.to_string())
        }
        // The delivery to one of several calls is not the request's.
        RequestEvent::Sending { call: Some(_), .. }
        | RequestEvent::AskedAgain { .. }
        | RequestEvent::CallLeft { .. } => Ok(()),
    }
}

fn update_approval(transaction: &Transaction<'_>, event: &ApprovalEvent) -> rusqlite::Result<()> {
    match event {
        ApprovalEvent::Asked { approval } => execute(
            transaction,
            "INSERT INTO approvals (id, session, body, state) VALUES (?1, ?2, ?3, ?4)",
            params![
                approval.id.to_string(),
                approval.session.to_string(),
                encode(approval)?,
                encode(&approval.state)?
            ],
        ),
        ApprovalEvent::Decided { approval, decision, at } => {
            let state = ApprovalState::Decided { decision: decision.clone(), at: *at, error: None };
            write_approval_state(transaction, &approval.to_string(), &state)
        }
        ApprovalEvent::Withdrawn { approval, at } => {
            write_approval_state(transaction, &approval.to_string(), &ApprovalState::Withdrawn { at: *at })
        }
        ApprovalEvent::Refused { approval, at } => {
            write_approval_state(transaction, &approval.to_string(), &ApprovalState::Refused { at: *at })
        }
        ApprovalEvent::TimesMoved { approval, by } => execute(
            transaction,
            "UPDATE approvals SET body = json_replace(body, '$.askedAt', (body ->> '$.askedAt') + ?2)
             WHERE id = ?1 AND json_valid(body)",
            params![approval.to_string(), by],
        ),
        ApprovalEvent::DeliveryFailed { approval, error } => execute(
            transaction,
            "UPDATE approvals SET state = json_set(state, '$.error', json(?2))
             WHERE id = ?1 AND CASE WHEN json_valid(state) THEN state ->> '$.state' = 'decided' END",
            params![approval.to_string(), encode(error)?],
        ),
    }
}

fn write_end(transaction: &Transaction<'_>, request: RequestId, ended: &Ended) -> rusqlite::Result<()> {
    let Ended { outcome, at, delivery, answer } = ended;
    execute(
        transaction,
        "UPDATE requests SET outcome = ?2, ended_at = ?3, delivery = ?4,
            body = CASE WHEN json_valid(body) THEN json_set(body, '$.answer', json(?5)) ELSE body END
         WHERE id = ?1",
        params![request.to_string(), encode(outcome)?, at.millis(), encode(delivery)?, encode(answer)?],
    )?;
    search::index_again(transaction, &request.to_string())
}

fn write_delivery(
    transaction: &Transaction<'_>,
    request: RequestId,
    delivery: &Delivery,
) -> rusqlite::Result<()> {
    let delivery = encode(delivery)?;
    execute(
        transaction,
        "UPDATE requests SET delivery = ?2 WHERE id = ?1",
        params![request.to_string(), delivery],
    )
}

fn write_approval_state(
    transaction: &Transaction<'_>,
    id: &str,
    state: &ApprovalState,
) -> rusqlite::Result<()> {
    execute(transaction, "UPDATE approvals SET state = ?2 WHERE id = ?1", params![id, encode(state)?])?;
    search::index_again(transaction, id)
}

pub(super) fn write_entries(
    transaction: &Transaction<'_>,
    entries: &[(SessionId, Entry)],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO entries (session, n, at, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (session, n) DO UPDATE SET body = excluded.body",
    )?;
    for (session, entry) in entries {
        let session = session.to_string();
        statement.execute(params![session, entry.n, entry.at.millis(), encode(&entry.body)?])?;
        search::index(transaction, &session, entry)?;
    }
    Ok(())
}

fn execute(transaction: &Transaction<'_>, sql: &str, params: impl Params) -> rusqlite::Result<()> {
    transaction.prepare_cached(sql)?.execute(params).map(drop)
}
