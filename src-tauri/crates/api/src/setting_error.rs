//! What is wrong with the value of a setting, as data: the message of a parser is English text, which the page can't translate.

use askdesk_domain::{Arguments, Environment, GlobalShortcut, Settable, SettingError, Written};
use serde_json::Value;

/// Returns what is wrong with the value in a `change_setting` input; none if the value is fine or is not typed by a person.
pub fn of_change(change: Value) -> Option<SettingError> {
    let Value::Object(mut change) = change else { return None };
    let (setting, mut value) = (change.remove("setting")?, change.remove("value")?);
    let written = |value: Value| serde_json::from_value::<Written>(value).ok();
    // The page offers the values of all others.
    match setting.as_str()? {
        "agent_arguments" => Arguments::read(written(value.get_mut("arguments")?.take())?).err(),
        "global_shortcut" => GlobalShortcut::read(written(value)?).err(),
        "agent_environment" => Environment::read(written(value.get_mut("environment")?.take())?).err(),
        _ => None,
    }
}
