//! The options that a session is started with, and those that can change while it runs.

use serde::{Deserialize, Serialize};

use crate::config::Choices;
use crate::launch_overrides::LaunchOverrides;

/// When an agent's questions are shown to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionPolicy {
    #[default]
    Always,
    /// Only while the agent plans; at other times they are refused at once.
    PlanOnly,
    /// Never; they are refused at once.
    Never,
}

impl QuestionPolicy {
    /// Returns whether a question may be shown now.
    pub const fn lets_ask(self, planning: bool) -> bool {
        match self {
            Self::Always => true,
            Self::PlanOnly => planning,
            Self::Never => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionOptions {
    /// The chosen values of the agent's config options; the agent's default applies to a missing one.
    pub config: Choices,
    /// When its questions are shown to the user.
    pub questions: QuestionPolicy,
    /// The program to run instead of the one found on PATH.
    pub program: Option<String>,
    /// What the user's settings add to the start.
    pub extras: LaunchOverrides,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(QuestionPolicy::Always, true, true)]
    #[case(QuestionPolicy::Always, false, true)]
    #[case(QuestionPolicy::PlanOnly, true, true)]
    #[case(QuestionPolicy::PlanOnly, false, false)]
    #[case(QuestionPolicy::Never, true, false)]
    fn the_policy_decides_whether_a_question_is_shown(
        #[case] policy: QuestionPolicy,
        #[case] planning: bool,
        #[case] expected: bool,
    ) {
        assert_eq!(policy.lets_ask(planning), expected);
    }

    #[test]
    fn missing_options_have_defaults_and_unknown_ones_are_refused() {
        assert_eq!(serde_json::from_str::<SessionOptions>("{}").unwrap(), SessionOptions::default());
        assert!(serde_json::from_str::<SessionOptions>(r#"{"yolo":true}"#).is_err());
    }
}
