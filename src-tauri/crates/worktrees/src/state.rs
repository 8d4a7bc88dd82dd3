//! What a worktree holds, what can be done with it, and what that would lose. Pure.

use askdesk_contract::{Blocked, Listed, Loss};

/// What the session's agent is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentUse {
    #[default]
    Ended,
    Idle,
    Working,
}

/// Who uses the folder of a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    pub agent: AgentUse,
    /// The names of other running sessions in the folder.
    pub others: Vec<String>,
    /// Whether one of them is in its turn.
    pub others_work: bool,
}

impl Users {
    const fn work(&self) -> bool {
        self.others_work || matches!(self.agent, AgentUse::Working)
    }
}

/// What git knows about a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Facts {
    pub(crate) is_worktree: bool,
    pub(crate) folder_gone: bool,
    /// The branch that is checked out, and the commit.
    pub(crate) branch: Option<String>,
    pub(crate) tip: String,
    pub(crate) base: String,
    pub(crate) base_tip: Option<String>,
    pub(crate) uncommitted: Vec<String>,
    /// Changed files that git was told not to look at. Committing leaves them out.
    pub(crate) hidden: Vec<String>,
    pub(crate) untracked: Vec<String>,
    pub(crate) ignored: Vec<String>,
    pub(crate) submodules: Vec<String>,
    pub(crate) commits: Listed,
    pub(crate) behind: u32,
    /// How many of the commits that are not in the base are merges.
    pub(crate) merge_commits: u32,
    pub(crate) in_progress: bool,
    pub(crate) locked: Option<String>,
}

impl Facts {
    pub(crate) fn has_changes(&self) -> bool {
        !self.uncommitted.is_empty() || !self.untracked.is_empty()
    }

    /// Lists the untracked folders that are repositories of their own. Git lists the files of any other folder instead.
    pub(crate) fn nested_repositories(&self) -> Vec<String> {
        self.untracked.iter().filter_map(|path| path.strip_suffix('/')).map(str::to_owned).collect()
    }

    /// Says what stops merging into the base.
    pub(crate) fn blocks_merge(&self, users: &Users) -> Option<Blocked> {
        let nothing = self.commits.is_empty() && !self.has_changes();
        self.blocks_both(users).or_else(|| nothing.then_some(Blocked::NothingToMerge))
    }

    /// Says what stops rebasing onto the base.
    pub(crate) fn blocks_rebase(&self, users: &Users) -> Option<Blocked> {
        self.blocks_both(users).or(match (self.behind, self.merge_commits) {
            (0, _) => Some(Blocked::UpToDate),
            (_, 0) => None,
            _ => Some(Blocked::MergeCommits),
        })
    }

    fn blocks_both(&self, users: &Users) -> Option<Blocked> {
        if self.folder_gone {
            return Some(Blocked::FolderGone);
        }
        if !self.is_worktree {
            return Some(Blocked::NotAWorktree);
        }
        if users.work() {
            return Some(Blocked::Working);
        }
        // A rebase detaches the head, and is what to say then.
        if self.in_progress {
            return Some(Blocked::InProgress);
        }
        match (&self.branch, &self.base_tip) {
            (None, _) => Some(Blocked::Detached),
            (Some(branch), _) if *branch == self.base => Some(Blocked::IsBase),
            (_, None) => Some(Blocked::BaseGone { base: self.base.clone() }),
            _ => None,
        }
    }

    /// Says what stops removing the worktree, whatever would be lost with it.
    pub(crate) fn blocks_remove(&self, users: &Users) -> Option<Blocked> {
        if !self.is_worktree {
            return Some(if self.folder_gone { Blocked::FolderGone } else { Blocked::NotAWorktree });
        }
        if users.agent != AgentUse::Ended {
            return Some(Blocked::AgentRuns);
        }
        if !users.others.is_empty() {
            return Some(Blocked::InUse { sessions: users.others.clone() });
        }
        self.locked.clone().map(|reason| Blocked::Locked { reason })
    }

    /// Lists what is lost with the folder, if the branch stays.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        // Also if the folder is gone: what git keeps about the worktree is the last that leads to them.
        let detached = self.branch.is_none();
        let possible = [
            (Loss::Uncommitted, !self.uncommitted.is_empty() || !self.hidden.is_empty()),
            (Loss::Untracked, !self.untracked.is_empty()),
            (Loss::Submodules, !self.submodules.is_empty()),
            (Loss::DetachedCommits, detached && !self.commits.is_empty()),
            (Loss::InProgress, self.in_progress),
        ];
        possible.into_iter().filter(|(_, lost)| *lost).map(|(loss, _)| loss).collect()
    }

    /// Lists what is lost with the branch.
    pub(crate) fn losses_with_branch(&self) -> Option<Loss> {
        (self.branch.is_some() && !self.commits.is_empty()).then_some(Loss::UnmergedCommits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn facts() -> Facts {
        let commits = Listed { count: 2, first: vec!["a one".to_owned(), "b two".to_owned()] };
        Facts {
            is_worktree: true,
            branch: Some("askdesk/x".to_owned()),
            tip: "b".to_owned(),
            base: "main".to_owned(),
            base_tip: Some("0".to_owned()),
            behind: 1,
            commits,
            ..Facts::default()
        }
    }

    fn with(change: impl FnOnce(&mut Facts)) -> Facts {
        let mut facts = facts();
        change(&mut facts);
        facts
    }

    fn merged() -> Facts {
        with(|facts| facts.commits = Listed::default())
    }

    #[rstest]
    #[case(facts(), None)]
    #[case(merged(), Some(Blocked::NothingToMerge))]
    #[case(Facts { untracked: vec!["new".to_owned()], ..merged() }, None)]
    #[case(with(|facts| facts.folder_gone = true), Some(Blocked::FolderGone))]
    #[case(with(|facts| facts.is_worktree = false), Some(Blocked::NotAWorktree))]
    #[case(with(|facts| facts.branch = None), Some(Blocked::Detached))]
    #[case(with(|facts| facts.base_tip = None), Some(Blocked::BaseGone { base: "main".to_owned() }))]
    #[case(with(|facts| facts.branch = Some("main".to_owned())), Some(Blocked::IsBase))]
    #[case(Facts { in_progress: true, branch: None, ..facts() }, Some(Blocked::InProgress))]
    #[case(with(|facts| facts.locked = Some(String::new())), None)]
    fn merging_is_blocked(#[case] facts: Facts, #[case] blocked: Option<Blocked>) {
        assert_eq!(facts.blocks_merge(&Users::default()), blocked);
    }

    #[rstest]
    #[case(facts(), None)]
    #[case(merged(), None)]
    #[case(with(|facts| facts.behind = 0), Some(Blocked::UpToDate))]
    #[case(with(|facts| facts.merge_commits = 1), Some(Blocked::MergeCommits))]
    #[case(with(|facts| facts.branch = None), Some(Blocked::Detached))]
    fn rebasing_is_blocked(#[case] facts: Facts, #[case] blocked: Option<Blocked>) {
        assert_eq!(facts.blocks_rebase(&Users::default()), blocked);
    }

    #[rstest]
    #[case(facts(), None)]
    #[case(with(|facts| facts.folder_gone = true), None)]
    #[case(Facts { folder_gone: true, is_worktree: false, ..facts() }, Some(Blocked::FolderGone))]
    #[case(with(|facts| facts.is_worktree = false), Some(Blocked::NotAWorktree))]
    #[case(with(|facts| facts.branch = None), None)]
    #[case(
        with(|facts| facts.locked = Some("usb".to_owned())),
        Some(Blocked::Locked { reason: "usb".to_owned() })
    )]
    fn removing_is_blocked(#[case] facts: Facts, #[case] blocked: Option<Blocked>) {
        assert_eq!(facts.blocks_remove(&Users::default()), blocked);
    }

    #[rstest]
    #[case(AgentUse::Ended, &[], false, [None, None])]
    #[case(AgentUse::Idle, &[], false, [None, Some(Blocked::AgentRuns)])]
    #[case(AgentUse::Working, &[], false, [Some(Blocked::Working), Some(Blocked::AgentRuns)])]
    #[case(AgentUse::Ended, &["b"], false, [None, Some(Blocked::InUse { sessions: vec!["b".to_owned()] })])]
    #[case(AgentUse::Ended, &["b"], true, [Some(Blocked::Working), Some(Blocked::InUse { sessions: vec!["b".to_owned()] })])]
    fn whoever_uses_the_folder_is_not_disturbed(
        #[case] agent: AgentUse,
        #[case] others: &[&str],
        #[case] others_work: bool,
        #[case] blocked: [Option<Blocked>; 2],
    ) {
        let users = Users { agent, others: others.iter().map(ToString::to_string).collect(), others_work };
        assert_eq!(facts().blocks_rebase(&users), blocked[0]);
        assert_eq!([facts().blocks_merge(&users), facts().blocks_remove(&users)], blocked);
    }

    #[rstest]
    #[case(facts(), &[])]
    #[case(with(|facts| facts.ignored = vec!["target/".to_owned()]), &[])]
    #[case(with(|facts| facts.uncommitted = vec!["a".to_owned()]), &[Loss::Uncommitted])]
    #[case(with(|facts| facts.hidden = vec!["a".to_owned()]), &[Loss::Uncommitted])]
    #[case(with(|facts| facts.untracked = vec!["a".to_owned()]), &[Loss::Untracked])]
    #[case(with(|facts| facts.submodules = vec!["lib".to_owned()]), &[Loss::Submodules])]
    #[case(with(|facts| facts.branch = None), &[Loss::DetachedCommits])]
    #[case(Facts { branch: None, folder_gone: true, ..facts() }, &[Loss::DetachedCommits])]
    #[case(with(|facts| facts.in_progress = true), &[Loss::InProgress])]
    fn everything_that_goes_with_the_folder_is_named(#[case] facts: Facts, #[case] losses: &[Loss]) {
        assert_eq!(facts.losses(), losses);
    }

    #[test]
    fn commits_are_lost_with_their_branch_only() {
        assert_eq!(facts().losses_with_branch(), Some(Loss::UnmergedCommits));
        assert_eq!(merged().losses_with_branch(), None);
    }
}
