//! Opens and closes the gateway. It is open while the app runs, and never delays the window.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use askdesk_api::{ClientHost, Pending, SelfTestError};
use askdesk_client_config::{Env, find_askdesk, hook_command};
use askdesk_engine::EngineHandle;
use askdesk_gateway::{Gateway, GatewayConfig};
use tauri::{AppHandle, Manager};

/// The app's gateway, once it is open.
#[derive(Default)]
pub struct AppGateway(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Closed,
    Open(Gateway),
    /// The app is quitting, and the gateway stays closed.
    Quitting,
}

impl AppGateway {
    /// Returns something about the gateway, if it is open.
    fn get<T>(&self, get: impl FnOnce(&Gateway) -> T) -> Option<T> {
        match &*self.lock() {
            State::Open(gateway) => Some(get(gateway)),
            State::Closed | State::Quitting => None,
        }
    }

    /// Stores an opened gateway, or returns it if the app is already quitting.
    fn store(&self, gateway: Gateway) -> Option<Gateway> {
        let mut state = self.lock();
        match *state {
            State::Quitting => Some(gateway),
            State::Closed | State::Open(_) => {
                *state = State::Open(gateway);
                None
            }
        }
    }

    fn take(&self) -> Option<Gateway> {
        match std::mem::replace(&mut *self.lock(), State::Quitting) {
            State::Open(gateway) => Some(gateway),
            State::Closed | State::Quitting => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the configuration of the app's gateway.
pub fn config(app: &AppHandle, folder: &Path, engine: EngineHandle) -> GatewayConfig {
    GatewayConfig::new(folder, engine, &app.package_info().version.to_string())
}

/// Opens the gateway. If it can't open, the app still works for the agents that it starts.
pub fn open(app: &AppHandle, config: GatewayConfig) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match Gateway::open(config).await {
            Ok(gateway) => {
                let late = app.state::<AppGateway>().store(gateway);
                if let Some(gateway) = late {
                    gateway.close().await;
                }
            }
            Err(error) => tracing::error!(%error, "the gateway cannot open, so other agents cannot ask"),
        }
    });
}

/// Returns what connecting other programs needs, or `None` if the user has no home folder.
pub fn client_host(app: &AppHandle, data: &Path) -> Option<ClientHost> {
    // Only the command line connects projects, so any folder can take the place of one here.
    let env = Env::of_user(data.to_owned())?;
    let port = app.state::<AppGateway>().get(|gateway| gateway.address().port());
    let this = std::env::current_exe().ok();
    let command = find_askdesk(this.as_deref(), &env).and_then(|program| hook_command(&program));
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

    use askdesk_engine::clock::SystemClock;
    use askdesk_engine::{Catalog, OpenedEngine};

    use super::*;

    #[test]
    fn a_gateway_that_opens_while_the_app_quits_is_closed_and_leaves_no_discovery_file() {
        let folder = tempfile::tempdir().unwrap();
        tauri::async_runtime::block_on(async {
            let OpenedEngine { handle, .. } =
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
}
