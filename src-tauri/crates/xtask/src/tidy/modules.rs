//! The dependencies between the top-level modules of a crate, read from the tokens of its sources.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};

use super::{sources::product_lines, tree::Source};

/// The top-level modules of one crate. Tests are left out: they may import anything.
#[derive(Debug, Default)]
pub struct Modules {
    pub names: BTreeSet<String>,
    /// Which module imports which, with the first file that does so.
    pub imports: BTreeMap<(String, String), String>,
}

struct File<'a> {
    path: &'a str,
    /// The path of its module; empty for the root of the crate.
    module: Vec<&'a str>,
    tokens: Vec<TokenTree>,
}

/// Reads the modules below a folder such as `src-tauri/crates/engine/src/`.
pub fn modules(folder: &str, sources: &[Source]) -> Result<Modules> {
    let mut files = Vec::new();
    for source in sources.iter().filter(|source| source.kind() == "rs" && !source.is_test()) {
        let Some(path) = source.path.strip_prefix(folder).filter(|path| !path.starts_with("bin/")) else {
            continue;
        };
        let text: Vec<&str> = source.text.lines().take(product_lines(source)).collect();
        let tokens = text.join("\n").parse::<TokenStream>();
        let tokens = tokens.map_err(|error| anyhow!("cannot read {}: {error}", source.path))?;
        let module = match path.trim_end_matches(".rs") {
            "lib" | "main" => Vec::new(),
            module => module.split('/').collect(),
        };
        files.push(File { path: &source.path, module, tokens: tokens.into_iter().collect() });
    }
    let names: BTreeSet<String> =
        files.iter().filter_map(|file| Some((*file.module.first()?).to_owned())).collect();

    // What the root of the crate exports again counts for the module it comes from.
    let mut homes = BTreeMap::new();
    for root in files.iter().filter(|file| file.module.is_empty()) {
        for path in root.tokens.split(|token| is_punct(token, ';')) {
            let home = path.iter().filter_map(ident).find(|name| names.contains(name));
            if let Some(home) = home.filter(|_| path.iter().filter_map(ident).any(|word| word == "use")) {
                let exported = path.last().map_or_else(Vec::new, leaves);
                homes.extend(exported.into_iter().map(|name| (name, home.clone())));
            }
        }
    }
    let mut imports = BTreeMap::new();
    for file in &files {
        let Some(from) = file.module.first() else { continue };
        let mut used = Vec::new();
        names_at_root(&file.tokens, file.module.len(), &mut used);
        for name in used {
            let to = if names.contains(&name) { Some(&name) } else { homes.get(&name) };
            if let Some(to) = to.filter(|to| to != from) {
                imports.entry(((*from).to_owned(), to.clone())).or_insert_with(|| file.path.to_owned());
            }
        }
    }
    Ok(Modules { names, imports })
}

/// Collects what follows each `crate::`, and each chain of `super::` that reaches the root from a module of this depth.
fn names_at_root(tokens: &[TokenTree], depth: usize, found: &mut Vec<String>) {
    let mut supers = 0;
    for (index, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            names_at_root(&group.stream().into_iter().collect::<Vec<_>>(), depth, found);
        }
        let at_root = match ident(token).as_deref() {
            Some("crate") => true,
            Some("super") => {
                supers += 1;
                supers == depth
            }
            _ => {
                supers = if is_punct(token, ':') { supers } else { 0 };
                false
            }
        };
        let path = tokens
            .get(index + 1..index + 4)
            .filter(|next| is_punct(&next[0], ':') && is_punct(&next[1], ':'));
        match path.filter(|_| at_root).map(|next| &next[2]) {
            Some(TokenTree::Group(group)) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                found.extend(
                    tokens.split(|token| is_punct(token, ',')).filter_map(|path| ident(path.first()?)),
                );
            }
            Some(name) => found.extend(ident(name)),
            None => {}
        }
    }
}

/// The names that the end of a `use` brings in.
fn leaves(token: &TokenTree) -> Vec<String> {
    let TokenTree::Group(group) = token else { return ident(token).into_iter().collect() };
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    tokens.split(|token| is_punct(token, ',')).filter_map(<[_]>::last).flat_map(leaves).collect()
}

fn ident(token: &TokenTree) -> Option<String> {
    let TokenTree::Ident(ident) = token else { return None };
    Some(ident.to_string())
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: format!("x/src/{path}"), text: text.into(), declared_for_tests: false }
    }

    fn check(files: &[(&str, &str)], expected: &[(&str, &str)]) {
        let sources: Vec<Source> = files.iter().map(|(path, text)| source(path, text)).collect();
        let found = modules("x/src/", &sources).unwrap();
        let found: Vec<(&str, &str)> =
            found.imports.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn imports_and_paths_in_expressions_count() {
        let (b, c) = (("b.rs", ""), ("c.rs", ""));
        check(&[("a.rs", "use crate::{b::{One, Two}, c as d};"), b, c], &[("a", "b"), ("a", "c")]);
        check(&[("a.rs", "fn a() { println!(\"{}\", crate::b::one()); }"), b], &[("a", "b")]);
        check(&[("a.rs", "pub(crate) fn a() {} // crate::b"), b], &[]);
        check(&[("a.rs", "const A: &str = \"crate::b\";"), b], &[]);
    }

    #[test]
    fn only_supers_up_to_the_root_lead_out_of_a_module() {
        let (b, a) = (("b.rs", ""), ("a.rs", ""));
        check(&[("a.rs", "use super::b;"), b], &[("a", "b")]);
        check(&[("a/inner.rs", "use super::b;"), a, b], &[]);
        check(&[("a/inner.rs", "fn c() { super::super::b::d() }"), a, b], &[("a", "b")]);
    }

    #[test]
    fn what_the_root_exports_counts_for_its_module() {
        let root = ("lib.rs", "pub mod a;\npub mod b;\npub use b::{One, Two as Three};\nuse crate::b::four;");
        for name in ["One", "Three", "four"] {
            check(&[root, ("a.rs", &format!("use crate::{name};")), ("b.rs", "")], &[("a", "b")]);
        }
        check(&[root, ("a.rs", "use crate::Two;"), ("b.rs", "")], &[]);
    }

    #[test]
    fn tests_may_import_anything() {
        let tests = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n";
        check(&[("a.rs", tests), ("b.rs", ""), ("c/tests.rs", "use crate::b;")], &[]);
    }
}
