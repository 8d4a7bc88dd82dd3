//! The npm packages that something in the page comes from: scripts, icons, and fonts.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{Part, accepted::Accepted, texts};
use crate::workspace::Workspace;

/// Written by the page's build (`ui/bundledPackages.ts`): folders of packages, relative to `ui`.
pub const LIST: &str = "target/page-packages.json";

#[derive(Debug, Deserialize)]
struct Manifest {
    name: String,
    version: String,
    license: Option<String>,
}

/// Lists the packages of the page that was built last.
pub fn bundled(workspace: &Workspace, accepted: &Accepted) -> Result<Vec<Part>> {
    let list = fs::read_to_string(workspace.root().join(LIST))
        .with_context(|| format!("cannot read {LIST}; run `npm run build` in ui, which writes it"))?;
    let folders: Vec<String> = serde_json::from_str(&list).context(LIST)?;
    if folders.is_empty() {
        bail!("{LIST} names no package");
    }
    let parts = folders.iter().map(|folder| {
        let folder = workspace.root().join("ui").join(folder);
        let file = folder.join("package.json");
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let Manifest { name, version, license } =
            serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?;
        let (title, source) =
            (format!("{name} {version}"), format!("https://www.npmjs.com/package/{name}/v/{version}"));
        let Some(license) = license else { bail!("the npm package {title} names no license") };
        let credit = format!("Copyright (c) the authors of {name}");
        let texts = texts::of_folder(&folder, &accepted.choose(&title, &license)?, &credit)?;
        Ok(Part { name: title, license, source, texts })
    });
    parts.collect()
}
