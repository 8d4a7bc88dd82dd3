//! Finds the installed programs: on `PATH`, where installers put them, among the applications of macOS, and under the App
//! Paths of Windows.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use askdesk_domain::Program;
pub use askdesk_user_environment::Os;
use askdesk_user_environment::variables;

/// Where to look for programs.
#[derive(Clone, Debug)]
pub struct Search {
    pub os: Os,
    /// The folders with programs, the first one first.
    pub folders: Vec<PathBuf>,
    /// The folders with applications of macOS.
    pub applications: Vec<PathBuf>,
}

/// A program that was found, and the arguments that select it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    pub program: PathBuf,
    pub before: Vec<OsString>,
}

impl Search {
    /// Looks where the user's environment says, and then in the usual folders.
    pub fn of_user() -> Self {
        let home = env::home_dir();
        let mut folders = variables().search_folders(home.as_deref().unwrap_or(Path::new("/")));
        let mut applications = Vec::new();
        if cfg!(unix) {
            folders.push("/snap/bin".into());
        }
        if cfg!(target_os = "macos") {
            applications.extend(["/Applications", "/System/Applications/Utilities"].map(PathBuf::from));
        }
        if let Some(home) = home {
            let toolbox = match Os::CURRENT {
                Os::Linux => ".local/share/JetBrains/Toolbox/scripts",
                Os::MacOs => "Library/Application Support/JetBrains/Toolbox/scripts",
                Os::Windows => r"AppData\Local\Microsoft\WindowsApps",
            };
            folders.push(home.join(toolbox));
            applications.push(home.join("Applications"));
        }
        Self { os: Os::CURRENT, folders, applications }
    }

    /// Finds one of the known programs. May block.
    pub fn find(&self, program: Program) -> Option<FoundProgram> {
        if matches!(program, Program::Iterm | Program::MacTerminal) {
            let bundle = self.application(program)?;
            return Some(FoundProgram {
                program: "/usr/bin/open".into(),
                before: vec!["-a".into(), bundle.into()],
            });
        }
        if program == Program::WindowsTerminal && self.os != Os::Windows {
            return None;
        }
        let by_name = || names(program).iter().find_map(|name| self.executable(OsStr::new(name)));
        let in_bundle =
            || Some(self.application(program)?.join(inside_bundle(program)?)).filter(|it| it.is_file());
        let program = by_name().or_else(in_bundle).or_else(|| app_path(names(program)))?;
        Some(FoundProgram { program, before: Vec::new() })
    }

    /// Finds a program by its name or absolute path. May block.
    pub fn executable(&self, name: &OsStr) -> Option<PathBuf> {
        let named = Path::new(name);
        let found = if named.is_absolute() {
            which::which_global(named).ok()?
        } else {
            if named.components().count() != 1 {
                return None;
            }
            // The event daemon of ZFS is called zed, too.
            let folders = self.folders.iter().filter(|folder| name != "zed" || !folder.ends_with("sbin"));
            which::which_in_global(name, Some(env::join_paths(folders).ok()?)).ok()?.next()?
        };
        without_script(found)
    }

    fn application(&self, program: Program) -> Option<PathBuf> {
        let bundles = bundles(program).iter();
        let places =
            bundles.flat_map(|bundle| self.applications.iter().map(move |folder| folder.join(bundle)));
        places.into_iter().find(|bundle| bundle.is_dir())
    }
}

/// Replaces a batch file by the program that it starts: a batch file runs in `cmd.exe`, which reads its arguments again.
fn without_script(found: PathBuf) -> Option<PathBuf> {
    let is_script =
        found.extension().is_some_and(|it| it.eq_ignore_ascii_case("cmd") || it.eq_ignore_ascii_case("bat"));
    if !is_script {
        return Some(found);
    }
    // `bin\code.cmd` is beside `Code.exe`; `resources\app\bin\cursor.cmd` is three folders below `Cursor.exe`.
    let name = found.file_stem()?.to_str()?.to_owned();
    let folders = found.ancestors().skip(2).take(4).map(Path::to_owned);
    let exe = |folder: PathBuf| {
        let files = std::fs::read_dir(folder).ok()?.flatten().map(|file| file.path());
        let wanted = format!("{name}.exe");
        files.into_iter().find(|file| file.file_name().is_some_and(|it| it.eq_ignore_ascii_case(&wanted)))
    };
    folders.into_iter().find_map(exe)
}

/// The names of a program's command, the most certain first.
const fn names(program: Program) -> &'static [&'static str] {
    match program {
        Program::VsCode => &["code"],
        Program::Cursor => &["cursor"],
        // Distributions with ZFS use the longer names.
        Program::Zed => &["zeditor", "zedit", "zed"],
        Program::IntelliJ => &["idea", "idea64", "intellij-idea-ultimate", "intellij-idea-community"],
        Program::WebStorm => &["webstorm", "webstorm64"],
        Program::PyCharm => &["pycharm", "pycharm64", "pycharm-professional", "pycharm-community"],
        Program::GoLand => &["goland", "goland64"],
        Program::RustRover => &["rustrover", "rustrover64"],
        Program::CLion => &["clion", "clion64"],
        Program::PhpStorm => &["phpstorm", "phpstorm64"],
        Program::RubyMine => &["rubymine", "rubymine64"],
        Program::Rider => &["rider", "rider64"],
        Program::Neovim => &["nvim"],
        Program::Vim => &["vim"],
        Program::GnomeTerminal => &["gnome-terminal"],
        Program::Konsole => &["konsole"],
        Program::Kitty => &["kitty"],
        Program::WezTerm => &["wezterm"],
        Program::Alacritty => &["alacritty"],
        Program::WindowsTerminal => &["wt"],
        Program::Xterm => &["xterm"],
        Program::Iterm
        | Program::MacTerminal
        | Program::EditorCommand
        | Program::TerminalCommand
        | Program::FileManager => &[],
    }
}

/// The names of its application on macOS.
const fn bundles(program: Program) -> &'static [&'static str] {
    match program {
        Program::VsCode => &["Visual Studio Code.app"],
        Program::Cursor => &["Cursor.app"],
        Program::Zed => &["Zed.app"],
        Program::IntelliJ => &["IntelliJ IDEA.app", "IntelliJ IDEA CE.app"],
        Program::WebStorm => &["WebStorm.app"],
        Program::PyCharm => &["PyCharm.app", "PyCharm CE.app"],
        Program::GoLand => &["GoLand.app"],
        Program::RustRover => &["RustRover.app"],
        Program::CLion => &["CLion.app"],
        Program::PhpStorm => &["PhpStorm.app"],
        Program::RubyMine => &["RubyMine.app"],
        Program::Rider => &["Rider.app"],
        Program::Kitty => &["kitty.app"],
        Program::WezTerm => &["WezTerm.app"],
        Program::Alacritty => &["Alacritty.app"],
        Program::Iterm => &["iTerm.app"],
        Program::MacTerminal => &["Terminal.app"],
        _ => &[],
    }
}

/// Its command inside its application.
const fn inside_bundle(program: Program) -> Option<&'static str> {
    Some(match program {
        Program::VsCode => "Contents/Resources/app/bin/code",
        Program::Cursor => "Contents/Resources/app/bin/cursor",
        Program::Zed => "Contents/MacOS/cli",
        Program::IntelliJ => "Contents/MacOS/idea",
        Program::WebStorm => "Contents/MacOS/webstorm",
        Program::PyCharm => "Contents/MacOS/pycharm",
        Program::GoLand => "Contents/MacOS/goland",
        Program::RustRover => "Contents/MacOS/rustrover",
        Program::CLion => "Contents/MacOS/clion",
        Program::PhpStorm => "Contents/MacOS/phpstorm",
        Program::RubyMine => "Contents/MacOS/rubymine",
        Program::Rider => "Contents/MacOS/rider",
        Program::Kitty => "Contents/MacOS/kitty",
        Program::WezTerm => "Contents/MacOS/wezterm",
        Program::Alacritty => "Contents/MacOS/alacritty",
        _ => return None,
    })
}

/// Returns what the registry of Windows names for a program.
#[cfg(windows)]
fn app_path(names: &[&str]) -> Option<PathBuf> {
    use windows_registry::{CURRENT_USER, LOCAL_MACHINE};

    let named = |name: &&str| {
        let key = format!(r"Software\Microsoft\Windows\CurrentVersion\App Paths\{name}.exe");
        let found = [CURRENT_USER, LOCAL_MACHINE]
            .into_iter()
            .find_map(|root| root.open(&key).ok()?.get_string("").ok())?;
        Some(PathBuf::from(found.trim_matches('"'))).filter(|it| it.is_absolute() && it.is_file())
    };
    names.iter().find_map(named).and_then(without_script)
}

#[cfg(not(windows))]
const fn app_path(_: &[&str]) -> Option<PathBuf> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program_at(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_owned()
    }

    fn search(folders: &[PathBuf], applications: &[PathBuf]) -> Search {
        Search { os: Os::CURRENT, folders: folders.to_vec(), applications: applications.to_vec() }
    }

    #[test]
    fn a_program_is_found_by_its_names_in_the_order_of_the_folders() {
        let root = tempfile::tempdir().unwrap();
        let [first, second] = ["a", "b"].map(|name| root.path().join(name));
        let search = search(&[first.clone(), second.clone()], &[]);
        for program in Program::ALL {
            assert_eq!(search.find(*program), None, "{program:?}");
        }
        let found = |program| search.find(program).map(|found| found.program);
        let code = program_at(&second.join("code"));
        assert_eq!(found(Program::VsCode), Some(code));
        let code = program_at(&first.join("code"));
        assert_eq!(found(Program::VsCode), Some(code));
        fs::write(first.join("vim"), "not executable").unwrap();
        assert_eq!(found(Program::Vim), None);
        let pycharm = program_at(&second.join("pycharm-community"));
        assert_eq!(found(Program::PyCharm), Some(pycharm));
    }

    #[test]
    fn every_known_program_has_a_name_or_an_application() {
        use Program::{EditorCommand, FileManager, TerminalCommand};
        for program in Program::ALL {
            let own = [EditorCommand, TerminalCommand, FileManager].contains(program);
            assert_eq!(names(*program).is_empty() && bundles(*program).is_empty(), own, "{program:?}");
            assert!(
                bundles(*program).is_empty()
                    || inside_bundle(*program).is_some()
                    || matches!(program, Program::Iterm | Program::MacTerminal),
                "{program:?}"
            );
        }
    }

    #[test]
    fn the_daemon_of_zfs_is_not_the_editor() {
        let root = tempfile::tempdir().unwrap();
        let [sbin, bin] = ["sbin", "bin"].map(|name| root.path().join(name));
        program_at(&sbin.join("zed"));
        let search = search(&[sbin, bin.clone()], &[]);
        assert_eq!(search.find(Program::Zed), None);
        let zed = program_at(&bin.join("zed"));
        assert_eq!(search.find(Program::Zed).map(|found| found.program), Some(zed));
    }

    #[test]
    fn an_application_of_macos_is_found_with_its_command() {
        let root = tempfile::tempdir().unwrap();
        let search = search(&[], &[root.path().to_owned()]);
        let code = program_at(&root.path().join("Visual Studio Code.app/Contents/Resources/app/bin/code"));
        assert_eq!(search.find(Program::VsCode), Some(FoundProgram { program: code, before: Vec::new() }));
        fs::create_dir_all(root.path().join("iTerm.app")).unwrap();
        let before = vec!["-a".into(), root.path().join("iTerm.app").into()];
        assert_eq!(
            search.find(Program::Iterm),
            Some(FoundProgram { program: "/usr/bin/open".into(), before })
        );
    }

    #[test]
    fn a_batch_file_is_replaced_by_its_program_or_not_found() {
        let root = tempfile::tempdir().unwrap();
        let code = program_at(&root.path().join("VS Code/bin/code.cmd"));
        assert_eq!(without_script(code.clone()), None);
        let exe = program_at(&root.path().join("VS Code/Code.exe"));
        assert_eq!(without_script(code), Some(exe));
        let cursor = program_at(&root.path().join("cursor/resources/app/bin/cursor.cmd"));
        let exe = program_at(&root.path().join("cursor/Cursor.exe"));
        assert_eq!(without_script(cursor), Some(exe));
    }

    #[test]
    fn a_command_of_ones_own_is_a_name_or_an_absolute_path() {
        let root = tempfile::tempdir().unwrap();
        let own = program_at(&root.path().join("my ed"));
        let search = search(&[root.path().to_owned()], &[]);
        assert_eq!(search.executable("my ed".as_ref()), Some(own.clone()));
        assert_eq!(search.executable(own.as_os_str()), Some(own));
        assert_eq!(search.executable("./my ed".as_ref()), None);
        assert_eq!(search.executable("other".as_ref()), None);
    }
}
