//! Takes libraries out of an AppImage that must be the system's own.
//!
//! An AppImage is a program (the runtime) with a squashfs image behind it. If it brings libwayland, the system's Mesa gets that older
//! copy, can't load, and WebKit aborts with `EGL_BAD_PARAMETER`. The linuxdeploy that the Tauri CLI downloads has no way to leave a
//! library out.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    steps,
    workspace::{Workspace, files_below},
};

/// How the names of the libraries begin.
const UNWANTED: &str = "libwayland-";

/// Takes the libraries out, packs the AppImage again with its own runtime and compression, and checks that none is left.
pub fn trim(workspace: &Workspace, file: &Path) -> Result<()> {
    let offset = offset(workspace, file)?;
    let folder = tempfile::tempdir().context("cannot create a folder to unpack to")?;
    let content = folder.path().join("content");
    let mut unpack = workspace.command("unsquashfs");
    unpack.args(["-no-progress", "-o", &offset, "-d"]).arg(&content).arg(file);
    steps::show(&mut unpack).with_context(|| format!("cannot unpack {}", file.display()))?;
    let unwanted = unwanted(files_below(&content, &[])?);
    for library in &unwanted {
        fs::remove_file(library).with_context(|| format!("cannot delete {}", library.display()))?;
    }
    eprintln!("{} libraries are taken out of {}", unwanted.len(), file.display());
    if !unwanted.is_empty() {
        let image = folder.path().join("image");
        let packing = unsquashfs(workspace, file, &offset, "-s")?;
        let after = |words: &str| {
            let found = packing.lines().find_map(|line| line.strip_prefix(words)).map(str::trim);
            found.with_context(|| format!("unsquashfs doesn't say how {} is packed", file.display()))
        };
        let mut pack = workspace.command("mksquashfs");
        pack.arg(&content).arg(&image).args(["-root-owned", "-noappend", "-no-progress", "-quiet"]);
        steps::show(pack.args(["-comp", after("Compression ")?, "-b", after("Block size ")?]))
            .with_context(|| format!("cannot pack {}", file.display()))?;
        let mut packed = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        packed.truncate(offset.parse()?);
        packed.extend(fs::read(&image).context("cannot read the packed image")?);
        fs::write(file, packed).with_context(|| format!("cannot write {}", file.display()))?;
    }
    check(workspace, file)
}

/// Fails if one of the libraries is in an AppImage.
pub fn check(workspace: &Workspace, file: &Path) -> Result<()> {
    let listed = unsquashfs(workspace, file, &offset(workspace, file)?, "-l")?;
    let left = unwanted(listed.lines().map(PathBuf::from).collect());
    ensure!(left.is_empty(), "{} contains {left:?}; WebKit aborts with it on newer systems", file.display());
    Ok(())
}

fn unwanted(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let named =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNWANTED));
    files.into_iter().filter(named).collect()
}

/// Asks the runtime of an AppImage at which byte the image begins.
fn offset(workspace: &Workspace, file: &Path) -> Result<String> {
    let program = std::path::absolute(file)?;
    let printed = workspace.output(&program.to_string_lossy(), &["--appimage-offset"]).unwrap_or_default();
    let offset = printed.trim().to_owned();
    ensure!(offset.parse::<usize>().is_ok(), "{} is no AppImage: it names no image", file.display());
    Ok(offset)
}

fn unsquashfs(workspace: &Workspace, file: &Path, offset: &str, asked: &str) -> Result<String> {
    let path = file.to_string_lossy();
    let printed = workspace.output("unsquashfs", &["-o", offset, asked, &path]);
    printed.with_context(|| format!("unsquashfs can't read {}", file.display()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// How long the runtime of the test is.
    const OFFSET: usize = 4096;

    #[test]
    fn what_is_no_appimage_is_refused() {
        let workspace = Workspace::new(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap());
        for program in ["/bin/echo", "/etc/hostname", "/no-such-file"] {
            let error = check(&workspace, Path::new(program)).unwrap_err().to_string();
            assert!(error.contains("is no AppImage"), "{error}");
        }
    }

    /// An AppImage of our own: a script as the runtime, and a small image.
    #[test]
    fn only_libwayland_is_taken_out_and_the_program_still_runs() {
        let workspace = Workspace::new(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let libraries = folder.path().join("content/usr/lib");
        fs::create_dir_all(libraries.join("gtk")).unwrap();
        for name in
            ["libwayland-client.so.0", "gtk/libwayland-egl.so.1", "libwebkit2gtk-4.1.so.0", "libX11.so.6"]
        {
            fs::write(libraries.join(name), name.repeat(1000)).unwrap();
        }
        std::os::unix::fs::symlink("libwayland-client.so.0", libraries.join("libwayland-client.so")).unwrap();
        let (image, file) = (folder.path().join("image"), folder.path().join("a.AppImage"));
        let mut pack = workspace.command("mksquashfs");
        pack.arg(folder.path().join("content")).arg(&image).args(["-quiet", "-no-progress"]);
        steps::show(pack.args(["-comp", "xz", "-b", "65536"])).unwrap();
        let mut runtime = format!("#!/bin/sh\necho {OFFSET}\nexit\n").into_bytes();
        runtime.resize(OFFSET, b'\n');
        fs::write(&file, [runtime, fs::read(&image).unwrap()].concat()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let error = check(&workspace, &file).unwrap_err().to_string();
        assert!(error.contains("libwayland-client.so.0") && error.contains("libwayland-egl.so.1"), "{error}");

        trim(&workspace, &file).unwrap();
        check(&workspace, &file).unwrap();
        let packing = unsquashfs(&workspace, &file, &OFFSET.to_string(), "-s").unwrap();
        assert!(packing.contains("Compression xz") && packing.contains("Block size 65536"), "{packing}");
        let listed = unsquashfs(&workspace, &file, &OFFSET.to_string(), "-l").unwrap();
        let left: Vec<_> = listed.lines().filter(|line| line.contains(".so")).collect();
        assert_eq!(
            left,
            ["squashfs-root/usr/lib/libX11.so.6", "squashfs-root/usr/lib/libwebkit2gtk-4.1.so.0"]
        );
        let again = fs::read(&file).unwrap();
        trim(&workspace, &file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), again, "nothing is packed again without need");
    }
}
