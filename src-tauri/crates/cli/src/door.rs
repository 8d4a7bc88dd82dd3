//! The way to the desk: HTTP to this machine, and nothing else.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use askdesk_client_config::desk::{Announced, Desk, Token};
use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::ending::Failure;

/// How long it may take until somebody who listens on this machine takes a connection.
pub const CONNECT_WAIT: Duration = Duration::from_secs(2);
/// How long the desk may take for what it answers at once.
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// After how long without a word a desk is taken for gone while a question waits: it says every 15 seconds that it waits.
pub const SILENCE: Duration = Duration::from_secs(60);
/// The longest line that is taken, in bytes.
pub const LINE_MOST: u64 = 4 * 1024 * 1024;
/// The longest answer that is taken, in bytes.
const BODY_MOST: u64 = 16 * 1024 * 1024;

/// Tells whether it is certain that no desk runs: it said nothing, or nobody listens where it said it does. One that only does
/// not answer may well run.
pub fn is_closed(desk: &Desk) -> bool {
    match desk.announced() {
        Announced::Nowhere => true,
        Announced::Unclear => false,
        Announced::At(said) => {
            let address = SocketAddr::from(([127, 0, 0, 1], said.port));
            // Some systems try for seconds before they say that nobody listens.
            let connected = TcpStream::connect_timeout(&address, ANSWER_WAIT);
            connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        }
    }
}

/// The door of a desk that said where it listens.
#[derive(Debug)]
pub struct Door {
    url: String,
    pub port: u16,
    token: Token,
}

impl Door {
    /// Finds the desk by what it left in its data folder, to ask.
    pub fn find(desk: &Desk) -> Result<Self, Failure> {
        Self::with(desk, desk.token())
    }

    /// Finds it to see what waits and to answer, which clients may not.
    pub fn to_answer(desk: &Desk) -> Result<Self, Failure> {
        Self::with(desk, desk.answer_token())
    }

    fn with(desk: &Desk, token: io::Result<Option<Token>>) -> Result<Self, Failure> {
        let said = desk.discovery();
        let said = said.ok_or_else(|| Failure::NoDesk("it has not said where it listens".to_owned()))?;
        let token = token.map_err(|error| Failure::System(format!("the token cannot be read: {error}")))?;
        let token = token.ok_or_else(|| Failure::NoDesk("it has no token".to_owned()))?;
        Ok(Self { url: said.url, port: said.port, token })
    }

    /// Looks something up.
    pub fn get(&self, path: &str) -> Result<Value, Failure> {
        let agent = agent(Some(ANSWER_WAIT));
        let request = agent.get(format!("{}{path}", self.url)).header("Authorization", self.bearer());
        whole(request.call())
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        whole(self.send(&agent(Some(ANSWER_WAIT)), path, &body.to_string()))
    }

    /// Hands over a body as it is and returns what comes back, however long that takes.
    pub fn post_text(&self, path: &str, body: &str) -> Result<String, Failure> {
        let mut response = taken(self.send(&agent(None), path, body))?;
        text(response.body_mut())
    }

    /// Has something done of which is told line by line.
    pub fn follow(&self, path: &str, body: &Value) -> Result<Lines, Failure> {
        let sent =
            self.send(&agent_of(|config| config.timeout_per_read(Some(SILENCE))), path, &body.to_string());
        Ok(Lines(BufReader::new(Box::new(taken(sent)?.into_body().into_reader()))))
    }

    fn send(&self, agent: &Agent, path: &str, body: &str) -> Result<Response<Body>, ureq::Error> {
        let request = agent.post(format!("{}{path}", self.url)).header("Authorization", self.bearer());
        request.content_type("application/json").send(body)
    }

    /// Returns what the header holds that opens it.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token.reveal())
    }
}

type Scope = ureq::config::ConfigBuilder<ureq::typestate::AgentScope>;

fn agent_of(more: impl FnOnce(Scope) -> Scope) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        // A proxy that the environment names is not for this machine, and the token not for it.
        .proxy(None)
        .timeout_connect(Some(CONNECT_WAIT));
    more(config).build().new_agent()
}

fn agent(wait: Option<Duration>) -> Agent {
    agent_of(|config| config.timeout_global(wait))
}

/// What is told of a question, line by line.
pub struct Lines(BufReader<Box<dyn Read>>);

impl Lines {
    /// Waits for the next; none where the desk has gone.
    pub fn next(&mut self) -> Option<Value> {
        let mut line = Vec::new();
        loop {
            line.clear();
            self.0.by_ref().take(LINE_MOST).read_until(b'\n', &mut line).ok()?;
            // A line that was cut off is no line.
            if line.pop() != Some(b'\n') {
                return None;
            }
            match serde_json::from_slice(&line) {
                Ok(value) => return Some(value),
                Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Err(_) => return None,
            }
        }
    }
}

fn whole(sent: Result<Response<Body>, ureq::Error>) -> Result<Value, Failure> {
    let mut response = taken(sent)?;
    let text = text(response.body_mut())?;
    serde_json::from_str(&text).map_err(|error| Failure::Unintelligible(error.to_string()))
}

fn text(body: &mut Body) -> Result<String, Failure> {
    let text = body.with_config().limit(BODY_MOST).read_to_string();
    text.map_err(|error| Failure::NoDesk(format!("it broke off: {error}")))
}

fn taken(sent: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>, Failure> {
    let mut response = sent.map_err(|error| Failure::NoDesk(error.to_string()))?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    Err(denied(status.as_u16(), &text(response.body_mut())?))
}

/// What a 401 means here, where the secrets are read from the data folder; the desk's own words are for its clients.
const OTHER_SECRETS: &str = "what listens where the desk said it does is not the desk of this data folder, or has other \
                             secrets; restart Askdesk";

/// Reads a refusal of the desk.
pub fn denied(status: u16, body: &str) -> Failure {
    if status == 401 {
        return Failure::Denied { status, message: OTHER_SECRETS.to_owned() };
    }
    let said: Value = serde_json::from_str(body).unwrap_or_default();
    let said = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
    let code = said("error").unwrap_or_default();
    let message = said("message").unwrap_or_else(|| match code.as_str() {
        "" => format!("the desk answered {status}"),
        code => format!("the desk answered {status}: {code}"),
    });
    Failure::Denied { status, message }
}
