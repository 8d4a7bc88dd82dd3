//! Updates by Tauri's updater, which checks their signatures.

use std::error::Error as _;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_contract::Pending;
use askdesk_contract::{Release, UpdateByHand, UpdateProblem};
use tauri::utils::platform::bundle_type;
use tauri::{AppHandle, Builder, Context, Manager, Runtime};
use tauri_plugin_updater::{Error, Update, UpdaterBuilder, UpdaterExt};

use super::form::Form;
use super::source::{Progress, Source};
use super::state::Installs;

/// How long a check may take.
const CHECK_LIMIT: Duration = Duration::from_secs(30);

/// How long the server may send nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// The longest notes that are shown, in characters.
const NOTES: usize = 50_000;

/// Adds the plugin, if the build says where new versions are and who signs them.
pub fn register<R: Runtime>(builder: Builder<R>, context: &Context<R>) -> Builder<R> {
    if is_configured(context.config()) {
        builder.plugin(tauri_plugin_updater::Builder::new().build())
    } else {
        builder
    }
}

/// Returns the source of updates; none if this build or the way it was installed has none.
pub fn source<R: Runtime>(app: &AppHandle<R>) -> Option<Arc<dyn Source>> {
    if !is_configured(app.config()) {
        return None;
    }
    let form = bundle_type().as_ref().and_then(|bundle| Form::of(bundle, has_appimage(app)))?;
    match PluginSource::new(app.updater_builder(), form) {
        Ok(source) => Some(Arc::new(source)),
        Err(error) => {
            tracing::error!(%error, "this build's updates are not set up correctly");
            None
        }
    }
}

fn is_configured(config: &tauri::Config) -> bool {
    config.plugins.0.get("updater").is_some_and(|updater| {
        let has_key = updater["pubkey"].as_str().is_some_and(|key| !key.trim().is_empty());
        has_key && updater["endpoints"].as_array().is_some_and(|endpoints| !endpoints.is_empty())
    })
}

fn has_appimage<R: Runtime>(app: &AppHandle<R>) -> bool {
    #[cfg(target_os = "linux")]
    return app.env().appimage.is_some();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = app;
        false
    }
}

#[derive(Clone)]
pub struct PluginSource(Arc<Inner>);

struct Inner {
    updater: tauri_plugin_updater::Updater,
    form: Form,
    found: Mutex<Option<Update>>,
    /// The package that was downloaded, with what it updates to.
    package: Mutex<Option<(Update, Arc<Vec<u8>>)>>,
}

impl PluginSource {
    pub fn new(builder: UpdaterBuilder, form: Form) -> Result<Self, Error> {
        let limited = builder
            .timeout(CHECK_LIMIT)
            .configure_client(|client| client.connect_timeout(CHECK_LIMIT).read_timeout(SILENCE));
        let updater = limited.build()?;
        Ok(Self(Arc::new(Inner { updater, form, found: Mutex::default(), package: Mutex::default() })))
    }

    async fn find(self) -> Result<Option<Release>, UpdateProblem> {
        let found = self.0.updater.check().await.map_err(|error| problem_of(&error, UpdateStep::Check))?;
        let release = found.as_ref().map(|update| Release {
            version: update.version.clone(),
            notes: update.body.as_deref().unwrap_or_default().chars().take(NOTES).collect(),
            size: size_of(update),
        });
        *lock(&self.0.package) = None;
        *lock(&self.0.found) = found;
        Ok(release)
    }

    async fn fetch(self, mut progress: Progress) -> Result<(), UpdateProblem> {
        let Some(update) = lock(&self.0.found).clone() else { return Err(nothing_found()) };
        let mut received = 0;
        let on_chunk = |size: usize, total| {
            received += size as u64;
            progress(received, total);
        };
        let package = update
            .download(on_chunk, || {})
            .await
            .map_err(|error| problem_of(&error, UpdateStep::Download))?;
        *lock(&self.0.package) = Some((update, Arc::new(package)));
        Ok(())
    }

    async fn put_in_place(self) -> Result<(), UpdateProblem> {
        let Some((update, package)) = lock(&self.0.package).clone() else { return Err(nothing_found()) };
        let installing = tauri::async_runtime::spawn_blocking(move || update.install(package.as_slice()));
        let ended = installing.await.map_err(|error| UpdateProblem::System { error: error.to_string() })?;
        ended.map_err(|error| problem_of(&error, UpdateStep::Install))
    }
}

/// Reads the size beside the address of the package.
fn size_of(update: &Update) -> Option<u64> {
    let platforms = update.raw_json["platforms"].as_object()?;
    let ours = platforms.values().find(|platform| platform["url"] == update.download_url.as_str())?;
    ours["size"].as_u64()
}

impl Source for PluginSource {
    fn check(&self) -> Pending<Result<Option<Release>, UpdateProblem>> {
        Box::pin(self.clone().find())
    }

    fn download(&self, progress: Progress) -> Pending<Result<(), UpdateProblem>> {
        Box::pin(self.clone().fetch(progress))
    }

    fn install(&self) -> Pending<Result<(), UpdateProblem>> {
        Box::pin(self.clone().put_in_place())
    }

    fn installs(&self) -> Installs {
        match self.0.form {
            Form::Deb | Form::Rpm => Installs::ByHand,
            Form::Bundle => Installs::WhileRunning,
            Form::Installer => Installs::AtExit,
        }
    }

    fn by_hand(&self, version: &str) -> Option<UpdateByHand> {
        self.0.form.by_hand(version)
    }
}

/// What was done when an error came.
#[derive(Clone, Copy)]
enum UpdateStep {
    Check,
    Download,
    Install,
}

fn problem_of(error: &Error, step: UpdateStep) -> UpdateProblem {
    let words = with_causes(error);
    match error {
        Error::Reqwest(error) if error.is_decode() && matches!(step, UpdateStep::Check) => {
            UpdateProblem::Server { error: words }
        }
        Error::Reqwest(error) if matches!(step, UpdateStep::Download) && !error.is_connect() => {
            UpdateProblem::Interrupted { error: words }
        }
        Error::Reqwest(_) => UpdateProblem::Offline { error: words },
        Error::ReleaseNotFound | Error::Serialization(_) | Error::Network(_) => {
            UpdateProblem::Server { error: words }
        }
        Error::TargetNotFound(_)
        | Error::TargetsNotFound(_)
        | Error::UnsupportedArch
        | Error::UnsupportedOs => UpdateProblem::NoPackage,
        Error::Minisign(_)
        | Error::Base64(_)
        | Error::SignatureUtf8(_)
        | Error::SignedVersionMismatch { .. }
        | Error::MissingSignedVersion => {
            tracing::warn!(error = words, "an update is not signed as it must be");
            UpdateProblem::Signature
        }
        Error::InvalidUpdaterFormat | Error::BinaryNotFoundInArchive => UpdateProblem::Unusable,
        Error::Io(error)
            if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            UpdateProblem::NotAllowed
        }
        _ => UpdateProblem::System { error: words },
    }
}

/// Returns an error's words with those of what caused it.
fn with_causes(error: &Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = error.source();
    }
    words
}

/// The state machine asks only for what was found.
fn nothing_found() -> UpdateProblem {
    UpdateProblem::System { error: "no update was found before".to_owned() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_a_key_or_an_address_has_no_updates() {
        let is_configured = |updater: &str| {
            let config = format!(r#"{{ "identifier": "test", "plugins": {{ "updater": {updater} }} }}"#);
            is_configured(&serde_json::from_str(&config).unwrap())
        };
        assert!(is_configured(r#"{ "pubkey": "key", "endpoints": ["https://example.com/latest.json"] }"#));
        assert!(!is_configured(r#"{ "pubkey": " ", "endpoints": ["https://example.com/latest.json"] }"#));
        assert!(!is_configured(r#"{ "pubkey": "key", "endpoints": [] }"#));
        assert!(!is_configured(r#"{ "endpoints": ["https://example.com/latest.json"] }"#));
        assert!(!is_configured("null"));
    }

    #[test]
    fn the_configuration_of_the_repository_contacts_nothing() {
        let config = include_str!("../../../tauri.conf.json");
        assert!(!is_configured(&serde_json::from_str(config).unwrap()));
    }
}
