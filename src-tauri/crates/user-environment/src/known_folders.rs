//! The folders in which version managers and installers keep programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::variables::Variables;

/// How many names an alias of nvm may go through.
const ALIASES: usize = 8;

impl Variables {
    /// Lists the folders in which every search for a program looks: those of `PATH`, then the known ones below a home folder.
    pub fn search_folders(&self, home: &Path) -> Vec<PathBuf> {
        let mut folders = self.program_folders();
        for known in known_folders(home, self) {
            if !folders.contains(&known) {
                folders.push(known);
            }
        }
        folders
    }

    /// Adds the folders of [`Self::search_folders`] that `PATH` lacks.
    pub(crate) fn with_known_folders(&self, home: &Path) -> Self {
        self.with_folders_behind(known_folders(home, self).into_iter())
    }
}

/// Lists the folders of programs that exist, the ones of version managers first.
pub fn known_folders(home: &Path, variables: &Variables) -> Vec<PathBuf> {
    let root = |variable: &str, defaults: &[&str]| {
        let named = variables.get(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
        named.into_iter().chain(defaults.iter().map(|folder| home.join(folder))).collect::<Vec<_>>()
    };
    // On Windows, npm puts its programs beside its folder of packages.
    let npm_of_windows = variables.get("APPDATA").map(|roaming| PathBuf::from(roaming).join("npm"));
    let below = |folders: Vec<PathBuf>, name: &'static str| folders.into_iter().map(move |it| it.join(name));
    let nvm = root("NVM_DIR", &[".nvm", ".config/nvm"]).into_iter().filter_map(|nvm| of_nvm(&nvm));
    let fnm = root("FNM_DIR", &[".local/share/fnm", "Library/Application Support/fnm", ".fnm"]);
    let folders = nvm
        .chain(fnm.into_iter().filter_map(|fnm| of_fnm(&fnm)))
        .chain(below(root("VOLTA_HOME", &[".volta"]), "bin"))
        .chain(below(root("MISE_DATA_DIR", &[".local/share/mise"]), "shims"))
        .chain(below(root("ASDF_DATA_DIR", &[".asdf"]), "shims"))
        .chain(below(root("N_PREFIX", &["n"]), "bin"))
        .chain(npm_of_windows.filter(|_| cfg!(windows)))
        .chain(below(npm_prefix(home, variables).into_iter().collect(), "bin"))
        .chain([".npm-global/bin", ".npm-packages/bin"].map(|folder| home.join(folder)))
        .chain(root("PNPM_HOME", &[".local/share/pnpm", "Library/pnpm"]))
        .chain(below(root("BUN_INSTALL", &[".bun"]), "bin"))
        .chain(below(root("CARGO_HOME", &[".cargo"]), "bin"))
        .chain([".local/bin", "bin", ".opencode/bin"].map(|folder| home.join(folder)))
        .chain(below(root("HOMEBREW_PREFIX", &[".linuxbrew"]), "bin"))
        .chain(["/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin"].map(PathBuf::from));
    let mut known: Vec<PathBuf> = Vec::new();
    // A folder with a separator in its name can't be in `PATH`.
    for folder in folders.filter(|folder| folder.is_dir() && env::join_paths([folder]).is_ok()) {
        // With one kind of separator.
        let folder: PathBuf = folder.components().collect();
        if !known.contains(&folder) {
            known.push(folder);
        }
    }
    known
}

/// The programs of nvm's default version, else of its newest.
fn of_nvm(nvm: &Path) -> Option<PathBuf> {
    let versions = nvm.join("versions/node");
    let installed = versions_in(&versions);
    let wanted = default_of_nvm(nvm);
    let is_wanted = |version: &&Version| wanted.as_ref().is_some_and(|wanted| version.matches(wanted));
    let version = installed.iter().rfind(is_wanted).or(installed.last())?;
    Some(versions.join(&version.name).join("bin"))
}

/// Follows nvm's aliases from `default` to a version, such as `20` or `v20.11.1`.
fn default_of_nvm(nvm: &Path) -> Option<String> {
    let mut name = "default".to_owned();
    for _ in 0..ALIASES {
        // An alias is a file below this folder, and nothing else.
        let is_name = name.split('/').all(|part| !part.is_empty() && part != "..");
        let Ok(text) = fs::read_to_string(nvm.join("alias").join(&name)) else { break };
        let next = text.trim().to_owned();
        if !is_name || next.is_empty() {
            break;
        }
        name = next;
    }
    (name != "default").then_some(name)
}

/// The programs of fnm's default version, else of its newest.
fn of_fnm(fnm: &Path) -> Option<PathBuf> {
    let default = fnm.join("aliases/default/bin");
    if default.is_dir() {
        return Some(default);
    }
    let versions = fnm.join("node-versions");
    let newest = versions_in(&versions).pop()?;
    Some(versions.join(newest.name).join("installation/bin"))
}

/// The folder of `npm install --global`, if the user chose one.
fn npm_prefix(home: &Path, variables: &Variables) -> Option<PathBuf> {
    let named = variables.get("NPM_CONFIG_PREFIX").map(PathBuf::from);
    let in_file = || {
        let text = fs::read_to_string(home.join(".npmrc")).ok()?;
        let value = text
            .lines()
            .rev()
            .find_map(|line| line.trim().strip_prefix("prefix")?.trim_start().strip_prefix('='))?;
        let value = value.trim().trim_matches('"');
        let below_home = ["~/", "${HOME}/", "$HOME/"].iter().find_map(|start| value.strip_prefix(start));
        Some(below_home.map_or_else(|| PathBuf::from(value), |rest| home.join(rest)))
    };
    named.or_else(in_file).filter(|prefix| prefix.is_absolute())
}

/// A folder that is named like a version: `v20.11.1`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: Vec<u32>,
    name: String,
}

impl Version {
    fn of(name: &str) -> Option<Self> {
        Some(Self { numbers: numbers(name)?, name: name.to_owned() })
    }

    /// Whether a name such as `20` or `v20.11` means this version.
    fn matches(&self, wanted: &str) -> bool {
        numbers(wanted).is_some_and(|wanted| self.numbers.starts_with(&wanted))
    }
}

fn numbers(name: &str) -> Option<Vec<u32>> {
    name.strip_prefix('v').unwrap_or(name).split('.').map(|part| part.parse().ok()).collect()
}

/// Lists the versions in a folder, the newest last.
fn versions_in(folder: &Path) -> Vec<Version> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut versions: Vec<Version> =
        entries.filter_map(|entry| Version::of(entry.file_name().to_str()?)).collect();
    versions.sort();
    versions
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn home_with(folders: &[&str], files: &[(&str, &str)]) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for (file, text) in files {
            let file = home.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        home
    }

    #[rstest]
    #[case::nvm_default(
        &[".nvm/versions/node/v18.20.0/bin", ".nvm/versions/node/v20.9.0/bin", ".nvm/versions/node/v20.11.1/bin",
          ".nvm/versions/node/v22.1.0/bin"],
        &[(".nvm/alias/default", "20\n")],
        ".nvm/versions/node/v20.11.1/bin"
    )]
    #[case::nvm_aliases(
        &[".nvm/versions/node/v18.20.0/bin", ".nvm/versions/node/v20.11.1/bin"],
        &[(".nvm/alias/default", "lts/*"), (".nvm/alias/lts/*", "lts/hydrogen"), (".nvm/alias/lts/hydrogen", "v18.20.0")],
        ".nvm/versions/node/v18.20.0/bin"
    )]
    #[case::nvm_newest(
        &[".nvm/versions/node/v9.0.0/bin", ".nvm/versions/node/v20.11.1/bin"],
        &[(".nvm/alias/default", "node")],
        ".nvm/versions/node/v20.11.1/bin"
    )]
    #[case::nvm_alias_without_end(
        &[".nvm/versions/node/v20.11.1/bin"],
        &[(".nvm/alias/default", "default")],
        ".nvm/versions/node/v20.11.1/bin"
    )]
    #[case::fnm(&[".local/share/fnm/aliases/default/bin"], &[], ".local/share/fnm/aliases/default/bin")]
    #[case::fnm_newest(
        &[".local/share/fnm/node-versions/v9.1.0/installation/bin", ".local/share/fnm/node-versions/v20.1.0/installation/bin"],
        &[],
        ".local/share/fnm/node-versions/v20.1.0/installation/bin"
    )]
    #[case::volta(&[".volta/bin"], &[], ".volta/bin")]
    #[case::mise(&[".local/share/mise/shims"], &[], ".local/share/mise/shims")]
    #[case::asdf(&[".asdf/shims"], &[], ".asdf/shims")]
    #[case::npm_prefix(&["programs/bin"], &[(".npmrc", "fund=false\nprefix = ~/programs\n")], "programs/bin")]
    #[case::pnpm(&[".local/share/pnpm"], &[], ".local/share/pnpm")]
    #[case::bun(&[".bun/bin"], &[], ".bun/bin")]
    #[case::cargo(&[".cargo/bin"], &[], ".cargo/bin")]
    fn case_115_the_folders_of_version_managers_are_known(
        #[case] folders: &[&str],
        #[case] files: &[(&str, &str)],
        #[case] expected: &str,
    ) {
        let home = home_with(folders, files);
        let known = known_folders(home.path(), &Variables::default());
        let known: Vec<&Path> =
            known.iter().filter_map(|folder| folder.strip_prefix(home.path()).ok()).collect();
        assert_eq!(known, [Path::new(expected)]);
    }

    #[test]
    fn a_folder_that_a_variable_names_comes_first() {
        let home = home_with(&["tools/volta/bin", ".volta/bin"], &[]);
        let mut variables = Variables::default();
        variables.set("VOLTA_HOME", home.path().join("tools/volta"));
        let known = known_folders(home.path(), &variables);
        assert_eq!(known[..2], [home.path().join("tools/volta/bin"), home.path().join(".volta/bin")]);
    }
}
