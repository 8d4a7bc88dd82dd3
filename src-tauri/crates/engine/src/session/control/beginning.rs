//! From a stored session to its running agent: the session takes inputs from its first moment, and what it waits for (the
//! user's environment, its worktree, the agent) never keeps the user from ending it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::{
    Adapter, Agent, Link, LinkEvent, LinkEvents, Open, Secrets, SessionPlan, SignIn, Start,
};
use askdesk_contract::LogKind;
use askdesk_domain::{
    AgentFailure, EntryBody, Notice, QuestionPolicy, Session, SessionCommand, SessionEnd, SessionId,
};
use askdesk_user_environment::complete;
use askdesk_worktrees::NewWorktree;
use tokio::sync::{mpsc, watch};

use super::{Running, Sessions, not_prepared};
use crate::mailbox::{EntryWrite, Input, QUEUED_SESSION_INPUTS, SessionInput, SessionMailbox};
use crate::session::pending::Pending;
use crate::session::resumption::Resumption;
use crate::session::rules::SessionRules;
use crate::session::task::{Policies, RunningAgent, SessionTask};
use crate::session_tokens::{IssuedToken, SESSION_VARIABLE};
use crate::slow_files::{FILES_LIMIT, on_slow_files};

/// A worktree that is made for a session before its agent starts.
#[derive(Clone, Debug)]
pub struct WorktreeToMake {
    /// A folder of its repository.
    pub from: PathBuf,
    pub new: NewWorktree,
    /// A line of the user's own that runs in it.
    pub setup: Option<String>,
}

/// What a session begins its run with.
pub(super) struct Run {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) start: Start,
    pub(super) questions: QuestionPolicy,
    pub(super) worktree: Option<WorktreeToMake>,
    /// The first message, which the transcript has already.
    pub(super) prompt: Option<String>,
    /// Whether the transcript is to begin with what was said in the agent's session before.
    pub(super) tells_earlier: bool,
}

/// A session whose link is open.
struct Opened {
    open: Open,
    adapter: Box<dyn Adapter>,
    link: Link,
    events: LinkEvents,
    token: IssuedToken,
    sign_in: Option<SignIn>,
}

/// Tells whether the session still wants its agent.
pub(super) type Wanted = watch::Receiver<()>;

impl Sessions {
    /// Begins the run of a stored session, and returns once it takes inputs.
    pub(super) async fn begin(&self, session: &Session, run: Run) {
        let id = session.id;
        let (mailbox, inputs) = mpsc::channel(QUEUED_SESSION_INPUTS);
        let (resolutions, resolved) = mpsc::unbounded_channel();
        let at = SessionMailbox { inputs: mailbox.clone(), resolutions };
        self.engine.send(Input::SessionOpened { session: id, mailbox: at }).await;
        let pending = Pending::new(resolved);
        let (running_task, ended) = watch::channel(());
        self.running().insert(id, Running { mailbox: mailbox.clone(), ended });
        let rules = SessionRules::new(self.settings.clone(), session);
        let policies = Policies { questions: run.questions, rules, planning: false };
        let running = tokio::spawn(self.clone().live(id, run, policies, inputs, pending));
        let sessions = self.clone();
        tokio::spawn(async move {
            // A panic in one session ends only that session.
            if let Err(error) = running.await {
                tracing::error!(session = %id, %error, "a session's task failed");
                sessions.end(id, SessionEnd::Failed { why: AgentFailure::DeskFailed }).await;
            }
            // The agent may have been resumed meanwhile, with another mailbox.
            let mut running = sessions.running();
            if running.get(&id).is_some_and(|known| known.mailbox.same_channel(&mailbox)) {
                running.remove(&id);
            }
            drop(running_task);
        });
    }

    /// Waits for the agent, and runs the session until it ends.
    async fn live(
        self,
        id: SessionId,
        run: Run,
        policies: Policies,
        mut inputs: mpsc::Receiver<SessionInput>,
        pending: Pending,
    ) {
        let (wants, wanted) = watch::channel(());
        let (prompt, resumes) = (run.prompt.clone(), run.start.open.resumed().is_some());
        let mut opening = tokio::spawn(self.clone().open(id, run, wanted));
        let mut held = Vec::new();
        let stopped = loop {
            tokio::select! {
                opened = &mut opening => match opened {
                    Ok(Ok(Some(opened))) => {
                        let Opened { open, adapter, link, events, token, sign_in } = opened;
                        let resumption = if resumes { Resumption::waiting() } else { Resumption::default() };
                        let shared = (self.logs.clone(), self.commands.clone(), self.helper_outputs.clone());
                        let agent = RunningAgent { link, adapter, sign_in, told_of_program: false };
                        let with = (pending, resumption);
                        let task = SessionTask::new(id, self.engine.clone(), shared, agent, policies, with);
                        return task.run(open, events, (held, inputs), prompt, token).await;
                    }
                    Ok(Err(why)) => {
                        self.logs.add(id, self.engine.clock().now(), LogKind::Note, &why.to_string());
                        return self.end(id, SessionEnd::Failed { why }).await;
                    }
                    Ok(Ok(None)) | Err(_) => {
                        return self.end(id, SessionEnd::Failed { why: AgentFailure::DeskFailed }).await;
                    }
                },
                input = inputs.recv() => match input {
                    Some(SessionInput::Stop { end, reply }) => break Some((end, reply)),
                    // Dropping an input tells its caller that the session is gone.
                    Some(input) if held.len() < QUEUED_SESSION_INPUTS => held.push(input),
                    Some(input) => crate::session::task::refuse(input),
                    // The engine is gone.
                    None => break None,
                },
            }
        };
        drop(wants);
        let mut replies = Vec::new();
        if let Some((end, reply)) = stopped {
            replies.push(reply);
            self.end(id, end).await;
        }
        inputs.close();
        while let Ok(input) = inputs.try_recv() {
            if let SessionInput::Stop { reply, .. } = input {
                replies.push(reply);
            }
        }
        // Nothing of it may outlive a quit, so the callers wait for the agent that was on its way.
        if let Ok(Ok(Some(mut opened))) = opening.await {
            opened.link.stop(Duration::ZERO).await;
            while !matches!(opened.events.next().await, Some(LinkEvent::Ended(_)) | None) {}
        }
        for reply in replies {
            let _ = reply.send(());
        }
    }

    async fn end(&self, id: SessionId, end: SessionEnd) {
        let at = self.engine.clock().now();
        let _ = self.engine.record(SessionCommand::End { session: id, end, at }).await;
    }

    /// Prepares all that the agent needs, and opens its link. A process of the session's own gets a token of the session.
    /// None if the session was ended meanwhile.
    async fn open(self, id: SessionId, run: Run, mut wanted: Wanted) -> Result<Option<Opened>, AgentFailure> {
        let Run { agent, start, worktree, tells_earlier, .. } = run;
        // Without it, a program might not be found, or work with another account.
        if agent.needs_environment() {
            tokio::select! {
                _ = complete() => {}
                _ = wanted.changed() => return Ok(None),
            }
        }
        if let Some(make) = worktree {
            self.make_worktree(id, make, &mut wanted).await?;
        }
        if wanted.has_changed().is_err() {
            return Ok(None);
        }
        let (name, open, folder) =
            (agent.descriptor().name.clone(), start.open.clone(), start.folder.clone());
        let changes = self.engine.changes().clone();
        let link = async {
            let prepared = on_slow_files(FILES_LIMIT, {
                let (agent, start) = (Arc::clone(&agent), start.clone());
                move || agent.prepare(&start)
            });
            let SessionPlan { adapter, mut link, sign_in } =
                prepared.await.unwrap_or_else(|| Err(not_prepared(name)))?;
            let token = self.engine.tokens.issue(id);
            link.set_variable(SESSION_VARIABLE, token.reveal());
            let (link, events) = self.links.open(link).await?;
            Ok::<_, AgentFailure>(Opened { open, adapter, link, events, token, sign_in })
        };
        // The agent loads while its folder is recorded, and changes nothing before its first message.
        let (opened, ()) = tokio::join!(Box::pin(link), changes.begin(id, &folder));
        let opened = opened?;
        if tells_earlier {
            // A server that this session has joined runs on while it is asked.
            self.write_earlier(id, agent, start).await;
        }
        Ok(Some(opened))
    }

    async fn make_worktree(
        &self,
        id: SessionId,
        make: WorktreeToMake,
        wanted: &mut Wanted,
    ) -> Result<(), AgentFailure> {
        let WorktreeToMake { from, new, setup } = make;
        let path = new.path.clone();
        let made = tokio::task::spawn_blocking(move || askdesk_worktrees::create(&from, &new)).await;
        let made = made.map_err(|_| AgentFailure::DeskFailed)?;
        let failed_hook = made.map_err(|why| AgentFailure::WorktreeNotMade { error: why.to_string() })?;
        if let Some(mut output) = failed_hook {
            Secrets::of_user().strike(&mut output);
            let notice = Notice::HookFailed { output: super::setup::last_lines(output.lines()) };
            self.engine.write(id, vec![EntryWrite::New(EntryBody::Notice { notice })]).await;
        }
        match setup {
            Some(line) if wanted.has_changed().is_ok() => self.set_up(id, &path, &line, wanted).await,
            _ => Ok(()),
        }
    }
}
