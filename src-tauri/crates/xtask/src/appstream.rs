//! Writes the AppStream metadata, by which software centers show Askdesk: the template with the releases of the changelog.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::{
    changelog::{self, Block, Release},
    workspace::Workspace,
};

/// The template, and the name of the file where packages install it.
const TEMPLATE: &str = "src-tauri/package/io.github.askdesk.metainfo.xml";
/// What the template has in place of the releases.
const PLACE: &str = "  <releases/>\n";
const DETAILS: &str = "https://github.com/askdesk/askdesk/releases/tag/v";

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

fn entry(release: &Release) -> String {
    let Release { version, date, text } = release;
    let kind = if version.contains('-') { "development" } else { "stable" };
    // Software centers show no Markdown; the page of the release has all of it.
    let about = match changelog::blocks(text).into_iter().next() {
        Some(Block::Paragraph(text)) => {
            format!("      <description>\n        <p>{}</p>\n      </description>\n", escaped(&text))
        }
        _ => String::new(),
    };
    format!(
        "    <release version=\"{version}\" date=\"{date}\" type=\"{kind}\">\n{about}      <url \
         type=\"details\">{DETAILS}{version}</url>\n    </release>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use quick_xml::{Reader, events::Event};

    use super::*;

    /// Reads all text of a document, by the path of the elements around it.
    fn texts(xml: &str) -> BTreeMap<String, Vec<String>> {
        let mut reader = Reader::from_str(xml);
        let (mut path, mut texts) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) => path.push(tag.name().as_ref().to_owned()),
                Event::End(_) => drop(path.pop()),
                Event::Text(text) if !text.is_empty() => {
                    texts.entry(path.join("/")).or_default().push(text.xml10_content().trim().to_owned());
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert!(path.is_empty(), "elements are open at the end: {path:?}");
        texts
    }

    #[test]
    fn the_file_that_packages_install_names_the_app_and_its_releases() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("io.github.askdesk.metainfo.xml");
        write(&Workspace::new(root), &file).unwrap();
        let xml = fs::read_to_string(file).unwrap();
        assert!(xml.contains(&format!("<release version=\"{}\"", env!("CARGO_PKG_VERSION"))), "{xml}");
        let texts = texts(&xml);
        let first = |path: &str| texts[&format!("component/{path}")][0].as_str();
        assert_eq!(first("id"), "io.github.askdesk");
        assert_eq!(first("project_license"), "MIT OR Apache-2.0");
        // Tauri names the desktop entry after the product.
        let config = fs::read_to_string(root.join("tauri.conf.json")).unwrap();
        let config: serde_json::Value = serde_json::from_str(&config).unwrap();
        let product = config["productName"].as_str().unwrap();
        assert_eq!(first("launchable"), format!("{product}.desktop"));
        assert_eq!(first("id"), config["identifier"]);
        assert_eq!(texts["component/summary"].len(), 3);
        assert!(!first("releases/release/description/p").is_empty());
    }

    #[test]
    fn notes_are_escaped_and_a_list_is_left_to_the_page_of_the_release() {
        let text = "## 0.4.0-beta.1 - 2027-01-02\n\n### Added\n\n- x\n\n## 0.3.0 - 2027-01-01\n\nFaster & <smaller>\nthan ever.\n\n- x\n";
        let releases = changelog::releases(text).unwrap();
        let xml = fill("<component>\n  <releases/>\n</component>\n", &releases).unwrap();
        assert!(xml.contains("<p>Faster &amp; &lt;smaller&gt; than ever.</p>"), "{xml}");
        assert!(
            xml.contains("version=\"0.4.0-beta.1\" date=\"2027-01-02\" type=\"development\">\n      <url"),
            "{xml}"
        );
        texts(&xml);
        assert!(fill("<component/>", &releases).unwrap_err().to_string().contains("<releases/>"));
    }
}
