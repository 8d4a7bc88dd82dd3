//! Writes the TypeScript form of every wire type, and compares it with the file that is checked in.

use std::path::Path;

use askdesk_domain as domain;
use askdesk_engine::{frame, session_log};
use ts_rs::{Config, TS};

use crate::{dto, error};

macro_rules! declarations {
    ($config:expr; $($type:ty,)+) => { vec![$(<$type as TS>::decl($config)),+] };
}

macro_rules! command_map {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        concat!(
            "\nexport interface CommandMap {\n",
            $("  ", stringify!($name), ": { input: ", stringify!($input), "; output: ", stringify!($output), " };\n",)+
            "}\n"
        )
    };
}

fn typescript() -> String {
    let config = Config::default();
    let types = declarations![&config;
        domain::RequestId, domain::SessionId, domain::ApprovalId, domain::CommandId, domain::AnswerId, domain::NativeRef, domain::HelperId,
        domain::QuestionId, domain::OptionId, domain::Timestamp,
        domain::QuestionKind, domain::QuestionOption, domain::NumberLimit, domain::TextFormat, domain::AnswerBounds, domain::DefaultAnswer, domain::Question,
        domain::AnswerInput, domain::EndInput, domain::HeldEnd, domain::Answer, domain::Answers,
        domain::Limit, domain::Request, domain::RequestState, domain::Ended, domain::Outcome,
        domain::EndedBy, domain::WithdrawnWhy, domain::Asker, domain::OrphanedWhy, domain::Delivery,
        domain::AgentId, domain::MachineId, domain::ConfigId, domain::ValueId, domain::NativeSession, domain::ConfigOption, domain::ConfigCategory, domain::ConfigValue, domain::Risk,
        domain::AgentDescriptor, domain::SupportedVersions, domain::VersionFit, domain::Capabilities, domain::Origin, domain::OriginKind, domain::Channel, domain::QuestionPolicy, domain::LaunchOverrides, domain::Arguments, domain::Environment, domain::SessionOptions,
        domain::MessageId, domain::QueuedMessage, domain::SessionNotifications, domain::Helper, domain::HelperKind, domain::HelperState, domain::HelperEnd, domain::Session, domain::NamedBy, domain::SessionState, domain::SessionEnd,
        domain::AgentFailure, domain::StartRefusal, domain::SearchedLocation, domain::FolderError, domain::ProgramError, domain::NextStep,
        domain::DeliveryError, domain::StorageError, domain::ValidationError, domain::SettingError, domain::CommandError, domain::OpenError, domain::LaunchOverrideError, domain::ChangeRefused, domain::UnsupportedFeature,
        domain::ToolDetail, domain::TodoItem, domain::TodoStatus,
        domain::ApprovalOptionId, domain::ApprovalOption, domain::ApprovalOptionKind, domain::OptionLabel, domain::ToolRule, domain::OptionScope,
        domain::AgentRemark, domain::RemarkStance, domain::Approval, domain::ApprovalState, domain::ApprovalDecision,
        domain::Usd, domain::ContextUse, domain::UsageSum, domain::SessionUsage, domain::Entry, domain::EntryBody, domain::ToolKind, domain::ToolStatus, domain::StoredImage, domain::EarlierMessages, domain::Unsaved, domain::Notice,
        frame::Frame, frame::Snapshot, frame::Delta, frame::Change, frame::LiveText, frame::LiveKind, frame::SessionChanges, frame::SessionContext,
        frame::StorageNotice,
        dto::AnswerQuestion, dto::HoldEnd, dto::UndoEnd, dto::DeclineQuestion, dto::CancelQuestion, dto::RetryDelivery,
        dto::DismissRequest, dto::DecideApproval, dto::StartSession, dto::ForkSession, dto::ListFilesSince, dto::FilesSinceRead, askdesk_changes::FilesSince, askdesk_changes::FileSince, dto::SendMessage, domain::Attachment, domain::ImageFormat, domain::ImageId, domain::Takes,
        dto::AttachImage, dto::AttachText, dto::AttachedFiles, dto::RefusedFile, dto::RefusedWhy, dto::DiscardAttachments, dto::QueueMessage, dto::EditQueued,
        dto::RemoveQueued, dto::SendQueued, dto::InterruptSession, dto::StopHelper, dto::ReadHelperOutput, askdesk_engine::helper_outputs::HelperOutput, dto::StopSession,
        dto::RenameSession, dto::ChangeFolder, dto::SetSessionNotifications, dto::MoveSession, dto::CloseSession, dto::ResumeSession,
        dto::SetConfig,
        domain::AgentCommand, dto::ListCommands, dto::CommandsListed, dto::FindFiles, dto::FilesFound,
        dto::ListAgents, askdesk_user_environment::Way, askdesk_user_environment::Failure, askdesk_user_environment::FailedWay, dto::ListOwnSessions, dto::OwnSessionsFound, dto::OwnSession, dto::OwnSessionsProblem, dto::ReadEnvironment, dto::EnvironmentRead, dto::AgentsFound, dto::AgentFound, dto::ReadAgentVersion, dto::AgentVersion, dto::ReadSignIn, dto::SignInRead, dto::SignIn,
        dto::ReadTranscript, dto::TranscriptPage, dto::ReadLog, dto::SessionLog, session_log::LogLine, session_log::LogKind,
        domain::Settings, domain::Setting, domain::Language, domain::LanguageChoice, domain::Theme, domain::TextSize, domain::Density,
        domain::NotifyQuestions, domain::OnOff, domain::OptIn, domain::UndoSeconds, domain::OnClose, domain::RetentionDays, domain::DailyBudget, domain::PausedUntil, domain::DoNotDisturbHours, domain::GlobalShortcut, domain::ReminderMinutes, domain::PreferredEditor, domain::EditorCommand, domain::PreferredTerminal, domain::TerminalCommand, askdesk_engine::IgnoredSetting, askdesk_engine::IgnoredWhy,
        dto::UpdateRead, dto::Release, dto::UpdateByHand, dto::UpdatePhase, dto::UpdateObstacle, dto::UpdateProblem, dto::SetAsideUntil,
        dto::ReadUpdate, dto::CheckForUpdate, dto::InstallUpdate, dto::CancelUpdate, dto::SetUpdateAside,
        dto::ReadSettings, dto::ChangeSetting, dto::SettingsRead, dto::UnappliedSetting, dto::UnappliedReason,
        domain::PendingItem, domain::Occasion, domain::NotificationDecision, domain::NotificationContent, domain::SuppressedWhy, domain::NotNeededWhy,
        dto::ReadNotificationLog, dto::NotificationLogRead, dto::NotificationLogEntry,
        askdesk_client_config::Client, askdesk_client_config::Obstacle, dto::ReadClients, dto::ClientsRead, dto::ClientRead, dto::ClientWay, dto::ClientBreak, dto::FileTrouble,
        dto::ReadClientVersions, dto::ClientVersions, dto::ClientVersion, dto::ConfirmClient, askdesk_client_config::Confirmation, dto::PlanClient, dto::ClientGoal, dto::ClientPlan, dto::ClientChange, dto::FileBecomes, dto::ClientNote, dto::ChangeClient, dto::TestGateway,
        domain::PermissionRule, domain::RuleAction, domain::PermissionRules, domain::PermissionRuleError, dto::ReadPermissions, dto::PermissionsRead, dto::StandingPermission, dto::WrittenPermission, dto::AllowedPermission, dto::UnreadablePermissions,
        dto::PlanPermissionRemoval, dto::PermissionRemoval, dto::RemovePermission,
        domain::Program, dto::ListPrograms, dto::ProgramsFound, dto::OpenIn, dto::ContinueInTerminal,
        dto::NoteView, dto::NotePainted, dto::PageStart, dto::FirstTranscript, dto::Done,
        askdesk_engine::EntryKind, dto::SearchHistory, dto::HistoryFound, dto::SearchHit,
        dto::ReadPastSessions, dto::PastSessions, dto::ExportFormat,
        dto::SaveExport, dto::SavedExport, dto::DeleteSession,
        askdesk_engine::OutcomeKind, dto::QuestionsWanted, dto::SearchQuestions, dto::QuestionsFound,
        dto::PastQuestion, askdesk_engine::DayBounds, askdesk_engine::AnswerTimeCount, dto::CountQuestions, dto::QuestionTotals,
        dto::QuestionsFormat, dto::SaveQuestions,
        askdesk_changes::ChangeTotals, askdesk_changes::ChangeKind, askdesk_changes::Content, askdesk_changes::ChangedFile, askdesk_changes::ChangedFiles, askdesk_changes::WhyUnrecorded, askdesk_changes::Unrecorded, askdesk_changes::DiffPart, askdesk_changes::Side, askdesk_changes::FileChange, askdesk_changes::ShownPart, askdesk_changes::Unavailable, askdesk_changes::RevertRefused,
        askdesk_worktrees::Head, frame::SessionHead, frame::SessionRetry, frame::StorageOutage, frame::Retry, domain::Worktree, domain::SetupCommand, askdesk_worktrees::WorktreePlan, askdesk_worktrees::PlanFlaw, askdesk_worktrees::WorktreeUnavailable, askdesk_worktrees::WorktreeRefused, askdesk_worktrees::WorktreeState, askdesk_worktrees::Listed, askdesk_worktrees::Loss, askdesk_worktrees::Blocked, askdesk_worktrees::BranchFate,
        dto::PlanWorktree, dto::PlannedWorktree, dto::StartWorktree, dto::ReadWorktree, dto::MergeWorktree, dto::RebaseWorktree, dto::RemoveWorktree,
        dto::ListChanges, dto::ReadChange, dto::RevertChange,
        dto::ReadSessionUsage, dto::CountUsage, dto::UsageOfDays, dto::CompactSession,
        dto::RecoverDatabase, dto::DatabaseRecovered, dto::SettleStorage,
        domain::Draft, domain::DraftAnswer, domain::ApprovalDraft, domain::ApprovalForm, domain::DraftTarget,
        dto::SaveDraft, dto::ReadDrafts, dto::DraftsRead,
        error::ErrorCode, error::Error, error::EndedElsewhere, error::Detail,
    ];
    let mut text = String::from("// Generated from the Rust types by `cargo xtask wire`. Do not edit.\n");
    text.push_str("// The Rust types have the documentation.\n\n");
    for declaration in types {
        text.push_str(&format!("export {}\n", on_one_line(&declaration)));
    }
    text.push_str(crate::for_each_command!(command_map));
    text.push_str(&setting_descriptors());
    text
}

/// Removes the comments and line breaks of a type.
fn on_one_line(declaration: &str) -> String {
    let parts = declaration.split("/**").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
    parts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The declarations of the settings, from which the page builds the settings window.
#[allow(clippy::unwrap_used, reason = "a value without maps of other keys always becomes JSON")]
fn setting_descriptors() -> String {
    let mut text = String::from("\nexport const settingDescriptors = [\n");
    for domain::SettingDescriptor { id, category, kind, .. } in domain::SETTINGS {
        let mut descriptor = serde_json::json!({"id": id, "category": category});
        let kind = serde_json::to_value(kind()).unwrap();
        descriptor.as_object_mut().unwrap().extend(kind.as_object().unwrap().clone());
        text.push_str(&format!("  {descriptor},\n"));
    }
    text.push_str("] as const;\n");
    text
}

#[test]
fn wire_types_match_the_typescript_checked_in() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/generated/wire.ts");
    let now = typescript();
    if std::env::var_os("UPDATE_WIRE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &now).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == now, "ui/src/generated/wire.ts is out of date; run `cargo xtask wire`");
}
