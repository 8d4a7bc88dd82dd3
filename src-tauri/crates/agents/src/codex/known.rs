//! What this adapter knows of Codex's protocol (0.171.0): closed lists. A word in none of them is unknown: what it says is shown
//! or counted, and a request is refused.

/// Notifications that are known and say nothing that a user needs here.
pub const SILENT: &[&str] = &[
    "account/gatewayOAuth/changed",
    "account/login/completed",
    "account/updated",
    "app/list/updated",
    "command/exec/outputDelta",
    "externalAgentConfig/import/completed",
    "externalAgentConfig/import/progress",
    "fs/changed",
    "fuzzyFileSearch/sessionCompleted",
    "fuzzyFileSearch/sessionUpdated",
    "hook/completed",
    "hook/started",
    "item/autoApprovalReview/completed",
    "item/autoApprovalReview/started",
    // The output stands in the finished item.
    "item/commandExecution/outputDelta",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/mcpToolCall/progress",
    "mcpServer/event/stream/notification",
    "mcpServer/oauthLogin/completed",
    "model/safetyBuffering/updated",
    "model/verification",
    "modelProvider/authRecoveryCompleted",
    "modelProvider/authRecoveryStarted",
    "process/exited",
    "process/outputDelta",
    "project/changed",
    "rawResponse/completed",
    "rawResponseItem/completed",
    "remoteControl/status/changed",
    "thread/archived",
    "thread/attachment/updated",
    // The item of the compaction says it.
    "thread/compacted",
    "thread/deleted",
    "thread/environment/connected",
    "thread/environment/disconnected",
    "thread/goal/cleared",
    "thread/goal/updated",
    "thread/prediction/updated",
    "thread/project/updated",
    "thread/queue/changed",
    "thread/readState/changed",
    "thread/realtime/closed",
    "thread/realtime/error",
    "thread/realtime/item/completed",
    "thread/realtime/item/started",
    "thread/realtime/item/transcript/delta",
    "thread/realtime/itemAdded",
    "thread/realtime/outputAudio/delta",
    "thread/realtime/sdp",
    "thread/realtime/started",
    "thread/realtime/transcript/delta",
    "thread/realtime/transcript/done",
    "thread/reverted",
    "thread/search/partial",
    "thread/section/changed",
    "thread/status/changed",
    "thread/unarchived",
    // The changes of a session are recorded by the app itself.
    "turn/diff/updated",
    "turn/moderationMetadata",
    "windowsSandbox/setupCompleted",
];

/// Notifications that a user should read, with the fields of their words.
pub const WARNINGS: &[(&str, &[&str])] = &[
    ("warning", &["message"]),
    ("guardianWarning", &["message"]),
    ("deprecationNotice", &["summary", "details"]),
    ("configWarning", &["summary", "details", "path"]),
    ("windows/worldWritableWarning", &["message"]),
    ("autoApprovalReview/strictReviewRequired", &["message"]),
];

/// Notifications that are read.
pub const READ: &[&str] = &[
    "account/rateLimits/updated",
    "error",
    "item/agentMessage/delta",
    "item/completed",
    "item/fileChange/patchUpdated",
    "item/plan/delta",
    "item/reasoning/summaryPartAdded",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/textDelta",
    "item/started",
    "mcpServer/startupStatus/updated",
    "model/rerouted",
    "serverRequest/resolved",
    "skills/changed",
    "thread/closed",
    "thread/name/updated",
    "thread/settings/updated",
    "thread/started",
    "thread/tokenUsage/updated",
    "turn/completed",
    "turn/plan/updated",
    "turn/started",
];

/// Requests that are answered.
pub const REQUESTS: &[&str] = &[
    "item/commandExecution/requestApproval",
    "item/fileChange/requestApproval",
    "item/permissions/requestApproval",
    "item/tool/call",
    "item/tool/requestUserInput",
    "mcpServer/elicitation/request",
];

/// Requests that reach only clients which declare or do more than this one. They are refused like unknown ones.
pub const FOR_OTHERS: &[&str] = &[
    "account/chatgptAuthTokens/refresh",
    "applyPatchApproval",
    "attestation/generate",
    "currentTime/read",
    "execCommandApproval",
];

/// Items of a turn that have a meaning of their own, or a look as a tool call.
pub const ITEMS: &[&str] = &[
    "agentMessage",
    "collabAgentToolCall",
    "commandExecution",
    "contextCompaction",
    "dynamicToolCall",
    "enteredReviewMode",
    "exitedReviewMode",
    "fileChange",
    "functionCallOutput",
    "hookPrompt",
    "imageGeneration",
    "imageView",
    "mcpToolCall",
    "plan",
    "reasoning",
    "sleep",
    "subAgentActivity",
    "userMessage",
    "webSearch",
];
