//! Attachments of a message: images, whose bytes the app stores, and files, which stay where they are.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::answer::optional_text_within;
use crate::error::ValidationError;
use crate::id::serde_as_text;
use crate::rejection::{Rejection, UnsupportedFeature};

/// How many attachments a message can have.
pub const ATTACHMENTS: usize = 8;

/// The largest accepted image, in bytes; agents shrink a larger one before they send it.
pub const IMAGE_BYTES: usize = 8 * 1024 * 1024;

/// The longest message to an agent, in bytes; a longer one is refused, never cut. It fills about a third of the context
/// of the agents' models.
pub const MESSAGE_BYTES: usize = 256 * 1024;

/// The longest text that is attached as a file, in bytes.
pub const TEXT_FILE_BYTES: usize = 8 * 1024 * 1024;

/// The longest image name that is stored, in characters; a longer one is cut.
pub const NAME_CHARS: usize = 120;

/// The longest accepted path of a file, in bytes.
pub const PATH_BYTES: usize = 4_096;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "attachment", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Attachment {
    /// An image; the agent gets its bytes.
    Image {
        /// Identifies its bytes among the session's stored images.
        image: ImageId,
        /// The format, detected from its first bytes.
        format: ImageFormat,
        name: String,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        bytes: u64,
    },
    /// A file; the agent gets its path.
    File {
        path: String,
        /// Its size when it was attached.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        bytes: u64,
    },
}

impl Attachment {
    /// Returns the display name: an image's name, or the last part of a file's path.
    pub fn name(&self) -> &str {
        match self {
            Self::Image { name, .. } => name,
            Self::File { path, .. } => path.rsplit(['/', '\\']).next().unwrap_or(path),
        }
    }

    /// Returns the id, if it is an image.
    pub const fn image(&self) -> Option<ImageId> {
        match self {
            Self::Image { image, .. } => Some(*image),
            Self::File { .. } => None,
        }
    }
}

/// Which attachments an agent accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "takes", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Takes {
    #[default]
    Words,
    ImagesAndFiles {
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: usize,
        /// The largest accepted image, in bytes.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        image_bytes: usize,
        /// The longest text of a message, in bytes; a longer one can be attached as a file.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        text_bytes: usize,
    },
}

impl Takes {
    /// Checks that a message can carry these attachments.
    pub fn check(self, attachments: &[Attachment]) -> Result<(), Rejection> {
        match self {
            Self::Words if !attachments.is_empty() => {
                Err(Rejection::Unsupported { what: UnsupportedFeature::Attaching })
            }
            Self::Words | Self::ImagesAndFiles { .. } => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImageFormat {
    Png,
    Jpeg,
    Gif,
    /// WebP.
    Webp,
}

impl ImageFormat {
    /// Detects the format from the first bytes, whatever the name says; none if it is unknown.
    pub fn of(content: &[u8]) -> Option<Self> {
        match content {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// Identifies an image by its content: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct ImageId([u8; 32]);

impl ImageId {
    /// Wraps the SHA-256 of an image.
    pub const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

impl fmt::Display for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImageId({self})")
    }
}

/// A text is not an image id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an image's name: 64 digits of 0-9 and a-f")]
pub struct InvalidImage;

impl FromStr for ImageId {
    type Err = InvalidImage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return Err(InvalidImage);
        }
        let mut digest = [0; 32];
        for (place, byte) in digest.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).map_err(|_| InvalidImage)?;
        }
        Ok(Self(digest))
    }
}

serde_as_text!(ImageId);

/// Checks the text of a user's message like [`optional_text`](crate::answer::optional_text), up to [`MESSAGE_BYTES`].
pub fn message_text(text: Option<&str>, field: &str) -> Result<Option<String>, Rejection> {
    optional_text_within(text, field, MESSAGE_BYTES)
}

/// Checks a user's message to an agent. Its text may be missing if something is attached.
pub fn message(text: &str, attachments: &[Attachment]) -> Result<String, Rejection> {
    if attachments.len() > ATTACHMENTS {
        let rule = ValidationError::TooManyAttached { most: ATTACHMENTS, count: attachments.len() };
        return Err(Rejection::invalid("attachments", rule));
    }
    match message_text(Some(text), "text")? {
        Some(text) => Ok(text),
        None if attachments.is_empty() => Err(Rejection::invalid("text", ValidationError::Empty)),
        None => Ok(String::new()),
    }
}

/// Describes a message that has only attachments by their names.
pub fn in_words(text: &str, attachments: &[Attachment]) -> String {
    if !text.is_empty() {
        return text.to_owned();
    }
    let names: Vec<&str> = attachments.iter().map(Attachment::name).collect();
    names.join(", ")
}

/// Returns whether a path can be given to an agent: as text on one line, between quotes.
pub fn can_be_told(path: &str) -> bool {
    !path.is_empty() && path.len() <= PATH_BYTES && !path.contains(|c: char| c.is_control() || c == '"')
}

/// Makes a name fit for display: on one line, and bounded.
pub fn plain_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(b"\x89PNG\r\n\x1a\n....", Some(ImageFormat::Png))]
    #[case(b"\xff\xd8\xff\xe0....", Some(ImageFormat::Jpeg))]
    #[case(b"GIF89a....", Some(ImageFormat::Gif))]
    #[case(b"GIF87a....", Some(ImageFormat::Gif))]
    #[case(b"RIFF\x01\x02\x03\x04WEBPVP8 ", Some(ImageFormat::Webp))]
    #[case(b"RIFF\x01\x02\x03\x04WAVEfmt ", None)]
    #[case(b"<svg xmlns='http://www.w3.org/2000/svg'/>", None)]
    #[case(b"%PDF-1.7", None)]
    #[case(b"", None)]
    fn an_image_format_is_detected_from_the_first_bytes(
        #[case] content: &[u8],
        #[case] format: Option<ImageFormat>,
    ) {
        assert_eq!(ImageFormat::of(content), format);
    }

    #[test]
    fn only_the_canonical_form_is_an_image_id() {
        let id = ImageId::new(std::array::from_fn(|at| at as u8 * 7));
        let text = id.to_string();
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(serde_json::from_str::<ImageId>(&format!("\"{text}\"")).unwrap(), id);
        for wrong in ["", "../../desk.db", &text[1..], &text.to_uppercase(), &format!("{text}0")] {
            assert_eq!(wrong.parse::<ImageId>(), Err(InvalidImage), "{wrong}");
        }
    }

    #[test]
    fn a_message_needs_text_or_an_attachment() {
        let file = Attachment::File { path: "/srv/notes.txt".to_owned(), bytes: 4 };
        let said = |text, attachments: &[Attachment]| message(text, attachments);
        assert!(said(" ", &[]).is_err());
        assert_eq!(said(" ", std::slice::from_ref(&file)).as_deref(), Ok(""));
        assert_eq!(in_words("", &[file.clone(), file.clone()]), "notes.txt, notes.txt");
        assert_eq!(said("look", &vec![file.clone(); ATTACHMENTS]).as_deref(), Ok("look"));
        assert!(said("look", &vec![file.clone(); ATTACHMENTS + 1]).is_err());
        assert_eq!(
            Takes::Words.check(std::slice::from_ref(&file)),
            Err(Rejection::Unsupported { what: UnsupportedFeature::Attaching })
        );
        assert_eq!(Takes::Words.check(&[]), Ok(()));
        let takes =
            Takes::ImagesAndFiles { count: ATTACHMENTS, image_bytes: IMAGE_BYTES, text_bytes: MESSAGE_BYTES };
        assert_eq!(takes.check(&[file]), Ok(()));
    }

    #[rstest]
    #[case("/srv/a b's (1).txt", true)]
    #[case("C:\\work\\a.txt", true)]
    #[case("/srv/a\"b.txt", false)]
    #[case("/srv/a\nb.txt", false)]
    #[case("", false)]
    fn a_path_with_quotes_or_line_breaks_cannot_be_sent(#[case] path: &str, #[case] told: bool) {
        assert_eq!(can_be_told(path), told);
    }
}
