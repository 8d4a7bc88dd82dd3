//! The checks that run before every route.
//!
//! They run in the order that reveals least. A web page learns only that it is rejected, and a caller without a token
//! doesn't learn which routes exist. The body is read last.

use std::sync::Arc;
use std::time::Duration;

use askdesk_client_config::SESSION_HEADER;
use askdesk_domain::SessionId;
use askdesk_outside_json::{Lost, Read};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::AsHeaderName;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use rmcp::model::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::access_tokens::Permission;
use crate::error::{HttpError, code_of, rpc_error};
use crate::state::GatewayState;
use crate::unique_json::UniqueJson;

/// The path of the MCP server, whose errors have another form.
pub const MCP_PATH: &str = "/mcp";

/// The longest body that is accepted, in bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// How much of a longer body is read and dropped, so that its sender receives the error instead of a broken connection.
const MAX_DRAINED_BYTES: usize = 16 * 1024 * 1024;
/// How long that may take.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// The names under which this computer reaches itself.
const LOOPBACK_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

const NO_TOKEN: &str = "the Authorization header must be \"Bearer\" followed by the token; run `askdesk connect` to update \
                        the client's entry";
const ONLY_ASKS: &str = "this token may only ask; listing and answering questions and rotating tokens need the one in the \
                         file answer-token, which the `askdesk` command uses";
const ONLY_ANSWERS: &str = "this token may only answer; asking needs the token in the file token";

/// The session whose agent sent a request, or started the program that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagedSession(pub SessionId);

/// Rejects requests from web pages and requests without a valid token, and removes the token from the others. The routes
/// find the token's [`Permission`] in the request's extensions.
pub async fn authenticate(
    State(state): State<Arc<GatewayState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let response = match permission_of(&state, &request) {
        Ok(permission) => {
            // No route needs the header, and what isn't there can't get into a log.
            request.headers_mut().remove(header::AUTHORIZATION);
            request.extensions_mut().insert(permission);
            if let Some(session) = take_managed_session(&state, &mut request) {
                request.extensions_mut().insert(session);
            }
            next.run(request).await
        }
        Err(error) => error.into_response(),
    };
    match response.status() {
        status if status.is_server_error() => state.metrics.refused("internal"),
        status if status.is_client_error() => state.metrics.refused(code_of(status)),
        _ => {}
    }
    response
}

/// Removes the token of a session from a request. An unknown one counts for nothing: its session may have ended.
fn take_managed_session(state: &GatewayState, request: &mut Request) -> Option<ManagedSession> {
    let token = single(request.headers(), SESSION_HEADER).and_then(|value| value.to_str().ok());
    let session = token.and_then(|token| state.engine.session_of_token(token));
    request.headers_mut().remove(SESSION_HEADER);
    session.map(ManagedSession)
}

fn permission_of(state: &GatewayState, request: &Request) -> Result<Permission, HttpError> {
    let headers = request.headers();
    check_host(headers, request.uri(), state.port)?;
    check_origin(headers, state.port)?;
    let token = single(headers, header::AUTHORIZATION).and_then(|value| bearer_token(value.as_bytes()));
    token
        .and_then(|token| state.tokens.permission_of(token))
        .ok_or_else(|| HttpError::new(StatusCode::UNAUTHORIZED, NO_TOKEN))
}

/// Rejects a request whose token doesn't have the permission that its route needs.
pub async fn authorize(needed: Permission, request: Request, next: Next) -> Response {
    match (needed, request.extensions().get::<Permission>()) {
        (needed, Some(permission)) if needed == *permission => next.run(request).await,
        (Permission::Answer, _) => HttpError::new(StatusCode::FORBIDDEN, ONLY_ASKS).into_response(),
        (Permission::Ask, _) => HttpError::new(StatusCode::FORBIDDEN, ONLY_ANSWERS).into_response(),
    }
}

/// Reads the whole body, within limits. It must be JSON or empty. The hook and MCP take the parsed body, an `Arc<Value>`,
/// from the request's extensions; the other routes parse the bytes into their own types.
pub async fn read_body(
    State(state): State<Arc<GatewayState>>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    let (mut parts, body) = request.into_parts();
    let mut bytes = Bytes::new();
    if parts.method == Method::POST {
        bytes = read_bounded(&parts.headers, body, state.timeouts.body).await?;
        if !bytes.is_empty() {
            check_content_type(&parts.headers)?;
        }
        match parse_unique(&mut bytes) {
            Ok(parsed) => drop(parts.extensions.insert(Arc::new(parsed))),
            Err((message, part)) => {
                let error = HttpError::bad_request(&message);
                return match parts.uri.path() {
                    MCP_PATH => Ok(rpc_error(error.status, part.get("id"), ErrorCode::PARSE_ERROR, &message)),
                    _ => Err(error),
                };
            }
        }
    }
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}

/// Parses a body. If it holds what only other readers of JSON understand, it is written anew for those who parse it later. An
/// error has what could be recognized.
fn parse_unique(body: &mut Bytes) -> Result<Value, (String, Value)> {
    let error = match parse_body::<UniqueJson>(body) {
        Ok(UniqueJson(parsed)) => return Ok(parsed),
        Err(error) => error,
    };
    let Read { value, lost, twice } = askdesk_outside_json::read_again(body);
    let why = match (lost, twice) {
        (None, None) => {
            *body = value.to_string().into();
            return Ok(value);
        }
        (Some(Lost::Depth), _) => Lost::Depth.to_string(),
        _ => error,
    };
    Err((format!("the body isn't valid JSON: {why}"), value))
}

/// Parses a body. An empty body is an empty object.
pub fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let body = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

/// Rejects other host names. A web page that resolves its own name to this computer (DNS rebinding) sends that name.
fn check_host(headers: &HeaderMap, uri: &Uri, port: u16) -> Result<(), HttpError> {
    let ours = |authority: &str| {
        let (name, of) = match authority.rsplit_once(':') {
            Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(digits)),
            _ => (authority, None),
        };
        let name_fits = LOOPBACK_NAMES.iter().any(|own| name.eq_ignore_ascii_case(own));
        name_fits && of.is_none_or(|digits| digits.parse() == Ok(port))
    };
    let named = single(headers, header::HOST).and_then(|value| value.to_str().ok());
    let by_address = uri.authority().is_none_or(|authority| ours(authority.as_str()));
    match named {
        Some(host) if ours(host) && by_address => Ok(()),
        _ => {
            Err(HttpError::new(StatusCode::FORBIDDEN, "only requests to 127.0.0.1 or localhost are accepted"))
        }
    }
}

/// Rejects web pages: only a browser sends an origin.
fn check_origin(headers: &HeaderMap, port: u16) -> Result<(), HttpError> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let ours = |origin: &str| {
        LOOPBACK_NAMES.iter().any(|own| origin.eq_ignore_ascii_case(&format!("http://{own}:{port}")))
    };
    match origins.all(|origin| origin.to_str().is_ok_and(ours)) {
        true => Ok(()),
        false => Err(HttpError::new(StatusCode::FORBIDDEN, "requests from web pages aren't accepted")),
    }
}

fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
}

/// Returns a header that occurs exactly once. Of two, it would be unclear which one counts.
fn single(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&axum::http::HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn check_content_type(headers: &HeaderMap) -> Result<(), HttpError> {
    let kind =
        single(headers, header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    match essence.eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => {
            let message = "the body must be application/json";
            Err(HttpError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
        }
    }
}

async fn read_bounded(headers: &HeaderMap, mut body: Body, timeout: Duration) -> Result<Bytes, HttpError> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let announced = announced.and_then(|digits| digits.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > MAX_BODY_BYTES as u64) {
        drain(&mut body).await;
        return Err(too_large());
    }
    match tokio::time::timeout(timeout, collect(&mut body)).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => {
            drain(&mut body).await;
            Err(too_large())
        }
        Ok(Err(error)) => Err(HttpError::bad_request(format!("couldn't read the body: {error}"))),
        Err(_) => Err(HttpError::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body took too long to arrive (the limit is {} seconds)", timeout.as_secs()),
        )),
    }
}

/// Collects a body. Returns `None` if it is too long.
async fn collect(body: &mut Body) -> Result<Option<Bytes>, axum::Error> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if collected.len() + data.len() > MAX_BODY_BYTES {
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
            if drained > MAX_DRAINED_BYTES {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, drain).await;
}

fn too_large() -> HttpError {
    let message = format!("the body is too large (the limit is {MAX_BODY_BYTES} bytes)");
    HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;
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
    fn case_43_only_loopback_names_are_accepted(#[case] name: &str, #[case] ours: bool) {
        let uri = Uri::from_static("/mcp");
        assert_eq!(check_host(&headers(&[(header::HOST, name)]), &uri, 41_414).is_ok(), ours);
    }

    #[test]
    fn case_43_a_missing_double_or_conflicting_host_is_rejected() {
        let uri = Uri::from_static("/mcp");
        assert!(check_host(&headers(&[]), &uri, 1).is_err());
        let twice = headers(&[(header::HOST, "localhost"), (header::HOST, "evil.example")]);
        assert!(check_host(&twice, &uri, 1).is_err());
        let elsewhere = Uri::from_static("http://evil.example/mcp");
        assert!(check_host(&headers(&[(header::HOST, "localhost")]), &elsewhere, 1).is_err());
    }

    #[rstest]
    #[case(&[], true)]
    #[case(&["http://127.0.0.1:41414"], true)]
    #[case(&["http://localhost:41414"], true)]
    #[case(&["http://localhost:3000"], false)]
    #[case(&["https://evil.example"], false)]
    #[case(&["null"], false)]
    #[case(&["http://127.0.0.1:41414", "https://evil.example"], false)]
    fn case_43_web_pages_are_rejected(#[case] origins: &[&str], #[case] taken: bool) {
        let pairs: Vec<_> = origins.iter().map(|value| (header::ORIGIN, *value)).collect();
        assert_eq!(check_origin(&headers(&pairs), 41_414).is_ok(), taken);
    }

    #[rstest]
    #[case("Bearer abc", Some("abc"))]
    #[case("bearer  abc ", Some("abc"))]
    #[case("Basic abc", None)]
    #[case("abc", None)]
    #[case("", None)]
    fn only_the_bearer_scheme_is_accepted(#[case] value: &str, #[case] token: Option<&str>) {
        assert_eq!(bearer_token(value.as_bytes()), token.map(str::as_bytes));
    }
}
