//! The webview's renderer on a Linux machine without a graphics card.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has this choice"))]

#[cfg(target_os = "linux")]
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Turns off WebKitGTK's DMA-BUF renderer.
const WITHOUT_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Lists the graphics cards.
const CARDS: &str = "/dev/dri";

/// Restarts the program with the webview's plain renderer if there is no graphics card.
///
/// There, the default renderer draws every frame with software OpenGL. Measured with WebKitGTK 2.50, a question took 143 ms to
/// the screen instead of 41, and all processes used 342 MiB instead of 234. The variable must be set before the webview
/// starts, and setting variables is unsafe once threads run, hence the restart.
#[cfg(target_os = "linux")]
pub fn prefer_software() {
    use std::os::unix::process::CommandExt;

    if !needs_plain_renderer(env::var_os(WITHOUT_DMABUF).as_deref(), Path::new(CARDS)) {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    let failed =
        std::process::Command::new(program).args(env::args_os().skip(1)).env(WITHOUT_DMABUF, "1").exec();
    // This returns only if it fails, and the default renderer works too.
    eprintln!("the plainer renderer could not be chosen: {failed}");
}

/// Other systems need no such choice.
#[cfg(not(target_os = "linux"))]
pub fn prefer_software() {}

fn needs_plain_renderer(chosen: Option<&OsStr>, cards: &Path) -> bool {
    let has_card = fs::read_dir(cards).is_ok_and(|cards| {
        cards.flatten().any(|card| card.file_name().to_string_lossy().starts_with("renderD"))
    });
    chosen.is_none() && !has_card
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_renderer_is_used_without_a_card_and_without_a_choice_of_the_person() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(needs_plain_renderer(None, folder.path()));
        assert!(needs_plain_renderer(None, &folder.path().join("missing")));
        assert!(!needs_plain_renderer(Some(OsStr::new("0")), folder.path()));
        fs::write(folder.path().join("renderD128"), "").unwrap();
        assert!(!needs_plain_renderer(None, folder.path()));
    }
}
