//! Images of messages and results: one file per session and content, named by its SHA-256. Texts that are too long for a message
//! are kept next to them.

use std::fs;
use std::path::{Path, PathBuf};

use askdesk_contract::RefusedWhy;
use askdesk_domain::attachment::{IMAGE_BYTES, plain_name};
use askdesk_domain::{Attachment, ImageFormat, ImageId, SessionId};
use sha2::{Digest, Sha256};

use crate::private;
use crate::session_folders::{SessionFolders, warn_unless_missing};

/// Why an image could not be stored or read. The messages are shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is larger than [`IMAGE_BYTES`].
    #[error("the image is too large ({bytes} bytes; the limit is {IMAGE_BYTES})")]
    TooLarge { bytes: usize },
    /// It is not a PNG, JPEG, GIF or WebP image.
    #[error("this isn't a PNG, JPEG, GIF, or WebP image")]
    UnknownKind,
    /// Its file is missing or was changed.
    #[error("the image {name} is no longer stored; attach it again")]
    Gone { name: String },
    #[error("{}: {why}", .path.display())]
    Io { path: PathBuf, why: std::io::Error },
}

/// Stores images, in a folder for each session; cheap to clone.
///
/// Two sessions never share a file, so a session's folder can be deleted with it.
#[derive(Clone, Debug)]
pub struct Images {
    folders: SessionFolders,
}

impl Images {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folders: SessionFolders::new(folder.join("images")) }
    }

    /// Stores an image and returns its attachment. Storing the same bytes again reuses the file.
    pub fn keep(&self, session: SessionId, name: &str, content: &[u8]) -> Result<Attachment, ImageError> {
        let format = ImageFormat::of(content).ok_or(ImageError::UnknownKind)?;
        if content.len() > IMAGE_BYTES {
            return Err(ImageError::TooLarge { bytes: content.len() });
        }
        let image = name_of(content);
        let path = self.path(session, image);
        if !path.exists() {
            self.folders
                .create(session)
                .and_then(|()| private::write(&path, content))
                .map_err(|why| ImageError::Io { path, why })?;
        }
        let name = plain_name(name);
        Ok(Attachment::Image { image, format, name, bytes: content.len() as u64 })
    }

    /// Stores a text as a file next to the session's images, and returns its attachment.
    pub fn keep_text(&self, session: SessionId, text: &str) -> Result<Attachment, ImageError> {
        // The beginning of its hash: the same text again is the same file.
        let hash = name_of(text.as_bytes()).to_string();
        let path = self.folders.of(session).join(format!("message-{}.txt", &hash[..16]));
        self.folders
            .create(session)
            .and_then(|()| private::write(&path, text.as_bytes()))
            .map_err(|why| ImageError::Io { path: path.clone(), why })?;
        Ok(Attachment::File { path: path.display().to_string(), bytes: text.len() as u64 })
    }

    /// Reads an image. If its file was changed, the error is [`ImageError::Gone`].
    pub fn read(&self, session: SessionId, image: ImageId, name: &str) -> Result<Vec<u8>, ImageError> {
        let path = self.path(session, image);
        match fs::read(&path) {
            Ok(content) if name_of(&content) == image => Ok(content),
            Ok(_) => Err(ImageError::Gone { name: name.to_owned() }),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
                Err(ImageError::Gone { name: name.to_owned() })
            }
            Err(why) => Err(ImageError::Io { path, why }),
        }
    }

    pub fn has(&self, session: SessionId, image: ImageId) -> bool {
        self.path(session, image).is_file()
    }

    pub(crate) fn remove(&self, session: SessionId, image: ImageId) {
        let path = self.path(session, image);
        warn_unless_missing("remove", &path, fs::remove_file(&path));
    }

    pub(crate) const fn folders(&self) -> &SessionFolders {
        &self.folders
    }

    fn path(&self, session: SessionId, image: ImageId) -> PathBuf {
        self.folders.of(session).join(image.to_string())
    }
}

fn name_of(content: &[u8]) -> ImageId {
    ImageId::new(Sha256::digest(content).into())
}

impl From<ImageError> for RefusedWhy {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::TooLarge { .. } => Self::TooLarge,
            ImageError::UnknownKind => Self::UnknownKind,
            ImageError::Gone { .. } => Self::Gone,
            ImageError::Io { .. } => Self::Unreadable { error: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::attachment::NAME_CHARS;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

    fn session(n: u128) -> SessionId {
        SessionId::new(Uuid::from_u128(n))
    }

    fn images() -> (TempDir, Images) {
        let folder = TempDir::new().unwrap();
        let images = Images::new(folder.path());
        (folder, images)
    }

    fn id(attachment: &Attachment) -> ImageId {
        attachment.image().unwrap()
    }

    #[test]
    fn an_image_is_stored_once_under_its_hash() {
        let (_folder, images) = images();
        let first = images.keep(session(1), "/home/ada/shot.png", PNG).unwrap();
        let again = images.keep(session(1), "other.txt", PNG).unwrap();
        assert_eq!(id(&first), id(&again));
        assert_eq!((first.name(), again.name()), ("shot.png", "other.txt"));
        assert_eq!(images.read(session(1), id(&first), "shot.png").unwrap(), PNG);
        assert_eq!(fs::read_dir(images.folders.of(session(1))).unwrap().count(), 1);
        let Attachment::Image { format, bytes, .. } = again else { panic!("no image") };
        assert_eq!((format, bytes), (ImageFormat::Png, PNG.len() as u64));
    }

    #[test]
    fn a_text_is_stored_as_a_file_and_removed_with_the_session() {
        let (_folder, images) = images();
        let Attachment::File { path, bytes } = images.keep_text(session(1), "wörds").unwrap() else {
            panic!("no file")
        };
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), bytes), ("wörds", 6));
        images.keep_text(session(1), "wörds").unwrap();
        assert_eq!(fs::read_dir(images.folders.of(session(1))).unwrap().count(), 1);
        images.folders.remove(session(1));
        assert!(!PathBuf::from(path).exists());
    }

    #[test]
    fn a_file_that_is_too_large_or_no_image_is_refused_and_not_stored() {
        let (folder, images) = images();
        let large = [PNG, &vec![0; IMAGE_BYTES]].concat();
        assert!(matches!(images.keep(session(1), "a", &large), Err(ImageError::TooLarge { .. })));
        assert!(matches!(images.keep(session(1), "a.png", b"<svg/>"), Err(ImageError::UnknownKind)));
        assert!(!folder.path().join("images").exists());
        let longest = "x".repeat(NAME_CHARS * 2);
        assert_eq!(images.keep(session(1), &longest, PNG).unwrap().name().len(), NAME_CHARS);
    }

    #[test]
    fn an_image_whose_file_was_changed_or_removed_is_gone_and_can_be_stored_again() {
        let (_folder, images) = images();
        let image = id(&images.keep(session(1), "shot", PNG).unwrap());
        fs::write(images.path(session(1), image), b"\x89PNG\r\n\x1a\nanother").unwrap();
        assert!(
            matches!(images.read(session(1), image, "shot"), Err(ImageError::Gone { name }) if name == "shot")
        );
        images.remove(session(1), image);
        assert!(matches!(images.read(session(1), image, "shot"), Err(ImageError::Gone { .. })));
        images.keep(session(1), "shot", PNG).unwrap();
        assert_eq!(images.read(session(1), image, "shot").unwrap(), PNG);
    }

    #[test]
    fn removing_the_images_of_a_session_keeps_those_of_others() {
        let (folder, images) = images();
        let image = id(&images.keep(session(1), "shot", PNG).unwrap());
        images.keep(session(2), "shot", PNG).unwrap();
        images.keep(session(3), "shot", PNG).unwrap();
        images.folders.remove(session(1));
        assert!(!images.has(session(1), image) && images.has(session(2), image));
        images.folders.stage_removal(session(2));
        images.folders.stage_removal(session(3));
        images.keep(session(4), "shot", PNG).unwrap();
        assert!(!images.has(session(2), image) && !images.has(session(3), image));
        images.folders.sweep(|known| known == session(3));
        let folders = fs::read_dir(folder.path().join("images")).unwrap().count();
        assert!(images.has(session(3), image), "the session was not deleted");
        assert!(images.has(session(4), image), "its removal was not staged");
        assert_eq!(folders, 2);
    }
}
