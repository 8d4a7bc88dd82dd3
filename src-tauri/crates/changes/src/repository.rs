//! Finds the repository around a folder, and sets up the private git directory that records it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{self, Git};
use crate::path_id::to_bytes;

/// How long git may take to find a repository.
const FIND: Duration = Duration::from_secs(10);
/// How long git may take to read the attributes of all files.
const CHECK: Duration = Duration::from_secs(60);

/// The attributes of every file. They take precedence over all files of the folder, so that contents are recorded byte
/// for byte, and nothing is a file's own diff program or filter.
const ATTRIBUTES: &str = "* !text !eol !crlf !filter !ident !working-tree-encoding !diff !merge\n";

/// Where the repository around a folder keeps its parts.
#[derive(Clone, Debug)]
pub(crate) struct FoundRepository {
    pub(crate) top: PathBuf,
    objects: PathBuf,
    index: PathBuf,
    exclude: PathBuf,
    sha256: bool,
    /// A git that finds the repository by itself.
    git: Git,
}

/// There is no repository, it is bare, or git refuses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NotFound {
    /// The repository, if git refuses it because it belongs to another user.
    pub(crate) of_other: Option<PathBuf>,
}

/// Finds the repository that a folder belongs to.
pub(crate) fn find(program: &Path, folder: &Path) -> Result<FoundRepository, NotFound> {
    let words = [
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--git-path",
        "objects",
        "--git-path",
        "index",
        "--git-path",
        "info/exclude",
        "--show-object-format",
    ];
    let git = git::discovering(program, folder);
    let output = git.run(&words.map(OsStr::new), Vec::new(), FIND);
    let output = output.map_err(|error| NotFound { of_other: error.repository_of_other() })?;
    // A path with a line break has no place here; the folder is then recorded without its repository.
    let lines =
        output.strip_suffix(b"\n").unwrap_or_default().split(|byte| *byte == b'\n').collect::<Vec<_>>();
    let [top, objects, index, exclude, format] = lines[..] else { return Err(NotFound::default()) };
    let path = crate::path_id::to_path;
    Ok(FoundRepository {
        top: path(top),
        objects: path(objects),
        index: path(index),
        exclude: path(exclude),
        sha256: format == b"sha256",
        git: git.in_folder(&path(top)),
    })
}

impl FoundRepository {
    /// Returns which of these files Git LFS keeps outside the repository.
    pub(crate) fn in_lfs(&self, paths: &[Vec<u8>]) -> HashSet<Vec<u8>> {
        if paths.is_empty() {
            return HashSet::new();
        }
        let mut input = paths.join(&0);
        input.push(0);
        let words = ["check-attr", "-z", "--stdin", "filter"].map(OsStr::new);
        // Each as `path NUL attribute NUL value NUL`.
        let output = self.git.run(&words, input, CHECK).unwrap_or_default();
        let fields = output.split(|byte| *byte == 0).collect::<Vec<_>>();
        let in_lfs = fields.chunks_exact(3).filter(|fields| fields[2] == b"lfs");
        in_lfs.map(|fields| fields[0].to_vec()).collect()
    }

    /// The index of the repository; none if it has none yet.
    pub(crate) fn index(&self) -> Option<&Path> {
        self.index.is_file().then_some(&*self.index)
    }
}

/// Creates the private git directory of a session.
pub(crate) fn create_private(
    git_dir: &Path,
    top: &Path,
    found: Option<&FoundRepository>,
    excludes_file: Option<&Path>,
) -> io::Result<()> {
    for folder in ["objects/info", "objects/pack", "refs", "info"] {
        create_folder(&git_dir.join(folder))?;
    }
    let write = |name: &str, content: &[u8]| write_file(&git_dir.join(name), content);
    write("HEAD", b"ref: refs/heads/none\n")?;
    let sha256 = found.is_some_and(|found| found.sha256);
    write("config", &config(sha256, excludes_file))?;
    write("info/attributes", ATTRIBUTES.as_ref())?;
    write("info/exclude", exclude(git_dir, top, found).as_ref())?;
    if let Some(objects) = found.and_then(|found| alternate(&found.objects)) {
        write("objects/info/alternates", objects.as_ref())?;
    }
    Ok(())
}

/// Creates a folder and its missing parents for their owner only, whatever the umask is.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file that only its owner can read, whatever the umask is.
fn write_file(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(content)
}

/// Git gives its files the mode of `sharedRepository` whatever the umask is.
///
/// The user's own list of ignored files is named, so that it is followed when they change it. Git finds its usual one itself.
fn config(sha256: bool, excludes_file: Option<&Path>) -> Vec<u8> {
    let format = if sha256 { (1, "[extensions]\nobjectFormat = sha256\n") } else { (0, "") };
    let modes = cfg!(unix);
    let mut config = format!(
        "[core]\nrepositoryformatversion = {}\nbare = false\nfilemode = {modes}\nsymlinks = {modes}\nautocrlf = false\n\
         safecrlf = false\nlogallrefupdates = false\nfsync = none\ncompression = 1\nsharedRepository = 0600\n{}",
        format.0, format.1
    )
    .into_bytes();
    if let Some(file) = excludes_file {
        config.extend(b"[core]\nexcludesFile = \"");
        for byte in to_bytes(file) {
            match byte {
                b'\n' => config.extend(b"\\n"),
                b'"' | b'\\' => config.extend([b'\\', byte]),
                byte => config.push(byte),
            }
        }
        config.extend(b"\"\n");
    }
    config
}

/// The repository's own list of ignored files, and our data folder if it is below the recorded one.
fn exclude(git_dir: &Path, top: &Path, found: Option<&FoundRepository>) -> Vec<u8> {
    let mut lines = found.and_then(|found| fs::read(&found.exclude).ok()).unwrap_or_default();
    // The folder that holds the stores of all sessions.
    if let Some(ours) = git_dir.ancestors().nth(3).and_then(|ours| ours.strip_prefix(top).ok()) {
        lines.extend(b"\n/");
        for byte in to_bytes(ours) {
            if b"\\*?[]!# ".contains(&byte) {
                lines.push(b'\\');
            }
            lines.push(byte);
        }
        lines.extend(b"/\n");
    }
    lines
}

/// The line that lets the private directory read the repository's objects, so that they are not copied.
fn alternate(objects: &Path) -> Option<Vec<u8>> {
    let mut line = to_bytes(objects);
    let special = line.first().is_some_and(|first| b"#\"".contains(first)) || line.contains(&b'\n');
    line.push(b'\n');
    (!special).then_some(line)
}
