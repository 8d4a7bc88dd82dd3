//! A system in a folder: a Debian made for the trial, or one that is there already, such as the content of a container's image.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::report::{Failure, Result, failed};

/// The user who installs the package and works with it.
pub const USER: &str = "tester";
const UID: u32 = 1000;
/// What a desktop has before anything is installed, and what the guide expects.
const BASIS: &str = "sudo,man-db,passwd,ca-certificates";
/// What must not be needed: the package is installed without a compiler.
const BUILD_TOOLS: [&str; 7] = ["cc", "gcc", "make", "rustc", "cargo", "node", "npm"];

pub struct Root {
    folder: PathBuf,
}

impl Root {
    /// Makes a Debian of the running system's release.
    pub fn make_debian(folder: &Path) -> Result<Self> {
        let release = fs::read_to_string("/etc/os-release")?;
        let release = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let release = release.ok_or_else(|| Failure::from("this system has no release with a name"))?;
        let mut command = Command::new("mmdebstrap");
        command.args(["--quiet", "--variant=apt", "--include", BASIS, release]).arg(folder);
        // The sources of this system: they are reached from here, in the form that it has them in.
        let deb822 = Path::new("/etc/apt/sources.list.d/debian.sources");
        let sources = if deb822.exists() { deb822 } else { Path::new("/etc/apt/sources.list") };
        run(command.arg(sources))?;
        let root = Self::open(folder)?;
        root.as_root(["apt-get", "--quiet", "update"])?;
        Ok(root)
    }

    /// Takes a system that is there, and adds the user.
    pub fn open(folder: &Path) -> Result<Self> {
        let root = Self { folder: folder.to_owned() };
        root.mount()?;
        if !root.path(&format!("home/{USER}")).exists() {
            root.as_root([
                "useradd",
                "--create-home",
                "--shell",
                "/bin/bash",
                "--uid",
                &UID.to_string(),
                USER,
            ])?;
        }
        let sudoers = root.path("etc/sudoers.d/tester");
        fs::write(&sudoers, format!("{USER} ALL=(ALL) NOPASSWD: ALL\n"))?;
        fs::set_permissions(&sudoers, fs::Permissions::from_mode(0o440))?;
        let runtime = root.path(&format!("run/user/{UID}"));
        fs::create_dir_all(&runtime)?;
        fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700))?;
        root.give_to_user(&runtime)?;
        // sudo looks this machine's name up.
        fs::write(root.path("etc/hosts"), format!("127.0.0.1 localhost {}\n", host_name()))?;
        let _ = fs::copy("/etc/resolv.conf", root.path("etc/resolv.conf"));
        Ok(root)
    }

    /// Mounts what programs expect, in a mount namespace that ends with this process.
    fn mount(&self) -> Result<()> {
        for (kind, source, target) in [
            ("--types=proc", "proc", "proc"),
            ("--rbind", "/dev", "dev"),
            ("--rbind", "/tmp/.X11-unix", "tmp/.X11-unix"),
        ] {
            let target = self.path(target);
            fs::create_dir_all(&target)?;
            run(Command::new("mount").arg(kind).arg(source).arg(target))?;
        }
        Ok(())
    }

    pub fn path(&self, within: &str) -> PathBuf {
        self.folder.join(within.trim_start_matches('/'))
    }

    /// Returns a path in the user's home folder, as this process sees it.
    pub fn home(&self, within: &str) -> PathBuf {
        self.path(&format!("home/{USER}")).join(within)
    }

    pub fn give_to_user(&self, path: &Path) -> Result<()> {
        run(Command::new("chown").args(["--recursive", &format!("{UID}:{UID}")]).arg(path)).map(drop)
    }

    pub fn is_debian(&self) -> bool {
        self.path("usr/bin/apt-get").exists()
    }

    /// Runs a command as the administrator.
    pub fn as_root<const N: usize>(&self, words: [&str; N]) -> Result<String> {
        let mut command = Command::new("chroot");
        command.arg(&self.folder).args([
            "/usr/bin/env",
            "-i",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG=C.UTF-8",
        ]);
        run(command.args(words))
    }

    /// Starts a service of the system.
    pub fn daemon(&self, words: &[&str]) -> Result<Child> {
        let mut command = Command::new("chroot");
        command
            .arg(&self.folder)
            .args(["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
            .args(words);
        Ok(command.stdin(Stdio::null()).spawn()?)
    }

    /// Returns the version of the package, as the package manager says it.
    pub fn installed_version(&self) -> Result<String> {
        if self.is_debian() {
            self.as_root(["dpkg-query", "--show", "--showformat=${Version}", "askdesk"])
        } else {
            self.as_root(["rpm", "--query", "--queryformat=%{VERSION}", "askdesk"])
        }
    }

    /// Prepares a line of the shell as the user types it into a terminal of a desktop session.
    pub fn terminal(&self, line: &str) -> Command {
        let mut command = self.session();
        command.args(["/bin/bash", "--login", "-c", line]);
        command
    }

    /// Prepares a program as the desktop's menu starts it: without what the user's shell sets.
    pub fn menu(&self, program: &[&str]) -> Command {
        let mut command = self.session();
        command.args(program);
        command
    }

    fn session(&self) -> Command {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={UID}:{UID}")).arg(&self.folder).args(["/usr/bin/env", "-i"]);
        command
            .arg(format!("--chdir=/home/{USER}"))
            .arg(format!("HOME=/home/{USER}"))
            .arg(format!("USER={USER}"));
        command.arg(format!("XDG_RUNTIME_DIR=/run/user/{UID}"));
        command.arg(format!("DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/{UID}/bus"));
        command.args(["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "SHELL=/bin/bash"]);
        // The package manager must not wait for an answer.
        command.arg("DEBIAN_FRONTEND=noninteractive");
        if let Some(display) = std::env::var_os("DISPLAY") {
            let mut variable = std::ffi::OsString::from("DISPLAY=");
            variable.push(display);
            command.arg(variable).arg(format!("XAUTHORITY=/home/{USER}/.Xauthority"));
        }
        command
    }

    /// Types a line into a terminal where nobody answers. Returns what it printed.
    pub fn type_line(&self, line: &str) -> Result<String> {
        eprintln!("    {USER}$ {line}");
        run(&mut self.terminal(line))
    }

    /// Lets the user's programs onto the display.
    pub fn share_display(&self) -> Result<()> {
        let own = self.home(".Xauthority");
        if let Some(file) = std::env::var_os("XAUTHORITY") {
            fs::copy(file, &own)?;
            self.give_to_user(&own)?;
        }
        Ok(())
    }

    /// Puts a program where the user's own installations are.
    pub fn install_for_user(&self, program: &Path, name: &str) -> Result<()> {
        let bin = self.home(".local/bin");
        fs::create_dir_all(&bin)?;
        fs::copy(program, bin.join(name))?;
        self.give_to_user(&self.home(".local"))
    }

    /// Returns the build tools that are installed.
    pub fn build_tools(&self) -> Vec<&'static str> {
        BUILD_TOOLS.into_iter().filter(|tool| self.path(&format!("usr/bin/{tool}")).exists()).collect()
    }

    /// Whether a program runs in this system.
    pub fn runs(&self, program: &str) -> bool {
        self.processes().iter().any(|process| {
            let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
            let line = fs::read(process.join("cmdline")).unwrap_or_default();
            let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
            let is_it = first == program.as_bytes() || program.as_bytes().ends_with(&[b"/", first].concat());
            is_it && !first.is_empty() && !state.contains(") Z ")
        })
    }

    /// Ends every process that runs in this system.
    fn end_all(&self) {
        for process in self.processes() {
            let _ = Command::new("kill").arg("-9").args(process.file_name()).status();
        }
    }

    fn processes(&self) -> Vec<PathBuf> {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let is_own = |it: &PathBuf| fs::read_link(it.join("root")).is_ok_and(|root| root == self.folder);
        all.filter(is_own).collect()
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        self.end_all();
    }
}

fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// Runs a command to its end, without input; its standard output is returned, and all that it said if it fails.
pub fn run(command: &mut Command) -> Result<String> {
    command.stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output()?;
    let said = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() {
        return Ok(said);
    }
    let words: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    failed(format!("{} ended with {status}:\n{said}{}", words.join(" "), String::from_utf8_lossy(&stderr)))
}
