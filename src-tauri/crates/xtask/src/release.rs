//! What the release workflow asks of the source: `cargo xtask release-notes`.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::{changelog, workspace::Workspace};

/// The version of the source.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Where pages of the repository are found from outside it.
const REPOSITORY: &str = "https://github.com/askdesk/askdesk";

/// Prints the section of a version, and refuses a version that is not the one of the source.
pub fn print_notes(workspace: &Workspace, version: &str) -> Result<()> {
    let changelog = fs::read_to_string(workspace.root().join(changelog::FILE)).context(changelog::FILE)?;
    println!("{}", notes(&changelog, version)?);
    Ok(())
}

/// Returns the section of a version, with links that work outside the repository.
fn notes(changelog: &str, version: &str) -> Result<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
    ensure!(version == VERSION, "the version of the source is {VERSION}, not {version}");
    let text = changelog::release(changelog, version)?.text;
    Ok(text.replace("](docs/", &format!("]({REPOSITORY}/blob/v{version}/docs/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_a_tag_are_its_section_with_links_that_work() {
        let changelog = format!("## Unreleased\n\n## {VERSION} - 2026-11-28\n\n- See [it](docs/a.md).\n");
        let expected = format!("- See [it]({REPOSITORY}/blob/v{VERSION}/docs/a.md).");
        assert_eq!(notes(&changelog, &format!("v{VERSION}")).unwrap(), expected);
        assert_eq!(notes(&changelog, VERSION).unwrap(), expected);
    }

    #[test]
    fn a_tag_that_is_not_the_version_of_the_source_is_refused() {
        let error = notes("## 9.9.9 - 2026-11-28\n\n- a\n", "v9.9.9").unwrap_err().to_string();
        assert!(error.contains(VERSION) && error.contains("9.9.9"), "{error}");
        assert!(notes("## Unreleased\n", VERSION).is_err());
    }
}
