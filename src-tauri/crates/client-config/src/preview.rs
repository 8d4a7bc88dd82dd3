//! A change as it is shown before it is made.

use similar::TextDiff;

use crate::plan::Change;

/// What stands before a token in a header.
const BEARER: &str = "Bearer ";
/// What stands in the place of a token.
const HIDDEN: &str = "…";

/// Whether tokens stand in what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// They are left out: what is shown may end up in a log.
    Hidden,
    Shown,
}

impl Change {
    /// Returns what changes as a unified diff without the names of files; empty where only what is left out differs.
    pub fn diff(&self, tokens: Tokens) -> String {
        let side = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default();
            if tokens == Tokens::Shown { text.to_owned() } else { without_tokens(text) }
        };
        let (before, after) = (side(&self.before), side(&self.after));
        TextDiff::from_lines(&before, &after).unified_diff().to_string()
    }
}

fn without_tokens(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEARER) {
        let (head, tail) = rest.split_at(at + BEARER.len());
        let token = tail.find(|c: char| c == '"' || c == '\'' || c.is_whitespace()).unwrap_or(tail.len());
        shown.push_str(head);
        shown.push_str(if token > 0 { HIDDEN } else { "" });
        rest = &tail[token..];
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_shown() {
        let text = "\"Authorization\": \"Bearer abc123\",\n'Bearer x' Bearer \"";
        assert_eq!(without_tokens(text), "\"Authorization\": \"Bearer …\",\n'Bearer …' Bearer \"");
    }
}
