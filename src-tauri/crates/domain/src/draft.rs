//! Drafts: what a person has begun on a request or an approval and not sent.

use serde::{Deserialize, Serialize};

use crate::id::{ApprovalId, ApprovalOptionId, OptionId, QuestionId, RequestId, SessionId};
use crate::text::says_something;

/// The most words one draft may hold, in bytes: more than the questions of any request take as answers.
pub const DRAFT_BYTES: usize = 4 * 1024 * 1024;

/// What a person has begun on a request: choices, words, and which question they were at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Draft {
    /// The index of the question that is shown; the number of questions means the summary.
    #[serde(default)]
    pub active: u16,
    /// What was begun on each question; one that is missing was not touched.
    #[serde(default)]
    pub answers: Vec<DraftAnswer>,
    /// Whether the person is about to decline.
    #[serde(default)]
    pub declining: bool,
    /// What the agent would be told then.
    #[serde(default)]
    pub words: String,
}

/// What was begun on one question; kept as it stands, even where it could not be sent so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DraftAnswer {
    pub question: QuestionId,
    #[serde(default)]
    pub chosen: Vec<OptionId>,
    /// Whether the person's own words are chosen.
    #[serde(default)]
    pub other_chosen: bool,
    /// The person's own words, kept even while something else is chosen.
    #[serde(default)]
    pub other: String,
    #[serde(default)]
    pub note: String,
}

/// What a person has begun to decide on an approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalDraft {
    #[serde(default)]
    pub form: ApprovalForm,
    /// What the agent would be told with a refusal.
    #[serde(default)]
    pub message: String,
    /// The chosen options; none while the person has not touched them.
    #[serde(default)]
    pub options: Option<Vec<ApprovalOptionId>>,
    /// The plan as the person edited it; none while it is as the agent wrote it.
    #[serde(default)]
    pub plan: Option<String>,
}

/// A form of an approval that a person can have open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalForm {
    /// None.
    #[default]
    None,
    /// The choice of what is always allowed.
    Options,
    /// The words of a refusal.
    Message,
    Plan,
}

/// A draft with what it was begun on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DraftTarget {
    Request { id: RequestId, draft: Draft },
    Approval { id: ApprovalId, draft: ApprovalDraft },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Begun {
    Request(RequestId),
    Approval(ApprovalId),
}

/// A draft that may be kept: what it speaks of exists, and no secret is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDraft {
    pub session: SessionId,
    pub of: DraftTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftOutcome {
    /// All of it can still be sent.
    Stays,
    /// Nothing of it can be sent, but the words are still the person's.
    WordsStay,
    /// It was sent or given up.
    Goes,
}

impl DraftTarget {
    pub const fn begun(&self) -> Begun {
        match self {
            Self::Request { id, .. } => Begun::Request(*id),
            Self::Approval { id, .. } => Begun::Approval(*id),
        }
    }

    /// Says whether nothing was begun, so that there is nothing to keep.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Request { draft, .. } => *draft == Draft::default(),
            Self::Approval { draft, .. } => *draft == ApprovalDraft::default(),
        }
    }

    /// Says whether the person wrote something, wherever it stands.
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
