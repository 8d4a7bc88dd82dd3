//! Takes libraries out of an AppImage that must be the system's own.
//!
//! An AppImage is a program (the runtime) with a squashfs image behind it. If it brings libwayland, the system's Mesa gets that older
//! copy, can't load, and WebKit aborts with `EGL_BAD_PARAMETER`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    steps,
    workspace::{Workspace, files_below},
};

/// How the names of the libraries begin.
const UNWANTED: &str = "libwayland-";
/// How a squashfs image begins.
const IMAGE_MARK: &[u8] = b"hsqs";

/// Takes the libraries out, packs the AppImage again with its own runtime, and checks that none is left.
pub fn trim(workspace: &Workspace, file: &Path) -> Result<()> {
    let runtime = runtime(file)?;
    let offset = runtime.len().to_string();
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
        let packing = Packing::read(workspace, file, &offset)?;
        let mut pack = workspace.command("mksquashfs");
        pack.arg(&content).arg(&image).args(["-root-owned", "-noappend", "-no-progress", "-quiet"]);
        steps::show(pack.args(["-comp", &packing.compression, "-b", &packing.block]))
            .with_context(|| format!("cannot pack {}", file.display()))?;
        let mut packed = runtime;
        packed.extend(fs::read(&image).context("cannot read the packed image")?);
        replace(file, &packed)?;
    }
    check(workspace, file)
}

/// Fails if one of the libraries is in an AppImage.
pub fn check(workspace: &Workspace, file: &Path) -> Result<()> {
    let offset = runtime(file)?.len().to_string();
    let mut list = workspace.command("unsquashfs");
    let listed = list.args(["-o", &offset, "-l"]).arg(file).output().context("cannot start unsquashfs")?;
    ensure!(
        listed.status.success(),
        "cannot list {}: {}",
        file.display(),
        String::from_utf8_lossy(&listed.stderr)
    );
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let left = unwanted(listed.lines().map(PathBuf::from).collect());
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(|file| file.display().to_string()).collect();
        bail!("{} contains {}; WebKit aborts with it on newer systems", file.display(), left.join(", "));
    }
    Ok(())
}

fn unwanted(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let named =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNWANTED));
    files.into_iter().filter(named).collect()
}

/// How the image of an AppImage is packed.
#[derive(Debug, PartialEq, Eq)]
struct Packing {
    compression: String,
    block: String,
}

impl Packing {
    fn read(workspace: &Workspace, file: &Path, offset: &str) -> Result<Self> {
        let mut command = workspace.command("unsquashfs");
        let output =
            command.args(["-o", offset, "-s"]).arg(file).output().context("cannot start unsquashfs")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Self::of(&text).with_context(|| format!("unsquashfs doesn't say how {} is packed", file.display()))
    }

    fn of(text: &str) -> Option<Self> {
        let after = |words: &str| {
            text.lines().find_map(|line| line.strip_prefix(words)).map(|it| it.trim().to_owned())
        };
        Some(Self { compression: after("Compression ")?, block: after("Block size ")? })
    }
}

/// Reads the runtime: the program up to its end, where the image begins.
fn runtime(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let end =
        program_end(&bytes).filter(|end| bytes.get(*end..).is_some_and(|rest| rest.starts_with(IMAGE_MARK)));
    let end = end
        .with_context(|| format!("{} is no AppImage: there is no image behind a program", file.display()))?;
    bytes.truncate(end);
    Ok(bytes)
}

/// The end of a 64-bit ELF file by its header: behind the table of its sections, which comes last.
fn program_end(bytes: &[u8]) -> Option<usize> {
    let is_elf = bytes.starts_with(b"\x7fELF\x02\x01");
    let two = |at: usize| Some(usize::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let table = u64::from_le_bytes(bytes.get(0x28..0x30)?.try_into().ok()?);
    let end = usize::try_from(table).ok()?.checked_add(two(0x3a)? * two(0x3c)?)?;
    is_elf.then_some(end)
}

/// Replaces a file at once, with its permissions.
fn replace(file: &Path, content: &[u8]) -> Result<()> {
    let permissions =
        fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.permissions();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = tempfile::NamedTempFile::new_in(folder).context("cannot create a file beside the AppImage")?;
    fs::write(new.path(), content).context("cannot write the AppImage")?;
    fs::set_permissions(new.path(), permissions).context("cannot set the permissions of the AppImage")?;
    new.persist(file).with_context(|| format!("cannot replace {}", file.display())).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packing_is_read_from_what_unsquashfs_says() {
        let text = "Found a valid SQUASHFS 4:0 superblock on x.\nCompression zstd\n\tcompression-level 22\nBlock size 131072\n";
        let expected = Packing { compression: "zstd".into(), block: "131072".into() };
        assert_eq!(Packing::of(text), Some(expected));
        assert_eq!(Packing::of("Block size 131072\n"), None);
    }

    #[test]
    fn what_is_no_appimage_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.AppImage");
        for bytes in [&b""[..], b"\x7fELF\x02\x01", b"#!/bin/sh\necho no\n", &[0; 4096]] {
            fs::write(&file, bytes).unwrap();
            let error = runtime(&file).unwrap_err().to_string();
            assert!(error.contains("is no AppImage"), "{error}");
        }
    }

    /// An AppImage of our own: this test's program as the runtime, and a small image.
    #[cfg(target_os = "linux")]
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
        // `true` ends with its table of sections, as a runtime does.
        let program = fs::read("/bin/true").unwrap();
        assert_eq!(program_end(&program), Some(program.len()));
        fs::copy("/bin/true", &file).unwrap();
        fs::write(&file, [program.clone(), fs::read(&image).unwrap()].concat()).unwrap();
        let error = check(&workspace, &file).unwrap_err().to_string();
        assert!(error.contains("libwayland-client.so.0") && error.contains("libwayland-egl.so.1"), "{error}");

        trim(&workspace, &file).unwrap();
        check(&workspace, &file).unwrap();
        assert!(std::process::Command::new(&file).status().unwrap().success());
        let offset = program.len().to_string();
        let packing = Packing::read(&workspace, &file, &offset).unwrap();
        assert_eq!(packing, Packing { compression: "xz".into(), block: "65536".into() });
        let unpacked = folder.path().join("unpacked");
        let mut unpack = workspace.command("unsquashfs");
        steps::show(unpack.args(["-no-progress", "-o", &offset, "-d"]).arg(&unpacked).arg(&file)).unwrap();
        let left = files_below(&unpacked, &[]).unwrap();
        let left: Vec<_> =
            left.iter().map(|file| file.strip_prefix(&unpacked).unwrap().to_str().unwrap()).collect();
        assert_eq!(left, ["usr/lib/libX11.so.6", "usr/lib/libwebkit2gtk-4.1.so.0"]);
        let again = fs::read(&file).unwrap();
        trim(&workspace, &file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), again, "nothing is packed again without need");
    }
}
