//! Reads `CHANGELOG.md`: its versions, and what each changes.

use std::fs;

use anyhow::{Context, Result, ensure};
use jiff::civil::Date;

use crate::workspace::Workspace;

pub const FILE: &str = "CHANGELOG.md";
/// Who answers for the Debian package.
pub const MAINTAINER: &str = "Askdesk contributors <askdesk@users.noreply.github.com>";
/// The page of a version, before the version.
pub const PAGE: &str = "https://github.com/askdesk/askdesk/releases/tag/v";

/// A version that was released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: String,
    pub date: Date,
    /// What it changes, in Markdown, without its heading.
    pub text: String,
}

/// Reads the released versions of the repository, newest first.
pub fn read(workspace: &Workspace) -> Result<Vec<Release>> {
    releases(&fs::read_to_string(workspace.root().join(FILE)).context(FILE)?)
}

/// Returns the released versions, newest first. A heading is `Unreleased` or `VERSION - DATE`, and may end with `(not released)`.
pub fn releases(changelog: &str) -> Result<Vec<Release>> {
    let sections = format!("\n{changelog}");
    let sections = sections.split("\n## ").skip(1).filter(|section| !section.starts_with("Unreleased"));
    let releases = sections.map(release_of).collect::<Result<Vec<_>>>()?;
    ensure!(releases.is_sorted_by(|newer, older| newer.date >= older.date), "{FILE} is not newest first");
    Ok(releases)
}

fn release_of(section: &str) -> Result<Release> {
    let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
    let (version, day) = heading
        .trim_end_matches(" (not released)")
        .split_once(" - ")
        .with_context(|| format!("the heading {heading:?} of {FILE} is not `VERSION - DATE`"))?;
    let date = Date::strptime("%Y-%m-%d", day).ok().filter(|date| date.to_string() == day);
    let date = date.with_context(|| format!("{day:?} is no date such as 2026-11-28"))?;
    ensure!(!text.trim().is_empty(), "{FILE} says nothing about {version}");
    Ok(Release { version: version.to_owned(), date, text: text.trim().to_owned() })
}

/// Returns one version.
pub fn release(changelog: &str, version: &str) -> Result<Release> {
    releases(changelog)?
        .into_iter()
        .find(|release| release.version == version)
        .with_context(|| format!("{FILE} has no section `## {version} - DATE`"))
}

/// Returns the released versions as a Debian changelog, which leads to the page that describes each.
pub fn debian(changelog: &str) -> Result<String> {
    let entries = releases(changelog)?.into_iter().map(|Release { version, date, .. }| {
        let date = date.strftime("%a, %d %b %Y 12:00:00 +0000");
        format!(
            "askdesk ({version}) unstable; urgency=medium\n\n  * New version. Its changes are at\n    \
             {PAGE}{version}\n\n -- {MAINTAINER}  {date}\n\n"
        )
    });
    Ok(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "# Changelog\n\nWords.\n\n## Unreleased\n\n- not yet\n\n## 0.3.0 - 2027-02-28\n\nIntroduction.\n\n\
        ### Answer\n\n- One\n\n## 0.2.0 - 2026-11-28 (not released)\n\n- First\n";

    #[test]
    fn each_released_version_has_its_date_and_its_section() {
        let releases = releases(CHANGELOG).unwrap();
        let found: Vec<_> = releases.iter().map(|it| (it.version.as_str(), it.date.to_string())).collect();
        assert_eq!(found, [("0.3.0", "2027-02-28".to_owned()), ("0.2.0", "2026-11-28".to_owned())]);
        assert_eq!(releases[0].text, "Introduction.\n\n### Answer\n\n- One");
        assert_eq!(releases[1].text, "- First");
        assert_eq!(release(CHANGELOG, "0.2.0").unwrap(), releases[1]);
        let error = release(CHANGELOG, "0.4.0").unwrap_err().to_string();
        assert!(error.contains("## 0.4.0"), "{error}");
    }

    #[test]
    fn a_section_that_nobody_could_read_is_refused() {
        for (changelog, words) in [
            ("## 0.2.0\n\n- a\n", "VERSION - DATE"),
            ("## 0.2.0 - soon\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-02-29\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-1-2\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-11-28\n\n## 0.1.0 - 2026-10-01\n\n- a\n", "nothing about 0.2.0"),
            ("## 0.1.0 - 2026-10-01\n\n- a\n\n## 0.2.0 - 2026-11-28\n\n- a\n", "newest first"),
        ] {
            let error = format!("{:#}", releases(changelog).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        assert!(releases("## Unreleased\n\n- a\n").unwrap().is_empty());
    }

    #[test]
    fn a_debian_changelog_has_an_entry_a_version_with_the_day_of_the_week() {
        let text = debian(CHANGELOG).unwrap();
        for expected in [
            "askdesk (0.3.0) unstable; urgency=medium\n\n  * New version.",
            "/releases/tag/v0.3.0\n\n -- Askdesk contributors <askdesk@users.noreply.github.com>  Sun, 28 Feb 2027 12:00:00 +0000\n",
            "/releases/tag/v0.2.0\n\n -- Askdesk contributors <askdesk@users.noreply.github.com>  Sat, 28 Nov 2026 12:00:00 +0000\n",
        ] {
            assert!(text.contains(expected), "{text}");
        }
    }
}
