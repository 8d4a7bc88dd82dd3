//! The programs of this crate. Cargo builds them beside the tests of a workspace because this test needs one.

use std::process::Command;

#[test]
fn version_help_and_the_list_are_printed() {
    let print = |flag: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fake-agent")).arg(flag).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(print("--version").ends_with(" (Askdesk fake agent)\n"));
    assert!(print("--help").contains("--scenario"));
    assert!(print("--list-scenarios").lines().any(|line| line.starts_with("technology ")));
}
