//! Which package may depend on which.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Problem;

/// Every package of the workspace with the packages of ours it may build on, lowest first.
///
/// Dev-dependencies are free: a test may use the fake agent, or look at its crate from above.
const ALLOWED: [(&str, &[&str]); 25] = [
    ("askdesk-domain", &[]),
    ("askdesk-contract", &["askdesk-domain"]),
    ("askdesk-agent-host", &[]),
    ("askdesk-line-diff", &[]),
    ("askdesk-outside-json", &[]),
    ("askdesk-user-environment", &["askdesk-contract"]),
    ("askdesk-git", &["askdesk-contract", "askdesk-user-environment"]),
    (
        "askdesk-changes",
        &["askdesk-contract", "askdesk-git", "askdesk-line-diff", "askdesk-user-environment"],
    ),
    ("askdesk-worktrees", &["askdesk-contract", "askdesk-git", "askdesk-user-environment"]),
    ("askdesk-version-probe", &["askdesk-agent-host", "askdesk-user-environment"]),
    (
        "askdesk-agents",
        &[
            "askdesk-agent-host",
            "askdesk-domain",
            "askdesk-line-diff",
            "askdesk-outside-json",
            "askdesk-user-environment",
            "askdesk-version-probe",
        ],
    ),
    (
        "askdesk-engine",
        &[
            "askdesk-agents",
            "askdesk-changes",
            "askdesk-contract",
            "askdesk-worktrees",
            "askdesk-domain",
            "askdesk-user-environment",
        ],
    ),
    ("askdesk-desk", &["askdesk-contract", "askdesk-domain"]),
    ("askdesk-file-search", &[]),
    ("askdesk-open-in", &["askdesk-domain", "askdesk-user-environment"]),
    (
        "askdesk-api",
        &[
            "askdesk-client-config",
            "askdesk-file-search",
            "askdesk-open-in",
            "askdesk-engine",
            "askdesk-agents",
            "askdesk-changes",
            "askdesk-contract",
            "askdesk-worktrees",
            "askdesk-domain",
            "askdesk-user-environment",
        ],
    ),
    ("askdesk-mcp-tools", &[]),
    (
        "askdesk-gateway",
        &[
            "askdesk-mcp-tools",
            "askdesk-client-config",
            "askdesk-contract",
            "askdesk-engine",
            "askdesk-agents",
            "askdesk-domain",
            "askdesk-outside-json",
            "askdesk-user-environment",
        ],
    ),
    (
        "askdesk-client-config",
        &["askdesk-contract", "askdesk-line-diff", "askdesk-user-environment", "askdesk-version-probe"],
    ),
    (
        "askdesk-cli",
        &[
            "askdesk-client-config",
            "askdesk-contract",
            "askdesk-mcp-tools",
            "askdesk-outside-json",
            "askdesk-user-environment",
        ],
    ),
    (
        "askdesk",
        &[
            "askdesk-api",
            "askdesk-client-config",
            "askdesk-contract",
            "askdesk-desk",
            "askdesk-gateway",
            "askdesk-open-in",
            "askdesk-engine",
            "askdesk-agents",
            "askdesk-domain",
            "askdesk-demo-agent",
            "askdesk-user-environment",
        ],
    ),
    ("askdesk-demo-agent", &[]),
    ("askdesk-testkit", &["askdesk-demo-agent", "askdesk-outside-json"]),
    ("askdesk-guide", &[]),
    ("xtask", &[]),
];

/// Libraries that few packages may name: the library, its owners, and whether this holds for tests too.
/// Each stands for every library whose name continues after a dash or underscore.
const CONFINED: [(&str, &[&str], bool); 7] = [
    ("tauri", &["askdesk"], true),
    ("wry", &["askdesk"], true),
    ("webkit2gtk", &["askdesk"], true),
    ("mdbook", &["askdesk-guide"], true),
    ("rusqlite", &["askdesk-engine"], false),
    ("similar", &["askdesk-line-diff"], true),
    ("rmcp", &["askdesk-mcp-tools", "askdesk-gateway", "askdesk-cli"], false),
];

fn covers(library: &str, name: &str) -> bool {
    name.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
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
        for (library, owners, even_in_tests) in CONFINED {
            let may_name = owners.contains(&package.name.as_str()) || (for_tests && !even_in_tests);
            if covers(library, name) && !may_name {
                let says = format!("depends on {name}, which only {} may name", owners.join(", "));
                problems.push(Problem::new(&package.name, says));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::assert_problems;
    use super::*;

    fn check(from: &str, to: &str, kind: Option<&str>, expected: &[&str]) {
        let dependencies = [json!({"name": to, "kind": kind})];
        let metadata = json!({"packages": [{"name": from, "dependencies": dependencies}]}).to_string();
        assert_problems(&problems(&packages(&metadata).unwrap()), expected);
    }

    #[test]
    fn a_downward_edge_is_fine() {
        check("askdesk", "askdesk-api", None, &[]);
        check("askdesk-engine", "askdesk-domain", None, &[]);
        check("askdesk-domain", "serde", None, &[]);
    }

    #[test]
    fn an_upward_edge_fails() {
        for (from, to, kind) in [
            ("askdesk-domain", "askdesk-engine", None),
            ("askdesk-engine", "askdesk-api", Some("build")),
            ("askdesk-testkit", "askdesk-domain", None),
            ("askdesk", "askdesk-testkit", None),
            ("askdesk-api", "askdesk", None),
        ] {
            check(from, to, kind, &[&format!("{from}: depends on {to}, which is not below it")]);
        }
    }

    #[test]
    fn a_test_may_look_at_its_crate_from_above() {
        check("askdesk-engine", "askdesk-testkit", Some("dev"), &[]);
    }

    #[test]
    fn a_confined_library_fails_elsewhere() {
        check("askdesk-api", "tauri", None, &["only askdesk may"]);
        check("askdesk-testkit", "tauri-plugin-shell", Some("dev"), &["only askdesk may"]);
        check("askdesk", "rusqlite", None, &["only askdesk-engine may"]);
        check("askdesk-api", "rmcp", None, &["only askdesk-mcp-tools, askdesk-gateway, askdesk-cli may"]);
        check("askdesk-changes", "similar", None, &["only askdesk-line-diff may"]);
        check("askdesk-api", "rusqlite", Some("dev"), &[]);
        for library in ["rmcpp", "wryer"] {
            check("askdesk-api", library, None, &[]);
        }
        check("askdesk", "tauri", None, &[]);
        check("askdesk", "tauri-build", Some("build"), &[]);
        check("askdesk-engine", "rusqlite", None, &[]);
    }

    #[test]
    fn a_package_without_a_place_fails() {
        check("askdesk-extra", "serde", None, &["has no place"]);
    }
}
