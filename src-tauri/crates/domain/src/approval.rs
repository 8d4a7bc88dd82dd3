//! An approval: an agent asks for permission to do something. Never a question, never answered like one.

use serde::{Deserialize, Serialize};

use crate::agent_failure::known_or_text_or_none;
use crate::error::DeliveryError;
use crate::id::{ApprovalId, ApprovalOptionId, ConfigId, NativeRef, SessionId, Timestamp, ValueId};
use crate::tool::{ToolDetail, detail_or_text};

/// The most options of one approval.
pub const APPROVAL_OPTIONS: usize = 48;
/// The most folders of one option.
pub const OPTION_FOLDERS: usize = 32;

/// One permission an agent waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Approval {
    pub id: ApprovalId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// What the agent calls it; mostly the name of a tool.
    pub title: String,
    /// The agent's own line about what it wants to do.
    pub description: Option<String>,
    /// What exactly would run or change.
    #[serde(deserialize_with = "detail_or_text")]
    pub subject: ToolDetail,
    /// What can be decided, in the agent's order.
    pub options: Vec<ApprovalOption>,
    /// Whether a refusal may carry words for the agent.
    pub takes_message: bool,
    pub asked_at: Timestamp,
    /// Open, or how it ended.
    pub state: ApprovalState,
}

impl Approval {
    pub fn option(&self, id: &ApprovalOptionId) -> Option<&ApprovalOption> {
        self.options.iter().find(|option| option.id == *id)
    }

    /// Says whether it is a plan that waits for approval.
    pub const fn is_plan(&self) -> bool {
        matches!(self.subject, ToolDetail::Plan { .. })
    }
}

/// One thing that can be decided on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalOption {
    /// The agent's id of the option, which goes back as it came.
    pub id: ApprovalOptionId,
    pub kind: ApprovalOptionKind,
    pub label: OptionLabel,
    /// How far it reaches; none where the kind says it all.
    pub scope: Option<OptionScope>,
    /// Whether it may be chosen together with others of this kind that may.
    pub combines: bool,
}

/// What an option does. The words are those of the Agent Client Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalOptionKind {
    AllowOnce,
    /// Allows this, and from now on what the label says.
    AllowAlways,
    RejectOnce,
    /// Refuses this, and from now on what the label says.
    RejectAlways,
}

impl ApprovalOptionKind {
    /// Says whether it lets the agent go on.
    pub const fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "label", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptionLabel {
    /// Nothing beyond its kind.
    Plain,
    /// The agent's own words.
    Text { text: String },
    /// How calls of a tool are treated from now on.
    Tool {
        tool: String,
        /// Which of its calls, in the agent's own pattern; none means all.
        content: Option<String>,
        behaviour: ToolRule,
    },
    /// Folders the agent may work in from now on.
    Folder { paths: Vec<String> },
    /// A config option gets another value from now on.
    Config { option: ConfigId, value: ValueId },
}

/// How calls of a tool are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ToolRule {
    Allow,
    Ask,
    Deny,
}

/// How far an option reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptionScope {
    Session,
    /// This folder, for this person.
    Local,
    /// This folder, for everybody who works in it.
    Project,
    User,
}

/// Whether an approval waits or has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalState {
    /// Waits for a decision.
    Open,
    Decided {
        decision: ApprovalDecision,
        at: Timestamp,
        /// Set when the decision could not be handed to the agent.
        #[serde(default, deserialize_with = "known_or_text_or_none")]
        error: Option<DeliveryError>,
    },
    /// The agent took it back, its turn ended, or the session is gone.
    Withdrawn { at: Timestamp },
}

/// What the person decided on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalDecision {
    /// The chosen options: one, or several that combine.
    pub options: Vec<ApprovalOptionId>,
    /// What the agent is told with a refusal.
    #[serde(default)]
    pub message: Option<String>,
    /// The plan as the person edited it; none where it stays as it is.
    #[serde(default)]
    pub plan: Option<String>,
}

impl ApprovalDecision {
    /// Chooses one option and says nothing more.
    pub fn of(option: ApprovalOptionId) -> Self {
        Self { options: vec![option], message: None, plan: None }
    }

    /// Says whether it lets the agent go on; none where it names no option of the approval.
    pub fn allows(&self, approval: &Approval) -> Option<bool> {
        let first = self.options.first().and_then(|id| approval.option(id));
        first.map(|option| option.kind.allows())
    }
}
