//! The dependencies between the modules of a crate, read from the tokens of its sources.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};

use super::{sources::product_lines, tree::Source};

/// The modules of one crate, by their paths. Tests are left out: they may import anything.
#[derive(Debug, Default)]
pub struct Modules {
    pub names: BTreeSet<String>,
    /// Which module imports which, with the first file that does so. An import counts for the two modules side by side
    /// that it leads from and to: a module and those inside it may use each other.
    pub imports: BTreeMap<(String, String), String>,
}

/// The words of a path from the root of the crate.
type Words = Vec<String>;

struct File<'a> {
    path: &'a str,
    /// The path of its module; empty for the root of the crate.
    module: Words,
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
            module => module.split('/').map(str::to_owned).collect(),
        };
        files.push(File { path: &source.path, module, tokens: tokens.into_iter().collect() });
    }
    let own: BTreeMap<Words, Words> =
        files.iter().map(|file| (file.module.clone(), file.module.clone())).collect();

    // What a module imports, and so may export again, counts for the module it comes from.
    let mut homes = own.clone();
    for file in &files {
        for statement in file.tokens.split(|token| is_punct(token, ';')) {
            let start = statement.iter().position(|token| ident(token).as_deref() == Some("use"));
            let mut used = Vec::new();
            follow(start.map_or(&[], |start| &statement[start + 1..]), &file.module, &mut used);
            for (path, name) in used {
                let exported = [file.module.as_slice(), &[name]].concat();
                homes.entry(exported).or_insert_with(|| home(&own, &path));
            }
        }
    }
    let mut imports = BTreeMap::new();
    for file in &files {
        let mut used = Vec::new();
        paths(&file.tokens, &file.module, &mut used);
        for (path, _) in used {
            let (from, to) = (&file.module, home(&homes, &path));
            let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
            if let (Some(from), Some(to)) = (from.get(..=common), to.get(..=common)) {
                imports.entry((from.join("::"), to.join("::"))).or_insert_with(|| file.path.to_owned());
            }
        }
    }
    let names = own.keys().filter(|path| !path.is_empty()).map(|path| path.join("::")).collect();
    Ok(Modules { names, imports })
}

/// The module that a path leads to; the root of the crate where no module is known.
fn home(homes: &BTreeMap<Words, Words>, path: &[String]) -> Words {
    (1..=path.len()).rev().find_map(|most| homes.get(&path[..most])).cloned().unwrap_or_default()
}

/// Collects each path that begins with `crate` or `super`, in a module.
fn paths(tokens: &[TokenTree], module: &[String], found: &mut Vec<(Words, String)>) {
    for (index, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            paths(&group.stream().into_iter().collect::<Vec<_>>(), module, found);
        }
        let begins = index == 0 || !is_punct(&tokens[index - 1], ':');
        if begins && matches!(ident(token).as_deref(), Some("crate" | "super")) {
            follow(&tokens[index..], module, found);
        }
    }
}

/// Follows the path or the tree of paths that begins here, seen from a module; with the name under which each is imported.
fn follow(tokens: &[TokenTree], module: &[String], found: &mut Vec<(Words, String)>) {
    if let Some(TokenTree::Group(group)) = tokens.first() {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        return tokens.split(|token| is_punct(token, ',')).for_each(|path| follow(path, module, found));
    }
    let Some(word) = tokens.first().and_then(ident) else { return };
    let path = match word.as_str() {
        "crate" => Vec::new(),
        "super" => module[..module.len().saturating_sub(1)].to_vec(),
        "self" => module.to_vec(),
        _ => [module, std::slice::from_ref(&word)].concat(),
    };
    match &tokens[1..] {
        [a, b, rest @ ..] if is_punct(a, ':') && is_punct(b, ':') => follow(rest, &path, found),
        [a, name, ..] if ident(a).as_deref() == Some("as") => {
            found.extend(ident(name).map(|name| (path, name)));
        }
        _ => found.extend(path.last().cloned().map(|name| (path, name))),
    }
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
    fn inner_modules_import_each_other_like_those_at_the_root() {
        let (a, b) = (("a.rs", "mod b; mod c; pub use c::{One, d::Two as Three};"), ("b.rs", ""));
        let (inner, other) = (("a/b.rs", ""), ("a/c.rs", "use super::{super::b::e, b};"));
        check(&[a, b, inner, other], &[("a", "b"), ("a::c", "a::b")]);
        for name in ["c::f", "One", "Three"] {
            check(
                &[a, ("a/b.rs", &format!("fn g() {{ super::{name}() }}")), ("a/c.rs", "")],
                &[("a::b", "a::c")],
            );
        }
        // A module and those inside it may use each other, and what it does not own is not its part.
        check(&[a, ("a/b.rs", "use super::{Four, Two}; use crate::a::b::g;"), ("a/c.rs", "")], &[]);
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
