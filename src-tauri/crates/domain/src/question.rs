//! Questions as they are shown: the texts that an agent sent, with our ids.

use serde::{Deserialize, Serialize};

use crate::answer_bounds::{AnswerBounds, DefaultAnswer};
use crate::id::{OptionId, QuestionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionKind {
    /// Exactly one option, or the user's own answer.
    Single,
    /// Any number of options, and the user's own answer besides.
    Multi,
    /// Only the user's own answer.
    Text,
    /// Yes or no; Askdesk creates its two options.
    Confirm,
    /// The user's own answer, masked and never stored.
    Secret,
}

impl QuestionKind {
    /// Returns whether the answer is text rather than a choice.
    pub const fn is_words(self) -> bool {
        matches!(self, Self::Text | Self::Secret)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QuestionOption {
    /// Derived from the option's position, so the same question gets the same ids again.
    pub id: OptionId,
    /// The label verbatim, including a "(Recommended)" suffix: the agent gets it back like this.
    pub label: String,
    /// A line that explains the label.
    pub description: Option<String>,
    /// Text or code to show beside the option; never markup.
    pub preview: Option<String>,
    /// Whether the label ends in "(Recommended)".
    pub recommended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Question {
    /// Derived from the question's position.
    pub id: QuestionId,
    /// The question's text verbatim.
    pub text: String,
    /// A short name of the question, stored whole and shortened on screen.
    pub header: Option<String>,
    pub kind: QuestionKind,
    /// The options in the agent's order, without the agent's own "Other".
    pub options: Vec<QuestionOption>,
    /// Whether the user can type an answer besides the options.
    pub allows_other: bool,
    /// The description of the agent's own "Other" option, if it sent one.
    pub other_description: Option<String>,
    /// Whether the agent said that it can't continue without this answer.
    pub required: bool,
    /// The placeholder of the empty text field.
    pub placeholder: Option<String>,
    /// What a form demands of the answer besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub bounds: Option<AnswerBounds>,
    /// What a form is filled in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub default: Option<DefaultAnswer>,
}

impl Question {
    /// Finds an option of this question by its id.
    pub fn option(&self, id: OptionId) -> Option<&QuestionOption> {
        self.options.iter().find(|option| option.id == id)
    }
}
