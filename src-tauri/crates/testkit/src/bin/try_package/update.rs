//! An update of the installed package: found, held back while a question is open, and installed when the user asks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::desk::{Desk, picture, press, type_text, until};
use crate::report::{Report, Result, ensure};
use crate::root::Root;
use crate::trial::{answer, ask};

/// The list of versions, in the folder that is served.
const MANIFEST: &str = "latest.json";
/// How long nothing may happen after a click on a button that is off.
const QUIET: Duration = Duration::from_secs(3);
/// Lets the user install packages without a password, which nothing here could type.
const RULE: &str = "polkit.addRule(function (action, subject) {
    if (action.id == 'org.freedesktop.policykit.exec' && subject.user == 'tester') return polkit.Result.YES;
});
";

/// Tries the update in a folder, with its `latest.json` as `cargo xtask update-manifest` writes it. Returns the app that the
/// update has started, and the services: WebKit ends its processes when the system's bus ends.
pub async fn try_it<'a>(
    report: &mut Report,
    root: &'a Root,
    desk: Desk<'a>,
    folder: &Path,
) -> Option<(Desk<'a>, Services)> {
    let services = report.step("the system may ask for a password", Services::start(root)).await?;
    let server = report.step("a server with a newer version", Server::start(folder)).await?;
    let asked = report.step("a question is open", ask(root, &desk, "Update now?")).await?;
    report.step("the update is found, and not begun while a question is open", server.is_held_back()).await?;
    report.step("the question is answered", answer(&desk, asked)).await?;
    let desk = report.step("the update is installed when the user asks", server.install(root, desk)).await?;
    Some((desk, services))
}

/// The system's bus, and what decides who may act as the administrator.
pub struct Services(Vec<Child>);

impl Services {
    async fn start(root: &Root) -> Result<Self> {
        fs::write(root.path("etc/polkit-1/rules.d/49-trial.rules"), RULE)?;
        fs::create_dir_all(root.path("run/dbus"))?;
        root.as_root(["dbus-uuidgen", "--ensure"])?;
        let mut services = Self(Vec::new());
        services.0.push(root.daemon(&["dbus-daemon", "--system", "--nofork"])?);
        until("the system's bus", || Ok(root.path("run/dbus/system_bus_socket").exists().then_some(())))
            .await?;
        services.0.push(root.daemon(&["/usr/lib/polkit-1/polkitd", "--no-debug"])?);
        let may_act = || Ok(root.type_line("pkexec true").ok());
        until("permission to act as the administrator", may_act).await?;
        Ok(services)
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        for service in &mut self.0 {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

/// A server of releases on this machine.
struct Server {
    version: String,
    served: Arc<Served>,
    task: JoinHandle<()>,
}

struct Served {
    folder: PathBuf,
    /// The names of the files that were asked for.
    asked: Mutex<Vec<String>>,
}

impl Server {
    /// Serves the folder where its list says that the packages are.
    async fn start(folder: &Path) -> Result<Self> {
        let manifest: Value = serde_json::from_slice(&fs::read(folder.join(MANIFEST))?)?;
        let version = manifest["version"].as_str().ok_or("the list names no version")?.to_owned();
        let platforms = manifest["platforms"].as_object().ok_or("the list names no packages")?;
        let url = platforms.values().find_map(|platform| platform["url"].as_str());
        let address = url.and_then(|url| url.strip_prefix("http://")?.split('/').next());
        let address = address.ok_or("the list leads to no server on this machine")?;
        let served = Arc::new(Served { folder: folder.to_owned(), asked: Mutex::default() });
        let app = Router::new().fallback(serve).with_state(Arc::clone(&served));
        let listener = tokio::net::TcpListener::bind(address).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("the server of releases ended ({error})");
            }
        });
        Ok(Self { version, served, task })
    }

    fn was_asked_for(&self, end: &str) -> bool {
        let asked = self.served.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().any(|name| name.ends_with(end))
    }

    async fn is_held_back(&self) -> Result<()> {
        palette("Check for updates").await?;
        until("a look at the list of versions", || Ok(self.was_asked_for(MANIFEST).then_some(()))).await?;
        // The palette shows the settings, where the result is.
        tokio::time::sleep(QUIET).await;
        picture("update-found");
        press("Escape")?;
        begin().await?;
        picture("update-held-back");
        tokio::time::sleep(QUIET).await;
        let begun = self.was_asked_for(".deb") || self.was_asked_for(".rpm");
        press("Escape")?;
        ensure(!begun, || "the package was downloaded".to_owned())
    }

    async fn install<'a>(&self, root: &'a Root, desk: Desk<'a>) -> Result<Desk<'a>> {
        // An answer can be undone for three seconds, and that is in the way too.
        tokio::time::sleep(QUIET * 2).await;
        begin().await?;
        picture("update-begun");
        let installed = || {
            let printed = root.type_line("askdesk --version").unwrap_or_default();
            let package = root.installed_version()?;
            Ok((package == self.version).then_some(printed))
        };
        until("the new version", installed).await?;
        let restarted = desk.restarted().await?;
        picture("updated");
        Ok(restarted)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(served): State<Arc<Served>>, uri: Uri) -> impl IntoResponse {
    let name = uri.path().rsplit('/').next().unwrap_or_default().to_owned();
    let content = fs::read(served.folder.join(&name));
    served.asked.lock().unwrap_or_else(PoisonError::into_inner).push(name);
    content.map_err(|_| StatusCode::NOT_FOUND)
}

/// Chooses an action of the palette by its name.
async fn palette(name: &str) -> Result<()> {
    // The notice of an update comes while nobody points at the window.
    crate::root::run(Command::new("xdotool").args(["mousemove", "5", "5"]))?;
    press("ctrl+k")?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    type_text(name)?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    press("Return")
}

/// Opens the dialog of the update, and presses the button behind *Close*.
async fn begin() -> Result<()> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    palette("Install update").await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    press("Tab")?;
    press("Return")
}
