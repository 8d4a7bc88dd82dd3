//! What the environment of this process has that no other program should get.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::variables::Variables;

/// Variables of Askdesk's own. `ASKDESK_DATA_DIR` is not among them: what asks from inside a session must find this Askdesk.
const OWN: [&str; 7] = [
    "ASKDESK_AGENT_TREE",
    "ASKDESK_DIE_AT",
    "ASKDESK_LOG",
    "ASKDESK_SESSION",
    "ASKDESK_SHELL_ENVIRONMENT",
    "ASKDESK_TRACE",
    "WEBKIT_DISABLE_DMABUF_RENDERER",
];
/// Variables that the start script of an AppImage sets for what is inside it.
const OF_IMAGE: [&str; 10] = [
    "APPDIR",
    "APPDIR_EXEC_PATH",
    "APPIMAGE",
    "APPIMAGE_UUID",
    "ARGV0",
    "GDK_BACKEND",
    "GTK_THEME",
    "OWD",
    "PYTHONDONTWRITEBYTECODE",
    "TARGET_APPIMAGE",
];
/// Variables that cargo sets for a program that it runs. What users set themselves, `CARGO_HOME` for example, is not among
/// them.
const OF_CARGO: [&str; 9] = [
    "CARGO",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "CARGO_TARGET_TMPDIR",
    "OUT_DIR",
    "RUST_RECURSION_COUNT",
];
/// How the names of the others begin.
const OF_CARGO_PREFIXES: [&[u8]; 2] = [b"CARGO_PKG_", b"CARGO_BIN_EXE_"];
/// Variables that npm sets for the scripts that it runs, beside those that begin with `npm_`. What users set themselves,
/// `NPM_CONFIG_PREFIX` for example, is written in capitals.
const OF_NPM: [&str; 2] = ["INIT_CWD", "NODE"];

/// What started the app, as far as its variables tell.
struct StartedBy {
    /// The folder in which an AppImage is mounted.
    image: Option<PathBuf>,
    cargo: bool,
    npm: bool,
}

/// Takes out of an environment what was set for Askdesk alone: by itself, its AppImage, cargo, or npm. `own_folder` is the
/// folder of Askdesk's program.
pub fn for_children(variables: &Variables, own_folder: Option<&Path>) -> Variables {
    let started_by = StartedBy {
        image: variables.get("APPDIR").map(PathBuf::from),
        cargo: variables.get("CARGO").is_some() && variables.get("CARGO_MANIFEST_DIR").is_some(),
        npm: variables.get("npm_lifecycle_event").is_some() || variables.get("npm_command").is_some(),
    };
    let own_folder = own_folder.filter(|_| started_by.cargo);
    let kept = variables.iter().filter(|(name, _)| !started_by.has_set(name));
    kept.filter_map(|(name, value)| {
        Some((name.to_owned(), started_by.without_folders(name, value, own_folder)?))
    })
    .collect()
}

impl StartedBy {
    fn has_set(&self, name: &OsStr) -> bool {
        let is_one_of = |names: &[&str]| names.iter().any(|known| name == *known);
        let bytes = name.as_encoded_bytes();
        let of_cargo = || {
            // The programs in front of a toolchain's set this one.
            is_one_of(&OF_CARGO)
                || name == "RUSTUP_TOOLCHAIN"
                || OF_CARGO_PREFIXES.iter().any(|prefix| bytes.starts_with(prefix))
        };
        is_one_of(&OWN)
            || bytes.starts_with(b"npm_")
            || (self.image.is_some() && is_one_of(&OF_IMAGE))
            || (self.cargo && of_cargo())
            || (self.npm && is_one_of(&OF_NPM))
    }

    /// Drops the folders of whatever started the app from a list of folders. Returns `None` if nothing is left.
    fn without_folders(&self, name: &OsStr, value: &OsStr, own_folder: Option<&Path>) -> Option<OsString> {
        let libraries = ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"].iter().any(|known| name == *known);
        let mut is_first_of_npm = self.npm && name == "PATH";
        let goes = |folder: &Path| {
            let of_image = self.image.as_ref().is_some_and(|image| folder.starts_with(image));
            let of_cargo = self.cargo
                && libraries
                && (own_folder.is_some_and(|own| folder.starts_with(own)) || is_in_toolchain(folder));
            is_first_of_npm &= is_of_npm(folder);
            of_image || of_cargo || is_first_of_npm
        };
        let folders: Vec<PathBuf> = env::split_paths(value).collect();
        let (mut goes, count) = (goes, folders.len());
        let left: Vec<PathBuf> = folders.into_iter().filter(|folder| !goes(folder)).collect();
        if left.len() == count {
            return Some(value.to_owned());
        }
        let is_empty = left.iter().all(|folder| folder.as_os_str().is_empty());
        env::join_paths(left).ok().filter(|_| !is_empty)
    }
}

/// Matches the folders that npm puts in front of `PATH`.
fn is_of_npm(folder: &Path) -> bool {
    folder.ends_with("node_modules/.bin") || folder.ends_with("node-gyp-bin")
}

/// Matches the libraries of a Rust toolchain.
fn is_in_toolchain(folder: &Path) -> bool {
    folder.components().any(|part| part.as_os_str() == "toolchains") && folder.ends_with("lib")
        || folder.components().any(|part| part.as_os_str() == "rustlib")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    const OF_USER: &[(&str, &str)] = &[
        ("HOME", "/home/ada"),
        ("LANG", "de_DE.UTF-8"),
        ("PATH", "/home/ada/.local/bin:/usr/bin:/bin"),
        ("CARGO_HOME", "/home/ada/.cargo"),
        ("CARGO_TARGET_DIR", "/home/ada/target"),
        ("NPM_CONFIG_PREFIX", "/home/ada/.npm-global"),
        ("GDK_SCALE", "2"),
        ("NOTE", "/tmp/.mount_ab"),
    ];

    #[rstest]
    #[case::of_the_user(&[])]
    #[case::of_askdesk(&[("ASKDESK_SESSION", "t"), ("ASKDESK_LOG", "debug"), ("WEBKIT_DISABLE_DMABUF_RENDERER", "1")])]
    #[case::of_an_appimage(&[
        ("APPDIR", "/tmp/.mount_a"),
        ("APPIMAGE", "/home/ada/Askdesk.AppImage"),
        ("ARGV0", "./Askdesk.AppImage"),
        ("OWD", "/home/ada"),
        ("GDK_BACKEND", "x11"),
        ("GTK_THEME", "Adwaita"),
        ("GTK_PATH", "/tmp/.mount_a/usr/lib/gtk-3.0"),
        ("GTK_EXE_PREFIX", "/tmp/.mount_a//usr"),
        ("GTK_DATA_PREFIX", "/tmp/.mount_a"),
        ("GTK_IM_MODULE_FILE", "/tmp/.mount_a//usr/lib/gtk-3.0/3.0.0/immodules.cache"),
        ("GDK_PIXBUF_MODULE_FILE", "/tmp/.mount_a//usr/lib/gdk-pixbuf-2.0/2.10.0/loaders.cache"),
        ("GSETTINGS_SCHEMA_DIR", "/tmp/.mount_a//usr/share/glib-2.0/schemas"),
        ("GIO_EXTRA_MODULES", "/tmp/.mount_a/usr/lib/gio/modules"),
        ("LD_LIBRARY_PATH", "/tmp/.mount_a/usr/lib:/tmp/.mount_a/usr/lib/x86_64-linux-gnu:"),
        ("PERLLIB", "/tmp/.mount_a/usr/share/perl5/:/tmp/.mount_a/usr/lib/perl5/:"),
        ("PYTHONHOME", "/tmp/.mount_a/usr/"),
        ("QT_PLUGIN_PATH", "/tmp/.mount_a/usr/lib/qt5/plugins/:"),
        ("PATH", "/tmp/.mount_a/usr/bin:/tmp/.mount_a/usr/sbin:/home/ada/.local/bin:/usr/bin:/bin"),
    ])]
    #[case::of_cargo(&[
        ("CARGO", "/home/ada/.rustup/toolchains/stable/bin/cargo"),
        ("CARGO_MANIFEST_DIR", "/home/ada/askdesk"),
        ("CARGO_PKG_NAME", "askdesk"),
        ("RUSTUP_TOOLCHAIN", "stable"),
        ("LD_LIBRARY_PATH", "/home/ada/askdesk/target/debug/deps:/home/ada/.rustup/toolchains/stable/lib/rustlib/x/lib"),
    ])]
    #[case::of_npm(&[
        ("npm_lifecycle_event", "start"),
        ("npm_config_registry", "https://registry.example.org"),
        ("INIT_CWD", "/home/ada/askdesk"),
        ("NODE", "/usr/bin/node"),
        ("PATH", "/home/ada/askdesk/node_modules/.bin:/node_modules/.bin:/usr/lib/node-gyp-bin:/home/ada/.local/bin:/usr/bin:/bin"),
    ])]
    fn case_116_children_get_the_users_variables_alone(#[case] set_by_others: &[(&str, &str)]) {
        let started = variables(&[OF_USER, set_by_others].concat());
        let own_folder = Path::new("/home/ada/askdesk/target/debug");
        let given = for_children(&started, Some(own_folder));
        let given: Vec<_> = given.iter().collect();
        let user = variables(OF_USER);
        assert_eq!(given, user.iter().collect::<Vec<_>>());
    }

    #[test]
    fn what_users_set_for_cargo_and_libraries_stays() {
        let set = variables(&[
            ("CARGO_NET_OFFLINE", "true"),
            ("RUSTUP_TOOLCHAIN", "nightly"),
            ("LD_LIBRARY_PATH", "/opt/lib"),
            ("GDK_BACKEND", "wayland"),
            ("NODE", "/usr/bin/node"),
            ("PATH", "/home/ada/app/node_modules/.bin:/bin"),
        ]);
        assert_eq!(for_children(&set, Some(Path::new("/opt"))), set);
    }
}
