//! The settings files in which Claude Code keeps permissions (measured with 2.1.329).

use std::env;
use std::path::{Path, PathBuf};

use askdesk_domain::OptionScope;

use crate::agent::{PermissionFile, PermissionList};

const ALLOWED: PermissionList = PermissionList { keys: &["permissions", "allow"], folders: false };
const FOLDERS: PermissionList =
    PermissionList { keys: &["permissions", "additionalDirectories"], folders: true };

/// Lists the files that apply to a folder, the nearest first.
pub(super) fn of(folder: &Path) -> Vec<PermissionFile> {
    let file = |path: PathBuf, within: &Path, scope| PermissionFile {
        path,
        within: within.to_owned(),
        scope,
        lists: &[ALLOWED, FOLDERS],
    };
    let in_project = folder.join(".claude");
    let mut files = vec![
        file(in_project.join("settings.local.json"), folder, OptionScope::Local),
        file(in_project.join("settings.json"), folder, OptionScope::Project),
    ];
    let named = env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    if let Some(folder) = named {
        files.push(file(folder.join("settings.json"), &folder, OptionScope::User));
    } else if let Some(home) = env::home_dir() {
        files.push(file(home.join(".claude").join("settings.json"), &home, OptionScope::User));
    }
    files
}
