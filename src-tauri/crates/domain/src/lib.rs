//! What sessions, questions, answers and approvals are, and which state changes are legal.
//!
//! Nothing here does IO, reads a clock, draws a random id or parses another program's JSON: every
//! command carries its time and its ids, [`decide`] returns what happens, and [`Desk::fold`] applies it.

/// Converts the value of each variant into the enum.
macro_rules! from_variants {
    ($outer:ident { $($variant:ident($inner:ty)),+ }) => {$(
        impl From<$inner> for $outer {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        }
    )+};
}

pub mod acting_line;
pub mod agent;
pub mod agent_command;
pub mod agent_failure;
pub mod agent_version;
pub mod answer;
pub mod answer_bounds;
pub mod approval;
pub mod attachment;
pub mod budget;
pub mod command;
pub mod command_template;
pub mod config;
pub mod decide;
pub mod desk;
pub mod do_not_disturb;
pub mod draft;
pub mod draft_rules;
pub mod ended_by;
pub mod error;
pub mod event;
pub mod helper;
pub mod id;
pub mod inbound;
pub mod language;
pub mod launch_overrides;
pub mod notification_policy;
pub mod origin;
pub mod pending;
pub mod permission_rule;
pub mod preferred_program;
pub mod programs;
pub mod question;
pub mod question_input;
pub mod queue;
pub mod redaction;
pub mod rejection;
pub mod request;
pub mod retention;
pub mod retention_days;
pub mod session;
pub mod session_name;
pub mod session_options;
pub mod settings;
pub mod setup_command;
pub mod shortcut;
pub mod text;
pub mod tool;
pub mod transcript;
pub mod undo_window;
pub mod usage;
pub mod worktree;

pub use agent::{AgentDescriptor, Capabilities};
pub use agent_command::AgentCommand;
pub use agent_failure::{AgentFailure, FolderError, NextStep, ProgramError, SearchedLocation, StartRefusal};
pub use agent_version::{SupportedVersions, VersionFit};
pub use answer::{Answer, AnswerInput, Answers};
pub use answer_bounds::{AnswerBounds, DefaultAnswer, NumberLimit, TextFormat, TypedNumber};
pub use approval::{
    AgentRemark, Approval, ApprovalDecision, ApprovalOption, ApprovalOptionKind, ApprovalState, OptionLabel,
    OptionScope, RemarkStance, ToolRule,
};
pub use attachment::{Attachment, ImageFormat, ImageId, Takes};
pub use budget::DailyBudget;
pub use command::{
    ApprovalCommand, Ask, AskApproval, Command, HelperCommand, InboundCommand, QueueCommand, RequestCommand,
    SessionCommand,
};
pub use command_template::{EditorCommand, TerminalCommand};
pub use config::{Choices, ConfigCategory, ConfigOption, ConfigValue, Risk};
pub use decide::{ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST, Decision, Effect, decide};
pub use desk::Desk;
pub use do_not_disturb::{
    DoNotDisturbHours, MinuteOfDay, PausedUntil, ReminderMinutes, SessionNotifications,
};
pub use draft::{
    ApprovalDraft, ApprovalForm, Draft, DraftAnswer, DraftKey, DraftOutcome, DraftTarget, SavedDraft,
};
pub use ended_by::EndedBy;
pub use error::{
    CommandError, DeliveryError, LaunchOverrideError, OpenError, PermissionRuleError, Settable, SettingError,
    SettingKind, StorageError, ValidationError, Written,
};
pub use event::{ApprovalEvent, Event, QueueEvent, RequestEvent, SessionEvent};
pub use helper::{Helper, HelperEnd, HelperKind, HelperState};
pub use id::{
    AgentId, AnswerId, ApprovalId, ApprovalOptionId, CommandId, ConfigId, HelperId, MachineId, MessageId,
    NativeRef, NativeSession, OptionId, QuestionId, RequestId, SessionId, Timestamp, ValueId,
};
pub use inbound::{InboundClient, LastAsked, Leave};
pub use language::{Language, LanguageChoice};
pub use launch_overrides::{Arguments, Environment, LaunchOverrides, ReservedFlags};
pub use notification_policy::{
    NotNeededWhy, NotificationCandidate, NotificationCause, NotificationContent, NotificationDecision,
    NotificationHistory, NotificationRemoval, Occasion, SuppressedWhy,
};
pub use origin::{Channel, Origin, OriginKind};
pub use pending::{PendingItem, pending};
pub use permission_rule::{
    CallArgument, PermissionCall, PermissionRule, PermissionRules, RuleAction, RuleContext,
};
pub use preferred_program::{PreferredEditor, PreferredTerminal};
pub use programs::{Program, ProgramKind};
pub use question::{Question, QuestionKind, QuestionOption};
pub use question_input::{QuestionLimits, RawOption, RawQuestion, Refusal};
pub use queue::QueuedMessage;
pub use redaction::EventSubject;
pub use rejection::{ChangeRefused, Rejection, UnsupportedFeature};
pub use request::{
    Asker, CallDelivery, Delivery, Ended, Limit, OrphanedWhy, Outcome, Request, RequestState, WithdrawnWhy,
};
pub use retention_days::RetentionDays;
pub use session::{Session, SessionEnd, SessionState};
pub use session_name::{NamedBy, name_of_message};
pub use session_options::{QuestionPolicy, SessionOptions};
pub use settings::{
    Density, NotifyQuestions, OnClose, OnOff, OptIn, SETTINGS, Setting, SettingDescriptor, Settings,
    TextSize, Theme, UndoSeconds,
};
pub use setup_command::SetupCommand;
pub use shortcut::{Combination, GlobalShortcut, Modifiers, PressedKey};
pub use tool::{TodoItem, TodoStatus, ToolDetail, ToolKind};
pub use transcript::{EarlierMessages, Entry, EntryBody, Notice, StoredImage, ToolStatus, Unsaved};
pub use undo_window::{EndInput, HeldEnd, Hold, UndoWindow};
pub use usage::{ContextUse, SessionUsage, Usage, UsageSum, Usd};
pub use worktree::Worktree;
