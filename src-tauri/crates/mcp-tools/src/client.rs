//! Who calls, as far as it says.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, InputRequiredResult, ProtocolVersion};
use rmcp::service::RequestContext;
use tokio::sync::OnceCell;

use crate::roots;

/// A client, by what it says of itself.
#[derive(Clone, Debug)]
pub struct Client {
    pub name: String,
    pub version: Option<String>,
    /// Whether it calls without a session.
    pub alone: bool,
    has_roots: bool,
}

impl Client {
    /// Takes what stands in a call, or was said when the session began.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let about = context.client_info();
        let name = about.as_ref().map(|about| about.name.trim()).filter(|name| !name.is_empty());
        let version = about.as_ref().map(|about| about.version.trim()).filter(|version| !version.is_empty());
        let alone =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        Self {
            name: name.unwrap_or("MCP client").to_owned(),
            version: version.map(str::to_owned),
            alone,
            has_roots: roots::has(context),
        }
    }
}

/// In which folder a client works: found out once, where it says so.
#[derive(Debug, Default)]
pub struct Folder(OnceCell<Option<String>>);

impl Folder {
    /// Returns it as far as it is known by now.
    pub fn known(&self) -> Option<&str> {
        self.0.get()?.as_deref()
    }

    /// Returns it, or what the client has to be asked first: one without sessions then makes the same call again.
    pub async fn of(
        &self,
        client: &Client,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        patience: Duration,
    ) -> Result<Option<String>, Box<InputRequiredResult>> {
        if !client.alone {
            let asked = || roots::asked(context, client.has_roots, patience);
            // What was not said in time is not known to be nothing.
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
