//! The client's roots. The first one that is a folder is where it works.

#![expect(
    deprecated,
    reason = "the protocol is leaving roots behind, and has nothing else that names the folder yet"
)]

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{InputRequest, InputRequests, InputRequiredResult, ListRootsRequest, ListRootsResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::error::Elapsed;

/// The key of the request for roots, for clients without sessions.
pub const KEY: &str = "roots";

/// Tells whether a client supports roots.
pub fn has(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|able| able.roots.is_some())
}

/// Asks a client with a session. One that is too slow can answer the next time.
pub async fn asked(
    context: &RequestContext<RoleServer>,
    has_roots: bool,
    patience: Duration,
) -> Result<Option<String>, Elapsed> {
    if !has_roots {
        return Ok(None);
    }
    let listed = tokio::time::timeout(patience, context.peer.list_roots()).await?;
    Ok(listed.ok().and_then(|listed| first(&listed)))
}

/// Returns the request for a client without sessions. It repeats the call with the answer.
pub fn request() -> InputRequiredResult {
    let asked = InputRequest::ListRoots(ListRootsRequest::default());
    let requests = InputRequests::from([(KEY.to_owned(), asked)]);
    // If the client repeats the call without an answer, it isn't asked again.
    InputRequiredResult::new(Some(requests), Some(KEY.to_owned()))
}

/// Reads the answer of a client without sessions.
pub fn of_response(response: &Value) -> Option<String> {
    let listed = response.get("result").unwrap_or(response);
    first(&serde_json::from_value(listed.clone()).ok()?)
}

fn first(listed: &ListRootsResult) -> Option<String> {
    listed.roots.iter().find_map(|root| folder(&root.uri))
}

fn folder(uri: &str) -> Option<String> {
    let uri = url::Url::parse(uri).ok()?;
    let path = (uri.scheme() == "file").then(|| uri.to_file_path().ok()).flatten()?;
    path.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_is_read_from_its_url() {
        assert_eq!(folder("file:///home/a/my%20project"), Some("/home/a/my project".to_owned()));
        assert_eq!(folder("https://example.com/x"), None);
        assert_eq!(folder("nothing"), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_read_with_and_without_its_envelope() {
        let roots = json!({"roots": [{"uri": "git://x"}, {"uri": "file:///work"}]});
        assert_eq!(of_response(&roots), Some("/work".to_owned()));
        assert_eq!(of_response(&json!({"result": roots})), Some("/work".to_owned()));
        assert_eq!(of_response(&json!({"error": {"code": -32_601}})), None);
    }
}
