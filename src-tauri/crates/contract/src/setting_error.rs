//! What is wrong with the value of a setting, as data: the message of a parser is English text, which the page can't translate.

use askdesk_domain::{Arguments, Environment, Settable, SettingDescriptor, SettingError, Written};
use serde_json::Value;

/// Returns what is wrong with the value in a `change_setting` input; none if the value is fine.
pub fn of_change(change: Value) -> Option<SettingError> {
    let Value::Object(mut change) = change else { return None };
    let (setting, mut value) = (change.remove("setting")?, change.remove("value")?);
    let written = |value: Value| serde_json::from_value::<Written>(value).ok();
    match setting.as_str()? {
        "agent_arguments" => Arguments::read(written(value.get_mut("arguments")?.take())?).err(),
        "agent_environment" => Environment::read(written(value.get_mut("environment")?.take())?).err(),
        id => (SettingDescriptor::find(id)?.read)(written(value)?).err(),
    }
}
