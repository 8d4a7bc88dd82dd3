use crate::desk::{Scene, exit, out};

#[test]
fn completions_know_the_commands_and_the_clients() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = scene.run(&["completions", shell]);
        assert_eq!(exit(&output), 0);
        for word in ["disconnect", "doctor"] {
            assert!(out(&output).contains(word), "{shell}: {word}");
        }
        // The others complete no values of what has no flag.
        assert_eq!(out(&output).contains("copilot-cli"), matches!(shell, "bash" | "zsh"), "{shell}");
    }
}

#[test]
fn there_is_a_page_for_every_command() {
    let scene = Scene::new();
    let page = scene.run(&["man"]);
    assert!(out(&page).contains(".TH askdesk 1") && out(&page).contains("Exit codes"), "{}", out(&page));
    let folder = scene.path("man");
    assert_eq!(exit(&scene.run(&["man", "--folder", folder.to_str().unwrap()])), 0);
    for command in ["ask", "list", "answer", "hook", "mcp", "connect", "disconnect", "doctor", "token-rotate"]
    {
        assert!(folder.join(format!("askdesk-{command}.1")).is_file(), "{command}");
    }
}

#[test]
fn help_has_examples() {
    let scene = Scene::new();
    for line in [
        &["--help"][..],
        &["ask", "--help"],
        &["mcp", "--help"],
        &["connect", "--help"],
        &["answer", "--help"],
    ] {
        let output = scene.run(line);
        assert_eq!(exit(&output), 0);
        assert!(out(&output).contains("Examples:"), "{line:?}");
    }
}
