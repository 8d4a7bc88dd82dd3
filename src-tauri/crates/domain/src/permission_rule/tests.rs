use proptest::prelude::*;
use rstest::rstest;

use super::*;

const FOLDER: &str = "/home/ada/api";

fn rule(action: RuleAction, text: &str) -> PermissionRule {
    let (tool, argument) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap().to_owned())),
        None => (text, None),
    };
    PermissionRule { action, tool: tool.to_owned(), argument, folder: None }
}

fn call(tools: &[&str], argument: CallArgument) -> PermissionCall {
    PermissionCall { tools: tools.iter().map(|&tool| tool.to_owned()).collect(), arguments: vec![argument] }
}

fn bash(command: &str) -> PermissionCall {
    call(&["Bash"], CallArgument::Command(command.to_owned()))
}

fn context() -> RuleContext<'static> {
    RuleContext { folder: FOLDER, origin: None, home: Some("/home/ada") }
}

#[track_caller]
fn check(text: &str, call: &PermissionCall, expected: bool) {
    assert_eq!(rule(RuleAction::Deny, text).matches(call, context()), expected, "{text}: {call:?}");
}

#[rstest]
#[case("Bash", "ls", true)]
#[case("bash", "ls", true)]
#[case("*", "ls", true)]
#[case("Ba*", "ls", true)]
#[case("Bas", "ls", false)]
#[case("Bash(*)", "ls", true)]
#[case("Bash(rm *)", "rm", true)]
#[case("Bash(rm *)", "rm -rf build", true)]
#[case("Bash(rm:*)", "rm -rf build", true)]
#[case("Bash(rm)", "rm -rf build", true)]
#[case("Bash(rm *)", "RM -rf build", true)]
#[case("Bash(rm *)", "rmdir build", false)]
#[case("Bash(rm *)", "farm it", false)]
#[case("Bash(rm*)", "rmdir build", true)]
#[case("Bash(rm -rf *)", "rm   -rf\tbuild", true)]
#[case("Bash(rm -rf *)", "rm -r build", false)]
#[case("Bash(git push *)", "git status", false)]
#[case("Bash(git push *)", "git push\n", true)]
#[case("Bash(git * --force)", "git push origin --force", true)]
#[case("Bash(npm run test:*)", "npm run test:unit", true)]
#[case("Bash(npm run test:*)", "npm run test", true)]
#[case("Bash(npm run test:*)", "npm run build", false)]
#[case("Bash(grep \"a|b\" *)", "grep \"a|b\" notes.txt", true)]
// A part of a longer command.
#[case("Bash(rm *)", "cd build && rm -rf x", true)]
#[case("Bash(rm *)", "true&&rm -rf x", true)]
#[case("Bash(rm *)", "false || rm x", true)]
#[case("Bash(rm *)", "ls;rm x", true)]
#[case("Bash(rm *)", "ls\nrm x", true)]
#[case("Bash(rm *)", "find . | xargs rm", true)]
#[case("Bash(rm *)", "sleep 1 & rm x", true)]
#[case("Bash(rm *)", "echo $(rm x)", true)]
#[case("Bash(rm *)", "echo `rm x`", true)]
#[case("Bash(rm *)", "(rm x)", true)]
#[case("Bash(rm *)", "{ rm x; }", true)]
#[case("Bash(rm *)", "{rm,-rf,x}", true)]
#[case("Bash(rm *)", "diff <(rm x) y", true)]
#[case("Bash(git push)", "git push 2>&1", true)]
// Behind another program or in quotes.
#[case("Bash(rm *)", "sudo rm x", true)]
#[case("Bash(rm *)", "A=1 env -i rm x", true)]
#[case("Bash(rm *)", "bash -c 'rm x'", true)]
#[case("Bash(rm *)", "/bin/rm x", true)]
#[case("Bash(cat /etc/passwd)", "/bin/cat -n /etc/passwd", false)]
#[case("Bash(cat *passwd)", "/bin/cat -n /etc/passwd", true)]
#[case("Bash(rm *)", "\\rm x", true)]
#[case("Bash(rm *)", "r\\m x", true)]
#[case("Bash(rm *)", "'r'\"m\" x", true)]
#[case("Bash(rm *)", "r\\\nm x", true)]
#[case("Bash(rm *)", "rm${IFS}-rf${IFS}x", true)]
#[case("Bash(rm *)", "r$'m' x", true)]
#[case("Bash(rm *)", "r$\"m\" x", true)]
#[case("Bash(rm *)", "env -S\"rm -rf x\"", true)]
#[case("Bash(rm *)", "su -c'rm x'", true)]
#[case("Bash(rm *)", "watch --exec=rm x", true)]
#[case("Bash(rm *)", "vi +'!rm x'", true)]
#[case("Bash(git push *)", "python3 -c 'import subprocess; subprocess.run([\"git\",\"push\"])'", true)]
#[case("Bash(sudo rm *)", "sudo /bin/rm -rf x", true)]
#[case("Bash(sudo rm *)", "/usr/bin/sudo /bin/rm -rf x", true)]
#[case("Bash(git -C /srv/app push *)", "/usr/bin/git -C /srv/app push", true)]
#[case("Bash(git -C /srv/app push *)", "/usr/bin/git -C /srv/web push", false)]
// A lone star stands for any number of words, and words stay whole.
#[case("Bash(git * push *)", "git push origin", true)]
#[case("Bash(git * push *)", "git -C x push", true)]
#[case("Bash(git * push *)", "git pushing", false)]
#[case("Bash(git * push *)", "git --no-push", false)]
#[case("Bash(git push)", "git pushing", false)]
#[case("Bash(git push)", "git stash push", false)]
#[case("Bash(* --force)", "--force", true)]
fn commands(#[case] text: &str, #[case] command: &str, #[case] expected: bool) {
    check(text, &bash(command), expected);
}

#[rstest]
#[case("Edit", "src/main.rs", true)]
#[case("Write", "src/main.rs", true)]
#[case("Read", "src/main.rs", false)]
#[case("Edit(src/**)", "src/main.rs", true)]
#[case("Edit(./src/**)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(src)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(src/)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(/src/**)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(//home/ada/api/src/**)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(/home/ada/api/**)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(~/api/**)", "/home/ada/api/src/a/b.rs", true)]
#[case("Edit(~/web/**)", "/home/ada/api/src/a/b.rs", false)]
#[case("Edit(//src/**)", "/home/ada/api/src/a/b.rs", false)]
#[case("Edit(src/**)", "/home/ada/api/docs/../src/b.rs", true)]
#[case("Edit(src/**)", "/home/ada/api//src/./b.rs", true)]
#[case("Edit(.env)", "deep/below/.env", true)]
#[case("Edit(.env)", "deep/below/.ENV", true)]
#[case("Edit(.env)", "deep/below/.env.example", false)]
#[case("Edit(.env*)", "deep/below/.env.example", true)]
#[case("Edit(*.rs)", "src/main.rs", true)]
#[case("Edit(docs/**)", "src/docs.rs", false)]
#[case("Edit(secrets\\**)", "C:\\work\\secrets\\key", true)]
// A folder that is searched.
#[case("Edit(secrets/**)", "secrets", true)]
#[case("Edit(secrets/**)", "/home/ada/api/secrets/", true)]
#[case("Edit(secrets/**)", "/home/ada/api/secrets.md", false)]
#[case("Edit(//home/ada/api/secrets/**)", "secrets", true)]
#[case("Edit(~/api/secrets/**)", "docs/../secrets", true)]
#[case("Edit(secrets/**)", ".", false)]
fn files(#[case] text: &str, #[case] path: &str, #[case] expected: bool) {
    check(text, &call(&["Write", "Edit"], CallArgument::Path(path.to_owned())), expected);
}

#[rstest]
#[case("WebFetch(domain:example.com)", "https://example.com/a", true)]
#[case("WebFetch(domain:example.com)", "https://api.example.com:8080/a", true)]
#[case("WebFetch(domain:example.com)", "http://EXAMPLE.com.", true)]
#[case("WebFetch(domain:example.com)", "https://good.org@example.com/a", true)]
#[case("WebFetch(domain:example.com)", "https://example.com@good.org/a", true)]
#[case("WebFetch(domain:example.com)", "https://notexample.com/a", false)]
#[case("WebFetch(domain:example.com)", "https://good.org/example.com", false)]
#[case("WebFetch(https://example.com/a*)", "https://example.com/abc", true)]
fn addresses(#[case] text: &str, #[case] url: &str, #[case] expected: bool) {
    check(text, &call(&["WebFetch"], CallArgument::Address(url.to_owned())), expected);
}

#[test]
fn a_tool_of_a_server_is_known_by_its_name_and_its_texts() {
    let of_server = call(&["mcp__tracker__close_issue"], CallArgument::Text("ASK-17".to_owned()));
    for text in ["mcp__tracker__*", "mcp__tracker__close_issue(ask-*)", "mcp__*(*)"] {
        check(text, &of_server, true);
    }
    for text in ["mcp__other__*", "mcp__tracker__close_issue(WEB-*)"] {
        check(text, &of_server, false);
    }
    check(
        "TodoWrite(x)",
        &PermissionCall { tools: vec!["TodoWrite".to_owned()], arguments: Vec::new() },
        false,
    );
}

#[test]
fn what_cannot_be_compared_matches() {
    check("mcp__tracker(ASK-17)", &call(&["mcp__tracker"], CallArgument::Uncompared), true);
    check("mcp__tracker(ASK-17)", &call(&["mcp__other"], CallArgument::Uncompared), false);
    check("Bash(rm *)", &bash(&"x ".repeat(40_000)), true);
    check("Bash(rm *)", &bash(&"x ".repeat(20_000)), false);
}

#[rstest]
#[case(None, true)]
#[case(Some("/home/ada"), true)]
#[case(Some("/home/ada/api"), true)]
#[case(Some("/home/ada/api/"), true)]
#[case(Some("/"), true)]
#[case(Some("/home/ada/ap"), false)]
#[case(Some("/home/ada/api/src"), false)]
fn a_rule_reaches_its_folder_and_those_below_it(#[case] folder: Option<&str>, #[case] expected: bool) {
    let rule = PermissionRule { folder: folder.map(str::to_owned), ..rule(RuleAction::Ask, "Bash") };
    assert_eq!(rule.matches(&bash("ls"), context()), expected);
}

#[rstest]
#[case("/home/ada/api", true)]
#[case("/home/ada/api/src", true)]
#[case("/home/ada/api.worktrees/fix", true)]
#[case("/home/ada/api/docs", false)]
#[case("/home/ada/web", false)]
fn case_100_a_rule_for_a_folder_reaches_its_worktrees(#[case] folder: &str, #[case] expected: bool) {
    let rule = PermissionRule { folder: Some(folder.to_owned()), ..rule(RuleAction::Deny, "Bash") };
    let context = RuleContext {
        folder: "/home/ada/api.worktrees/fix/src",
        origin: Some("/home/ada/api/src"),
        ..context()
    };
    assert_eq!(rule.matches(&bash("ls"), context), expected);
}

#[test]
fn a_rule_that_denies_goes_before_one_that_asks() {
    let texts =
        [(RuleAction::Ask, "Bash"), (RuleAction::Deny, "Bash(rm *)"), (RuleAction::Deny, "Bash(rm -rf *)")];
    let rules: PermissionRules = texts.map(|(action, text)| rule(action, text)).to_vec().try_into().unwrap();
    let found = |command: &str| rules.matching(&bash(command), context()).map(ToString::to_string);
    assert_eq!(found("rm -rf x").as_deref(), Some("Bash(rm *)"));
    assert_eq!(found("ls").as_deref(), Some("Bash"));
    assert_eq!(rules.matching(&PermissionCall::default(), context()), None);
}

#[rstest]
#[case(r#"[{"action":"deny","tool":"Bash","argument":"rm *","folder":"/home/ada/api"}]"#, None)]
#[case(r#"[{"action":"ask","tool":"mcp__*"}]"#, None)]
#[case("[]", None)]
#[case(r#""deny""#, Some(SettingError::NoRules))]
#[case(r#"["deny"]"#, Some(SettingError::NoRules))]
#[case(r#"[{"action":"allow","tool":"Bash"}]"#, Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::NoAction }))]
#[case(r#"[{"action":"deny"}]"#, Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::NoTool }))]
#[case(r#"[{"action":"deny","tool":"Bash(rm)"}]"#, Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::NoTool }))]
#[case(r#"[{"action":"deny","tool":"Bash","argument":" "}]"#, Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::Empty }))]
#[case(r#"[{"action":"deny","tool":"Bash","argument":"a\nb"}]"#,
    Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::ControlCharacter }))]
#[case(r#"[{"action":"deny","tool":"Bash","folder":"api"}]"#,
    Some(SettingError::Rule { n: 1, flaw: PermissionRuleError::RelativeFolder }))]
#[case(r#"[{"action":"deny","tool":"A"},{"action":"deny","tool":"Bash","arguments":"x"}]"#,
    Some(SettingError::Rule { n: 2, flaw: PermissionRuleError::UnknownKey { key: "arguments".to_owned() } }))]
fn rules_are_read_or_refused_as_a_whole(#[case] json: &str, #[case] expected: Option<SettingError>) {
    let read = PermissionRules::read(serde_json::from_str(json).unwrap());
    assert_eq!(read.clone().err(), expected);
    if let Ok(rules) = read {
        let written = serde_json::to_string(&rules).unwrap();
        assert_eq!(serde_json::from_str::<PermissionRules>(&written).unwrap(), rules);
    }
}

#[test]
fn the_number_and_the_length_of_rules_are_bounded() {
    let many = vec![rule(RuleAction::Deny, "Bash"); RULES + 1];
    assert_eq!(PermissionRules::try_from(many), Err(SettingError::TooMany { most: RULES, count: RULES + 1 }));
    let flaw = PermissionRuleError::TooLong { most: RULE_BYTES, bytes: RULE_BYTES + 1 };
    let long = vec![rule(RuleAction::Deny, &"x".repeat(RULE_BYTES + 1))];
    assert_eq!(PermissionRules::try_from(long), Err(SettingError::Rule { n: 1, flaw }));
}

/// Commands that no rule of the test names.
fn other_command() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ls", "cd build", "echo 'a b'", "cargo test -p x", "cat \"n.txt\"", ""])
        .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn a_command_never_slips_past_its_rule(
        words in prop::collection::vec("[a-z]{1,6}", 1..4),
        before in other_command(),
        joint in prop::sample::select(vec![" && ", "&&", " || ", ";", "; ", "\n", " | ", "|", " & ", "$(", "`", "\"$(", "(", "<("]),
        wrapper in prop::sample::select(vec!["", "sudo ", "env A=b ", "bash -c '", "/usr/bin/", "\\", "nohup ", "env -S\"", "su -c'", "sudo /bin/", "x=["]),
        after in prop::sample::select(vec!["", " --force", " x && y", ";", ")", "'", " > out", "\n"]),
        quote in any::<bool>(),
    ) {
        let pattern = words.join(" ");
        let mut written = words.clone();
        if quote {
            written[0] = format!("\"{}\"", words[0]);
        }
        let command = format!("{before}{joint}{wrapper}{}{after}", written.join("  "));
        for text in [format!("Bash({pattern})"), format!("Bash({pattern} *)"), format!("Bash({pattern}:*)")] {
            prop_assert!(rule(RuleAction::Deny, &text).matches(&bash(&command), context()), "{} {:?}", text, command);
        }
    }

    #[test]
    fn any_rule_and_any_call_can_be_compared(pattern in "\\PC{0,40}", text in "\\PC{0,200}") {
        let rule = PermissionRule {
            action: RuleAction::Deny, tool: "*".to_owned(), argument: Some(pattern), folder: None,
        };
        for argument in [
            CallArgument::Command(text.clone()), CallArgument::Path(text.clone()),
            CallArgument::Address(text.clone()), CallArgument::Text(text),
        ] {
            rule.matches(&call(&["Bash"], argument), context());
        }
    }
}
