//! Messages to an agent and what is attached to them.

use std::io::Read;
use std::path::{Path, PathBuf};

use askdesk_contract::*;
use askdesk_domain::attachment::{self, can_be_told};
use askdesk_domain::{
    Attachment, ImageFormat, ImageId, QueueCommand, Rejection, Session, SessionId, Takes, UnsupportedFeature,
    ValidationError,
};
use askdesk_engine::{Images, Message, SessionCall};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::api::{Api, blocking};

/// The name of an image that was pasted, which is the one that web engines give it.
const PASTED_NAME: &str = "image.png";

impl Api {
    pub(crate) async fn send_message(&self, input: SendMessage) -> Result<(), Error> {
        let SendMessage { session, text, attachments, closes, .. } = input;
        let message = Message { closes, ..self.checked_message(session, &text, attachments).await? };
        self.wake(session).await?;
        Ok(self.sessions.call(session, SessionCall::Message(message)).await?)
    }

    pub(crate) async fn queue_message(&self, input: QueueMessage) -> Result<Session, Error> {
        let QueueMessage { session, text, attachments, .. } = input;
        let Message { text, attachments, .. } = self.checked_message(session, &text, attachments).await?;
        let id = self.engine.clock().message_id();
        Ok(self.engine.change(QueueCommand::Add { session, id, text, attachments }).await?)
    }

    pub(crate) async fn remove_queued(&self, input: RemoveQueued) -> Result<Session, Error> {
        let RemoveQueued { session, id, .. } = input;
        let queue = self.engine.session(session).await?.queue;
        let removed = self.engine.change(QueueCommand::Remove { session, id }).await?;
        let gone = queue.iter().filter(|message| message.id == id).flat_map(|message| &message.attachments);
        // The message is already removed. If its images can't be deleted now, they are deleted with the session.
        if let Err(error) = self.delete_images(session, gone).await {
            tracing::warn!(error = error.message, "the images of a removed message were not deleted");
        }
        Ok(removed)
    }

    pub(crate) async fn send_queued(&self, input: SendQueued) -> Result<(), Error> {
        self.wake(input.session).await?;
        Ok(self.sessions.call(input.session, SessionCall::SendNow(input.id)).await?)
    }

    pub(crate) async fn attach_image(&self, input: AttachImage) -> Result<AttachedFiles, Error> {
        self.check_attaching(input.session).await?;
        let AttachImage { session, name, data, .. } = input;
        let content = STANDARD.decode(data);
        let content =
            content.map_err(|error| Rejection::invalid("data", format!("is not base64: {error}")))?;
        self.store_image(session, name, move || content).await
    }

    /// Stores a text that is too long for a message as a file, and attaches that.
    pub(crate) async fn attach_text(&self, input: AttachText) -> Result<AttachedFiles, Error> {
        self.check_attaching(input.session).await?;
        let AttachText { session, text, .. } = input;
        let bytes = text.len();
        if bytes > attachment::TEXT_FILE_BYTES {
            let rule = ValidationError::TooLong { most: attachment::TEXT_FILE_BYTES, bytes };
            return Err(Rejection::invalid("text", rule).into());
        }
        let images = self.engine.images().clone();
        blocking(move || {
            let mut files = AttachedFiles { attached: Vec::new(), refused: Vec::new() };
            let tried = match images.keep_text(session, &text) {
                Ok(Attachment::File { path, .. }) if !can_be_told(&path) => Err(RefusedWhy::Path),
                tried => tried.map_err(RefusedWhy::from),
            };
            files.add("message.txt", tried);
            files
        })
        .await
    }

    /// Attaches an image that another program put on the clipboard; `convert` is for forms that are not stored.
    pub async fn attach_pasted_image(
        &self,
        session: SessionId,
        content: Vec<u8>,
        convert: fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<AttachedFiles, Error> {
        self.check_attaching(session).await?;
        let stored = move || match ImageFormat::of(&content) {
            Some(_) => content,
            None => convert(&content).unwrap_or(content),
        };
        self.store_image(session, PASTED_NAME.to_owned(), stored).await
    }

    async fn store_image(
        &self,
        session: SessionId,
        name: String,
        content: impl FnOnce() -> Vec<u8> + Send + 'static,
    ) -> Result<AttachedFiles, Error> {
        let images = self.engine.images().clone();
        blocking(move || {
            let mut files = AttachedFiles { attached: Vec::new(), refused: Vec::new() };
            files.add(&name, images.keep(session, &name, &content()).map_err(RefusedWhy::from));
            files
        })
        .await
    }

    /// Attaches files from this machine: images by their content, others by their path.
    pub async fn attach_files(
        &self,
        session: SessionId,
        paths: Vec<PathBuf>,
    ) -> Result<AttachedFiles, Error> {
        self.check_attaching(session).await?;
        let images = self.engine.images().clone();
        blocking(move || {
            let mut files = AttachedFiles { attached: Vec::new(), refused: Vec::new() };
            for path in paths {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                // Files over the limit are not read.
                let room = files.attached.len() < attachment::ATTACHMENTS;
                let tried =
                    if room { attach_file(&images, session, &path) } else { Err(RefusedWhy::TooMany) };
                files.add(&name, tried);
            }
            files
        })
        .await
    }

    /// Reads an image of a session; none if it is not stored.
    pub async fn image(
        &self,
        session: SessionId,
        image: ImageId,
    ) -> Result<Option<(ImageFormat, Vec<u8>)>, Error> {
        let images = self.engine.images().clone();
        blocking(move || {
            let content = images.read(session, image, "").ok()?;
            Some((ImageFormat::of(&content)?, content))
        })
        .await
    }

    /// Checks that the agent takes the message and that its attachments still exist.
    async fn checked_message(
        &self,
        session: SessionId,
        text: &str,
        attachments: Vec<Attachment>,
    ) -> Result<Message, Error> {
        self.accepted_input(session).await?.check(&attachments)?;
        let text = attachment::message(text, &attachments)?;
        if attachments.is_empty() {
            return Ok(text.into());
        }
        let images = self.engine.images().clone();
        blocking(move || {
            for attached in &attachments {
                check_exists(&images, session, attached)?;
            }
            Ok(Message { text, attachments, closes: Vec::new() })
        })
        .await?
    }

    /// Deletes images that no message uses.
    pub(crate) async fn delete_images(
        &self,
        session: SessionId,
        attachments: impl IntoIterator<Item = &Attachment>,
    ) -> Result<(), Error> {
        let images: Vec<ImageId> = attachments.into_iter().filter_map(Attachment::image).collect();
        if images.is_empty() {
            return Ok(());
        }
        Ok(self.engine.remove_unused_images(session, images).await?)
    }

    async fn check_attaching(&self, session: SessionId) -> Result<(), Error> {
        match self.accepted_input(session).await? {
            Takes::ImagesAndFiles { .. } => Ok(()),
            Takes::Words => Err(Rejection::Unsupported { what: UnsupportedFeature::Attaching }.into()),
        }
    }

    /// Returns what a message to the session's agent may contain.
    async fn accepted_input(&self, session: SessionId) -> Result<Takes, Error> {
        let known = self.engine.session(session).await?;
        let agent = known.origin.agent().and_then(|agent| self.engine.agents().get(agent));
        Ok(agent.map_or(Takes::Words, |agent| agent.descriptor().capabilities.takes))
    }
}

fn attach_file(images: &Images, session: SessionId, path: &Path) -> Result<Attachment, RefusedWhy> {
    let metadata = std::fs::metadata(path).map_err(|error| RefusedWhy::of_io(&error))?;
    if metadata.is_dir() {
        return Err(RefusedWhy::Folder);
    }
    if !metadata.is_file() {
        return Err(RefusedWhy::NoFile);
    }
    let mut begin = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(16).read_to_end(&mut begin));
    read.map_err(|error| RefusedWhy::of_io(&error))?;
    if ImageFormat::of(&begin).is_some() {
        if metadata.len() > attachment::IMAGE_BYTES as u64 {
            return Err(RefusedWhy::TooLarge);
        }
        let content = std::fs::read(path).map_err(|error| RefusedWhy::of_io(&error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return images.keep(session, &name, &content).map_err(RefusedWhy::from);
    }
    match path.to_str().filter(|path| can_be_told(path)) {
        Some(path) => Ok(Attachment::File { path: path.to_owned(), bytes: metadata.len() }),
        None => Err(RefusedWhy::Path),
    }
}

fn check_exists(images: &Images, session: SessionId, attached: &Attachment) -> Result<(), Error> {
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
