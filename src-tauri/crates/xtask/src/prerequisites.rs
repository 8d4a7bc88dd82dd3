//! Decides from facts about a machine what to install and how. `probe` collects the facts.

mod table;

use std::fmt;

pub use table::{Installation, Prerequisite};

/// The Node that is fetched from the npm registry where the system offers only an older one.
pub const LOCAL_NODE: &str = "22.23.3";
/// The npm that is fetched with [`LOCAL_NODE`]; a system's npm may not run on another Node than its own.
pub const LOCAL_NPM: &str = "10.9.9";

/// Why the prerequisites are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Building and opening the app.
    Run,
    /// Testing what needs no window.
    QuickTest,
    /// Driving the window in tests.
    Test,
    /// Building for Windows and testing under Wine.
    WindowsTest,
    /// Making packages.
    Dist,
    /// Installing a package in a system of its own, and trying it.
    TryPackage,
}

impl Purpose {
    /// Whether what another purpose needs is needed for this one too.
    fn includes(self, other: Self) -> bool {
        match self {
            Self::Run => other == Self::Run,
            Self::QuickTest => matches!(other, Self::Run | Self::QuickTest),
            Self::Test => matches!(other, Self::Run | Self::QuickTest | Self::Test),
            Self::WindowsTest => matches!(other, Self::Run | Self::WindowsTest),
            Self::Dist => matches!(other, Self::Run | Self::Dist),
            Self::TryPackage => matches!(other, Self::Run | Self::QuickTest | Self::Test | Self::TryPackage),
        }
    }
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
#[derive(Debug, Clone)]
pub struct Facts {
    pub system: System,
    pub missing: Vec<&'static Prerequisite>,
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
    /// What the user has to install by hand.
    pub manual: Vec<String>,
}

impl Plan {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Decides how to install what is missing.
pub fn plan(facts: &Facts) -> Plan {
    let mut plan = Plan::default();
    let debian = matches!(facts.system, System::Debian { .. });
    for Prerequisite { description, installation, .. } in &facts.missing {
        plan.missing.push((*description).into());
        match installation {
            Installation::DebianPackage(package) if debian => plan.packages.push(package),
            Installation::DebianPackage(package) => {
                plan.manual.push(format!("{description} (Debian's package is called {package})"));
            }
            Installation::Command(command) => plan.manual.push(format!("{description}: run {command}")),
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
