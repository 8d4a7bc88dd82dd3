//! OpenCode 2's API, below `/api`, in the words of the API before it: requests, responses and events are turned into the
//! shapes that the adapter knows. Measured with the routes that 1.18.33 has already; what only 2.x has is from public
//! descriptions of 2.0, and run against a stand-in alone.

mod events;
mod forms;
mod shapes;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::connection::{HttpMethod, MemberId};
use crate::json::{list, list_of, text};
use crate::rpc::{INTERNAL_ERROR, RpcError};
use forms::Form;
use shapes::Shape;

/// The status of what the server doesn't have.
const NOT_FOUND: i64 = 404;
/// How long to wait before the list of models or agents is read again: a folder is loaded in the background.
const LOADING: Duration = Duration::from_millis(250);
/// How often it is read before that counts as a failure.
const LOADING_TRIES: u32 = 120;
/// How often a working session is looked at; its end may have no event.
const LOOK: Duration = Duration::from_secs(1);
/// How soon it is looked at when its turn seems to end. Events written before that may still be on their way.
const LOOK_SOON: Duration = Duration::from_millis(150);

/// A request to the server, and what its response is for.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) member: MemberId,
    pub(super) method: HttpMethod,
    pub(super) path: String,
    pub(super) body: Value,
    pub(super) delay: Duration,
    pub(super) why: Why,
}

#[derive(Debug)]
pub(super) enum Why {
    /// The adapter waits for the response.
    Response { key: u64, shape: Shape },
    /// The first step of a message.
    Prompt { session: String },
    /// Whether a session still works.
    Look { session: String, look: u64 },
    /// A permission was refused; the user's words follow.
    Refusal { key: u64, session: String, words: String },
    /// Those words.
    Words { session: String },
    /// A form was cancelled. A rejected question ends the turn, and so does this.
    Cancel { key: u64, session: String },
    /// The list of a folder's agents, which is empty until the folder is loaded.
    Agents { key: u64, path: String, tries: u32 },
    /// Which version the server has.
    Info,
}

/// What has to be sent and passed on.
#[derive(Debug, Default)]
pub(super) struct Translated {
    pub(super) asks: Vec<Ask>,
    pub(super) responses: Vec<(MemberId, u64, Result<Value, RpcError>)>,
    /// Events as the API before has them, without ids.
    pub(super) events: Vec<Value>,
}

impl Translated {
    fn ask(&mut self, member: MemberId, method: HttpMethod, path: String, body: Value, why: Why) -> &mut Ask {
        self.asks.push(Ask { member, method, path, body, delay: Duration::ZERO, why });
        let last = self.asks.len() - 1;
        &mut self.asks[last]
    }

    fn event(&mut self, kind: &str, properties: Value) {
        let event = [("type".to_owned(), kind.into()), ("properties".to_owned(), properties)];
        self.events.push(Value::from_iter(event));
    }

    fn fail(&mut self, member: MemberId, key: u64, code: i64, why: impl Into<String>) {
        self.responses.push((member, key, Err(RpcError::new(code, why.into()))));
    }

    fn session_error(&mut self, session: &str, why: &str) {
        let error = json!({"name": "UnknownError", "data": {"message": why}});
        self.event("session.error", json!({"sessionID": session, "error": error}));
    }
}

/// A session whose turn runs.
#[derive(Debug)]
struct Work {
    member: MemberId,
    /// Counts the looks at it; only the newest one goes on.
    look: u64,
    /// Whether the model was called since the last message.
    started: bool,
    /// Whether the model has said its last.
    final_step: bool,
    /// Whether it was missing among the working ones the last time.
    gone: bool,
}

/// A message on its way: the steps before it set the session's agent and model.
#[derive(Debug)]
struct Prompt {
    member: MemberId,
    key: u64,
    steps: VecDeque<SendStep>,
    tries: u32,
}

#[derive(Clone, Debug)]
enum SendStep {
    /// Waits until the list has this model, or any. A message before that is lost (measured with 1.18.33).
    Model {
        path: String,
        model: Option<(String, String)>,
    },
    Post {
        path: String,
        body: Value,
    },
}

/// An open question or permission request.
#[derive(Debug)]
struct Call {
    session: String,
    /// None for another request.
    form: Option<Form>,
}

#[derive(Debug, Default)]
pub(super) struct Api2 {
    /// Whether the server is 2.x, and not one before that has these routes too. None until it has said so.
    is_second: Option<bool>,
    works: HashMap<String, Work>,
    looks: u64,
    /// The messages of each session that are on their way, the oldest first.
    prompts: HashMap<String, VecDeque<Prompt>>,
    calls: HashMap<String, Call>,
    /// The calls of tools that have begun: their names and inputs.
    tools: HashMap<String, (String, Value)>,
    /// The texts of messages that wait in a session's inbox.
    inbox: HashMap<String, Value>,
    /// The newest message of each session that its agent has taken up.
    taken: HashMap<String, String>,
    /// The messages that carry words about a refused permission, and are none of the adapter's.
    words: HashSet<String>,
}

impl Api2 {
    pub(super) const fn is_ready(&self) -> bool {
        self.is_second.is_some()
    }

    /// Turns a request of the adapter into requests to the server, or answers it.
    pub(super) fn send(
        &mut self,
        member: MemberId,
        key: u64,
        method: HttpMethod,
        path: &str,
        body: Value,
    ) -> Translated {
        let mut out = Translated::default();
        let (place, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = place.trim_start_matches('/').split('/').collect();
        let folder = query.split('&').find_map(|part| part.strip_prefix("directory=")).unwrap_or_default();
        let located = |route: &str| format!("/api/{route}?location%5Bdirectory%5D={folder}");
        let limit = query.split('&').find(|part| part.starts_with("limit=")).unwrap_or("limit=200");
        let mut ask = |method, path: String, body, shape| {
            out.ask(member, method, path, body, Why::Response { key, shape });
        };
        use HttpMethod::{Get, Patch, Post};
        match (method, parts.as_slice()) {
            (Post, ["session"]) => {
                let new = json!({"location": {"directory": decoded(folder)}});
                ask(Post, "/api/session".to_owned(), new, Shape::Session);
            }
            (Get, ["session"]) => {
                let path = format!("/api/session?directory={folder}&{limit}");
                ask(Get, path, Value::Null, Shape::Sessions { parent: None });
            }
            (Get, ["session", "status"]) => {
                ask(Get, "/api/session/active".to_owned(), Value::Null, Shape::Status)
            }
            (Get, ["session", id, "children"]) => {
                let path = format!("/api/session?directory={folder}&limit=200");
                ask(Get, path, Value::Null, Shape::Sessions { parent: Some((*id).to_owned()) });
            }
            (Get, ["session", id, "message"]) => {
                let path = format!("/api/session/{id}/message?{limit}&order=desc");
                ask(Get, path, Value::Null, Shape::Messages { session: (*id).to_owned() });
            }
            (Get, ["session", id, "message", message]) => {
                let path = format!("/api/session/{id}/message/{message}");
                ask(Get, path, Value::Null, Shape::Message { session: (*id).to_owned() });
            }
            (Get, ["session", _]) => ask(Get, format!("/api{place}"), Value::Null, Shape::Session),
            (Post, ["session", id, "prompt_async"]) => {
                self.prompt(member, key, id, &located("model"), &body, &mut out)
            }
            (Post, ["session", id, "abort"]) => {
                ask(Post, format!("/api/session/{id}/interrupt"), Value::Null, Shape::Nothing);
                self.look_soon(id, &mut out);
            }
            (Post, ["session", id, "summarize"]) => {
                ask(Post, format!("/api/session/{id}/compact"), Value::Null, Shape::Nothing);
            }
            // The adapter asks this of a session that has to ask before changes.
            (Patch, ["session", _]) => match unasked(&body) {
                None => out.responses.push((member, key, Ok(Value::Null))),
                Some(agents) => out.fail(member, key, INTERNAL_ERROR, cannot_ask(&agents)),
            },
            (Get, ["question"]) if self.is_second == Some(true) => {
                ask(Get, located("form/request"), Value::Null, Shape::Forms);
            }
            (Get, ["question"]) => ask(Get, located("question/request"), Value::Null, Shape::Questions),
            (Get, ["permission"]) => ask(Get, located("permission/request"), Value::Null, Shape::Permissions),
            (Post, [kind @ ("question" | "permission"), id, verb]) => {
                self.reply(member, key, (kind, id, verb), body, &mut out);
            }
            (Get, ["agent"]) => {
                let path = located("agent");
                let why = Why::Agents { key, path: path.clone(), tries: 0 };
                out.ask(member, Get, path, Value::Null, why);
            }
            (Get, ["config", "providers"]) => ask(Get, located("model"), Value::Null, Shape::Models),
            (Get, ["global", "health"]) => {
                let path = if self.is_second == Some(true) { "/api/info" } else { "/global/health" };
                ask(Get, path.to_owned(), Value::Null, Shape::AsItIs);
            }
            // It has no route that runs a command, and none that names the servers of tools as the old one did.
            (Get, ["command"]) => out.responses.push((member, key, Ok(json!([])))),
            (Get, ["mcp"]) => out.responses.push((member, key, Ok(json!({})))),
            _ => {
                let why = "Askdesk can't do this with OpenCode 2 yet. Do it in OpenCode's terminal program.";
                out.fail(member, key, NOT_FOUND, why);
            }
        }
        out
    }

    /// Asks which version the server has; a member's requests wait for that.
    pub(super) fn connected(&mut self, member: MemberId) -> Translated {
        let mut out = Translated::default();
        if self.is_second.is_none() {
            out.ask(member, HttpMethod::Get, "/api/info".to_owned(), Value::Null, Why::Info);
        }
        out
    }

    /// Reads a response. `owners` says whose session an id is.
    pub(super) fn on_response(
        &mut self,
        member: MemberId,
        why: Why,
        result: Result<Value, RpcError>,
        owners: &HashMap<String, MemberId>,
    ) -> Translated {
        let mut out = Translated::default();
        // HTML with status 200 is its answer to an unknown route.
        let unknown = || RpcError::new(NOT_FOUND, "this OpenCode has no such route".to_owned());
        let result = result.and_then(|body| if body.is_string() { Err(unknown()) } else { Ok(body) });
        match why {
            Why::Info => self.is_second = Some(result.is_ok_and(|info| text(&info, "version").is_some())),
            Why::Response { key, shape } => {
                let result = result.map(|body| self.shaped(&shape, &body, owners, &mut out));
                out.responses.push((member, key, result));
            }
            Why::Prompt { session } => self.on_step(&session, result, &mut out),
            Why::Look { session, look } => self.on_look(&session, look, result, &mut out),
            Why::Refusal { key, session, words } => {
                if result.is_ok() {
                    self.say(member, &session, &words, &mut out);
                }
                out.responses.push((member, key, result));
            }
            // Without it, the interruption alone ends the form.
            Why::Cancel { key, session } => {
                let path = format!("/api/session/{session}/interrupt");
                let why = Why::Response { key, shape: Shape::Nothing };
                out.ask(member, HttpMethod::Post, path, Value::Null, why);
                self.look_soon(&session, &mut out);
            }
            Why::Words { session } => match result {
                Ok(_) => self.begin(&session, member, &mut out),
                Err(error) => {
                    let words = error.message;
                    out.session_error(
                        &session,
                        &format!("Your words about the permission didn't arrive: {words}"),
                    );
                }
            },
            Why::Agents { key, path, tries } => self.on_agents(member, (key, path, tries), result, &mut out),
        }
        out
    }

    /// Forgets what a session's member waited for.
    pub(super) fn leave(&mut self, member: MemberId) {
        self.works.retain(|_, work| work.member != member);
        self.prompts.retain(|_, waiting| {
            waiting.retain(|prompt| prompt.member != member);
            !waiting.is_empty()
        });
    }

    fn shaped(
        &mut self,
        shape: &Shape,
        body: &Value,
        owners: &HashMap<String, MemberId>,
        out: &mut Translated,
    ) -> Value {
        if matches!(shape, Shape::Forms) {
            return list_of(shapes::data_of(body)).iter().map(|form| self.note_form(form)).collect();
        }
        let shaped = shape.of(body);
        match shape {
            Shape::Questions | Shape::Permissions => {
                list_of(&shaped).iter().for_each(|it| self.note_call(it, None))
            }
            Shape::Status => {
                for session in shaped.as_object().into_iter().flatten().map(|(id, _)| id) {
                    if let Some(member) = owners.get(session) {
                        self.begin(session, *member, out);
                    }
                }
            }
            _ => {}
        }
        shaped
    }

    fn note_call(&mut self, request: &Value, form: Option<Form>) {
        if let Some((id, session)) = text(request, "id").zip(text(request, "sessionID")) {
            // A list may name a form whose answer is on its way.
            let call = || Call { session: session.to_owned(), form };
            self.calls.entry(id.to_owned()).or_insert_with(call);
        }
    }

    /// Takes note of a form, and returns it as a question.
    fn note_form(&mut self, form: &Value) -> Value {
        let (question, form) = forms::question(form);
        self.note_call(&question, Some(form));
        question
    }

    /// Passes on a list of agents, once it has some.
    fn on_agents(
        &mut self,
        member: MemberId,
        (key, path, tries): (u64, String, u32),
        result: Result<Value, RpcError>,
        out: &mut Translated,
    ) {
        let agents = result.map(|body| Shape::Agents.of(&body));
        match agents {
            Ok(agents) if list_of(&agents).is_empty() && tries < LOADING_TRIES => {
                let why = Why::Agents { key, path: path.clone(), tries: tries + 1 };
                out.ask(member, HttpMethod::Get, path, Value::Null, why).delay = LOADING;
            }
            Ok(agents) if list_of(&agents).is_empty() => {
                out.fail(member, key, NOT_FOUND, "OpenCode lists no agents for this folder");
            }
            agents => out.responses.push((member, key, agents)),
        }
    }

    fn reply(
        &mut self,
        member: MemberId,
        key: u64,
        (kind, id, verb): (&str, &str, &str),
        body: Value,
        out: &mut Translated,
    ) {
        let is_second = self.is_second == Some(true);
        let Some(call) = self.calls.get_mut(id) else {
            return out.fail(member, key, NOT_FOUND, "OpenCode no longer waits for this");
        };
        let session = call.session.clone();
        let mut path = format!("/api/session/{session}/{kind}/{id}/{verb}");
        let mut why = Why::Response { key, shape: Shape::Nothing };
        let body = match (&mut call.form, verb) {
            (Some(form), "reply") => {
                path = format!("/api/session/{session}/form/{id}/reply");
                json!({"answer": form.answer(&body["answers"])})
            }
            (Some(_), _) => {
                let path = format!("/api/session/{session}/form/{id}");
                let why = Why::Cancel { key, session };
                out.ask(member, HttpMethod::Delete, path, Value::Null, why);
                return;
            }
            (None, _) => {
                if let Some(words) = text(&body, "message") {
                    why = Why::Refusal { key, session: session.clone(), words: words.to_owned() };
                }
                let mut body = body;
                // Its previews have the old name still.
                if is_second {
                    body["decision"] = body["reply"].clone();
                }
                body
            }
        };
        out.ask(member, HttpMethod::Post, path, body, why);
        self.look_soon(&session, out);
    }

    /// Sends words about a refused permission, which don't reach the model with the refusal (measured with 1.18.33).
    fn say(&mut self, member: MemberId, session: &str, words: &str, out: &mut Translated) {
        let id = message_id();
        let words = format!("The user refused the permission and said: {words}");
        let body = self.prompt_body(&id, &words, Vec::new());
        self.words.insert(id);
        let path = format!("/api/session/{session}/prompt");
        out.ask(member, HttpMethod::Post, path, body, Why::Words { session: session.to_owned() });
    }

    fn prompt_body(&self, id: &str, words: &str, files: Vec<Value>) -> Value {
        let mut prompt = json!({"text": words});
        if !files.is_empty() {
            prompt["files"] = files.into();
        }
        if self.is_second == Some(true) {
            prompt["id"] = json!(id);
            return prompt;
        }
        json!({"id": id, "prompt": prompt})
    }

    /// Queues a message behind those that are on their way. Its agent and model are properties of the session here.
    fn prompt(
        &mut self,
        member: MemberId,
        key: u64,
        session: &str,
        models: &str,
        body: &Value,
        out: &mut Translated,
    ) {
        let model = text(&body["model"], "providerID").zip(text(&body["model"], "modelID"));
        let model = model.map(|(provider, model)| (provider.to_owned(), model.to_owned()));
        let mut steps = VecDeque::from([SendStep::Model { path: models.to_owned(), model: model.clone() }]);
        let mut post = |end: &str, body| {
            steps.push_back(SendStep::Post { path: format!("/api/session/{session}/{end}"), body });
        };
        if let Some(agent) = text(body, "agent") {
            post("agent", json!({"agent": agent}));
        }
        if let Some((provider, model)) = model {
            post("model", json!({"model": {"providerID": provider, "id": model}}));
        }
        let (words, files) = shapes::prompt(list(body, "parts"));
        post("prompt", self.prompt_body(&message_id(), &words, files));
        let waiting = self.prompts.entry(session.to_owned()).or_default();
        waiting.push_back(Prompt { member, key, steps, tries: 0 });
        if waiting.len() == 1 {
            self.step(session, out);
        }
    }

    /// Sends the next step of the oldest message.
    fn step(&mut self, session: &str, out: &mut Translated) {
        let Some(prompt) = self.prompts.get(session).and_then(VecDeque::front) else { return };
        let (method, path, body) = match prompt.steps.front() {
            Some(SendStep::Model { path, .. }) => (HttpMethod::Get, path.clone(), Value::Null),
            Some(SendStep::Post { path, body }) => (HttpMethod::Post, path.clone(), body.clone()),
            None => return,
        };
        let delay = if prompt.tries > 0 { LOADING } else { Duration::ZERO };
        let why = Why::Prompt { session: session.to_owned() };
        out.ask(prompt.member, method, path, body, why).delay = delay;
    }

    fn on_step(&mut self, session: &str, result: Result<Value, RpcError>, out: &mut Translated) {
        let Some(prompt) = self.prompts.get_mut(session).and_then(VecDeque::front_mut) else { return };
        let result = match (result, prompt.steps.front()) {
            (Ok(body), Some(SendStep::Model { model, .. })) if !has_model(&body, model.as_ref()) => {
                prompt.tries += 1;
                let named = model.as_ref().map(|(provider, model)| format!("{provider}/{model}"));
                match prompt.tries < LOADING_TRIES {
                    true => return self.step(session, out),
                    false => Err(RpcError::new(NOT_FOUND, no_model(named.as_deref()))),
                }
            }
            (result, _) => result,
        };
        prompt.tries = 0;
        prompt.steps.pop_front();
        if result.is_ok() && !prompt.steps.is_empty() {
            return self.step(session, out);
        }
        let (member, key) = (prompt.member, prompt.key);
        let id = result.as_ref().ok().and_then(|body| text(shapes::data_of(body), "id"));
        let has_begun = id.is_some() && id == self.taken.get(session).map(String::as_str);
        if result.is_ok() && !has_begun {
            self.begin(session, member, out);
        }
        out.responses.push((member, key, result));
        if let Some(waiting) = self.prompts.get_mut(session) {
            waiting.pop_front();
            if waiting.is_empty() {
                self.prompts.remove(session);
            }
        }
        self.step(session, out);
    }

    /// A session works, or has got another message.
    fn begin(&mut self, session: &str, member: MemberId, out: &mut Translated) {
        let work = self.works.entry(session.to_owned());
        let new = Work { member, look: 0, started: false, final_step: false, gone: false };
        let work = work.or_insert(new);
        (work.final_step, work.gone) = (false, false);
        if work.look == 0 {
            out.event("session.status", json!({"sessionID": session, "status": {"type": "busy"}}));
            self.look(session, LOOK, out);
        }
    }

    fn look_soon(&mut self, session: &str, out: &mut Translated) {
        self.look(session, LOOK_SOON, out);
    }

    fn look(&mut self, session: &str, delay: Duration, out: &mut Translated) {
        let Some(work) = self.works.get_mut(session) else { return };
        self.looks += 1;
        work.look = self.looks;
        let why = Why::Look { session: session.to_owned(), look: work.look };
        out.ask(work.member, HttpMethod::Get, "/api/session/active".to_owned(), Value::Null, why).delay =
            delay;
    }

    fn on_look(&mut self, session: &str, look: u64, result: Result<Value, RpcError>, out: &mut Translated) {
        let Some(work) = self.works.get_mut(session).filter(|work| work.look == look) else { return };
        // Without this route, its events say when it ends.
        let Ok(active) = result else { return };
        if shapes::data_of(&active).get(session).is_some() {
            work.gone = false;
            let delay = if work.final_step { LOOK_SOON } else { LOOK };
            return self.look(session, delay, out);
        }
        // What it wrote last can come after this.
        if !work.final_step && !std::mem::replace(&mut work.gone, true) {
            return self.look(session, LOOK_SOON * 3, out);
        }
        self.end(session, out);
    }

    fn end(&mut self, session: &str, out: &mut Translated) {
        let Some(work) = self.works.remove(session) else { return };
        if !work.started {
            out.session_error(session, DROPPED);
        }
        self.calls.retain(|_, call| call.session != session);
        out.event("session.idle", json!({"sessionID": session}));
    }
}

/// Said when the server took a message and then did nothing.
const DROPPED: &str =
    "OpenCode took the message, but did nothing with it. Choose another model, then send it again.";

fn no_model(named: Option<&str>) -> String {
    match named {
        Some(named) => {
            format!("OpenCode doesn't list the model {named}. Choose another one, then send it again.")
        }
        None => "OpenCode lists no models. Add a provider in OpenCode, then send it again.".to_owned(),
    }
}

/// Whether a list of models has one; any, if none is named.
fn has_model(body: &Value, model: Option<&(String, String)>) -> bool {
    list_of(shapes::data_of(body)).iter().any(|listed| {
        model.is_none_or(|(provider, id)| {
            text(listed, "providerID") == Some(provider) && text(listed, "id") == Some(id)
        })
    })
}

/// The agents that the adapter wants to bar, because they change something unasked.
fn unasked(body: &Value) -> Option<String> {
    let denied = list(body, "permission").iter().filter(|rule| text(rule, "action") == Some("deny"));
    let names: Vec<&str> = denied.filter_map(|rule| text(rule, "pattern")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn cannot_ask(agents: &str) -> String {
    format!(
        "This OpenCode can't be told to ask before changes, and these of its agents wouldn't: {agents}. Nothing was sent. \
         Set the permissions \"edit\", \"bash\" and \"webfetch\" to \"ask\" in OpenCode's own configuration, or start a \
         session with the permissions \"As set in OpenCode\"."
    )
}

/// Makes the id of a message, which ascend as the server's own do.
fn message_id() -> String {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let random = Uuid::new_v4().simple().to_string();
    format!("msg_{:012x}{}", (millis * 0x1000) & 0xffff_ffff_ffff, &random[..14])
}

/// Undoes the encoding of a query.
fn decoded(query: &str) -> String {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16)).unwrap_or_default();
        bytes.push(if byte == b'%' { (digit() * 16 + digit()) as u8 } else { byte });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
