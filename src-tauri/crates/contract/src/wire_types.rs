//! Writes the TypeScript form of every wire type, and compares it with the file that is checked in.

use std::path::Path;

use askdesk_domain as domain;
use ts_rs::{Config, TS};

use crate as contract;
use crate::frame;

macro_rules! declarations {
    ($config:expr; $($type:ty,)+) => { vec![$(<$type as TS>::decl($config)),+] };
}

macro_rules! command_map {
    (
        engine { $($name:ident($input:ident) -> $output:ident,)+ }
        desk { $($desk_name:ident($desk_input:ident) -> $desk_output:ident,)+ }
    ) => {
        command_map! { @ $($name($input) -> $output,)+ $($desk_name($desk_input) -> $desk_output,)+ }
    };
    (@ $($name:ident($input:ident) -> $output:ident,)+) => {
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
        contract::AnswerQuestion, contract::HoldEnd, contract::UndoEnd, contract::DeclineQuestion, contract::CancelQuestion, contract::RetryDelivery,
        contract::DismissRequest, contract::DecideApproval, contract::StartSession, contract::ForkSession, contract::ListFilesSince, contract::FilesSinceRead, contract::FilesSince, contract::FileSince, contract::SendMessage, domain::Attachment, domain::ImageFormat, domain::ImageId, domain::Takes,
        contract::AttachImage, contract::AttachText, contract::AttachedFiles, contract::RefusedFile, contract::RefusedWhy, contract::DiscardAttachments, contract::QueueMessage, contract::EditQueued,
        contract::RemoveQueued, contract::SendQueued, contract::InterruptSession, contract::StopHelper, contract::ReadHelperOutput, contract::HelperOutput, contract::StopSession,
        contract::RenameSession, contract::ChangeFolder, contract::SetSessionNotifications, contract::MoveSession, contract::CloseSession, contract::ResumeSession,
        contract::SetConfig,
        domain::AgentCommand, contract::ListCommands, contract::CommandsListed, contract::FindFiles, contract::FilesFound,
        contract::ListAgents, contract::Way, contract::Failure, contract::FailedWay, contract::ListOwnSessions, contract::OwnSessionsFound, contract::OwnSession, contract::OwnSessionsProblem, contract::ReadEnvironment, contract::EnvironmentRead, contract::AgentsFound, contract::AgentFound, contract::ReadAgentVersion, contract::AgentVersion, contract::ReadSignIn, contract::SignInRead, contract::SignIn,
        contract::ReadTranscript, contract::TranscriptPage, contract::ReadLog, contract::SessionLog, contract::LogLine, contract::LogKind,
        domain::Settings, domain::Setting, domain::Language, domain::LanguageChoice, domain::Theme, domain::TextSize, domain::Density,
        domain::NotifyQuestions, domain::OnOff, domain::OptIn, domain::UndoSeconds, domain::OnClose, domain::RetentionDays, domain::DailyBudget, domain::PausedUntil, domain::DoNotDisturbHours, domain::GlobalShortcut, domain::ReminderMinutes, domain::PreferredEditor, domain::EditorCommand, domain::PreferredTerminal, domain::TerminalCommand, contract::IgnoredSetting, contract::IgnoredWhy,
        contract::UpdateRead, contract::Release, contract::UpdateByHand, contract::UpdatePhase, contract::UpdateObstacle, contract::UpdateProblem, contract::SetAsideUntil,
        contract::ReadUpdate, contract::CheckForUpdate, contract::InstallUpdate, contract::CancelUpdate, contract::SetUpdateAside,
        contract::ReadSettings, contract::ChangeSetting, contract::SettingsRead, contract::UnappliedSetting, contract::UnappliedReason,
        domain::PendingItem, domain::Occasion, domain::NotificationDecision, domain::NotificationContent, domain::SuppressedWhy, domain::NotNeededWhy,
        contract::ReadNotificationLog, contract::NotificationLogRead, contract::NotificationLogEntry,
        contract::Client, contract::Obstacle, contract::ReadClients, contract::ClientsRead, contract::ClientRead, contract::ClientWay, contract::ClientBreak, contract::FileTrouble,
        contract::ReadClientVersions, contract::ClientVersions, contract::ClientVersion, contract::ConfirmClient, contract::Confirmation, contract::PlanClient, contract::ClientGoal, contract::ClientPlan, contract::ClientChange, contract::FileBecomes, contract::ClientNote, contract::ChangeClient, contract::TestGateway,
        domain::PermissionRule, domain::RuleAction, domain::PermissionRules, domain::PermissionRuleError, contract::ReadPermissions, contract::PermissionsRead, contract::StandingPermission, contract::WrittenPermission, contract::AllowedPermission, contract::UnreadablePermissions,
        contract::PlanPermissionRemoval, contract::PermissionRemoval, contract::RemovePermission,
        domain::Program, contract::ListPrograms, contract::ProgramsFound, contract::OpenIn, contract::ContinueInTerminal,
        contract::NoteView, contract::NotePainted, contract::PageStart, contract::FirstTranscript, contract::Done,
        contract::EntryKind, contract::SearchHistory, contract::HistoryFound, contract::SearchHit,
        contract::ReadPastSessions, contract::PastSessions, contract::ExportFormat,
        contract::SaveExport, contract::SavedExport, contract::DeleteSession,
        contract::OutcomeKind, contract::QuestionsWanted, contract::SearchQuestions, contract::QuestionsFound,
        contract::PastQuestion, contract::DayBounds, contract::AnswerTimeCount, contract::CountQuestions, contract::QuestionTotals,
        contract::QuestionsFormat, contract::SaveQuestions,
        contract::ChangeTotals, contract::ChangeKind, contract::Content, contract::ChangedFile, contract::ChangedFiles, contract::WhyUnrecorded, contract::Unrecorded, contract::DiffPart, contract::Side, contract::FileChange, contract::ShownPart, contract::Unavailable, contract::RevertRefused,
        contract::Head, frame::SessionHead, frame::SessionRetry, frame::SessionFinished, frame::FinishedTurn, frame::StorageOutage, frame::Retry, domain::Worktree, domain::SetupCommand, contract::WorktreePlan, contract::PlanFlaw, contract::WorktreeUnavailable, contract::WorktreeRefused, contract::WorktreeState, contract::Listed, contract::Loss, contract::Blocked, contract::BranchFate,
        contract::PlanWorktree, contract::PlannedWorktree, contract::StartWorktree, contract::ReadWorktree, contract::MergeWorktree, contract::RebaseWorktree, contract::RemoveWorktree,
        contract::ListChanges, contract::ReadChange, contract::RevertChange,
        contract::ReadSessionUsage, contract::CountUsage, contract::UsageOfDays, contract::CompactSession,
        contract::RecoverDatabase, contract::DatabaseRecovered, contract::SettleStorage,
        domain::Draft, domain::DraftAnswer, domain::ApprovalDraft, domain::ApprovalForm, domain::DraftTarget,
        contract::SaveDraft, contract::ReadDrafts, contract::DraftsRead,
        contract::ErrorCode, contract::Error, contract::EndedElsewhere, contract::Detail,
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
