//! Updates from a server on this machine, with packages that are really signed, checked, and put in place.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "test helpers may fail the test")]

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::KeyPair;
use rstest::rstest;
use serde_json::{Value, json};
use tauri::test::{MockRuntime, mock_builder, mock_context, noop_assets};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::*;
use form::Form;
use plugin::PluginSource;

const OLD: &str = "the version that runs";

const PATIENCE: Duration = Duration::from_secs(20);

/// The contents of an AppImage of the new version.
fn appimage() -> Vec<u8> {
    [b"\x7fELF".as_slice(), &[7; 300_000]].concat()
}

fn sign(key: &KeyPair, package: &[u8], comment: &str) -> String {
    let signature = minisign::sign(None, &key.sk, package, Some(comment), None).unwrap();
    STANDARD.encode(signature.into_string())
}

/// How the server sends the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sends {
    Whole,
    /// The connection breaks off in the middle.
    Half,
    NotFound,
    /// Some of it, and then nothing more.
    Slowly,
}

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    spawn(async move { axum::serve(listener, router).await });
    address
}

fn package_response(sends: Sends, package: Vec<u8>) -> Response {
    let length = [(header::CONTENT_LENGTH, package.len())];
    match sends {
        Sends::Whole => package.into_response(),
        Sends::NotFound => StatusCode::NOT_FOUND.into_response(),
        Sends::Half | Sends::Slowly => {
            let (parts, body) = tokio::sync::mpsc::channel::<Result<Vec<u8>, std::io::Error>>(2);
            spawn(async move {
                let _ = parts.send(Ok(package[..package.len() / 2].to_vec())).await;
                if sends == Sends::Slowly {
                    sleep(Duration::from_secs(600)).await;
                }
                let _ = parts.send(Err(std::io::ErrorKind::ConnectionReset.into())).await;
            });
            let stream =
                futures_util::stream::unfold(
                    body,
                    |mut body| async move { Some((body.recv().await?, body)) },
                );
            (length, Body::from_stream(stream)).into_response()
        }
    }
}

/// What surrounds the updates in a test.
#[derive(Default)]
struct TestDesk {
    /// What is in the way.
    obstacles: Mutex<Vec<UpdateObstacle>>,
    /// What comes up once this many questions about it were answered.
    comes_up_after: Mutex<Option<usize>>,
    restarts: AtomicBool,
}

impl Desk for TestDesk {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }

    fn obstacles(&self) -> Vec<UpdateObstacle> {
        if let Some(left) = lock(&self.comes_up_after).as_mut() {
            if *left == 0 {
                *lock(&self.obstacles) = vec![UpdateObstacle::QuestionOpen];
            }
            *left = left.saturating_sub(1);
        }
        lock(&self.obstacles).clone()
    }

    fn changed(&self) {}

    fn restart(&self) {
        self.restarts.store(true, Ordering::Relaxed);
    }
}

/// An installed AppImage with a server of new versions.
struct World {
    updates: Updates,
    desk: Arc<TestDesk>,
    folder: TempDir,
    _app: tauri::App<MockRuntime>,
}

/// What differs between the servers of new versions.
struct Offer {
    version: &'static str,
    /// The part of the signature that says what it is for.
    comment: &'static str,
    sends: Sends,
    package: Vec<u8>,
    /// Whether the makers of the app have signed it.
    is_ours: bool,
}

impl Default for Offer {
    fn default() -> Self {
        let comment = "timestamp:1\tfile:askdesk.AppImage\tversion:0.3.0";
        Self { version: "0.3.0", comment, sends: Sends::Whole, package: appimage(), is_ours: true }
    }
}

impl World {
    async fn new(offer: Offer) -> Self {
        let (ours, other) = (
            KeyPair::generate_unencrypted_keypair().unwrap(),
            KeyPair::generate_unencrypted_keypair().unwrap(),
        );
        let signature = sign(if offer.is_ours { &ours } else { &other }, &offer.package, offer.comment);
        let (sends, package) = (offer.sends, offer.package.clone());
        let packages = serve(
            Router::new()
                .route("/askdesk.AppImage", get(move || async move { package_response(sends, package) })),
        )
        .await;
        let platform = json!({
            "url": format!("http://{packages}/askdesk.AppImage"), "signature": signature, "size": offer.package.len()
        });
        let list = json!({
            "version": offer.version, "notes": "- **Faster**", "platforms": {"linux-x86_64": platform.clone(), "linux-aarch64": platform}
        });
        let body = list.to_string();
        let address = serve(Router::new().route("/latest.json", get(move || async move { body }))).await;
        let key = STANDARD.encode(ours.pk.to_box().unwrap().into_string());
        Self::on(&format!("http://{address}/latest.json"), &key)
    }

    fn on(endpoint: &str, key: &str) -> Self {
        let mut context = mock_context(noop_assets());
        context.config_mut().version = Some("0.2.0".to_owned());
        context.package_info_mut().version = "0.2.0".parse().unwrap();
        let updater = json!({
            "endpoints": [endpoint], "pubkey": key, "requireSignedVersion": true, "dangerousInsecureTransportProtocol": true
        });
        context.config_mut().plugins.0.insert("updater".to_owned(), updater);
        let app = register(mock_builder(), &context).build(context).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let installed = folder.path().join("Askdesk.AppImage");
        fs::write(&installed, OLD).unwrap();
        let builder = tauri_plugin_updater::UpdaterExt::updater_builder(app.handle());
        // The machine's own proxy can't reach this server.
        let source = PluginSource::new(builder.no_proxy().executable_path(installed), Form::Bundle).unwrap();
        let desk = Arc::new(TestDesk::default());
        let updates =
            Updates::new(Some(Arc::new(source)), desk.clone(), folder.path().to_owned(), "0.2.0".to_owned());
        Self { updates, desk, folder, _app: app }
    }

    fn installed(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("Askdesk.AppImage")).unwrap()
    }

    fn is_unchanged(&self) -> bool {
        self.installed() == OLD.as_bytes()
    }

    fn restarts(&self) -> bool {
        self.desk.restarts.load(Ordering::Relaxed)
    }

    async fn checked(offer: Offer) -> Self {
        let world = Self::new(offer).await;
        world.updates.check(Asker::User).await;
        world
    }

    async fn install(&self) {
        self.updates.install("0.3.0".to_owned()).await;
    }

    /// Installs with nothing in the way until the next step has looked.
    async fn install_until_a_question_comes(&self) {
        lock(&self.desk.obstacles).clear();
        *lock(&self.desk.comes_up_after) = Some(1);
        self.install().await;
    }

    /// Waits for a phase, and returns what is known then.
    async fn until(&self, name: &str) -> UpdateRead {
        self.known(name, |read| phase(read) == name).await
    }

    /// Waits for a problem, and returns what is known then.
    async fn failed(&self) -> UpdateRead {
        self.known("a problem", |read| read.problem.is_some()).await
    }

    async fn known(&self, what: &str, is_true: impl Fn(&UpdateRead) -> bool) -> UpdateRead {
        let found = async {
            loop {
                let read = self.updates.read();
                if is_true(&read) {
                    return read;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("not {what}: {:?}", self.updates.read()))
    }
}

fn phase(read: &UpdateRead) -> String {
    let Value::Object(phase) = serde_json::to_value(&read.phase).unwrap() else { panic!("{read:?}") };
    phase["phase"].as_str().unwrap().to_owned()
}

fn problem(read: &UpdateRead) -> String {
    let problem = serde_json::to_value(read.problem.as_ref().unwrap()).unwrap();
    problem["problem"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_signed_version_is_found_downloaded_put_in_place_and_the_app_restarts() {
    let world = World::checked(Offer::default()).await;
    let found = world.updates.read();
    let UpdatePhase::Available { release } = &found.phase else { panic!("{found:?}") };
    assert_eq!(release.notes, "- **Faster**");
    assert_eq!(release.size, Some(appimage().len() as u64));
    assert_eq!(found.checked_at, Some(Timestamp::from_millis(1_000)));
    assert!(found.is_offered && world.is_unchanged() && !world.restarts());
    world.install().await;
    world.until("installed").await;
    assert_eq!(world.installed(), appimage());
    assert!(world.restarts());
    assert!(world.updates.may_restart().await);
    assert!(take_restart(world.folder.path()));
    assert!(!take_restart(world.folder.path()), "it counts once");
}

#[rstest]
#[case::signed_by_others(Offer { is_ours: false, ..Offer::default() }, "signature")]
#[case::signed_for_another_version(Offer { comment: "timestamp:1\tversion:0.2.1", ..Offer::default() }, "signature")]
#[case::signed_for_no_version(Offer { comment: "timestamp:1\tfile:askdesk.AppImage", ..Offer::default() }, "signature")]
#[case::of_another_form(Offer { package: b"no program".to_vec(), ..Offer::default() }, "unusable")]
#[case::broken_off(Offer { sends: Sends::Half, ..Offer::default() }, "interrupted")]
#[case::not_there(Offer { sends: Sends::NotFound, ..Offer::default() }, "server")]
#[tokio::test]
async fn a_bad_package_or_download_installs_nothing_and_can_be_tried_again(
    #[case] offer: Offer,
    #[case] expected: &str,
) {
    let world = World::checked(offer).await;
    for _ in 0..2 {
        world.install().await;
        let read = world.failed().await;
        assert_eq!((phase(&read).as_str(), problem(&read).as_str()), ("available", expected));
        assert!(world.is_unchanged() && !world.restarts());
    }
}

#[tokio::test]
async fn a_slow_download_shows_its_progress_and_can_be_canceled() {
    let world = World::checked(Offer { sends: Sends::Slowly, ..Offer::default() }).await;
    world.install().await;
    let begun = |read: &UpdateRead| matches!(read.phase, UpdatePhase::Downloading { received: 1.., .. });
    let read = world.known("downloading", begun).await;
    let total = Some(appimage().len() as u64);
    assert!(matches!(read.phase, UpdatePhase::Downloading { total: said, .. } if said == total), "{read:?}");
    world.updates.cancel();
    let read = world.updates.read();
    assert_eq!((phase(&read), read.problem), ("available".to_owned(), None));
    assert!(world.is_unchanged() && !world.restarts());
}

#[tokio::test]
async fn what_is_in_the_way_stops_each_step() {
    let world = World::checked(Offer::default()).await;
    *lock(&world.desk.obstacles) = vec![UpdateObstacle::AgentWorks];
    world.install().await;
    let read = world.updates.read();
    assert_eq!((phase(&read), read.in_the_way), ("available".to_owned(), vec![UpdateObstacle::AgentWorks]));

    // A question comes while it downloads.
    world.install_until_a_question_comes().await;
    let read = world.until("downloaded").await;
    assert_eq!(read.in_the_way, [UpdateObstacle::QuestionOpen]);
    assert!(world.is_unchanged() && !world.restarts());

    // Another one comes while it is installed.
    world.install_until_a_question_comes().await;
    world.until("installed").await;
    assert_eq!(world.installed(), appimage());
    assert!(!world.restarts());

    // And one right before the restart.
    world.install_until_a_question_comes().await;
    assert!(world.restarts());
    assert!(!world.updates.may_restart().await);
    assert!(!take_restart(world.folder.path()));
    assert_eq!(phase(&world.updates.read()), "installed");
}

#[rstest]
#[case("0.2.0")]
#[case("0.1.9")]
#[tokio::test]
async fn a_version_that_is_not_newer_is_no_update(#[case] version: &'static str) {
    let world = World::checked(Offer { version, ..Offer::default() }).await;
    let read = world.updates.read();
    assert_eq!((phase(&read), read.problem), ("idle".to_owned(), None));
    assert!(read.checked_at.is_some() && !read.is_offered);
}

#[tokio::test]
async fn a_server_that_is_gone_refuses_or_talks_nonsense_is_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = listener.local_addr().unwrap();
    drop(listener);
    let odd = serve(
        Router::new()
            .route("/words", get(|| async { "no list" }))
            .route("/shell", get(|| async { r#"{"version": "0.3.0; true", "platforms": {}}"# }))
            .route("/other", get(|| async { r#"{"version": "0.3.0", "platforms": {}}"# })),
    )
    .await;
    let cases = [
        (format!("http://{gone}/latest.json"), "offline"),
        (format!("http://{odd}/latest.json"), "server"),
        (format!("http://{odd}/words"), "server"),
        // The version becomes part of what the user types.
        (format!("http://{odd}/shell"), "server"),
        (format!("http://{odd}/other"), "no_package"),
    ];
    for (endpoint, expected) in cases {
        let world = World::on(&endpoint, "key");
        world.updates.check(Asker::User).await;
        let read = world.updates.read();
        assert_eq!((phase(&read).as_str(), problem(&read).as_str()), ("idle", expected), "{endpoint}");
        assert_eq!(read.checked_at, None);
    }
}

#[tokio::test]
async fn a_skipped_version_stays_skipped_after_a_restart() {
    let world = World::checked(Offer::default()).await;
    world.updates.set_aside("0.3.0".to_owned(), SetAsideUntil::NextVersion);
    assert!(!world.updates.read().is_offered);
    assert_eq!(KeptUpdate::read(world.folder.path()).skipped.as_deref(), Some("0.3.0"));
}

#[tokio::test]
async fn without_a_source_nothing_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Arc::new(TestDesk::default());
    let updates = Updates::new(None, desk.clone(), folder.path().to_owned(), "0.2.0".to_owned());
    updates.check(Asker::User).await;
    updates.install("0.3.0".to_owned()).await;
    updates.cancel();
    let read = updates.read();
    assert_eq!((read.phase, read.problem), (UpdatePhase::Unavailable, None));
    assert!(!Path::new(&folder.path().join("updates.json")).exists());
}
