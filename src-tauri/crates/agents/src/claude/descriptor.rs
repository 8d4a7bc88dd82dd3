//! What Claude Code is: its descriptor, its config options and the flags that settings leave alone.

use askdesk_domain::attachment::{ATTACHMENTS, IMAGE_BYTES, MESSAGE_BYTES};
use askdesk_domain::{
    AgentDescriptor, AgentId, Capabilities, ConfigCategory, ConfigId, ConfigOption, ConfigValue,
    ReservedFlags, Risk, SupportedVersions, Takes, ValueId,
};

pub const CLAUDE_CODE: AgentId = AgentId::literal("claude_code");
/// The config option of the permission mode.
pub const MODE: ConfigId = ConfigId::literal("mode");
pub const MODEL: ConfigId = ConfigId::literal("model");
pub const EFFORT: ConfigId = ConfigId::literal("effort");
/// The mode in which it plans and changes nothing.
pub const PLAN: ValueId = ValueId::literal("plan");
pub const ASK: ValueId = ValueId::literal("default");
/// The mode in which it edits files without asking.
pub const ACCEPT_EDITS: ValueId = ValueId::literal("accept_edits");
/// The mode in which it asks for nothing; its questions still wait for a user.
pub const BYPASS: ValueId = ValueId::literal("bypass");
/// The mode in which a model of its own decides what runs, in place of a user.
pub const AUTO: ValueId = ValueId::literal("auto");

const VERSIONS: SupportedVersions =
    SupportedVersions::of_package("@anthropic-ai/claude-code", "2.1.332", None);

/// Flags that the user's settings may not add to its command line.
pub(super) const RESERVED_FLAGS: ReservedFlags = ReservedFlags {
    own: &[
        "--",
        "--print",
        "--input-format",
        "--output-format",
        "--permission-prompt-tool",
        "--session-id",
        "--resume",
        "--continue",
        "--fork-session",
        "--include-partial-messages",
        "--include-hook-events",
        "--replay-user-messages",
        "--verbose",
        "--help",
        "--version",
    ],
    own_short: &['p', 'r', 'c', 'h', 'v'],
    chosen: &["--permission-mode", "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"],
};

/// Describes Claude Code.
pub(super) fn descriptor() -> AgentDescriptor {
    AgentDescriptor {
        id: CLAUDE_CODE,
        name: "Claude Code".to_owned(),
        program: Some("claude".to_owned()),
        install: Some("npm install -g @anthropic-ai/claude-code".to_owned()),
        login: Some("claude auth login".to_owned()),
        versions: Some(VERSIONS),
        capabilities: capabilities(),
        config: vec![mode(), model(), effort()],
    }
}

/// What everything that speaks its protocol can do.
pub(crate) fn capabilities() -> Capabilities {
    Capabilities {
        takes: Takes::ImagesAndFiles {
            count: ATTACHMENTS,
            image_bytes: IMAGE_BYTES,
            text_bytes: MESSAGE_BYTES,
        },
        compact: true,
        stop_helper: true,
        cost_is_estimate: true,
        fork: true,
        ..Capabilities::default()
    }
}

/// The permission modes, the most careful first.
pub(crate) fn mode() -> ConfigOption {
    let mode = |id: ValueId, name: &str, description: &str| ConfigValue {
        planning: id == PLAN,
        risk: if id == BYPASS {
            Risk::Unattended
        } else if id == AUTO {
            Risk::Delegated
        } else {
            Risk::Usual
        },
        ..ConfigValue::described(id, name, description)
    };
    let values = vec![
        mode(PLAN, "Plan mode", "The agent reads and plans, and changes nothing until you approve the plan."),
        mode(ASK, "Ask before changes", "The agent asks before it changes a file or runs a command."),
        mode(
            ACCEPT_EDITS,
            "Accept edits",
            "The agent edits files in the folder without asking, but asks before running commands.",
        ),
        mode(
            AUTO,
            "Auto",
            "A model decides which actions are safe, and the agent runs them without asking you.",
        ),
        mode(BYPASS, "Bypass permissions", "The agent does everything without asking for permission."),
    ];
    // So it is for programs; in a terminal it may begin in another mode (2.1.329).
    let fallback = Some(ASK);
    ConfigOption { fallback, ..ConfigOption::new(MODE, "Permission mode", ConfigCategory::Mode, values) }
}

fn model() -> ConfigOption {
    let values =
        ["sonnet", "opus", "haiku"].map(|model| ConfigValue::new(ValueId::literal(model), model)).to_vec();
    ConfigOption { free_text: true, ..ConfigOption::new(MODEL, "Model", ConfigCategory::Model, values) }
}

/// The value ids are the command line's words; an unknown one is passed over with a warning (2.1.329).
fn effort() -> ConfigOption {
    let values =
        [("low", "Low"), ("medium", "Medium"), ("high", "High"), ("xhigh", "Extra high"), ("max", "Maximum")];
    let values = values.map(|(id, name)| ConfigValue::new(ValueId::literal(id), name)).to_vec();
    ConfigOption { live: false, ..ConfigOption::new(EFFORT, "Effort", ConfigCategory::Effort, values) }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Arguments, SettingError};
    use rstest::rstest;

    use super::*;

    fn check(words: &[&str]) -> Result<(), SettingError> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        RESERVED_FLAGS.check(&Arguments::try_from(words)?)
    }

    #[rstest]
    #[case::print("--print")]
    #[case::with_a_value("--resume=3")]
    #[case::short("-p")]
    #[case::shorts_in_one_word("-cp")]
    #[case::input("--input-format")]
    #[case::output("--output-format")]
    #[case::permissions("--permission-prompt-tool")]
    #[case::id("--session-id")]
    #[case::the_end_of_flags("--")]
    #[case::a_mode("--permission-mode")]
    #[case::everything_allowed("--dangerously-skip-permissions")]
    fn a_flag_that_is_not_the_users_to_set_is_named(#[case] flag: &str) {
        let error = check(&["--add-dir", flag]).unwrap_err().to_string();
        let named = flag.split('=').next().unwrap();
        assert!(error.starts_with(&format!("argument 2: {named} is ")), "{error}");
    }

    #[test]
    fn other_arguments_are_the_users_to_set() {
        let words = ["--add-dir", "/a b", "--setting-sources", "", "--mcp-config", "{\"a\":\"-p\"}", "-d"];
        assert_eq!(check(&words), Ok(()));
    }
}
