use askdesk_domain::{Setting, Settings};
use askdesk_engine::IgnoredSetting;

use super::UnappliedSetting;

wire! {
    /// Reads the settings from their file, which may have been edited by hand.
    struct ReadSettings {}

    struct ChangeSetting {
        change: Setting,
    }

    struct SettingsRead {
        settings: Settings,
        /// Entries of the file that have no effect.
        ignored: Vec<IgnoredSetting>,
        /// Settings that the system did not apply.
        unmet: Vec<UnappliedSetting>,
        file: String,
        /// The user's home folder, which paths show as `~`.
        home: Option<String>,
    }
}
