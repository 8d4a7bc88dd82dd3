//! Translates values of format 3 to format 4. The migration shares no code with this.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::OLD;

/// Translates one part of `expected.json`: `asStored` or `afterOpening`.
pub fn translated(part: &str) -> Value {
    let mut new = OLD[part].clone();
    for all in ["sessions", "requests", "approvals"] {
        // Those that differ before a start are listed there; the others are listed once.
        let mut each = OLD["afterOpening"][all].as_object().unwrap().clone();
        each.extend(new[all].as_object().unwrap().clone());
        new[all] = Value::Object(each);
    }
    let unattended: BTreeSet<String> = objects(&mut new["sessions"])
        .filter(|session| session["options"]["mode"] == "bypass")
        .map(|session| session["id"].as_str().unwrap().to_owned())
        .collect();
    objects(&mut new["sessions"]).for_each(session);
    objects(&mut new["requests"]).for_each(|request| drop(take(request, "source")));
    for one in objects(&mut new["approvals"]) {
        approval(one, unattended.contains(one["session"].as_str().unwrap()));
    }
    new["drafts"].as_array_mut().unwrap().iter_mut().for_each(draft);
    if let Some(clients) = new.get_mut("lastAsked") {
        for client in clients.as_array_mut().unwrap() {
            client["channel"] = channel(&take(client, "kind")).unwrap().into();
        }
    }
    if let Some(transcripts) = new.get_mut("transcripts") {
        for (session, page) in transcripts.as_object_mut().unwrap() {
            let stored = &OLD["asStored"]["sessions"][session]["state"]["state"];
            let ran = part == "afterOpening" && stored.as_str().is_some_and(|state| state != "ended");
            for body in page["entries"].as_array_mut().unwrap().iter_mut().map(|it| &mut it["body"]) {
                entry(body);
                if ran {
                    cut_off(body);
                }
            }
        }
    }
    count_cancelled_as_declined(&mut new);
    new
}

/// A question that the user closed without an answer was listed as withdrawn, although its agent was told.
fn count_cancelled_as_declined(new: &mut Value) {
    let Some(mut history) = new.get_mut("history").map(Value::take) else { return };
    let cancelled = |id: &Value| {
        let state = &new["requests"][id.as_str().unwrap()]["state"];
        state["outcome"]["why"]["why"] == "cancelled" && !state["delivery"].is_null()
    };
    let mut ids = |outcome: &str| take(&mut history[outcome], "requests").as_array().unwrap().clone();
    let (moved, withdrawn): (Vec<_>, Vec<_>) = ids("withdrawn").into_iter().partition(cancelled);
    let mut declined = [ids("declined"), moved].concat();
    declined.sort_by(|one, other| other.as_str().cmp(&one.as_str()));
    for (outcome, ids) in [("withdrawn", withdrawn), ("declined", declined)] {
        history[outcome]["count"] = ids.len().into();
        history[outcome]["requests"] = ids.into();
    }
    new["history"] = history;
}

pub fn objects(map: &mut Value) -> impl Iterator<Item = &mut Value> {
    map.as_object_mut().unwrap().values_mut()
}

/// Takes a field that must be there.
pub fn take(value: &mut Value, field: &str) -> Value {
    let taken = value.as_object_mut().unwrap().shift_remove(field);
    taken.unwrap_or_else(|| panic!("no {field} in {value}"))
}

pub fn channel(agent: &Value) -> Option<&'static str> {
    match agent.as_str().unwrap() {
        "mcp_client" => Some("mcp"),
        "terminal" => Some("terminal_hook"),
        "command_line" => Some("command_line"),
        _ => None,
    }
}

pub fn session(session: &mut Value) {
    session["helpers"] = json!([]);
    let [agent, client, mode] = ["agent", "client", "mode"].map(|field| take(session, field));
    let new = match channel(&agent) {
        Some(channel) => json!({
            "origin": {"machine": "local", "kind": "inbound", "channel": channel, "client": client},
            "config": [],
            "nativeSession": null,
        }),
        None => json!({
            "origin": {"machine": "local", "kind": "started", "agent": agent},
            "config": [modes(&mode)],
            "nativeSession": session["id"],
        }),
    };
    session.as_object_mut().unwrap().extend(new.as_object().unwrap().clone());
    let options = &mut session["options"];
    take(options, "bareToolUse");
    let chosen = ["mode", "model", "effort", "example"].map(|field| (field, take(options, field)));
    let chosen = chosen.into_iter().filter(|(_, value)| !value.is_null());
    options["config"] = chosen.map(|(field, value)| (field.to_owned(), value)).collect();
    if let Some(failure) = session.pointer_mut("/state/end/why").filter(|it| it["failure"] == "agent_missing")
    {
        failure["install"] = Value::Null;
    }
}

/// The permission modes of every agent, with the labels of format 3.
pub fn modes(current: &Value) -> Value {
    let mode = |id: &str, name: &str, description: &str| {
        let risk = if id == "bypass" { "unattended" } else { "usual" };
        json!({"id": id, "name": name, "description": description, "risk": risk, "planning": id == "plan"})
    };
    let edits = "It changes files in the folder without asking; commands are still asked for.";
    json!({
        "id": "mode", "name": "Permission mode", "category": "mode", "freeText": false, "live": true,
        "current": current,
        "values": [
            mode("plan", "Plan only", "It reads and plans, and changes nothing before you approve."),
            mode("default", "Ask before each change", "It asks before it changes a file or runs a command."),
            mode("accept_edits", "Accept edits", edits),
            mode("bypass", "Never ask (bypass)", "It does everything at once, without asking for any permission."),
        ],
    })
}

pub fn approval(approval: &mut Value, unattended: bool) {
    let [title, subject, rules] = ["tool", "what", "rules"].map(|field| take(approval, field));
    let once = |id: &str, kind: &str, label: Value| json!({"id": id, "kind": kind, "label": label, "scope": null, "combines": false});
    let to_mode = |mode: &Value| json!({"label": "config", "option": "mode", "value": mode});
    let rule = |rule: &Value| {
        let says = &rule["rule"];
        let label = match says["kind"].as_str().unwrap() {
            "tool" => json!({
                "label": "tool", "tool": says["tool"], "content": says["content"], "behaviour": says["behaviour"],
            }),
            "folder" => json!({"label": "folder", "paths": says["paths"]}),
            "mode" => to_mode(&says["mode"]),
            other => panic!("a rule of kind {other}"),
        };
        json!({"id": rule["id"], "kind": "allow_always", "label": label, "scope": rule["scope"], "combines": true})
    };
    let modes: &[&str] = match (subject["detail"] == "plan", unattended) {
        (true, true) => &["default", "accept_edits", "bypass"],
        (true, false) => &["default", "accept_edits"],
        (false, _) => &[],
    };
    let mut options = vec![once("allow", "allow_once", json!({"label": "plain"}))];
    options.extend(rules.as_array().unwrap().iter().map(rule));
    options
        .extend(modes.iter().map(|mode| once(&format!("allow:{mode}"), "allow_once", to_mode(&json!(mode)))));
    options.push(once("deny", "reject_once", json!({"label": "plain"})));
    let new =
        json!({"title": title, "subject": subject, "options": options, "takesMessage": true, "rule": null});
    approval.as_object_mut().unwrap().extend(new.as_object().unwrap().clone());
    let state = &mut approval["state"];
    if state["state"] == "decided" {
        state["decision"] = decision(&state["decision"]);
        delivery_error(&mut state["error"]);
    }
}

pub fn decision(old: &Value) -> Value {
    let options = match (old["decision"].as_str().unwrap(), old["mode"].as_str()) {
        ("allow_once", _) | ("approve_plan", None) => json!(["allow"]),
        ("approve_plan", Some(mode)) => json!([format!("allow:{mode}")]),
        ("allow_with_rules", _) => old["rules"].clone(),
        ("deny", _) => json!(["deny"]),
        other => panic!("{other:?}"),
    };
    json!({"options": options, "message": old.get("message"), "plan": old.get("plan")})
}

pub fn delivery_error(error: &mut Value) {
    let words = match error.pointer("/rule/breach").and_then(Value::as_str) {
        Some("no_rule") => "at least one rule; allow it once to add none",
        Some("planning_ends") => "an approved plan ends the planning",
        Some("not_started_so") => "only a session that was started in this mode can go back to it",
        _ => return,
    };
    error["rule"] = json!({"breach": "other", "rule": words});
}

pub fn draft(of: &mut Value) {
    if of["of"] != "approval" {
        return;
    }
    let draft = &mut of["draft"];
    let (rules, mode) = (take(draft, "rules"), take(draft, "mode"));
    draft["options"] = mode.as_str().map_or(rules, |mode| json!([format!("allow:{mode}")]));
    if draft["form"] == "rules" {
        draft["form"] = "options".into();
    }
}

/// A tool call that a crash left running is known to have no result after the next start.
fn cut_off(body: &mut Value) {
    if body["kind"] == "tool" && body["status"] == "running" {
        body["status"] = "no_result".into();
    }
}

pub fn entry(body: &mut Value) {
    match body["kind"].as_str().unwrap() {
        "tool" => body["toolKind"] = "other".into(),
        "turn_ended" => {
            body["cachedTokens"] = 0.into();
            body["context"] = Value::Null;
        }
        _ => {}
    }
}
