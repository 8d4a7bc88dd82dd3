//! `cargo xtask wire`: writes the generated TypeScript types.

use anyhow::{Context, Result};

use crate::{
    steps::{self, Steps},
    workspace::Workspace,
};

/// The test that compares the types, and writes them where it is asked to.
const TEST: &str = "wire_types_match_the_typescript_checked_in";

/// Writes `ui/src/generated/wire.ts` again.
pub fn run(workspace: &Workspace) -> Result<()> {
    Steps::start().try_run("write ui/src/generated/wire.ts", || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--package", "askdesk-api", "--features", "ts", TEST]);
        steps::show(cargo.env("UPDATE_WIRE", "1")).context("the TypeScript types were not written")
    })
}
