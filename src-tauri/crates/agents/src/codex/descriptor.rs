//! What Codex is: its descriptor, its config options and the flags that settings leave alone.

use askdesk_domain::attachment::{ATTACHMENTS, IMAGE_BYTES, MESSAGE_BYTES};
use askdesk_domain::{
    AgentDescriptor, AgentId, Capabilities, ConfigCategory, ConfigId, ConfigOption, ConfigValue,
    ReservedFlags, Risk, SupportedVersions, Takes, ValueId,
};

pub const CODEX: AgentId = AgentId::literal("codex");
/// The config option of the collaboration mode.
pub const MODE: ConfigId = ConfigId::literal("mode");
/// The config option of when it asks for permission.
pub const APPROVALS: ConfigId = ConfigId::literal("approval_policy");
/// The config option of what its commands can reach.
pub const SANDBOX: ConfigId = ConfigId::literal("sandbox");
pub const MODEL: ConfigId = ConfigId::literal("model");
pub const EFFORT: ConfigId = ConfigId::literal("effort");
/// The mode in which it plans and changes nothing.
pub const PLAN: ValueId = ValueId::literal("plan");
pub const DEFAULT: ValueId = ValueId::literal("default");

const VERSIONS: SupportedVersions = SupportedVersions::of_package("@openai/codex", "0.171.0", None);

/// Flags that the user's settings may not add to its command line.
pub(super) const RESERVED_FLAGS: ReservedFlags = ReservedFlags {
    own: &["--", "--listen", "--stdio", "--print-startup-config", "--help", "--version"],
    own_short: &['h', 'V'],
    chosen: &[],
};

/// Describes Codex.
pub(super) fn descriptor() -> AgentDescriptor {
    AgentDescriptor {
        id: CODEX,
        name: "Codex".to_owned(),
        program: Some("codex".to_owned()),
        install: Some("npm install -g @openai/codex".to_owned()),
        login: Some("codex login".to_owned()),
        versions: Some(VERSIONS),
        capabilities: Capabilities {
            takes: Takes::ImagesAndFiles {
                count: ATTACHMENTS,
                image_bytes: IMAGE_BYTES,
                text_bytes: MESSAGE_BYTES,
            },
            compact: true,
            shell: true,
            fork: true,
            keeps_sign_in: true,
            ..Capabilities::default()
        },
        config: vec![mode(), approvals(), sandbox(), model(), effort()],
    }
}

fn mode() -> ConfigOption {
    let values = vec![
        ConfigValue {
            planning: true,
            ..ConfigValue::described(
                PLAN,
                "Plan",
                "The agent reads and plans, and proposes a plan before it changes anything.",
            )
        },
        ConfigValue::described(DEFAULT, "Default", "The agent works on the task."),
    ];
    ConfigOption::new(MODE, "Collaboration mode", ConfigCategory::Mode, values)
}

/// The value ids are the protocol's words.
fn approvals() -> ConfigOption {
    let values = vec![
        ConfigValue::described(
            ValueId::literal("untrusted"),
            "Ask unless trusted",
            "The agent asks before it runs a command, unless the command is known to only read.",
        ),
        ConfigValue::described(
            ValueId::literal("on-request"),
            "Ask when needed",
            "The agent asks when it needs more than its sandbox allows.",
        ),
        unattended(
            ValueId::literal("never"),
            "Never ask",
            "The agent asks for nothing. What its sandbox forbids fails.",
        ),
    ];
    ConfigOption::new(APPROVALS, "Permission requests", ConfigCategory::Mode, values)
}

/// The value ids are the protocol's words.
fn sandbox() -> ConfigOption {
    let values = vec![
        ConfigValue::described(
            ValueId::literal("read-only"),
            "Read only",
            "Commands can read files and change nothing.",
        ),
        ConfigValue::described(
            ValueId::literal("workspace-write"),
            "Write in the folder",
            "Commands can change files in the folder of the session, without a network.",
        ),
        unattended(
            ValueId::literal("danger-full-access"),
            "Full access",
            "Commands run without a sandbox and reach everything that you can reach.",
        ),
    ];
    ConfigOption::new(SANDBOX, "Sandbox", ConfigCategory::Mode, values)
}

/// Its models are known once a session runs.
fn model() -> ConfigOption {
    ConfigOption { free_text: true, ..ConfigOption::new(MODEL, "Model", ConfigCategory::Model, Vec::new()) }
}

/// The efforts that most models take, by the protocol's words. Which a model takes is known once a session runs.
pub(super) const EFFORTS: [(&str, &str); 5] =
    [("low", "Low"), ("medium", "Medium"), ("high", "High"), ("xhigh", "Extra high"), ("max", "Maximum")];

fn effort() -> ConfigOption {
    let values = EFFORTS.map(|(id, name)| ConfigValue::new(ValueId::literal(id), name)).to_vec();
    ConfigOption::new(EFFORT, "Effort", ConfigCategory::Effort, values)
}

fn unattended(id: ValueId, name: &str, description: &str) -> ConfigValue {
    ConfigValue { risk: Risk::Unattended, ..ConfigValue::described(id, name, description) }
}
