//! What goes along with a message: brought by the person, kept by the desk, checked before it goes out.

use std::path::{Path, PathBuf};

use askdesk_domain::attachment::{self, can_be_told};
use askdesk_domain::{
    Attachment, ImageFormat, ImageId, Rejection, SessionId, Takes, UnsupportedFeature, ValidationError,
};
use askdesk_engine::{EngineError, ImageError, Images, Message};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::DeskApi;
use crate::dto::{AttachImage, AttachedFiles, RefusedFile, RefusedWhy};
use crate::error::{Error, ErrorCode};

impl DeskApi {
    /// Keeps the bytes of an image the person has pasted.
    pub(super) async fn attach(&self, input: AttachImage) -> Result<AttachedFiles, Error> {
        self.takes_files(input.session).await?;
        let AttachImage { session, name, data, .. } = input;
        let content = STANDARD.decode(data);
        let content =
            content.map_err(|error| Rejection::invalid("data", format!("is not base64: {error}")))?;
        let images = self.engine.images().clone();
        on_disk(move || {
            let mut files = AttachedFiles { attached: Vec::new(), refused: Vec::new() };
            files.put(&name, images.keep(session, &name, &content).map_err(RefusedWhy::from));
            files
        })
        .await
    }

    /// Attaches files that the person has chosen on this machine: images with their bytes, others with their paths.
    pub async fn attach_files(
        &self,
        session: SessionId,
        paths: Vec<PathBuf>,
    ) -> Result<AttachedFiles, Error> {
        self.takes_files(session).await?;
        let images = self.engine.images().clone();
        on_disk(move || {
            let mut files = AttachedFiles { attached: Vec::new(), refused: Vec::new() };
            for path in paths {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                // More than one message takes is not even read.
                let room = files.attached.len() < attachment::ATTACHMENTS;
                let tried =
                    if room { attach_file(&images, session, &path) } else { Err(RefusedWhy::TooMany) };
                files.put(&name, tried);
            }
            files
        })
        .await
    }

    /// Reads the bytes of an image that is kept for a session, with what they are; none where it is not kept.
    pub async fn image(
        &self,
        session: SessionId,
        image: ImageId,
    ) -> Result<Option<(ImageFormat, Vec<u8>)>, Error> {
        let images = self.engine.images().clone();
        on_disk(move || {
            let content = images.read(session, image, "").ok()?;
            Some((ImageFormat::of(&content)?, content))
        })
        .await
    }

    /// Checks a message before anything is done with it: that the agent takes it, and that all of it is still there.
    pub(super) async fn message(
        &self,
        session: SessionId,
        text: &str,
        attachments: Vec<Attachment>,
    ) -> Result<Message, Error> {
        self.takes(session).await?.check(&attachments)?;
        let text = attachment::message(text, &attachments)?;
        if attachments.is_empty() {
            return Ok(Message { text, attachments });
        }
        let images = self.engine.images().clone();
        on_disk(move || {
            for attached in &attachments {
                still_there(&images, session, attached)?;
            }
            Ok(Message { text, attachments })
        })
        .await?
    }

    /// Forgets images that go along with nothing any more.
    pub(super) async fn discard(
        &self,
        session: SessionId,
        attachments: impl IntoIterator<Item = &Attachment>,
    ) -> Result<(), Error> {
        let images: Vec<ImageId> = attachments.into_iter().filter_map(Attachment::image).collect();
        if images.is_empty() {
            return Ok(());
        }
        Ok(self.engine.forget_unused(session, images).await?)
    }

    async fn takes_files(&self, session: SessionId) -> Result<(), Error> {
        match self.takes(session).await? {
            Takes::ImagesAndFiles { .. } => Ok(()),
            Takes::Words => Err(Rejection::Unsupported { what: UnsupportedFeature::Attaching }.into()),
        }
    }

    /// Says what goes along with a message to a session's agent.
    async fn takes(&self, session: SessionId) -> Result<Takes, Error> {
        let known = self.engine.session(session).await?;
        let agent = known.origin.agent().and_then(|agent| self.engine.agents().get(agent));
        Ok(agent.map_or(Takes::Words, |agent| agent.descriptor().capabilities.takes))
    }
}

fn attach_file(images: &Images, session: SessionId, path: &Path) -> Result<Attachment, RefusedWhy> {
    let metadata = std::fs::metadata(path).map_err(|error| RefusedWhy::of(&error))?;
    if metadata.is_dir() {
        return Err(RefusedWhy::Folder);
    }
    if !metadata.is_file() {
        return Err(RefusedWhy::NoFile);
    }
    let mut begin = [0; 16];
    let read = std::fs::File::open(path).and_then(|mut file| fill(&mut file, &mut begin));
    let read = read.map_err(|error| RefusedWhy::of(&error))?;
    if ImageFormat::of(&begin[..read]).is_some() {
        if metadata.len() > attachment::IMAGE_BYTES as u64 {
            return Err(RefusedWhy::TooLarge);
        }
        let content = std::fs::read(path).map_err(|error| RefusedWhy::of(&error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return images.keep(session, &name, &content).map_err(RefusedWhy::from);
    }
    match path.to_str().filter(|path| can_be_told(path)) {
        Some(path) => Ok(Attachment::File { path: path.to_owned(), bytes: metadata.len() }),
        None => Err(RefusedWhy::Path),
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl std::io::Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

impl AttachedFiles {
    fn put(&mut self, name: &str, tried: Result<Attachment, RefusedWhy>) {
        match tried {
            Ok(attachment) => self.attached.push(attachment),
            Err(why) => self.refused.push(RefusedFile { name: attachment::plain_name(name), why }),
        }
    }
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

impl RefusedWhy {
    fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Gone,
            _ => Self::Unreadable { error: error.to_string() },
        }
    }
}

fn still_there(images: &Images, session: SessionId, attached: &Attachment) -> Result<(), Error> {
    let gone = || Error {
        field: Some("attachments".to_owned()),
        ..Error::new(ErrorCode::AttachmentGone, attached.name().to_owned())
    };
    match attached {
        Attachment::Image { image, .. } if images.has(session, *image) => Ok(()),
        Attachment::Image { .. } => Err(gone()),
        Attachment::File { path, .. } if !can_be_told(path) => {
            Err(Rejection::invalid("attachments", ValidationError::PathUntold).into())
        }
        Attachment::File { path, .. } => match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(()),
            _ => Err(gone()),
        },
    }
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Closing.into())
}
