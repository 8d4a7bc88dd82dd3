//! What is wrong with a setting that a person wrote: the reading of an input says it in words of its own, which no screen can
//! say in another language.

use askdesk_domain::{Arguments, Environment, GlobalShortcut, Settable, SettingError, Written};
use serde_json::Value;

/// Says what is wrong with a change of what is set; none where the person did not write it, or nothing is.
pub fn flaw(change: Value) -> Option<SettingError> {
    let Value::Object(mut change) = change else { return None };
    let (setting, mut value) = (change.remove("setting")?, change.remove("value")?);
    let written = |value: Value| serde_json::from_value::<Written>(value).ok();
    // All others are chosen from what the page knows.
    match setting.as_str()? {
        "agent_arguments" => Arguments::read(written(value.get_mut("arguments")?.take())?).err(),
        "global_shortcut" => GlobalShortcut::read(written(value)?).err(),
        "agent_environment" => Environment::read(written(value.get_mut("environment")?.take())?).err(),
        _ => None,
    }
}
