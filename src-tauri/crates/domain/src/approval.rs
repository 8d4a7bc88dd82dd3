//! Approvals: an agent asks for permission to do something. An approval is never a question and never answered like one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::acting_line::acting_line;
use crate::error::DeliveryError;
use crate::id::{ApprovalId, ApprovalOptionId, ConfigId, HelperId, NativeRef, SessionId, Timestamp, ValueId};
use crate::permission_rule::{PermissionRule, RuleAction};
use crate::text::{CUT_REMARK, cut_at, on_one_line, with_few_marks};
use crate::tool::{ToolDetail, shown_name};

/// The most folders of one option.
pub const OPTION_FOLDERS: usize = 32;

/// The longest remark of an agent, in bytes; a longer one is cut.
const REMARK_BYTES: usize = 2 * 1024;

/// What an agent itself says about a permission request, as opposed to its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AgentRemark {
    /// None if the agent marked the request and gave no words.
    pub words: Option<String>,
    pub stance: RemarkStance,
}

impl AgentRemark {
    /// Bounds the words; none for a mere reason without words.
    pub fn new(words: Option<&str>, stance: RemarkStance) -> Option<Self> {
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        let words = words.map(|words| cut_at(with_few_marks(words), REMARK_BYTES, CUT_REMARK));
        (words.is_some() || stance == RemarkStance::NoByDefault).then_some(Self { words, stance })
    }
}

/// What a remark means for the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RemarkStance {
    /// It says why the agent asks, and nothing more.
    Reason,
    /// A warning: the agent takes the request for denied unless the user decides otherwise, on its own card.
    NoByDefault,
}

/// One permission that an agent requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Approval {
    pub id: ApprovalId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The helper of the agent that asks; none if the agent itself asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub helper: Option<HelperId>,
    /// The name of that helper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub asked_by: Option<String>,
    /// The agent's title for it, usually the name of a tool.
    pub title: String,
    /// What the agent's model says it wants to do.
    pub description: Option<String>,
    /// What the agent itself says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub remark: Option<AgentRemark>,
    /// What exactly would run or change.
    pub subject: ToolDetail,
    /// The options, in the agent's order.
    pub options: Vec<ApprovalOption>,
    /// Whether a denial can carry a message to the agent.
    pub takes_message: bool,
    pub asked_at: Timestamp,
    /// The user's rule that denied it, or that had the user asked.
    pub rule: Option<PermissionRule>,
    /// Open, or how it ended.
    pub state: ApprovalState,
}

impl Approval {
    pub fn option(&self, id: &ApprovalOptionId) -> Option<&ApprovalOption> {
        self.options.iter().find(|option| option.id == *id)
    }

    /// Returns whether it is a plan that needs approval.
    pub const fn is_plan(&self) -> bool {
        matches!(self.subject, ToolDetail::Plan { .. })
    }

    /// Returns its title as an export or a notification shows it; a plan is no tool.
    pub fn shown_title(&self) -> Cow<'_, str> {
        if self.is_plan() { Cow::Borrowed("Plan") } else { shown_name(&self.title) }
    }

    /// Returns what it is about besides its tool, on one line: what a command does, the name of a file, or an address.
    pub fn about(&self, chars: usize) -> String {
        match &self.subject {
            ToolDetail::Command { command, .. } => acting_line(command, chars),
            ToolDetail::Read { path, .. }
            | ToolDetail::Edit { path, .. }
            | ToolDetail::Write { path, .. } => {
                let name = path.rsplit(['/', '\\']).find(|name| !name.is_empty()).unwrap_or(path);
                on_one_line(&name.replace(['\r', '\n'], "⏎"), chars)
            }
            ToolDetail::Network { target } => on_one_line(target, chars),
            _ => String::new(),
        }
    }

    /// Returns its title, with what it is about.
    pub fn name(&self, chars: usize) -> String {
        match (self.shown_title(), self.about(chars)) {
            (title, about) if about.is_empty() => title.into_owned(),
            (title, about) => format!("{title}: {about}"),
        }
    }

    /// Returns the agent's warning: the remark with which it marked the request as one to deny.
    pub fn warning(&self) -> Option<&AgentRemark> {
        self.remark.as_ref().filter(|remark| remark.stance == RemarkStance::NoByDefault)
    }

    /// Returns the rule that denied it without the user being asked.
    pub fn denied_by(&self) -> Option<&PermissionRule> {
        self.rule.as_ref().filter(|rule| rule.action == RuleAction::Deny)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalOption {
    /// The agent's id of the option, returned unchanged.
    pub id: ApprovalOptionId,
    pub kind: ApprovalOptionKind,
    pub label: OptionLabel,
    /// The scope; none if the kind already says it.
    pub scope: Option<OptionScope>,
    /// Whether it can be chosen together with other options of this kind that allow it.
    pub combines: bool,
}

/// What an option does. The names come from the Agent Client Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalOptionKind {
    AllowOnce,
    /// Allows this, and from now on whatever the label says.
    AllowAlways,
    RejectOnce,
    /// Denies this, and from now on whatever the label says.
    RejectAlways,
}

impl ApprovalOptionKind {
    /// Returns whether it lets the agent proceed.
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
    /// A rule for calls of a tool, from now on.
    Tool {
        tool: String,
        /// Which of its calls, in the agent's own pattern; none means all.
        content: Option<String>,
        behavior: ToolRule,
    },
    /// Folders that the agent may work in from now on.
    Folder { paths: Vec<String> },
    /// Sets a config option from now on.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptionScope {
    Session,
    /// Every session in this folder, until the agent's server ends; nothing is saved.
    Server,
    /// This folder, for this user.
    Local,
    /// This folder, for everyone who works in it.
    Project,
    User,
}

/// Whether an approval is open or has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalState {
    /// Awaits a decision.
    Open,
    Decided {
        decision: ApprovalDecision,
        at: Timestamp,
        /// Set if the decision could not be delivered to the agent.
        error: Option<DeliveryError>,
    },
    /// The agent withdrew it, its turn ended, or the session is gone.
    Withdrawn { at: Timestamp },
    /// The agent itself refused it; nobody decided, and nothing was run.
    Refused { at: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovalDecision {
    /// The chosen options: one, or several that can be combined.
    pub options: Vec<ApprovalOptionId>,
    /// The message to the agent that goes with a denial.
    #[serde(default)]
    pub message: Option<String>,
    /// The plan as the user edited it; none if it is unchanged.
    #[serde(default)]
    pub plan: Option<String>,
}

impl ApprovalDecision {
    /// Chooses one option without a message.
    pub fn of(option: ApprovalOptionId) -> Self {
        Self { options: vec![option], message: None, plan: None }
    }

    /// Returns whether it lets the agent proceed; none if it names no option of the approval.
    pub fn allows(&self, approval: &Approval) -> Option<bool> {
        let first = self.options.first().and_then(|id| approval.option(id));
        first.map(|option| option.kind.allows())
    }
}
