//! Images in the results of tool calls: stored like those of messages, and deleted with the session.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, Prefix};

use askdesk_agents::ResultImage;
use askdesk_domain::attachment::IMAGE_BYTES;
use askdesk_domain::{Attachment, SessionId, StoredImage};

use crate::images::{ImageError, Images};

/// Stores images. Of each that can't be stored, a line for the call's output says why.
pub(super) fn store(
    images: &Images,
    session: SessionId,
    given: Vec<ResultImage>,
) -> (Vec<StoredImage>, Vec<String>) {
    let (mut stored, mut refused) = (Vec::new(), Vec::new());
    for image in given {
        let kept = match image {
            ResultImage::Bytes(content) => images.keep(session, "", &content),
            ResultImage::File(path) => read(Path::new(&path)).and_then(|it| images.keep(session, "", &it)),
        };
        match kept {
            Ok(Attachment::Image { image, format, bytes, .. }) => {
                let image = StoredImage { image, format, bytes };
                if !stored.contains(&image) {
                    stored.push(image);
                }
            }
            Ok(Attachment::File { .. }) => {}
            Err(why) => refused.push(format!("[image: {why}]")),
        }
    }
    (stored, refused)
}

/// Reads a file that an agent names. It may be anything by now, so no more is read than an image may have.
fn read(path: &Path) -> Result<Vec<u8>, ImageError> {
    let failed = |why| ImageError::Io { path: path.to_owned(), why };
    if !is_on_a_disk(path) {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    // Opening a pipe would wait for whoever writes to it.
    let metadata = path.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(ImageError::UnknownKind);
    }
    let mut content = Vec::new();
    let limit = IMAGE_BYTES as u64 + 1;
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut content)).map_err(failed)?;
    Ok(content)
}

/// Whether a path is absolute and begins with a disk of this computer. Windows signs in to a server that a path names, and a
/// device may answer to anything.
fn is_on_a_disk(path: &Path) -> bool {
    let of_other = |part| match part {
        Component::Prefix(prefix) => !matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)),
        _ => false,
    };
    path.is_absolute() && !path.components().next().is_some_and(of_other)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

    #[test]
    fn images_are_stored_once_and_what_is_none_says_why() {
        let folder = TempDir::new().unwrap();
        let images = Images::new(folder.path());
        let session = SessionId::new(Uuid::from_u128(1));
        let file = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            ResultImage::File(path.display().to_string())
        };
        let given = vec![
            ResultImage::Bytes(PNG.to_vec()),
            file("same.png", PNG),
            file("notes.txt", b"words"),
            file("large.png", &[PNG, &vec![0; IMAGE_BYTES]].concat()),
            match cfg!(unix) {
                true => ResultImage::File("/dev/zero".to_owned()),
                false => file("zero", &[0]),
            },
            ResultImage::File("relative.png".to_owned()),
        ];
        let (stored, refused) = store(&images, session, given);
        let [image] = stored[..] else { panic!("{stored:?}") };
        assert_eq!(images.read(session, image.image, "").unwrap(), PNG);
        assert_eq!(image.bytes, PNG.len() as u64);
        let no_image = "[image: this isn't a PNG, JPEG, GIF, or WebP image]";
        assert_eq!((refused[0].as_str(), refused[2].as_str()), (no_image, no_image));
        assert!(refused[1].starts_with("[image: the image is too large"), "{refused:?}");
        assert!(refused[3].starts_with("[image: relative.png: "), "{refused:?}");
    }

    #[cfg(windows)]
    #[test]
    fn case_153_an_image_on_a_server_or_a_device_is_not_read() {
        for path in [r"\\server\share\x.png", r"\\?\UNC\server\share\x.png", r"\\.\pipe\x", r"\x.png"] {
            assert!(!is_on_a_disk(Path::new(path)), "{path}");
        }
        assert!(is_on_a_disk(Path::new(r"C:\x.png")));
    }
}
