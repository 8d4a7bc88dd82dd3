//! What a person can set, and what holds where nothing is set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::do_not_disturb::{DoNotDisturbHours, PausedUntil, ReminderMinutes};
use crate::error::{Settable, SettingError, Written};
use crate::id::AgentId;
use crate::language::LanguageChoice;
use crate::launch_overrides::{Arguments, Environment, LaunchOverrides};
use crate::retention_days::RetentionDays;
use crate::shortcut::GlobalShortcut;

/// Everything a person can set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Settings {
    pub language: LanguageChoice,
    /// Light or dark.
    pub theme: Theme,
    pub text_size: TextSize,
    /// How much room there is between things.
    pub density: Density,
    /// Whether the system tells of questions and permissions that are not looked at.
    pub notify_questions: NotifyQuestions,
    /// Whether what a subagent asks is told of too.
    pub notify_subagents: OnOff,
    /// Whether the system tells that a session has finished its turn.
    pub notify_finished: OptIn,
    /// Until when only the counts in the window tell.
    pub paused_until: PausedUntil,
    /// The hours in which only the counts in the window tell.
    pub quiet_hours: DoNotDisturbHours,
    /// After how many minutes an open question is told of once more.
    pub remind_minutes: ReminderMinutes,
    /// Whether a notification is heard too.
    pub notify_sound: OptIn,
    /// Whether one key answers a lone question with one choice.
    pub quick_answer: OnOff,
    /// How long such an answer can be taken back.
    pub undo_seconds: UndoSeconds,
    /// Whether a fresh choice shows the next question.
    pub auto_advance: OnOff,
    pub on_close: OnClose,
    /// Whether the system starts the app when the person logs in.
    pub start_at_login: OptIn,
    /// Which keys bring up what waits, from anywhere.
    pub global_shortcut: GlobalShortcut,
    /// What every start of an agent gets in addition, by agent.
    pub launch_overrides: BTreeMap<AgentId, LaunchOverrides>,
    /// How long sessions that are over are kept.
    pub keep_days: RetentionDays,
}

/// One thing that is set to a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "setting", content = "value", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Setting {
    Language(LanguageChoice),
    /// Light or dark.
    Theme(Theme),
    TextSize(TextSize),
    /// How much room there is between things.
    Density(Density),
    /// Whether the system tells of questions and permissions that are not looked at.
    NotifyQuestions(NotifyQuestions),
    /// Whether what a subagent asks is told of too.
    NotifySubagents(OnOff),
    /// Whether the system tells that a session has finished its turn.
    NotifyFinished(OptIn),
    /// Until when only the counts in the window tell.
    PausedUntil(PausedUntil),
    /// The hours in which only the counts in the window tell.
    QuietHours(DoNotDisturbHours),
    /// After how many minutes an open question is told of once more.
    RemindMinutes(ReminderMinutes),
    /// Whether a notification is heard too.
    NotifySound(OptIn),
    /// Whether one key answers a lone question with one choice.
    QuickAnswer(OnOff),
    /// How long such an answer can be taken back.
    UndoSeconds(UndoSeconds),
    /// Whether a fresh choice shows the next question.
    AutoAdvance(OnOff),
    OnClose(OnClose),
    /// Whether the system starts the app when the person logs in.
    StartAtLogin(OptIn),
    /// Which keys bring up what waits, from anywhere.
    GlobalShortcut(GlobalShortcut),
    /// Arguments that every start of an agent gets.
    AgentArguments {
        agent: AgentId,
        arguments: Arguments,
    },
    /// Variables that every start of an agent gets.
    AgentEnvironment {
        agent: AgentId,
        environment: Environment,
    },
    /// How long sessions that are over are kept.
    KeepDays(RetentionDays),
}

impl Settings {
    /// Returns the settings with one of them changed.
    #[must_use]
    pub fn with(mut self, setting: Setting) -> Self {
        match setting {
            Setting::Language(language) => self.language = language,
            Setting::Theme(theme) => self.theme = theme,
            Setting::TextSize(size) => self.text_size = size,
            Setting::Density(density) => self.density = density,
            Setting::NotifyQuestions(notify) => self.notify_questions = notify,
            Setting::NotifySubagents(notify) => self.notify_subagents = notify,
            Setting::NotifyFinished(notify) => self.notify_finished = notify,
            Setting::PausedUntil(until) => self.paused_until = until,
            Setting::QuietHours(hours) => self.quiet_hours = hours,
            Setting::RemindMinutes(minutes) => self.remind_minutes = minutes,
            Setting::NotifySound(sound) => self.notify_sound = sound,
            Setting::QuickAnswer(quick) => self.quick_answer = quick,
            Setting::UndoSeconds(seconds) => self.undo_seconds = seconds,
            Setting::AutoAdvance(advance) => self.auto_advance = advance,
            Setting::OnClose(on_close) => self.on_close = on_close,
            Setting::StartAtLogin(start) => self.start_at_login = start,
            Setting::GlobalShortcut(shortcut) => self.global_shortcut = shortcut,
            Setting::AgentArguments { agent, arguments } => {
                self.launch_overrides.entry(agent).or_default().arguments = arguments;
            }
            Setting::AgentEnvironment { agent, environment } => {
                self.launch_overrides.entry(agent).or_default().environment = environment;
            }
            Setting::KeepDays(days) => self.keep_days = days,
        }
        self
    }

    /// Returns what is added to every start of an agent.
    pub fn extras(&self, agent: &AgentId) -> LaunchOverrides {
        self.launch_overrides.get(agent).cloned().unwrap_or_default()
    }
}

impl Settable for LanguageChoice {}
impl Settable for Theme {}
impl Settable for Density {}
impl Settable for NotifyQuestions {}
impl Settable for OnOff {}
impl Settable for OptIn {}
impl Settable for OnClose {}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// How large everything is, in per cent of the usual size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct TextSize(u16);

impl TextSize {
    /// The smallest that can be read.
    pub const LEAST: u16 = 80;
    /// The largest at which everything can still be reached (WCAG 2.2, 1.4.4).
    pub const MOST: u16 = 200;

    const NOT_BETWEEN: SettingError = SettingError::NotBetween { least: Self::LEAST, most: Self::MOST };

    pub fn factor(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Default for TextSize {
    fn default() -> Self {
        Self(100)
    }
}

impl TryFrom<u16> for TextSize {
    type Error = SettingError;

    fn try_from(percent: u16) -> Result<Self, SettingError> {
        if (Self::LEAST..=Self::MOST).contains(&percent) { Ok(Self(percent)) } else { Err(Self::NOT_BETWEEN) }
    }
}

impl Settable for TextSize {
    fn read(written: Written) -> Result<Self, SettingError> {
        written.number::<u16>().ok_or(Self::NOT_BETWEEN)?.try_into()
    }
}

impl From<TextSize> for u16 {
    fn from(size: TextSize) -> Self {
        size.0
    }
}

/// How much room there is between things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Density {
    /// Enough to rest the eye.
    #[default]
    Comfortable,
    /// More on the screen.
    Compact,
}

/// Which questions and permissions the system tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotifyQuestions {
    /// Those of sessions that are not looked at.
    #[default]
    Unseen,
    /// None.
    Never,
}

/// Whether something happens by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OnOff {
    #[default]
    On,
    Off,
}

/// Whether something happens that nobody wants unless they said so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptIn {
    #[default]
    Off,
    On,
}

/// How long an answer that one key gave can be taken back, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct UndoSeconds(u8);

impl UndoSeconds {
    /// The least in which a person can see what was pressed and take it back.
    pub const LEAST: u8 = 1;
    /// The most an agent is kept waiting.
    pub const MOST: u8 = 30;

    const NOT_BETWEEN: SettingError =
        SettingError::NotBetween { least: Self::LEAST as u16, most: Self::MOST as u16 };

    /// Returns it in milliseconds.
    pub fn millis(self) -> i64 {
        i64::from(self.0) * 1_000
    }
}

impl Default for UndoSeconds {
    fn default() -> Self {
        Self(3)
    }
}

impl TryFrom<u8> for UndoSeconds {
    type Error = SettingError;

    fn try_from(seconds: u8) -> Result<Self, SettingError> {
        if (Self::LEAST..=Self::MOST).contains(&seconds) { Ok(Self(seconds)) } else { Err(Self::NOT_BETWEEN) }
    }
}

impl Settable for UndoSeconds {
    fn read(written: Written) -> Result<Self, SettingError> {
        written.number::<u8>().ok_or(Self::NOT_BETWEEN)?.try_into()
    }
}

impl From<UndoSeconds> for u8 {
    fn from(seconds: UndoSeconds) -> Self {
        seconds.0
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OnClose {
    /// The sessions go on; the tray brings the window back.
    #[default]
    KeepRunning,
    /// The app ends, after asking where something is at work.
    Quit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_size_outside_its_bounds_is_none() {
        for percent in [0, 79, 201, u16::MAX] {
            assert!(TextSize::try_from(percent).is_err(), "{percent}");
        }
        assert_eq!(TextSize::try_from(125).map(TextSize::factor), Ok(1.25));
    }

    #[test]
    fn seconds_to_undo_outside_their_bounds_are_none() {
        for seconds in [0, 31, u8::MAX] {
            assert!(UndoSeconds::try_from(seconds).is_err(), "{seconds}");
        }
        assert_eq!(UndoSeconds::try_from(30).map(UndoSeconds::millis), Ok(30_000));
    }

    #[test]
    fn setting_one_thing_leaves_the_others() {
        let dark = Settings::default().with(Setting::Theme(Theme::Dark));
        let compact = dark.with(Setting::Density(Density::Compact));
        assert_eq!(
            compact,
            Settings { theme: Theme::Dark, density: Density::Compact, ..Settings::default() }
        );
    }
}
