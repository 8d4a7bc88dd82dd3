//! The tools: names, descriptions and input schemas.

use std::time::Duration;

use serde_json::{Value, json};

/// The longest title of [`Tool::AskUser`] in the schema. A longer one is accepted and shortened in the window.
pub const TITLE_CHARS: usize = 100;
/// The shortest time limit of a call.
pub const SHORTEST_LIMIT: Duration = Duration::from_secs(10);
/// The longest time limit of a call.
pub const LONGEST_LIMIT: Duration = Duration::from_secs(30 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Asks like Claude Code's own tool: one to four questions with two to four options each.
    AskUserQuestion,
    /// Asks one to ten questions of any kind.
    AskUser,
    /// Returns the answer to a question whose call has ended.
    CollectAnswer,
}

impl Tool {
    /// All tools, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::AskUserQuestion, Self::AskUser, Self::CollectAnswer];

    /// Finds a tool by any of its names.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "ask_user_question" => Some(Self::AskUserQuestion),
            "ask_user" | "ask_person" => Some(Self::AskUser),
            "collect_answer" => Some(Self::CollectAnswer),
            _ => None,
        }
    }

    /// Returns its name for a client. Gemini CLI hides tools called `ask_user` (0.61.0).
    pub fn name_for(self, client: &str) -> &'static str {
        match self {
            Self::AskUserQuestion => "ask_user_question",
            Self::AskUser if client.to_ascii_lowercase().contains("gemini") => "ask_person",
            Self::AskUser => "ask_user",
            Self::CollectAnswer => "collect_answer",
        }
    }

    /// Tells whether it asks the user.
    pub const fn asks(self) -> bool {
        !matches!(self, Self::CollectAnswer)
    }

    /// Returns its display name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::AskUserQuestion => "Ask the user to choose",
            Self::AskUser => "Ask the user",
            Self::CollectAnswer => "Collect a late answer",
        }
    }

    /// Returns its description for models.
    pub const fn description(self) -> &'static str {
        match self {
            Self::AskUserQuestion => {
                "Ask the user 1-4 multiple-choice questions and wait for the answer. Use it when you need a decision, a \
                 preference, or a clarification before you continue. The user sees the questions at once, can always type \
                 their own answer instead of choosing, and may take a long time: the call waits. Put your recommended \
                 option first and end its label with \"(Recommended)\". Do not add an \"Other\" option; there always is one."
            }
            Self::AskUser => {
                "Ask the user 1-10 questions of any kind (free text, one choice, several choices, yes or no) and wait for \
                 the answer. Use it when only the user can say what you need. The user may take a long time: the call \
                 waits. Never ask for passwords or other secrets."
            }
            Self::CollectAnswer => {
                "Collect the answer to an earlier question whose call ended without one (it timed out or was cut off). \
                 Pass the requestId from the earlier result. The call does not wait."
            }
        }
    }

    /// Returns the JSON Schema of its arguments.
    pub fn input_schema(self) -> Value {
        match self {
            Self::AskUserQuestion => ask_user_question(),
            Self::AskUser => ask_user(),
            Self::CollectAnswer => json!({
                "type": "object",
                "properties": {
                    "requestId": {"type": "string", "description": "The requestId from the earlier result."},
                },
                "required": ["requestId"],
            }),
        }
    }
}

fn ask_user_question() -> Value {
    json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": 4,
                "description": "The questions, asked together.",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {
                            "type": "string",
                            "description": "The full question, ending with a question mark. Each question must be different.",
                        },
                        "header": {
                            "type": "string",
                            "maxLength": 12,
                            "description": "A very short label for the question, up to 12 characters.",
                        },
                        "options": {
                            "type": "array",
                            "minItems": 2,
                            "maxItems": 4,
                            "items": option(),
                            "description": "The choices. Each label must be different.",
                        },
                        "multiSelect": {
                            "type": "boolean",
                            "description": "Whether several options can be chosen.",
                        },
                    },
                    "required": ["question", "header", "options", "multiSelect"],
                },
            },
        },
        "required": ["questions"],
    })
}

fn ask_user() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {
                "type": "string",
                "maxLength": TITLE_CHARS,
                "description": "What this is about, in a few words.",
            },
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": 10,
                "description": "The questions, asked together.",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {
                            "type": "string",
                            "description": "The full question. Each question must be different.",
                        },
                        "type": {
                            "type": "string",
                            "enum": ["text", "select", "multi-select", "confirm"],
                            "description": "text: free text. select: one option. multi-select: any number. confirm: yes or no.",
                        },
                        "header": {
                            "type": "string",
                            "maxLength": 12,
                            "description": "A very short label for the question.",
                        },
                        "options": {
                            "type": "array",
                            "minItems": 2,
                            "maxItems": 12,
                            "items": {"anyOf": [{"type": "string"}, option()]},
                            "description": "The choices of a select or multi-select; omit for other types.",
                        },
                        "required": {
                            "type": "boolean",
                            "description": "Whether you cannot continue without this answer.",
                        },
                        "placeholder": {
                            "type": "string",
                            "description": "Placeholder of the text field.",
                        },
                    },
                    "required": ["question", "type"],
                },
            },
            "timeout": {
                "type": "integer",
                "minimum": SHORTEST_LIMIT.as_secs(),
                "maximum": LONGEST_LIMIT.as_secs(),
                "description": "Seconds after which you continue without an answer. Omit to wait without a limit.",
            },
        },
        "required": ["questions"],
    })
}

fn option() -> Value {
    json!({
        "type": "object",
        "properties": {
            "label": {
                "type": "string",
                "maxLength": 50,
                "description": "The choice in a few words.",
            },
            "description": {
                "type": "string",
                "maxLength": 200,
                "description": "What choosing it means.",
            },
            "preview": {
                "type": "string",
                "description": "Code or text to show next to the option.",
            },
        },
        "required": ["label"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name_for_a_client() {
        for tool in Tool::ALL {
            for client in ["claude-code", "gemini-cli-mcp-client", "Gemini", "codex"] {
                assert_eq!(Tool::named(tool.name_for(client)), Some(tool), "{tool:?} for {client}");
            }
        }
        assert_eq!(Tool::named("rm"), None);
    }

    #[test]
    fn gemini_is_not_shown_a_name_that_it_hides() {
        assert_eq!(Tool::AskUser.name_for("Gemini-CLI"), "ask_person");
        assert_eq!(Tool::AskUser.name_for("opencode"), "ask_user");
    }

    #[test]
    fn no_tool_offers_a_secret() {
        for tool in Tool::ALL {
            assert!(!tool.input_schema().to_string().contains("secret"), "{tool:?}");
        }
    }
}
