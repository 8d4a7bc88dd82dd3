//! The third agent's JSON in the desk's words, and the other way round.

use askdesk_domain::text::bounded;
use askdesk_domain::{
    Answer, ApprovalOption, ApprovalOptionId, ConfigCategory, ConfigId, ConfigOption, ConfigValue,
    ContextUse, OptionLabel, Question, Risk, ToolDetail, Usage, Usd, ValueId,
};
use serde_json::{Value, json};

use super::agent::MODEL;

pub fn text(params: &Value, name: &str) -> String {
    bounded(params[name].as_str().unwrap_or_default())
}

pub fn detail(params: &Value) -> ToolDetail {
    match params["command"].as_str() {
        Some(command) => ToolDetail::Command { command: command.to_owned(), description: None }.bounded(),
        None => ToolDetail::Other { input: text(params, "title") },
    }
}

pub fn usage(usage: &Value) -> Usage {
    let count = |name: &str| usage[name].as_u64();
    let context = &usage["context"];
    let context = context["used"].as_u64().zip(context["size"].as_u64());
    Usage {
        input_tokens: count("input").unwrap_or_default(),
        output_tokens: count("output").unwrap_or_default(),
        cached_tokens: count("cached").unwrap_or_default(),
        cost: usage["cost"].as_f64().and_then(Usd::new),
        context: context.map(|(used, size)| ContextUse { used, size }),
    }
}

/// The labels that were chosen, and what was written.
pub fn answer(asked: &Question, answer: Option<&Answer>) -> Value {
    let chosen = answer.map(|answer| answer.chosen.as_slice()).unwrap_or_default();
    let labels: Vec<&str> =
        chosen.iter().filter_map(|id| asked.option(*id)).map(|option| option.label.as_str()).collect();
    json!({
        "question": asked.text,
        "chosen": labels,
        "text": answer.and_then(|answer| answer.other.as_deref()),
        "note": answer.and_then(|answer| answer.note.as_deref()),
    })
}

/// Reads what can be decided; none where that is nothing, or cannot be shown whole.
pub fn approval_options(options: &Value) -> Option<Vec<ApprovalOption>> {
    let read = |option: &Value| {
        Some(ApprovalOption {
            id: ApprovalOptionId::new(option["id"].as_str()?)?,
            kind: serde_json::from_value(option["kind"].clone()).ok()?,
            label: OptionLabel::Text { text: bounded(option["name"].as_str()?) },
            scope: None,
            combines: false,
        })
    };
    let options: Option<Vec<_>> = options.as_array()?.iter().map(read).collect();
    options.filter(|options| !options.is_empty())
}

pub fn config_options(options: &Value) -> Vec<ConfigOption> {
    let value = |value: &Value| {
        Some(ConfigValue {
            id: ValueId::new(value["id"].as_str()?)?,
            name: text(value, "name"),
            description: None,
            risk: Risk::Usual,
            planning: false,
        })
    };
    let read = |option: &Value| {
        let id = ConfigId::new(option["id"].as_str()?)?;
        let is_model = id == MODEL;
        Some(ConfigOption {
            name: text(option, "name"),
            category: if is_model { ConfigCategory::Model } else { ConfigCategory::Other },
            values: option["values"].as_array()?.iter().filter_map(value).collect(),
            free_text: false,
            live: true,
            current: option["current"].as_str().and_then(ValueId::new),
            id,
        })
    };
    options.as_array().into_iter().flatten().filter_map(read).collect()
}
