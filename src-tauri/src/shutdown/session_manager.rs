//! GNOME's session manager interface, which announces the end of a desktop session. Other session managers send SIGTERM.

use tauri::AppHandle;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::message::Type;
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, MatchRule, MessageStream};

const MANAGER: &str = "org.gnome.SessionManager";
const MANAGER_OBJECT: &str = "/org/gnome/SessionManager";
const CLIENT: &str = "org.gnome.SessionManager.ClientPrivate";

/// Set by the session manager; registering hands it back.
const STARTUP_ID: &str = "DESKTOP_AUTOSTART_ID";

/// Registers with the session manager, if there is one, and shuts down when it says so.
pub fn follow(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(error) = listen(&app).await {
            tracing::debug!(%error, "no session manager announces the end of the session");
        }
    });
}

async fn listen(app: &AppHandle) -> zbus::Result<()> {
    let bus = Connection::session().await?;
    let rule = MatchRule::builder().msg_type(Type::Signal).interface(CLIENT)?.build();
    let mut signals = MessageStream::for_match_rule(rule, &bus, None).await?;
    let startup = std::env::var(STARTUP_ID).unwrap_or_default();
    let id = askdesk_client_config::discovery::IDENTIFIER;
    let about = (id, &startup);
    let registered =
        bus.call_method(Some(MANAGER), MANAGER_OBJECT, Some(MANAGER), "RegisterClient", &about).await?;
    let client: OwnedObjectPath = registered.body().deserialize()?;
    while let Some(signal) = signals.next().await {
        let signal = signal?;
        let header = signal.header();
        if header.path() != Some(&*client) {
            continue;
        }
        match header.member().map(|member| member.as_str()) {
            Some("QueryEndSession") => {
                let yes = (true, "");
                bus.call_method(Some(MANAGER), &client, Some(CLIENT), "EndSessionResponse", &yes).await?;
            }
            // The session manager continues when this connection closes, so it stays open until the process ends.
            Some("EndSession" | "Stop") => super::begin(app),
            _ => {}
        }
    }
    Ok(())
}
