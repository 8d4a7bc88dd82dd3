//! What the built guide contains besides its own pages: mdBook's theme, scripts of others in it, and icons.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};

use super::{
    Part,
    accepted::Accepted,
    crates::{Metadata, first_comment},
    texts,
};
use crate::workspace::files_below;

/// The crate with the theme.
const THEME: &str = "mdbook-html";
/// The crate with the icons, and the folder in it with their license.
const ICONS: (&str, &str) = ("font-awesome-as-a-crate", "fontawesome-free-6.2.0-desktop");
/// Folders of the theme with scripts that pages load.
const SCRIPTS: [&str; 2] = ["front-end/js", "front-end/searcher"];
/// Licenses that those scripts name in their first comment.
const LICENSES: [&str; 2] = ["MIT", "BSD-3-Clause"];

/// Lists the theme, its scripts, and the icons.
pub fn scripts(metadata: &Metadata, accepted: &Accepted) -> Result<Vec<Part>> {
    let theme = metadata.package(THEME, None)?;
    let icons = metadata.package(ICONS.0, None)?;
    let mut parts =
        vec![theme.part(accepted, theme.folder())?, icons.part(accepted, &icons.folder().join(ICONS.1))?];
    for folder in SCRIPTS {
        for file in files_below(&theme.folder().join(folder), &[])? {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            parts.extend(script(&file, &text, &parts[0].source, accepted)?);
        }
    }
    Ok(parts)
}

/// Reads who wrote a script and under which license; none if it belongs to the theme.
fn script(file: &Path, text: &str, source: &str, accepted: &Accepted) -> Result<Option<Part>> {
    let Some(comment) = first_comment(text).filter(|comment| comment.to_lowercase().contains("licen")) else {
        return Ok(None);
    };
    let title = comment.lines().next().unwrap_or_default().to_owned();
    let Some(license) = LICENSES.into_iter().find(|license| comment.contains(license)) else {
        bail!("{} has a license that xtask doesn't know: {comment}", file.display());
    };
    let texts = texts::standard(&accepted.choose(&title, license)?, &comment)?;
    Ok(Some(Part { name: title, license: license.to_owned(), source: source.to_owned(), texts }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_theme_scripts_and_icons_are_found_with_their_holders() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let metadata = Metadata::read(&crate::workspace::Workspace::new(root)).unwrap();
        let accepted = Accepted::read(include_str!("../../../../../deny.toml")).unwrap();
        let parts = scripts(&metadata, &accepted).unwrap();
        for (name, words) in [
            ("mdbook-html", "Mozilla Public License"),
            ("font-awesome", "Font Awesome Free"),
            ("clipboard.js", "Zeno Rocha"),
            ("elasticlunr", "Oliver Nightingale"),
            ("mark.js", "Kühnel"),
            ("Highlight.js", "Ivan Sagalaev"),
        ] {
            let part = parts.iter().find(|part| part.name.starts_with(name));
            assert!(part.is_some_and(|part| part.texts[0].contains(words)), "{name}: {part:?}");
        }
        let strange =
            script(Path::new("a.js"), "/* a, licensed by hand */", "", &accepted).unwrap_err().to_string();
        assert!(strange.contains("a.js has a license that xtask doesn't know"), "{strange}");
    }
}
