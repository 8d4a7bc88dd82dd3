//! The client that calls, as it describes itself.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, InputRequiredResult, ProtocolVersion};
use rmcp::service::RequestContext;
use tokio::sync::OnceCell;

use crate::roots;

/// A client, as it describes itself.
#[derive(Clone, Debug)]
pub struct Client {
    pub name: String,
    pub version: Option<String>,
    /// Whether it calls without a session.
    pub is_sessionless: bool,
    has_roots: bool,
}

impl Client {
    /// Reads the fields of a call, or of the start of its session.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let about = context.client_info();
        let name = about.as_ref().map(|about| about.name.trim()).filter(|name| !name.is_empty());
        let version = about.as_ref().map(|about| about.version.trim()).filter(|version| !version.is_empty());
        let is_sessionless =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        Self {
            name: name.unwrap_or("MCP client").to_owned(),
            version: version.map(str::to_owned),
            is_sessionless,
            has_roots: roots::has(context),
        }
    }
}

/// The folder that a client works in. It is found out once.
#[derive(Debug, Default)]
pub struct Folder(OnceCell<Option<String>>);

impl Folder {
    /// Returns the folder, if it is known by now.
    pub fn known(&self) -> Option<&str> {
        self.0.get()?.as_deref()
    }

    /// Returns the folder, or the request for roots that the client must answer first. A client without sessions then
    /// repeats the call.
    pub async fn of(
        &self,
        client: &Client,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        patience: Duration,
    ) -> Result<Option<String>, Box<InputRequiredResult>> {
        if !client.is_sessionless {
            let asked = || roots::asked(context, client.has_roots, patience);
            // A client that was too slow is asked again at its next call.
            return Ok(self.0.get_or_try_init(asked).await.ok().cloned().flatten());
        }
        if let Some(given) = &params.input_responses {
            let said = || async { given.get(roots::KEY).and_then(roots::of_response) };
            return Ok(self.0.get_or_init(said).await.clone());
        }
        match self.0.get() {
            Some(folder) => Ok(folder.clone()),
            None if client.has_roots && params.request_state.is_none() => Err(Box::new(roots::request())),
            None => Ok(None),
        }
    }
}
