//! `cargo xtask wire`: writes what is generated from the Rust types: the TypeScript types, and the guide's tables of settings.

use anyhow::{Context, Result};

use crate::{
    steps::{self, Steps},
    workspace::Workspace,
};

/// The tests that compare a generated file, and write it where they are asked to.
const TYPES: &str = "wire_types_match_the_typescript_checked_in";
const SETTINGS: &str = "the_guide_lists_every_setting";

/// Writes `ui/src/generated/wire.ts` and the tables of settings in `docs/guide` again.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut steps = Steps::start();
    steps.try_run("write ui/src/generated/wire.ts", || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--package", "askdesk-contract", "--features", "ts", TYPES]);
        steps::show(cargo.env("UPDATE_WIRE", "1")).context("the TypeScript types were not written")
    })?;
    steps.try_run("write the tables of settings in docs/guide", || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--package", "askdesk-domain", "--test", "domain", SETTINGS]);
        steps::show(cargo.env("UPDATE_GUIDE", "1")).context("the tables of settings were not written")
    })
}
