//! Every prerequisite, Node and npm aside: who needs it, how it is found, and how it is installed.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{
    Purpose::{self, Dist, QuickTest, Run, Test, TryPackage, WindowsTest},
    System,
};
use crate::workspace::Workspace;

/// Something that building, opening or testing needs.
#[derive(Debug)]
pub struct Prerequisite {
    pub description: &'static str,
    pub installation: Installation,
    /// The purpose that needs it, and those that include that one.
    purpose: Purpose,
    pub is_present: fn(&Workspace) -> bool,
}

#[derive(Debug)]
pub enum Installation {
    /// Debian 12, Debian 13 and Ubuntu 24.04 agree on the name.
    DebianPackage(&'static str),
    Command(&'static str),
}

impl Prerequisite {
    /// Lists what a purpose needs on a system.
    pub fn needed(system: &System, purpose: Purpose) -> impl Iterator<Item = &'static Self> {
        let table: &[Self] = match system {
            System::MacOs => &MACOS,
            System::Windows => &WINDOWS,
            System::Debian { .. } | System::OtherLinux { .. } => &LINUX,
        };
        table.iter().filter(move |it| purpose.includes(it.purpose))
    }
}

const fn linux(
    purpose: Purpose,
    package: &'static str,
    description: &'static str,
    is_present: fn(&Workspace) -> bool,
) -> Prerequisite {
    Prerequisite { description, installation: Installation::DebianPackage(package), purpose, is_present }
}

static LINUX: [Prerequisite; 37] = [
    linux(Run, "build-essential", "a C compiler and linker", |it| it.has("cc")),
    linux(Run, "pkg-config", "pkg-config", |it| it.has("pkg-config")),
    linux(Run, "libwebkit2gtk-4.1-dev", "WebKitGTK 4.1 with its headers", has_webkitgtk),
    linux(QuickTest, "tmux", "tmux, a terminal in memory", |it| it.has("tmux")),
    // Debian has venv without what it needs to put pip into a new folder.
    linux(QuickTest, "python3-venv", "Python 3 with venv", |it| {
        it.succeeds("python3", &["-c", "import venv, ensurepip"])
    }),
    linux(QuickTest, "squashfs-tools", "mksquashfs, which packs an AppImage", |it| it.has("mksquashfs")),
    // The updater of packages speaks TLS with it.
    linux(Test, "libssl-dev", "OpenSSL with its headers", has_openssl),
    linux(Test, "xvfb", "Xvfb, a display in memory", |it| it.has("Xvfb") && it.has("xvfb-run")),
    linux(Test, "xauth", "xauth", |it| it.has("xauth")),
    linux(Test, "webkit2gtk-driver", "WebKitWebDriver", |it| it.has("WebKitWebDriver")),
    linux(Test, "dunst", "dunst, a notification daemon", |it| it.has("dunst") && it.has("dunstctl")),
    linux(Test, "dbus", "dbus-run-session, a private session bus", |it| {
        ["dbus-run-session", "dbus-daemon", "dbus-send"].into_iter().all(|program| it.has(program))
    }),
    linux(Test, "iproute2", "ip, which starts a loopback", |it| it.has("ip")),
    linux(Test, "xdotool", "xdotool", |it| it.has("xdotool")),
    linux(Test, "xclip", "xclip, which copies to the clipboard", |it| it.has("xclip")),
    linux(Test, "xterm", "xterm, a terminal", |it| it.has("xterm")),
    linux(Test, "zsh", "zsh, a shell", |it| it.has("zsh")),
    linux(Test, "fish", "fish, a shell", |it| it.has("fish")),
    linux(Test, "vim", "Vim with its scripting language", |it| {
        it.output("vim", &["--version"]).is_some_and(|version| version.contains("+eval"))
    }),
    linux(Test, "openbox", "openbox, a window manager", |it| it.has("openbox")),
    linux(Test, "fonts-dejavu-core", "the DejaVu fonts", |it| {
        Path::new("/usr/share/fonts/truetype/dejavu").exists() || has_font(it, ":family=DejaVu Sans")
    }),
    linux(Test, "fonts-droid-fallback", "a font with the characters of Chinese", |it| {
        has_font(it, ":lang=zh")
    }),
    linux(Test, "at-spi2-core", "the accessibility bus at-spi2", |_| {
        ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"]
            .iter()
            .any(|path| Path::new(path).exists())
    }),
    linux(Test, "libayatana-appindicator3-1", "the Ayatana library for icons in the tray", |_| {
        library_folders().any(|it| it.with_file_name("libayatana-appindicator3.so.1").exists())
    }),
    // The Tauri CLI asks pkg-config for it, and panics without an answer.
    linux(
        Dist,
        "libayatana-appindicator3-dev",
        "the Ayatana library for icons in the tray, with its headers",
        |it| it.succeeds("pkg-config", &["--exists", "ayatana-appindicator3-0.1"]),
    ),
    linux(Dist, "libssl-dev", "OpenSSL with its headers", has_openssl),
    linux(Dist, "dpkg-dev", "dpkg-shlibdeps", |it| it.has("dpkg-shlibdeps")),
    linux(Dist, "lintian", "lintian, which checks Debian packages", |it| it.has("lintian")),
    linux(Dist, "desktop-file-utils", "desktop-file-validate", |it| it.has("desktop-file-validate")),
    linux(Dist, "appstream", "appstreamcli", |it| it.has("appstreamcli")),
    linux(Dist, "rpm", "rpm, which reads what programs require", |it| it.has("rpm")),
    linux(Dist, "squashfs-tools", "unsquashfs, which looks into an AppImage", |it| it.has("unsquashfs")),
    linux(WindowsTest, "gcc-mingw-w64-x86-64-win32", "a C compiler for Windows", |it| {
        it.has("x86_64-w64-mingw32-gcc")
    }),
    linux(WindowsTest, "g++-mingw-w64-x86-64-win32", "a C++ compiler for Windows", |it| {
        it.has("x86_64-w64-mingw32-g++")
    }),
    linux(WindowsTest, "wine64", "Wine, which runs programs of Windows", |it| {
        it.has("wine64") || Path::new("/usr/lib/wine/wine64").is_file()
    }),
    linux(TryPackage, "mmdebstrap", "mmdebstrap, which makes a Debian in a folder", |it| {
        it.has("mmdebstrap")
    }),
    linux(TryPackage, "rpm", "rpm", |it| it.has("rpm")),
];

static MACOS: [Prerequisite; 1] = [Prerequisite {
    description: "Apple's command line tools",
    installation: Installation::Command("`xcode-select --install`"),
    purpose: Run,
    is_present: |it| it.succeeds("xcode-select", &["-p"]),
}];

static WINDOWS: [Prerequisite; 2] = [
    Prerequisite {
        description: "the Visual C++ build tools",
        installation: Installation::Command(
            "`winget install Microsoft.VisualStudio.2022.BuildTools` and choose \
             \"Desktop development with C++\"",
        ),
        purpose: Run,
        is_present: |it| it.has("cl") || has_msvc(it),
    },
    Prerequisite {
        description: "the WebView2 runtime",
        installation: Installation::Command("`winget install Microsoft.EdgeWebView2Runtime`"),
        purpose: Run,
        is_present: |it| WEBVIEW2_KEYS.iter().any(|key| it.succeeds("reg", &["query", key, "/v", "pv"])),
    },
];

/// The registry keys under which WebView2's installer documents its version.
const WEBVIEW2_KEYS: [&str; 2] = [
    r"HKLM\SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}",
    r"HKCU\Software\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}",
];

/// Without pkg-config the library's own files still tell, so that one run names everything missing.
fn has_webkitgtk(workspace: &Workspace) -> bool {
    workspace.succeeds("pkg-config", &["--exists", "webkit2gtk-4.1"])
        || (!workspace.has("pkg-config") && library_folders().any(|it| it.join("webkit2gtk-4.1.pc").exists()))
}

fn has_openssl(workspace: &Workspace) -> bool {
    workspace.succeeds("pkg-config", &["--exists", "openssl"])
}

fn has_msvc(workspace: &Workspace) -> bool {
    let Some(programs) = env::var_os("ProgramFiles(x86)") else { return false };
    let vswhere = Path::new(&programs).join(r"Microsoft Visual Studio\Installer\vswhere.exe");
    let tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64";
    let mut vswhere = workspace.command(vswhere);
    vswhere.args(["-products", "*", "-requires", tools, "-property", "installationPath"]);
    vswhere.output().is_ok_and(|found| found.status.success() && !found.stdout.trim_ascii().is_empty())
}

fn has_font(workspace: &Workspace, pattern: &str) -> bool {
    workspace.output("fc-list", &[pattern, "family"]).is_some_and(|found| !found.trim().is_empty())
}

fn library_folders() -> impl Iterator<Item = PathBuf> {
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    multiarch
        .chain(["/usr".into(), "/usr/lib".into(), "/usr/local/lib".into(), "/usr/lib64".into()])
        .flat_map(|folder| [folder.join("pkgconfig"), folder.join("share/pkgconfig")])
}
