//! Decides from facts about a machine what is missing and how it gets there. Looks at nothing itself.

use std::{collections::BTreeSet, fmt};

/// The Node that is fetched from the npm registry where the system offers only an older one.
pub const OWN_NODE: &str = "22.23.3";
/// The npm that is fetched with [`OWN_NODE`]; a system's npm may not run on another Node than its own.
pub const OWN_NPM: &str = "10.9.9";

/// What the desk is being prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Building and opening it.
    Run,
    /// Building it and driving its window in tests.
    Test,
    /// Testing what needs no window.
    QuickTest,
}

/// The kind of system, as far as installing differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum System {
    /// Debian, Ubuntu and what descends from them: installs with apt-get.
    Debian {
        /// The name the system gives itself.
        name: String,
    },
    /// Another Linux: says what is needed.
    OtherLinux {
        /// The name the system gives itself.
        name: String,
    },
    /// macOS: says what is needed.
    MacOs,
    /// Windows: says what is needed.
    Windows,
}

impl System {
    /// Whether windows come from an X or Wayland display here.
    pub fn is_linux(&self) -> bool {
        matches!(self, Self::Debian { .. } | Self::OtherLinux { .. })
    }
}

/// A part of the system that building, opening or testing leans on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A C compiler and linker.
    CCompiler,
    /// Finds libraries for build scripts.
    PkgConfig,
    /// The webview, with its headers.
    WebKitGtk,
    /// A terminal in memory, for agents that run in one.
    Tmux,
    /// A display in memory.
    Xvfb,
    /// The key of that display.
    Xauth,
    /// Drives the webview in tests.
    WebKitWebDriver,
    /// Shows notifications in tests.
    NotificationDaemon,
    /// A private session bus for tests.
    SessionBus,
    /// Clicks on what is outside the webview.
    Xdotool,
    /// Gives windows focus in tests.
    WindowManager,
    /// A font for screenshots.
    Font,
    /// A font with the characters of Chinese.
    ChineseFont,
    /// The accessibility bus.
    Accessibility,
    /// Puts an icon into the tray.
    TrayLibrary,
    /// Apple's command line tools.
    XcodeTools,
    /// Microsoft's compiler and linker.
    MsvcTools,
    /// Microsoft's webview.
    WebView2,
}

impl Part {
    const BUILD: [Self; 3] = [Self::CCompiler, Self::PkgConfig, Self::WebKitGtk];
    const WINDOW_TESTS: [Self; 11] = [
        Self::Xvfb,
        Self::Xauth,
        Self::WebKitWebDriver,
        Self::NotificationDaemon,
        Self::SessionBus,
        Self::Xdotool,
        Self::WindowManager,
        Self::Font,
        Self::ChineseFont,
        Self::Accessibility,
        Self::TrayLibrary,
    ];

    /// Lists what a purpose needs on a system, Node and npm aside.
    pub fn needed(system: &System, purpose: Purpose) -> Vec<Self> {
        match system {
            System::MacOs => vec![Self::XcodeTools],
            System::Windows => vec![Self::MsvcTools, Self::WebView2],
            System::Debian { .. } | System::OtherLinux { .. } => {
                let mut parts = Self::BUILD.to_vec();
                if purpose != Purpose::Run {
                    parts.push(Self::Tmux);
                }
                if purpose == Purpose::Test {
                    parts.extend(Self::WINDOW_TESTS);
                }
                parts
            }
        }
    }

    /// Says what the part is.
    pub fn says(self) -> &'static str {
        match self {
            Self::CCompiler => "a C compiler and linker",
            Self::PkgConfig => "pkg-config",
            Self::WebKitGtk => "WebKitGTK 4.1 with its headers",
            Self::Tmux => "tmux, a terminal in memory",
            Self::Xvfb => "Xvfb, a display in memory",
            Self::Xauth => "xauth",
            Self::WebKitWebDriver => "WebKitWebDriver",
            Self::NotificationDaemon => "dunst, a notification daemon",
            Self::SessionBus => "dbus-run-session, a private session bus",
            Self::Xdotool => "xdotool",
            Self::WindowManager => "openbox, a window manager",
            Self::Font => "the DejaVu fonts",
            Self::ChineseFont => "a font with the characters of Chinese",
            Self::Accessibility => "the accessibility bus at-spi2",
            Self::TrayLibrary => "the Ayatana library for icons in the tray",
            Self::XcodeTools => "Apple's command line tools",
            Self::MsvcTools => "the Visual C++ build tools",
            Self::WebView2 => "the WebView2 runtime",
        }
    }

    /// Names the package of Debian 12, Debian 13 and Ubuntu 24.04, which agree on all of these.
    pub fn debian_package(self) -> Option<&'static str> {
        Some(match self {
            Self::CCompiler => "build-essential",
            Self::PkgConfig => "pkg-config",
            Self::WebKitGtk => "libwebkit2gtk-4.1-dev",
            Self::Tmux => "tmux",
            Self::Xvfb => "xvfb",
            Self::Xauth => "xauth",
            Self::WebKitWebDriver => "webkit2gtk-driver",
            Self::NotificationDaemon => "dunst",
            Self::SessionBus => "dbus",
            Self::Xdotool => "xdotool",
            Self::WindowManager => "openbox",
            Self::Font => "fonts-dejavu-core",
            Self::ChineseFont => "fonts-droid-fallback",
            Self::Accessibility => "at-spi2-core",
            Self::TrayLibrary => "libayatana-appindicator3-1",
            Self::XcodeTools | Self::MsvcTools | Self::WebView2 => return None,
        })
    }

    fn by_hand(self) -> String {
        match self {
            Self::XcodeTools => "Apple's command line tools: run `xcode-select --install`".into(),
            Self::MsvcTools => {
                "the Visual C++ build tools: run `winget install Microsoft.VisualStudio.2022.BuildTools` \
                 and choose \"Desktop development with C++\""
                    .into()
            }
            Self::WebView2 => {
                "the WebView2 runtime: run `winget install Microsoft.EdgeWebView2Runtime`".into()
            }
            other => match other.debian_package() {
                Some(package) => format!("{} (Debian's package is called {package})", other.says()),
                None => other.says().into(),
            },
        }
    }
}

/// A version of Node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeVersion {
    /// 20 in 20.19.2.
    pub major: u32,
    /// 19 in 20.19.2.
    pub minor: u32,
}

impl NodeVersion {
    /// Reads `v20.19.2` as `node --version` prints it, and `20.19.2+dfsg-1` as apt does.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        // A Debian epoch ("1:20.19") is not part of the version.
        let text = text.split_once(':').map_or(text, |(_, version)| version);
        let mut numbers = text.trim_start_matches('v').split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Self { major, minor })
    }

    /// Whether Vite, which builds the page, runs on it: 20.19 and newer 20s, 22.12 and everything newer.
    pub fn is_new_enough(self) -> bool {
        match self.major {
            20 => self.minor >= 19,
            22 => self.minor >= 12,
            major => major > 22,
        }
    }
}

impl fmt::Display for NodeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// How commands of the system's administrator can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// Already the administrator.
    Root,
    /// Through sudo.
    Sudo,
    /// Not at all.
    None,
}

/// What was found on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The kind of system.
    pub system: System,
    /// The parts that are there.
    pub present: BTreeSet<Part>,
    /// The Node that would be used.
    pub node: Option<NodeVersion>,
    /// Whether npm is there.
    pub npm: bool,
    /// The Node the package manager would install; unknown before its lists are fetched.
    pub offered_node: Option<NodeVersion>,
    /// Whether the npm registry has a Node for this processor.
    pub own_node_fits: bool,
    /// How packages can be installed.
    pub privilege: Privilege,
}

/// What is missing and how it gets there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Everything missing, in words.
    pub missing: Vec<String>,
    /// Packages for apt-get.
    pub packages: Vec<&'static str>,
    /// Fetch [`OWN_NODE`] into the project's own folder.
    pub own_node: bool,
    /// What nobody but the person can install, in words.
    pub by_hand: Vec<String>,
}

impl Plan {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Decides what is missing for a purpose and how it gets there.
pub fn plan(purpose: Purpose, facts: &Facts) -> Plan {
    let mut plan = Plan::default();
    let debian = matches!(facts.system, System::Debian { .. });
    for part in Part::needed(&facts.system, purpose) {
        if facts.present.contains(&part) {
            continue;
        }
        plan.missing.push(part.says().into());
        match part.debian_package() {
            Some(package) if debian => plan.packages.push(package),
            _ => plan.by_hand.push(part.by_hand()),
        }
    }
    plan_node(facts, debian, &mut plan);
    if !plan.packages.is_empty() && facts.privilege == Privilege::None {
        plan.by_hand.push(format!(
            "these packages, as the administrator: `apt-get install {}` (there is no sudo here)",
            plan.packages.join(" ")
        ));
    }
    plan
}

fn plan_node(facts: &Facts, debian: bool, plan: &mut Plan) {
    let usable = facts.node.is_some_and(NodeVersion::is_new_enough);
    match facts.node {
        Some(_) if usable => {}
        Some(old) => plan.missing.push(format!("Node 20.19, 22.12 or newer (Node {old} is installed)")),
        None => plan.missing.push("Node 20.19, 22.12 or newer".into()),
    }
    if !facts.npm {
        plan.missing.push("npm".into());
    }
    if usable && facts.npm {
        return;
    }
    let offered = facts.offered_node.is_some_and(NodeVersion::is_new_enough);
    // npm fetches the project's own Node; on Debian even an old Node and npm are enough for that.
    let can_fetch = facts.own_node_fits && facts.system.is_linux() && (facts.npm || debian);
    if !usable && !offered && !can_fetch {
        plan.by_hand.push(node_by_hand(facts));
        return;
    }
    plan.own_node = !usable && !offered;
    if !usable && (offered || facts.node.is_none()) {
        plan.packages.push("nodejs");
    }
    if !facts.npm {
        if debian {
            plan.packages.push("npm");
        } else {
            plan.by_hand.push("npm, which usually comes with Node".into());
        }
    }
}

fn node_by_hand(facts: &Facts) -> String {
    match &facts.system {
        System::MacOs => "Node 22 with npm: `brew install node@22`, or the installer from nodejs.org".into(),
        System::Windows => "Node 22 with npm: `winget install OpenJS.NodeJS.LTS`".into(),
        System::Debian { name } | System::OtherLinux { name } => {
            let offer = match facts.offered_node {
                Some(version) => format!("{name} itself offers Node {version}, which is too old"),
                None => format!("{name} was not asked for one"),
            };
            format!("Node 22 with npm, from nodejs.org or a version manager ({offer})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debian() -> System {
        System::Debian { name: "Debian 12".into() }
    }

    fn version(text: &str) -> Option<NodeVersion> {
        Some(NodeVersion::read(text).unwrap())
    }

    /// A machine that lacks nothing.
    fn complete(system: System) -> Facts {
        Facts {
            present: Part::needed(&system, Purpose::Test).into_iter().collect(),
            system,
            node: version("v22.23.3"),
            npm: true,
            offered_node: None,
            own_node_fits: true,
            privilege: Privilege::Root,
        }
    }

    /// A machine fresh from its installer.
    fn bare(system: System, offered: Option<NodeVersion>) -> Facts {
        Facts { present: BTreeSet::new(), node: None, npm: false, offered_node: offered, ..complete(system) }
    }

    #[test]
    fn a_complete_machine_lacks_nothing_for_any_purpose() {
        for system in [debian(), System::OtherLinux { name: "Arch".into() }, System::MacOs, System::Windows] {
            for purpose in [Purpose::Run, Purpose::Test, Purpose::QuickTest] {
                assert_eq!(
                    plan(purpose, &complete(system.clone())),
                    Plan::default(),
                    "{system:?} {purpose:?}"
                );
            }
        }
    }

    #[test]
    fn a_bare_debian_gets_everything_from_its_package_manager() {
        let build = ["build-essential", "pkg-config", "libwebkit2gtk-4.1-dev"];
        let run = plan(Purpose::Run, &bare(debian(), version("20.19.2+dfsg-1")));
        assert_eq!(run.packages, [&build[..], &["nodejs", "npm"]].concat());
        assert!(!run.own_node && run.by_hand.is_empty(), "{run:?}");

        let test = plan(Purpose::Test, &bare(debian(), version("20.19.2+dfsg-1")));
        let testing = [
            "tmux",
            "xvfb",
            "xauth",
            "webkit2gtk-driver",
            "dunst",
            "dbus",
            "xdotool",
            "openbox",
            "fonts-dejavu-core",
            "fonts-droid-fallback",
            "at-spi2-core",
            "libayatana-appindicator3-1",
        ];
        assert_eq!(test.packages, [&build[..], &testing[..], &["nodejs", "npm"]].concat());

        let quick = plan(Purpose::QuickTest, &bare(debian(), version("20.19.2+dfsg-1")));
        assert_eq!(quick.packages, [&build[..], &["tmux", "nodejs", "npm"]].concat());
    }

    #[test]
    fn only_what_is_missing_is_installed() {
        let mut facts = complete(debian());
        facts.present.remove(&Part::WebKitWebDriver);
        let plan = plan(Purpose::Test, &facts);
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
        for (node, npm, offered, packages, own_node) in table {
            let facts = Facts {
                node: node.and_then(NodeVersion::read),
                npm,
                offered_node: offered.and_then(NodeVersion::read),
                ..complete(debian())
            };
            let plan = plan(Purpose::Run, &facts);
            assert_eq!((&plan.packages[..], plan.own_node), (packages, own_node), "{facts:?}");
            assert_eq!(plan.by_hand, Vec::<String>::new(), "{facts:?}");
        }
    }

    #[test]
    fn a_processor_without_a_node_in_the_registry_is_told_what_to_do() {
        let facts = Facts { own_node_fits: false, ..bare(debian(), version("18.20.4")) };
        let plan = plan(Purpose::Run, &facts);
        assert!(!plan.own_node);
        assert!(plan.by_hand[0].contains("Debian 12 itself offers Node 18.20, which is too old"), "{plan:?}");
    }

    #[test]
    fn other_systems_are_told_in_words_and_get_nothing_installed() {
        let table = [
            (System::MacOs, "xcode-select --install"),
            (System::Windows, "winget install OpenJS.NodeJS.LTS"),
            (System::OtherLinux { name: "Arch".into() }, "Debian's package is called libwebkit2gtk-4.1-dev"),
        ];
        for (system, words) in table {
            let plan = plan(Purpose::Run, &bare(system, None));
            assert!(plan.packages.is_empty() && !plan.own_node, "{plan:?}");
            assert!(plan.by_hand.iter().any(|line| line.contains(words)), "{plan:?}");
        }
    }

    #[test]
    fn without_root_and_sudo_the_command_to_run_is_named() {
        let mut facts = Facts { privilege: Privilege::None, ..complete(debian()) };
        facts.present.remove(&Part::Xvfb);
        let plan = plan(Purpose::Test, &facts);
        assert!(plan.by_hand[0].contains("`apt-get install xvfb`"), "{plan:?}");
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
}
