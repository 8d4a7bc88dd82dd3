//! Clients that the desk did not start: they come by themselves, ask, and wait for the answer.

use serde::Serialize;

use crate::id::Timestamp;
use crate::origin::Channel;
use crate::text::{cut_at, says_something, without_controls};

/// The longest name of a client, in characters; a longer one is cut.
pub const CLIENT_NAME_CHARS: usize = 80;

/// The longest folder of a client, in bytes; a longer one is cut.
pub const CLIENT_FOLDER_BYTES: usize = 4_096;

/// The longest version of a client, in characters; a longer one is cut.
const VERSION_CHARS: usize = 40;

/// A client that comes to ask, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundClient {
    pub channel: Channel,
    /// What it calls itself.
    pub name: String,
    /// Its version, if it says.
    pub version: Option<String>,
    /// The folder it works in, if it says.
    pub folder: Option<String>,
}

impl InboundClient {
    /// Makes its words fit to be shown and to be known again by: on one line, and not endless.
    pub fn plain(&self) -> Self {
        let version = self.version.as_deref().map(|version| one_line(version, VERSION_CHARS));
        let folder = self
            .folder
            .as_deref()
            .map(|folder| cut_at(one_line(folder, usize::MAX), CLIENT_FOLDER_BYTES, "…"));
        let name = one_line(&self.name, CLIENT_NAME_CHARS);
        let name = if says_something(&name) { name } else { unnamed(self.channel).to_owned() };
        Self {
            channel: self.channel,
            name,
            version: version.filter(|version| says_something(version)),
            folder: folder.filter(|folder| says_something(folder)),
        }
    }
}

/// When the clients of one name that come by one way asked last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastAsked {
    pub channel: Channel,
    /// What they call themselves.
    pub name: String,
    pub asked_at: Timestamp,
}

/// Names a client that does not say what it is.
const fn unnamed(channel: Channel) -> &'static str {
    match channel {
        Channel::Mcp => "MCP client",
        Channel::TerminalHook => "Terminal",
        Channel::CommandLine => "askdesk ask",
    }
}

fn one_line(text: &str, chars: usize) -> String {
    without_controls(&text.replace(['\n', '\t'], " ")).trim().chars().take(chars).collect()
}

/// Why a call waits no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// It was taken back, or whoever made it is gone.
    Gone,
    /// It was answered in another place.
    AnsweredElsewhere,
}
