//! Compares what the bench measured with the limits that are checked in.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// The file with the limits, below the root: by the path of a figure in the result, the most that it may be. It has only ratios within
/// one run, sizes, and counts, which don't depend on the machine.
pub const FILE: &str = "src-tauri/tests/bench/limits.json";

/// A figure and its limit.
#[derive(Debug, PartialEq)]
pub struct Compared {
    pub path: String,
    pub measured: f64,
    pub limit: f64,
}

impl Compared {
    pub fn is_worse(&self) -> bool {
        self.measured > self.limit
    }
}

/// Compares each limit of a part that was measured. Fails if a figure of such a part is missing.
pub fn compare(result: &Value, limits: &Map<String, Value>) -> Result<Vec<Compared>> {
    let mut all = Vec::new();
    for (path, limit) in limits {
        let mut at = result;
        let mut keys = path.split('.');
        let part = keys.next().unwrap_or_default();
        let Some(measured) = at.get(part) else { continue };
        at = measured;
        for key in keys {
            at = at
                .get(key)
                .with_context(|| format!("the bench measured no `{path}`, which {FILE} limits"))?;
        }
        let number = |value: &Value| value.as_f64().with_context(|| format!("`{path}` is not a number"));
        all.push(Compared { path: path.clone(), measured: number(at)?, limit: number(limit)? });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn limits(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn figures_above_their_limit_are_worse() {
        let result = json!({ "binary_mib": 18.2, "start": { "no_session": { "settled_ms": { "ratio": { "median": 1.2 } } } } });
        let limits = limits(&json!({ "binary_mib": 18, "start.no_session.settled_ms.ratio.median": 1.3 }));
        let compared = compare(&result, &limits).unwrap();
        let worse: Vec<_> = compared.iter().filter(|one| one.is_worse()).map(|one| &one.path).collect();
        assert_eq!(worse, ["binary_mib"]);
        assert_eq!(compared.len(), 2);
    }

    #[test]
    fn parts_that_were_not_measured_are_left_out_but_a_figure_that_vanished_is_an_error() {
        let limits = limits(&json!({ "start.no_session.pictures": 3 }));
        assert_eq!(compare(&json!({ "load": {} }), &limits).unwrap(), []);
        assert!(
            compare(&json!({ "start": {} }), &limits)
                .unwrap_err()
                .to_string()
                .contains("no_session.pictures")
        );
    }
}
