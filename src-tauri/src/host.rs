//! The shell as the API's host: it provides the window, the system settings and the gateway.

use std::path::{Path, PathBuf};

use askdesk_api::{ClientHost, Host, SaveError, SelfTestError, UpdateAsked};
use askdesk_contract::{
    Exported, NotePainted, NoteView, NotificationLogEntry, Pending, UnappliedSetting, UpdateRead,
};
use askdesk_desk::{Desk, View};
use askdesk_domain::Settings;
use askdesk_open_in::Search;
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tokio::sync::{oneshot, watch};

use crate::first_paint::FirstPaint;
use crate::updates::{Asker, Updates};
use crate::{autostart, gateway, language, shell_environment, trace};

/// Serves the API of one data folder.
pub struct ShellHost {
    app: AppHandle,
    data_folder: PathBuf,
    desk: Desk,
    settings: watch::Receiver<Settings>,
}

impl ShellHost {
    pub fn new(
        app: &AppHandle,
        data_folder: PathBuf,
        desk: Desk,
        settings: watch::Receiver<Settings>,
    ) -> Self {
        Self { app: app.clone(), data_folder, desk, settings }
    }
}

impl Host for ShellHost {
    fn note_view(&self, NoteView { session, focused }: NoteView) {
        self.desk.note_view(View { session, focused });
    }

    fn notification_log(&self) -> Vec<NotificationLogEntry> {
        self.desk.notification_log()
    }

    fn painted(&self, painted: NotePainted) {
        trace::painted(&painted);
        self.app.state::<FirstPaint>().note();
    }

    fn save(&self, export: Exported) -> Pending<Result<Option<PathBuf>, SaveError>> {
        let (choose, chosen) = oneshot::channel();
        let title = language::messages(&self.settings.borrow()).save_export;
        let dialog = self.app.dialog().file().set_title(title).set_file_name(&export.file_name);
        dialog.save_file(move |file| drop(choose.send(file)));
        Box::pin(async move {
            let Some(file) = chosen.await.ok().flatten() else { return Ok(None) };
            write(file, export.text).await.map(Some)
        })
    }

    fn apply_system_settings(&self, settings: &Settings) -> Pending<Vec<UnappliedSetting>> {
        Box::pin(autostart::system_settings(self.app.clone(), settings.clone()))
    }

    fn client_host(&self) -> Option<ClientHost> {
        gateway::client_host(&self.app, &self.data_folder)
    }

    fn read_environment(&self) -> Pending<()> {
        Box::pin(shell_environment::read(self.app.clone()))
    }

    fn program_search(&self) -> Search {
        Search::of_user()
    }

    fn reveal(&self, path: &Path) -> Result<(), String> {
        tauri_plugin_opener::reveal_item_in_dir(path).map_err(|error| error.to_string())
    }

    fn updates(&self, asked: UpdateAsked) -> Pending<UpdateRead> {
        let updates = self.app.state::<Updates>().inner().clone();
        Box::pin(async move {
            match asked {
                UpdateAsked::Nothing => {}
                UpdateAsked::Check => updates.check(Asker::User).await,
                UpdateAsked::Install { version } => updates.install(version).await,
                UpdateAsked::Cancel => updates.cancel(),
                UpdateAsked::SetAside { version, until } => updates.set_aside(version, until),
            }
            updates.read()
        })
    }

    fn self_test(&self) -> Pending<Result<(), SelfTestError>> {
        gateway::self_test(&self.app)
    }
}

async fn write(file: FilePath, text: String) -> Result<PathBuf, SaveError> {
    let path = file.into_path().map_err(|error| SaveError { path: None, error: error.to_string() })?;
    let write = move || match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(error) => Err(SaveError { path: Some(path), error: error.to_string() }),
    };
    let written = tauri::async_runtime::spawn_blocking(write).await;
    written.map_err(|error| SaveError { path: None, error: error.to_string() })?
}
