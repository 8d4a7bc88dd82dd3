//! Requests to an agent's server that speaks HTTP.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::MemberId;

/// One request. Its response comes back under its id.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpRequest {
    pub id: u64,
    /// The session it belongs to. Requests of one session are sent one after the other, each once the response to the one
    /// before has arrived.
    pub session: MemberId,
    pub method: HttpMethod,
    /// With the query behind it.
    pub path: String,
    /// The JSON body; none if it is null.
    pub body: Value,
    /// Whether the response may take as long as it needs. Later requests of the session don't wait for it.
    pub long: bool,
    /// How long to wait before it is sent.
    pub delay: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Post,
    Patch,
    Delete,
}

impl HttpMethod {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Reads a method and a path such as `GET /session`.
    pub fn split(line: &str) -> Option<(Self, &str)> {
        let (method, path) = line.split_once(' ')?;
        let all = [Self::Get, Self::Post, Self::Patch, Self::Delete];
        let method = all.into_iter().find(|known| known.name() == method)?;
        path.starts_with('/').then_some((method, path))
    }
}

impl fmt::Display for HttpMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_and_a_path_are_read_from_one_line() {
        assert_eq!(HttpMethod::split("POST /session?a=b c"), Some((HttpMethod::Post, "/session?a=b c")));
        assert_eq!(HttpMethod::split("PUT /session"), None);
        assert_eq!(HttpMethod::split("GET session"), None);
        assert_eq!(HttpMethod::split("GET"), None);
    }
}
