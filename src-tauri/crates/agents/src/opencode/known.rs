//! What this adapter knows of OpenCode's protocol (1.18.33): closed lists. A word in none of them is unknown: what it says is shown
//! or counted.

/// Kinds of events that are about the server, its folders or its terminal program, and not about a session's work.
pub const ABOUT_SERVER: &[&str] = &[
    "agent.",
    "catalog.",
    "command.",
    "config.",
    "credential.",
    "file.",
    "filesystem.",
    "global.",
    "installation.",
    "integration.",
    "location.",
    "lsp.",
    "mcp.",
    "model.",
    "models-dev.",
    "plugin.",
    "project.",
    "provider.",
    "pty.",
    "reference.",
    "shell.",
    "skill.",
    "tui.",
    "vcs.",
    "websearch.",
    "workspace.",
    "worktree.",
];

/// Kinds of events of a session that repeat what other events say.
pub const REPEATED: &[&str] = &[
    "message.part.removed",
    "message.removed",
    "permission.v2.",
    "question.v2.",
    "session.deleted",
    "session.diff",
    "session.next.",
];

/// Events that ask the user something.
pub const REQUESTS: &[&str] = &["permission.asked", "question.asked"];

/// What they are called in the API of OpenCode 2, which is translated. An older server sends both.
pub const REQUESTS_2: &[&str] = &["form.created", "permission.v2.asked", "question.v2.asked"];

/// Other events that are read.
pub const EVENTS: &[&str] = &[
    "message.part.delta",
    "message.part.updated",
    "message.updated",
    "permission.replied",
    "question.rejected",
    "question.replied",
    "server.connected",
    "server.heartbeat",
    "server.instance.disposed",
    "session.compacted",
    "session.created",
    "session.error",
    "session.idle",
    "session.status",
    "session.updated",
    "todo.updated",
];

/// Parts of messages.
pub const PARTS: &[&str] = &[
    "agent",
    "compaction",
    "file",
    "patch",
    "reasoning",
    "retry",
    "snapshot",
    "step-finish",
    "step-start",
    "subtask",
    "text",
    "tool",
];
