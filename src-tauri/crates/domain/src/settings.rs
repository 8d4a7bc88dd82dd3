//! The settings: one declaration with the id, the type and the default of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::budget::DailyBudget;
use crate::command_template::{EditorCommand, TerminalCommand};
use crate::do_not_disturb::{DoNotDisturbHours, PausedUntil, ReminderMinutes};
use crate::error::{Bounds, Settable, SettingError, SettingKind, Written, number_setting};
use crate::id::AgentId;
use crate::language::LanguageChoice;
use crate::launch_overrides::{Arguments, Environment, LaunchOverrides};
use crate::permission_rule::PermissionRules;
use crate::preferred_program::{PreferredEditor, PreferredTerminal};
use crate::retention_days::RetentionDays;
use crate::setup_command::SetupCommand;
use crate::shortcut::GlobalShortcut;

/// Declares every setting once: `key => id: Variant(Type)`. It generates the settings, the change of one setting, and the
/// descriptors that the settings file and the settings window are built from.
macro_rules! settings {
    ($($category:ident {
        $($(#[$doc:meta])* $key:ident => $id:ident: $variant:ident($type:ty),)+
    })+) => {
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct Settings {
            $($($(#[$doc])* pub $id: $type,)+)+
            /// The additions to every start of an agent.
            pub launch_overrides: BTreeMap<AgentId, LaunchOverrides>,
            /// The commands that prepare new worktrees, by the folder of their repository.
            pub setup_commands: BTreeMap<String, SetupCommand>,
        }

        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "setting", content = "value", rename_all = "snake_case")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub enum Setting {
            $($($(#[$doc])* $variant($type),)+)+
            AgentArguments { agent: AgentId, arguments: Arguments },
            AgentEnvironment { agent: AgentId, environment: Environment },
            /// An empty command removes the one before.
            SetupCommand { repository: String, command: SetupCommand },
        }

        /// Every setting except those of an agent or a repository, in the order of the settings window.
        pub const SETTINGS: &[SettingDescriptor] = &[$($(SettingDescriptor {
            id: stringify!($id),
            category: stringify!($category),
            key: stringify!($key),
            read: |written| <$type>::read(written).map(Setting::$variant),
            kind: <$type>::kind,
        },)+)+];

        impl Settings {
            /// Returns the settings with one changed.
            #[must_use]
            pub fn with(mut self, setting: Setting) -> Self {
                match setting {
                    $($(Setting::$variant(value) => self.$id = value,)+)+
                    Setting::AgentArguments { agent, arguments } => {
                        self.launch_overrides.entry(agent).or_default().arguments = arguments;
                    }
                    Setting::AgentEnvironment { agent, environment } => {
                        self.launch_overrides.entry(agent).or_default().environment = environment;
                    }
                    Setting::SetupCommand { repository, command } => match command.line() {
                        Some(_) => drop(self.setup_commands.insert(repository, command)),
                        None => drop(self.setup_commands.remove(&repository)),
                    },
                }
                self
            }
        }

        impl Setting {
            /// Returns the descriptor; none for the settings of an agent or a repository.
            pub fn descriptor(&self) -> Option<&'static SettingDescriptor> {
                let id = match self {
                    $($(Self::$variant(_) => stringify!($id),)+)+
                    Self::AgentArguments { .. }
                    | Self::AgentEnvironment { .. }
                    | Self::SetupCommand { .. } => return None,
                };
                SettingDescriptor::find(id)
            }

            /// Serializes the value without the setting's name.
            pub fn serialize_value<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $($(Self::$variant(value) => value.serialize(serializer),)+)+
                    Self::AgentArguments { arguments, .. } => arguments.serialize(serializer),
                    Self::AgentEnvironment { environment, .. } => environment.serialize(serializer),
                    Self::SetupCommand { command, .. } => command.serialize(serializer),
                }
            }
        }
    };
}

settings! {
    appearance {
        language => language: Language(LanguageChoice),
        theme => theme: Theme(Theme),
        text_size => text_size: TextSize(TextSize),
        density => density: Density(Density),
    }
    notifications {
        /// Notifications of questions and permission requests of sessions that are not in view.
        questions => notify_questions: NotifyQuestions(NotifyQuestions),
        subagents => notify_subagents: NotifySubagents(OnOff),
        /// Notifications of finished turns.
        finished => notify_finished: NotifyFinished(OptIn),
        /// The cost of a day above which the user is notified, in US dollars; 0 is no budget.
        daily_budget => daily_budget: DailyBudget(DailyBudget),
        paused_until => paused_until: PausedUntil(PausedUntil),
        quiet_hours => quiet_hours: QuietHours(DoNotDisturbHours),
        remind_minutes => remind_minutes: RemindMinutes(ReminderMinutes),
        sound => notify_sound: NotifySound(OptIn),
    }
    questions {
        /// Whether one digit answers a single question with one choice.
        quick_answer => quick_answer: QuickAnswer(OnOff),
        undo_seconds => undo_seconds: UndoSeconds(UndoSeconds),
        /// Whether a choice moves on to the next question.
        auto_advance => auto_advance: AutoAdvance(OnOff),
    }
    window {
        on_close => on_close: OnClose(OnClose),
        start_at_login => start_at_login: StartAtLogin(OptIn),
        /// Opens the oldest question from any app.
        global_shortcut => global_shortcut: GlobalShortcut(GlobalShortcut),
    }
    open_in {
        editor => editor: Editor(PreferredEditor),
        /// Opens files if the editor is `editor_command`.
        editor_command => editor_command: EditorCommand(EditorCommand),
        terminal => terminal: Terminal(PreferredTerminal),
        /// Opens terminals if the terminal is `terminal_command`.
        terminal_command => terminal_command: TerminalCommand(TerminalCommand),
    }
    permissions {
        rules => permission_rules: PermissionRules(PermissionRules),
    }
    data {
        keep_days => keep_days: KeepDays(RetentionDays),
    }
    updates {
        /// Whether a newer version is looked for once a day.
        check => check_updates: CheckUpdates(OnOff),
    }
}

/// What the settings file, the change of a setting and the settings window know about a setting.
#[derive(Debug)]
pub struct SettingDescriptor {
    /// The name in a change and, in camel case, in [`Settings`].
    pub id: &'static str,
    /// The table in the settings file, and the section of the settings window.
    pub category: &'static str,
    /// The name within the table.
    pub key: &'static str,
    pub read: fn(Written) -> Result<Setting, SettingError>,
    pub kind: fn() -> SettingKind,
}

impl SettingDescriptor {
    pub fn find(id: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.id == id)
    }
}

impl Settings {
    /// Returns the additions to every start of an agent.
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

/// The color scheme: light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

number_setting! {
    /// The scale of the whole window, in percent. Beyond the upper bound, parts become unreachable (WCAG 2.2,
    /// 1.4.4).
    TextSize, Bounds::Between(80, 200), default 100
}

impl TextSize {
    pub fn factor(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// The spacing between elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Density {
    #[default]
    Comfortable,
    /// Denser, to show more at once.
    Compact,
}

/// Which questions and permission requests cause notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotifyQuestions {
    /// Those of sessions that are not in view.
    #[default]
    Unseen,
    /// None.
    Never,
}

/// Whether something happens automatically; on by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OnOff {
    #[default]
    On,
    Off,
}

/// Whether something happens automatically; off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptIn {
    #[default]
    Off,
    On,
}

number_setting! {
    /// The undo window of a quick answer, a skip, and a reply in chat, in seconds. The agent waits during it.
    UndoSeconds, Bounds::Between(1, 30), default 3
}

impl UndoSeconds {
    pub fn millis(self) -> i64 {
        i64::from(self.0) * 1_000
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OnClose {
    /// The sessions continue; the tray reopens the window.
    #[default]
    KeepRunning,
    /// The app quits, after a confirmation if a session is working.
    Quit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_sizes_and_undo_windows_are_bounded() {
        assert!([0, 79, 201, u16::MAX].into_iter().all(|percent| TextSize::try_from(percent).is_err()));
        assert_eq!(TextSize::try_from(125).map(TextSize::factor), Ok(1.25));
        assert!([0, 31, u16::MAX].into_iter().all(|seconds| UndoSeconds::try_from(seconds).is_err()));
        assert_eq!(UndoSeconds::try_from(30).map(UndoSeconds::millis), Ok(30_000));
    }

    #[test]
    fn the_id_of_a_setting_names_it_in_changes_and_in_the_settings() {
        let all = serde_json::to_value(Settings::default()).unwrap();
        for setting in SETTINGS {
            let camel = setting.id.split('_').enumerate().map(|(n, word)| match n {
                0 => word.to_owned(),
                _ => word[..1].to_uppercase() + &word[1..],
            });
            let default = all[camel.collect::<String>()].clone();
            assert!(!default.is_null(), "{}", setting.id);
            let read = (setting.read)(serde_json::from_value(default.clone()).unwrap()).unwrap();
            let change = serde_json::json!({"setting": setting.id, "value": default});
            assert_eq!(serde_json::to_value(&read).unwrap(), change);
            assert_eq!(read.descriptor().map(|it| it.id), Some(setting.id));
        }
    }

    #[test]
    fn changing_one_setting_leaves_the_others() {
        let dark = Settings::default().with(Setting::Theme(Theme::Dark));
        let compact = dark.with(Setting::Density(Density::Compact));
        assert_eq!(
            compact,
            Settings { theme: Theme::Dark, density: Density::Compact, ..Settings::default() }
        );
    }
}
