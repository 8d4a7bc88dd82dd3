//! Connected apps: programs that Askdesk did not start, which connect, ask, and wait for the answer.

use serde::Serialize;

use crate::id::Timestamp;
use crate::origin::Channel;
use crate::text::{cut_at, says_something, without_controls};

/// The longest name of an app, in characters; a longer one is cut.
pub const CLIENT_NAME_CHARS: usize = 80;

/// The longest folder of an app, in bytes; a longer one is cut.
pub const CLIENT_FOLDER_BYTES: usize = 4_096;

/// The longest version of an app, in characters; a longer one is cut.
const VERSION_CHARS: usize = 40;

/// A connected app as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundClient {
    pub channel: Channel,
    /// Its own name; may be empty.
    pub name: String,
    /// The version, if the app reports one.
    pub version: Option<String>,
    /// The working folder, if the app reports one.
    pub folder: Option<String>,
}

impl InboundClient {
    /// Makes its texts fit for display and comparison: on one line, and bounded.
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

/// When the apps with one name and channel last asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastAsked {
    pub channel: Channel,
    pub name: String,
    pub asked_at: Timestamp,
}

/// Returns the name of an app that reports none.
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

/// Why a call stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// It was withdrawn, or its caller is gone.
    Gone,
    AnsweredElsewhere,
}
