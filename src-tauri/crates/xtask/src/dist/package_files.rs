//! What packages contain besides the app: the command line, the agents' watcher, manual pages, completions, and the papers of the
//! package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::PACKAGING;
use crate::{
    appstream, changelog,
    run_command::{AGENT_HOST, COMMAND_LINE, DESKTOP},
    steps,
    workspace::{Workspace, files_below},
};

/// Where it is put; `tauri.conf.json` names the files in it.
const FOLDER: &str = "target/package";
/// The licenses of everything that packages contain.
pub const LICENSES: &str = "target/package/licenses.txt";

/// The shells that get completions, with the place of each below [`FOLDER`].
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/askdesk"),
    ("zsh", "zsh/_askdesk"),
    ("fish", "share/fish/vendor_completions.d/askdesk.fish"),
];

/// Empties the folder.
pub fn begin(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root().join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot delete target/package")?;
    }
    fs::create_dir_all(&folder).context("cannot create target/package")
}

/// Fills the folder from what was built for release. The licenses are in it already.
pub fn make(workspace: &Workspace, release: &Path) -> Result<()> {
    let folder = workspace.root().join(FOLDER);
    let own = copy(release, COMMAND_LINE, &folder)?;
    for (shell, place) in SHELLS {
        completions(workspace, &own, shell, &folder.join(place))?;
    }
    if cfg!(target_os = "linux") {
        copy(release, AGENT_HOST, &folder)?;
        manual_pages(workspace, &own, &folder.join("share/man/man1"))?;
        papers(workspace, &folder.join("share"))?;
    }
    Ok(())
}

fn copy(release: &Path, program: &str, folder: &Path) -> Result<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let (built, own) = (release.join(&name), folder.join(&name));
    fs::create_dir_all(folder).context("cannot create target/package")?;
    fs::copy(&built, &own).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(own)
}

fn completions(workspace: &Workspace, program: &Path, shell: &str, file: &Path) -> Result<()> {
    let printed = workspace.command(program).args(["completions", shell]).output()?;
    if !printed.status.success() {
        bail!("askdesk made no completions for {shell}: {}", String::from_utf8_lossy(&printed.stderr));
    }
    write(file, &printed.stdout)
}

/// Writes the pages that the command line makes and those of the other programs, compressed as Debian's policy wants them.
fn manual_pages(workspace: &Workspace, program: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    steps::show(workspace.command(program).args(["man", "--folder"]).arg(folder))?;
    for program in [DESKTOP, AGENT_HOST] {
        let name = format!("{program}.1");
        let page = workspace.root().join(PACKAGING).join(&name);
        fs::copy(&page, folder.join(&name)).with_context(|| format!("cannot copy {}", page.display()))?;
    }
    let pages = files_below(folder, &[])?;
    // Without the time of the file, so that the same page is the same file.
    steps::show(workspace.command("gzip").args(["--best", "--no-name"]).args(pages))
}

/// Writes the changelog, and what software centers show.
fn papers(workspace: &Workspace, share: &Path) -> Result<()> {
    let file = share.join("doc/askdesk/changelog");
    let text = fs::read_to_string(workspace.root().join(changelog::FILE)).context(changelog::FILE)?;
    write(&file, changelog::debian(&text)?.as_bytes())?;
    let licenses = share.join("doc/askdesk/licenses.txt");
    fs::copy(workspace.root().join(LICENSES), &licenses).context("cannot copy the licenses")?;
    steps::show(workspace.command("gzip").args(["--best", "--no-name", "--force"]).args([&file, &licenses]))?;
    let copyright = workspace.root().join(PACKAGING).join("copyright");
    fs::copy(&copyright, share.join("doc/askdesk/copyright"))
        .with_context(|| format!("cannot copy {}", copyright.display()))?;
    let metainfo = share.join("metainfo");
    fs::create_dir_all(&metainfo).with_context(|| format!("cannot create {}", metainfo.display()))?;
    appstream::write(workspace, &metainfo.join("io.github.askdesk.metainfo.xml"))
}

fn write(file: &Path, content: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}
