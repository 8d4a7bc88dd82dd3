//! Git worktrees: starting a session in a new one, and merging, rebasing, or removing it.

use std::path::PathBuf;

use askdesk_agents::expand_home;
use askdesk_contract::*;
use askdesk_domain::{
    Rejection, Session, SessionId, SessionState, Setting, SetupCommand, ValidationError, Worktree,
};
use askdesk_engine::WorktreeToMake;
use askdesk_worktrees::{AgentUse, BRANCH_BYTES, NewWorktree, PATH_BYTES, PlanWanted, Users, WorktreePlace};

use crate::api::{Api, blocking};

/// The longest commit message, and the longest message that a branch is suggested from, in bytes.
const MESSAGE_BYTES: usize = 64 * 1024;
/// The longest state that a page returns, in bytes.
const SEEN_BYTES: usize = 64;

impl Api {
    /// Returns the branch of a session's folder, or the beginning of the commit's id where none is checked out.
    pub fn branch_of(&self, session: SessionId) -> Option<String> {
        self.engine.changes().head(session).map(|head| match head {
            Head::Branch { name } => name,
            Head::Detached { commit } => commit,
        })
    }

    pub(crate) async fn plan_worktree(&self, input: PlanWorktree) -> Result<PlannedWorktree, Error> {
        let PlanWorktree { folder, mut message, base, branch, path } = input;
        check_length("folder", &folder, PATH_BYTES)?;
        if let Some(base) = &base {
            check_length("base", base, BRANCH_BYTES)?;
        }
        let most = MESSAGE_BYTES.min(message.len());
        message.truncate((0..=most).rev().find(|at| message.is_char_boundary(*at)).unwrap_or_default());
        let path = path.map(|path| expand_home(path.trim()));
        let wanted = PlanWanted { message, base, branch: branch.map(|name| name.trim().to_owned()), path };
        let folder = expand_home(folder.trim());
        let plan = blocking(move || askdesk_worktrees::plan(&folder, &wanted)).await??;
        let setup = self.setup_of(&plan.repository).await?;
        Ok(PlannedWorktree { plan, setup })
    }

    pub(crate) async fn read_worktree(&self, session: SessionId) -> Result<WorktreeState, Error> {
        let (_, place) = self.worktree_of(session).await?;
        let users = users(session, &self.sessions.running_in(&place.path).await?);
        Ok(blocking(move || askdesk_worktrees::read(&place, &users)).await??)
    }

    pub(crate) async fn remove_worktree(&self, input: RemoveWorktree) -> Result<(), Error> {
        let RemoveWorktree { session, seen, losses, branch, .. } = input;
        check_length("seen", &seen, SEEN_BYTES)?;
        let (known, place) = self.worktree_of(session).await?;
        let (_leaving, running) = self.sessions.leave_folder(&place.path).await?;
        let users = users(session, &running);
        let remove = move || askdesk_worktrees::remove(&place, &users, &seen, &losses, branch);
        let removed = blocking(remove).await?;
        self.engine.changes().read_head(session, PathBuf::from(known.folder)).await;
        Ok(removed?)
    }

    /// Says which worktree a session is to start in, and how it is made. One that an earlier start has left is used again.
    pub(super) async fn prepare_worktree(
        &self,
        from: PathBuf,
        wanted: StartWorktree,
    ) -> Result<(PathBuf, Worktree, Option<WorktreeToMake>), Error> {
        let StartWorktree { base, branch, path, setup, made } = wanted;
        let new = new_worktree(base, &branch, &path)?;
        let (known, place) = blocking({
            let (from, new) = (from.clone(), new.clone());
            move || match askdesk_worktrees::find_created(&from, &new) {
                Ok(place) if made => Ok((true, place)),
                _ => askdesk_worktrees::check(&from, &new).map(|place| (false, place)),
            }
        })
        .await??;
        let make = if known {
            None
        } else {
            // Whoever starts again knows only that it may be there.
            let setup = if made { self.setup_of(&place.repository).await? } else { setup };
            self.keep_setup(&place.repository, &setup).await?;
            Some(WorktreeToMake { from, new: new.clone(), setup: setup.line().map(str::to_owned) })
        };
        let NewWorktree { base, branch, path } = new;
        let worktree =
            Worktree { repository: place.repository, path: path.display().to_string(), branch, base };
        Ok((place.folder, worktree, make))
    }

    async fn setup_of(&self, repository: &str) -> Result<SetupCommand, Error> {
        let known = self.current_settings().await?.settings.setup_commands;
        Ok(known.get(repository).cloned().unwrap_or_default())
    }

    /// Keeps a setup command that the user has changed.
    async fn keep_setup(&self, repository: &str, setup: &SetupCommand) -> Result<(), Error> {
        if self.setup_of(repository).await? == *setup {
            return Ok(());
        }
        let change = Setting::SetupCommand { repository: repository.to_owned(), command: setup.clone() };
        self.store_setting(change).await.map(drop)
    }

    pub(crate) async fn change_worktree(
        &self,
        session: SessionId,
        seen: String,
        message: Option<String>,
        change: fn(&WorktreePlace, &Users, &str, Option<&str>) -> Result<(), WorktreeRefused>,
    ) -> Result<(), Error> {
        check_length("seen", &seen, SEEN_BYTES)?;
        check_length("message", message.as_deref().unwrap_or_default(), MESSAGE_BYTES)?;
        let (_, place) = self.worktree_of(session).await?;
        let users = users(session, &self.sessions.running_in(&place.path).await?);
        let changed = blocking(move || change(&place, &users, &seen, message.as_deref())).await?;
        self.engine.changes().note(session);
        Ok(changed?)
    }

    async fn worktree_of(&self, session: SessionId) -> Result<(Session, WorktreePlace), Error> {
        let known = self.engine.session(session).await?;
        let Some(Worktree { repository, path, base, .. }) = known.worktree.as_deref().cloned() else {
            return Err(Rejection::NotFound { what: "worktree" }.into());
        };
        Ok((known, WorktreePlace { repository: repository.into(), path: path.into(), base }))
    }
}

/// Says who uses the folder of a session's worktree.
fn users(session: SessionId, running: &[Session]) -> Users {
    let works = |it: &&Session| matches!(it.state, SessionState::Working | SessionState::Starting);
    let own = running.iter().find(|it| it.id == session);
    let agent = match own {
        None => AgentUse::Ended,
        Some(own) if works(&own) => AgentUse::Working,
        Some(_) => AgentUse::Idle,
    };
    let others = || running.iter().filter(|it| it.id != session);
    Users {
        agent,
        others: others().map(|it| it.name.clone()).collect(),
        others_work: others().any(|it| works(&it)),
    }
}

fn new_worktree(base: String, branch: &str, path: &str) -> Result<NewWorktree, Error> {
    check_length("worktree.base", &base, BRANCH_BYTES)?;
    check_length("worktree.branch", branch, BRANCH_BYTES)?;
    check_length("worktree.path", path, PATH_BYTES)?;
    Ok(NewWorktree { base, branch: branch.trim().to_owned(), path: expand_home(path.trim()) })
}

fn check_length(field: &str, text: &str, most: usize) -> Result<(), Error> {
    match text.len() <= most {
        true => Ok(()),
        false => Err(Rejection::invalid(field, ValidationError::TooLong { most, bytes: text.len() }).into()),
    }
}
