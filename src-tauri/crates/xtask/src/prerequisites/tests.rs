//! What is decided, from made-up facts about machines.

use super::*;

fn debian() -> System {
    System::Debian { name: "Debian 12".into() }
}

/// A machine that lacks nothing.
fn complete(system: System) -> Facts {
    Facts {
        missing: Vec::new(),
        system,
        node: NodeVersion::read("v22.23.3"),
        npm: true,
        offered_node: None,
        local_node_available: true,
        privilege: Privilege::Root,
    }
}

/// A machine fresh from its installer.
fn bare(system: System, purpose: Purpose, offered: Option<&str>) -> Facts {
    let missing = Prerequisite::needed(&system, purpose).collect();
    Facts {
        missing,
        node: None,
        npm: false,
        offered_node: offered.and_then(NodeVersion::read),
        ..complete(system)
    }
}

/// A Debian that lacks one package.
fn without(package: &str) -> Facts {
    let is_it =
        |it: &&Prerequisite| matches!(it.installation, Installation::DebianPackage(own) if own == package);
    let missing = Prerequisite::needed(&debian(), Purpose::Test).filter(is_it).collect();
    Facts { missing, ..complete(debian()) }
}

#[test]
fn a_complete_machine_lacks_nothing() {
    for system in [debian(), System::OtherLinux { name: "Arch".into() }, System::MacOs, System::Windows] {
        assert_eq!(plan(&complete(system.clone())), Plan::default(), "{system:?}");
    }
}

#[test]
fn a_bare_debian_gets_everything_from_its_package_manager() {
    let build = ["build-essential", "pkg-config", "libwebkit2gtk-4.1-dev"];
    let run = plan(&bare(debian(), Purpose::Run, Some("20.19.2+dfsg-1")));
    assert_eq!(run.packages, [&build[..], &["nodejs", "npm"]].concat());
    assert!(!run.local_node && run.manual.is_empty(), "{run:?}");

    let test = plan(&bare(debian(), Purpose::Test, Some("20.19.2+dfsg-1")));
    let testing = [
        "tmux",
        "python3-venv",
        "squashfs-tools",
        "libssl-dev",
        "xvfb",
        "xauth",
        "webkit2gtk-driver",
        "dunst",
        "dbus",
        "iproute2",
        "xdotool",
        "xclip",
        "xterm",
        "zsh",
        "fish",
        "vim",
        "openbox",
        "fonts-dejavu-core",
        "fonts-droid-fallback",
        "at-spi2-core",
        "libayatana-appindicator3-1",
    ];
    assert_eq!(test.packages, [&build[..], &testing[..], &["nodejs", "npm"]].concat());

    let quick = plan(&bare(debian(), Purpose::QuickTest, Some("20.19.2+dfsg-1")));
    assert_eq!(
        quick.packages,
        [&build[..], &["tmux", "python3-venv", "squashfs-tools", "nodejs", "npm"]].concat()
    );
}

#[test]
fn only_what_is_missing_is_installed() {
    let plan = plan(&without("webkit2gtk-driver"));
    assert_eq!(plan.packages, ["webkit2gtk-driver"]);
    assert_eq!(plan.missing, ["WebKitWebDriver"]);
}

#[test]
fn node_comes_from_the_system_where_that_is_new_enough_and_from_npm_where_not() {
    type Row = (Option<&'static str>, bool, Option<&'static str>, &'static [&'static str], bool);
    // (installed, npm there, offered by the system, packages, own Node)
    let table: [Row; 8] = [
        (None, false, Some("20.19.2"), &["nodejs", "npm"], false),
        (None, false, Some("18.20.4"), &["nodejs", "npm"], true),
        (None, false, None, &["nodejs", "npm"], true),
        (Some("18.20.4"), true, Some("18.20.4"), &[], true),
        (Some("18.20.4"), false, Some("18.20.4"), &["npm"], true),
        (Some("18.20.4"), true, Some("20.19.2"), &["nodejs"], false),
        (Some("20.20.2"), false, None, &["npm"], false),
        (Some("20.20.2"), true, None, &[], false),
    ];
    for (node, npm, offered, packages, local_node) in table {
        let facts = Facts {
            node: node.and_then(NodeVersion::read),
            npm,
            offered_node: offered.and_then(NodeVersion::read),
            ..complete(debian())
        };
        let plan = plan(&facts);
        assert_eq!((&plan.packages[..], plan.local_node), (packages, local_node), "{facts:?}");
        assert_eq!(plan.manual, Vec::<String>::new(), "{facts:?}");
    }
}

#[test]
fn a_processor_without_a_node_in_the_registry_is_told_what_to_do() {
    let facts = Facts { local_node_available: false, ..bare(debian(), Purpose::Run, Some("18.20.4")) };
    let plan = plan(&facts);
    assert!(!plan.local_node);
    assert!(plan.manual[0].contains("Debian 12 itself offers Node 18.20, which is too old"), "{plan:?}");
}

#[test]
fn other_systems_are_told_in_words_and_get_nothing_installed() {
    let table = [
        (System::MacOs, "xcode-select --install"),
        (System::Windows, "winget install OpenJS.NodeJS.LTS"),
        (System::OtherLinux { name: "Arch".into() }, "Debian's package is called libwebkit2gtk-4.1-dev"),
    ];
    for (system, words) in table {
        let plan = plan(&bare(system, Purpose::Run, None));
        assert!(plan.packages.is_empty() && !plan.local_node, "{plan:?}");
        assert!(plan.manual.iter().any(|line| line.contains(words)), "{plan:?}");
    }
}

#[test]
fn without_root_and_sudo_the_command_to_run_is_named() {
    let plan = plan(&Facts { privilege: Privilege::None, ..without("xvfb") });
    assert!(plan.manual[0].contains("`apt-get install xvfb`"), "{plan:?}");
}

#[test]
fn node_versions_are_read_as_node_and_as_apt_write_them() {
    let table = [
        ("v20.19.0\n", Some((20, 19, true))),
        ("v20.18.3", Some((20, 18, false))),
        ("v21.7.0", Some((21, 7, false))),
        ("v22.11.0", Some((22, 11, false))),
        ("v22.12.0", Some((22, 12, true))),
        ("v24.1.0", Some((24, 1, true))),
        ("18.20.4+dfsg-1~deb12u1", Some((18, 20, false))),
        ("1:20.19.2-1", Some((20, 19, true))),
        ("(none)", None),
    ];
    for (text, expected) in table {
        let read = NodeVersion::read(text).map(|v| (v.major, v.minor, v.is_new_enough()));
        assert_eq!(read, expected, "{text}");
    }
}
