//! What stands before every door: who may come in at all, and with what.
//!
//! The order is that of least harm: a page of a browser learns nothing but that it is not wanted, whoever has no token
//! learns nothing of what is here, and no body is read before both are clear.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use crate::denied::Denied;
use crate::desk::Desk;
use crate::token::May;

/// The longest body that is taken.
pub const BODY_BYTES: usize = 256 * 1024;
/// How much of a body that is too long is still read, so that its sender hears why instead of a broken connection.
const DRAINED_BYTES: usize = 16 * 1024 * 1024;
/// How long that is done.
const DRAINED_FOR: Duration = Duration::from_secs(2);

/// The names under which this machine reaches itself.
const OWN_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What a client hears that wants to answer.
const ONLY_ASKS: &str = "the token that clients are registered with may ask, and nothing else; to see what waits, to answer \
                         and to rotate takes the text of the file answer-token, which `askdesk` reads by itself";
/// What somebody hears who wants to ask by the secret for answering.
const ONLY_ANSWERS: &str =
    "the text of the file answer-token may answer, and nothing else; to ask takes that of the file token";

/// Lets a request in, with its whole body and without its token, or turns it down.
pub async fn guard(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let response = match admit(&desk, request).await {
        Ok(request) => next.run(request).await,
        Err(denied) => denied.into_response(),
    };
    if let Some(code) = code_of(response.status()) {
        desk.metrics().refused(code);
    }
    response
}

async fn admit(desk: &Desk, request: Request) -> Result<Request, Denied> {
    let (mut parts, body) = request.into_parts();
    host(&parts.headers, &parts.uri, desk.port())?;
    origin(&parts.headers, desk.port())?;
    let bearer = only(&parts.headers, header::AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
    let may = bearer.and_then(|secret| desk.secrets().what_may(secret)).ok_or_else(Denied::unauthorized)?;
    match (wanted(parts.uri.path()), may) {
        (May::Ask, May::Ask) | (May::Answer, May::Answer) => {}
        (May::Answer, May::Ask) => return Err(Denied::forbidden(ONLY_ASKS)),
        (May::Ask, May::Answer) => return Err(Denied::forbidden(ONLY_ANSWERS)),
    }
    // Nothing behind this needs it, and what is not there cannot get into a log.
    parts.headers.remove(header::AUTHORIZATION);
    let body = match parts.method {
        Method::POST => {
            let body = bounded(&parts.headers, body, desk.times.body).await?;
            if !body.is_empty() || !takes_nothing(parts.uri.path()) {
                json_only(&parts.headers)?;
                is_json(&body)?;
            }
            Body::from(body)
        }
        _ => Body::empty(),
    };
    Ok(Request::from_parts(parts, body))
}

/// Says what a door is for. What waits on the desk is the person's.
fn wanted(path: &str) -> May {
    match path {
        "/v1/requests" | "/v1/token/rotate" => May::Answer,
        _ if path.starts_with("/v1/requests/") => May::Answer,
        _ => May::Ask,
    }
}

/// A page that was led here by a name of its own (DNS rebinding) sends that name.
fn host(headers: &HeaderMap, uri: &Uri, port: u16) -> Result<(), Denied> {
    let ours = |authority: &str| {
        let (name, of) = match authority.rsplit_once(':') {
            Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(digits)),
            _ => (authority, None),
        };
        let name_fits = OWN_NAMES.iter().any(|own| name.eq_ignore_ascii_case(own));
        name_fits && of.is_none_or(|digits| digits.parse() == Ok(port))
    };
    let named = only(headers, header::HOST).and_then(|value| value.to_str().ok());
    let by_address = uri.authority().is_none_or(|authority| ours(authority.as_str()));
    match named {
        Some(host) if ours(host) && by_address => Ok(()),
        _ => Err(Denied::forbidden("this desk answers to 127.0.0.1 and localhost alone")),
    }
}

/// Only a browser sends an origin, and no page has any business here.
fn origin(headers: &HeaderMap, port: u16) -> Result<(), Denied> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let ours = |origin: &str| {
        OWN_NAMES.iter().any(|own| origin.eq_ignore_ascii_case(&format!("http://{own}:{port}")))
    };
    match origins.all(|origin| origin.to_str().is_ok_and(ours)) {
        true => Ok(()),
        false => Err(Denied::forbidden("requests of web pages are not taken")),
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
}

/// Returns a header that is there exactly once: of two, nobody knows which one counts.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&axum::http::HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn json_only(headers: &HeaderMap) -> Result<(), Denied> {
    let kind = only(headers, header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    match essence.eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => Err(Denied::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "the body must be application/json",
        )),
    }
}

fn takes_nothing(path: &str) -> bool {
    matches!(path, "/v1/token/rotate" | "/v1/test") || path.ends_with("/decline")
}

/// Says what is wrong with a body that is no JSON.
fn is_json(body: &[u8]) -> Result<(), Denied> {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(_) => Ok(()),
        Err(error) => Err(Denied::bad_request(format!("the body is not JSON: {error}"))),
    }
}

async fn bounded(headers: &HeaderMap, mut body: Body, patience: Duration) -> Result<Bytes, Denied> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let announced = announced.and_then(|digits| digits.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > BODY_BYTES as u64) {
        drain(&mut body).await;
        return Err(too_large());
    }
    match tokio::time::timeout(patience, collect(&mut body)).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => {
            drain(&mut body).await;
            Err(too_large())
        }
        Ok(Err(error)) => Err(Denied::bad_request(format!("the body could not be read: {error}"))),
        Err(_) => Err(Denied::new(
            StatusCode::REQUEST_TIMEOUT,
            "too_slow",
            format!("the body must be here within {} seconds", patience.as_secs()),
        )),
    }
}

/// Collects a body; none if it is too long.
async fn collect(body: &mut Body) -> Result<Option<Bytes>, axum::Error> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if collected.len() + data.len() > BODY_BYTES {
            return Ok(None);
        }
        collected.extend_from_slice(&data);
    }
    Ok(Some(collected.into()))
}

async fn drain(body: &mut Body) {
    let drain = async {
        let mut drained = 0;
        while let Some(Ok(frame)) = body.frame().await {
            drained += frame.data_ref().map_or(0, Bytes::len);
            if drained > DRAINED_BYTES {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAINED_FOR, drain).await;
}

fn too_large() -> Denied {
    let message = format!("the body must have at most {BODY_BYTES} bytes");
    Denied::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
}

fn code_of(status: StatusCode) -> Option<&'static str> {
    match status.as_u16() {
        400 => Some("bad_request"),
        401 => Some("unauthorized"),
        403 => Some("forbidden"),
        404 => Some("not_found"),
        405 => Some("method_not_allowed"),
        406 => Some("not_acceptable"),
        408 => Some("too_slow"),
        409 => Some("already_ended"),
        413 => Some("too_large"),
        415 => Some("unsupported_media_type"),
        422 => Some("invalid"),
        429 => Some("too_many_requests"),
        500.. => Some("internal"),
        402.. => Some("other"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    #[rstest]
    #[case("127.0.0.1:41414", true)]
    #[case("localhost:41414", true)]
    #[case("LOCALHOST:41414", true)]
    #[case("[::1]:41414", true)]
    #[case("127.0.0.1", true)]
    #[case("127.0.0.1:80", false)]
    #[case("evil.example:41414", false)]
    #[case("127.0.0.1.evil.example:41414", false)]
    #[case("localhost.evil.example", false)]
    #[case("", false)]
    #[case("evil.example@127.0.0.1:41414", false)]
    fn case_43_only_this_machines_own_names_are_answered_to(#[case] name: &str, #[case] ours: bool) {
        let uri = Uri::from_static("/mcp");
        assert_eq!(host(&headers(&[(header::HOST, name)]), &uri, 41_414).is_ok(), ours);
    }

    #[test]
    fn case_43_a_host_that_is_missing_double_or_another_in_the_address_is_refused() {
        let uri = Uri::from_static("/mcp");
        assert!(host(&headers(&[]), &uri, 1).is_err());
        let twice = headers(&[(header::HOST, "localhost"), (header::HOST, "evil.example")]);
        assert!(host(&twice, &uri, 1).is_err());
        let elsewhere = Uri::from_static("http://evil.example/mcp");
        assert!(host(&headers(&[(header::HOST, "localhost")]), &elsewhere, 1).is_err());
    }

    #[rstest]
    #[case(&[], true)]
    #[case(&["http://127.0.0.1:41414"], true)]
    #[case(&["http://localhost:41414"], true)]
    #[case(&["http://localhost:3000"], false)]
    #[case(&["https://evil.example"], false)]
    #[case(&["null"], false)]
    #[case(&["http://127.0.0.1:41414", "https://evil.example"], false)]
    fn case_43_pages_are_not_taken(#[case] origins: &[&str], #[case] taken: bool) {
        let pairs: Vec<_> = origins.iter().map(|value| (header::ORIGIN, *value)).collect();
        assert_eq!(origin(&headers(&pairs), 41_414).is_ok(), taken);
    }

    #[rstest]
    #[case("Bearer abc", Some("abc"))]
    #[case("bearer  abc ", Some("abc"))]
    #[case("Basic abc", None)]
    #[case("abc", None)]
    #[case("", None)]
    fn a_bearer_is_told_from_other_schemes(#[case] value: &str, #[case] token: Option<&str>) {
        assert_eq!(bearer(value.as_bytes()), token.map(str::as_bytes));
    }
}
