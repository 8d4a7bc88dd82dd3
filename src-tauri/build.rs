//! Grants the window the commands of the one list, and nothing else.

use std::error::Error;
use std::fs;
use std::path::Path;

include!("crates/contract/src/command_list.rs");

macro_rules! names {
    (
        engine { $($name:ident($input:ident) -> $output:ident,)+ }
        desk { $($desk_name:ident($desk_input:ident) -> $desk_output:ident,)+ }
    ) => { &[$(stringify!($name),)+ $(stringify!($desk_name),)+ "start_page", "subscribe", "acknowledge_frames", "unsubscribe", "open_link", "open_guide", "quit", "pick_folder", "attach_dropped", "attach_pasted", "pick_attachments", "deep_link_target", "deep_link_shown", "close_request", "ready_to_close", "deep_link_answered", "gateway_failure", "retry_gateway", "take_page_crash", "page_failed"] };
}

const COMMANDS: &[&str] = for_each_command!(names);

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=capabilities");
    println!("cargo:rerun-if-changed=src-tauri/crates/contract/src/command_list.rs");
    // The window's files are embedded at compile time; a fresh clone compiles before they were ever built.
    let page = Path::new("ui/dist/index.html");
    if !page.exists() {
        fs::create_dir_all("ui/dist")?;
        fs::write(
            page,
            "<!doctype html><title>Askdesk</title><p>Run cargo xtask run to build the window.</p>",
        )?;
    }
    println!("cargo:rerun-if-changed=ui/dist");
    // A resource that is missing fails the build. Without the guide, its window says how to build it.
    fs::create_dir_all("target/guide")?;
    println!("cargo:rerun-if-changed=target/guide");
    refuse_unpermitted_commands()?;
    pack_relocations();
    let attributes =
        tauri_build::Attributes::new().app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    tauri_build::try_build(attributes)?;
    Ok(())
}

/// Makes a release 0.6 MiB smaller. It then needs glibc 2.36 or newer, which all supported systems have.
fn pack_relocations() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The page can't call a command that its capability doesn't name, and finds that out only when it calls.
fn refuse_unpermitted_commands() -> Result<(), Box<dyn Error>> {
    let file = "capabilities/main.json";
    let capability = fs::read_to_string(file)?;
    for command in COMMANDS {
        let permission = format!("\"allow-{}\"", command.replace('_', "-"));
        if !capability.contains(&permission) {
            return Err(format!("add {permission} to {file}").into());
        }
    }
    Ok(())
}
