//! Images in the results of tool calls.

use askdesk_domain::{EntryBody, SessionId};

use super::desk::TestDesk;

/// An image of four pixels.
pub const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9as\x00\x00\x00\x10IDATx\x9cc8!'\x07D\x0c\x10\x0a\x00\x1f&\x04\x11\xa2\x8f\x22\xaf\x00\x00\x00\x00IEND\xaeB`\x82";

/// Returns the images of a session's tool calls, each with the name and the output of its call.
pub fn shown(desk: &TestDesk, session: SessionId) -> Vec<(String, String, Vec<u8>)> {
    let mut shown = Vec::new();
    for body in desk.mirror.transcript(session) {
        let EntryBody::Tool { name, output, images, .. } = body else { continue };
        for image in images {
            let content = desk.engine.images().read(session, image.image, "").unwrap();
            shown.push((name.clone(), output.clone().unwrap_or_default(), content));
        }
    }
    shown
}
