//! An agent: what it is, where its program is, and how a session of it starts.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentDescriptor, AgentFailure, Capabilities, OptionScope, ReservedFlags, SessionOptions,
};

use crate::adapter::{Adapter, Open};
use crate::launch::{LaunchPlan, expand_home};
use crate::link::LinkPlan;
use crate::own_sessions::OwnSessions;
use crate::sign_in::SignIn;
use crate::sign_in_probe::SignInProbe;

/// One agent that the app can start.
///
/// Adding one takes a folder with its adapter, this trait, and a line in [`installed_agents`](crate::installed_agents).
pub trait Agent: Send + Sync + Debug {
    fn descriptor(&self) -> &AgentDescriptor;

    /// Lists the flags that settings may not add to its command line. `None` if settings can't add anything to its start.
    fn reserved_flags(&self) -> Option<ReservedFlags> {
        None
    }

    /// Finds its program: the one the user named, else the installed one; `None` if it comes with the app.
    fn find(&self, explicit: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure>;

    /// Returns the folder of its own that it works in. An agent with one needs no folder of the user's.
    fn own_folder(&self) -> Option<&Path> {
        None
    }

    /// Returns whether it needs the environment of the user's shell. What comes with the app doesn't.
    fn needs_environment(&self) -> bool {
        true
    }

    /// Plans a session: its link and its adapter.
    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure>;

    /// Plans its own program for a terminal, where it continues the session of the start. The plan is `None` if the start
    /// resumes no session.
    fn continue_in_terminal(&self) -> Option<Plan<'_, LaunchPlan>> {
        None
    }

    /// Plans the command that ends a process of its own in the background, which holds the session of the start. `None` if it
    /// has none, or the start resumes no session.
    fn end_in_background(&self, _: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        Ok(None)
    }

    /// Plans its own sign-in for a terminal, with the program and the variables of a start. None if it has none.
    fn sign_in(&self, _: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        Ok(None)
    }

    /// Plans how to learn whether the user is signed in. None where that can't be known, or a session may do without.
    fn sign_in_probe(&self, _: &Start) -> Result<Option<SignInProbe>, AgentFailure> {
        Ok(None)
    }

    /// Plans how to find the sessions that it keeps for the folder of a start, such as those begun in its own terminal.
    fn own_sessions(&self) -> Option<Plan<'_, OwnSessions>> {
        None
    }

    /// Lists the agent's own files that can hold lasting permissions for a folder. They need not exist.
    fn permission_files(&self, _folder: &Path) -> Vec<PermissionFile> {
        Vec::new()
    }
}

/// Plans something for a start; an agent has it only if it has the ability.
pub type Plan<'agent, T> = Box<dyn Fn(&Start) -> Result<Option<T>, AgentFailure> + 'agent>;

/// Fills in the capabilities that follow from what an agent can do.
pub(crate) fn with_abilities<A: Agent>(mut agent: A, descriptor: fn(&mut A) -> &mut AgentDescriptor) -> A {
    let capabilities = Capabilities {
        folder: agent.own_folder().is_none(),
        launch_overrides: agent.reserved_flags().is_some(),
        continue_in_terminal: agent.continue_in_terminal().is_some(),
        own_sessions: agent.own_sessions().is_some(),
        ..agent.descriptor().capabilities.clone()
    };
    descriptor(&mut agent).capabilities = capabilities;
    agent
}

/// A JSON file of an agent with lists of permissions that it no longer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionFile {
    pub path: PathBuf,
    /// The folder that no link may lead out of.
    pub within: PathBuf,
    /// How far its permissions reach.
    pub scope: OptionScope,
    pub lists: &'static [PermissionList],
}

/// A list of texts in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionList {
    pub keys: &'static [&'static str],
    /// Whether it holds folders instead of rules for tools.
    pub folders: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    pub folder: PathBuf,
    /// What was chosen for it, with the secrets of its environment.
    pub options: SessionOptions,
    pub open: Open,
}

impl Start {
    /// Returns the program that the user named for the session.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        self.options.program.as_deref().map(expand_home)
    }
}

#[derive(Debug)]
pub struct SessionPlan {
    pub adapter: Box<dyn Adapter>,
    pub link: LinkPlan,
    /// The sign-in that its process keeps, so that another one takes a restart; none if the agent follows a new one by itself.
    pub sign_in: Option<SignIn>,
}
