//! `cargo xtask dist`: builds Askdesk for release and makes the packages that people install.

mod deb;
mod package_files;
mod requirements;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{
    appimage,
    arguments::Dist,
    guide, install, licenses,
    prerequisites::Purpose,
    run_command::{AGENT_HOST, COMMAND_LINE, DESKTOP},
    steps::{self, Steps, seconds},
    ui,
    workspace::Workspace,
};

/// The folder of what only packages need, below the root; its `package.json` pins the Tauri CLI.
const PACKAGING: &str = "src-tauri/package";
/// The most bytes of the desktop program.
const PROGRAM_BYTES: u64 = 20 << 20;
/// The most bytes of the Debian package.
const DEB_BYTES: u64 = 9 << 20;
/// Names the public key that updates are checked with. A build without it does not update itself.
const UPDATE_KEY: &str = "ASKDESK_UPDATE_PUBLIC_KEY";
/// Names the address that says which version is the newest.
const UPDATE_ADDRESS: &str = "ASKDESK_UPDATE_ADDRESS";
/// The secret key of the updates; the Tauri CLI reads it.
const SIGNING_KEY: &str = "TAURI_SIGNING_PRIVATE_KEY";

/// What is made unless something else is asked for. An AppImage takes a download of programs that no package manager here has.
const DEFAULT_BUNDLES: &[&str] = if cfg!(target_os = "linux") {
    &["deb", "rpm"]
} else if cfg!(windows) {
    &["msi", "nsis"]
} else {
    &["app", "dmg"]
};

/// The endings of the files that a release offers, as the Tauri CLI writes them.
const PACKAGES: [&str; 7] = [".deb", ".rpm", ".AppImage", ".dmg", ".app.tar.gz", ".msi", "-setup.exe"];

/// Builds the packages, checks them, and puts them into one folder.
pub fn run(workspace: Workspace, options: &Dist) -> Result<()> {
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::Dist, options.install.yes, &mut steps)?;
    ui::install_npm_packages(&workspace, ui::UI, &mut steps)?;
    ui::install_npm_packages(&workspace, PACKAGING, &mut steps)?;
    let page = workspace.root().join(ui::UI).join("dist");
    // The page is built again if nothing says any more what is in it.
    if page.exists() && !workspace.root().join(licenses::PAGE_LIST).exists() {
        fs::remove_dir_all(&page).context("cannot delete ui/dist")?;
    }
    ui::build(&workspace, &mut steps)?;
    guide::build(&workspace, &mut steps)?;
    let updates = updates()?;
    let release = workspace.target_folder()?.join("release");
    steps.try_run("build for release", || {
        let mut cargo = workspace.cargo();
        cargo.args(["build", "--release", "--locked", "--package", "askdesk", "--bin", DESKTOP]);
        cargo.args(["--package", "askdesk-cli", "--bin", COMMAND_LINE]);
        if cfg!(target_os = "linux") {
            cargo.args(["--package", AGENT_HOST, "--bin", AGENT_HOST]);
        }
        if let Some(updates) = &updates {
            cargo.args(["--features", "updater"]).env("TAURI_CONFIG", updates.to_string());
        }
        steps::show(&mut cargo)
    })?;
    let program = release.join(format!("{DESKTOP}{}", env::consts::EXE_SUFFIX));
    refuse_larger(&program, PROGRAM_BYTES)?;
    package_files::begin(&workspace)?;
    licenses::write(&workspace, &mut steps, &workspace.root().join(package_files::LICENSES))?;
    steps
        .try_run("make what packages carry besides the app", || package_files::make(&workspace, &release))?;
    let bundled = release.join("bundle");
    let made = steps.try_run("bundle", || {
        if bundled.exists() {
            fs::remove_dir_all(&bundled).context("cannot delete the bundles of an earlier run")?;
        }
        let mut config = bundle_config(&workspace, &program)?;
        if let Some(updates) = &updates {
            merge(&mut config, updates);
        }
        let mut tauri = workspace.command("node");
        tauri.arg(workspace.root().join(PACKAGING).join("node_modules/@tauri-apps/cli/tauri.js"));
        tauri.args(["bundle", "--ci", "--config", &config.to_string()]);
        let asked: Vec<&str> = options.bundles.iter().map(String::as_str).collect();
        let bundles = if asked.is_empty() { DEFAULT_BUNDLES } else { &asked };
        tauri.args(["--bundles", &bundles.join(",")]);
        steps::show(&mut tauri).context("the Tauri CLI made no packages")?;
        packages_below(&bundled)
    })?;
    let folder = release.with_file_name("dist");
    let finished = steps.try_run("finish and check the packages", || {
        if folder.exists() {
            fs::remove_dir_all(&folder).context("cannot delete the packages of an earlier run")?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        made.iter().map(|package| finish(&workspace, package, &folder)).collect::<Result<Vec<_>>>()
    })?;
    if env::var_os(SIGNING_KEY).is_some() {
        steps.try_run("sign", || finished.iter().try_for_each(|package| sign(&workspace, package)))?;
    }
    eprintln!("Made in {}:", seconds(steps.elapsed()));
    for package in std::iter::once(&program).chain(&finished) {
        let bytes =
            fs::metadata(package).with_context(|| format!("cannot read {}", package.display()))?.len();
        println!("{:>6.1} MiB  {}", bytes as f64 / f64::from(1 << 20), package.display());
    }
    Ok(())
}

/// Returns the configuration that turns updates on; none if no key is named.
fn updates() -> Result<Option<Value>> {
    let named = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    match (named(UPDATE_KEY), named(UPDATE_ADDRESS)) {
        (None, _) => Ok(None),
        (Some(_), None) => {
            bail!("{UPDATE_KEY} is set, but {UPDATE_ADDRESS} is not: name the address of updates too")
        }
        (Some(key), Some(address)) => Ok(Some(update_config(&key, &address))),
    }
}

fn update_config(key: &str, address: &str) -> Value {
    // A release is at an https address. A test of packages serves its updates on this machine.
    let is_loopback = address.starts_with("http://127.0.0.1:");
    json!({ "plugins": { "updater": {
        "pubkey": key,
        "endpoints": [address],
        "requireSignedVersion": true,
        "dangerousInsecureTransportProtocol": is_loopback,
    } } })
}

/// Returns what the configuration of the bundles lacks in `tauri.conf.json`, because it depends on what was built.
fn bundle_config(workspace: &Workspace, program: &Path) -> Result<Value> {
    let mut config = json!({});
    if cfg!(target_os = "linux") {
        let linux = &mut config["bundle"]["linux"];
        let programs =
            [program.to_owned(), program.with_file_name(COMMAND_LINE), program.with_file_name(AGENT_HOST)];
        if let Some(elfdeps) = requirements::elfdeps() {
            linux["rpm"]["depends"] = json!(requirements::of_rpm(workspace, elfdeps, &programs)?);
        }
    } else {
        config["bundle"]["resources"][package_files::LICENSES] = json!("licenses.txt");
    }
    if cfg!(windows) {
        config["bundle"]["resources"]["target/package/askdesk.exe"] = json!("askdesk.exe");
    }
    if cfg!(target_os = "macos") && env::var_os(SIGNING_KEY).is_some() {
        config["bundle"]["createUpdaterArtifacts"] = json!(true);
    }
    Ok(config)
}

/// Puts the members of an object over those of another.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn packages_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = crate::workspace::files_below(folder, &[])?;
    let is_package = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        PACKAGES.iter().any(|ending| name.ends_with(ending))
    };
    let packages: Vec<_> = files.into_iter().filter(is_package).collect();
    ensure!(!packages.is_empty(), "there is no package in {}", folder.display());
    Ok(packages)
}

/// Puts a package into the folder of finished ones, as people get it.
fn finish(workspace: &Workspace, package: &Path, folder: &Path) -> Result<PathBuf> {
    let own = folder.join(package.file_name().context("a package has no name")?);
    if package.extension().is_some_and(|it| it == "deb") {
        deb::pack_again(workspace, package, &own)?;
        refuse_larger(&own, DEB_BYTES)?;
        deb::check(workspace, &own)?;
    } else if package.extension().is_some_and(|it| it == "AppImage") {
        fs::copy(package, &own).with_context(|| format!("cannot copy {}", package.display()))?;
        appimage::trim(workspace, &own)?;
    } else {
        fs::copy(package, &own).with_context(|| format!("cannot copy {}", package.display()))?;
    }
    Ok(own)
}

/// Signs a file for the updater. The signature names the version, so that an old file can't be offered as a new version.
fn sign(workspace: &Workspace, package: &Path) -> Result<()> {
    let mut tauri = workspace.command("node");
    tauri.arg(workspace.root().join(PACKAGING).join("node_modules/@tauri-apps/cli/tauri.js"));
    tauri.args(["signer", "sign", "--app-version", env!("CARGO_PKG_VERSION")]).arg(package);
    steps::show(&mut tauri).with_context(|| format!("cannot sign {}", package.display()))
}

fn refuse_larger(file: &Path, limit: u64) -> Result<()> {
    let bytes = fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
    ensure!(bytes <= limit, "{} has {bytes} bytes; the limit is {limit}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_takes_updates_only_over_https_and_only_with_its_key() {
        let config = update_config("key", "https://example.org/latest.json");
        let updater = &config["plugins"]["updater"];
        assert_eq!((&updater["pubkey"], &updater["requireSignedVersion"]), (&json!("key"), &json!(true)));
        assert_eq!(updater["dangerousInsecureTransportProtocol"], false);
        for address in
            ["http://example.org/latest.json", "http://127.0.0.1.example.org/", "http://localhost:1/"]
        {
            let config = update_config("key", address);
            assert_eq!(
                config["plugins"]["updater"]["dangerousInsecureTransportProtocol"], false,
                "{address}"
            );
        }
    }

    #[test]
    fn a_configuration_keeps_what_another_does_not_name() {
        let mut config = json!({ "bundle": { "resources": { "a": "b" } } });
        merge(&mut config, &json!({ "bundle": { "linux": 1 }, "plugins": {} }));
        assert_eq!(config, json!({ "bundle": { "resources": { "a": "b" }, "linux": 1 }, "plugins": {} }));
    }

    #[test]
    fn packages_are_told_from_what_lies_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "Askdesk_0.2.0_amd64.deb",
            "Askdesk_0.2.0_x64-setup.exe",
            "control",
            "data.tar.gz",
            "Askdesk.app.tar.gz",
        ];
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = packages_below(folder.path()).unwrap();
        let mut found: Vec<_> =
            found.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, ["Askdesk.app.tar.gz", "Askdesk_0.2.0_amd64.deb", "Askdesk_0.2.0_x64-setup.exe"]);
        assert!(packages_below(tempfile::tempdir().unwrap().path()).is_err());
    }

    #[test]
    fn a_file_above_its_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        fs::write(&file, "four").unwrap();
        assert!(refuse_larger(&file, 4).is_ok());
        let error = refuse_larger(&file, 3).unwrap_err().to_string();
        assert!(error.contains("4 bytes") && error.contains("the limit is 3"), "{error}");
    }
}
