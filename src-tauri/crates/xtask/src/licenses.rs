//! Writes one text with the license of Askdesk and those of everything that its packages contain.
//!
//! It is made from what is linked and bundled, so nobody keeps a list: crates from cargo's own tree, packages of the page from
//! the list that its build writes, and scripts of the guide from their first comment.

mod accepted;
mod crates;
mod guide;
mod page;
mod texts;

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};

use crate::{steps::Steps, workspace::Workspace};
use accepted::Accepted;
pub use page::LIST as PAGE_LIST;

/// A part that somebody else wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    name: String,
    /// What its authors say, as an SPDX expression.
    license: String,
    /// Where its source is.
    source: String,
    /// License texts and notices; never empty.
    texts: Vec<String>,
}

const OWN_TEXTS: [&str; 3] = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];

/// Collects all licenses and writes them to a file. The page and the guide must have been built.
pub fn write(workspace: &Workspace, steps: &mut Steps, to: &Path) -> Result<()> {
    steps.try_run("collect the licenses of everything that packages contain", || {
        let read = |file: &str| fs::read_to_string(workspace.root().join(file)).context(file.to_owned());
        let accepted = Accepted::read(&read("deny.toml")?)?;
        let metadata = crates::Metadata::read(workspace)?;
        let mut parts = crates::linked(workspace, &metadata, &accepted)?;
        parts.extend(page::bundled(workspace, &accepted)?);
        parts.extend(guide::scripts(&metadata, &accepted)?);
        let own = OWN_TEXTS.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        fs::write(to, document(env!("CARGO_PKG_VERSION"), &own, &parts))
            .with_context(|| format!("cannot write {}", to.display()))?;
        eprintln!("licenses of {} parts are in {}", parts.len(), to.display());
        Ok(())
    })
}

/// Lists all parts, then each text once, with the parts that have it.
fn document(version: &str, own: &[String], parts: &[Part]) -> String {
    let mut text = format!(
        "Askdesk {version}\nSource: https://github.com/askdesk/askdesk\n\n{}\n\n{RULE}\nAskdesk contains the work of others:\n\n",
        own.iter().map(|own| own.trim()).collect::<Vec<_>>().join("\n\n----\n\n"),
    );
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for part in parts {
        text.push_str(&format!("{}: {}\n    {}\n", part.name, part.license, part.source));
        for license in &part.texts {
            by_text.entry(license.trim()).or_default().push(&part.name);
        }
    }
    let mut groups: Vec<_> = by_text.into_iter().collect();
    groups.sort_by(|(_, some), (_, others)| some.cmp(others));
    for (license, names) in groups {
        text.push_str(&format!("\n{RULE}\n{}\n\n{license}\n", names.join(", ")));
    }
    text
}

const RULE: &str = "================================================================================";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_several_parts_share_is_printed_once_with_all_their_names() {
        let part = |name: &str, texts: &[&str]| Part {
            name: name.into(),
            license: "MIT".into(),
            source: format!("https://example.org/{name}"),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        };
        let parts = [
            part("b 1.0.0", &["Copyright B\n"]),
            part("a 2.0.0", &["Copyright A", "Notice"]),
            part("c 3.0.0", &["Copyright B"]),
        ];
        let text = document("0.2.0", &["Own words.".into()], &parts);
        assert!(text.starts_with("Askdesk 0.2.0\n") && text.contains("\nOwn words.\n"), "{text}");
        assert_eq!(text.matches("Copyright B").count(), 1, "{text}");
        assert!(text.contains("b 1.0.0, c 3.0.0\n\nCopyright B\n"), "{text}");
        assert!(text.contains("a 2.0.0: MIT\n    https://example.org/a 2.0.0\n"), "{text}");
        assert!(text.contains("a 2.0.0\n\nNotice\n"), "{text}");
    }
}
