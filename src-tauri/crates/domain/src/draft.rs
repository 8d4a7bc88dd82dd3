//! Drafts: what a person has begun on a request or an approval and not sent.

use serde::{Deserialize, Serialize};

use crate::approval::{Approval, ApprovalState};
use crate::desk::Desk;
use crate::event::{ApprovalEvent, Event, RequestEvent};
use crate::id::{ApprovalId, ApprovalOptionId, OptionId, QuestionId, RequestId, SessionId};
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{EndedBy, Outcome, Request, WithdrawnWhy};
use crate::text::says_something;
use crate::validation_error::ValidationError;

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

    fn texts(&self) -> impl Iterator<Item = &str> {
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

/// Checks a draft against what it was begun on, and leaves out what a secret question holds.
///
/// It is refused where what was begun has been sent or given up: then there is nothing to come back to.
pub fn keep(desk: &Desk, of: &DraftTarget) -> Result<SavedDraft, Rejection> {
    let bytes: usize = of.texts().map(str::len).sum();
    if bytes > DRAFT_BYTES {
        return Err(Rejection::invalid("draft", ValidationError::TooLong { most: DRAFT_BYTES, bytes }));
    }
    match of {
        DraftTarget::Request { id, draft } => {
            let request = desk.request(*id).ok_or(Rejection::NotFound { what: "request" })?;
            if let Some(ended) = request.ended().filter(|ended| fate(&ended.outcome) == DraftOutcome::Goes) {
                return Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at });
            }
            let draft = of_request(request, draft)?;
            Ok(SavedDraft { session: request.session, of: DraftTarget::Request { id: *id, draft } })
        }
        DraftTarget::Approval { id, draft } => {
            let approval = desk.approval(*id).ok_or(Rejection::NotFound { what: "approval" })?;
            if let ApprovalState::Decided { at, .. } = approval.state {
                return Err(Rejection::AlreadyEnded { by: EndedBy::Person, at });
            }
            of_approval(approval, draft)?;
            Ok(SavedDraft { session: approval.session, of: of.clone() })
        }
    }
}

/// Says what becomes of a draft when something happens; none if it is not about a draft.
pub fn after(event: &Event) -> Option<(Begun, DraftOutcome)> {
    match event {
        Event::Request(RequestEvent::Ended { request, outcome, .. }) => {
            Some((Begun::Request(*request), fate(outcome)))
        }
        Event::Request(RequestEvent::AnsweredLate { request, .. })
        | Event::Request(RequestEvent::Dismissed { request, .. }) => {
            Some((Begun::Request(*request), DraftOutcome::Goes))
        }
        Event::Approval(ApprovalEvent::Decided { approval, .. }) => {
            Some((Begun::Approval(*approval), DraftOutcome::Goes))
        }
        Event::Approval(ApprovalEvent::Withdrawn { approval, .. }) => {
            Some((Begun::Approval(*approval), DraftOutcome::WordsStay))
        }
        _ => None,
    }
}

/// Only what the person did on the card itself ends what they had begun there.
const fn fate(outcome: &Outcome) -> DraftOutcome {
    match outcome {
        Outcome::Orphaned { .. } | Outcome::Expired => DraftOutcome::Stays,
        Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { .. } }
        | Outcome::Answered { .. }
        | Outcome::Declined { .. } => DraftOutcome::Goes,
        Outcome::Withdrawn { .. } | Outcome::RepliedInChat { .. } => DraftOutcome::WordsStay,
    }
}

fn of_request(request: &Request, draft: &Draft) -> Result<Draft, Rejection> {
    if usize::from(draft.active) > request.questions.len() {
        let rule = format!("at most {}, got {}", request.questions.len(), draft.active);
        return Err(Rejection::invalid("draft.active", rule));
    }
    let mut answers = Vec::with_capacity(draft.answers.len());
    for (index, answer) in draft.answers.iter().enumerate() {
        let field = |name: &str| format!("draft.answers[{index}].{name}");
        let known = request.questions.iter().find(|question| question.id == answer.question);
        let question = known.ok_or_else(|| {
            Rejection::invalid(field("question"), format!("no question {} in this request", answer.question))
        })?;
        if draft.answers[..index].iter().any(|earlier| earlier.question == answer.question) {
            return Err(Rejection::invalid(field("question"), format!("{} stands twice", answer.question)));
        }
        for (place, id) in answer.chosen.iter().enumerate() {
            if question.option(*id).is_none() || answer.chosen[..place].contains(id) {
                let rule = format!("{id} is no option of {}, or stands twice", question.id);
                return Err(Rejection::invalid(field("chosen"), rule));
            }
        }
        if question.kind != QuestionKind::Secret {
            answers.push(answer.clone());
        }
    }
    answers.sort_by_key(|answer| answer.question);
    Ok(Draft { answers, ..draft.clone() })
}

fn of_approval(approval: &Approval, draft: &ApprovalDraft) -> Result<(), Rejection> {
    let chosen = draft.options.as_deref().unwrap_or_default();
    let stranger = |(place, id): &(usize, &ApprovalOptionId)| {
        approval.option(id).is_none() || chosen[..*place].contains(id)
    };
    match chosen.iter().enumerate().find(stranger) {
        Some((_, id)) => {
            Err(Rejection::invalid("draft.options", format!("{id} is not an option here, or appears twice")))
        }
        None => Ok(()),
    }
}
