//! Reads the versions of `CHANGELOG.md`: the notes of a release, and the releases of the AppStream metadata.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// The file, from the root of the repository.
pub const FILE: &str = "CHANGELOG.md";
/// The heading above what the next version will contain.
const UNRELEASED: &str = "Unreleased";

/// A version that was released, with what its users read about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: String,
    /// The day of the release, as `2026-11-28`.
    pub date: String,
    /// The section in Markdown, without its heading.
    pub notes: String,
}

/// Reads the releases of the repository, newest first.
pub fn read(workspace: &Workspace) -> Result<Vec<Release>> {
    releases(&fs::read_to_string(workspace.root().join(FILE)).context(FILE)?)
}

/// Returns the section of a version; `v` before the number is accepted.
pub fn notes(workspace: &Workspace, version: &str) -> Result<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let found = read(workspace)?.into_iter().find(|release| release.version == version);
    let release = found.with_context(|| format!("{FILE} has no section for {version}"))?;
    Ok(release.notes)
}

/// Reads the releases of a changelog, in the order of the file.
pub fn releases(text: &str) -> Result<Vec<Release>> {
    let mut releases = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let (heading, notes) = section.split_once('\n').unwrap_or((section, ""));
        if heading == UNRELEASED {
            continue;
        }
        let named = heading.split_once(" - ").filter(|(version, date)| is_version(version) && is_date(date));
        let Some((version, date)) = named else {
            bail!("`## {heading}` in {FILE} must be `## {UNRELEASED}` or like `## 1.2.3 - 2026-11-28`");
        };
        let notes = notes.trim();
        if notes.is_empty() {
            bail!("{FILE} says nothing about {version}");
        }
        releases.push(Release { version: version.into(), date: date.into(), notes: notes.into() });
    }
    Ok(releases)
}

/// Whether this is three numbers, optionally followed by a pre-release such as `-beta.1`.
fn is_version(text: &str) -> bool {
    let (numbers, rest) = text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    let parts: Vec<&str> = numbers.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| part.parse::<u32>().is_ok())
        && rest.is_none_or(|rest| {
            !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        })
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog\n\nWords.\n\n## Unreleased\n\n- Not yet.\n\n## 0.3.0-beta.1 - 2027-01-02\n\n### Added\n\n- Two.\n\n## 0.2.0 - 2026-11-28\n\nThe first.\n";

    #[test]
    fn each_version_has_its_date_and_its_own_section() {
        let release = |version: &str, date: &str, notes: &str| Release {
            version: version.into(),
            date: date.into(),
            notes: notes.into(),
        };
        let expected = [
            release("0.3.0-beta.1", "2027-01-02", "### Added\n\n- Two."),
            release("0.2.0", "2026-11-28", "The first."),
        ];
        assert_eq!(releases(TEXT).unwrap(), expected);
        assert_eq!(releases("# Changelog\n\n## Unreleased\n").unwrap(), []);
    }

    #[test]
    fn a_heading_that_no_one_can_read_and_an_empty_section_are_refused() {
        for (heading, words) in [
            ("0.2.0", "`## 0.2.0`"),
            ("0.2 - 2026-11-28", "`## 0.2 - 2026-11-28`"),
            ("0.2.0 - 28 November", "28 November"),
            ("0.2.0- - 2026-11-28", "0.2.0-"),
            ("unreleased", "`## unreleased`"),
        ] {
            let error = releases(&format!("\n## {heading}\n\n- Words.\n")).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let error = releases("\n## 0.2.0 - 2026-11-28\n\n## 0.1.0 - 2026-01-01\n\nWords.\n").unwrap_err();
        assert!(error.to_string().contains("nothing about 0.2.0"), "{error}");
    }
}
