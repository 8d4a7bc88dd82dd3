//! What a session, a question, an answer and an approval are, and which moves between their states are legal.
//!
//! Nothing here does IO, reads a clock, draws a random id or parses another program's JSON: every
//! command carries its time and its ids, [`decide`] says what happens, [`Desk::fold`] lets it happen.

pub mod agent;
pub mod answer;
pub mod approval;
pub mod attachment;
pub mod breach;
pub mod command;
pub mod config;
pub mod cost;
pub mod decide;
pub mod desk;
pub mod draft;
pub mod event;
pub mod extras;
pub mod failure;
pub mod forget;
pub mod held;
pub mod id;
pub mod intake;
pub mod language;
pub mod options;
pub mod origin;
pub mod question;
pub mod queue;
pub mod quiet;
pub mod reject;
pub mod request;
pub mod retention;
pub mod session;
pub mod settings;
pub mod shortcut;
pub mod storage;
pub mod telling;
pub mod text;
pub mod tool;
pub mod transcript;
pub mod undelivered;
pub mod unfit;
pub mod visit;

pub use agent::{AgentDescriptor, Capabilities, DuringTurn, QuestionPath};
pub use answer::{Answer, AnswerInput, Answers};
pub use approval::{
    Approval, ApprovalDecision, ApprovalOption, ApprovalOptionKind, ApprovalState, OptionLabel, OptionScope,
    ToolRule,
};
pub use attachment::{Attachment, ImageFormat, ImageId, Takes};
pub use breach::Breach;
pub use command::{Ask, AskApproval, Command};
pub use config::{Choices, ConfigCategory, ConfigOption, ConfigValue, Risk};
pub use cost::{ContextUse, Usage, Usd};
pub use decide::{ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST, Decision, Effect, decide};
pub use desk::{CallDelivery, Desk};
pub use draft::{ApprovalDraft, ApprovalForm, Begun, Draft, DraftAnswer, DraftFate, DraftOf, KeptDraft};
pub use event::Event;
pub use extras::{Arguments, Environment, Extras, ReservedFlags};
pub use failure::{Failure, FolderProblem, LookedAt, NextStep, ProgramProblem};
pub use forget::About;
pub use held::{HeldAnswer, HeldAnswers, Hold};
pub use id::{
    AgentId, ApprovalId, ApprovalOptionId, CommandId, ConfigId, MachineId, MessageId, NativeRef,
    NativeSession, OptionId, QuestionId, RequestId, SessionId, Timestamp, ValueId,
};
pub use intake::{IntakeRules, OptionDraft, QuestionDraft, Refusal};
pub use language::{Language, LanguageChoice};
pub use options::{QuestionPolicy, SessionOptions};
pub use origin::{Channel, Origin, OriginKind};
pub use question::{Question, QuestionKind, QuestionOption};
pub use queue::QueuedMessage;
pub use quiet::{MinuteOfDay, PausedUntil, QuietHours, RemindMinutes, SessionAttention};
pub use reject::{ChangeRefused, Reject, Unable};
pub use request::{
    Delivery, Ended, EndedBy, Limit, OrphanedWhy, Outcome, Request, RequestState, WithdrawnWhy,
};
pub use retention::KeepDays;
pub use session::{Session, SessionEnd, SessionState};
pub use settings::{
    Density, NotifyQuestions, OnClose, OnOff, OptIn, Setting, Settings, TextSize, Theme, UndoSeconds,
};
pub use shortcut::{Combination, GlobalShortcut, Held, PressedKey};
pub use storage::StorageTrouble;
pub use telling::{Finished, Form, News, NoNews, Occasion, Silenced, TakeBack, Telling, Told, Waiting};
pub use tool::{TodoItem, TodoStatus, ToolDetail, ToolKind};
pub use transcript::{Entry, EntryBody, Notice, ToolStatus};
pub use undelivered::Undelivered;
pub use unfit::{ExtraFlaw, Settable, Unfit, Written};
pub use visit::{LastAsked, Leave, Visitor};
