//! A private desktop for tests: a display in memory, a session bus, a window manager, a notification daemon.
//!
//! Tests never see the display, the bus, the settings or the API keys of the user who runs them.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use tempfile::{NamedTempFile, TempDir};

use crate::workspace::Workspace;

/// The hidden command by which this program starts itself inside the private display and bus.
pub const SUBCOMMAND: &str = "inside-session";

/// How long the window manager and the notification daemon may take to start.
const READY_TIMEOUT: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);
/// Longer than openbox shows a popup by default, 875 ms.
const POPUP: Duration = Duration::from_millis(1500);

/// What the display is.
///
/// By default, an X server resets when its last client leaves. When that client was a probe, the reset ended openbox, which was
/// just connecting: in one of ten starts on a busy machine.
const DISPLAY: &str = "-noreset -screen 0 1600x1200x24";
/// Tells the bench where the display keeps its pixels.
const FRAMEBUFFER_VARIABLE: &str = "ASKDESK_FRAMEBUFFER";

/// Variables that point to the user's own desktop.
const DESKTOP_VARIABLES: [&str; 12] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "SESSION_MANAGER",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_STARTER_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "NO_AT_BRIDGE",
    "GTK_THEME",
    "GTK_MODULES",
    "GDK_SCALE",
    "DESKTOP_STARTUP_ID",
];
const FOLDER_VARIABLES: [&str; 5] =
    ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/// Prefixes of variables that hold a user's settings or API keys.
const USER_VARIABLE_PREFIXES: [&str; 7] =
    ["XDG_", "ANTHROPIC_", "CLAUDE", "OPENAI_", "CODEX_", "GEMINI_", "OPENCODE"];

/// Folders that replace the user's own while tests run; deleted on drop.
pub struct PrivateFolders(Vec<(&'static str, TempDir)>);

impl PrivateFolders {
    pub fn make() -> Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("askdesk-tests-");
        // Only its owner may open the runtime folder (XDG Base Directory Specification).
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = |name| Ok((name, builder.tempdir()?));
        let folders: Result<_> = FOLDER_VARIABLES.into_iter().map(folder).collect();
        Ok(Self(folders.context("cannot create a folder for temporary files")?))
    }

    fn runtime(&self) -> &Path {
        self.0[0].1.path()
    }

    /// Makes a command see these folders, and nothing of the user's desktop.
    pub fn apply_to(&self, command: &mut Command) {
        let names: Vec<OsString> = env::vars_os().map(|(name, _)| name).collect();
        for name in names.iter().filter(|name| is_private(name)) {
            command.env_remove(name);
        }
        command.envs(self.0.iter().map(|(name, folder)| (name, folder.path())));
        command.env("LC_ALL", "C.UTF-8").env("GDK_BACKEND", "x11");
    }
}

fn is_private(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    DESKTOP_VARIABLES.contains(&name) || USER_VARIABLE_PREFIXES.iter().any(|start| name.starts_with(start))
}

/// Starts a command as root with a loopback of its own.
const AS_ROOT: [&str; 5] = ["unshare", "--net", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""];
/// Starts a command as an ordinary user with a loopback of its own, and without the rights that making it needs.
const AS_USER: [&str; 7] = [
    "unshare",
    "--map-current-user",
    "--keep-caps",
    "--net",
    "sh",
    "-c",
    "ip link set lo up && exec setpriv --inh-caps=-all --ambient-caps=-all \"$0\" \"$@\"",
];

/// Wraps a command so that it runs in the private desktop.
///
/// The bus runs inside the display, so that services it starts on demand find the display.
pub fn wrap(workspace: &Workspace, folders: &PrivateFolders, inner: &Command) -> Result<Command> {
    wrap_with(workspace, folders, inner, DISPLAY, &[])
}

/// Like [`wrap`]; where the system allows it, no program outside can take a port of the session's.
///
/// WebKitWebDriver picks a free port and lets it go, for the app to listen on. Once another test program listened there first,
/// and the driver waited for it forever.
pub fn wrap_apart(workspace: &Workspace, folders: &PrivateFolders, inner: &Command) -> Result<Command> {
    let ways: [&[&str]; 2] = [&AS_ROOT, &AS_USER];
    let works = |way: &&&[&str]| workspace.succeeds(way[0], &[&way[1..], &["true"]].concat());
    wrap_with(workspace, folders, inner, DISPLAY, ways.iter().find(works).copied().unwrap_or_default())
}

/// Like [`wrap`]; the display keeps its pixels in a file, which [`FRAMEBUFFER_VARIABLE`] names.
pub fn wrap_readable(workspace: &Workspace, folders: &PrivateFolders, inner: &Command) -> Result<Command> {
    let memory = folders.runtime();
    let mut command =
        wrap_with(workspace, folders, inner, &format!("{DISPLAY} -fbdir {}", memory.display()), &[])?;
    command.env(FRAMEBUFFER_VARIABLE, memory.join("Xvfb_screen0"));
    Ok(command)
}

fn wrap_with(
    workspace: &Workspace,
    folders: &PrivateFolders,
    inner: &Command,
    display: &str,
    starter: &[&str],
) -> Result<Command> {
    let this_program = env::current_exe().context("cannot find this program's own file")?;
    let mut words = starter.iter().copied().chain(["xvfb-run"]);
    let mut command = workspace.command(words.next().unwrap_or_default());
    command
        .args(words)
        .args(["-a", "-s", display, "dbus-run-session", "--"])
        .arg(this_program)
        .arg(SUBCOMMAND)
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    folders.apply_to(&mut command);
    Ok(command)
}

/// Runs a command beside a window manager and a notification daemon; returns its exit code.
pub fn run_inside(workspace: &Workspace, command: &[OsString]) -> Result<i32> {
    let Some((program, arguments)) = command.split_first() else {
        bail!("`{SUBCOMMAND}` needs a command to run")
    };
    let mut settings = NamedTempFile::new().context("cannot create the settings of dunst")?;
    settings.write_all(DUNST_SETTINGS.as_bytes()).context("cannot write the settings of dunst")?;
    let mut background = BackgroundProcesses::default();
    background.start(&mut workspace.command("openbox"))?;
    background.start(workspace.command("dunst").arg("-conf").arg(settings.path()))?;
    wait_for("openbox, the window manager", || workspace.succeeds("xdotool", &["get_num_desktops"]))?;
    settle_keys(workspace)?;
    wait_for("dunst, the notification daemon", || workspace.succeeds("dunstctl", &["is-paused"]))?;
    let status = Command::new(program).args(arguments).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    Ok(status.code().unwrap_or(1))
}

/// Notifications stay until a test closes them, and a click on one means what it means on a desktop.
const DUNST_SETTINGS: &str = "\
[global]
    follow = none
    idle_threshold = 0
    notification_limit = 20
    mouse_left_click = do_action, close_current
    mouse_right_click = close_current
    font = DejaVu Sans 10
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
";

/// Programs that run beside the command, killed on drop.
#[derive(Default)]
struct BackgroundProcesses(Vec<Child>);

impl BackgroundProcesses {
    fn start(&mut self, command: &mut Command) -> Result<()> {
        let name = command.get_program().to_owned();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.0.push(child.with_context(|| format!("cannot start {}", name.display()))?);
        Ok(())
    }
}

impl Drop for BackgroundProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended by itself is fine.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Presses keys of openbox until it carries them out.
///
/// With the first key, the display tells all programs of another keyboard. Openbox then takes its keys anew, and until it has,
/// they go to the window: of the first Alt+F4 of a display, one in ten closed nothing.
fn settle_keys(workspace: &Workspace) -> Result<()> {
    for (keys, desktop) in [("super+F2", "1"), ("super+F1", "0")] {
        wait_for("openbox, pressed a key,", || {
            workspace.succeeds("xdotool", &["key", keys]);
            thread::sleep(POLL);
            let shown = workspace.command("xdotool").arg("get_desktop").output();
            shown.is_ok_and(|shown| String::from_utf8_lossy(&shown.stdout).trim() == desktop)
        })?;
    }
    // Openbox names the desktop in a popup, which takes the pointer from a window below it when it goes.
    thread::sleep(POPUP);
    Ok(())
}

fn wait_for(what: &str, mut ready: impl FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    while !ready() {
        if began.elapsed() > READY_TIMEOUT {
            bail!("{what} did not answer within {} s in the private session", READY_TIMEOUT.as_secs());
        }
        thread::sleep(POLL);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn desktop_variables_settings_and_keys_are_private() {
        for name in
            ["DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "ANTHROPIC_API_KEY", "CLAUDECODE"]
        {
            assert!(is_private(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "CARGO_HOME", "LANG"] {
            assert!(!is_private(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_folders_exist_until_they_are_dropped() {
        let folders = PrivateFolders::make().unwrap();
        let paths: Vec<PathBuf> = folders.0.iter().map(|(_, folder)| folder.path().to_owned()).collect();
        assert!(paths.iter().all(|folder| folder.is_dir()), "{paths:?}");
        #[cfg(unix)]
        for folder in &paths {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{} can be opened by others", folder.display());
        }
        drop(folders);
        assert!(!paths.iter().any(|folder| folder.exists()), "{paths:?}");
    }
}
