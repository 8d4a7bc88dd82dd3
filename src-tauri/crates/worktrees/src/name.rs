//! Names of branches and folders: which are valid, and which to suggest. Pure.

use std::path::{Path, PathBuf};

use askdesk_user_environment::Os;

/// The longest name of a branch, in bytes. Git keeps it as a file name with a suffix.
pub const BRANCH_BYTES: usize = 200;
/// The longest suggested name, in characters, without its prefix.
const SLUG_CHARS: usize = 40;
/// The longest suggested folder name, in characters.
const FOLDER_CHARS: usize = 80;
/// What suggested branches begin with.
const PREFIX: &str = "askdesk";
/// The suggestion where a message has no word.
const NO_WORDS: &str = "session";
/// The suffix of the folder that holds the worktrees of a repository.
const WORKTREES: &str = ".worktrees";
/// How many numbers are tried to make a name unique.
const TRIES: u32 = 1_000;

/// Returns whether git accepts this as the name of a new branch (`git check-ref-format --branch`), and we do.
pub(crate) fn is_branch_name(name: &str) -> bool {
    is_branch_name_on(Os::CURRENT, name)
}

fn is_branch_name_on(os: Os, name: &str) -> bool {
    // Git keeps a branch as a file.
    let is_file = |part: &str| os != Os::Windows || is_file_name_of_windows(part);
    let part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock") && is_file(part);
    let forbidden = |char: char| char.is_ascii_control() || " ~^:?*[\\".contains(char);
    name.split('/').all(part)
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.contains(forbidden)
        // A name that nobody can read is not one of a user.
        && !name.contains(char::is_control)
        && !["@", "HEAD"].contains(&name)
}

/// Returns whether Windows takes this as the name of a file: some names are devices, with any extension.
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
pub(crate) fn is_file_name_of_windows(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_numbered = |device: &str| {
        let number = stem.strip_prefix(device).unwrap_or_default();
        number.chars().count() == 1
            && number.contains(|char: char| char.is_ascii_digit() || "¹²³".contains(char))
    };
    let is_device =
        ["con", "prn", "aux", "nul"].contains(&stem.as_str()) || is_numbered("com") || is_numbered("lpt");
    !is_device && !name.contains(|char: char| "<>:\"|?*".contains(char)) && !name.ends_with(['.', ' '])
}

/// Returns the branch that stops another one from being made: the same one, or one of them is a folder of the other.
pub(crate) fn conflicting<'a>(name: &str, taken: &'a [String]) -> Option<&'a String> {
    let below =
        |name: &str, folder: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    // Some file systems don't tell upper from lower case.
    let lower = name.to_lowercase();
    taken.iter().find(|one| {
        let one = one.to_lowercase();
        one == lower || below(&one, &lower) || below(&lower, &one)
    })
}

/// Suggests a branch from the first message of a session. Letters of every script stay.
pub fn branch_of_message(message: &str) -> String {
    slug(message, PREFIX, '/')
}

fn slug(message: &str, prefix: &str, between: char) -> String {
    let line = message.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    let words = line.split(|char: char| !char.is_alphanumeric() && char != '\'' && char != '’');
    let words = words.map(|word| word.replace(['\'', '’'], "").to_lowercase());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let more = word.chars().count() + usize::from(!slug.is_empty());
        if slug.chars().count() + more > SLUG_CHARS {
            if slug.is_empty() {
                slug = word.chars().take(SLUG_CHARS).collect();
            }
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    let slug = match slug.as_str() {
        "" => NO_WORDS.to_owned(),
        device if !is_file_name_of_windows(device) => format!("{device}-{NO_WORDS}"),
        _ => slug,
    };
    format!("{prefix}{between}{slug}")
}

/// Suggests a branch that can be made beside the others.
pub(crate) fn free_branch(message: &str, taken: &[String], is_free: impl Fn(&str) -> bool) -> String {
    // A branch with the name of the prefix leaves no room below it.
    let between = if taken.iter().any(|branch| branch.to_lowercase() == PREFIX) { '-' } else { '/' };
    let first = slug(message, PREFIX, between);
    numbered(&first, |name| conflicting(name, taken).is_none() && is_free(name))
}

/// Adds the first number with which a name is free; the name itself if none is.
pub(crate) fn numbered(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let others = (2..TRIES).map(|n| format!("{name}-{n}"));
    let found = std::iter::once(name.to_owned()).chain(others).find(|name| is_free(name));
    found.unwrap_or_else(|| name.to_owned())
}

/// Suggests the folder of a branch's worktree: beside the repository, so that it is no file of it.
pub(crate) fn folder_of_branch(home: &Path, branch: &str) -> PathBuf {
    let name = home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(&name);
    home.with_file_name(format!("{name}{WORKTREES}")).join(folder_name(branch))
}

/// A file name for a branch: what could mean something to a shell or a file system becomes a dash.
fn folder_name(branch: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "._-+".contains(char);
    let name: String = branch.chars().map(|char| if plain(char) { char } else { '-' }).collect();
    let name: String = name.trim_start_matches(['-', '.']).chars().take(FOLDER_CHARS).collect();
    let name = name.trim_end_matches(['-', '.']);
    match name {
        "" => "worktree".to_owned(),
        // A repository may be moved to a computer with Windows.
        device if !is_file_name_of_windows(device) => format!("worktree-{device}"),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(
        "Add rate limiting to the public endpoints: 60 requests a minute",
        "askdesk/add-rate-limiting-to-the-public"
    )]
    #[case("\n\n  Fix it!\nAnd more", "askdesk/fix-it")]
    #[case("Don’t touch `src/main.rs`", "askdesk/dont-touch-src-main-rs")]
    #[case("Größere Pfade prüfen", "askdesk/größere-pfade-prüfen")]
    #[case("修复登录问题", "askdesk/修复登录问题")]
    #[case("../../etc -rf $(reboot) \"x\"", "askdesk/etc-rf-reboot-x")]
    #[case("--force", "askdesk/force")]
    #[case("", "askdesk/session")]
    #[case("?!", "askdesk/session")]
    #[case("AUX", "askdesk/aux-session")]
    #[case(
        "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
        "askdesk/donaudampfschifffahrtsgesellschaftskapit"
    )]
    fn a_branch_is_suggested_from_the_message(#[case] message: &str, #[case] branch: &str) {
        assert_eq!(branch_of_message(message), branch);
    }

    #[rstest]
    #[case("askdesk/x", true)]
    #[case("a\"b$(x)'", true)]
    #[case("größe", true)]
    #[case("", false)]
    #[case("-x", false)]
    #[case("a b", false)]
    #[case("a\nb", false)]
    #[case("a..b", false)]
    #[case("a//b", false)]
    #[case("/a", false)]
    #[case("a/", false)]
    #[case(".a", false)]
    #[case("a/.b", false)]
    #[case("a.lock", false)]
    #[case("a.lock/b", false)]
    #[case("a.", false)]
    #[case("a@{1}", false)]
    #[case("@", false)]
    #[case("HEAD", false)]
    #[case("a\\b", false)]
    #[case("a~1", false)]
    #[case("a\u{85}b", false)]
    fn names_follow_the_rules_of_git(#[case] name: &str, #[case] valid: bool) {
        assert_eq!(is_branch_name_on(Os::Linux, name), valid);
    }

    #[rstest]
    #[case("con", false)]
    #[case("feature/AUX", false)]
    #[case("a/com1.x", false)]
    #[case("lpt²", false)]
    #[case("a\"b", false)]
    #[case("a|b", false)]
    #[case("console", true)]
    #[case("com10", true)]
    #[case("com", true)]
    #[case("feature/größe", true)]
    fn case_153_a_branch_on_windows_is_a_file_name_there(#[case] name: &str, #[case] valid: bool) {
        assert_eq!(is_branch_name_on(Os::Windows, name), valid);
        assert!(is_branch_name_on(Os::Linux, name));
    }

    #[rstest]
    #[case("a", &["b"], None)]
    #[case("a", &["a"], Some("a"))]
    #[case("A", &["a"], Some("a"))]
    #[case("a", &["a/b"], Some("a/b"))]
    #[case("a/b/c", &["a/b"], Some("a/b"))]
    #[case("ab", &["a"], None)]
    fn a_branch_conflicts_with_its_folders(
        #[case] name: &str,
        #[case] taken: &[&str],
        #[case] conflict: Option<&str>,
    ) {
        let taken = taken.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(conflicting(name, &taken).map(String::as_str), conflict);
    }

    #[test]
    fn a_suggestion_is_free_also_beside_a_branch_named_like_the_prefix() {
        let taken = ["askdesk/fix-it", "askdesk/fix-it-2"].map(str::to_owned);
        assert_eq!(free_branch("fix it", &taken, |_| true), "askdesk/fix-it-3");
        assert_eq!(free_branch("fix it", &["Askdesk".to_owned()], |_| true), "askdesk-fix-it");
        assert_eq!(free_branch("fix it", &[], |name| name != "askdesk/fix-it"), "askdesk/fix-it-2");
    }

    #[rstest]
    #[case("/code/api", "askdesk/fix", "/code/api.worktrees/askdesk-fix")]
    #[case("/srv/api.git", "x", "/srv/api.worktrees/x")]
    #[case("/code/api", "a\"b$(x)'", "/code/api.worktrees/a-b--x")]
    #[case("/code/api", "Nul", "/code/api.worktrees/worktree-Nul")]
    #[case("/code/api", "com1.x", "/code/api.worktrees/worktree-com1.x")]
    fn a_folder_is_suggested_beside_the_repository(
        #[case] home: &str,
        #[case] branch: &str,
        #[case] folder: &str,
    ) {
        assert_eq!(folder_of_branch(Path::new(home), branch), Path::new(folder));
    }

    proptest! {
        #[test]
        fn every_suggestion_is_a_valid_name_and_a_plain_folder(message in "\\PC*|[\\x00-\\x7f]{0,60}") {
            let branch = branch_of_message(&message);
            for os in [Os::Linux, Os::Windows] {
                prop_assert!(is_branch_name_on(os, &branch), "{branch:?}");
            }
            prop_assert!(branch.len() <= BRANCH_BYTES);
            let folder = folder_of_branch(Path::new("/code/api"), &branch);
            prop_assert_eq!(folder.parent(), Some(Path::new("/code/api.worktrees")));
        }
    }
}
