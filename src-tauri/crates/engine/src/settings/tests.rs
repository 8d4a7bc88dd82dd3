use askdesk_domain::{Density, NotifyQuestions, OnClose, TextSize, Theme};
use rstest::rstest;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(7);

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), text).unwrap();
    folder
}

fn text_in(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join(FILE)).unwrap()
}

#[test]
fn without_a_file_everything_holds_by_itself_and_none_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path());
    assert_eq!(file.read(), ReadSettings::default());
    assert!(!file.path().exists());
}

#[test]
fn each_setting_that_is_changed_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path());
    let changes = [
        Setting::Theme(Theme::Dark),
        Setting::TextSize(TextSize::try_from(125).unwrap()),
        Setting::Density(Density::Compact),
        Setting::NotifyQuestions(NotifyQuestions::Never),
        Setting::OnClose(OnClose::Quit),
    ];
    let expected = changes.into_iter().fold(Settings::default(), Settings::with);
    for change in changes {
        file.change(change, NOW).unwrap();
    }
    let reopened = SettingsFile::open(folder.path());
    assert_eq!(*reopened.watch().borrow(), expected);
    assert_eq!(reopened.read(), ReadSettings { settings: expected, ignored: Vec::new() });
    let text = text_in(&folder);
    assert!(
        text.contains("[appearance]\ntheme = \"dark\"\ntext_size = 125\ndensity = \"compact\""),
        "{text}"
    );
}

#[test]
fn a_change_leaves_comments_and_whatever_else_stands_in_the_file() {
    let folder = folder_with(
        "# mine\n[appearance]\ntheme = \"light\" # for the day\ncolour = \"red\"\n\n[later]\nthing = 1\n",
    );
    let file = SettingsFile::open(folder.path());
    file.change(Setting::Theme(Theme::Dark), NOW).unwrap();
    assert_eq!(
        text_in(&folder),
        "# mine\n[appearance]\ntheme = \"dark\" # for the day\ncolour = \"red\"\n\n[later]\nthing = 1\n"
    );
}

#[rstest]
#[case::another_word("[appearance]\ntheme = \"pink\"", "appearance.theme", "unknown variant `pink`")]
#[case::out_of_bounds(
    "[appearance]\ntext_size = 500",
    "appearance.text_size",
    "500 is not between 80 and 200"
)]
#[case::another_type("[window]\non_close = 3", "window.on_close", "3")]
#[case::a_table("[window.on_close]\na = 1", "window.on_close", "must be a value")]
#[case::unknown_name("[window]\nround = true", "window.round", "no such setting")]
#[case::unknown_table("[colours]\nred = 1", "colours", "no such setting")]
#[case::a_value_for_a_table("appearance = 1", "appearance", "no such setting")]
fn what_makes_no_sense_is_named_and_ignored_alone(#[case] text: &str, #[case] key: &str, #[case] why: &str) {
    let folder = folder_with(&format!("{text}\n[notifications]\nquestions = \"never\"\n"));
    let read = SettingsFile::open(folder.path()).read();
    assert_eq!(read.settings, Settings { notify_questions: NotifyQuestions::Never, ..Settings::default() });
    let [ignored] = read.ignored.as_slice() else { panic!("{:?}", read.ignored) };
    assert_eq!(ignored.key, key);
    assert!(ignored.why.contains(why), "{}", ignored.why);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_kept_when_something_is_changed() {
    let folder = folder_with("[appearance\ntheme = \"dark\"");
    let file = SettingsFile::open(folder.path());
    let read = file.read();
    assert_eq!(read.settings, Settings::default());
    assert_eq!(read.ignored[0].key, FILE);
    assert!(read.ignored[0].why.contains("line 1"), "{}", read.ignored[0].why);

    file.change(Setting::Theme(Theme::Light), NOW).unwrap();
    assert_eq!(file.read().settings.theme, Theme::Light);
    let kept = folder.path().join("settings.toml.damaged-7");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "[appearance\ntheme = \"dark\"");
}

#[test]
fn an_edit_by_hand_is_told_once_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path());
    let mut told = file.watch();
    std::fs::write(file.path(), "[appearance]\ntheme = \"light\"\n").unwrap();
    file.read();
    assert!(told.has_changed().unwrap());
    assert_eq!(told.borrow_and_update().theme, Theme::Light);
    file.read();
    assert!(!told.has_changed().unwrap());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_elsewhere_stays_a_link() {
    let elsewhere = folder_with("[appearance]\ntheme = \"light\"\n");
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join(FILE);
    std::os::unix::fs::symlink(elsewhere.path().join(FILE), &link).unwrap();
    SettingsFile::open(folder.path()).change(Setting::Theme(Theme::Dark), NOW).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(text_in(&elsewhere).contains("dark"));
}

#[test]
fn a_folder_that_cannot_be_written_to_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(&folder.path().join("gone"));
    let error = file.change(Setting::Theme(Theme::Dark), NOW).unwrap_err();
    assert!(error.to_string().contains("settings.toml"), "{error}");
    assert_eq!(file.read(), ReadSettings::default());
}
