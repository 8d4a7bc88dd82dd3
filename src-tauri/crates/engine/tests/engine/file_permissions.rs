//! Case 78: only the owner can read the data folder, whatever the umask is.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use askdesk_domain::{Setting, Theme, Timestamp};
use askdesk_engine::clock::{Clock, SystemClock};
use askdesk_engine::{Catalog, EngineHandle, SettingsFile};

use crate::support::own_process::{handed_folder, run_alone};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nan image";

/// Lists everything in a folder that has a wrong mode.
fn wrong(folder: &Path, found: &mut BTreeMap<String, String>) -> usize {
    let about = fs::symlink_metadata(folder).unwrap();
    let expected = if about.is_dir() { 0o700 } else { 0o600 };
    let mode = about.permissions().mode() & 0o777;
    if mode != expected {
        found.insert(folder.display().to_string(), format!("{mode:o}"));
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    1 + entries.map(|entry| wrong(&entry.path(), found)).sum::<usize>()
}

/// Creates all files of the engine, and leaves the database open.
fn fill(folder: &Path) -> EngineHandle {
    let settings = SettingsFile::open(folder, Catalog::default());
    let handle = EngineHandle::open(folder, Arc::new(SystemClock), Catalog::default()).unwrap();
    settings.change(&Setting::Theme(Theme::Dark), Timestamp::from_millis(1)).unwrap();
    handle.images().keep(SystemClock.session_id(), "one.png", PNG).unwrap();
    handle
}

#[test]
fn case_78_only_the_owner_can_read_the_data_folder_under_any_umask() {
    if let Some(folder) = handed_folder() {
        // Never closed: closing it would remove the write-ahead log.
        std::mem::forget(fill(&folder));
        let mut found = BTreeMap::new();
        let looked_at = wrong(&folder, &mut found);
        assert_eq!(found, BTreeMap::new());
        assert!(looked_at >= 9, "{looked_at}");
        return;
    }
    for umask in ["000", "022", "027", "077", "777"] {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("share/desk");
        let run = |what: &str| {
            let test = "case_78_only_the_owner_can_read_the_data_folder_under_any_umask";
            let output = run_alone(umask, module_path!(), test, &folder).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{what}, with umask {umask}: {said}");
        };
        run("a new folder");
        for name in ["", "desk.db", "desk.lock", "settings.toml", "images"] {
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o777)).unwrap();
        }
        for name in ["desk.db", "settings.toml", "desk.lock"] {
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o644)).unwrap();
        }
        // The engine does not open these files.
        fs::create_dir(folder.join("demo")).unwrap();
        for name in ["demo/session", "desk.db.damaged-1"] {
            fs::write(folder.join(name), "x").unwrap();
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o666)).unwrap();
        }
        fs::set_permissions(folder.join("demo"), fs::Permissions::from_mode(0o755)).unwrap();
        // The damaged database is quarantined.
        fs::write(folder.join("desk.db"), "no database").unwrap();
        for log in ["desk.db-wal", "desk.db-shm"] {
            // The child's writer may have closed the database and removed them.
            if let Err(error) = fs::remove_file(folder.join(log)) {
                assert_eq!(error.kind(), ErrorKind::NotFound, "{log}");
            }
        }
        run("a folder that others could read");
        let quarantined = fs::read_dir(&folder)
            .unwrap()
            .flatten()
            .filter(|it| it.file_name().to_string_lossy().contains(".damaged-"))
            .count()
            > 1;
        assert!(quarantined, "the damaged database was quarantined");
    }
}
