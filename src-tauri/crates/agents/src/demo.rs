//! The demo: an agent that comes with the app, needs no account and speaks Claude Code's protocol.

use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentDescriptor, AgentFailure, AgentId, Capabilities, ConfigCategory, ConfigId, ConfigOption,
    ConfigValue, Takes, ValueId,
};

use crate::agent::{Agent, SessionPlan, Start, with_abilities};
use crate::claude::{self, ClaudeAdapter};
use crate::link::LinkPlan;

pub const DEMO: AgentId = AgentId::literal("demo");
/// The config option of what it plays.
pub const EXAMPLE: ConfigId = ConfigId::literal("example");
/// What it plays where nothing was chosen.
const DEFAULT_EXAMPLE: &str = "demo";
/// Where the demo remembers its sessions: beside its folder, so that what it keeps is no change in it.
const SESSIONS: &str = "demo-sessions";

#[derive(Debug)]
pub struct Demo {
    descriptor: AgentDescriptor,
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
}

impl Demo {
    /// Makes a demo of a program that plays scenarios: how it is started, the folder it works in, and what it offers to play.
    pub fn new(program: PathBuf, args: Vec<String>, folder: PathBuf, examples: Vec<ConfigValue>) -> Self {
        let descriptor = AgentDescriptor {
            id: DEMO,
            name: "Demo".to_owned(),
            program: None,
            install: None,
            login: None,
            versions: None,
            capabilities: Capabilities { takes: Takes::Words, fork: false, ..claude::capabilities() },
            config: vec![claude::mode(), example(examples)],
        };
        with_abilities(Self { descriptor, program, args, folder }, |demo| &mut demo.descriptor)
    }
}

fn example(values: Vec<ConfigValue>) -> ConfigOption {
    let option = ConfigOption::new(EXAMPLE, "Example", ConfigCategory::Other, values);
    // A scenario can be named by the path of its file.
    ConfigOption { free_text: true, live: false, ..option }
}

/// Creates a folder that only the user can read, whatever the umask is.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

impl Agent for Demo {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(None)
    }

    fn own_folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn needs_environment(&self) -> bool {
        false
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let Start { folder, options, open } = start;
        let mut plan = claude::launch(self.program.clone(), folder.clone(), &options.config, open);
        let kept = self.folder.with_file_name(SESSIONS);
        // Without it the demo plays all the same, and only forgets its sessions.
        if create_private(&kept).is_ok() {
            plan.env.push(("ASKDESK_FAKE_SESSIONS".into(), kept.into_os_string()));
        }
        let example = options.config.get(&EXAMPLE).map_or(DEFAULT_EXAMPLE, ValueId::as_str);
        let first = self.args.iter().map(String::as_str).chain(["--scenario", example]);
        let rest = std::mem::take(&mut plan.args);
        plan.args = first.map(Into::into).chain(rest).collect();
        let adapter = ClaudeAdapter::new(self.descriptor.config.clone(), options);
        Ok(SessionPlan { adapter: Box::new(adapter), link: LinkPlan::Process(plan), sign_in: None })
    }
}
