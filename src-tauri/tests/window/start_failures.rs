//! Starts that show no window: what is printed instead, and what a dialog says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::desktop::{activate, visible_windows, xdotool};
use crate::harness::{App, Setup, wait_until};

/// The title of the dialog that says why Askdesk can't start.
const DIALOG: &str = "^Askdesk$";

/// No process can make anything in this folder.
const UNWRITABLE: &str = "/proc/askdesk-home";

fn unwritable_home(setup: Setup) -> Setup {
    let homes = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];
    homes.into_iter().fold(setup, |setup, name| setup.env(name, UNWRITABLE))
}

/// Starts the app and waits for its dialog; returns what it logged after the dialog was closed.
async fn refused(setup: Setup) -> String {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut app = setup.log_to(log.path()).start().await;
    wait_until("the dialog", async || (visible_windows(DIALOG) > 0).then_some(())).await;
    activate(DIALOG);
    let ended = wait_until("the end of the app", async || {
        // A dialog that has just come can be active before it takes keys.
        if visible_windows(DIALOG) > 0 {
            xdotool(&["key", "Return"]);
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        app.ended()
    })
    .await;
    assert_eq!(ended.code(), Some(1));
    let log = fs::read_to_string(log.path()).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    log
}

#[tokio::test]
async fn help_and_version_are_printed_without_a_display() {
    for (argument, printed) in
        [("--help", "Usage: askdesk-desktop"), ("--version", env!("CARGO_PKG_VERSION"))]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_askdesk-desktop"))
            .arg(argument)
            .env_clear()
            .env("HOME", UNWRITABLE)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(printed), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_named_in_a_dialog() {
    let home = Path::new(UNWRITABLE);
    let log = refused(unwritable_home(Setup::default().at_home(home))).await;
    assert!(log.contains("/proc/askdesk-home/io.github.askdesk can’t be used"), "{log}");
}

#[tokio::test]
async fn with_a_data_folder_elsewhere_nothing_needs_the_home_folder() {
    let data = tempfile::tempdir().unwrap();
    let app: App = unwritable_home(Setup::default().data(data.path())).open().await;
    app.show_demo("technology", "Notes").await;
    assert!(data.path().join("webview").is_dir());
}

#[tokio::test]
async fn a_folder_with_other_files_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes/thesis.odt");
    fs::create_dir(folder.path().join("notes")).unwrap();
    fs::write(&file, "words").unwrap();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    open(&folder.path().join("notes"), 0o755);
    open(&file, 0o644);
    let log = refused(Setup::default().data(folder.path())).await;
    assert!(log.contains("already holds other files, such as notes"), "{log}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([folder.path(), &folder.path().join("notes"), &file].map(mode), [0o755, 0o755, 0o644]);
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["notes"], "nothing was added");
}
