//! Placeholders in scenario texts, and what fills them.

use serde_json::Value;

use super::scenario::AskOutcome;

/// What the agent has learned so far in this session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The message that began the turn.
    pub(super) prompt: String,
    pub(super) latest: Vec<AnsweredQuestion>,
    /// The questions of the whole session that got an answer.
    pub(super) answered: Vec<AnsweredQuestion>,
    /// How the latest request ended.
    pub(super) outcome: Option<AskOutcome>,
    /// The words of the latest refusal or the text that replaced all answers.
    pub(super) words: String,
    /// The plan that was approved last, as the user left it.
    pub(super) plan: String,
    /// The process started last by `spawn_grandchild`.
    pub(super) grandchild_pid: Option<u32>,
    /// The round of the innermost `repeat`, from 1.
    pub(super) round: u64,
}

#[derive(Debug, Clone)]
pub(super) struct AnsweredQuestion {
    /// The header, or the text where there is none.
    pub(super) title: String,
    /// The answer, if there is one.
    pub(super) answer: Option<String>,
}

impl Memory {
    /// Fills the placeholders; braces that are none of ours stay as they are.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            filled.push_str(&rest[..start]);
            rest = &rest[start..];
            let value = rest.find('}').and_then(|end| Some((end, self.value(&rest[1..end])?)));
            match value {
                Some((end, value)) => {
                    filled.push_str(&value);
                    rest = &rest[end + 1..];
                }
                None => {
                    filled.push('{');
                    rest = &rest[1..];
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// Fills the placeholders of every text inside.
    pub(super) fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill_json(item)).collect()),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(key, value)| (key.clone(), self.fill_json(value))).collect(),
            ),
            other => other.clone(),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        Some(match name {
            "prompt" => self.prompt.clone(),
            "answers" => {
                let lines: Vec<_> = self.answered.iter().map(AnsweredQuestion::as_line).collect();
                if lines.is_empty() { "- nothing yet".to_owned() } else { lines.join("\n") }
            }
            "plan" => self.plan.clone(),
            "words" => self.words.clone(),
            "n" => self.round.to_string(),
            "grandchild_pid" => self.grandchild_pid?.to_string(),
            line if line.starts_with("prompt:") => {
                let index = line.strip_prefix("prompt:")?.parse().ok()?;
                self.prompt.lines().nth(index).unwrap_or_default().to_owned()
            }
            _ => {
                let index: usize = name.strip_prefix("answer:")?.parse().ok()?;
                let remembered = self.latest.get(index);
                remembered.and_then(|it| it.answer.clone()).unwrap_or_else(|| "(not answered)".to_owned())
            }
        })
    }
}

impl AnsweredQuestion {
    fn as_line(&self) -> String {
        format!("- {}: {}", self.title, self.answer.as_deref().unwrap_or("(not answered)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, filled: &str) {
        let answered =
            AnsweredQuestion { title: "Store".to_owned(), answer: Some("SQLite {prompt}".to_owned()) };
        let open = AnsweredQuestion { title: "Cache".to_owned(), answer: None };
        let memory = Memory {
            prompt: "go".to_owned(),
            latest: vec![answered.clone(), open],
            answered: vec![answered],
            round: 3,
            ..Memory::default()
        };
        assert_eq!(memory.fill(text), filled);
    }

    #[test]
    fn placeholders_are_filled_once() {
        check(
            "{prompt} {n}: {answer:0}, {answer:1}, {answer:2}",
            "go 3: SQLite {prompt}, (not answered), (not answered)",
        );
        check("{answers}", "- Store: SQLite {prompt}");
    }

    #[test]
    fn other_braces_stay() {
        check("fn a() { b } {unknown} {answer:x} {", "fn a() { b } {unknown} {answer:x} {");
        check("{{prompt}", "{go");
    }
}
