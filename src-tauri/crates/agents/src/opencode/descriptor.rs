//! What OpenCode is: its descriptor, its config options and the flags that settings leave alone.

use askdesk_domain::attachment::{ATTACHMENTS, IMAGE_BYTES, MESSAGE_BYTES};
use askdesk_domain::{
    AgentDescriptor, AgentId, Capabilities, ConfigCategory, ConfigId, ConfigOption, ConfigValue,
    ReservedFlags, SupportedVersions, Takes, ValueId,
};

pub const OPENCODE: AgentId = AgentId::literal("opencode");
/// The config option of the agent, which OpenCode also calls mode.
pub const AGENT: ConfigId = ConfigId::literal("agent");
pub const MODEL: ConfigId = ConfigId::literal("model");
/// The config option of when it asks for permission.
pub const PERMISSIONS: ConfigId = ConfigId::literal("permissions");
/// The value with which it asks before it changes a file or runs a command.
pub const ASK: ValueId = ValueId::literal("ask");
/// The agent that only plans.
pub(super) const PLAN: &str = "plan";

/// OpenCode 2 has another API, tried against a stand-in alone.
const VERSIONS: SupportedVersions = SupportedVersions::of_package("opencode-ai", "1.18.33", Some("2.0.0"));

/// Flags that the user's settings may not add to its command line.
pub(super) const RESERVED_FLAGS: ReservedFlags = ReservedFlags {
    own: &["--", "--port", "--hostname", "--mdns", "--mdns-domain", "--cors", "--help", "--version"],
    own_short: &['h', 'v'],
    chosen: &[],
};

/// Describes OpenCode.
pub(super) fn descriptor() -> AgentDescriptor {
    AgentDescriptor {
        id: OPENCODE,
        name: "OpenCode".to_owned(),
        program: Some("opencode".to_owned()),
        install: Some("npm install -g opencode-ai".to_owned()),
        login: Some("opencode auth login".to_owned()),
        versions: Some(VERSIONS),
        capabilities: Capabilities {
            takes: Takes::ImagesAndFiles {
                count: ATTACHMENTS,
                image_bytes: IMAGE_BYTES,
                text_bytes: MESSAGE_BYTES,
            },
            compact: true,
            shell: true,
            cost_is_estimate: true,
            fork: true,
            ..Capabilities::default()
        },
        config: vec![agent(), permissions(), model()],
    }
}

/// The agents that come with it. The running server lists them with the user's own.
fn agent() -> ConfigOption {
    let values = vec![
        value(PLAN, "Plan", "The agent reads and plans, and changes no files."),
        value("build", "Build", "The agent works with the permissions set in OpenCode."),
    ];
    ConfigOption::new(AGENT, "Agent", ConfigCategory::Mode, values)
}

/// Without configuration OpenCode runs commands and changes files without asking.
fn permissions() -> ConfigOption {
    let values = vec![
        value("ask", "Ask before changes", "The agent asks before it changes a file or runs a command."),
        value(
            "configured",
            "As set in OpenCode",
            "OpenCode's own configuration decides when the agent asks.",
        ),
    ];
    ConfigOption {
        live: false,
        ..ConfigOption::new(PERMISSIONS, "Permissions", ConfigCategory::Mode, values)
    }
}

/// The running server lists the models of the user's providers.
fn model() -> ConfigOption {
    ConfigOption { free_text: true, ..ConfigOption::new(MODEL, "Model", ConfigCategory::Model, Vec::new()) }
}

fn value(id: &'static str, name: &str, description: &str) -> ConfigValue {
    ConfigValue { planning: id == PLAN, ..ConfigValue::described(ValueId::literal(id), name, description) }
}
