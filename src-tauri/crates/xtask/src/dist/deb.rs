//! The Debian package: packed again with Debian's own tool, because the Tauri CLI's is larger and not as Debian's policy wants it, and
//! checked by lintian.

use std::{ffi::OsStr, fs, path::Path};

use anyhow::{Context, Result, bail};

use super::requirements;
use crate::{
    changelog::MAINTAINER,
    steps,
    workspace::{Workspace, files_below},
};

/// Unpacks a package, says what it depends on, sets the modes of its files, and packs it with xz.
pub fn pack_again(workspace: &Workspace, package: &Path, to: &Path) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    let tree = folder.path().join("tree");
    steps::show(workspace.command("dpkg-deb").arg("--raw-extract").arg(package).arg(&tree))?;
    let control = tree.join("DEBIAN/control");
    let text = fs::read_to_string(&control).context("the package has no control file")?;
    let programs = files_below(&tree.join("usr/bin"), &[])?;
    let depends = requirements::of_deb(workspace, &programs)?.join(", ");
    let text = with_field(&with_field(&text, "Maintainer", MAINTAINER), "Depends", &depends);
    fs::write(&control, text).context("cannot write the control file")?;
    for file in files_below(&tree, &[])? {
        let within = file.strip_prefix(&tree)?;
        let mode = if is_program(within) { 0o755 } else { 0o644 };
        set_mode(&file, mode).with_context(|| format!("cannot set the mode of {}", file.display()))?;
        for parent in within.ancestors().skip(1) {
            set_mode(&tree.join(parent), 0o755)?;
        }
    }
    let mut pack = workspace.command("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "-z9", "-Sextreme", "--build"]).arg(&tree).arg(to);
    steps::show(&mut pack).context("cannot pack the Debian package")
}

/// Only Linux makes this package.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no modes"))]
fn set_mode(file: &Path, mode: u32) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    Ok(())
}

/// Gives a field of the control file another value.
fn with_field(control: &str, field: &str, value: &str) -> String {
    let lines = control.lines().map(|line| match line.split_once(": ") {
        Some((name, _)) if name == field => format!("{field}: {value}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Whether a file of the package is run: a program, or a script of the package manager.
fn is_program(within: &Path) -> bool {
    let script = within.starts_with("DEBIAN")
        && !["control", "md5sums", "conffiles"].iter().any(|it| within.ends_with(it));
    script || within.starts_with("usr/bin")
}

/// Refuses a package in which lintian finds an error, or a file that its own validator refuses.
pub fn check(workspace: &Workspace, package: &Path) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    steps::show(workspace.command("dpkg-deb").arg("--extract").arg(package).arg(folder.path()))?;
    let share = folder.path().join("usr/share");
    for file in with_ending(&share.join("applications"), "desktop")? {
        steps::show(workspace.command("desktop-file-validate").arg(file))?;
    }
    for file in with_ending(&share.join("metainfo"), "xml")? {
        steps::show(workspace.command("appstreamcli").args(["validate", "--no-net"]).arg(file))?;
    }
    let mut lintian = workspace.command("lintian");
    lintian.args(["--allow-root", "--fail-on", "error", "--tag-display-limit", "0"]).arg(package);
    steps::show(&mut lintian).context("lintian found errors in the Debian package")
}

fn with_ending(folder: &Path, ending: &str) -> Result<Vec<std::path::PathBuf>> {
    let files: Vec<_> = files_below(folder, &[])?
        .into_iter()
        .filter(|it| it.extension() == Some(OsStr::new(ending)))
        .collect();
    if files.is_empty() {
        bail!("the package has no .{ending} file in {}", folder.display());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_the_control_file_changes_and_nothing_else() {
        let control = "Package: askdesk\nDepends: a, a\nDescription: Depends: on you\n A: b\n";
        let changed = with_field(control, "Depends", "a");
        assert_eq!(changed, "Package: askdesk\nDepends: a\nDescription: Depends: on you\n A: b\n");
    }

    #[test]
    fn programs_and_scripts_of_the_package_manager_are_run_and_nothing_else() {
        for (within, run) in [
            ("usr/bin/askdesk", true),
            ("DEBIAN/postrm", true),
            ("DEBIAN/control", false),
            ("DEBIAN/md5sums", false),
            ("usr/share/doc/askdesk/copyright", false),
            ("usr/lib/Askdesk/guide/index.html", false),
        ] {
            assert_eq!(is_program(Path::new(within)), run, "{within}");
        }
    }
}
