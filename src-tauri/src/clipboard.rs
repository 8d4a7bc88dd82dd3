//! Files and images on the system's clipboard, as GTK reads them.
//!
//! WebKitGTK's paste event has text and nothing else; elsewhere the page's own event carries images.

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

use gtk::gdk::{Atom, SELECTION_CLIPBOARD};
use gtk::gdk_pixbuf::PixbufLoader;
use gtk::gdk_pixbuf::prelude::PixbufLoaderExt;
use gtk::{Clipboard, SelectionData, glib};
use tauri::{AppHandle, Runtime};
use tokio::sync::oneshot;

/// What the clipboard holds, apart from text.
#[derive(Debug, PartialEq, Eq)]
pub enum ClipboardContent {
    /// Files that were copied, as in a file manager.
    Files(Vec<PathBuf>),
    /// An image, in the form in which the other program offers it.
    Image(Vec<u8>),
    Nothing,
}

/// The forms of an image that are stored as they are, best first; any other is converted.
const STORED: [&str; 4] = ["image/png", "image/webp", "image/jpeg", "image/gif"];

/// Reads the clipboard. It waits for the program that holds it, which GTK gives half a minute.
pub async fn read<R: Runtime>(app: &AppHandle<R>) -> ClipboardContent {
    let (sender, receiver) = oneshot::channel();
    // GTK is used on the main thread only.
    let asked = app.run_on_main_thread(move || {
        request("TARGETS", move |clipboard, offered| {
            let targets: Vec<String> =
                offered.targets().unwrap_or_default().iter().map(|target| target.name().into()).collect();
            let Some(target) = best(&targets).map(str::to_owned) else {
                let _ = sender.send(ClipboardContent::Nothing);
                return;
            };
            clipboard.request_contents(&Atom::intern(&target), move |_, content| {
                let _ = sender.send(held(&target, &content.data()));
            });
        });
    });
    match asked {
        Ok(()) => receiver.await.unwrap_or(ClipboardContent::Nothing),
        Err(error) => {
            tracing::warn!(%error, "the clipboard can't be read");
            ClipboardContent::Nothing
        }
    }
}

fn request(target: &str, receive: impl FnOnce(&Clipboard, &SelectionData) + 'static) {
    Clipboard::get(&SELECTION_CLIPBOARD).request_contents(&Atom::intern(target), receive);
}

/// Chooses what to ask for. A file manager offers a preview of a copied image, too: the file is what was copied.
fn best(targets: &[String]) -> Option<&str> {
    let offered = |wanted: &str| targets.iter().find(|target| *target == wanted);
    let files = ["text/uri-list", "x-special/gnome-copied-files"].into_iter().find_map(offered);
    let stored = || STORED.into_iter().find_map(offered);
    let any = || targets.iter().find(|target| target.starts_with("image/"));
    files.or_else(stored).or_else(any).map(String::as_str)
}

fn held(target: &str, content: &[u8]) -> ClipboardContent {
    if target.starts_with("image/") {
        return if content.is_empty() {
            ClipboardContent::Nothing
        } else {
            ClipboardContent::Image(content.to_owned())
        };
    }
    let files = files(&String::from_utf8_lossy(content));
    if files.is_empty() { ClipboardContent::Nothing } else { ClipboardContent::Files(files) }
}

/// Returns the files of a list of addresses. Web addresses and a file manager's word before them are left out.
fn files(list: &str) -> Vec<PathBuf> {
    let addresses = list.lines().map(str::trim).filter(|line| line.starts_with("file:"));
    addresses.filter_map(|address| Some(glib::filename_from_uri(address).ok()?.0)).collect()
}

/// The largest image that is converted, in pixels. Four bytes of memory are taken for each.
const MOST_PIXELS: i64 = 64 << 20;
/// How much of an image is read before its size is looked at, in bytes.
const PIECE: usize = 16 * 1024;

/// Converts an image of any form that the system can decode to PNG; none if it can't, or if the image is too large.
pub fn as_png(content: &[u8]) -> Option<Vec<u8>> {
    let loader = PixbufLoader::new();
    let is_too_large = Rc::new(Cell::new(false));
    let found = Rc::clone(&is_too_large);
    loader.connect_size_prepared(move |loader, width, height| {
        if i64::from(width) * i64::from(height) > MOST_PIXELS {
            found.set(true);
            // A drawing would be rendered at its own size when the loader is closed.
            loader.set_size(1, 1);
        }
    });
    let written =
        content.chunks(PIECE).take_while(|_| !is_too_large.get()).try_for_each(|piece| loader.write(piece));
    // A loader that is dropped before it was closed complains.
    let closed = loader.close();
    written.and(closed).ok()?;
    if is_too_large.get() {
        return None;
    }
    loader.pixbuf()?.save_to_bufferv("png", &[]).ok()
}

#[cfg(test)]
mod tests {
    use askdesk_domain::ImageFormat;

    use super::*;

    #[track_caller]
    fn check_best(targets: &[&str], expected: Option<&str>) {
        let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
        assert_eq!(best(&targets), expected);
    }

    #[test]
    fn files_come_before_images_and_a_form_that_is_stored_before_one_that_is_converted() {
        check_best(&["TARGETS", "UTF8_STRING", "text/html"], None);
        check_best(&["image/bmp", "image/jpeg", "image/png"], Some("image/png"));
        check_best(&["TARGETS", "image/bmp", "image/tiff"], Some("image/bmp"));
        check_best(&["image/png", "text/uri-list", "text/plain"], Some("text/uri-list"));
        check_best(&["x-special/gnome-copied-files", "image/png"], Some("x-special/gnome-copied-files"));
    }

    #[test]
    fn only_files_of_a_list_are_taken() {
        let copied = "copy\nfile:///srv/a%20b.png\nfile:///srv/%C3%A4.txt";
        let expected = ["/srv/a b.png", "/srv/ä.txt"].map(PathBuf::from);
        assert_eq!(
            held("x-special/gnome-copied-files", copied.as_bytes()),
            ClipboardContent::Files(expected.into())
        );
        let list = "# a comment\r\nfile:///srv/a\r\nhttps://example.org/b.png\r\n";
        assert_eq!(held("text/uri-list", list.as_bytes()), ClipboardContent::Files(vec!["/srv/a".into()]));
        assert_eq!(held("text/uri-list", b"https://example.org/\r\n"), ClipboardContent::Nothing);
        assert_eq!(held("image/png", b""), ClipboardContent::Nothing);
    }

    /// A bitmap of one red pixel.
    const BMP: [u8; 58] = {
        let mut bmp = [0; 58];
        (bmp[0], bmp[1], bmp[2], bmp[10]) = (b'B', b'M', 58, 54);
        (bmp[14], bmp[18], bmp[22], bmp[26], bmp[28], bmp[34]) = (40, 1, 1, 1, 24, 4);
        bmp[56] = 255;
        bmp
    };

    /// The most memory that this process has had, in KiB.
    fn peak_memory() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn a_bitmap_becomes_a_png_and_what_is_no_image_or_too_large_becomes_nothing() {
        let png = as_png(&BMP).unwrap();
        assert_eq!(ImageFormat::of(&png), Some(ImageFormat::Png));
        assert_eq!(as_png(b"words"), None);
        let mut huge = BMP;
        (huge[18..22]).copy_from_slice(&60_000_u32.to_le_bytes());
        (huge[22..26]).copy_from_slice(&60_000_u32.to_le_bytes());
        assert_eq!(as_png(&huge), None);
        let drawing = |size: u32| {
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}"><path d="M0 0h9v9z"/></svg>"#
            )
        };
        // Not every system draws SVG.
        if as_png(drawing(20).as_bytes()).is_some() {
            let before = peak_memory();
            assert_eq!(as_png(drawing(32_000).as_bytes()), None);
            assert!(peak_memory() < before + (1 << 20), "{before} then {} KiB", peak_memory());
        }
    }
}
