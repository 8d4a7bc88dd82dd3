//! In which folder a client works, where it says so: the first of its roots.

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

/// The name under which a client without sessions is asked, and answers.
pub const KEY: &str = "roots";

/// Says whether a client knows of roots.
pub fn has(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|able| able.roots.is_some())
}

/// Asks a client with a session; one that does not answer in time may do so the next time.
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

/// Asks a client without sessions: it makes the same call again, with what was asked.
pub fn request() -> InputRequiredResult {
    let asked = InputRequest::ListRoots(ListRootsRequest::default());
    let requests = InputRequests::from([(KEY.to_owned(), asked)]);
    // One that comes back with nothing but this knows no answer, and is not asked again.
    InputRequiredResult::new(Some(requests), Some(KEY.to_owned()))
}

/// Reads what a client without sessions has answered.
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
    fn a_folder_is_read_from_its_address() {
        assert_eq!(folder("file:///home/a/my%20project"), Some("/home/a/my project".to_owned()));
        assert_eq!(folder("https://example.com/x"), None);
        assert_eq!(folder("nothing"), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_read_with_and_without_its_frame() {
        let roots = json!({"roots": [{"uri": "git://x"}, {"uri": "file:///work"}]});
        assert_eq!(of_response(&roots), Some("/work".to_owned()));
        assert_eq!(of_response(&json!({"result": roots})), Some("/work".to_owned()));
        assert_eq!(of_response(&json!({"error": {"code": -32_601}})), None);
    }
}
