//! Permission requests of Codex: what can be decided, and what each decision is answered with.

use ApprovalOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    ApprovalOption, ApprovalOptionId, ApprovalOptionKind, CallArgument, OptionLabel, OptionScope,
    PermissionCall, ToolDetail, ToolRule,
};
use serde_json::{Value, json};

use super::items::{self, SHELL};
use crate::json::{list, text};
use crate::tool_input::{mcp_name, pretty};

/// A permission request as it is shown.
#[derive(Debug)]
pub(super) struct Permission {
    pub(super) title: String,
    /// What the model says about it.
    pub(super) description: Option<String>,
    /// What the agent says about it.
    pub(super) remark: Vec<String>,
    pub(super) subject: ToolDetail,
    pub(super) call: Option<PermissionCall>,
    /// What can be chosen, each with the result that the server gets.
    pub(super) options: Vec<(ApprovalOption, Value)>,
}

/// A command, input for one that runs, or a connection of one; none if it is of a kind that is not known.
pub(super) fn of_command(params: &Value, folder: &str) -> Option<Permission> {
    let command = text(params, "command").unwrap_or_default();
    let reason = text(params, "reason").filter(|reason| !reason.trim().is_empty()).map(str::to_owned);
    let mut remark = Vec::new();
    let title = match text(params, "kind").unwrap_or("command") {
        "command" => SHELL,
        "writeStdin" => "Terminal input",
        "humanCommand" => "Command for you",
        _ => return None,
    };
    // The card shows the session's folder itself.
    if let Some(cwd) = text(params, "cwd").filter(|cwd| *cwd != folder) {
        remark.push(format!("cwd: {cwd}"));
    }
    if let Some(more) = params.get("additionalPermissions").filter(|more| !more.is_null()) {
        remark.push(format!("additional permissions: {more}"));
    }
    let network = params.get("networkApprovalContext").filter(|context| !context.is_null());
    let (title, subject, description, call) = match network {
        Some(context) => {
            let host = text(context, "host").unwrap_or_default();
            let target = match text(context, "protocol") {
                Some(protocol) => format!("{protocol}://{host}"),
                None => host.to_owned(),
            };
            if !command.is_empty() {
                remark.push(format!("command: {command}"));
            }
            let call = PermissionCall {
                tools: vec!["Network".to_owned(), "WebFetch".to_owned()],
                arguments: vec![CallArgument::Address(target.clone())],
            };
            ("Network", ToolDetail::Network { target }, reason, call)
        }
        None => {
            // The reason stands with the command.
            let subject = ToolDetail::Command { command: command.to_owned(), description: reason };
            (title, subject, None, items::command_call(command, list(params, "commandActions")))
        }
    };
    Some(Permission {
        title: title.to_owned(),
        description,
        remark,
        subject,
        call: Some(call),
        options: command_options(params),
    })
}

/// The decisions that the server names, in its order. It takes a refusal without the end of the turn even where it names none
/// (0.169.0), and nobody should have to stop the agent to say no.
fn command_options(params: &Value) -> Vec<(ApprovalOption, Value)> {
    let named = list(params, "availableDecisions");
    let mut decisions: Vec<Value> = named.to_vec();
    if named.is_empty() {
        decisions = vec![json!("accept"), json!("acceptForSession")];
        if let Some(rule) = params.get("proposedExecpolicyAmendment").filter(|rule| !rule.is_null()) {
            decisions.push(json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": rule}}));
        }
        let hosts = list(params, "proposedNetworkPolicyAmendments").iter();
        decisions.extend(
            hosts.map(|rule| json!({"applyNetworkPolicyAmendment": {"network_policy_amendment": rule}})),
        );
        decisions.push(json!("cancel"));
    }
    if !decisions.contains(&json!("decline")) {
        let place = decisions.iter().position(|decision| decision == "cancel").unwrap_or(decisions.len());
        decisions.insert(place, json!("decline"));
    }
    decisions.iter().enumerate().filter_map(|(place, decision)| decision_option(place, decision)).collect()
}

fn decision_option(place: usize, decision: &Value) -> Option<(ApprovalOption, Value)> {
    let numbered = |name: &str| format!("{name}-{}", place + 1);
    let (id, kind, label, scope) = if let Some(word) = decision.as_str() {
        let (kind, label, scope) = match word {
            "accept" => (AllowOnce, OptionLabel::Plain, None),
            "acceptForSession" => (AllowAlways, OptionLabel::Plain, Some(OptionScope::Session)),
            "decline" => (RejectOnce, OptionLabel::Plain, None),
            "cancel" => (RejectOnce, words("Deny and stop the turn"), None),
            // What it does is not known, so nobody can choose it.
            _ => return None,
        };
        (word.to_owned(), kind, label, scope)
    } else if let Some(rule) = decision.pointer("/acceptWithExecpolicyAmendment/execpolicy_amendment") {
        let prefix: Vec<&str> = rule.as_array()?.iter().filter_map(Value::as_str).collect();
        let content = Some(bounded(&format!("{} *", prefix.join(" "))));
        let label = OptionLabel::Tool { tool: SHELL.to_owned(), content, behavior: ToolRule::Allow };
        (numbered("rule"), AllowAlways, label, Some(OptionScope::User))
    } else {
        let rule = decision.pointer("/applyNetworkPolicyAmendment/network_policy_amendment")?;
        let host = text(rule, "host")?;
        let (kind, label) = match text(rule, "action")? {
            "allow" => (AllowAlways, words(&format!("Always allow {host}"))),
            "deny" => (RejectAlways, words(&format!("Never allow {host}"))),
            _ => return None,
        };
        (numbered("host"), kind, label, Some(OptionScope::User))
    };
    let id = ApprovalOptionId::new(id)?;
    Some((ApprovalOption { id, kind, label, scope, combines: false }, json!({"decision": decision})))
}

/// Changes of files; `changes` are those of the item that waits.
pub(super) fn of_files(params: &Value, changes: &Value) -> Permission {
    let root = text(params, "grantRoot");
    let root = root.map(|root| format!("Writing below {root} would be allowed for the rest of the session."));
    let decisions = ["accept", "acceptForSession", "decline", "cancel"];
    let options = decisions.iter().enumerate();
    Permission {
        title: items::EDIT.to_owned(),
        description: text(params, "reason").map(str::to_owned),
        remark: root.into_iter().collect(),
        subject: items::changes_detail(changes),
        call: Some(items::changes_call(changes)),
        options: options.filter_map(|(place, word)| decision_option(place, &json!(word))).collect(),
    }
}

/// More of the file system or the network than the sandbox has.
pub(super) fn of_permissions(params: &Value) -> Permission {
    let wanted = params.get("permissions").cloned().unwrap_or_default();
    let mut granted = json!({});
    for name in ["network", "fileSystem"] {
        if let Some(part) = wanted.get(name).filter(|part| !part.is_null()) {
            granted[name] = part.clone();
        }
    }
    let grant = |scope: &str| json!({"permissions": granted, "scope": scope});
    let mut reviewed = grant("turn");
    reviewed["strictAutoReview"] = json!(true);
    let for_turn = words("Allow for this turn");
    let with_review = words("Allow for this turn, and have each of its further commands reviewed");
    let options = vec![
        (option("turn", AllowOnce, for_turn, None), grant("turn")),
        (option("turn-reviewed", AllowOnce, with_review, None), reviewed),
        (option("session", AllowAlways, OptionLabel::Plain, Some(OptionScope::Session)), grant("session")),
        (
            option("decline", RejectOnce, OptionLabel::Plain, None),
            json!({"permissions": {}, "scope": "turn"}),
        ),
    ];
    let arguments = [text(params, "cwd").map(|cwd| CallArgument::Path(cwd.to_owned()))];
    Permission {
        title: "More permissions".to_owned(),
        description: text(params, "reason").map(str::to_owned),
        remark: Vec::new(),
        subject: ToolDetail::Other { input: pretty(&wanted) },
        call: Some(PermissionCall {
            tools: vec!["Permissions".to_owned()],
            arguments: arguments.into_iter().flatten().chain([CallArgument::Uncompared]).collect(),
        }),
        options,
    }
}

/// A call of an MCP server's tool, which comes as a form without fields; none if it is another form.
pub(super) fn of_tool(params: &Value) -> Option<Permission> {
    let about = params.get("_meta")?;
    if text(about, "codex_approval_kind") != Some("mcp_tool_call") {
        return None;
    }
    let server = text(params, "serverName").unwrap_or_default();
    let tool = text(about, "tool_name").or_else(|| text(about, "tool_title")).unwrap_or_default();
    let name = mcp_name(server, tool);
    let accept = |persist: Option<&str>| {
        let persist = persist.map(|persist| json!({"persist": persist}));
        json!({"action": "accept", "content": {}, "_meta": persist})
    };
    let mut options = vec![(option("accept", AllowOnce, OptionLabel::Plain, None), accept(None))];
    let offered = match about.get("persist") {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    for persist in offered {
        let (id, scope) = match persist {
            "session" => ("session", OptionScope::Session),
            "always" => ("always", OptionScope::User),
            _ => continue,
        };
        options.push((option(id, AllowAlways, OptionLabel::Plain, Some(scope)), accept(Some(persist))));
    }
    let ends = [("decline", OptionLabel::Plain), ("cancel", words("Deny and stop the turn"))];
    options.extend(ends.map(|(id, label)| {
        let result = json!({"action": id, "content": null, "_meta": null});
        (option(id, RejectOnce, label, None), result)
    }));
    let message = text(params, "message").map(str::to_owned);
    let described = text(about, "tool_description").map(|words| format!("{server} describes it: {words}"));
    Some(Permission {
        title: name.clone(),
        description: None,
        remark: message.into_iter().chain(described).collect(),
        subject: ToolDetail::Other { input: pretty(about.get("tool_params").unwrap_or(&Value::Null)) },
        call: Some(PermissionCall { tools: vec![name], arguments: vec![CallArgument::Uncompared] }),
        options,
    })
}

fn words(text: &str) -> OptionLabel {
    OptionLabel::Text { text: bounded(text) }
}

pub(super) const fn option(
    id: &'static str,
    kind: ApprovalOptionKind,
    label: OptionLabel,
    scope: Option<OptionScope>,
) -> ApprovalOption {
    let id = ApprovalOptionId::literal(id);
    ApprovalOption { id, kind, label, scope, combines: false }
}
