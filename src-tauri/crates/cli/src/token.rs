//! `askdesk token rotate`.

use askdesk_client_config::{DataFolder, EntryState, FileStatus, Scope, file_statuses};
use askdesk_contract::Client;
use serde_json::json;

use crate::connect::{endpoint, env, gateway_port};
use crate::exit::{Exit, Failure};
use crate::http_client::{HttpClient, is_stopped};
use crate::terminal;

/// Replaces both tokens. A running Askdesk does it itself, so that it rejects the old ones at once.
pub async fn rotate(folder: &DataFolder) -> Result<Exit, Failure> {
    if is_stopped(folder).await {
        folder
            .replace_tokens()
            .map_err(|error| Failure::System(format!("couldn't write the tokens: {error}")))?;
    } else {
        // Replacing the files while Askdesk runs would lock out every client.
        let rotating =
            async { HttpClient::for_answering(folder)?.post("/v1/token/rotate", &json!({})).await };
        rotating.await.map_err(|failure| match failure {
            Failure::NotRunning(why) => Failure::System(format!(
                "Askdesk seems to be running but didn't replace the tokens: {why}. Restart it and try again"
            )),
            failure => failure,
        })?;
    }
    terminal::print("Both tokens replaced.\n")?;
    let token = folder.token()?.ok_or_else(|| Failure::System("no token found".to_owned()))?;
    let (env, endpoint) = (env()?, endpoint(gateway_port(folder).await, token)?);
    for (scope, flag) in [(Scope::User, ""), (Scope::Project, " --scope project")] {
        let is_outdated = |client: &Client| {
            let stale = |it: &FileStatus| it.entry == EntryState::Stale;
            file_statuses(*client, scope, &env, &endpoint).iter().any(stale)
        };
        let outdated: Vec<&str> = Client::ALL.into_iter().filter(is_outdated).map(Client::id).collect();
        if !outdated.is_empty() {
            let names = outdated.join(" ");
            terminal::print(&format!("To reconnect: askdesk connect {names}{flag}\n"))?;
        }
    }
    Ok(Exit::Success)
}
