//! A process with all its descendants, which end together.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::time::timeout;

use super::KILL_TIMEOUT;
#[cfg(target_os = "linux")]
use super::agent_host::{HostError, HostPipes};
#[cfg(target_os = "linux")]
use super::tree_mark::TreeMark;

/// How long a host may take to kill everything below it.
const HOST_LIMIT: Duration = Duration::from_millis(500);
/// How long the search for what was left behind may take.
#[cfg(target_os = "linux")]
const CLEAR_UP_LIMIT: Duration = Duration::from_secs(1);

/// A process that leads a group (on Windows: a job) of its own; dropping it kills them all.
#[derive(Debug)]
pub(super) struct ProcessTree {
    child: Box<dyn ChildWrapper>,
    /// The pipes of the host, which `child` then is.
    #[cfg(target_os = "linux")]
    host: Option<HostPipes>,
    /// Finds what is no longer below anything that is known.
    #[cfg(target_os = "linux")]
    mark: Option<TreeMark>,
    /// Processes that left the group; agents start shells in groups of their own to be able to stop them.
    #[cfg(target_os = "linux")]
    strays: std::collections::HashSet<askdesk_agent_host::tree::Process>,
    /// Kept while the agent may run without a host.
    #[cfg(unix)]
    record: Option<super::pid_file::PidFile>,
    pid: Option<u32>,
    swept: bool,
}

impl ProcessTree {
    /// Takes over an agent that was started directly.
    pub(super) fn direct(child: Box<dyn ChildWrapper>) -> Self {
        #[cfg(unix)]
        {
            let record = child.id().and_then(super::pid_file::PidFile::of);
            let mut tree = Self::new(child);
            tree.record = record;
            tree
        }
        #[cfg(not(unix))]
        Self::new(child)
    }

    fn new(child: Box<dyn ChildWrapper>) -> Self {
        Self {
            pid: child.id(),
            #[cfg(unix)]
            record: None,
            child,
            #[cfg(target_os = "linux")]
            host: None,
            #[cfg(target_os = "linux")]
            mark: None,
            #[cfg(target_os = "linux")]
            strays: std::collections::HashSet::new(),
            swept: false,
        }
    }

    /// Takes over a host, which has still to report whether it started the agent.
    #[cfg(target_os = "linux")]
    pub(super) fn hosted(child: Box<dyn ChildWrapper>, host: HostPipes, mark: TreeMark) -> Self {
        let mut tree = Self::new(child).marked(mark);
        tree.pid = None;
        tree.host = Some(host);
        tree
    }

    #[cfg(target_os = "linux")]
    pub(super) fn marked(mut self, mark: TreeMark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// Waits until the host has started the agent.
    #[cfg(target_os = "linux")]
    pub(super) async fn report(&mut self) -> Result<(), HostError> {
        if let Some(host) = &mut self.host {
            self.pid = u32::try_from(host.report().await?).ok();
        }
        Ok(())
    }

    /// Returns the process id of the agent.
    pub(super) const fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Returns the child of this process, with the agent's pipes.
    pub(super) fn child(&mut self) -> &mut dyn ChildWrapper {
        &mut *self.child
    }

    /// Waits for the agent. What it leaves behind is killed after that, by the host or by [`Self::kill`].
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.inner_mut().wait().await
    }

    /// Asks every process of the agent's group to end.
    pub(super) fn terminate(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(host) = &mut self.host {
            return host.terminate();
        }
        self.note_strays();
        #[cfg(unix)]
        {
            // It fails only where nothing is left to end.
            let _ = self.child.signal(nix::sys::signal::Signal::SIGTERM as i32);
        }
    }

    /// Kills every process of the tree, once: later its ids may belong to other processes.
    pub(super) fn kill(&mut self) {
        if self.swept {
            return;
        }
        self.swept = true;
        #[cfg(target_os = "linux")]
        if self.host.as_mut().is_some_and(HostPipes::kill) {
            return;
        }
        self.note_strays();
        // It fails only where nothing is left to kill.
        let _ = self.child.start_kill();
        #[cfg(target_os = "linux")]
        for stray in self.strays.drain() {
            stray.kill();
        }
    }

    /// Kills the tree and waits for its end. A host that doesn't do it in time is killed itself: one that somebody stopped
    /// (SIGSTOP) does not read its pipe.
    pub(super) async fn end(&mut self) -> Option<ExitStatus> {
        self.kill();
        for limit in [HOST_LIMIT, KILL_TIMEOUT] {
            if let Ok(status) = timeout(limit, self.wait()).await {
                return status.ok();
            }
            self.swept = false;
            self.kill();
        }
        None
    }

    /// Kills what outlived a host that was killed, and without a host what left the tree.
    pub(super) async fn clear_up(&mut self) {
        #[cfg(target_os = "linux")]
        {
            let left = match &self.host {
                Some(host) => host.left_behind().map(Some),
                None => Some(None),
            };
            let (Some(left), mark) = (left, self.mark.take()) else { return };
            let kill = move || {
                if let Some(left) = left {
                    left.kill();
                }
                if let Some(mark) = mark {
                    mark.kill_all();
                }
            };
            // A process that waits for a device may not let itself be read.
            if timeout(CLEAR_UP_LIMIT, tokio::task::spawn_blocking(kill)).await.is_err() {
                tracing::warn!("what an agent left behind couldn't be found in time");
            }
        }
    }

    /// Notes the descendants while they can be found: when a parent ends, its children are no longer below the agent.
    fn note_strays(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) {
            self.strays.extend(askdesk_agent_host::tree::descendants(pid));
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.kill();
        // Nobody has cleared up yet.
        #[cfg(target_os = "linux")]
        if self.mark.is_some()
            && self.child.id().is_none()
            && let Some(left) = self.host.as_ref().and_then(HostPipes::left_behind)
        {
            left.kill();
        }
    }
}
