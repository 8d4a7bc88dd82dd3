//! What a session is started with, and what may be changed while it runs.

use serde::{Deserialize, Serialize};

use crate::extras::Extras;

/// The longest name of a model, in bytes.
pub const MODEL_BYTES: usize = 256;

/// What an agent may do without being allowed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PermissionMode {
    /// It plans and changes nothing.
    Plan,
    /// It asks.
    Default,
    /// It edits files without asking.
    AcceptEdits,
    /// It does everything without asking; its questions still wait for a person.
    Bypass,
}

impl PermissionMode {
    /// Every mode, the most careful first.
    pub const ALL: [Self; 4] = [Self::Plan, Self::Default, Self::AcceptEdits, Self::Bypass];
}

/// How long an agent thinks before it acts, in the agent's own steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Effort {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// As much as it can.
    Max,
}

impl Effort {
    /// Every step, the least first.
    pub const ALL: [Self; 5] = [Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];
}

/// When an agent's questions come to the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionPolicy {
    /// Always.
    #[default]
    Always,
    /// Only while the agent plans; at other times they are refused at once.
    PlanOnly,
    /// Never; they are refused at once.
    Never,
}

impl QuestionPolicy {
    /// Says whether a question may come now; an agent whose mode is not known does not plan.
    pub const fn lets_ask(self, mode: Option<PermissionMode>) -> bool {
        match self {
            Self::Always => true,
            Self::PlanOnly => matches!(mode, Some(PermissionMode::Plan)),
            Self::Never => false,
        }
    }
}

/// What a session is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionOptions {
    /// The permission mode; none for the agent's own.
    pub mode: Option<PermissionMode>,
    /// The model; none for the agent's own.
    pub model: Option<String>,
    /// The effort; none for the agent's own.
    pub effort: Option<Effort>,
    /// When its questions come to the person.
    pub questions: QuestionPolicy,
    /// The program to run instead of the one found on PATH.
    pub program: Option<String>,
    /// Set for an older wrapper that asks by a bare tool use and takes a tool result as the answer.
    pub bare_tool_use: bool,
    /// Which example the demo plays, by name or by the path of a scenario file.
    pub example: Option<String>,
    /// What the person's settings add to the start.
    pub extras: Extras,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(QuestionPolicy::Always, None, true)]
    #[case(QuestionPolicy::Always, Some(PermissionMode::Bypass), true)]
    #[case(QuestionPolicy::PlanOnly, Some(PermissionMode::Plan), true)]
    #[case(QuestionPolicy::PlanOnly, Some(PermissionMode::Default), false)]
    #[case(QuestionPolicy::PlanOnly, None, false)]
    #[case(QuestionPolicy::Never, Some(PermissionMode::Plan), false)]
    fn a_question_comes_when_the_policy_lets_it(
        #[case] policy: QuestionPolicy,
        #[case] mode: Option<PermissionMode>,
        #[case] expected: bool,
    ) {
        assert_eq!(policy.lets_ask(mode), expected);
    }

    #[test]
    fn options_that_say_nothing_are_the_usual_ones_and_unknown_ones_are_refused() {
        assert_eq!(serde_json::from_str::<SessionOptions>("{}").unwrap(), SessionOptions::default());
        assert!(serde_json::from_str::<SessionOptions>(r#"{"yolo":true}"#).is_err());
    }
}
