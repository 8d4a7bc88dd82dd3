//! The user's own permission rules, as they are at the moment of a call.

use std::path::Path;

use askdesk_domain::{PermissionCall, PermissionRule, RuleContext, Session, Settings};
use tokio::sync::watch;

/// Compares the calls of one session with the rules.
#[derive(Clone, Debug)]
pub(super) struct SessionRules {
    settings: watch::Receiver<Settings>,
    folder: String,
    origin: Option<String>,
    home: Option<String>,
}

impl SessionRules {
    pub(super) fn new(settings: watch::Receiver<Settings>, session: &Session) -> Self {
        let home = std::env::home_dir().map(|home| home.display().to_string());
        Self { settings, folder: session.folder.clone(), origin: origin(session), home }
    }

    /// Returns the rule that applies to a call now.
    pub(super) fn matching(&self, call: &PermissionCall) -> Option<PermissionRule> {
        let context =
            RuleContext { folder: &self.folder, origin: self.origin.as_deref(), home: self.home.as_deref() };
        self.settings.borrow().permission_rules.matching(call, context).cloned()
    }
}

/// Returns the folder of the repository that corresponds to the session's folder in a worktree.
fn origin(session: &Session) -> Option<String> {
    let worktree = session.worktree.as_ref()?;
    let below = Path::new(&session.folder).strip_prefix(&worktree.path).unwrap_or(Path::new(""));
    Some(Path::new(&worktree.repository).join(below).display().to_string())
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{
        AgentId, CallArgument, MachineId, Origin, OriginKind, RuleAction, SessionId, Timestamp, Worktree,
    };
    use rstest::rstest;
    use uuid::Uuid;

    use super::*;

    /// Whether a rule for /home/ada/api/src applies in a folder of a session.
    fn reaches(folder: &str, worktree: Option<Worktree>) -> bool {
        let rule = PermissionRule {
            action: RuleAction::Deny,
            tool: "Bash".to_owned(),
            argument: None,
            folder: Some("/home/ada/api/src".to_owned()),
        };
        let permission_rules = vec![rule].try_into().unwrap();
        let (_settings, settings) = watch::channel(Settings { permission_rules, ..Settings::default() });
        let kind = OriginKind::Started { agent: AgentId::literal("claude_code") };
        let origin = Origin { machine: MachineId::LOCAL, kind };
        let id = SessionId::new(Uuid::from_u128(1));
        let mut session = Session::new(id, origin, Timestamp::from_millis(0));
        session.folder = folder.to_owned();
        session.worktree = worktree.map(Box::new);
        let arguments = vec![CallArgument::Command("ls".to_owned())];
        let call = PermissionCall { tools: vec!["Bash".to_owned()], arguments };
        SessionRules::new(settings, &session).matching(&call).is_some()
    }

    #[rstest]
    #[case("/home/ada/api.worktrees/fix/src", true)]
    #[case("/home/ada/api.worktrees/fix/src/deep", true)]
    #[case("/home/ada/api.worktrees/fix", false)]
    #[case("/home/ada/api.worktrees/fix/docs", false)]
    fn case_100_a_rule_for_a_folder_reaches_the_same_folder_of_a_worktree(
        #[case] folder: &str,
        #[case] expected: bool,
    ) {
        let worktree = Worktree {
            repository: "/home/ada/api".to_owned(),
            path: "/home/ada/api.worktrees/fix".to_owned(),
            branch: "fix".to_owned(),
            base: "main".to_owned(),
        };
        assert_eq!(reaches(folder, Some(worktree)), expected);
        assert!(!reaches(folder, None));
    }
}
