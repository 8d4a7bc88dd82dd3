//! Builds the site: mdBook renders the pages, and every link is checked.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Error, Result, bail};
use mdbook_driver::{MDBook, book::BookItem};
use walkdir::WalkDir;

use crate::links::{self, Checked};

/// The folder of the guide's pages, below the docs. Each of them belongs in the table of contents.
const PAGES: &str = "guide";
/// Where the site opens; it has the address of the page itself.
const FIRST: &str = "guide/index.html";
/// A file that every site has; a folder with it may be replaced.
const MARK: &str = "toc.html";

/// Builds the site from the docs, and returns how many pages it has.
pub fn build(docs: &Path, out: &Path) -> Result<usize> {
    refuse_other_files(out)?;
    let mut book = MDBook::load(docs).map_err(|error| readable(&error))?;
    let pages = listed_pages(&book);
    require_listed(docs, &pages)?;
    book.config.build.build_dir = out.to_owned();
    book.build().map_err(|error| readable(&error))?;
    // mdBook repeats the first page here, with links that only work one folder down.
    fs::write(out.join("index.html"), forwarding())?;
    let Checked { problems, files } = links::check(out)?;
    if !problems.is_empty() {
        bail!("the guide has broken links:\n  {}", problems.join("\n  "));
    }
    remove_unlinked(docs, out, &files)?;
    Ok(pages.len())
}

/// mdBook empties the folder that it writes to.
fn refuse_other_files(out: &Path) -> Result<()> {
    let is_empty = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !out.exists(),
    };
    if is_empty || out.join(MARK).is_file() {
        return Ok(());
    }
    bail!("{} contains other files; choose a new or empty folder", out.display())
}

/// The source files of all pages, relative to the docs.
fn listed_pages(book: &MDBook) -> BTreeSet<PathBuf> {
    book.iter()
        .filter_map(|item| match item {
            BookItem::Chapter(chapter) => chapter.source_path.clone(),
            _ => None,
        })
        .collect()
}

fn require_listed(docs: &Path, listed: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in WalkDir::new(docs.join(PAGES)).sort_by_file_name() {
        let path = entry?.into_path();
        let page = path.strip_prefix(docs)?;
        if path.extension().is_some_and(|ending| ending == "md") && !listed.contains(page) {
            bail!("{} is missing in {}", page.display(), docs.join("SUMMARY.md").display());
        }
    }
    Ok(())
}

fn forwarding() -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Askdesk guide</title>\n\
         <meta http-equiv=\"refresh\" content=\"0; url={FIRST}\">\n<p><a href=\"{FIRST}\">Askdesk guide</a></p>\n"
    )
}

/// mdBook copies every file of the docs; only those that a page uses belong in the site.
fn remove_unlinked(docs: &Path, out: &Path, linked: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in WalkDir::new(docs).contents_first(true) {
        let entry = entry?;
        let path = out.join(entry.path().strip_prefix(docs)?);
        if entry.file_type().is_dir() {
            // Folders that are not empty are kept.
            let _ = fs::remove_dir(&path);
        } else if path.is_file() && !linked.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// mdBook's error, with its causes in one line.
fn readable(error: &mdbook_driver::errors::Error) -> Error {
    Error::msg(format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = "[book]\ntitle = \"Guide\"\nsrc = \".\"\n[build]\ncreate-missing = false\n\
        [output.html]\ninput-404 = \"\"\n";

    /// Writes docs with two pages, and then the given files.
    fn docs(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let own = [
            ("book.toml", BOOK),
            ("SUMMARY.md", "[Guide](guide/README.md)\n- [Install](guide/install.md)\n"),
            ("guide/README.md", "# Guide\n\n[install](install.md#from-source)\n"),
            ("guide/install.md", "# Install\n\n## From source\n\n![a](../pictures/a.png)\n"),
            ("pictures/a.png", "used"),
            ("pictures/gallery/b.png", "unused"),
            ("decisions/0001-a.md", "# Not a page\n"),
        ];
        for (name, text) in own.iter().chain(files) {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    fn built(docs: &Path) -> (tempfile::TempDir, Result<usize>) {
        let out = tempfile::tempdir().unwrap();
        let result = build(docs, out.path());
        (out, result)
    }

    #[test]
    fn the_guide_builds_with_search_and_pictures() {
        let (out, pages) = built(&crate::docs().unwrap());
        let pages = pages.unwrap();
        assert!(pages > 15, "{pages}");
        let search = fs::read_to_string(out.path().join("searchindex.js")).unwrap();
        assert!(search.contains("guide/install.html") && search.contains("cargo xtask run"));
        let first = fs::read_to_string(out.path().join(FIRST)).unwrap();
        assert!(first.contains("Content-Security-Policy") && first.contains("connect-src 'none'"));
        let picture = |name: &str| out.path().join("pictures").join(name);
        assert!(picture("first-screen.png").is_file());
        for left_out in [picture("gallery"), out.path().join("book.toml"), out.path().join("decisions")] {
            assert!(!left_out.exists(), "{}", left_out.display());
        }
    }

    #[test]
    fn only_files_that_a_page_uses_are_in_the_site() {
        let docs = docs(&[]);
        let (out, pages) = built(docs.path());
        assert_eq!(pages.unwrap(), 2);
        assert!(out.path().join("pictures/a.png").is_file() && out.path().join(FIRST).is_file());
        assert!(!out.path().join("pictures/gallery").exists() && !out.path().join("decisions").exists());
        let again = build(docs.path(), out.path());
        assert_eq!(again.unwrap(), 2);
    }

    #[test]
    fn a_broken_link_a_missing_picture_and_an_unlisted_page_are_errors() {
        for (name, text, says) in [
            ("guide/README.md", "[a](instal.md)", "guide/index.html: instal.html"),
            ("guide/README.md", "[a](install.md#nowhere)", "install.html#nowhere"),
            ("guide/README.md", "![a](../pictures/none.png)", "../pictures/none.png"),
            ("guide/README.md", "[a](../decisions/0001-a.md)", "0001-a"),
            ("guide/README.md", "![a](https://example.org/a.png)", "https://example.org/a.png"),
            ("guide/extra/new.md", "# New", "new.md is missing in"),
            ("SUMMARY.md", "[Guide](guide/README.md)\n- [Install](guide/instal.md)\n", "instal.md"),
        ] {
            let (_out, result) = built(docs(&[(name, text)]).path());
            let error = format!("{:#}", result.unwrap_err());
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn a_folder_with_other_files_is_left_alone() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join("thesis.txt"), "mine").unwrap();
        let error = build(docs(&[]).path(), out.path()).unwrap_err().to_string();
        assert!(error.contains("contains other files"), "{error}");
        assert!(out.path().join("thesis.txt").is_file());
    }
}
