//! Builds the guide in `docs/` as a static site; `cargo xtask guide` runs it. It is a package of its own because mdBook takes a
//! long time to compile, and the other commands of `xtask` don't need it.

mod links;
mod site;

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, Result};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let out = env::args_os().nth(1).context("usage: askdesk-guide FOLDER")?;
    let out = std::path::absolute(out)?;
    let pages = site::build(&docs()?, &out)?;
    eprintln!("{pages} pages in {}; open index.html to read them", out.display());
    Ok(())
}

/// Finds the folder with the guide, three folders above this package.
fn docs() -> Result<std::path::PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(package.ancestors().nth(3).context("this package is not in the repository")?.join("docs"))
}
