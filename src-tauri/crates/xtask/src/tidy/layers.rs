//! The order of modules: no cycles between modules side by side in a crate, and layers within the domain.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, modules::Modules};

const THIS_FILE: &str = "src-tauri/crates/xtask/src/tidy/layers.rs";

/// The layers of the domain, lowest first. A module imports from its own layer and from those below it.
const DOMAIN: [&[&str]; 5] = [
    // Ids, text and small values.
    &[
        "acting_line",
        "agent_command",
        "answer_bounds",
        "command_template",
        "budget",
        "config",
        "do_not_disturb",
        "ended_by",
        "error",
        "helper",
        "id",
        "language",
        "launch_overrides",
        "origin",
        "permission_rule",
        "preferred_program",
        "programs",
        "retention_days",
        "setup_command",
        "shortcut",
        "text",
        "tool",
        "usage",
        "worktree",
    ],
    // What is asked, answered, set and written down.
    &[
        "agent",
        "agent_failure",
        "agent_version",
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
        "session_name",
        "session_options",
        "settings",
        "transcript",
    ],
    &["command", "event"],
    // The state that events make, and what reads it.
    &["desk", "undo_window"],
    &["decide", "draft_rules", "notification_policy", "pending", "redaction", "retention"],
];

/// Layers of modules, lowest first.
type Layers<'a> = &'a [&'a [&'a str]];

/// The layers of the crate in this folder of `crates`; none where only cycles are checked.
pub fn of(name: &str) -> Layers<'static> {
    if name == "domain" { &DOMAIN } else { &[] }
}

/// Lists imports that point up in the layers of a crate or are part of a cycle.
pub fn problems(modules: &Modules, layers: Layers<'_>) -> Vec<Problem> {
    let mut problems = unplaced(modules, layers);
    let layer_of = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let mut graph = Graph::new();
    for ((from, to), file) in &modules.imports {
        if layer_of(from).is_some_and(|layer| Some(layer) < layer_of(to)) {
            problems.push(Problem::new(file, format!("imports {to}, which is in a layer above {from}")));
        } else {
            graph.entry(from).or_default().insert(to);
        }
    }
    for module in &modules.names {
        // A cycle is reported once, at the first of its modules.
        if let Some(cycle) =
            path(&graph, module, module).filter(|cycle| cycle.iter().all(|it| *it >= module.as_str()))
        {
            let file = &modules.imports[&(cycle[0].to_owned(), cycle[1].to_owned())];
            problems.push(Problem::new(file, format!("closes a cycle of modules: {}", cycle.join(" → "))));
        }
    }
    problems
}

/// Lists modules without a layer, and layers of modules that do not exist.
fn unplaced(modules: &Modules, layers: Layers<'_>) -> Vec<Problem> {
    if layers.is_empty() {
        return Vec::new();
    }
    let placed: BTreeSet<&str> = layers.concat().into_iter().collect();
    let existing: BTreeSet<&str> =
        modules.names.iter().map(String::as_str).filter(|name| !name.contains("::")).collect();
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
    use super::super::assert_problems;
    use super::*;

    const LAYERS: Layers<'_> = &[&["id"], &["answer", "request"], &["decide"]];

    fn check(imports: &[(&str, &str)], layers: Layers<'_>, expected: &[&str]) {
        let edges = imports.iter().map(|(from, to)| (((*from).into(), (*to).into()), format!("{from}.rs")));
        let modules = Modules {
            names: imports.iter().flat_map(|(from, to)| [*from, *to]).map(str::to_owned).collect(),
            imports: edges.collect(),
        };
        assert_problems(&problems(&modules, layers), expected);
    }

    #[test]
    fn a_cycle_of_modules_fails() {
        check(&[("a", "b"), ("b", "c"), ("a", "c")], &[], &[]);
        check(&[("a", "b"), ("b", "a")], &[], &["a.rs: closes a cycle of modules: a → b → a"]);
        check(&[("b", "c"), ("c", "d"), ("d", "b"), ("b", "a")], &[], &["b → c → d → b"]);
    }

    #[test]
    fn an_import_from_a_layer_above_fails() {
        let down = [("decide", "request"), ("decide", "id"), ("request", "answer"), ("answer", "id")];
        check(&down, LAYERS, &[]);
        let up = [down.as_slice(), &[("id", "decide")]].concat();
        check(&up, LAYERS, &["id.rs: imports decide, which is in a layer above id"]);
        let round = [down.as_slice(), &[("answer", "request")]].concat();
        check(&round, LAYERS, &["cycle of modules: answer → request → answer"]);
    }

    #[test]
    fn every_module_has_a_layer_and_every_layer_its_modules() {
        check(&[("decide", "draft")], &[&["decide"]], &["draft has no layer"]);
        check(&[("decide", "id")], &[&["id", "text"], &["decide"]], &["no module text"]);
    }
}
