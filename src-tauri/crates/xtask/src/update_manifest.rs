//! `cargo xtask update-manifest`: writes `latest.json`, by which the installed app learns of a version (`tauri-plugin-updater`).

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Serialize;

use crate::{
    changelog,
    workspace::{Workspace, files_below},
};

/// The name of the file.
pub const FILE: &str = "latest.json";
/// The ending of a signature's file, behind the name of what is signed.
const SIGNATURE: &str = ".sig";
/// Endings of packages that the app looks for when it looks for a newer version, and the keys by which it does.
const KINDS: [(&str, &str); 12] = [
    ("_amd64.deb", "linux-x86_64-deb"),
    ("_arm64.deb", "linux-aarch64-deb"),
    (".x86_64.rpm", "linux-x86_64-rpm"),
    (".aarch64.rpm", "linux-aarch64-rpm"),
    ("_amd64.AppImage", "linux-x86_64-appimage"),
    ("_aarch64.AppImage", "linux-aarch64-appimage"),
    ("_x64.app.tar.gz", "darwin-x86_64"),
    ("_aarch64.app.tar.gz", "darwin-aarch64"),
    ("_x64-setup.exe", "windows-x86_64-nsis"),
    ("_arm64-setup.exe", "windows-aarch64-nsis"),
    ("_x64_en-US.msi", "windows-x86_64-msi"),
    ("_arm64_en-US.msi", "windows-aarch64-msi"),
];

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Manifest {
    version: String,
    notes: String,
    /// Midnight UTC of the day of the release, in RFC 3339.
    pub_date: String,
    platforms: BTreeMap<&'static str, Platform>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Platform {
    url: String,
    signature: String,
    /// In bytes; the app tells it before a download.
    size: u64,
}

/// Writes the manifest beside the packages and their signatures.
pub fn write(workspace: &Workspace, folder: &Path, version: &str, base_url: &str) -> Result<()> {
    let releases = changelog::read(workspace)?;
    let release = releases.into_iter().find(|release| release.version == version);
    let release = release.with_context(|| format!("{} has no section for {version}", changelog::FILE))?;
    let manifest = Manifest {
        version: release.version,
        notes: release.text,
        pub_date: format!("{}T00:00:00Z", release.date),
        platforms: platforms(folder, version, base_url)?,
    };
    let file = folder.join(FILE);
    let text = serde_json::to_string_pretty(&manifest).context("cannot write the manifest as JSON")?;
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!("{} names {} packages", file.display(), manifest.platforms.len());
    Ok(())
}

fn platforms(folder: &Path, version: &str, base_url: &str) -> Result<BTreeMap<&'static str, Platform>> {
    let base_url = base_url.trim_end_matches('/');
    ensure!(
        base_url.starts_with("https://"),
        "the app takes updates over https only; `{base_url}` is no https address"
    );
    let mut platforms = BTreeMap::new();
    for file in files_below(folder, &[])? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, key)) = KINDS.into_iter().find(|(ending, _)| name.ends_with(ending)) else { continue };
        let signature = fs::read_to_string(file.with_file_name(format!("{name}{SIGNATURE}")))
            .with_context(|| format!("{name} is not signed; its signature belongs into {name}{SIGNATURE}"))?;
        let signature = signature.trim().to_owned();
        check_signature(&name, &signature, version)?;
        let url = format!("{base_url}/{name}");
        let size = fs::metadata(&file).with_context(|| format!("cannot read {name}"))?.len();
        if let Some(other) = platforms.insert(key, Platform { url, signature, size }) {
            bail!("{name} and {} are both for {key}", other.url);
        }
    }
    ensure!(
        !platforms.is_empty(),
        "there is no package in {} that the app updates itself with",
        folder.display()
    );
    Ok(platforms)
}

/// The app refuses a package that isn't signed for the version of the manifest.
fn check_signature(name: &str, signature: &str, version: &str) -> Result<()> {
    let decoded = STANDARD.decode(signature).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.with_context(|| format!("the signature of {name} is not in base64"))?;
    let comment = decoded.lines().find_map(|line| line.strip_prefix("trusted comment: ")).unwrap_or_default();
    let signed = comment.split('\t').find_map(|field| field.strip_prefix("version:"));
    ensure!(
        signed == Some(version),
        "{name} is signed for {}, not for {version}; sign it with `--app-version {version}`",
        signed.unwrap_or("no version")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(version: &str) -> String {
        let text =
            format!("untrusted comment: a\nRUTX\ntrusted comment: timestamp:1\tfile:a{version}\nabc==\n");
        STANDARD.encode(text)
    }

    /// Writes files, each with a signature if there is one, and returns the platforms or the error.
    fn check(files: &[(&str, Option<String>)]) -> Result<BTreeMap<&'static str, Platform>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, signature) in files {
            fs::write(folder.path().join(name), "package").unwrap();
            if let Some(signature) = signature {
                fs::write(folder.path().join(format!("{name}.sig")), format!("{signature}\n")).unwrap();
            }
        }
        platforms(folder.path(), "0.2.0", "https://example.org/v0.2.0/")
    }

    #[test]
    fn each_signed_package_has_the_key_by_which_the_app_looks_for_it() {
        let names = [
            ("Askdesk_0.2.0_amd64.deb", "linux-x86_64-deb"),
            ("Askdesk-0.2.0-1.aarch64.rpm", "linux-aarch64-rpm"),
            ("Askdesk_0.2.0_amd64.AppImage", "linux-x86_64-appimage"),
            ("Askdesk_0.2.0_aarch64.AppImage", "linux-aarch64-appimage"),
            ("Askdesk_0.2.0_aarch64.app.tar.gz", "darwin-aarch64"),
            ("Askdesk_0.2.0_x64-setup.exe", "windows-x86_64-nsis"),
            ("Askdesk_0.2.0_arm64_en-US.msi", "windows-aarch64-msi"),
        ];
        let signed = Some(signature("\tversion:0.2.0"));
        let mut files: Vec<_> = names.iter().map(|(name, _)| (*name, signed.clone())).collect();
        // Nobody updates from these.
        files.extend([("Askdesk_0.2.0_x64.dmg", None), ("SHA256SUMS", None)]);
        let platform = |name: &str| Platform {
            size: 7,
            url: format!("https://example.org/v0.2.0/{name}"),
            signature: signature("\tversion:0.2.0"),
        };
        let expected = names.iter().map(|(name, key)| (*key, platform(name))).collect();
        assert_eq!(check(&files).unwrap(), expected);
    }

    #[test]
    fn an_update_that_the_app_would_refuse_is_refused_here() {
        let deb = "Askdesk_0.2.0_amd64.deb";
        let good = || Some(signature("\tversion:0.2.0"));
        for (files, words) in [
            (vec![(deb, None)], "is not signed"),
            (vec![(deb, Some(signature("\tversion:0.1.0")))], "signed for 0.1.0, not for 0.2.0"),
            (vec![(deb, Some(signature("")))], "signed for no version"),
            (vec![(deb, Some("?".into()))], "not in base64"),
            (vec![(deb, good()), ("Other_0.2.0_amd64.deb", good())], "are both for linux-x86_64-deb"),
            (vec![("SHA256SUMS", None)], "there is no package"),
        ] {
            let error = format!("{:#}", check(&files).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        let error = platforms(Path::new("."), "0.2.0", "http://example.org").unwrap_err().to_string();
        assert!(error.contains("no https address"), "{error}");
    }
}
