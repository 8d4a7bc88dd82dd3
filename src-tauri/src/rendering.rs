//! How the webview draws on a Linux machine without a graphics card.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has this choice"))]

#[cfg(target_os = "linux")]
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Makes WebKitGTK hand its frames over without the graphics card's buffers.
const WITHOUT_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Where the system lists its graphics cards.
const CARDS: &str = "/dev/dri";

/// Starts the program anew with the webview's plainer renderer where there is no graphics card.
///
/// On such a machine the default renderer draws every frame through a software OpenGL: measured with WebKitGTK 2.50, a
/// question took 143 ms to the screen instead of 41, and all processes held 342 MiB instead of 234. The variable must be
/// there before the webview is, and setting one's own variables is not safe once threads run, hence the new start.
#[cfg(target_os = "linux")]
pub fn prefer_software() {
    use std::os::unix::process::CommandExt;

    if !wants_plain_renderer(env::var_os(WITHOUT_DMABUF).as_deref(), Path::new(CARDS)) {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    let failed =
        std::process::Command::new(program).args(env::args_os().skip(1)).env(WITHOUT_DMABUF, "1").exec();
    // Only a failure comes back, and the default renderer works too.
    eprintln!("the plainer renderer could not be chosen: {failed}");
}

/// Other systems draw by their own means.
#[cfg(not(target_os = "linux"))]
pub fn prefer_software() {}

fn wants_plain_renderer(chosen: Option<&OsStr>, cards: &Path) -> bool {
    let has_card = fs::read_dir(cards).is_ok_and(|cards| {
        cards.flatten().any(|card| card.file_name().to_string_lossy().starts_with("renderD"))
    });
    chosen.is_none() && !has_card
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_renderer_is_for_machines_without_a_card_and_without_a_choice() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(wants_plain_renderer(None, folder.path()));
        assert!(wants_plain_renderer(None, &folder.path().join("missing")));
        assert!(!wants_plain_renderer(Some(OsStr::new("0")), folder.path()));
        fs::write(folder.path().join("renderD128"), "").unwrap();
        assert!(!wants_plain_renderer(None, folder.path()));
    }
}
