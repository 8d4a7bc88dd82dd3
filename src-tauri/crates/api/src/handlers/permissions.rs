//! What agents may do without asking: what was always allowed, where it is written, and its removal.
//!
//! An agent's file is read and changed only if a session of the journal has its folder, and loses nothing but the entry that was
//! shown.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use askdesk_agents::{Catalog, PermissionFile, PermissionList};
use askdesk_client_config::{Change, ConfigPath, FileError, texts_of};
use askdesk_contract::*;
use askdesk_domain::{
    AgentId, Approval, ApprovalState, CommandId, Desk, MachineId, OptionLabel, OptionScope, Session,
    SessionId, ToolRule,
};

use super::clients::{plan_gone, refused, shown};
use crate::api::{Api, blocking};

/// The most folders whose files are read, those of the newest sessions first.
const FOLDERS: usize = 64;

impl Api {
    pub(crate) async fn read_permissions(&self) -> Result<PermissionsRead, Error> {
        let (sessions, decided) = (self.newest_sessions().await?, self.engine.lasting_permissions().await?);
        let agents = self.engine.agents().clone();
        blocking(move || {
            let mut read = PermissionsRead { standing: Vec::new(), unreadable: Vec::new() };
            for file in files(&agents, &sessions) {
                match file.permissions() {
                    Ok(permissions) => read.standing.extend(permissions),
                    Err(FileError { kind, .. }) => read.unreadable.push(UnreadablePermissions {
                        agent: file.agent,
                        session: file.session,
                        file: file.file.path.display().to_string(),
                        trouble: kind.into(),
                    }),
                }
            }
            for permission in &mut read.standing {
                permission.allowed = allowed(permission, &sessions, &decided);
            }
            read.standing.extend(in_memory(&sessions, &decided));
            read
        })
        .await
    }

    pub(crate) async fn plan_permission_removal(
        &self,
        input: PlanPermissionRemoval,
    ) -> Result<PermissionRemoval, Error> {
        let PlanPermissionRemoval { request_id, written } = input;
        let sessions = self.newest_sessions().await?;
        let agents = self.engine.agents().clone();
        let change = blocking(move || plan(&files(&agents, &sessions), &written)).await?.map_err(refused)?;
        let shown = change.as_ref().map(|change| shown(change, None));
        let planned = change.map(|change| (request_id, change));
        *self.permission_removal.lock().unwrap_or_else(PoisonError::into_inner) = planned;
        Ok(PermissionRemoval { change: shown })
    }

    pub(crate) async fn remove_permission(&self, plan: CommandId) -> Result<(), Error> {
        let planned = {
            let mut planned = self.permission_removal.lock().unwrap_or_else(PoisonError::into_inner);
            planned.take_if(|(id, _)| *id == plan)
        };
        let (_, change) = planned.ok_or_else(plan_gone)?;
        blocking(move || change.carry_out()).await?.map_err(refused)
    }

    /// Lists the sessions that agents of this computer have or had, newest first.
    async fn newest_sessions(&self) -> Result<Vec<Session>, Error> {
        let here = |desk: &Desk| -> Vec<Session> {
            let sessions = desk.sessions().filter(|session| session.origin.machine == MachineId::LOCAL);
            sessions.filter(|session| session.origin.agent().is_some()).cloned().collect()
        };
        let mut sessions = self.engine.inspect(here).await?;
        sessions.sort_by_key(|session| std::cmp::Reverse((session.started_at, session.id)));
        Ok(sessions)
    }
}

/// A file of an agent, and a session whose folder led to it.
struct AgentFile {
    agent: AgentId,
    session: SessionId,
    /// The folder that it reaches; none if it reaches all.
    folder: Option<String>,
    file: PermissionFile,
}

impl AgentFile {
    fn place(&self) -> ConfigPath {
        ConfigPath { path: self.file.path.clone(), within: self.file.within.clone() }
    }

    fn permissions(&self) -> Result<Vec<StandingPermission>, FileError> {
        let lists: Vec<&[&str]> = self.file.lists.iter().map(|list| list.keys).collect();
        let texts = texts_of(&self.place(), &lists)?;
        let listed = self.file.lists.iter().zip(texts);
        let permission = |list: &PermissionList, text: String| StandingPermission {
            agent: self.agent.clone(),
            label: label(&text, list.folders),
            scope: self.file.scope,
            folder: self.folder.clone(),
            session: self.session,
            written: Some(WrittenPermission { file: self.file.path.display().to_string(), text }),
            allowed: None,
        };
        Ok(listed
            .flat_map(|(list, texts)| texts.into_iter().map(move |text| permission(list, text)))
            .collect())
    }
}

/// Lists the files of all agents for the folders of the sessions, each file once.
fn files(agents: &Catalog, sessions: &[Session]) -> Vec<AgentFile> {
    let mut folders = HashSet::new();
    let newest = sessions.iter().filter(|session| folders.insert((&session.origin, &session.folder)));
    let mut known: HashSet<PathBuf> = HashSet::new();
    let mut files = Vec::new();
    for session in newest.take(FOLDERS) {
        let Some(agent) = session.origin.agent().and_then(|id| agents.get(id)) else { continue };
        for file in agent.permission_files(Path::new(&session.folder)) {
            if known.insert(file.path.clone()) {
                let folder = (file.scope != OptionScope::User).then(|| session.folder.clone());
                let agent = agent.descriptor().id.clone();
                files.push(AgentFile { agent, session: session.id, folder, file });
            }
        }
    }
    files
}

/// Reads a permission as agents write it: `Bash(git push *)`, or a folder.
fn label(text: &str, folder: bool) -> OptionLabel {
    if folder {
        return OptionLabel::Folder { paths: vec![text.to_owned()] };
    }
    let (tool, content) = match text.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')').map(str::to_owned)),
        None => (text, None),
    };
    match (text.contains('('), &content) {
        (true, None) => OptionLabel::Text { text: text.to_owned() },
        _ => OptionLabel::Tool { tool: tool.to_owned(), content, behavior: ToolRule::Allow },
    }
}

/// Plans the removal of a permission that is listed now; none if it is not.
fn plan(files: &[AgentFile], written: &WrittenPermission) -> Result<Option<Change>, FileError> {
    let Some(file) = files.iter().find(|file| file.file.path.display().to_string() == written.file) else {
        return Ok(None);
    };
    for list in file.file.lists {
        if let Some(change) = Change::remove_text(&file.place(), list.keys, &written.text)? {
            return Ok(Some(change));
        }
    }
    Ok(None)
}

/// Finds the newest decision by which a written permission was allowed.
fn allowed(
    permission: &StandingPermission,
    sessions: &[Session],
    decided: &[Approval],
) -> Option<AllowedPermission> {
    decided.iter().find_map(|approval| {
        let session = sessions.iter().find(|session| session.id == approval.session)?;
        let reached = permission.folder.as_ref().is_none_or(|folder| *folder == session.folder);
        let same = |(label, scope): (&OptionLabel, OptionScope)| {
            scope == permission.scope && contains(label, &permission.label)
        };
        (reached && chosen(approval).any(same)).then(|| decision(approval, session)).flatten()
    })
}

fn contains(label: &OptionLabel, listed: &OptionLabel) -> bool {
    match (label, listed) {
        (OptionLabel::Folder { paths }, OptionLabel::Folder { paths: listed }) => {
            listed.iter().all(|path| paths.contains(path))
        }
        (label, listed) => label == listed,
    }
}

/// Lists what running sessions were allowed without a file that says so.
fn in_memory(sessions: &[Session], decided: &[Approval]) -> Vec<StandingPermission> {
    let running = sessions.iter().filter(|session| session.is_running());
    let of_session = running.flat_map(|session| {
        let approvals = decided.iter().filter(move |approval| approval.session == session.id);
        approvals.flat_map(move |approval| {
            let unsaved = |scope| matches!(scope, OptionScope::Session | OptionScope::Server);
            let here = chosen(approval).filter(move |(label, scope)| unsaved(*scope) && grants(label));
            here.filter_map(move |(label, scope)| {
                Some(StandingPermission {
                    agent: session.origin.agent()?.clone(),
                    label: label.clone(),
                    scope,
                    folder: Some(session.folder.clone()),
                    session: session.id,
                    written: None,
                    allowed: decision(approval, session),
                })
            })
        })
    });
    let mut listed: Vec<StandingPermission> = Vec::new();
    for permission in of_session {
        let same = |known: &StandingPermission| {
            known.session == permission.session && known.label == permission.label
        };
        if !listed.iter().any(same) {
            listed.push(permission);
        }
    }
    listed
}

/// Returns whether an option lets the agent do something unasked. A mode is shown with its session instead.
fn grants(label: &OptionLabel) -> bool {
    match label {
        OptionLabel::Plain | OptionLabel::Text { .. } | OptionLabel::Folder { .. } => true,
        OptionLabel::Tool { behavior, .. } => *behavior == ToolRule::Allow,
        OptionLabel::Config { .. } => false,
    }
}

fn chosen(approval: &Approval) -> impl Iterator<Item = (&OptionLabel, OptionScope)> {
    let decided = match &approval.state {
        ApprovalState::Decided { decision, .. } => decision.options.as_slice(),
        ApprovalState::Open | ApprovalState::Withdrawn { .. } | ApprovalState::Refused { .. } => &[],
    };
    decided
        .iter()
        .filter_map(|id| approval.option(id))
        .filter_map(|option| Some((&option.label, option.scope?)))
}

fn decision(approval: &Approval, session: &Session) -> Option<AllowedPermission> {
    let ApprovalState::Decided { at, .. } = approval.state else { return None };
    Some(AllowedPermission { approval: approval.id, session: session.id, name: session.name.clone(), at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn tool(tool: &str, content: Option<&str>) -> OptionLabel {
        let content = content.map(str::to_owned);
        OptionLabel::Tool { tool: tool.to_owned(), content, behavior: ToolRule::Allow }
    }

    #[rstest]
    #[case("Bash", tool("Bash", None))]
    #[case("Bash(git push *)", tool("Bash", Some("git push *")))]
    #[case("Bash(echo (a))", tool("Bash", Some("echo (a)")))]
    #[case("mcp__tracker__close", tool("mcp__tracker__close", None))]
    #[case("Bash(half", OptionLabel::Text { text: "Bash(half".to_owned() })]
    fn a_permission_is_read_as_the_agents_write_it(#[case] text: &str, #[case] expected: OptionLabel) {
        assert_eq!(label(text, false), expected);
    }

    #[rstest]
    #[case(ToolRule::Allow, true)]
    #[case(ToolRule::Ask, false)]
    #[case(ToolRule::Deny, false)]
    fn case_100_a_rule_that_asks_or_denies_is_no_permission(
        #[case] behavior: ToolRule,
        #[case] expected: bool,
    ) {
        assert_eq!(grants(&OptionLabel::Tool { tool: "Bash".to_owned(), content: None, behavior }), expected);
    }
}
