//! What programs need of the system, in the words of the package managers, read from the programs themselves.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{steps, workspace::Workspace};

/// The program of the rpm package that reads requirements; it is not on the path.
const ELFDEPS: [&str; 2] = ["/usr/lib/rpm/elfdeps", "/usr/bin/elfdeps"];

/// The minor version of the first glibc 2 that reads packed relocations.
const LEAST_GLIBC: u32 = 36;

/// `dpkg-shlibdeps` only runs beside such a file.
const CONTROL: &str = "Source: askdesk\n\nPackage: askdesk\nArchitecture: any\n";

/// Returns the packages for `Depends` of a Debian package, with the least versions that have what the programs call.
pub fn of_deb(workspace: &Workspace, programs: &[PathBuf]) -> Result<Vec<String>> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    fs::create_dir(folder.path().join("debian"))?;
    fs::write(folder.path().join("debian/control"), CONTROL)?;
    let mut shlibdeps = workspace.command("dpkg-shlibdeps");
    shlibdeps.current_dir(folder.path()).arg("-O").args(programs);
    let output = shlibdeps.output().context("cannot start dpkg-shlibdeps")?;
    steps::check_status(&shlibdeps, output.status)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    depends(&String::from_utf8_lossy(&output.stdout))
}

fn depends(printed: &str) -> Result<Vec<String>> {
    let line = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let packages = line.context("dpkg-shlibdeps named no packages")?;
    Ok(packages.split(',').map(|package| with_least_glibc(package.trim())).collect())
}

/// The programs' relocations are packed, which `dpkg-shlibdeps` does not see.
fn with_least_glibc(package: &str) -> String {
    let version =
        package.strip_prefix("libc6 (>= 2.").and_then(|rest| rest.strip_suffix(')')?.parse::<u32>().ok());
    match version {
        Some(minor) => format!("libc6 (>= 2.{})", minor.max(LEAST_GLIBC)),
        None => package.to_owned(),
    }
}

pub fn elfdeps() -> Option<&'static Path> {
    ELFDEPS.iter().map(Path::new).find(|program| program.exists())
}

/// Returns the libraries and their versions for `Requires` of an rpm package.
pub fn of_rpm(workspace: &Workspace, elfdeps: &Path, programs: &[PathBuf]) -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for program in programs {
        let mut command = workspace.command(elfdeps);
        command.arg("--requires").arg(program);
        let output = command.output().context("cannot start elfdeps")?;
        steps::check_status(&command, output.status)?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        all.extend(printed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    }
    ensure!(!all.is_empty(), "elfdeps named no library");
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_keeps_its_least_version() {
        let printed =
            "shlibs:Depends=libc6 (>= 2.39), libgtk-3-0 (>= 3.19.12), libwebkit2gtk-4.1-0 (>= 2.41.92)\n";
        let packages = ["libc6 (>= 2.39)", "libgtk-3-0 (>= 3.19.12)", "libwebkit2gtk-4.1-0 (>= 2.41.92)"];
        assert_eq!(depends(printed).unwrap(), packages);
        assert_eq!(depends("shlibs:Depends=libc6 (>= 2.34)").unwrap(), ["libc6 (>= 2.36)"]);
        assert!(depends("").is_err());
    }
}
