//! A question as it is shown: the texts an agent sent, with ids of our own.

use serde::{Deserialize, Serialize};

use crate::id::{OptionId, QuestionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionKind {
    /// Exactly one option, or own words.
    Single,
    /// Any number of options, and own words beside them.
    Multi,
    /// Own words only.
    Text,
    /// Yes or no; its two options are minted by us.
    Confirm,
    /// Own words that are masked and never written down.
    Secret,
}

impl QuestionKind {
    /// Says whether the answer is the person's own words rather than a choice.
    pub const fn is_words(self) -> bool {
        matches!(self, Self::Text | Self::Secret)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QuestionOption {
    /// Minted from the option's place, so the same question gets the same ids again.
    pub id: OptionId,
    /// The label verbatim, a "(Recommended)" suffix included: it is what the agent gets back.
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
    /// Minted from the question's place.
    pub id: QuestionId,
    /// The question's text verbatim.
    pub text: String,
    /// A short name of the question; whole here, shortened on screen.
    pub header: Option<String>,
    pub kind: QuestionKind,
    /// The options in the agent's order, without the agent's own "Other".
    pub options: Vec<QuestionOption>,
    /// Whether own words are a possible answer beside the options.
    pub allows_other: bool,
    /// The description of the agent's own "Other" option, where it sent one.
    pub other_description: Option<String>,
    /// Whether the agent said that it cannot go on without this one.
    pub required: bool,
    /// What stands in the empty text field.
    pub placeholder: Option<String>,
}

impl Question {
    /// Finds an option of this question by its id.
    pub fn option(&self, id: OptionId) -> Option<&QuestionOption> {
        self.options.iter().find(|option| option.id == id)
    }
}
