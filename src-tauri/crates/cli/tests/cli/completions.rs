use crate::fake_app::{FakeApp, exit, out, succeeded};

#[test]
fn completions_contain_commands_and_clients() {
    let app = FakeApp::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = app.run(&["completions", shell]);
        assert_eq!(exit(&output), 0);
        for word in ["disconnect", "doctor"] {
            assert!(out(&output).contains(word), "{shell}: {word}");
        }
        // Other shells don't complete values of positional arguments.
        assert_eq!(out(&output).contains("copilot-cli"), matches!(shell, "bash" | "zsh"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let app = FakeApp::new();
    let page = app.run(&["man"]);
    assert!(out(&page).contains(".TH askdesk 1") && out(&page).contains("Exit codes"), "{}", out(&page));
    let folder = app.path("man");
    succeeded(app.run(&["man", "--folder", folder.to_str().unwrap()]));
    for command in ["ask", "list", "answer", "hook", "mcp", "connect", "disconnect", "doctor", "token-rotate"]
    {
        assert!(folder.join(format!("askdesk-{command}.1")).is_file(), "{command}");
    }
}

#[test]
fn help_has_examples() {
    let app = FakeApp::new();
    for line in [
        &["--help"][..],
        &["ask", "--help"],
        &["mcp", "--help"],
        &["connect", "--help"],
        &["answer", "--help"],
    ] {
        let output = app.run(line);
        assert_eq!(exit(&output), 0);
        assert!(out(&output).contains("Examples:"), "{line:?}");
    }
}
