//! Starts from a desktop menu: few variables, no terminal, and agents that only the user's shell knows.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, OPEN_CARD, Setup};

/// Longer than all limits of the ways to ask a shell.
const ALL_LIMITS: Duration = Duration::from_secs(90);

/// The agents as npm installs them below the prefix of a version manager, each with a model of its own.
struct Installed {
    home: TempDir,
    models: [(Cli, MockApi); 3],
}

impl Installed {
    /// Installs the agents, or reports that the test did not run.
    async fn new(test: &str, prefix: &str) -> Option<Self> {
        let home = TempDir::new().unwrap();
        let bin = home.path().join(prefix).join("bin");
        let packages = home.path().join(prefix).join("lib/node_modules");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(packages.join("@openai")).unwrap();
        symlink(clis::native_or_skip(Cli::ClaudeCode, test)?, bin.join("claude")).unwrap();
        symlink(clis::native_or_skip(Cli::OpenCode, test)?, bin.join("opencode")).unwrap();
        // The launcher of Codex is JavaScript, so that it needs the version manager's node on the path.
        let package = clis::clis_dir().join("node_modules/@openai/codex");
        symlink(&package, packages.join("@openai/codex")).unwrap();
        symlink("../lib/node_modules/@openai/codex/bin/codex.js", bin.join("codex")).unwrap();
        script(&bin.join("node"), "echo ran >> \"$HOME/node-ran\"\nexec /usr/bin/node \"$@\"");
        let model = async |cli: Cli, call: Block| {
            let replies =
                vec![Reply::new([Block::text("One question."), call]), Reply::text("PostgreSQL it is.")];
            let model = MockApi::start(Script(replies)).await.unwrap();
            cli.write_settings(home.path(), &model.base_url).unwrap();
            (cli, model)
        };
        let models = [
            model(Cli::Codex, question("request_user_input")).await,
            model(Cli::ClaudeCode, question("AskUserQuestion")).await,
            model(Cli::OpenCode, question("question")).await,
        ];
        Some(Self { home, models })
    }

    /// The variables that a user's startup files set, as lines of a Bourne shell or of fish.
    fn startup_lines(&self, prefix: &str, is_fish: bool) -> String {
        let base_url = |cli: Cli| &self.models.iter().find(|(it, _)| *it == cli).unwrap().1.base_url;
        let home = self.home.path();
        let mut variables = clis::sealed_env(home, base_url(Cli::ClaudeCode));
        variables.retain(|(name, _)| !["HOME", "USERPROFILE", "PATH", "TERM"].contains(&name.as_str()));
        let mut lines = String::new();
        for (name, value) in variables {
            lines.push_str(&match is_fish {
                true => format!("set -gx {name} '{value}'\n"),
                false => format!("export {name}='{value}'\n"),
            });
        }
        let bin = format!("{}/{prefix}/bin", home.display());
        lines.push_str(&match is_fish {
            true => format!("set -gx PATH '{bin}' $PATH\n"),
            false => format!("export PATH='{bin}':\"$PATH\"\n"),
        });
        lines
    }
}

fn question(tool: &str) -> Block {
    let questions = json!([{ "id": "store", "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    Block::tool("call_1", tool, json!({ "questions": questions }))
}

fn script(path: &Path, lines: &str) {
    // Written by a shell: a file that this process has open for writing couldn't be run.
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod +x "$0""#]).arg(path).arg(lines);
    assert!(shell.status().unwrap().success());
}

/// Where the environment comes from, once the shell has answered.
async fn environment(app: &App) -> Value {
    let began = Instant::now();
    loop {
        if let Ok(read) = app.invoke("read_environment", json!({ "again": false })).await
            && read["reading"] == false
        {
            return read;
        }
        assert!(began.elapsed() < ALL_LIMITS, "the environment is known in time");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[rstest]
#[case::nvm_in_bashrc("/bin/bash", ".nvm/versions/node/v22.1.0", ".bashrc")]
#[case::fnm_in_zshrc("/usr/bin/zsh", ".local/share/fnm/aliases/default", ".zshrc")]
#[case::volta_in_config_fish("/usr/bin/fish", ".volta", ".config/fish/config.fish")]
#[case::mise_in_profile("/bin/bash", ".local/share/mise/installs/node/22", ".profile")]
#[tokio::test]
async fn case_115_agents_that_only_the_shell_knows_start_from_a_menu_and_are_answered(
    #[case] shell: &str,
    #[case] prefix: &str,
    #[case] file: &str,
) {
    let test = "case_115_agents_that_only_the_shell_knows_start_from_a_menu_and_are_answered";
    let Some(installed) = Installed::new(test, prefix).await else { return };
    let home = installed.home.path();
    let file = home.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, installed.startup_lines(prefix, shell.ends_with("fish"))).unwrap();
    let app = Setup::default().started_from_menu(home, shell).open().await;
    let read = environment(&app).await;
    assert_eq!((&read["way"], &read["shell"]), (&json!("interactive_login"), &json!(shell)), "{read}");
    for (cli, model) in &installed.models {
        let agent = cli.id().replace('-', "_");
        let project = TempDir::new().unwrap();
        let input =
            json!({ "agent": agent, "folder": project.path(), "prompt": "Please go on.", "name": agent });
        let session = app.start_session(input).await;
        app.select(&session).await;
        app.find(OPEN_CARD).await;
        app.choose_second_by_keys().await;
        app.shows_text("main", "PostgreSQL it is.").await;
        let heard = model.conversation().pop().unwrap().to_string();
        assert!(heard.contains("PostgreSQL"), "{agent} got the answer: {heard}");
    }
    assert!(home.join("node-ran").exists(), "the launcher of Codex has run with the version manager's node");
}

/// A home whose shell finds a program called `codex`, whatever its startup files do besides.
fn home_with(file: &str, lines: &str) -> TempDir {
    let home = TempDir::new().unwrap();
    let bin = home.path().join("programs");
    fs::create_dir_all(&bin).unwrap();
    script(&bin.join("codex"), "echo codex-cli 9.9.9");
    let lines = lines.replace("SET_PATH", &format!("export PATH='{}':\"$PATH\"", bin.display()));
    fs::write(home.path().join(file), lines).unwrap();
    home
}

async fn path_of_codex(app: &App) -> Option<String> {
    let found = app.invoke("list_agents", json!({})).await.unwrap();
    let agents = found["agents"].as_array().unwrap().clone();
    let codex = agents.into_iter().find(|agent| agent["agent"] == "codex").unwrap();
    codex["program"].as_str().map(str::to_owned)
}

/// Everything that a startup file may do besides.
const NOISY: &str = "echo Welcome
printf 'askdesk-0\\0x=y\\0'
head -c 1048576 /dev/zero | tr '\\0' x
read -r -p 'Update? ' answer
[ -z \"$TMUX\" ] && exec tmux
cd /tmp
sleep 300 &
SET_PATH
fortune() { :; }
echo bye >&2";

#[rstest]
#[case::prints_waits_and_leaves_a_child(".bashrc", NOISY, "interactive_login")]
#[case::exits_in_a_terminal(".bashrc", "exit 1", "login")]
#[case::exits_after_a_login(".profile", "SET_PATH\nexec /bin/false", "known_folders")]
#[tokio::test]
async fn case_115_a_shell_may_print_wait_or_fail(#[case] file: &str, #[case] lines: &str, #[case] way: &str) {
    let home = home_with(file, lines);
    // A folder that is known without a shell.
    let known = home.path().join(".local/bin");
    fs::create_dir_all(&known).unwrap();
    script(&known.join("codex"), "echo codex-cli 9.9.9");
    let app = Setup::default().started_from_menu(home.path(), "/bin/bash").open().await;
    let read = environment(&app).await;
    assert_eq!(read["way"], way, "{read}");
    let expected: PathBuf = match way {
        "interactive_login" => home.path().join("programs/codex"),
        _ => known.join("codex"),
    };
    assert_eq!(path_of_codex(&app).await, Some(expected.display().to_string()));
    let failed = read["failed"].as_array().unwrap().len();
    assert_eq!(
        failed,
        match way {
            "interactive_login" => 0,
            "login" => 1,
            _ => 2,
        },
        "{read}"
    );
}

#[tokio::test]
async fn case_115_a_shell_that_hangs_never_delays_the_window() {
    let home = home_with(".bashrc", "sleep 60\nSET_PATH");
    let app = Setup::default().started_from_menu(home.path(), "/bin/bash").open().await;
    app.by_role("button", "Start session").await;
    // The agents are found only after the shell's 30 seconds.
    assert_eq!(app.count("[data-agent] .state").await, 0);
    assert_eq!(environment(&app).await["way"], "login");
    app.unfold_start_form().await;
    app.find("[data-agent='codex'] .state").await;
}

/// The second start asks the shell behind the window, which shows what it knows of the first.
#[tokio::test]
async fn case_142_an_agent_that_was_installed_since_the_last_start_is_found_at_once() {
    let home = home_with(".bashrc", "");
    let app = Setup::default().started_from_menu(home.path(), "/bin/bash").open().await;
    environment(&app).await;
    app.find("[data-problem='codex']").await;
    drop(app);
    let programs = home.path().join("programs");
    let lines = format!(
        "until [ -e ~/may-answer ]; do sleep 0.1; done\nexport PATH='{}':\"$PATH\"",
        programs.display()
    );
    fs::write(home.path().join(".bashrc"), lines).unwrap();
    let app = Setup::default().started_from_menu(home.path(), "/bin/bash").open().await;
    let read = app.invoke("read_environment", json!({ "again": false })).await.unwrap();
    assert_eq!(read["reading"], true, "{read}");
    app.find("[data-problem='codex']").await;
    fs::write(home.path().join("may-answer"), "").unwrap();
    app.gone("[data-problem='codex']").await;
    assert_eq!(path_of_codex(&app).await, Some(programs.join("codex").display().to_string()));
}

/// What a child of an app in an AppImage sees.
#[tokio::test]
async fn case_116_a_child_of_an_appimage_has_the_users_variables() {
    let home = TempDir::new().unwrap();
    let seen = home.path().join("seen");
    let agent = home.path().join("agent");
    script(&agent, &format!("[ \"$1\" = --version ] || env -0 > '{}'\nexit 3", seen.display()));
    let programs = home.path().join("programs");
    fs::create_dir_all(&programs).unwrap();
    let seen_by_browser = home.path().join("seen-by-browser");
    script(&programs.join("xdg-open"), &format!("env -0 > '{}'", seen_by_browser.display()));
    let lines = format!("export OF_USER=yes PATH='{}':\"$PATH\"\n", programs.display());
    fs::write(home.path().join(".bashrc"), lines).unwrap();
    let mount = home.path().join(".mount_Askdesk");
    let inside = |path: &str| format!("{}/{path}", mount.display());
    let setup = Setup::default()
        .started_from_menu(home.path(), "/bin/bash")
        .env("APPDIR", mount.display().to_string())
        .env("APPIMAGE", "/opt/Askdesk.AppImage")
        .env("ARGV0", "Askdesk.AppImage")
        .env("OWD", "/")
        .env("GDK_BACKEND", "x11")
        .env("GTK_PATH", inside("usr/lib/gtk-3.0"))
        .env("LD_LIBRARY_PATH", inside("usr/lib"))
        .env("XDG_DATA_DIRS", format!("{}:/usr/share", inside("usr/share")))
        .env("PATH", format!("{}:/usr/bin:/bin", inside("usr/bin")))
        .env("ASKDESK_LOG", "warn");
    let app = setup.open().await;
    environment(&app).await;
    let options = json!({ "program": agent });
    let input = json!({ "agent": "claude_code", "folder": home.path(), "options": options, "prompt": "Go.", "name": "Env" });
    app.start_session(input).await;
    let text = app
        .wait("the agent's environment", async || fs::read_to_string(&seen).ok().filter(|it| !it.is_empty()));
    let text = text.await;
    let added = [
        "ASKDESK_AGENT_TREE",
        "ASKDESK_SESSION",
        "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
        "CLAUDE_CODE_STARTUP_FAILURE_RESULTS",
    ];
    assert_of_user(&text, &added);

    let script = "window.__TAURI_INTERNALS__.invoke('open_link', { url: 'https://example.org/' })";
    app.script(script, vec![]).await;
    let text = app.wait("the browser's environment", async || {
        fs::read_to_string(&seen_by_browser).ok().filter(|it| it.contains("PATH="))
    });
    assert_of_user(&text.await, &[]);
}

/// Checks that an environment has the variables of the user and of the desktop session, and no others.
fn assert_of_user(text: &str, added: &[&str]) {
    let mut names: Vec<&str> =
        text.split_terminator('\0').filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    // `sh` sets these itself.
    let of_shell = ["OLDPWD", "PWD", "SHLVL", "_"];
    names.retain(|name| !added.contains(name) && !of_shell.contains(name));
    let mut expected = vec!["HOME", "OF_USER", "PATH", "SHELL", "XDG_DATA_DIRS"];
    // The driver that starts the window sets these.
    expected.extend(["GTK_OVERLAY_SCROLLING", "TAURI_WEBVIEW_AUTOMATION", "WEBKIT_INSPECTOR_SERVER"]);
    expected.extend(
        ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "ASKDESK_ENGINE"]
            .into_iter()
            .filter(|name| std::env::var_os(name).is_some()),
    );
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(!text.contains(".mount_Askdesk"), "{text}");
}
