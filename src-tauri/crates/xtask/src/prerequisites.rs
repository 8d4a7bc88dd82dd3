//! Decides from facts about a machine what is missing and how to install it. Pure: `probe` collects the facts.

use std::{collections::BTreeSet, fmt};

/// The Node that is fetched from the npm registry where the system offers only an older one.
pub const LOCAL_NODE: &str = "22.23.3";
/// The npm that is fetched with [`LOCAL_NODE`]; a system's npm may not run on another Node than its own.
pub const LOCAL_NPM: &str = "10.9.9";

/// Why the prerequisites are checked.
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
        name: String,
    },
    /// Another Linux: says what is needed.
    OtherLinux {
        name: String,
    },
    MacOs,
    Windows,
}

impl System {
    /// Whether windows come from an X or Wayland display here.
    pub fn is_linux(&self) -> bool {
        matches!(self, Self::Debian { .. } | Self::OtherLinux { .. })
    }
}

/// Something that building, opening or testing needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prerequisite {
    /// A C compiler and linker.
    CCompiler,
    /// Finds libraries for build scripts.
    PkgConfig,
    /// The webview, with its headers.
    WebKitGtk,
    /// A terminal in memory, for agents that run in one.
    Tmux,
    /// Python, with what makes folders for its packages.
    Python,
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
    Font,
    /// A font with the characters of Chinese.
    ChineseFont,
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

impl Prerequisite {
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
                    parts.extend([Self::Tmux, Self::Python]);
                }
                if purpose == Purpose::Test {
                    parts.extend(Self::WINDOW_TESTS);
                }
                parts
            }
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::CCompiler => "a C compiler and linker",
            Self::PkgConfig => "pkg-config",
            Self::WebKitGtk => "WebKitGTK 4.1 with its headers",
            Self::Tmux => "tmux, a terminal in memory",
            Self::Python => "Python 3 with venv",
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
            Self::Python => "python3-venv",
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

    fn manual(self) -> String {
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
                Some(package) => format!("{} (Debian's package is called {package})", other.description()),
                None => other.description().into(),
            },
        }
    }
}

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
    Sudo,
    None,
}

/// What was found on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub system: System,
    pub present: BTreeSet<Prerequisite>,
    /// The Node that would be used.
    pub node: Option<NodeVersion>,
    pub npm: bool,
    /// The Node the package manager would install; unknown before its lists are fetched.
    pub offered_node: Option<NodeVersion>,
    /// Whether the npm registry has a Node for this processor.
    pub local_node_available: bool,
    /// How packages can be installed.
    pub privilege: Privilege,
}

/// What is missing and how it is installed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub missing: Vec<String>,
    /// Packages for apt-get.
    pub packages: Vec<&'static str>,
    /// Fetch [`LOCAL_NODE`] into the project's own folder.
    pub local_node: bool,
    /// What the person has to install by hand.
    pub manual: Vec<String>,
}

impl Plan {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Decides what is missing for a purpose and how to install it.
pub fn plan(purpose: Purpose, facts: &Facts) -> Plan {
    let mut plan = Plan::default();
    let debian = matches!(facts.system, System::Debian { .. });
    for part in Prerequisite::needed(&facts.system, purpose) {
        if facts.present.contains(&part) {
            continue;
        }
        plan.missing.push(part.description().into());
        match part.debian_package() {
            Some(package) if debian => plan.packages.push(package),
            _ => plan.manual.push(part.manual()),
        }
    }
    plan_node(facts, debian, &mut plan);
    if !plan.packages.is_empty() && facts.privilege == Privilege::None {
        plan.manual.push(format!(
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
    let can_fetch = facts.local_node_available && facts.system.is_linux() && (facts.npm || debian);
    if !usable && !offered && !can_fetch {
        plan.manual.push(manual_node(facts));
        return;
    }
    plan.local_node = !usable && !offered;
    if !usable && (offered || facts.node.is_none()) {
        plan.packages.push("nodejs");
    }
    if !facts.npm {
        if debian {
            plan.packages.push("npm");
        } else {
            plan.manual.push("npm, which usually comes with Node".into());
        }
    }
}

fn manual_node(facts: &Facts) -> String {
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
mod tests;
