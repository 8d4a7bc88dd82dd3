//! Finds the license texts and notices of a part in its folder.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use spdx::LicenseReq;

/// How the names of such files begin.
const NAMES: [&str; 7] = ["license", "licence", "copying", "unlicense", "notice", "copyright", "ofl"];
/// Parts of file names that say whose text is in them, with the license's id.
const HINTS: [(&str, &str); 6] = [
    ("apache", "Apache-2.0"),
    ("mit", "MIT"),
    ("zlib", "Zlib"),
    ("unlicense", "Unlicense"),
    ("bsd", "BSD"),
    ("boost", "BSL-1.0"),
];

/// Reads the texts of a folder that belong to the chosen licenses. Without a file of its own, a part gets the licenses'
/// standard texts with its authors.
pub fn of_folder(
    name: &str,
    folder: &Path,
    chosen: &[LicenseReq],
    authors: &[String],
) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file()
            && NAMES.iter().any(|start| file.starts_with(start))
            && !is_code(&file)
        {
            files.push((file, entry.path()));
        }
    }
    files.sort();
    let needed: Vec<_> = files.iter().filter(|(file, _)| is_needed(file, chosen)).collect();
    // All of them, if the names mislead.
    let taken = if needed.is_empty() { files.iter().collect() } else { needed };
    let texts: Vec<String> = taken
        .into_iter()
        .map(|(_, path)| {
            let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
        })
        .filter(|text: &Result<String>| text.as_ref().map_or(true, |text| !text.trim().is_empty()))
        .collect::<Result<_>>()?;
    if texts.is_empty() { standard(name, chosen, authors) } else { Ok(texts) }
}

/// Returns the standard texts of licenses, with the authors where each names its holders.
pub fn standard(name: &str, chosen: &[LicenseReq], authors: &[String]) -> Result<Vec<String>> {
    let holders = if authors.is_empty() { format!("the authors of {name}") } else { authors.join(", ") };
    let texts = chosen.iter().map(|license| {
        let Some(id) = license.license.id() else {
            bail!("{name} has no license text, and {license} has no standard one");
        };
        let is_placeholder = |line: &&str| line.to_lowercase().starts_with("copyright (c)");
        let body: Vec<&str> = id.text().lines().filter(|line| !is_placeholder(line)).collect();
        Ok(format!("Copyright (c) {holders}\n\n{}", body.join("\n").trim()))
    });
    texts.collect()
}

fn is_code(file: &str) -> bool {
    [".rs", ".js", ".ts", ".py", ".sh"].iter().any(|end| file.ends_with(end))
}

/// Whether a file has the text of a chosen license, or says nothing about which one it has.
fn is_needed(file: &str, chosen: &[LicenseReq]) -> bool {
    let hints: Vec<&str> =
        HINTS.into_iter().filter(|(part, _)| file.contains(part)).map(|(_, id)| id).collect();
    let names: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    hints.is_empty() || hints.iter().any(|id| names.iter().any(|name| name.starts_with(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(licenses: &[&str]) -> Vec<LicenseReq> {
        licenses.iter().map(|name| spdx::Licensee::parse(name).unwrap().into_req()).collect()
    }

    fn check(files: &[(&str, &str)], licenses: &[&str], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let texts = of_folder("a 1.0.0", folder.path(), &chosen(licenses), &["Ada".into()]).unwrap();
        assert_eq!(texts.len(), expected.len(), "{texts:?}");
        for (text, words) in texts.iter().zip(expected) {
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn the_text_of_the_chosen_license_is_taken_with_every_notice() {
        let both = [
            ("LICENSE-APACHE", "apache"),
            ("LICENSE-MIT", "mit"),
            ("NOTICE", "notice"),
            ("license.rs", "code"),
        ];
        check(&both, &["MIT"], &["mit", "notice"]);
        check(&both, &["Apache-2.0"], &["apache", "notice"]);
        check(&[("LICENCE", "British")], &["MIT"], &["British"]);
        check(&[("COPYING", "both of them")], &["MIT"], &["both of them"]);
        check(&[("LICENSE-APACHE", "only this")], &["MIT"], &["only this"]);
    }

    #[test]
    fn a_part_without_a_file_gets_the_standard_text_with_its_authors() {
        check(
            &[("README.md", "words"), ("LICENSE", " \n")],
            &["BSD-3-Clause"],
            &["Copyright (c) Ada\n\nRedistribution and use"],
        );
        let texts = standard("a 1.0.0", &chosen(&["MIT"]), &[]).unwrap();
        assert!(
            texts[0].starts_with("Copyright (c) the authors of a 1.0.0\n") && !texts[0].contains("<year>"),
            "{texts:?}"
        );
        let own =
            [LicenseReq::from(spdx::license_id("MIT").unwrap()), chosen(&["LicenseRef-own"])[0].clone()];
        assert!(standard("a 1.0.0", &own, &[]).unwrap_err().to_string().contains("LicenseRef-own"));
    }
}
