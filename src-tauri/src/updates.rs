//! Updates of the app. It looks for a newer version once a day, and downloads, installs, and restarts only when the user asks for
//! it and nothing is in the way ([decision 49](../../docs/decisions/0049-updates.md)). What belongs to the package manager it
//! leaves to the user ([decision 53](../../docs/decisions/0053-packages-are-updated-by-hand.md)).

#[cfg(feature = "updater")]
mod form;
mod kept;
#[cfg(feature = "updater")]
mod plugin;
mod source;
mod state;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_contract::{SetAsideUntil, UpdateObstacle, UpdatePhase, UpdateProblem, UpdateRead};
use askdesk_domain::{OnOff, Settings, Timestamp};
use tauri::async_runtime::{JoinHandle, spawn};
use tauri::{AppHandle, Manager};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use kept::KeptUpdate;
use state::{Action, Event, Installs, StateMachine, Way};

#[cfg(feature = "updater")]
pub use plugin::{register, source};

pub use source::Source;
pub use state::Asker;

/// How long after the start the first check may be due: the start is not delayed by it.
const FIRST_CHECK: Duration = Duration::from_secs(60);

/// How often it is seen whether a check is due. A machine that sleeps doesn't count the time.
const LOOK_WHETHER_DUE: Duration = Duration::from_secs(600);

/// How often the page hears about a download.
const PROGRESS: Duration = Duration::from_millis(100);

/// How long changes of the desk are gathered before it is asked what is in the way.
const GATHER: Duration = Duration::from_millis(200);

/// What an update needs of the app around it.
pub trait Desk: Send + Sync {
    fn now(&self) -> Timestamp;
    /// Returns what keeps an update from being installed.
    fn obstacles(&self) -> Vec<UpdateObstacle>;
    /// Tells the page that something about updates has changed.
    fn changed(&self);
    /// Restarts the app once the page has saved everything. Calls [`Updates::may_restart`] right before.
    fn restart(&self);
}

/// The updates of the app. Clones share their state.
#[derive(Clone)]
pub struct Updates(Arc<Inner>);

struct Inner {
    machine: Mutex<StateMachine>,
    /// What was in the way when it was asked last.
    in_the_way: Mutex<Vec<UpdateObstacle>>,
    download: Mutex<Option<JoinHandle<()>>>,
    /// None if this build doesn't update itself.
    source: Option<Arc<dyn Source>>,
    desk: Arc<dyn Desk>,
    folder: PathBuf,
    running: String,
}

impl Updates {
    pub fn new(
        source: Option<Arc<dyn Source>>,
        desk: Arc<dyn Desk>,
        folder: PathBuf,
        running: String,
    ) -> Self {
        let kept = KeptUpdate { is_restarting: false, ..KeptUpdate::read(&folder) };
        let machine = StateMachine::new(source.as_ref().map(|source| source.installs()), kept);
        Self(Arc::new(Inner {
            machine: Mutex::new(machine),
            in_the_way: Mutex::default(),
            download: Mutex::default(),
            source,
            desk,
            folder,
            running,
        }))
    }

    pub fn read(&self) -> UpdateRead {
        let machine = self.machine();
        UpdateRead {
            running: self.0.running.clone(),
            phase: machine.phase().clone(),
            problem: machine.problem().cloned(),
            in_the_way: lock(&self.0.in_the_way).clone(),
            checked_at: machine.kept().checked_at,
            is_offered: machine.is_offered(),
            by_hand: self.0.source.as_ref().and_then(|it| it.by_hand(&machine.release()?.version)),
        }
    }

    /// Looks for a newer version, and returns when it has looked.
    pub async fn check(&self, by: Asker) {
        if let (Action::Check, Some(source)) = (self.handle(Event::CheckAsked { by }), self.source()) {
            let newer = source.check().await;
            if let Err(problem) = &newer {
                tracing::warn!(?problem, "no newer version was looked for");
            }
            self.look();
            self.handle(Event::Checked { newer, at: self.0.desk.now() });
        }
    }

    /// Takes the next step for a version, if nothing is in the way.
    pub async fn install(&self, version: String) {
        let way = self.look();
        self.carry_out(Event::InstallAsked { version, way });
    }

    pub fn cancel(&self) {
        self.carry_out(Event::CancelAsked);
    }

    pub fn set_aside(&self, version: String, until: SetAsideUntil) {
        self.carry_out(Event::SetAside { version, until });
    }

    /// Returns whether the app may restart now. Otherwise it goes on, and the window says so.
    pub async fn may_restart(&self) -> bool {
        match self.look() {
            Way::Clear => {
                self.keep(&KeptUpdate { is_restarting: true, ..self.machine().kept().clone() });
                true
            }
            Way::Blocked => {
                self.carry_out(Event::NotRestarted { problem: None });
                false
            }
        }
    }

    /// Notes that the page could not save everything, so that the app was not restarted.
    pub fn not_saved(&self) {
        self.carry_out(Event::NotRestarted { problem: Some(UpdateProblem::NotSaved) });
    }

    /// Installs what could not be installed while the app ran. If that succeeds, the installer ends the app.
    pub async fn install_at_exit(&self) {
        let is_begun = matches!(self.machine().phase(), UpdatePhase::Installing { .. });
        if let Some(source) = self.source()
            && is_begun
            && source.installs() == Installs::AtExit
            && let Err(problem) = source.install().await
        {
            tracing::error!(?problem, "the update was not installed");
        }
    }

    /// Asks what is in the way.
    fn look(&self) -> Way {
        let found = self.0.desk.obstacles();
        let way = if found.is_empty() { Way::Clear } else { Way::Blocked };
        let has_changed = {
            let mut known = lock(&self.0.in_the_way);
            std::mem::replace(&mut *known, found.clone()) != found
        };
        if has_changed {
            self.0.desk.changed();
        }
        way
    }

    fn carry_out(&self, event: Event) {
        match self.handle(event) {
            // `check` carries this out itself.
            Action::Nothing | Action::Check => {}
            Action::Download => {
                let task = spawn(self.clone().download());
                *lock(&self.0.download) = Some(task);
            }
            Action::CancelDownload => {
                if let Some(task) = lock(&self.0.download).take() {
                    task.abort();
                }
            }
            Action::Install => drop(spawn(self.clone().install_now())),
            Action::Restart => self.0.desk.restart(),
        }
    }

    async fn download(self) {
        let Some(source) = self.source() else { return };
        let (this, mut told) = (self.clone(), None);
        let progress = move |received, total| {
            if told.is_none_or(|told: Instant| told.elapsed() >= PROGRESS) {
                told = Some(Instant::now());
                this.carry_out(Event::Received { received, total });
            }
        };
        let result = source.download(Box::new(progress)).await;
        let way = self.look();
        self.carry_out(Event::DownloadEnded { result, way });
    }

    async fn install_now(self) {
        let Some(source) = self.source() else { return };
        let result = source.install().await;
        let way = self.look();
        self.carry_out(Event::InstallEnded { result, way });
    }

    fn handle(&self, event: Event) -> Action {
        let (action, kept) = {
            let mut machine = self.machine();
            let before = machine.kept().clone();
            let action = machine.handle(event);
            let kept = machine.kept();
            (action, (*kept != before).then(|| kept.clone()))
        };
        if let Some(kept) = kept {
            self.keep(&kept);
        }
        self.0.desk.changed();
        action
    }

    fn keep(&self, kept: &KeptUpdate) {
        if let Err(error) = kept.write(&self.0.folder) {
            tracing::warn!(%error, "what is known about updates was not kept");
        }
    }

    fn source(&self) -> Option<Arc<dyn Source>> {
        self.0.source.clone()
    }

    fn machine(&self) -> MutexGuard<'_, StateMachine> {
        lock(&self.0.machine)
    }

    /// Checks once a day while the setting is on.
    async fn check_daily(self, settings: watch::Receiver<Settings>) {
        sleep(FIRST_CHECK).await;
        loop {
            let is_on = settings.borrow().check_updates == OnOff::On;
            let is_due = self.machine().is_check_due(self.0.desk.now());
            if is_on && is_due {
                self.check(Asker::Clock).await;
            }
            sleep(LOOK_WHETHER_DUE).await;
        }
    }

    /// Keeps what is in the way up to date while there is an update.
    async fn follow_desk(self, mut obstacles: watch::Receiver<Vec<UpdateObstacle>>) {
        while obstacles.changed().await.is_ok() {
            sleep(GATHER).await;
            obstacles.mark_unchanged();
            let is_there = !matches!(
                self.machine().phase(),
                UpdatePhase::Unavailable | UpdatePhase::Idle | UpdatePhase::Checking { .. }
            );
            if is_there {
                self.look();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether the app has restarted for an update, once.
pub fn take_restart(folder: &Path) -> bool {
    let kept = KeptUpdate::read(folder);
    if !kept.is_restarting {
        return false;
    }
    if let Err(error) = (KeptUpdate { is_restarting: false, ..kept }).write(folder) {
        tracing::warn!(%error, "the next start opens the window, too");
    }
    true
}

/// Starts the daily check. A build that doesn't update itself contacts nothing.
pub fn start(app: &AppHandle, desk: &askdesk_desk::Desk, settings: watch::Receiver<Settings>) {
    let updates = app.state::<Updates>().inner().clone();
    if updates.0.source.is_some() {
        spawn(updates.clone().check_daily(settings));
        spawn(updates.follow_desk(desk.watch_obstacles()));
    }
}

// They need a real update.
#[cfg(all(test, feature = "updater", target_os = "linux"))]
mod tests;
