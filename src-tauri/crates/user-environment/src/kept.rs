//! The last result, kept for the next start.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::origin::Origin;
use crate::variables::Changes;

/// The file in the data folder. It may contain secrets that startup files set, and only the user can read it.
pub const KEPT_FILE: &str = "environment.json";

/// Only what the shell changed is kept: the rest is new with each login. A variable that is no Unicode is left out.
#[derive(Serialize, Deserialize)]
struct Kept {
    origin: Origin,
    set: BTreeMap<String, String>,
    removed: Vec<String>,
}

/// Keeps what was read for the next start.
pub fn keep(folder: &Path, origin: &Origin, changes: &Changes) -> io::Result<()> {
    let text = |text: &std::ffi::OsString| text.to_str().map(str::to_owned);
    let set = changes.set.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let removed = changes.removed.iter().filter_map(text).collect();
    let kept = serde_json::to_vec_pretty(&Kept { origin: origin.clone(), set, removed })?;
    // Such a file can be read by its owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&kept)?;
    file.persist(folder.join(KEPT_FILE))?;
    Ok(())
}

/// Returns what the last start has kept. A file that can't be read counts as none: the shell is asked again.
pub fn kept(folder: &Path) -> Option<(Origin, Changes)> {
    let Kept { origin, set, removed } =
        serde_json::from_slice(&fs::read(folder.join(KEPT_FILE)).ok()?).ok()?;
    let set = set.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    Some((origin, Changes { set, removed: removed.into_iter().map(Into::into).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Way;

    #[test]
    fn what_is_kept_is_found_again_by_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(kept(folder.path()).is_none());
        let shell = Some("/bin/zsh".into());
        let origin = Origin { way: Way::Login, shell, failed: Vec::new(), read_at: 5 };
        let changes =
            Changes { set: [("API_KEY".into(), "a\n\"b\"".into())].into(), removed: ["GONE".into()].into() };
        keep(folder.path(), &origin, &changes).unwrap();
        assert_eq!(kept(folder.path()), Some((origin, changes)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join(KEPT_FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(folder.path().join(KEPT_FILE), "{").unwrap();
        assert!(kept(folder.path()).is_none());
    }
}
