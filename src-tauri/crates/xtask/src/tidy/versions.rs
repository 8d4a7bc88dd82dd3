//! Checks that every place that names the version names the same one, and that the changelog describes it.

use anyhow::{Context, Result};
use serde_json::Value;

use super::Problem;
use crate::changelog::{FILE as CHANGELOG, Release};

/// Files besides `Cargo.toml` that name the version, and where in them it is.
pub const FILES: [(&str, &[&str]); 3] = [
    ("tauri.conf.json", &["/version"]),
    ("ui/package.json", &["/version"]),
    ("ui/package-lock.json", &["/version", "/packages//version"]),
];

/// Compares the versions in `files`, each with its text, and the newest release with the version of the packages.
pub fn problems(
    version: &str,
    files: &[(&str, &[&str], String)],
    releases: &[Release],
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (file, places, text) in files {
        let json: Value = serde_json::from_str(text).with_context(|| (*file).to_owned())?;
        for place in *places {
            let found = json.pointer(place).and_then(Value::as_str).unwrap_or("none");
            if found != version {
                let message = format!("{place} is {found}, and Cargo.toml says {version}; write {version}");
                problems.push(Problem::new(*file, message));
            }
        }
    }
    let newest = releases.first().map_or("none", |release| release.version.as_str());
    if newest != version {
        let message =
            format!("the newest version is {newest}, and Cargo.toml says {version}; describe {version}");
        problems.push(Problem::new(CHANGELOG, message));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::{super::assert_problems, *};
    use crate::changelog;

    #[test]
    fn a_version_that_differs_is_named_with_its_place() {
        let release = |version: &str| {
            changelog::releases(&format!("## {version} - 2026-11-28\n\n- a\n")).unwrap().remove(0)
        };
        let lock = |version: &str, own: &str| {
            let text = format!(r#"{{"version":"{version}","packages":{{"":{{"version":"{own}"}}}}}}"#);
            [(FILES[2].0, FILES[2].1, text)]
        };
        let check = |lock: &[(&str, &[&str], String)], newest: &[Release], expected: &[&str]| {
            assert_problems(&problems("0.2.0", lock, newest).unwrap(), expected);
        };
        check(&lock("0.2.0", "0.2.0"), &[release("0.2.0"), release("0.1.0")], &[]);
        check(
            &lock("0.2.0", "0.1.0"),
            &[release("0.2.0")],
            &["package-lock.json: /packages//version is 0.1.0"],
        );
        check(&lock("0.2.0", "0.2.0"), &[release("0.1.0")], &["CHANGELOG.md: the newest version is 0.1.0"]);
        check(&lock("0.2.0", "0.2.0"), &[], &["the newest version is none"]);
    }
}
