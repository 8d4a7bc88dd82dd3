//! `askdesk mcp --start` starts the app.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use tokio::task::block_in_place;

use super::mcp_client::{PATIENCE, connect, structured};
use crate::fake_app::{FakeApp, User, ended, write_program};

/// A fake app that is only found once it was started.
struct Hidden {
    app: FakeApp,
    _desk: crate::fake_app::Running,
    /// The program in a folder of its own, because a real app may be beside the usual one.
    askdesk: PathBuf,
}

impl Hidden {
    fn new() -> Self {
        let app = FakeApp::new();
        let desk = block_in_place(|| app.start());
        std::fs::rename(app.path("data/desk.json"), app.path("data/hidden.json")).unwrap();
        app.user(User::Sends(ended("answered", &json!({"answers": []}))));
        let own = app.path("own");
        std::fs::create_dir(&own).unwrap();
        let askdesk = own.join("askdesk");
        let copied =
            Command::new("/bin/cp").arg(env!("CARGO_BIN_EXE_askdesk")).arg(&askdesk).status().unwrap();
        assert!(copied.success());
        Self { app, _desk: desk, askdesk }
    }

    /// A program that records how it was started, and then publishes the discovery file.
    fn starts_from(&self, folder: &str) {
        let note = format!("echo {folder} \"$@\" >> {}", self.app.path("started").display());
        let data = self.app.path("data").display().to_string();
        let script = format!(
            "#!/bin/sh\n{note}\necho $$ > {data}/pid\n/bin/mv {data}/hidden.json {data}/desk.json\nexec /bin/sleep 600\n"
        );
        write_program(&self.app.path(folder).join("askdesk-desktop"), &script);
    }

    fn command(&self, line: &[&str]) -> Command {
        let usual = self.app.command(line);
        let mut command = Command::new(&self.askdesk);
        command.args(usual.get_args()).env_clear().current_dir(self.app.path("project"));
        command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// The process of the app.
    fn pid(&self) -> Option<Pid> {
        let noted = std::fs::read_to_string(self.app.path("data/pid")).ok()?;
        Pid::from_raw(noted.trim().parse().ok()?)
    }

    fn started(&self) -> String {
        std::fs::read_to_string(self.app.path("started")).unwrap_or_default()
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_app_beside_the_program_is_started_once_and_without_a_window() {
    let hidden = Hidden::new();
    hidden.starts_from("own");
    hidden.starts_from("bin");
    let connected = connect(hidden.command(&["mcp", "--start"])).await;
    assert_eq!(connected.client.list_all_tools().await.unwrap().len(), 3);
    assert_eq!(hidden.started(), "", "not before something is asked");
    let (one, two) = tokio::join!(connected.ask(), connected.ask());
    for result in [one, two] {
        assert_eq!(structured(&result)["outcome"], "answered");
    }
    assert_eq!(hidden.started(), "own --in-background\n");
    // The client and this program end, and the app keeps running.
    connected.close().await;
    test_kill_process(hidden.pid().unwrap()).unwrap();
}

#[rstest]
#[case::from_the_path_if_none_is_beside_the_program(false, &["mcp", "--start"], "answered", "bin --in-background\n")]
#[case::not_if_it_is_running(true, &["mcp", "--start"], "answered", "")]
#[case::not_without_the_flag(false, &["mcp"], "no_desk", "")]
#[tokio::test(flavor = "multi_thread")]
async fn the_app_is_started_only_with_the_flag_and_if_it_is_not_running(
    #[case] is_running: bool,
    #[case] line: &[&str],
    #[case] outcome: &str,
    #[case] started: &str,
) {
    let hidden = Hidden::new();
    hidden.starts_from("bin");
    if is_running {
        std::fs::rename(hidden.app.path("data/hidden.json"), hidden.app.path("data/desk.json")).unwrap();
    }
    let connected = connect(hidden.command(line)).await;
    assert_eq!(structured(&connected.ask().await)["outcome"], outcome);
    assert_eq!(hidden.started(), started);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_cannot_be_started_counts_as_not_running() {
    let hidden = Hidden::new();
    let connected = connect(hidden.command(&["mcp", "--start"])).await;
    assert_eq!(structured(&connected.ask().await)["outcome"], "no_desk");
    connected.until_printed("askdesk-desktop is neither next to this program nor on the PATH").await;
    write_program(&hidden.app.path("bin/askdesk-desktop"), "#!/bin/sh\nexit 3\n");
    assert_eq!(structured(&connected.ask().await)["outcome"], "no_desk");
    connected.until_printed("Askdesk quit as soon as it was started").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_whose_call_was_canceled_leaves_no_zombie() {
    let hidden = Hidden::new();
    let noted = hidden.app.path("data/pid").display().to_string();
    // It never publishes a discovery file.
    let script =
        format!("#!/bin/sh\necho $$ > {noted}.new\n/bin/mv {noted}.new {noted}\nexec /bin/sleep 600\n");
    write_program(&hidden.app.path("bin/askdesk-desktop"), &script);
    let connected = connect(hidden.command(&["mcp", "--start"])).await;
    let call = connected.begin().await;
    let until = async |what: &dyn Fn() -> bool| {
        let waiting = async {
            while !what() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.expect("in time");
    };
    until(&|| hidden.pid().is_some()).await;
    call.cancel(None).await.unwrap();
    // The next call is answered once the one before was given up.
    assert_eq!(connected.client.list_all_tools().await.unwrap().len(), 3);
    let pid = hidden.pid().unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    until(&|| test_kill_process(pid).is_err()).await;
}
