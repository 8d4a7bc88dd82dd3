//! The trial, step by step. Each step goes on from where the one before left the system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desk::{Bus, DATA, Desk, ENTRY, press, type_text, until};
use crate::guide::lines_below;
use crate::report::{Failure, Report, Result, ensure, failed};
use crate::root::Root;
use crate::{rpm, update};

/// What is gone once the package is removed.
const OWN_PATHS: [&str; 7] = [
    "usr/bin/askdesk",
    "usr/bin/askdesk-desktop",
    "usr/bin/askdesk-agent-host",
    "usr/lib/Askdesk",
    "usr/share/doc/askdesk",
    "usr/share/man/man1/askdesk.1.gz",
    ENTRY,
];
/// Where SQLite keeps `user_version`, by which the app knows a database of a newer version.
const USER_VERSION_AT: usize = 60;

/// What is tried.
pub struct Options {
    /// The page of the guide that says how to install, upgrade, and remove.
    guide: PathBuf,
    package: PathBuf,
    /// A package of the version before.
    from: Option<PathBuf>,
    /// A folder with a signed package of a newer version, and the list of versions that leads to it.
    update: Option<PathBuf>,
    /// A system that is there; none to make a Debian.
    root: Option<PathBuf>,
}

impl Options {
    pub fn of(mut arguments: impl Iterator<Item = OsString>) -> Result<Self> {
        let (mut guide, mut package, mut from, mut update, mut root) = (None, None, None, None, None);
        while let Some(name) = arguments.next() {
            let place = match name.to_str() {
                Some("--guide") => &mut guide,
                Some("--package") => &mut package,
                Some("--from") => &mut from,
                Some("--update") => &mut update,
                Some("--root") => &mut root,
                _ => return failed(format!("unknown argument {}", name.display())),
            };
            *place = arguments.next().map(PathBuf::from);
        }
        let missing = |name: &str| Failure::from(format!("{name} is missing").as_str());
        Ok(Self {
            guide: guide.ok_or_else(|| missing("--guide"))?,
            package: package.ok_or_else(|| missing("--package"))?,
            from,
            update,
            root,
        })
    }
}

/// Runs every step until one fails.
pub async fn case_87_a_package_serves_a_user_from_install_to_removal(
    report: &mut Report,
    options: &Options,
) -> Option<()> {
    let is_rpm = options.package.extension().is_some_and(|it| it == "rpm");
    if is_rpm && options.root.is_none() {
        return rpm::try_it(report, &options.package).await;
    }
    let folder = TempDir::with_prefix("askdesk-root-").ok()?;
    let root = report.step("a system without build tools", async { make(options, folder.path()) }).await?;
    report.step("install as the guide says", async { install(&root, options, &options.package) }).await?;
    report.step("no build tools came with it", async { without_build_tools(&root) }).await?;
    report.step("the command line, its pages, and completions", async { command_line(&root) }).await?;
    let model = report.step("an agent of the user", agent(&root)).await?;
    let _bus = report.step("a session bus", Bus::start(&root)).await?;
    let desk = report.step("start from the menu", Desk::open(&root)).await?;
    report.step("an agent's question is answered by a key", session(&root, &desk, &model)).await?;
    report
        .step("a connected agent's question is answered by its link", connected(&root, &desk, &model))
        .await?;
    report.step("a script's question is answered", script(&root, &desk)).await?;
    let (desk, _services) = match &options.update {
        Some(folder) => {
            let (desk, services) = update::try_it(report, &root, desk, folder).await?;
            (desk, Some(services))
        }
        None => (desk, None),
    };
    report.step("quit", desk.quit()).await?;
    if let Some(from) = &options.from {
        upgrade(report, &root, options, from).await?;
    }
    report.step("a newer database is not opened and stays as it is", newer_database(&root)).await?;
    report.step("remove as the guide says; the data stay", async { remove(&root, options) }).await
}

async fn upgrade(report: &mut Report, root: &Root, options: &Options, from: &Path) -> Option<()> {
    report.step("install the version before", async { install_earlier(root, from) }).await?;
    let desk = report.step("start the version before", Desk::open(root)).await?;
    let asked = report.step("a question is open", ask(root, &desk, "Upgrade now?")).await?;
    let kept = report.step("a setting of the user", async { kept(root) }).await?;
    report
        .step("upgrade as the guide says, with the question open", async {
            install(root, options, &options.package)?;
            ensure(desk.questions()?.contains(&asked.question), || "the question has gone".to_owned())
        })
        .await?;
    report.step("quit the version before", desk.quit()).await?;
    let desk = report.step("start the new version", Desk::open(root)).await?;
    report.step("the question is back, and its answer arrives", answer(&desk, asked)).await?;
    report.step("the settings are kept", async { still_kept(root, &kept) }).await?;
    report.step("quit the new version", desk.quit()).await
}

fn make(options: &Options, folder: &Path) -> Result<Root> {
    let root = match &options.root {
        Some(root) => Root::open(root)?,
        None => Root::make_debian(folder)?,
    };
    root.share_display()?;
    ensure(root.build_tools().is_empty(), || format!("it has {:?}", root.build_tools()))?;
    Ok(root)
}

/// Downloads the package, and types what the guide says.
fn install(root: &Root, options: &Options, package: &Path) -> Result<()> {
    let name = download(root, package)?;
    let (heading, manager) = if root.is_debian() { ("Debian", "apt") } else { ("Fedora", "dnf") };
    let lines = lines_below(&options.guide, heading)?;
    let own: Vec<_> = lines.into_iter().filter(|line| line.contains(manager)).collect();
    ensure(own.iter().any(|line| line.contains(&name)), || {
        format!("the guide installs by {own:?}, but the package is called {name}")
    })?;
    // One terminal, in the folder of the download.
    root.type_line(&format!("set -e\ncd ~/Downloads\n{}", own.join("\n"))).map(drop)
}

fn download(root: &Root, package: &Path) -> Result<String> {
    let name = package.file_name().ok_or("a package has no name")?.to_string_lossy().into_owned();
    let downloads = root.home("Downloads");
    fs::create_dir_all(&downloads)?;
    fs::copy(package, downloads.join(&name))?;
    root.give_to_user(&downloads)?;
    Ok(name)
}

fn install_earlier(root: &Root, from: &Path) -> Result<()> {
    let name = download(root, from)?;
    let line = if root.is_debian() {
        format!("sudo apt-get install --yes --allow-downgrades ./{name}")
    } else {
        format!("sudo dnf downgrade --assumeyes ./{name}")
    };
    root.type_line(&format!("cd ~/Downloads && {line}")).map(drop)
}

fn without_build_tools(root: &Root) -> Result<()> {
    ensure(root.build_tools().is_empty(), || format!("the package brought {:?}", root.build_tools()))
}

pub fn command_line(root: &Root) -> Result<()> {
    let version = |program: &str| -> Result<String> {
        let printed = root.type_line(&format!("{program} --version"))?;
        Ok(printed.split_whitespace().last().unwrap_or_default().to_owned())
    };
    let (command, desktop) = (version("askdesk")?, version("askdesk-desktop")?);
    ensure(command == desktop && !command.is_empty(), || format!("askdesk is {command}, the app {desktop}"))?;
    for page in ["askdesk", "askdesk-ask", "askdesk-desktop", "askdesk-agent-host"] {
        let shown = root.type_line(&format!("MANPAGER=cat man {page}"))?;
        ensure(shown.contains(page), || format!("the manual page of {page} is\n{shown}"))?;
    }
    for file in
        ["usr/share/bash-completion/completions/askdesk", "usr/share/fish/vendor_completions.d/askdesk.fish"]
    {
        ensure(root.path(file).exists(), || format!("{file} is missing"))?;
    }
    Ok(())
}

/// Installs Claude Code for the user, with a model of the trial's own on this machine.
async fn agent(root: &Root) -> Result<MockApi> {
    let program = Cli::ClaudeCode.program().and_then(|program| program.native().map(Path::to_owned));
    let program = program.ok_or_else(|| Failure::from(clis::HOW_TO_INSTALL))?;
    root.install_for_user(&program, Cli::ClaudeCode.command())?;
    let model = MockApi::start(Script(Vec::new())).await?;
    let mut lines = String::from("\nexport PATH=\"$HOME/.local/bin:$PATH\"\n");
    for (name, value) in clis::sealed_env(Path::new("/home/tester"), &model.base_url) {
        if !["HOME", "USERPROFILE", "PATH", "TERM"].contains(&name.as_str()) && !name.starts_with("XDG_") {
            lines.push_str(&format!("export {name}='{value}'\n"));
        }
    }
    let profile = root.home(".profile");
    let mut text = fs::read_to_string(&profile).unwrap_or_default();
    text.push_str(&lines);
    fs::write(&profile, text)?;
    root.give_to_user(&profile)?;
    Ok(model)
}

fn question(tool: &str, id: &str) -> Reply {
    let questions = json!([{ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    Reply::new([Block::tool(id, tool, json!({ "questions": questions }))])
}

/// Starts a session by the first screen's form, whose field has the keyboard.
async fn session(root: &Root, desk: &Desk<'_>, model: &MockApi) -> Result<()> {
    model.push(question("AskUserQuestion", "toolu_session"));
    model.push(Reply::text("The store is chosen."));
    type_text("Please choose a store.")?;
    press("ctrl+Return")?;
    let asked = desk.question().await?;
    desk.answer_by_key(&asked, "2").await?;
    until_answered(model, "toolu_session").await?;
    ensure(root.home(DATA).join("desk.db").exists(), || "there is no database".to_owned())
}

/// Connects Claude Code as the guide says, and lets it ask from a terminal.
async fn connected(root: &Root, desk: &Desk<'_>, model: &MockApi) -> Result<()> {
    root.type_line("askdesk connect claude-code --yes")?;
    model.push(question("ask_user_question", "toolu_connected"));
    model.push(Reply::text("The store is chosen again."));
    let line = "claude -p 'Please choose a store.' --permission-mode bypassPermissions";
    let mut claude = root.terminal(line).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let asked = desk.question().await?;
    desk.answer_by_key(&asked, "2").await?;
    until_answered(model, "toolu_connected").await?;
    let status = until("the end of the agent", || Ok(claude.try_wait()?)).await?;
    ensure(status.success(), || format!("claude ended with {status}"))
}

async fn until_answered(model: &MockApi, tool_use: &str) -> Result<()> {
    until("the answer at the model", || {
        let answered = model.conversation().iter().any(|request| {
            let text = request["messages"].to_string();
            text.contains(tool_use) && text.contains("tool_result") && text.contains("PostgreSQL")
        });
        Ok(answered.then_some(()))
    })
    .await
}

/// A question of a script that waits.
pub struct Asked {
    question: String,
    script: Child,
}

pub async fn ask(root: &Root, desk: &Desk<'_>, text: &str) -> Result<Asked> {
    let line = format!("askdesk ask '{text}' -o Now -o Later --plain");
    let script = root.terminal(&line).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    Ok(Asked { question: desk.question().await?, script })
}

pub async fn answer(desk: &Desk<'_>, asked: Asked) -> Result<()> {
    let Asked { question, mut script } = asked;
    until("the question", || Ok(desk.questions()?.contains(&question).then_some(()))).await?;
    desk.answer_by_key(&question, "2").await?;
    until("the end of the script", || Ok(script.try_wait()?)).await?;
    let printed = String::from_utf8_lossy(&script.wait_with_output()?.stdout).trim().to_owned();
    ensure(printed == "Later", || format!("the script got {printed:?}"))
}

pub async fn script(root: &Root, desk: &Desk<'_>) -> Result<()> {
    let asked = ask(root, desk, "Deploy now?").await?;
    answer(desk, asked).await
}

/// What an upgrade must not change. That the history is kept is shown by the question that comes back.
struct Kept {
    settings: Option<String>,
}

fn kept(root: &Root) -> Result<Kept> {
    let file = root.home(DATA).join("settings.toml");
    fs::write(&file, "[appearance]\ntheme = \"dark\"\n")?;
    root.give_to_user(&file)?;
    Ok(Kept { settings: fs::read_to_string(&file).ok() })
}

fn still_kept(root: &Root, kept: &Kept) -> Result<()> {
    let settings = fs::read_to_string(root.home(DATA).join("settings.toml")).ok();
    ensure(settings == kept.settings, || format!("the settings are {settings:?}"))
}

/// Opens a database of a version that is not made yet.
async fn newer_database(root: &Root) -> Result<()> {
    let file = root.home(DATA).join("desk.db");
    let mut bytes = fs::read(&file)?;
    bytes[USER_VERSION_AT..USER_VERSION_AT + 4].copy_from_slice(&9_999_u32.to_be_bytes());
    fs::write(&file, &bytes)?;
    let desk = Desk::open(root).await?;
    crate::desk::picture("newer-database");
    let told: Value =
        serde_json::from_str(&root.type_line("askdesk doctor --json").unwrap_or_else(|_| "null".into()))
            .unwrap_or_default();
    desk.quit().await?;
    ensure(fs::read(&file)? == bytes, || "the database was changed".to_owned())?;
    let beside = fs::read_dir(root.home(DATA))?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("desk.db"));
    let names: Vec<_> = beside.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    ensure(names.len() > 1, || format!("there is only {names:?}; {told}"))
}

fn remove(root: &Root, options: &Options) -> Result<()> {
    let lines = lines_below(&options.guide, "Remove")?;
    let manager = if root.is_debian() { "apt" } else { "dnf" };
    let own: Vec<_> = lines.into_iter().filter(|line| line.contains(manager)).collect();
    ensure(!own.is_empty(), || format!("the guide has no line with {manager} below Remove"))?;
    let said = root.type_line(&own.join("\n"))?;
    ensure(said.contains(DATA), || format!("the removal does not say where the data are:\n{said}"))?;
    left_behind(root)?;
    ensure(root.home(DATA).join("desk.db").exists(), || "the data have gone".to_owned())
}

/// Fails if anything of the package is left.
pub fn left_behind(root: &Root) -> Result<()> {
    let left: Vec<_> = OWN_PATHS.into_iter().filter(|path| root.path(path).exists()).collect();
    ensure(left.is_empty(), || format!("{left:?} are left"))
}
