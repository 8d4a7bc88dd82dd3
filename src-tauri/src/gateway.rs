//! Opens and closes the gateway. It is open while the app runs, and never delays the window. While it can't open, the window and
//! the discovery file say why, and it is tried again.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_api::{ClientHost, SelfTestError};
use askdesk_client_config::discovery::{ClosedGateway, PublishedDiscovery};
use askdesk_client_config::{DataFolder, Env, find_askdesk, hook_command};
use askdesk_contract::Pending;
use askdesk_engine::EngineHandle;
use askdesk_gateway::{Gateway, GatewayConfig};
use tauri::{AppHandle, Emitter, Manager, State};
use tokio::sync::{Notify, watch};

use crate::window;

/// How long a gateway that can't open waits until it is tried again.
const PAUSE: Duration = Duration::from_secs(3);

/// The event that tells the page that the gateway has opened, or can't open for another reason.
const CHANGED_EVENT: &str = "gateway";

/// The app's gateway, once it is open.
#[derive(Default)]
pub struct AppGateway {
    state: Mutex<GatewayState>,
    /// The number of attempts to open it.
    attempts: watch::Sender<u32>,
    /// Makes the next attempt begin at once.
    retry: Notify,
}

#[derive(Default)]
enum GatewayState {
    #[default]
    Opening,
    Failed {
        /// In English, because the system's error messages are, too.
        why: String,
        /// None if it can't be written, either.
        #[expect(dead_code, reason = "the file is removed when this is dropped")]
        published: Option<PublishedDiscovery>,
    },
    Open(Gateway),
    /// The app is quitting, and the gateway stays closed.
    Quitting,
}

impl AppGateway {
    /// Returns something about the gateway, if it is open.
    fn get<T>(&self, get: impl FnOnce(&Gateway) -> T) -> Option<T> {
        match &*self.lock() {
            GatewayState::Open(gateway) => Some(get(gateway)),
            GatewayState::Opening | GatewayState::Failed { .. } | GatewayState::Quitting => None,
        }
    }

    /// Returns why the gateway can't open; none if it is open or about to open.
    fn failure(&self) -> Option<String> {
        match &*self.lock() {
            GatewayState::Failed { why, .. } => Some(why.clone()),
            GatewayState::Opening | GatewayState::Open(_) | GatewayState::Quitting => None,
        }
    }

    /// Stores an opened gateway, or returns it if the app is already quitting.
    fn store(&self, gateway: Gateway) -> Option<Gateway> {
        let mut state = self.lock();
        if matches!(*state, GatewayState::Quitting) {
            return Some(gateway);
        }
        *state = GatewayState::Open(gateway);
        None
    }

    /// Notes why the gateway can't open.
    fn fail(&self, folder: &DataFolder, why: String) -> Failure {
        let mut state = self.lock();
        match &*state {
            GatewayState::Quitting => Failure::Final,
            GatewayState::Failed { why: before, .. } if *before == why => Failure::Known,
            GatewayState::Opening | GatewayState::Failed { .. } | GatewayState::Open(_) => {
                tracing::error!("other programs can't ask: {why}");
                let published = folder.publish_closed(ClosedGateway::of_this_process(&why));
                if let Err(error) = &published {
                    tracing::warn!(%error, "the discovery file doesn't say why the gateway can't open");
                }
                *state = GatewayState::Failed { why, published: published.ok() };
                Failure::New
            }
        }
    }

    fn take(&self) -> Option<Gateway> {
        let taken = std::mem::replace(&mut *self.lock(), GatewayState::Quitting);
        self.retry.notify_one();
        match taken {
            GatewayState::Open(gateway) => Some(gateway),
            GatewayState::Opening | GatewayState::Failed { .. } | GatewayState::Quitting => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, GatewayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a failed attempt to open the gateway means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    New,
    /// The attempt before has failed for the same reason.
    Known,
    /// The app is quitting.
    Final,
}

/// Returns the configuration of the app's gateway.
pub fn config(app: &AppHandle, folder: &Path, engine: EngineHandle) -> GatewayConfig {
    GatewayConfig::new(folder, engine, &app.package_info().version.to_string())
}

/// Opens the gateway, and tries again until it is open. Until then, the app still works for the agents that it starts.
pub fn open(app: &AppHandle, config: GatewayConfig) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let this = app.state::<AppGateway>();
        let folder = DataFolder::at(&config.folder);
        loop {
            let (is_over, has_changed) = match Gateway::open(config.clone()).await {
                Ok(gateway) => {
                    let had_failed = this.failure().is_some();
                    if let Some(late) = this.store(gateway) {
                        late.close().await;
                    }
                    (true, had_failed)
                }
                Err(error) => match this.fail(&folder, error.to_string()) {
                    Failure::New => (false, true),
                    Failure::Known => (false, false),
                    Failure::Final => (true, false),
                },
            };
            this.attempts.send_modify(|attempts| *attempts += 1);
            if has_changed && let Err(error) = app.emit_to(window::MAIN, CHANGED_EVENT, ()) {
                tracing::warn!(%error, "the window was not told about the gateway");
            }
            if is_over {
                return;
            }
            let _ = tokio::time::timeout(PAUSE, this.retry.notified()).await;
        }
    });
}

/// Returns why other programs can't ask; none if they can.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn gateway_failure(gateway: State<'_, AppGateway>) -> Option<String> {
    gateway.failure()
}

/// Tries at once to open a gateway that can't open, and returns when that was tried.
#[tauri::command]
pub async fn retry_gateway(gateway: State<'_, AppGateway>) -> Result<(), askdesk_contract::Error> {
    let mut attempts = gateway.attempts.subscribe();
    if gateway.failure().is_some() {
        gateway.retry.notify_one();
        let _ = attempts.changed().await;
    }
    Ok(())
}

/// Returns what connecting other programs needs, or `None` if the user has no home folder.
pub fn client_host(app: &AppHandle, data: &Path) -> Option<ClientHost> {
    // Only the command line connects projects, so any folder can take the place of one here.
    let env = Env::of_user(data.to_owned())?;
    let port = app.state::<AppGateway>().get(|gateway| gateway.address().port());
    let this = std::env::current_exe().ok();
    let command = find_askdesk(this.as_deref(), &env).and_then(|program| hook_command(&program, env.os));
    Some(ClientHost { env, data: data.to_owned(), port, command })
}

/// Asks a test question through the gateway.
pub fn self_test(app: &AppHandle) -> Pending<Result<(), SelfTestError>> {
    let test = app.state::<AppGateway>().get(Gateway::self_test);
    Box::pin(async move {
        let asked = test.ok_or(SelfTestError::GatewayClosed)?.await;
        asked.map_err(|error| SelfTestError::Failed { error: error.to_string() })
    })
}

/// Removes the discovery file before the process is ended by force.
#[cfg(unix)]
pub fn unpublish(app: &AppHandle) {
    drop(app.state::<AppGateway>().take());
}

/// Closes the gateway, and tells waiting callers before the engine ends.
pub async fn close(app: &AppHandle) {
    let gateway = app.state::<AppGateway>().take();
    if let Some(gateway) = gateway {
        gateway.close().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use askdesk_client_config::discovery::DiscoveryState;
    use askdesk_engine::Catalog;
    use askdesk_engine::clock::SystemClock;

    use super::*;

    #[test]
    fn a_gateway_that_opens_while_the_app_quits_is_closed_and_leaves_no_discovery_file() {
        let folder = tempfile::tempdir().unwrap();
        tauri::async_runtime::block_on(async {
            let handle =
                EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
            let gateway = Gateway::open(GatewayConfig::new(folder.path(), handle, "0.1.0")).await.unwrap();
            let app_gateway = AppGateway::default();
            assert!(app_gateway.take().is_none());
            let late = app_gateway.store(gateway).expect("it is returned");
            late.close().await;
            assert!(app_gateway.get(|_| ()).is_none());
        });
        assert!(!folder.path().join("desk.json").exists());
    }

    #[test]
    fn the_reason_of_a_failure_is_published_once_and_removed_when_the_app_quits() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let gateway = AppGateway::default();
        assert_eq!(gateway.failure(), None);
        let why = |why: &str| why.to_owned();
        assert_eq!(gateway.fail(&folder, why("no port")), Failure::New);
        assert_eq!(gateway.fail(&folder, why("no port")), Failure::Known);
        assert_eq!(gateway.fail(&folder, why("no token")), Failure::New);
        assert_eq!(gateway.failure(), Some(why("no token")));
        assert_eq!(folder.discovery_state(), DiscoveryState::Closed { why: why("no token") });
        assert!(gateway.take().is_none());
        assert_eq!(folder.discovery_state(), DiscoveryState::NotRunning);
        assert_eq!(gateway.fail(&folder, why("no port")), Failure::Final);
    }
}
