//! The result of a tool call: its text and its images.

use askdesk_domain::ImageFormat;
use askdesk_domain::attachment::IMAGE_BYTES;
use askdesk_domain::text::bounded;
use askdesk_domain::transcript::RESULT_IMAGES;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::abridge;

/// An image in the result of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultImage {
    /// Its bytes: an image of a format that is stored, up to [`IMAGE_BYTES`].
    Bytes(Vec<u8>),
    /// The path of a file that the agent has looked at; nothing is known of its content.
    File(String),
}

/// Gathers what came out of a tool, in order. An image that can't be shown leaves a line of text that says why.
#[derive(Debug, Default)]
pub(crate) struct ToolResult {
    lines: Vec<String>,
    images: Vec<ResultImage>,
}

impl ToolResult {
    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// Adds an image in base64, which may have been cut with the line that it came in.
    pub(crate) fn base64(&mut self, data: &str) {
        if abridge::is_cut(data) {
            return self.text("[image: too large to show]");
        }
        match STANDARD.decode(data.trim()) {
            Ok(bytes) if bytes.len() > IMAGE_BYTES => self.text("[image: too large to show]"),
            Ok(bytes) if ImageFormat::of(&bytes).is_some() => self.image(ResultImage::Bytes(bytes)),
            Ok(_) => self.text("[image: not a PNG, JPEG, GIF, or WebP image]"),
            Err(_) => self.text("[image: unreadable]"),
        }
    }

    /// Adds an image by its address. Nothing is fetched: only an address that contains the image is shown as one.
    pub(crate) fn address(&mut self, address: &str) {
        let inline = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match inline {
            Some((_, data)) => self.base64(data),
            None => self.text(format!("[image: {address}]")),
        }
    }

    /// Adds an image by the path of its file.
    pub(crate) fn file(&mut self, path: &str) {
        self.image(ResultImage::File(path.to_owned()));
    }

    fn image(&mut self, image: ResultImage) {
        if self.images.len() == RESULT_IMAGES {
            return self.text(format!("[image: only {RESULT_IMAGES} of a result are shown]"));
        }
        self.images.push(image);
    }

    /// Returns the text and the images.
    pub(crate) fn parts(self) -> (String, Vec<ResultImage>) {
        (bounded(&self.lines.join("\n")), self.images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

    #[track_caller]
    fn check(add: impl FnOnce(&mut ToolResult), text: &str, images: &[&[u8]]) {
        let mut result = ToolResult::default();
        result.text("before");
        add(&mut result);
        let images = images.iter().map(|bytes| ResultImage::Bytes(bytes.to_vec())).collect();
        let text = if text.is_empty() { "before".to_owned() } else { format!("before\n{text}") };
        assert_eq!(result.parts(), (text, images));
    }

    #[test]
    fn an_image_is_taken_by_its_content_and_anything_else_says_why_not() {
        let data = STANDARD.encode(PNG);
        check(|it| it.base64(&data), "", &[PNG]);
        check(|it| it.address(&format!("data:image/jpeg;base64,{data}")), "", &[PNG]);
        check(|it| it.base64("no base64!"), "[image: unreadable]", &[]);
        check(|it| it.base64("PHN2Zy8+"), "[image: not a PNG, JPEG, GIF, or WebP image]", &[]);
        check(|it| it.address("https://example.org/a.png"), "[image: https://example.org/a.png]", &[]);
        let large = STANDARD.encode([PNG, &vec![0; IMAGE_BYTES]].concat());
        check(|it| it.base64(&large), "[image: too large to show]", &[]);
    }

    #[test]
    fn an_image_that_was_cut_says_so() {
        let mut line = abridge::BoundedText::new(4 * 1024 * 1024);
        line.push(format!(r#"{{"data":"{}"}}"#, "iVBO".repeat(2 * 1024 * 1024)).as_bytes());
        let abridge::TakenText::Abridged { text, .. } = line.take() else { panic!("it is whole") };
        let text: serde_json::Value = serde_json::from_slice(&text).unwrap();
        check(|it| it.base64(text["data"].as_str().unwrap()), "[image: too large to show]", &[]);
    }

    #[test]
    fn images_over_the_limit_are_named() {
        let data = STANDARD.encode(PNG);
        let add = |it: &mut ToolResult| (0..=RESULT_IMAGES).for_each(|_| it.base64(&data));
        check(add, "[image: only 8 of a result are shown]", &[PNG; RESULT_IMAGES]);
    }
}
