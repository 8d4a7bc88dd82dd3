//! The order of modules: no cycles within a crate, and layers within the domain.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, modules::Modules};

const THIS_FILE: &str = "src-tauri/crates/xtask/src/tidy/layers.rs";

/// The layers of the domain, lowest first. A module imports from its own layer and from those below it.
const DOMAIN: [&[&str]; 5] = [
    // Ids, text and small values.
    &[
        "config",
        "do_not_disturb",
        "ended_by",
        "error",
        "id",
        "language",
        "launch_overrides",
        "origin",
        "retention_days",
        "shortcut",
        "text",
        "tool",
        "usage",
    ],
    // What is asked, answered, set and written down.
    &[
        "agent",
        "agent_failure",
        "answer",
        "approval",
        "attachment",
        "draft",
        "inbound",
        "question",
        "question_input",
        "queue",
        "rejection",
        "request",
        "session",
        "session_options",
        "settings",
        "transcript",
    ],
    &["command", "event"],
    // The state that events make, and what reads it.
    &["desk", "undo_window"],
    &["decide", "draft_rules", "notification_policy", "redaction", "retention"],
];

/// Imports that break the order today.
/// The list only shrinks: an entry that breaks nothing any more is a problem too.
pub const KNOWN: &[Known<'_>] = &[];

/// The order that the modules of a crate keep.
pub struct Order<'a> {
    pub layers: &'a [&'a [&'a str]],
    /// Imports that may break it: importing module, imported module.
    pub known: BTreeSet<(&'a str, &'a str)>,
}

impl Order<'_> {
    /// The order of the crate in this folder of `crates`.
    pub fn of(name: &str) -> Self {
        let known = KNOWN.iter().filter(|entry| entry.0 == name).map(|entry| (entry.1, entry.2));
        Order { layers: if name == "domain" { &DOMAIN } else { &[] }, known: known.collect() }
    }

    fn layer_of(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }
}

/// An entry of the list of known breaks: crate, importing module, imported module.
type Known<'a> = (&'a str, &'a str, &'a str);

/// Lists the crates of known breaks that do not exist any more.
pub fn gone(known: &[Known<'_>], crates: &BTreeSet<&str>) -> Vec<Problem> {
    let gone: BTreeSet<&str> =
        known.iter().map(|entry| entry.0).filter(|name| !crates.contains(name)).collect();
    let says = |name| format!("there is no crate {name} any more; take it off the list");
    gone.into_iter().map(|name| Problem::new(THIS_FILE, says(name))).collect()
}

/// Lists imports that point up in the layers of a crate or are part of a cycle.
pub fn problems(modules: &Modules, order: &Order<'_>) -> Vec<Problem> {
    let mut problems = unplaced(modules, order);
    let points_up =
        |from: &str, to: &str| order.layer_of(from).is_some_and(|layer| Some(layer) < order.layer_of(to));
    let mut graph = Graph::new();
    for ((from, to), file) in &modules.imports {
        if order.known.contains(&(from.as_str(), to.as_str())) {
            continue;
        }
        if points_up(from, to) {
            problems.push(Problem::new(file, format!("imports {to}, which is in a layer above {from}")));
        } else {
            graph.entry(from).or_default().insert(to);
        }
    }
    for module in &modules.names {
        // A cycle is told once, at the first of its modules.
        if let Some(cycle) = path(&graph, module, module).filter(|cycle| cycle.iter().all(|it| *it >= module))
        {
            let file = &modules.imports[&(cycle[0].to_owned(), cycle[1].to_owned())];
            problems.push(Problem::new(file, format!("closes a cycle of modules: {}", cycle.join(" → "))));
        }
    }
    for (from, to) in &order.known {
        let imports = modules.imports.contains_key(&((*from).to_owned(), (*to).to_owned()));
        if !imports || !(points_up(from, to) || path(&graph, to, from).is_some()) {
            problems.push(Problem::new(
                THIS_FILE,
                format!("{from} → {to} breaks no order any more; take it off the list"),
            ));
        }
    }
    problems
}

/// Lists modules without a layer, and layers of modules that do not exist.
fn unplaced(modules: &Modules, order: &Order<'_>) -> Vec<Problem> {
    let placed: BTreeSet<&str> = order.layers.iter().copied().flatten().copied().collect();
    if placed.is_empty() {
        return Vec::new();
    }
    let existing: BTreeSet<&str> = modules.names.iter().map(String::as_str).collect();
    let missing =
        existing.difference(&placed).map(|name| format!("the module {name} has no layer; give it one"));
    let gone =
        placed.difference(&existing).map(|name| format!("there is no module {name} any more; delete it"));
    missing.chain(gone).map(|says| Problem::new(THIS_FILE, says)).collect()
}

type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Finds a shortest path with at least one import.
fn path<'a>(graph: &Graph<'a>, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut paths = vec![vec![from]];
    let mut reached = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in path.last().and_then(|last| graph.get(last)).into_iter().flatten() {
                let path = [path.as_slice(), &[*next]].concat();
                if *next == to {
                    return Some(path);
                }
                if reached.insert(*next) {
                    longer.push(path);
                }
            }
        }
        paths = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: &[&[&str]] = &[&["id"], &["answer", "request"], &["decide"]];

    fn check(imports: &[(&str, &str)], layers: &[&[&str]], known: &[(&str, &str)], expected: &[&str]) {
        let edges = imports.iter().map(|(from, to)| (((*from).into(), (*to).into()), format!("{from}.rs")));
        let modules = Modules {
            names: imports.iter().flat_map(|(from, to)| [*from, *to]).map(str::to_owned).collect(),
            imports: edges.collect(),
        };
        let found = problems(&modules, &Order { layers, known: known.iter().copied().collect() });
        let found: Vec<String> = found.iter().map(Problem::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, words) in found.iter().zip(expected) {
            assert!(found.contains(words), "{found}");
        }
    }

    #[test]
    fn a_cycle_of_modules_fails() {
        check(&[("a", "b"), ("b", "c"), ("a", "c")], &[], &[], &[]);
        check(&[("a", "b"), ("b", "a")], &[], &[], &["a.rs: closes a cycle of modules: a → b → a"]);
        check(&[("b", "c"), ("c", "d"), ("d", "b"), ("b", "a")], &[], &[], &["b → c → d → b"]);
    }

    #[test]
    fn an_import_from_a_layer_above_fails() {
        let down = [("decide", "request"), ("decide", "id"), ("request", "answer"), ("answer", "id")];
        check(&down, LAYERS, &[], &[]);
        let up = [down.as_slice(), &[("id", "decide")]].concat();
        check(&up, LAYERS, &[], &["id.rs: imports decide, which is in a layer above id"]);
        let round = [down.as_slice(), &[("answer", "request")]].concat();
        check(&round, LAYERS, &[], &["cycle of modules: answer → request → answer"]);
    }

    #[test]
    fn every_module_has_a_layer_and_every_layer_its_modules() {
        check(&[("decide", "draft")], &[&["decide"]], &[], &["draft has no layer"]);
        check(&[("decide", "id")], &[&["id", "text"], &["decide"]], &[], &["no module text"]);
    }

    #[test]
    fn the_list_of_known_breaks_only_shrinks() {
        check(&[("a", "b"), ("b", "a")], &[], &[("b", "a")], &[]);
        check(&[("a", "b")], &[], &[("b", "a")], &["b → a breaks no order any more"]);
        check(&[("a", "b")], &[], &[("a", "b")], &["a → b breaks no order any more"]);
        let up = [("id", "decide"), ("decide", "request"), ("request", "answer")];
        check(&up, LAYERS, &[("id", "decide")], &[]);
        let known = [("domain", "id", "decide"), ("store", "a", "b")];
        assert_eq!(gone(&known, &BTreeSet::from(["domain"])).len(), 1);
    }
}
