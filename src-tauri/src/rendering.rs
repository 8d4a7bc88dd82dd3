//! The webview's renderer on a Linux machine without a graphics card.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has this choice"))]

#[cfg(target_os = "linux")]
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

#[cfg(target_os = "linux")]
use askdesk_agents::WEBVIEW_VARIABLES;

/// Turns off WebKitGTK's DMA-BUF renderer.
const WITHOUT_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// What the webview starts with where there is no graphics card: the plain renderer, and nothing that looks for OpenGL.
///
/// GTK tries OpenGL when it opens the display, and WebKitGTK when it looks for the device to draw on. Either loads Mesa's
/// software OpenGL with LLVM into the app, which never draws with it: 16 MiB (measured with GTK 3.24 and WebKitGTK 2.50).
const PLAIN: [(&str, &str); 3] =
    [(WITHOUT_DMABUF, "1"), ("GDK_GL", "disable"), ("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null")];

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
    let variables = plain_variables(|name| env::var_os(name).is_some());
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let failed = std::process::Command::new(program)
        .args(env::args_os().skip(1))
        .env(WEBVIEW_VARIABLES, names.join(","))
        .envs(variables)
        .exec();
    // This returns only if it fails, and the default renderer works too.
    eprintln!("the plainer renderer could not be chosen: {failed}");
}

/// Other systems need no such choice.
#[cfg(not(target_os = "linux"))]
pub fn prefer_software() {}

/// Lists the variables to set; a person's own values stay.
fn plain_variables(is_set: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    PLAIN.into_iter().filter(|(name, _)| !is_set(name)).collect()
}

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

    #[test]
    fn a_variable_that_the_person_set_stays_and_is_not_named_as_ours() {
        assert_eq!(plain_variables(|_| false), PLAIN);
        assert_eq!(plain_variables(|name| name == "GDK_GL"), [PLAIN[0], PLAIN[2]]);
    }

    #[test]
    fn agents_and_opened_programs_know_the_variables_by_the_same_name() {
        assert_eq!(askdesk_agents::WEBVIEW_VARIABLES, askdesk_open_in::WEBVIEW_VARIABLES);
    }
}
