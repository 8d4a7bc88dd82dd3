//! The last result, kept for the next start.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::origin::Origin;
use crate::persist::persist;
use crate::variables::Changes;

/// The file in the data folder. It may contain secrets that startup files set, and only the user can read it.
pub const KEPT_FILE: &str = "environment.json";

/// Variables that name something which ends: a socket, a display, a terminal, a folder of one shell, or a login.
const LIVE: [&str; 14] = [
    "AWS_CREDENTIAL_EXPIRATION",
    "CLOUDSDK_AUTH_ACCESS_TOKEN",
    "CODEARTIFACT_AUTH_TOKEN",
    "DISPLAY",
    "FNM_MULTISHELL_PATH",
    "GNOME_KEYRING_CONTROL",
    "GOOGLE_OAUTH_ACCESS_TOKEN",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "KRB5CCNAME",
    "SESSION_MANAGER",
    "WAYLAND_DISPLAY",
    "WINDOWID",
    "XAUTHORITY",
];
/// How the names of others end.
const LIVE_ENDS: [&str; 8] = [
    "_AGENT_INFO",
    "_AGENT_PID",
    "_BUS_ADDRESS",
    "_SECURITY_TOKEN",
    "_SESSION_TOKEN",
    "_SOCK",
    "_SOCKET",
    "_TTY",
];
/// These end with the token beside them.
const OF_AWS_SESSION: [&str; 2] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/// Takes out what names something that may be gone at the next start, and returns whether there was any.
fn take_out_live(set: &mut BTreeMap<String, String>) -> bool {
    let before = set.len();
    let has_aws_session = set.contains_key("AWS_SESSION_TOKEN");
    set.retain(|name, _| {
        let is_live = LIVE.contains(&name.as_str()) || LIVE_ENDS.iter().any(|end| name.ends_with(end));
        !(is_live || has_aws_session && OF_AWS_SESSION.contains(&name.as_str()))
    });
    set.len() < before
}

/// Only what the shell changed is kept: the rest is new with each login. A variable that is no Unicode is left out.
#[derive(Serialize, Deserialize)]
struct Written {
    origin: Origin,
    set: BTreeMap<String, String>,
    removed: Vec<String>,
    #[serde(default)]
    lacks_live: bool,
}

/// What the last start has kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEnvironment {
    pub origin: Origin,
    pub changes: Changes,
    /// Whether the shell set something that names a live thing, which isn't kept.
    pub lacks_live: bool,
}

/// Keeps what was read for the next start.
pub fn keep(folder: &Path, origin: &Origin, changes: &Changes) -> io::Result<()> {
    let text = |text: &std::ffi::OsString| text.to_str().map(str::to_owned);
    let mut set = changes.set.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let lacks_live = take_out_live(&mut set);
    let removed = changes.removed.iter().filter_map(text).collect();
    let kept = serde_json::to_vec_pretty(&Written { origin: origin.clone(), set, removed, lacks_live })?;
    // Such a file can be read by its owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&kept)?;
    persist(file, &folder.join(KEPT_FILE))
}

/// Returns what the last start has kept. A file that can't be read counts as none: the shell is asked again.
pub fn kept(folder: &Path) -> Option<KeptEnvironment> {
    let Written { origin, mut set, removed, lacks_live } =
        serde_json::from_slice(&fs::read(folder.join(KEPT_FILE)).ok()?).ok()?;
    // Earlier versions kept everything.
    let lacks_live = take_out_live(&mut set) || lacks_live;
    let set = set.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let changes = Changes { set, removed: removed.into_iter().map(Into::into).collect() };
    Some(KeptEnvironment { origin, changes, lacks_live })
}

#[cfg(test)]
mod tests {
    use super::*;
    use askdesk_contract::Way;

    #[test]
    fn what_is_kept_is_found_again_by_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(kept(folder.path()).is_none());
        let shell = Some("/bin/zsh".into());
        let origin = Origin { way: Way::Login, shell, failed: Vec::new(), read_at: 5 };
        let changes =
            Changes { set: [("API_KEY".into(), "a\n\"b\"".into())].into(), removed: ["GONE".into()].into() };
        keep(folder.path(), &origin, &changes).unwrap();
        assert_eq!(kept(folder.path()), Some(KeptEnvironment { origin, changes, lacks_live: false }));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join(KEPT_FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(folder.path().join(KEPT_FILE), "{").unwrap();
        assert!(kept(folder.path()).is_none());
    }

    #[test]
    fn case_142_what_names_a_live_thing_is_neither_kept_nor_taken_from_an_earlier_version() {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin { way: Way::Login, shell: None, failed: Vec::new(), read_at: 5 };
        let lasting =
            [("ANTHROPIC_AUTH_TOKEN", "t"), ("AWS_PROFILE", "p"), ("PATH", "/bin"), ("EDITOR", "vi")];
        let live = [
            ("SSH_AUTH_SOCK", "/tmp/ssh-1/agent.1"),
            ("SSH_AGENT_PID", "1"),
            ("GPG_AGENT_INFO", "/run/gpg:1:1"),
            ("GPG_TTY", "/dev/pts/1"),
            ("DISPLAY", ":7"),
            ("WAYLAND_DISPLAY", "wayland-7"),
            ("XAUTHORITY", "/run/x"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/7"),
            ("AWS_ACCESS_KEY_ID", "i"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("AWS_SESSION_TOKEN", "t"),
            ("FNM_MULTISHELL_PATH", "/run/fnm/1"),
        ];
        let changes = |pairs: &[(&str, &str)]| Changes {
            set: pairs.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            removed: [].into(),
        };
        let expected =
            KeptEnvironment { origin: origin.clone(), changes: changes(&lasting), lacks_live: true };
        keep(folder.path(), &origin, &changes(&[&lasting[..], &live].concat())).unwrap();
        let written = fs::read_to_string(folder.path().join(KEPT_FILE)).unwrap();
        assert!(!written.contains("SSH_AUTH_SOCK"), "{written}");
        assert_eq!(kept(folder.path()), Some(expected.clone()));

        let old = written
            .replace("true", "false")
            .replace("\"EDITOR\"", "\"SSH_AUTH_SOCK\": \"/tmp/gone\", \"EDITOR\"");
        fs::write(folder.path().join(KEPT_FILE), old).unwrap();
        assert_eq!(kept(folder.path()), Some(expected));

        // Keys without an end stay.
        let keys = changes(&live[8..10]);
        keep(folder.path(), &origin, &keys).unwrap();
        assert_eq!(kept(folder.path()), Some(KeptEnvironment { origin, changes: keys, lacks_live: false }));
    }
}
