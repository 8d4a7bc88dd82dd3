use askdesk_line_diff::{MissingNewline, unified};

use crate::plan::Change;

/// What precedes a token in a header.
const BEARER: &str = "Bearer ";
/// What replaces a token.
const HIDDEN: &str = "…";

/// Whether a preview shows tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenDisplay {
    /// Tokens are hidden, because the preview may end up in a log.
    Hidden,
    Shown,
}

impl Change {
    /// Returns a unified diff without file names. Empty if only hidden tokens differ.
    pub fn diff(&self, tokens: TokenDisplay) -> String {
        let side = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default();
            if tokens == TokenDisplay::Shown { text.to_owned() } else { without_tokens(text) }
        };
        let (before, after) = (side(&self.before), side(&self.after));
        unified(&before, &after, MissingNewline::Noted)
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
