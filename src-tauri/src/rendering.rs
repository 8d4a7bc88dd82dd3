//! The webview's renderer on Linux machines where the default one is slow or fails.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has this choice"))]

#[cfg(target_os = "linux")]
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Turns off WebKitGTK's DMA-BUF renderer.
const WITHOUT_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
struct Machine<'a> {
    /// What the user has set [`WITHOUT_DMABUF`] to.
    chosen: Option<&'a OsStr>,
    /// Lists the graphics cards.
    cards: &'a Path,
    /// Is there while NVIDIA's own driver is loaded.
    nvidia: &'a Path,
}

/// Chooses the webview's plain renderer if there is no graphics card, or if NVIDIA's own driver is loaded. Must be called before
/// threads start, because it sets a variable, which the webview reads when it starts.
///
/// Without a card, the default renderer draws every frame with software OpenGL. Measured with WebKitGTK 2.50, a question took
/// 143 ms to the screen instead of 41, and all processes used 342 MiB instead of 234. With NVIDIA's driver, the window
/// stays white, or ends with a protocol error under Wayland (<https://github.com/tauri-apps/tauri/issues/10702>,
/// <https://github.com/tauri-apps/wry/issues/1366>). We have no such card to try it on.
#[cfg(target_os = "linux")]
pub fn prefer_software() {
    let chosen = env::var_os(WITHOUT_DMABUF);
    let machine = Machine {
        chosen: chosen.as_deref(),
        cards: Path::new("/dev/dri"),
        nvidia: Path::new("/sys/module/nvidia"),
    };
    if machine.needs_plain_renderer()
        && let Err(error) = gtk::glib::setenv(WITHOUT_DMABUF, "1", true)
    {
        // The default renderer works too.
        eprintln!("the plain renderer could not be chosen: {error}");
    }
}

/// Other systems need no such choice.
#[cfg(not(target_os = "linux"))]
pub fn prefer_software() {}

impl Machine<'_> {
    fn needs_plain_renderer(self) -> bool {
        let has_card = fs::read_dir(self.cards).is_ok_and(|cards| {
            cards.flatten().any(|card| card.file_name().to_string_lossy().starts_with("renderD"))
        });
        self.chosen.is_none() && (!has_card || self.nvidia.exists())
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_card(false, false, None, true)]
    #[case::the_user_chose(false, false, Some("0"), false)]
    #[case::a_card(true, false, None, false)]
    #[case::nvidia(true, true, None, true)]
    #[case::nvidia_and_the_user_chose(true, true, Some("0"), false)]
    fn the_plain_renderer_is_used_where_the_default_one_is_slow_or_fails(
        #[case] has_card: bool,
        #[case] has_nvidia: bool,
        #[case] chosen: Option<&str>,
        #[case] plain: bool,
    ) {
        let folder = tempfile::TempDir::new().unwrap();
        let (cards, nvidia) = (folder.path().join("dri"), folder.path().join("nvidia"));
        if has_card {
            fs::create_dir(&cards).unwrap();
            fs::write(cards.join("renderD128"), "").unwrap();
        }
        if has_nvidia {
            fs::create_dir(&nvidia).unwrap();
        }
        let machine = Machine { chosen: chosen.map(OsStr::new), cards: &cards, nvidia: &nvidia };
        assert_eq!(machine.needs_plain_renderer(), plain);
    }
}
