//! Responses in the shapes of the API before.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::json::{list, list_of, text};

/// What a response is turned into.
#[derive(Debug)]
pub(in crate::opencode) enum Shape {
    Session,
    /// Those of one parent, if that is given.
    Sessions {
        parent: Option<String>,
    },
    Status,
    Messages {
        session: String,
    },
    Message {
        session: String,
    },
    Questions,
    /// Questions of 2.x.
    Forms,
    Permissions,
    Agents,
    Models,
    AsItIs,
    Nothing,
}

impl Shape {
    pub(super) fn of(&self, body: &Value) -> Value {
        let data = data_of(body);
        let all = |turn: &dyn Fn(&Value) -> Value| list_of(data).iter().map(turn).collect::<Vec<_>>();
        match self {
            Self::Session => session(data),
            Self::Sessions { parent: None } => all(&session).into(),
            Self::Sessions { parent } => {
                let is_child = |session: &Value| text(session, "parentID") == parent.as_deref();
                all(&session).into_iter().filter(is_child).collect()
            }
            Self::Status => {
                let ids = data.as_object().into_iter().flatten();
                ids.map(|(id, _)| (id.clone(), json!({"type": "busy"}))).collect::<Map<_, _>>().into()
            }
            // The newest is first.
            Self::Messages { session } => {
                list_of(data).iter().rev().filter_map(|said| message(session, said)).collect()
            }
            Self::Message { session } => message(session, data).unwrap_or_default(),
            Self::Questions | Self::Forms => data.clone(),
            Self::Permissions => all(&permission).into(),
            Self::Agents => all(&agent).into(),
            Self::Models => models(list_of(data)),
            Self::AsItIs => body.clone(),
            Self::Nothing => Value::Null,
        }
    }
}

/// What a response is about; most have it in a frame.
pub(super) fn data_of(body: &Value) -> &Value {
    body.get("data").unwrap_or(body)
}

/// The id of a tool's call, as the API before names it.
pub(super) fn call_id(data: &Value) -> Option<&str> {
    text(data, "callID").or_else(|| text(data, "id"))
}

/// The id of a text that has only a place among those of its kind in its message.
pub(super) fn counted(message: &str, kind: &str, place: u64) -> String {
    format!("{message}/{kind}/{place}")
}

/// Which call of a tool asks.
pub(super) fn asking_call(source: &Value) -> Value {
    json!({"messageID": source["messageID"], "callID": call_id(source)})
}

/// The names that tools and permissions have in the API before.
pub(super) fn old_name(name: &str) -> &str {
    match name {
        "shell" => "bash",
        "subagent" => "task",
        name => name,
    }
}

pub(super) fn session(session: &Value) -> Value {
    let mut session = session.clone();
    if let Some(directory) = session.pointer("/location/directory").cloned() {
        session["directory"] = directory;
    }
    session
}

fn agent(agent: &Value) -> Value {
    let rule = |rule: &Value| {
        let name = old_name(text(rule, "action").unwrap_or("*"));
        json!({"permission": name, "pattern": rule["resource"], "action": rule["effect"]})
    };
    let mut old = agent.clone();
    old["name"] = agent["id"].clone();
    if let Some(rules) = agent["permissions"].as_array() {
        old["permission"] = rules.iter().map(rule).collect();
    }
    old
}

fn models(models: &[Value]) -> Value {
    let mut providers: Map<String, Value> = Map::new();
    for model in models.iter().filter(|model| model["enabled"].as_bool() != Some(false)) {
        let Some((provider, id)) = text(model, "providerID").zip(text(model, "id")) else { continue };
        let known = providers.entry(provider).or_insert_with(|| json!({"id": provider, "models": {}}));
        known["models"][id] = model.clone();
    }
    json!({"providers": providers.into_iter().map(|(_, provider)| provider).collect::<Vec<_>>()})
}

pub(super) fn permission(request: &Value) -> Value {
    let mut old = request.clone();
    old["permission"] = json!(old_name(text(request, "action").unwrap_or("permission")));
    old["patterns"] = request["resources"].clone();
    old["always"] = json!(list(request, "save"));
    old["saved"] = json!(true);
    old["tool"] = asking_call(&request["source"]);
    old
}

/// The input of a tool, with the field names that the tools before had.
pub(super) fn input(tool: &str, input: &Value) -> Value {
    let mut input = input.clone();
    if matches!(tool, "read" | "edit" | "write")
        && let Some(fields) = input.as_object_mut().filter(|fields| !fields.contains_key("filePath"))
        && let Some(path) = fields.remove("path")
    {
        fields.insert("filePath".to_owned(), path);
    }
    input
}

/// The state of a tool's call that ended, or runs.
pub(super) fn tool_state(status: &str, input: &Value, ended: &Value) -> Value {
    let texts = list(ended, "content").iter().filter_map(|part| text(part, "text"));
    let output = texts.collect::<Vec<_>>().join("\n");
    let files = list(ended, "content").iter().filter(|part| text(part, "type") == Some("file"));
    let attached: Vec<Value> = files.map(|file| json!({"mime": file["mime"], "url": file["uri"]})).collect();
    let error = ended.pointer("/error/message").cloned().unwrap_or_default();
    json!({"status": status, "input": input, "output": output, "attachments": attached, "error": error})
}

pub(super) fn message_info(session: &str, message: &str, step: &Value, time: &Value) -> Value {
    json!({
        "id": message, "sessionID": session, "role": "assistant", "agent": step["agent"],
        "providerID": step["model"]["providerID"], "modelID": step["model"]["id"],
        "tokens": step["tokens"], "cost": step["cost"], "time": time,
    })
}

/// A message with its parts; none for what is no message of the user or the agent.
fn message(session: &str, said: &Value) -> Option<Value> {
    let id = text(said, "id")?;
    match text(said, "type")? {
        "user" => {
            let info = json!({"id": id, "sessionID": session, "role": "user", "time": said["time"]});
            let part = json!({"id": format!("{id}/text"), "type": "text", "text": said["text"],
                "messageID": id, "sessionID": session});
            Some(json!({"info": info, "parts": [part]}))
        }
        "assistant" => {
            let info = message_info(session, id, said, &said["time"]);
            let completed = said.pointer("/time/completed");
            let mut counts: HashMap<&str, u64> = HashMap::new();
            let mut place = |part| {
                let count = counts.entry(text(part, "type").unwrap_or_default()).or_default();
                std::mem::replace(count, *count + 1)
            };
            let parts = list(said, "content").iter();
            let mut parts: Vec<Value> =
                parts.map(|part| content(session, id, part, place(part), completed)).collect();
            if completed.is_some() {
                parts.push(step_end(session, id, said));
            }
            Some(json!({"info": info, "parts": parts}))
        }
        _ => None,
    }
}

pub(super) fn step_end(session: &str, message: &str, step: &Value) -> Value {
    json!({"id": format!("{message}/step"), "type": "step-finish", "messageID": message, "sessionID": session,
        "tokens": step["tokens"], "cost": step["cost"]})
}

fn content(session: &str, message: &str, part: &Value, place: u64, completed: Option<&Value>) -> Value {
    let own = text(part, "id");
    let id = own.unwrap_or_default();
    let kind = text(part, "type").unwrap_or_default();
    let part_id = own.map_or_else(|| counted(message, kind, place), |id| format!("{message}/{id}"));
    let mut old = json!({"id": part_id, "messageID": message, "sessionID": session});
    match kind {
        "tool" => {
            let name = old_name(text(part, "name").unwrap_or("tool"));
            let state = &part["state"];
            let status = text(state, "status").unwrap_or("pending");
            old["type"] = json!("tool");
            old["tool"] = json!(name);
            old["callID"] = json!(id);
            old["state"] = tool_state(status, &input(name, &state["input"]), state);
        }
        kind => {
            old["type"] = json!(kind);
            old["text"] = part["text"].clone();
            old["time"] = json!({"start": 0, "end": completed});
        }
    }
    old
}

/// The words and the files of a message.
pub(super) fn prompt(parts: &[Value]) -> (String, Vec<Value>) {
    let words: Vec<&str> = parts.iter().filter_map(|part| text(part, "text")).collect();
    let files = parts.iter().filter(|part| text(part, "type") == Some("file"));
    let files = files.map(|file| json!({"uri": file["url"], "name": file["filename"], "mime": file["mime"]}));
    (words.join("\n"), files.collect())
}
