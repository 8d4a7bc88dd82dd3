//! The URI scheme by which the page shows the images of messages. Nothing else can be read by it.

use askdesk_domain::{ImageId, SessionId};
use tauri::http::{Method, Request, Response, StatusCode, header};
use tauri::{Manager, Runtime, UriSchemeContext, UriSchemeResponder};

use crate::pending_api::PendingApi;

/// The page's content security policy allows images from this scheme.
pub const SCHEME: &str = "kept-image";

/// Responds with an image of a session.
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn serve<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let app = context.app_handle().clone();
    let asked = (request.method() == Method::GET).then(|| parse_path(request.uri().path())).flatten();
    tauri::async_runtime::spawn(async move {
        let image = match asked {
            Some((session, image)) => match app.state::<PendingApi>().api().await {
                Ok(api) => api.image(session, image).await.ok().flatten(),
                Err(_) => None,
            },
            None => None,
        };
        let mut response = Response::new(Vec::new());
        response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
        let nosniff = header::HeaderValue::from_static("nosniff");
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        match image {
            Some((format, content)) => {
                let media_type = header::HeaderValue::from_static(format.media_type());
                response.headers_mut().insert(header::CONTENT_TYPE, media_type);
                *response.body_mut() = content;
            }
            None => *response.status_mut() = StatusCode::NOT_FOUND,
        }
        responder.respond(response);
    });
}

/// Parses a path of the form `/<session>.<image>`.
fn parse_path(path: &str) -> Option<(SessionId, ImageId)> {
    let (session, image) = path.strip_prefix('/')?.split_once('.')?;
    Some((session.parse().ok()?, image.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_session_and_an_image_and_nothing_else() {
        let session = "0190a0b0-0000-7000-8000-000000000001";
        let image = "ab".repeat(32);
        assert!(parse_path(&format!("/{session}.{image}")).is_some());
        for wrong in [
            "/".to_owned(),
            format!("/{session}"),
            format!("/{session}.{image}.png"),
            format!("/{session}/../{image}"),
            format!("/{session}.../desk.db"),
            format!("/%2e%2e/{session}.{image}"),
        ] {
            assert_eq!(parse_path(&wrong), None, "{wrong}");
        }
    }
}
