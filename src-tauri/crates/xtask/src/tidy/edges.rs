//! Which package may depend on which.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Problem;

/// Every package of the workspace with the packages of ours it may build on, lowest first.
///
/// Dev-dependencies are free: a test may use the fake agent, or look at its crate from above.
const ALLOWED: [(&str, &[&str]); 13] = [
    ("askdesk-domain", &[]),
    ("askdesk-agent-host", &[]),
    ("askdesk-version-probe", &[]),
    ("askdesk-agents", &["askdesk-agent-host", "askdesk-domain", "askdesk-version-probe"]),
    ("askdesk-engine", &["askdesk-agents", "askdesk-domain"]),
    ("askdesk-api", &["askdesk-client-config", "askdesk-engine", "askdesk-agents", "askdesk-domain"]),
    ("askdesk-mcp-tools", &[]),
    (
        "askdesk-gateway",
        &["askdesk-mcp-tools", "askdesk-client-config", "askdesk-engine", "askdesk-agents", "askdesk-domain"],
    ),
    ("askdesk-client-config", &["askdesk-version-probe"]),
    ("askdesk-cli", &["askdesk-client-config", "askdesk-mcp-tools"]),
    (
        "askdesk",
        &[
            "askdesk-api",
            "askdesk-client-config",
            "askdesk-gateway",
            "askdesk-engine",
            "askdesk-agents",
            "askdesk-domain",
            "askdesk-testkit",
        ],
    ),
    ("askdesk-testkit", &[]),
    ("xtask", &[]),
];

/// Libraries that few packages may name.
const CONFINED: [Confined; 5] = [
    Confined { library: "tauri", owners: &["askdesk"], even_in_tests: true },
    Confined { library: "wry", owners: &["askdesk"], even_in_tests: true },
    Confined { library: "webkit2gtk", owners: &["askdesk"], even_in_tests: true },
    Confined { library: "rusqlite", owners: &["askdesk-engine"], even_in_tests: false },
    Confined {
        library: "rmcp",
        owners: &["askdesk-mcp-tools", "askdesk-gateway", "askdesk-cli"],
        even_in_tests: false,
    },
];

struct Confined {
    /// The library, and every one whose name goes on after a dash or underscore.
    library: &'static str,
    owners: &'static [&'static str],
    /// Whether building the tests of other packages must not need it either.
    even_in_tests: bool,
}

impl Confined {
    fn covers(&self, name: &str) -> bool {
        name.strip_prefix(self.library).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// One package of the workspace, as cargo describes it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; none for a normal dependency.
    kind: Option<String>,
}

/// Reads what `cargo metadata --no-deps --format-version 1` prints.
///
/// The crate `cargo_metadata` would bring in several crates more to read these four fields.
pub fn packages(metadata: &str) -> Result<Vec<Package>> {
    let metadata: Metadata =
        serde_json::from_str(metadata).context("cannot read what cargo metadata prints")?;
    Ok(metadata.packages)
}

/// Lists every dependency that points the wrong way.
pub fn problems(packages: &[Package]) -> Vec<Problem> {
    packages.iter().flat_map(problems_of).collect()
}

fn problems_of(package: &Package) -> Vec<Problem> {
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
        let says = "has no place in the order of packages yet; add it to tidy/edges.rs and ARCHITECTURE.md";
        return vec![Problem::new(&package.name, says)];
    };
    let mut problems = Vec::new();
    for Dependency { name, kind } in &package.dependencies {
        let for_tests = kind.as_deref() == Some("dev");
        let ours = ALLOWED.iter().any(|(ours, _)| ours == name);
        if ours && !for_tests && !allowed.contains(&name.as_str()) {
            let below = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
            let says = format!("depends on {name}, which is not below it; it may depend on {below}");
            problems.push(Problem::new(&package.name, says));
        }
        for confined in
            CONFINED.iter().filter(|it| it.covers(name) && !it.owners.contains(&package.name.as_str()))
        {
            if confined.even_in_tests || !for_tests {
                let says = format!("depends on {name}, which only {} may name", confined.owners.join(", "));
                problems.push(Problem::new(&package.name, says));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(edges: &[(&str, &str, Option<&str>)], expected: &[&str]) {
        let packages_json: Vec<Value> = edges
            .iter()
            .map(|(from, to, kind)| json!({"name": from, "dependencies": [{"name": to, "kind": kind}]}))
            .collect();
        let metadata = json!({"packages": packages_json}).to_string();
        let found: Vec<String> =
            problems(&packages(&metadata).unwrap()).iter().map(Problem::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, words) in found.iter().zip(expected) {
            assert!(found.contains(words), "{found}");
        }
    }

    #[test]
    fn a_downward_edge_is_fine() {
        check(
            &[
                ("askdesk", "askdesk-api", None),
                ("askdesk", "tauri", None),
                ("askdesk", "tauri-build", Some("build")),
                ("askdesk-engine", "rusqlite", None),
                ("askdesk-engine", "askdesk-domain", None),
                ("askdesk-domain", "serde", None),
            ],
            &[],
        );
    }

    #[test]
    fn an_upward_edge_fails() {
        check(
            &[
                ("askdesk-domain", "askdesk-engine", None),
                ("askdesk-engine", "askdesk-api", Some("build")),
                ("askdesk-testkit", "askdesk-domain", None),
                ("askdesk-api", "askdesk", None),
            ],
            &[
                "askdesk-domain: depends on askdesk-engine",
                "askdesk-engine: depends on askdesk-api",
                "askdesk-testkit: depends on askdesk-domain",
                "askdesk-api: depends on askdesk,",
            ],
        );
    }

    #[test]
    fn a_test_may_look_at_its_crate_from_above() {
        check(&[("askdesk-engine", "askdesk-testkit", Some("dev"))], &[]);
    }

    #[test]
    fn a_confined_library_fails_elsewhere() {
        check(
            &[
                ("askdesk-api", "tauri", None),
                ("askdesk-testkit", "tauri-plugin-shell", Some("dev")),
                ("askdesk", "rusqlite", None),
                ("askdesk-api", "rmcp", None),
            ],
            &[
                "only askdesk may",
                "only askdesk may",
                "only askdesk-engine may",
                "only askdesk-mcp-tools, askdesk-gateway, askdesk-cli may",
            ],
        );
    }

    #[test]
    fn a_library_whose_name_only_begins_alike_is_fine() {
        check(&[("askdesk-api", "rmcpp", None), ("askdesk-api", "wryer", None)], &[]);
    }

    #[test]
    fn a_package_without_a_place_fails() {
        check(&[("askdesk-extra", "serde", None)], &["has no place"]);
    }
}
