//! The settings files in which Claude Code keeps permissions (measured with 2.1.329).

use std::env;
use std::path::{Path, PathBuf};

use askdesk_domain::OptionScope;
use askdesk_user_environment::variables;

use crate::agent::{PermissionFile, PermissionList};

const ALLOWED: PermissionList = PermissionList { keys: &["permissions", "allow"], folders: false };
const FOLDERS: PermissionList =
    PermissionList { keys: &["permissions", "additionalDirectories"], folders: true };

/// Lists the files that apply to a folder, the nearest first.
pub(super) fn of(folder: &Path) -> Vec<PermissionFile> {
    let named = variables().get("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    with_user(folder, of_user(named, env::home_dir()))
}

/// The user's own file. Like other config files of the user, it may be a link to anywhere in the home folder.
fn of_user(named: Option<PathBuf>, home: Option<PathBuf>) -> Option<PermissionFile> {
    let Some(named) = named else {
        return home.map(|home| in_folder(&home, "settings.json", OptionScope::User));
    };
    let within = home.filter(|home| named.starts_with(home)).unwrap_or_else(|| named.clone());
    Some(file(named.join("settings.json"), &within, OptionScope::User))
}

fn with_user(folder: &Path, user: Option<PermissionFile>) -> Vec<PermissionFile> {
    let mut files = vec![
        in_folder(folder, "settings.local.json", OptionScope::Local),
        in_folder(folder, "settings.json", OptionScope::Project),
    ];
    // In the home folder, the project's file is the user's, which reaches all folders.
    files.retain(|file| user.as_ref().is_none_or(|user| user.path != file.path));
    files.extend(user);
    files
}

fn in_folder(folder: &Path, name: &str, scope: OptionScope) -> PermissionFile {
    file(folder.join(".claude").join(name), folder, scope)
}

fn file(path: PathBuf, within: &Path, scope: OptionScope) -> PermissionFile {
    PermissionFile { path, within: within.to_owned(), scope, lists: &[ALLOWED, FOLDERS] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, "/home/ada/.claude/settings.json", "/home/ada")]
    #[case(Some("/home/ada/.config/claude"), "/home/ada/.config/claude/settings.json", "/home/ada")]
    #[case(Some("/srv/claude"), "/srv/claude/settings.json", "/srv/claude")]
    fn the_users_file_may_be_a_link_to_anywhere_in_the_home_folder(
        #[case] named: Option<&str>,
        #[case] path: &str,
        #[case] within: &str,
    ) {
        let file = of_user(named.map(PathBuf::from), Some("/home/ada".into())).unwrap();
        assert_eq!((file.path, file.within), (path.into(), within.into()));
    }

    #[rstest]
    #[case("/home/ada/api", &[
        ("/home/ada/api/.claude/settings.local.json", OptionScope::Local),
        ("/home/ada/api/.claude/settings.json", OptionScope::Project),
        ("/home/ada/.claude/settings.json", OptionScope::User),
    ])]
    #[case("/home/ada/", &[
        ("/home/ada/.claude/settings.local.json", OptionScope::Local),
        ("/home/ada/.claude/settings.json", OptionScope::User),
    ])]
    fn case_100_a_file_that_reaches_all_folders_is_listed_once(
        #[case] folder: &str,
        #[case] expected: &[(&str, OptionScope)],
    ) {
        let user = in_folder(Path::new("/home/ada"), "settings.json", OptionScope::User);
        let files = with_user(Path::new(folder), Some(user));
        let listed: Vec<_> = files.iter().map(|file| (file.path.as_path(), file.scope)).collect();
        let expected: Vec<_> = expected.iter().map(|(path, scope)| (Path::new(*path), *scope)).collect();
        assert_eq!(listed, expected);
    }
}
