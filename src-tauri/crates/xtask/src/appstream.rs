//! Writes the AppStream metadata, by which software centers show Askdesk: the template with the releases of the changelog.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::{
    changelog::{self, PAGE, Release},
    workspace::Workspace,
};

/// The template, and the name of the file where packages install it.
const TEMPLATE: &str = "src-tauri/package/io.github.askdesk.metainfo.xml";
/// What the template has in place of the releases.
const PLACE: &str = "  <releases/>\n";

/// Writes the metadata to a file.
pub fn write(workspace: &Workspace, to: &Path) -> Result<()> {
    let template = fs::read_to_string(workspace.root().join(TEMPLATE)).context(TEMPLATE)?;
    let filled = fill(&template, &changelog::read(workspace)?)?;
    fs::write(to, filled).with_context(|| format!("cannot write {}", to.display()))
}

fn fill(template: &str, releases: &[Release]) -> Result<String> {
    let (before, after) = template
        .split_once(PLACE)
        .with_context(|| format!("{TEMPLATE} has no line `{}` to fill", PLACE.trim()))?;
    let entries: String = releases.iter().map(entry).collect();
    Ok(format!("{before}  <releases>\n{entries}  </releases>\n{after}"))
}

/// The page of the release says what is new: software centers show no Markdown.
fn entry(Release { version, date, .. }: &Release) -> String {
    let kind = if version.contains('-') { "development" } else { "stable" };
    format!(
        "    <release version=\"{version}\" date=\"{date}\" type=\"{kind}\">\n      <url \
         type=\"details\">{PAGE}{version}</url>\n    </release>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_packages_install_names_the_app_and_its_releases() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("io.github.askdesk.metainfo.xml");
        write(&Workspace::new(root), &file).unwrap();
        let xml = fs::read_to_string(file).unwrap();
        let config = fs::read_to_string(root.join("tauri.conf.json")).unwrap();
        let config: serde_json::Value = serde_json::from_str(&config).unwrap();
        let of = |name: &str| config[name].as_str().unwrap().to_owned();
        for part in [
            format!("<id>{}</id>", of("identifier")),
            // Tauri names the desktop entry after the product.
            format!("<launchable type=\"desktop-id\">{}.desktop</launchable>", of("productName")),
            format!("<release version=\"{}\" date=", env!("CARGO_PKG_VERSION")),
        ] {
            assert!(xml.contains(&part), "{part} is not in {xml}");
        }
    }

    #[test]
    fn each_release_has_its_kind_and_its_page() {
        let releases = changelog::releases("## 0.4.0-beta.1 - 2027-01-02\n\n- x\n").unwrap();
        let xml = fill("<component>\n  <releases/>\n</component>\n", &releases).unwrap();
        assert_eq!(
            xml,
            "<component>\n  <releases>\n    <release version=\"0.4.0-beta.1\" date=\"2027-01-02\" type=\"development\">\n      <url \
             type=\"details\">https://github.com/askdesk/askdesk/releases/tag/v0.4.0-beta.1</url>\n    </release>\n  </releases>\n</component>\n"
        );
        assert!(fill("<component/>", &releases).unwrap_err().to_string().contains("<releases/>"));
    }
}
