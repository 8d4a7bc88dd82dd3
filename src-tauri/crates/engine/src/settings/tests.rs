use std::collections::BTreeMap;

use askdesk_domain::{
    AgentId, Arguments, Density, Environment, LanguageChoice, LaunchOverrides, NotifyQuestions, OnClose,
    OnOff, OptIn, PausedUntil, PermissionRule, PermissionRules, RetentionDays, RuleAction, TextSize, Theme,
    UndoSeconds,
};
use rstest::rstest;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(7);
const PATIENCE: Duration = Duration::from_secs(30);

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), text).unwrap();
    folder
}

/// A settings file with this text, and its folder.
fn opened(text: &str) -> (tempfile::TempDir, SettingsFile) {
    let folder = folder_with(text);
    let file = SettingsFile::open(folder.path(), agents());
    (folder, file)
}

fn arguments(words: &[&str]) -> Arguments {
    words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>().try_into().unwrap()
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    variables.iter().map(owned).collect::<BTreeMap<_, _>>().try_into().unwrap()
}

/// Rules about Bash: each with its action, its argument and its folder.
fn rules(rules: &[(&str, Option<&str>, Option<&str>)]) -> PermissionRules {
    let rule = |&(action, argument, folder): &(&str, Option<&str>, Option<&str>)| PermissionRule {
        action: if action == "deny" { RuleAction::Deny } else { RuleAction::Ask },
        tool: "Bash".to_owned(),
        argument: argument.map(str::to_owned),
        folder: folder.map(str::to_owned),
    };
    rules.iter().map(rule).collect::<Vec<_>>().try_into().unwrap()
}

/// The agents as the app has them, without the demo.
fn agents() -> Catalog {
    Catalog::new(askdesk_agents::installed_agents())
}

const AGENT: AgentId = AgentId::literal("claude_code");

fn of_agent_arguments(arguments: Arguments) -> Setting {
    Setting::AgentArguments { agent: AGENT, arguments }
}

fn of_agent_environment(environment: Environment) -> Setting {
    Setting::AgentEnvironment { agent: AGENT, environment }
}

fn setup(repository: &str, command: &str) -> Setting {
    let command = SetupCommand::try_from(command.to_owned()).unwrap();
    Setting::SetupCommand { repository: repository.to_owned(), command }
}

#[test]
fn an_empty_setup_command_is_removed_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path(), agents());
    file.change(&setup("/a", "npm ci"), NOW).unwrap();
    file.change(&setup("/b", "make"), NOW).unwrap();
    let read = file.change(&setup("/a", " "), NOW).unwrap();
    assert_eq!(read.settings.setup_commands.keys().collect::<Vec<_>>(), ["/b"]);
    assert_eq!(text_in(&folder), "[setup_commands]\n\"/b\" = \"make\"\n");
}

#[test]
fn a_setup_command_that_is_no_text_is_ignored_and_named() {
    let read = opened("[setup_commands]\n\"/a\" = 1\n\"/b\" = \"make\"\n").1.read();
    assert_eq!(read.settings.setup_commands.keys().collect::<Vec<_>>(), ["/b"]);
    assert_eq!(read.ignored.iter().map(|it| &*it.key).collect::<Vec<_>>(), ["setup_commands./a"]);
}

/// What the agent is started with in addition.
fn extras(read: &ReadSettings) -> LaunchOverrides {
    read.settings.extras(&AGENT)
}

fn text_in(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join(FILE)).unwrap()
}

#[test]
fn without_a_file_the_defaults_apply_and_no_file_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path(), agents());
    assert_eq!(file.read(), ReadSettings::default());
    assert!(!file.path().exists());
}

#[test]
fn every_setting_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path(), agents());
    let changes = [
        Setting::Language(LanguageChoice::De),
        Setting::Theme(Theme::Dark),
        Setting::TextSize(TextSize::try_from(125).unwrap()),
        Setting::Density(Density::Compact),
        Setting::NotifyQuestions(NotifyQuestions::Never),
        Setting::NotifySubagents(OnOff::Off),
        Setting::NotifyFinished(OptIn::On),
        Setting::PausedUntil(PausedUntil::at(Timestamp::from_millis(1_800_000_000_000))),
        Setting::QuietHours("22:00-07:00".to_owned().try_into().unwrap()),
        Setting::RemindMinutes(15.try_into().unwrap()),
        Setting::NotifySound(OptIn::On),
        Setting::QuickAnswer(OnOff::Off),
        Setting::UndoSeconds(UndoSeconds::try_from(10).unwrap()),
        Setting::AutoAdvance(OnOff::Off),
        Setting::PermissionRules(rules(&[
            ("deny", Some("git push *"), Some("/home/ada/api")),
            ("ask", None, None),
        ])),
        Setting::OnClose(OnClose::Quit),
        Setting::StartAtLogin(OptIn::On),
        Setting::GlobalShortcut("ctrl+alt+j".to_owned().try_into().unwrap()),
        of_agent_arguments(arguments(&["--add-dir", "/a \"b\"\n"])),
        Setting::KeepDays(RetentionDays::try_from(90).unwrap()),
        of_agent_environment(environment(&[("EDITOR", "vi"), ("HTTPS_PROXY", "http://[::1]:8")])),
        setup("/home/ada/my \"code\".git", "npm ci && cp ../.env ."),
    ];
    let expected = changes.clone().into_iter().fold(Settings::default(), Settings::with);
    for change in changes {
        file.change(&change, NOW).unwrap();
    }
    let reopened = SettingsFile::open(folder.path(), agents());
    assert_eq!(*reopened.watch().borrow(), expected);
    assert_eq!(reopened.read(), ReadSettings { settings: expected, ignored: Vec::new() });
    let text = text_in(&folder);
    assert!(
        text.contains(
            "[appearance]\nlanguage = \"de\"\ntheme = \"dark\"\ntext_size = 125\ndensity = \"compact\""
        ),
        "{text}"
    );
}

#[test]
fn a_change_preserves_comments_and_unknown_entries() {
    let (folder, file) = opened(
        "# mine\n[appearance]\n# bright\ntheme = \"light\" # for the day\ncolour = \"red\"\n\n[later]\nthing = 1\n",
    );
    file.change(&Setting::Theme(Theme::Dark), NOW).unwrap();
    assert_eq!(
        text_in(&folder),
        "# mine\n[appearance]\n# bright\ntheme = \"dark\" # for the day\ncolour = \"red\"\n\n[later]\nthing = 1\n"
    );
}

#[rstest]
#[case::another_word(
    "[appearance]\ntheme = \"pink\"",
    "appearance.theme",
    "must be one of these: system, light, dark"
)]
#[case::out_of_bounds(
    "[appearance]\ntext_size = 500",
    "appearance.text_size",
    "500: must be a number from 80 to 200"
)]
#[case::another_type(
    "[window]\non_close = 3",
    "window.on_close",
    "3: must be one of these: keep_running, quit"
)]
#[case::a_time_out_of_bounds("[notifications]\npaused_until = -1", "notifications.paused_until", "-1")]
#[case::a_table("[window.on_close]\na = 1", "window.on_close", "expected a value")]
#[case::unknown_name("[window]\nround = true", "window.round", "unknown setting")]
#[case::unknown_table("[colors]\nred = 1", "colors", "unknown setting")]
#[case::unknown_in_an_agent("[agents.claude_code]\nargs = []", "agents.claude_code.args", "unknown setting")]
#[case::unknown_agent("[agents.other]\narguments = []", "agents.other", "unknown setting")]
#[case::a_dotted_name("\"agents.claude_code\" = 1", "agents.claude_code", "unknown setting")]
#[case::a_flag_of_ours(
    "[agents.claude_code]\narguments = ['-p']",
    "agents.claude_code.arguments",
    "argument 1: -p is set by Askdesk"
)]
#[case::no_name(
    "[agents.claude_code]\nenvironment = { 'A B' = 'c' }",
    "agents.claude_code.environment",
    "\"A B\" isn't a valid variable name"
)]
#[case::a_value_for_a_table("appearance = 1", "appearance", "unknown setting")]
fn an_invalid_entry_is_reported_and_ignored_alone(#[case] text: &str, #[case] key: &str, #[case] why: &str) {
    // The other setting holds, whether it is in the same table or not.
    let other = "questions = \"never\"\n";
    let folder = folder_with(&match text.strip_prefix("[notifications]") {
        Some(entry) => format!("[notifications]{entry}\n{other}"),
        None => format!("{text}\n[notifications]\n{other}"),
    });
    let read = SettingsFile::open(folder.path(), agents()).read();
    assert_eq!(read.settings, Settings { notify_questions: NotifyQuestions::Never, ..Settings::default() });
    let [ignored] = read.ignored.as_slice() else { panic!("{:?}", read.ignored) };
    assert_eq!(ignored.key, key);
    assert!(ignored.why.to_string().contains(why), "{}", ignored.why);
}

#[test]
fn a_table_of_variables_can_have_its_own_heading_and_keeps_its_comments() {
    let (folder, file) = opened(
        "[agents.claude_code]\narguments = [ # more folders\n  '--add-dir',\n  '/a',\n]\n\n[agents.claude_code.environment]\n\
         # for the house\nHTTPS_PROXY = 'http://h:1' # over there\nEDITOR = 'vi'\n",
    );
    let read = file.read();
    assert_eq!(read.ignored, []);
    assert_eq!(extras(&read).arguments, arguments(&["--add-dir", "/a"]));
    assert_eq!(extras(&read).environment, environment(&[("EDITOR", "vi"), ("HTTPS_PROXY", "http://h:1")]));
    let changed = environment(&[("HTTPS_PROXY", "http://h:2"), ("PAGER", "less")]);
    let read = file.change(&of_agent_environment(changed.clone()), NOW).unwrap();
    assert_eq!((extras(&read).environment, read.ignored), (changed, Vec::new()));
    assert!(
        text_in(&folder).ends_with(
            "'/a',\n]\n\n[agents.claude_code.environment]\n# for the house\nHTTPS_PROXY = \"http://h:2\" # over there\n\
             PAGER = \"less\"\n"
        ),
        "{}",
        text_in(&folder)
    );
}

#[test]
fn an_ignored_entry_does_not_repeat_secrets() {
    let read = opened("[agents.claude_code]\nenvironment = { API_KEY = 'hush', 'A-B' = 'hush' }\n").1.read();
    assert_eq!(read.settings, Settings::default());
    let [ignored] = read.ignored.as_slice() else { panic!("{:?}", read.ignored) };
    let why = format!("{:?}", ignored.why);
    assert!(why.contains("A-B") && !why.contains("hush"), "{why}");
}

#[test]
fn the_largest_settings_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path(), agents());
    // Each of these characters takes six in the file.
    let long = "\u{1}".repeat(askdesk_domain::launch_overrides::EXTRA_BYTES);
    let names: Vec<String> = (0..askdesk_domain::launch_overrides::EXTRAS).map(|n| format!("V{n}")).collect();
    let variables: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), long.as_str())).collect();
    let set = environment(&variables);
    file.change(&of_agent_environment(set.clone()), NOW).unwrap();
    let words = vec![long.as_str(); askdesk_domain::launch_overrides::EXTRAS];
    let read = file.change(&of_agent_arguments(arguments(&words)), NOW).unwrap();
    assert_eq!(read.ignored, []);
    assert_eq!((extras(&read).environment, extras(&read).arguments), (set, arguments(&words)));
}

#[test]
fn watchers_are_notified_once_of_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(folder.path(), agents());
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
fn a_link_stays_a_link() {
    let elsewhere = folder_with("[appearance]\ntheme = \"light\"\n");
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join(FILE);
    std::os::unix::fs::symlink(elsewhere.path().join(FILE), &link).unwrap();
    SettingsFile::open(folder.path(), agents()).change(&Setting::Theme(Theme::Dark), NOW).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(text_in(&elsewhere).contains("dark"));
}

#[test]
fn a_failed_write_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::open(&folder.path().join("gone"), agents());
    let error = file.change(&Setting::Theme(Theme::Dark), NOW).unwrap_err();
    assert!(error.to_string().contains("settings.toml"), "{error}");
    assert_eq!(file.read(), ReadSettings::default());
}

#[rstest]
#[case::inline("[permissions]\nrules = [{ action = \"deny\", tool = \"Bash\", argument = \"rm *\" }]\n")]
#[case::with_headings("[[permissions.rules]]\naction = \"deny\"\ntool = \"Bash\"\nargument = \"rm *\"\n")]
fn case_100_rules_can_be_written_in_the_file(#[case] text: &str) {
    let (_folder, file) = opened(text);
    let deny = ("deny", Some("rm *"), None);
    let read = file.read();
    assert_eq!((&read.settings.permission_rules, read.ignored.as_slice()), (&rules(&[deny]), &[][..]));
    let both = [deny, ("ask", None, Some("/home/ada"))];
    let changed = file.change(&Setting::PermissionRules(rules(&both)), NOW).unwrap();
    assert_eq!((&changed.settings.permission_rules, changed.ignored.as_slice()), (&rules(&both), &[][..]));
}

#[rstest]
#[case::a_key(
    "[permissions]\nrules = [{ action = \"deny\", tool = \"Bash\" }, { action = \"deny\", tools = \"X\" }] # mine\n"
)]
#[case::a_heading("[[permissions.rules]]\naction = \"deny\"\ntool = \"Bash(x\"\n")]
#[case::a_table("[permissions.rules]\na = 1\n")]
fn case_100_rules_with_a_mistake_are_not_replaced(#[case] text: &str) {
    let (folder, file) = opened(text);
    let new = Setting::PermissionRules(rules(&[("deny", Some("rm *"), None)]));
    assert_eq!(file.read().ignored[0].key, "permissions.rules");
    let error = file.change(&new, NOW).unwrap_err();
    assert!(matches!(error.source, NotWritten::RulesWithMistake(_)), "{error}");
    assert_eq!(text_in(&folder), text);

    file.change(&Setting::Theme(Theme::Dark), NOW).unwrap();
    assert!(text_in(&folder).contains(text.trim_end()), "other settings can still be changed");
}

#[test]
fn case_100_rules_stay_in_force_while_the_file_cannot_be_read() {
    let (folder, file) = opened("[[permissions.rules]]\naction = \"deny\"\ntool = \"Bash\"\n");
    let (kept, watch) = (rules(&[("deny", None, None)]), file.watch());
    let half = "[[permissions.rules]]\naction = \"de";
    std::fs::write(file.path(), half).unwrap();
    let read = file.read();
    assert_eq!(read.ignored[0].key, FILE);
    assert_eq!((&watch.borrow().permission_rules, &read.settings.permission_rules), (&kept, &kept));

    // The file that replaces it has them too.
    let read = file.change(&Setting::Theme(Theme::Dark), NOW).unwrap();
    assert_eq!((&read.settings.permission_rules, read.settings.theme), (&kept, Theme::Dark));
    assert_eq!(SettingsFile::open(folder.path(), agents()).read(), read);
    assert_eq!(std::fs::read_to_string(folder.path().join("settings.toml.damaged-7")).unwrap(), half);

    // A file that can be read takes them back.
    std::fs::write(file.path(), "").unwrap();
    assert_eq!(file.read(), ReadSettings::default());
    assert_eq!(*watch.borrow(), Settings::default());
}

#[cfg(unix)]
#[test]
fn case_131_settings_that_cannot_be_read_stay_in_force_and_the_file_is_kept() {
    use askdesk_testkit::read_errors::while_unreadable;
    let text = "[appearance]\ntheme = \"dark\"\n[[permissions.rules]]\naction = \"deny\"\ntool = \"Bash\"\n";
    let (folder, file) = opened(text);
    let (before, mut watch) = (file.read().settings, file.watch());
    while_unreadable(file.path(), || {
        let read = file.read();
        assert_eq!(read.settings, before);
        assert!(matches!(read.ignored[0].why, IgnoredWhy::Unreadable { .. }), "{read:?}");
        let error = file.change(&Setting::Density(Density::Compact), NOW).unwrap_err();
        assert!(matches!(error.source, NotWritten::Unreadable { .. }), "{error}");
    })
    .unwrap();
    assert!(!watch.has_changed().unwrap());
    assert_eq!(text_in(&folder), text);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is set aside");

    let read = file.change(&Setting::Density(Density::Compact), NOW).unwrap();
    assert_eq!((read.settings.theme, read.settings.density), (Theme::Dark, Density::Compact));
    assert_eq!(watch.borrow_and_update().permission_rules, before.permission_rules);
}

#[cfg(unix)]
#[test]
fn case_131_a_link_is_kept_while_its_file_is_missing() {
    let elsewhere = folder_with("[appearance]\ntheme = \"dark\"\n");
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join(FILE), elsewhere.path().join(FILE));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let file = SettingsFile::open(folder.path(), agents());
    std::fs::rename(&target, elsewhere.path().join("away")).unwrap();
    assert_eq!(file.read().settings.theme, Theme::Dark);
    assert!(file.change(&Setting::Density(Density::Compact), NOW).is_err());
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!target.exists());
}

#[rstest]
#[case::no_text(&[0xff, 0xfe], None)]
#[case::too_large(&vec![b'#'; 4 * 1024 * 1024 + 1], None)]
#[case::no_toml(b"[appearance\ntheme = \"dark\"", Some((1, 12)))]
#[case::a_mistake_in_another_line(b"a = 1\nkey = '\xc3\xa4' x", Some((2, 11)))]
#[case::a_value_that_never_ends(b"[appearance]\ntheme = \"dark", Some((2, 14)))]
fn a_file_that_holds_no_settings_is_reported_and_quarantined_by_a_change(
    #[case] content: &[u8],
    #[case] place: Option<(usize, usize)>,
) {
    let (folder, file) = opened("");
    std::fs::write(file.path(), content).unwrap();
    let read = file.read();
    assert_eq!(read.settings, Settings::default());
    let [ignored] = &read.ignored[..] else { panic!("{:?}", read.ignored) };
    assert_eq!(ignored.key, FILE);
    let found = match &ignored.why {
        IgnoredWhy::Unparsed { line, column, .. } => Some((*line, *column)),
        _ => None,
    };
    assert_eq!(found, place, "{:?}", ignored.why);
    file.change(&Setting::Theme(Theme::Light), NOW).unwrap();
    assert_eq!(file.read().settings.theme, Theme::Light);
    assert_eq!(std::fs::read(folder.path().join("settings.toml.damaged-7")).unwrap(), content);
}

#[test]
fn case_100_a_read_waits_for_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let file = &SettingsFile::open(folder.path(), agents());
    for (theme, name) in [(Theme::Dark, "dark"), (Theme::Light, "light")].repeat(20) {
        std::thread::scope(|threads| {
            let changing = file.changing.lock().unwrap();
            let (begins, begun) = std::sync::mpsc::channel();
            let read = threads.spawn(move || {
                begins.send(()).unwrap();
                file.read()
            });
            begun.recv().unwrap();
            // Time in which a read that doesn't wait finds the file as it was.
            std::thread::sleep(std::time::Duration::from_millis(1));
            std::fs::write(file.path(), format!("[appearance]\ntheme = \"{name}\"\n")).unwrap();
            drop(changing);
            assert_eq!(read.join().unwrap().settings.theme, theme);
        });
    }
}

#[tokio::test]
async fn an_edit_of_the_file_counts_by_itself_also_one_that_replaces_it_or_mends_a_mistake() {
    let folder = folder_with("");
    let path = folder.path().join(FILE);
    let file = Arc::new(SettingsFile::open(folder.path(), Catalog::default()));
    let mut settings = file.watch();
    let (told, mut edits) = tokio::sync::mpsc::unbounded_channel();
    let following = tokio::spawn(Arc::clone(&file).follow_edits(move || told.send(()).unwrap()));
    let rule = "[permissions]\nrules = [{ action = \"deny\", tool = \"Bash\" }]\n";
    let new = folder.path().join("new");
    let mistake = rule.replace("deny", "forbid");
    for (text, has_rules) in [(rule, true), ("", false), (&mistake, false), (rule, true)] {
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, &path).unwrap();
        let found =
            settings.wait_for(|now| (now.permission_rules != PermissionRules::default()) == has_rules);
        tokio::time::timeout(PATIENCE, found).await.unwrap().unwrap();
        tokio::time::timeout(PATIENCE, edits.recv()).await.unwrap().unwrap();
    }
    file.change(&Setting::Theme(Theme::Dark), NOW).unwrap();
    tokio::time::sleep(3 * LOOKED_AT).await;
    assert!(edits.try_recv().is_err(), "our own change is no edit");
    following.abort();
}
