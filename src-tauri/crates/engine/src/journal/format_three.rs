//! Converts the records of format 3 and older to format 4.
//!
//! Until format 3, a session named an agent from a closed list, a permission mode was a field of its own, and a decision on
//! an approval was one of four kinds. Format 4 has origins, config options, and options of an approval. A record that can't
//! be parsed is left unchanged, and the reader reports it.

use std::collections::HashSet;

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, params_from_iter};
use serde_json::{Map, Value, json};

/// What earlier events say that later ones need.
#[derive(Default)]
struct Before {
    /// Sessions that started in the mode that bypasses permissions.
    unattended: HashSet<String>,
}

pub(super) fn rewrite(connection: &Connection) -> rusqlite::Result<()> {
    let mut before = Before::default();
    each(connection, "events", &["seq"], "body", "", |body| before.event(body))?;
    each(connection, "requests", &["id"], "body", "", |body| drop(take(body, "source")))?;
    each(connection, "requests", &["id"], "delivery", "\"breach\"", |_| {})?;
    each(connection, "approvals", &["id"], "body", "", |body| before.approval(body))?;
    each(connection, "approvals", &["id"], "state", "", state)?;
    each(connection, "drafts", &["about"], "body", "", draft)?;
    each(connection, "entries", &["session", "n"], "body", "\"breach\"", |_| {})?;
    find_sessions(connection)
}

/// Restores the session of events that lost theirs: the conversion to format 2 looked in the wrong table, so deleting the
/// session would have left their texts in the file.
fn find_sessions(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "UPDATE events SET session = COALESCE(
            (SELECT session FROM requests WHERE id = events.body ->> '$.request'),
            (SELECT session FROM approvals WHERE id = events.body ->> '$.approval'))
         WHERE session IS NULL AND json_valid(body)",
    )
}

/// Converts one column of a table, whose rows have a key, where the column contains a text. Values that are not JSON, or
/// not even UTF-8, are left unchanged.
fn each(
    connection: &Connection,
    table: &str,
    key: &[&str],
    column: &str,
    contains: &str,
    mut change: impl FnMut(&mut Value),
) -> rusqlite::Result<()> {
    let (named, places) = (key.join(", "), vec!["?"; key.len()].join(", "));
    let mut changed = Vec::new();
    let mut read = connection.prepare(&format!("SELECT {column}, {named} FROM {table} ORDER BY {named}"))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let Ok(text) = row.get_ref(0)?.as_str() else { continue };
        if !text.contains(contains) {
            continue;
        }
        let Ok(old) = serde_json::from_str::<Value>(text) else { continue };
        let mut new = old.clone();
        change(&mut new);
        breaches(&mut new);
        if new != old {
            let mut values = vec![SqlValue::Text(new.to_string())];
            for place in 1..=key.len() {
                values.push(row.get(place)?);
            }
            changed.push(values);
        }
    }
    // Not during the query: what a query returns is undefined while its table is written.
    let update = format!("UPDATE {table} SET {column} = ? WHERE ({named}) = ({places})");
    let mut write = connection.prepare(&update)?;
    changed.into_iter().try_for_each(|values| write.execute(params_from_iter(values)).map(drop))
}

impl Before {
    fn event(&mut self, body: &mut Value) {
        match text(body, "event").as_deref() {
            Some("session_started") => {
                if let Some(session) = body.get_mut("session") {
                    self.session(session);
                }
            }
            Some("mode_changed") => {
                let mode = take(body, "mode");
                body["event"] = json!("config_changed");
                body["config"] = json!([mode_option(&mode)]);
            }
            Some("asked") => {
                if let Some(request) = body.get_mut("request") {
                    take(request, "source");
                }
            }
            Some("approval_asked") => {
                if let Some(approval) = body.get_mut("approval") {
                    self.approval(approval);
                }
            }
            Some("approval_decided") => {
                if let Some(decision) = body.get_mut("decision") {
                    decided(decision);
                }
            }
            _ => {}
        }
    }

    fn session(&mut self, session: &mut Value) {
        let Some(agent) = take(session, "agent").as_str().map(str::to_owned) else { return };
        let (client, mode) = (take(session, "client"), take(session, "mode"));
        let channel = match agent.as_str() {
            "mcp_client" => Some("mcp"),
            "terminal" => Some("terminal_hook"),
            "command_line" => Some("command_line"),
            _ => None,
        };
        session["config"] = json!([]);
        session["nativeSession"] = Value::Null;
        if let Some(channel) = channel {
            let client = client.as_str().unwrap_or_default();
            session["origin"] =
                json!({"machine": "local", "kind": "inbound", "channel": channel, "client": client});
        } else {
            session["origin"] = json!({"machine": "local", "kind": "started", "agent": agent});
            session["config"] = json!([mode_option(&mode)]);
            // Agents were started with Askdesk's own id of the session.
            session["nativeSession"] = session["id"].clone();
        }
        let Some(options) = session.get_mut("options").filter(|options| options.is_object()) else { return };
        let mut chosen = Map::new();
        for name in ["mode", "model", "effort", "example"] {
            let value = take(options, name);
            if value.is_string() {
                chosen.insert(name.to_owned(), value);
            }
        }
        take(options, "bareToolUse");
        if chosen.get("mode").is_some_and(|mode| mode == "bypass") {
            self.unattended.extend(text(session, "id"));
        }
        session["options"]["config"] = Value::Object(chosen);
    }

    fn approval(&self, approval: &mut Value) {
        if !approval.is_object() {
            return;
        }
        // The oldest records name it `input`.
        let subject = match take(approval, "what") {
            Value::Null => take(approval, "input"),
            what => what,
        };
        let is_plan = text(&subject, "detail").as_deref() == Some("plan");
        let unattended = text(approval, "session").is_some_and(|id| self.unattended.contains(&id));
        let rules = take(approval, "rules");
        let mut options =
            vec![option("allow", "allow_once", &json!({"label": "plain"}), &Value::Null, false)];
        options.extend(rules.as_array().into_iter().flatten().filter_map(rule));
        if is_plan {
            let modes = ["default", "accept_edits"].into_iter().chain(unattended.then_some("bypass"));
            options.extend(modes.map(|mode| {
                let label = json!({"label": "config", "option": "mode", "value": mode});
                option(&format!("allow:{mode}"), "allow_once", &label, &Value::Null, false)
            }));
        }
        options.push(option("deny", "reject_once", &json!({"label": "plain"}), &Value::Null, false));
        approval["title"] = take(approval, "tool");
        approval["subject"] = subject;
        approval["options"] = Value::Array(options);
        approval["takesMessage"] = json!(true);
        if let Some(kept) = approval.get_mut("state") {
            state(kept);
        }
    }
}

fn state(state: &mut Value) {
    if let Some(decision) = state.get_mut("decision") {
        decided(decision);
    }
}

fn decided(decision: &mut Value) {
    let options = match text(decision, "decision").as_deref() {
        Some("allow_once") => json!(["allow"]),
        Some("allow_with_rules") => take(decision, "rules"),
        Some("approve_plan") => match text(decision, "mode") {
            Some(mode) => json!([format!("allow:{mode}")]),
            None => json!(["allow"]),
        },
        Some("deny") => json!(["deny"]),
        _ => return,
    };
    let (message, plan) = (take(decision, "message"), take(decision, "plan"));
    *decision = json!({"options": options, "message": message, "plan": plan});
}

fn draft(body: &mut Value) {
    let Some(draft) = body.get_mut("draft").filter(|draft| draft.is_object()) else { return };
    let (rules, mode) = (take(draft, "rules"), take(draft, "mode"));
    if rules.is_array() {
        draft["options"] = rules;
    }
    if let Some(mode) = mode.as_str() {
        draft["options"] = json!([format!("allow:{mode}")]);
    }
    if text(draft, "form").as_deref() == Some("rules") {
        draft["form"] = json!("options");
    }
}

fn rule(rule: &Value) -> Option<Value> {
    let mut label = rule.get("rule")?.clone();
    let kind = take(&mut label, "kind");
    match kind.as_str()? {
        "mode" => {
            let mode = take(&mut label, "mode");
            label = json!({"label": "config", "option": "mode", "value": mode});
        }
        kind => label["label"] = json!(kind),
    }
    Some(option(rule.get("id")?.as_str()?, "allow_always", &label, rule.get("scope")?, true))
}

fn option(id: &str, kind: &str, label: &Value, scope: &Value, combines: bool) -> Value {
    json!({"id": id, "kind": kind, "label": label, "scope": scope, "combines": combines})
}

/// Converts rules that no longer have a code to text, wherever a delivery error contains one.
fn breaches(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(breaches),
        Value::Object(fields) => {
            let refused = fields.get("undelivered").is_some_and(|error| error == "refused");
            if let Some(rule) = fields.get_mut("rule").filter(|_| refused)
                && let Some(words) = words_of_breach(rule)
            {
                *rule = json!({"breach": "other", "rule": words});
            }
            fields.values_mut().for_each(breaches);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn words_of_breach(rule: &Value) -> Option<&'static str> {
    match rule.get("breach")?.as_str()? {
        "no_rule" => Some("at least one rule; allow it once to add none"),
        "planning_ends" => Some("an approved plan ends the planning"),
        "not_started_so" => Some("only a session that was started in this mode can go back to it"),
        _ => None,
    }
}

/// The permission modes that every agent had then, with their labels.
fn mode_option(current: &Value) -> Value {
    let value = |id: &str, name: &str, description: &str| {
        let risk = if id == "bypass" { "unattended" } else { "usual" };
        json!({"id": id, "name": name, "description": description, "risk": risk, "planning": id == "plan"})
    };
    json!({
        "id": "mode",
        "name": "Permission mode",
        "category": "mode",
        "values": [
            value("plan", "Plan only", "It reads and plans, and changes nothing before you approve."),
            value("default", "Ask before each change", "It asks before it changes a file or runs a command."),
            value(
                "accept_edits",
                "Accept edits",
                "It changes files in the folder without asking; commands are still asked for.",
            ),
            value(
                "bypass",
                "Never ask (bypass)",
                "It does everything at once, without asking for any permission.",
            ),
        ],
        "freeText": false,
        "live": true,
        "current": current,
    })
}

/// Removes a field from an object and returns it; null if there is none.
fn take(value: &mut Value, name: &str) -> Value {
    value.as_object_mut().and_then(|fields| fields.shift_remove(name)).unwrap_or_default()
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}
