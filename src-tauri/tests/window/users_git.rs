//! What the window says where the user's git has a say: its ignore list, its trusted folders, its hooks, and its large files.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::changes::{fake_claude, start};
use crate::harness::App;

const MIB: u64 = 1024 * 1024;
/// The user id of nobody.
const OTHER: &str = "65534";

fn git(app: &App, folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"];
    let mut git = Command::new("git");
    git.args(who).args(arguments).current_dir(folder).env("HOME", app.home()).env_remove("XDG_CONFIG_HOME");
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with one commit of these files.
fn repository(app: &App, folder: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(folder).unwrap();
    git(app, folder, &["init", "-q", "-b", "main"]);
    files.iter().for_each(|(path, text)| write(folder, path, text));
    git(app, folder, &["add", "-A"]);
    git(app, folder, &["commit", "-q", "-m", "first"]);
}

fn ready() -> Value {
    json!([[{ "say": { "text": "Ready." } }]])
}

async fn show_changes(app: &App, session: &str) {
    app.invoke("list_changes", json!({ "session": session })).await.unwrap();
    // Its row moved when it became idle, maybe under the click of the start. The changes may be those of an earlier session.
    app.select(session).await;
    app.gone("[data-changes]").await;
    let chip = app.find("[data-changes-chip]").await;
    app.press(&chip).await;
    app.find(&format!("[data-changes='{session}'] [role=treeitem]")).await;
}

#[tokio::test]
async fn case_117_changes_follow_the_ignore_list_and_name_what_is_not_recorded() {
    let app = App::open().await;
    fs::write(app.home().join("ignored"), ".idea/\n").unwrap();
    fs::write(app.home().join(".gitconfig"), "[core]\nexcludesFile = ~/ignored\n").unwrap();
    let project = tempfile::tempdir().unwrap();
    let (shop, library) = (project.path().join("shop"), project.path().join("library"));
    repository(&app, &library, &[("old.txt", "one\n")]);
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n", "a".repeat(64));
    let files = [("notes.md", "one\n"), (".gitattributes", "*.psd filter=lfs\n"), ("logo.psd", &pointer)];
    repository(&app, &shop, &files);
    git(&app, &shop, &["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor"]);
    git(&app, &shop, &["commit", "-q", "-m", "with a submodule"]);
    write(&shop, "logo.psd", &"fetched ".repeat(10_000));
    for number in 0..330 {
        let path = format!("data/{number:03}.bin");
        write(&shop, &path, &path);
        File::options().write(true).open(shop.join(path)).unwrap().set_len(15 * MIB).unwrap();
    }
    let session = start(&app, &shop, ready()).await;
    app.in_state(&session, "idle").await;
    // Waits until all is recorded.
    app.invoke("list_changes", json!({ "session": session })).await.unwrap();

    write(&shop, "notes.md", "one\ntwo\n");
    write(&shop, ".idea/w.xml", "<w/>\n");
    write(&shop, "vendor/old.txt", "another\n");
    show_changes(&app, &session).await;
    app.by_role_in("[data-changes]", "treeitem", "notes.md").await;
    app.by_role_in("[data-changes]", "treeitem", "old.txt").await;
    assert_eq!(app.count("[data-changes] [role=treeitem]").await, 3, "two files and a folder");
    app.shows_text("[data-changes]", "296 files aren’t recorded: all together").await;
    app.shows_text("[data-changes]", "1 file of Git LFS isn’t recorded").await;
    app.shows_text("[data-changes]", "1 file of repositories inside the folder isn’t recorded").await;
    let lfs = app.find("[data-changes] details:nth-of-type(2) summary").await;
    app.press(&lfs).await;
    app.shows_text("[data-changes] details[open]", "logo.psd").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert_eq!(app.cut("[data-changes] details").await, Vec::<String>::new());
    app.click("treeitem", "old.txt").await;
    app.shows_text("[data-changes]", "belongs to another repository inside the folder").await;
}

#[tokio::test]
async fn case_117_a_repository_of_another_user_is_named_with_the_command_that_allows_it() {
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    let shop = project.path().canonicalize().unwrap().join("shop");
    repository(&app, &shop, &[("notes.md", "one\n")]);
    let given = Command::new("chown").args(["-R", OTHER]).arg(&shop).status().unwrap();
    assert!(given.success(), "only root can give a folder to somebody else");
    let command = format!("git config --global --add safe.directory {}", shop.display());

    app.unfold_start_form().await;
    let field = app.by_role("textbox", "Folder").await;
    field.clear().await.unwrap();
    field.send_keys(&shop.display().to_string()).await.unwrap();
    app.shows_text("[data-worktree]", "belongs to another user").await;
    app.shows_text("[data-worktree]", &command).await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    let session = start(&app, &shop, ready()).await;
    app.in_state(&session, "idle").await;
    write(&shop, "notes.md", "one\ntwo\n");
    show_changes(&app, &session).await;
    app.shows_text("[data-changes]", &command).await;
    app.shows_text("[data-changes]", "was recorded without its repository").await;

    git(&app, project.path(), &["config", "--global", "--add", "safe.directory", shop.to_str().unwrap()]);
    let session = start(&app, &shop, ready()).await;
    app.in_state(&session, "idle").await;
    write(&shop, "notes.md", "one\ntwo\nthree\n");
    show_changes(&app, &session).await;
    assert!(!app.find("[data-changes]").await.text().await.unwrap().contains("another user"));
    let plan = json!({ "folder": shop, "message": "Add limits" });
    assert_eq!(app.invoke("plan_worktree", plan).await.unwrap()["plan"]["base"], "main");
}

#[tokio::test]
async fn case_117_a_failing_hook_keeps_the_worktree_and_its_words_are_in_the_transcript() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    let shop = project.path().canonicalize().unwrap().join("shop");
    repository(&app, &shop, &[("notes.md", "one\n")]);
    write(&shop, ".git/hooks/post-checkout", "#!/bin/sh\necho 'node: not found' >&2\nexit 127\n");
    fs::set_permissions(shop.join(".git/hooks/post-checkout"), fs::Permissions::from_mode(0o755)).unwrap();
    let tree = project.path().join("tree");
    let worktree = json!({ "base": "main", "branch": "askdesk/x", "path": tree, "setup": "" });
    let program = fake_claude(&app, ready());
    let input = json!({ "agent": "claude_code", "folder": shop, "options": { "program": program },
        "prompt": "Please begin.", "worktree": worktree });
    let session = app.start_session(input).await;
    app.select(&session).await;
    app.shows_text("[data-notice=hook_failed]", "node: not found").await;
    app.shows_text("[data-notice=hook_failed]", "The worktree was kept").await;
    assert_eq!(fs::read_to_string(tree.join("notes.md")).unwrap(), "one\n");
}
