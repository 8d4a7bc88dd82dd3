//! A process with all its descendants, which end together.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::ChildWrapper;

#[cfg(target_os = "linux")]
use super::agent_host::HostControl;

/// A process that leads a group (on Windows: a job) of its own; dropping it kills them all.
#[derive(Debug)]
pub(super) struct ProcessTree {
    child: Box<dyn ChildWrapper>,
    /// The control pipe of the host, which `child` then is.
    #[cfg(target_os = "linux")]
    control: Option<HostControl>,
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
            control: None,
            #[cfg(target_os = "linux")]
            strays: std::collections::HashSet::new(),
            swept: false,
        }
    }

    /// Takes over an agent below its host.
    #[cfg(target_os = "linux")]
    pub(super) fn hosted(host: Box<dyn ChildWrapper>, control: HostControl) -> Self {
        let mut tree = Self::new(host);
        tree.pid = u32::try_from(control.agent()).ok();
        tree.control = Some(control);
        tree
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
        if let Some(control) = &mut self.control {
            return control.terminate();
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
        if let Some(control) = self.control.take() {
            let agent = control.kill();
            // An agent outlives its host only if somebody else killed the host.
            if self.child.id().is_none()
                && let Some(agent) = agent
            {
                agent.kill_with_descendants();
            }
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

    /// Kills the tree again when it has not ended: a host that somebody stopped (SIGSTOP) does not read its pipe.
    pub(super) fn force(&mut self) {
        self.swept = false;
        self.kill();
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
    }
}
