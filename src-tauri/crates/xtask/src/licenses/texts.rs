//! Finds the license texts and notices of a part in its folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use spdx::LicenseReq;

/// How the names of such files begin.
const NAMES: [&str; 7] = ["license", "licence", "copying", "unlicense", "notice", "copyright", "ofl"];
const CODE: [&str; 5] = [".rs", ".js", ".ts", ".py", ".sh"];

/// Reads the texts of a folder. Without one, a part gets the standard texts of its licenses below a line that names its holders.
pub fn of_folder(folder: &Path, chosen: &[LicenseReq], credit: &str) -> Result<Vec<String>> {
    let texts = read(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    if texts.is_empty() { standard(chosen, credit) } else { Ok(texts) }
}

fn read(folder: &Path) -> io::Result<Vec<String>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.is_file() && is_license(file));
    files.sort();
    let read = |file| Ok(String::from_utf8_lossy(&fs::read(file)?).replace("\r\n", "\n"));
    let mut texts = files.into_iter().map(read).collect::<io::Result<Vec<_>>>()?;
    texts.retain(|text| !text.trim().is_empty());
    Ok(texts)
}

fn is_license(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    NAMES.iter().any(|start| name.starts_with(start)) && !CODE.iter().any(|end| name.ends_with(end))
}

/// Returns the standard texts of licenses below a line that names the holders.
pub fn standard(chosen: &[LicenseReq], credit: &str) -> Result<Vec<String>> {
    let texts = chosen.iter().map(|license| {
        let id = license.license.id().with_context(|| format!("{license} has no standard text"))?;
        let is_placeholder = |line: &&str| line.to_lowercase().starts_with("copyright (c)");
        let body: Vec<&str> = id.text().lines().filter(|line| !is_placeholder(line)).collect();
        Ok(format!("{credit}\n\n{}", body.join("\n").trim()))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let chosen = [LicenseReq::from(spdx::license_id("MIT").unwrap())];
        let texts = of_folder(folder.path(), &chosen, "Copyright (c) Ada").unwrap();
        assert_eq!(texts.len(), expected.len(), "{texts:?}");
        for (text, words) in texts.iter().zip(expected) {
            assert!(text.starts_with(words) && !text.contains("<year>"), "{text}");
        }
    }

    #[test]
    fn every_license_and_notice_is_taken_and_a_part_without_one_gets_the_standard_text() {
        let files =
            [("LICENSE-MIT", "mit"), ("NOTICE", "notice"), ("license.rs", "code"), ("README.md", "words")];
        check(&files, &["mit", "notice"]);
        check(&[("LICENCE", "British"), ("COPYING", " \n")], &["British"]);
        check(&[("README.md", "words")], &["Copyright (c) Ada\n\n"]);
    }
}
