//! Checks the links of a built site: every file and heading that a page names exists, and nothing is loaded from the network.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind,
    },
};
use walkdir::WalkDir;

pub struct Checked {
    /// Each names a page and what is wrong with one of its links.
    pub problems: Vec<String>,
    /// The files of the site that are named by a page.
    pub files: BTreeSet<PathBuf>,
}

/// What a page names, and what other pages can name in it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    links: Vec<Link>,
    ids: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Link {
    address: String,
    /// A browser follows it only when a user clicks it.
    is_clicked: bool,
}

/// Checks every page and stylesheet below a folder.
pub fn check(site: &Path) -> Result<Checked> {
    let mut pages = BTreeMap::new();
    let mut checked = Checked { problems: Vec::new(), files: BTreeSet::new() };
    for entry in WalkDir::new(site).sort_by_file_name() {
        let path = entry?.into_path();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("html") => {
                let page = parse(&read(&path)?);
                pages.insert(path, page);
            }
            Some("css") => {
                let name = path.strip_prefix(site)?.display().to_string();
                let css = read(&path)?;
                let remote = addresses_in_css(&css).into_iter().filter(|it| is_remote(it));
                checked.problems.extend(remote.map(|it| format!("{name}: {it} is loaded from the network")));
            }
            _ => {}
        }
    }
    for (path, page) in &pages {
        let name = path.strip_prefix(site)?.display();
        for link in &page.links {
            match follow(site, path, link, &pages) {
                Ok(file) => checked.files.extend(file),
                Err(problem) => checked.problems.push(format!("{name}: {} {problem}", link.address)),
            }
        }
    }
    Ok(checked)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the file of the site that a link leads to; none for an address elsewhere.
fn follow(
    site: &Path,
    from: &Path,
    link: &Link,
    pages: &BTreeMap<PathBuf, Page>,
) -> Result<Option<PathBuf>, &'static str> {
    let address = link.address.as_str();
    if is_remote(address) {
        return if link.is_clicked { Ok(None) } else { Err("is loaded from the network") };
    }
    if address.starts_with("mailto:") || address.starts_with("data:") {
        return Ok(None);
    }
    let (file, id) = address.split_once('#').unwrap_or((address, ""));
    let target = if file.is_empty() { from.to_owned() } else { resolved(from, file) };
    if !target.starts_with(site) || !target.is_file() {
        return Err("does not exist");
    }
    let has_id = id.is_empty() || pages.get(&target).is_some_and(|page| page.ids.contains(id));
    if has_id { Ok(Some(target)) } else { Err("names no heading of that page") }
}

fn is_remote(address: &str) -> bool {
    ["http:", "https:", "//"].iter().any(|start| address.starts_with(start))
}

/// Resolves a relative address against the page that contains it.
fn resolved(from: &Path, address: &str) -> PathBuf {
    let folder = from.parent().unwrap_or(from);
    let mut path = PathBuf::new();
    for part in folder.join(address).components() {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path
}

/// Lists the addresses that a stylesheet loads.
fn addresses_in_css(css: &str) -> Vec<&str> {
    let after = |word| css.split(word).skip(1);
    let urls = after("url(").filter_map(|rest| rest.split(')').next());
    let imports = after("@import").filter_map(|rest| rest.split(';').next());
    urls.chain(imports).map(|address| address.trim().trim_matches(['"', '\''])).collect()
}

fn parse(html: &str) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(PageSink::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct PageSink(RefCell<Page>);

impl TokenSink for PageSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        let mut page = self.0.borrow_mut();
        for attribute in &tag.attrs {
            let value = attribute.value.to_string();
            match &*attribute.name.local {
                "id" => _ = page.ids.insert(value),
                "href" | "src" => {
                    page.links.push(Link { address: value, is_clicked: &*tag.name == "a" });
                }
                _ => {}
            }
        }
        // What a script or a style contains looks like tags, but is none.
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headings_are_found_in_tags_alone() {
        let page = parse(
            "<h2 id=\"from-source\">a</h2><a href='b.html#c&amp;d'>b</a><img src=d.png>\
             <script src=\"e.js\">document.write('<a href=\"no.html\" id=\"no\">')</script><!-- <a href=\"no\"> -->",
        );
        let links: Vec<_> = page.links.iter().map(|link| (link.address.as_str(), link.is_clicked)).collect();
        assert_eq!(links, [("b.html#c&d", true), ("d.png", false), ("e.js", false)]);
        assert_eq!(page.ids, BTreeSet::from(["from-source".to_owned()]));
    }

    #[test]
    fn a_site_that_loads_something_from_the_network_has_a_problem_for_each() {
        let site = tempfile::tempdir().unwrap();
        let page =
            "<a href=\"https://example.org\">clicked</a><script src=\"//cdn.example.org/a.js\"></script>";
        fs::write(site.path().join("a.html"), page).unwrap();
        let css = "@import 'https://example.org/a.css'; a { background: url(\"a.png\") url(https://example.org/b) }";
        fs::write(site.path().join("a.css"), css).unwrap();
        let problems = check(site.path()).unwrap().problems;
        assert_eq!(
            problems,
            [
                "a.css: https://example.org/b is loaded from the network",
                "a.css: https://example.org/a.css is loaded from the network",
                "a.html: //cdn.example.org/a.js is loaded from the network",
            ]
        );
    }

    #[test]
    fn no_link_leaves_the_site() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        fs::create_dir(&site).unwrap();
        fs::write(folder.path().join("outside.html"), "").unwrap();
        fs::write(site.join("a.html"), "<a href=\"../outside.html\">a</a><a href=\"#b\">b</a>").unwrap();
        let problems = check(&site).unwrap().problems;
        assert_eq!(
            problems,
            ["a.html: ../outside.html does not exist", "a.html: #b names no heading of that page"]
        );
    }
}
