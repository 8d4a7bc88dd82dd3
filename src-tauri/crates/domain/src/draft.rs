//! Drafts: what a user typed or chose on a request or an approval and hasn't sent.

use serde::{Deserialize, Serialize};

use crate::id::{ApprovalId, ApprovalOptionId, OptionId, QuestionId, RequestId, SessionId};
use crate::text::says_something;

/// The most text in one draft, in bytes: more than the answers of any request can hold.
pub const DRAFT_BYTES: usize = 4 * 1024 * 1024;

/// A draft for a request: choices, texts, and the question that was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Draft {
    /// The index of the visible question; the number of questions means the summary.
    #[serde(default)]
    pub active: u16,
    /// The drafts of its questions; an untouched question has none.
    #[serde(default)]
    pub answers: Vec<DraftAnswer>,
    /// Whether the decline form is open.
    #[serde(default)]
    pub declining: bool,
    /// The message to the agent in that form.
    #[serde(default)]
    pub words: String,
}

/// The draft of one question; stored as it is, even if it would not be a valid answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DraftAnswer {
    pub question: QuestionId,
    #[serde(default)]
    pub chosen: Vec<OptionId>,
    #[serde(default)]
    pub other_chosen: bool,
    /// The user's own answer, kept even while something else is chosen.
    #[serde(default)]
    pub other: String,
    #[serde(default)]
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalDraft {
    #[serde(default)]
    pub form: ApprovalForm,
    /// The message to the agent that goes with a denial.
    #[serde(default)]
    pub message: String,
    /// The chosen options; none while the user has not touched them.
    #[serde(default)]
    pub options: Option<Vec<ApprovalOptionId>>,
    /// The plan as the user edited it; none while it is unchanged.
    #[serde(default)]
    pub plan: Option<String>,
}

/// The form of an approval that is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalForm {
    /// None.
    #[default]
    None,
    /// The choice of what is always allowed.
    Options,
    Message,
    Plan,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DraftTarget {
    Request { id: RequestId, draft: Draft },
    Approval { id: ApprovalId, draft: ApprovalDraft },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DraftKey {
    Request(RequestId),
    Approval(ApprovalId),
}

/// A valid draft: its target exists, and it holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDraft {
    pub session: SessionId,
    pub of: DraftTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftOutcome {
    /// Everything in it can still be sent.
    Stays,
    /// Nothing in it can be sent, but the user's text is kept.
    TextStays,
    /// It was sent or discarded.
    Goes,
}

impl DraftTarget {
    pub const fn key(&self) -> DraftKey {
        match self {
            Self::Request { id, .. } => DraftKey::Request(*id),
            Self::Approval { id, .. } => DraftKey::Approval(*id),
        }
    }

    /// Returns whether the draft is empty and need not be stored.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Request { draft, .. } => *draft == Draft::default(),
            Self::Approval { draft, .. } => *draft == ApprovalDraft::default(),
        }
    }

    /// Returns whether the user typed any text.
    pub fn has_words(&self) -> bool {
        self.texts().any(says_something)
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let (request, approval) = match self {
            Self::Request { draft, .. } => (Some(draft), None),
            Self::Approval { draft, .. } => (None, Some(draft)),
        };
        let of_request = request.into_iter().flat_map(|draft| {
            let answers = draft.answers.iter().flat_map(|answer| [&answer.other, &answer.note]);
            answers.chain([&draft.words])
        });
        let of_approval =
            approval.into_iter().flat_map(|draft| [&draft.message].into_iter().chain(&draft.plan));
        of_request.chain(of_approval).map(String::as_str)
    }
}
