//! The state machine of updates, without effects: no order of events installs anything that the user has not asked for, or that
//! something is in the way of.

use askdesk_contract::{Release, SetAsideUntil, UpdatePhase, UpdateProblem};
use askdesk_domain::Timestamp;

use super::kept::KeptUpdate;

/// How long after a check that succeeded the next one is due, in milliseconds.
pub const CHECK_AGAIN: i64 = 24 * 60 * 60 * 1_000;

/// How long after a check that failed the next one is due, in milliseconds.
pub const TRY_AGAIN: i64 = 60 * 60 * 1_000;

/// Who wants to know whether there is a newer version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    User,
    /// The daily check.
    Clock,
}

/// When the system lets an update be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(any(feature = "updater", test)), expect(dead_code, reason = "only packages learn of updates"))]
pub enum Installs {
    WhileRunning,
    /// The installer ends the app, so it begins when everything else has ended.
    AtExit,
    /// Only the package manager can install it, which the user runs.
    ByHand,
}

/// Whether something keeps an update from being installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Clear,
    Blocked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    CheckAsked {
        by: Asker,
    },
    /// The newest version; none if it is the one that runs.
    Checked {
        newer: Result<Option<Release>, UpdateProblem>,
        at: Timestamp,
    },
    /// The user wants the next step for this version.
    InstallAsked {
        version: String,
        way: Way,
    },
    Received {
        received: u64,
        total: Option<u64>,
    },
    CancelAsked,
    /// The download has ended, and its signature was checked.
    DownloadEnded {
        result: Result<(), UpdateProblem>,
        way: Way,
    },
    InstallEnded {
        result: Result<(), UpdateProblem>,
        way: Way,
    },
    /// The app goes on, because something came up or the page could not save everything.
    NotRestarted {
        problem: Option<UpdateProblem>,
    },
    SetAside {
        version: String,
        until: SetAsideUntil,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Nothing,
    Check,
    Download,
    CancelDownload,
    Install,
    /// Restart the app, once the page has saved everything.
    Restart,
}

#[derive(Clone, Debug)]
pub struct StateMachine {
    phase: UpdatePhase,
    problem: Option<UpdateProblem>,
    kept: KeptUpdate,
    installs: Installs,
    /// The version that is not mentioned until the next start.
    put_off: Option<String>,
    failed_at: Option<Timestamp>,
    /// Who asked for the check that runs, or for the last one.
    asker: Asker,
}

impl StateMachine {
    /// Creates it for a build that updates itself, or for one that doesn't.
    pub const fn new(installs: Option<Installs>, kept: KeptUpdate) -> Self {
        let (phase, installs) = match installs {
            Some(installs) => (UpdatePhase::Idle, installs),
            None => (UpdatePhase::Unavailable, Installs::AtExit),
        };
        Self { phase, problem: None, kept, installs, put_off: None, failed_at: None, asker: Asker::Clock }
    }

    pub const fn phase(&self) -> &UpdatePhase {
        &self.phase
    }

    pub const fn problem(&self) -> Option<&UpdateProblem> {
        self.problem.as_ref()
    }

    pub const fn kept(&self) -> &KeptUpdate {
        &self.kept
    }

    /// Returns the newer version, if one is known.
    pub const fn release(&self) -> Option<&Release> {
        match &self.phase {
            UpdatePhase::Unavailable | UpdatePhase::Idle | UpdatePhase::Checking { known: None } => None,
            UpdatePhase::Checking { known: Some(release) }
            | UpdatePhase::Available { release }
            | UpdatePhase::Downloading { release, .. }
            | UpdatePhase::Downloaded { release }
            | UpdatePhase::Installing { release }
            | UpdatePhase::Installed { release } => Some(release),
        }
    }

    /// Returns whether the window mentions the update on its own.
    pub fn is_offered(&self) -> bool {
        let is_begun = !matches!(self.phase, UpdatePhase::Available { .. } | UpdatePhase::Checking { .. });
        self.release().is_some_and(|release| {
            let version = Some(&release.version);
            is_begun || (self.kept.skipped.as_ref() != version && self.put_off.as_ref() != version)
        })
    }

    /// Returns whether the daily check is due.
    pub fn is_check_due(&self, now: Timestamp) -> bool {
        // A clock that was set back makes a check due, too.
        let has_passed = |at: Option<Timestamp>, millis| {
            at.is_none_or(|at| !(0..millis).contains(&(now.millis() - at.millis())))
        };
        matches!(self.phase, UpdatePhase::Idle | UpdatePhase::Available { .. })
            && has_passed(self.kept.checked_at, CHECK_AGAIN)
            && has_passed(self.failed_at, TRY_AGAIN)
    }

    pub fn handle(&mut self, event: Event) -> Action {
        let phase = std::mem::replace(&mut self.phase, UpdatePhase::Idle);
        let (phase, action) = self.next(phase, event);
        self.phase = phase;
        action
    }

    fn next(&mut self, phase: UpdatePhase, event: Event) -> (UpdatePhase, Action) {
        match (event, phase) {
            (Event::CheckAsked { by }, UpdatePhase::Idle) => self.begin_check(by, None),
            (Event::CheckAsked { by }, UpdatePhase::Available { release }) => {
                self.begin_check(by, Some(release))
            }
            (Event::Checked { newer, at }, UpdatePhase::Checking { known }) => {
                (self.checked(newer, at, known), Action::Nothing)
            }
            (Event::InstallAsked { version, way: Way::Clear }, phase)
                if self.installs != Installs::ByHand =>
            {
                self.install_asked(&version, phase)
            }
            (Event::Received { received, total }, UpdatePhase::Downloading { release, .. }) => {
                (UpdatePhase::Downloading { release, received, total }, Action::Nothing)
            }
            (Event::CancelAsked, UpdatePhase::Downloading { release, .. }) => {
                (UpdatePhase::Available { release }, Action::CancelDownload)
            }
            (Event::DownloadEnded { result, way }, UpdatePhase::Downloading { release, .. }) => {
                match (result, way) {
                    (Ok(()), Way::Clear) => self.begin_install(release),
                    (Ok(()), Way::Blocked) => (UpdatePhase::Downloaded { release }, Action::Nothing),
                    (Err(problem), _) => {
                        self.problem = Some(problem);
                        (UpdatePhase::Available { release }, Action::Nothing)
                    }
                }
            }
            (Event::InstallEnded { result, way }, UpdatePhase::Installing { release }) => match (result, way)
            {
                (Ok(()), Way::Clear) => (UpdatePhase::Installed { release }, Action::Restart),
                (Ok(()), Way::Blocked) => (UpdatePhase::Installed { release }, Action::Nothing),
                (Err(problem), _) => (self.not_installed(release, problem), Action::Nothing),
            },
            (Event::NotRestarted { problem }, UpdatePhase::Installing { release })
                if self.installs == Installs::AtExit =>
            {
                self.problem = problem;
                (UpdatePhase::Downloaded { release }, Action::Nothing)
            }
            (Event::NotRestarted { problem }, phase @ UpdatePhase::Installed { .. }) => {
                self.problem = problem;
                (phase, Action::Nothing)
            }
            (Event::SetAside { version, until }, UpdatePhase::Available { release }) => {
                if version == release.version {
                    match until {
                        SetAsideUntil::NextStart => self.put_off = Some(version),
                        SetAsideUntil::NextVersion => self.kept.skipped = Some(version),
                    }
                }
                (UpdatePhase::Available { release }, Action::Nothing)
            }
            // It came too late, or asks for what is going on already.
            (_, phase) => (phase, Action::Nothing),
        }
    }

    fn begin_check(&mut self, by: Asker, known: Option<Release>) -> (UpdatePhase, Action) {
        self.problem = None;
        self.asker = by;
        (UpdatePhase::Checking { known }, Action::Check)
    }

    fn checked(
        &mut self,
        newer: Result<Option<Release>, UpdateProblem>,
        at: Timestamp,
        known: Option<Release>,
    ) -> UpdatePhase {
        let newest = match newer {
            Ok(newer) => {
                self.kept.checked_at = Some(at);
                self.failed_at = None;
                newer
            }
            Err(problem) => {
                self.failed_at = Some(at);
                // Nobody waits for the daily check, and the next one may succeed.
                self.problem = (self.asker == Asker::User).then_some(problem);
                known
            }
        };
        newest.map_or(UpdatePhase::Idle, |release| UpdatePhase::Available { release })
    }

    /// Takes the next step, unless the user has seen another version.
    fn install_asked(&mut self, version: &str, phase: UpdatePhase) -> (UpdatePhase, Action) {
        match phase {
            UpdatePhase::Available { release } if release.version == version => {
                self.problem = None;
                (UpdatePhase::Downloading { release, received: 0, total: None }, Action::Download)
            }
            UpdatePhase::Downloaded { release } if release.version == version => self.begin_install(release),
            UpdatePhase::Installed { release } if release.version == version => {
                self.problem = None;
                (UpdatePhase::Installed { release }, Action::Restart)
            }
            other => (other, Action::Nothing),
        }
    }

    fn begin_install(&mut self, release: Release) -> (UpdatePhase, Action) {
        self.problem = None;
        let action = if self.installs == Installs::AtExit { Action::Restart } else { Action::Install };
        (UpdatePhase::Installing { release }, action)
    }

    fn not_installed(&mut self, release: Release, problem: UpdateProblem) -> UpdatePhase {
        let is_bad = matches!(problem, UpdateProblem::Signature | UpdateProblem::Unusable);
        self.problem = Some(problem);
        // A package that can't be installed is not tried again.
        if is_bad { UpdatePhase::Available { release } } else { UpdatePhase::Downloaded { release } }
    }
}

#[cfg(test)]
mod tests;
