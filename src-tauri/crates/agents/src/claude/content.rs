//! A message with images and files, as Claude Code takes it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::adapter::Attached;

/// Puts a message into the content of a user message.
///
/// An image travels as a block of its own and reaches the model byte for byte, unless it is so large that the agent
/// makes it smaller. A path behind an `@`, in quotes and with nothing else on its line, is read by the agent before the
/// model sees the message, wherever the file is; eight images of 8 MB are one line that it takes (all 2.1.329).
pub(super) fn content(text: &str, attached: &Attached) -> Value {
    let lines = attached.files.iter().map(|path| format!("@\"{path}\""));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let parts: Vec<&str> = [text, &lines].into_iter().filter(|part| !part.is_empty()).collect();
    let text = parts.join("\n\n");
    if attached.images.is_empty() {
        return json!(text);
    }
    let images = attached.images.iter().map(|(format, bytes)| {
        let source =
            json!({"type": "base64", "media_type": format.media_type(), "data": STANDARD.encode(bytes)});
        json!({"type": "image", "source": source})
    });
    let words = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    images.chain(words).collect()
}

#[cfg(test)]
mod tests {
    use askdesk_domain::ImageFormat;

    use super::*;

    #[test]
    fn a_message_alone_is_a_text() {
        assert_eq!(content("hello", &Attached::default()), json!("hello"));
    }

    #[test]
    fn files_stand_behind_the_words_one_on_a_line() {
        let files = vec!["/srv/a b.txt".to_owned(), "/srv/c.pdf".to_owned()];
        let attached = Attached { images: Vec::new(), files };
        assert_eq!(content("read", &attached), json!("read\n\n@\"/srv/a b.txt\"\n@\"/srv/c.pdf\""));
        assert_eq!(content("", &attached), json!("@\"/srv/a b.txt\"\n@\"/srv/c.pdf\""));
    }

    #[test]
    fn images_stand_before_the_words_with_their_bytes() {
        let images = vec![(ImageFormat::Png, b"\x89PNG".to_vec()), (ImageFormat::Webp, vec![0, 255])];
        let attached = Attached { images, files: vec!["/srv/c.pdf".to_owned()] };
        let image = |media_type: &str, data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}});
        let png = image("image/png", "iVBORw==");
        let webp = image("image/webp", "AP8=");
        let words = json!({"type": "text", "text": "look\n\n@\"/srv/c.pdf\""});
        assert_eq!(content("look", &attached), json!([png, webp, words]));
        assert_eq!(content("", &Attached { files: Vec::new(), ..attached }), json!([png, webp]));
    }
}
