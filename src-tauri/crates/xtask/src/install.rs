//! Says what is missing, asks, and installs it.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    prerequisites::{Facts, LOCAL_NODE, LOCAL_NPM, NodeVersion, Plan, Privilege, Purpose, plan},
    probe,
    steps::{self, Steps},
    workspace::{Workspace, local_node_folder},
};

/// Makes sure that a purpose has what it needs; returns the workspace to go on with.
pub fn ensure(workspace: Workspace, purpose: Purpose, yes: bool, steps: &mut Steps) -> Result<Workspace> {
    let workspace = prefer_system_node(workspace)?;
    let mut facts = probe::detect(&workspace, purpose);
    let mut needed = plan(&facts);
    if needed.is_empty() {
        eprintln!("Everything that has to be installed is there.");
        return Ok(workspace);
    }
    print_plan(&needed);
    fail_on_manual_steps(&needed)?;
    confirm(yes)?;

    if !needed.packages.is_empty() {
        // One source of packages that does not answer must not keep the others from being used.
        steps.run("fetch the lists of packages", || {
            steps::show(&mut apt_get(&workspace, &facts, &["update"]))
        });
        // Only now apt-get knows which Node it offers.
        facts = probe::detect(&workspace, purpose);
        needed = plan(&facts);
    }
    if !needed.packages.is_empty() {
        steps.try_run("install packages", || install_packages(&workspace, &facts, &needed.packages))?;
    }
    if needed.local_node {
        let name = format!("fetch Node {LOCAL_NODE} from the npm registry");
        steps.try_run(&name, || fetch_local_node(&workspace))?;
    }

    let workspace = prefer_system_node(workspace)?;
    let left = plan(&probe::detect(&workspace, purpose));
    if !left.is_empty() {
        bail!(
            "still missing after installing: {}. Look above for what the package manager said, install it by \
             hand, and run this again",
            left.missing.join(", ")
        );
    }
    Ok(workspace)
}

/// The system's own Node goes first, so that a Node fetched once is not used longer than needed.
fn prefer_system_node(workspace: Workspace) -> Result<Workspace> {
    if probe::node(&workspace).is_some_and(NodeVersion::is_new_enough) {
        return Ok(workspace);
    }
    let with_local = workspace.with_local_node()?;
    let usable = probe::node(&with_local).is_some_and(NodeVersion::is_new_enough);
    Ok(if usable { with_local } else { workspace })
}

fn print_plan(plan: &Plan) {
    eprintln!("Missing:");
    for line in &plan.missing {
        eprintln!("  - {line}");
    }
    if !plan.packages.is_empty() {
        eprintln!("To install: apt-get install {}", plan.packages.join(" "));
    }
    if plan.local_node {
        eprintln!(
            "To fetch: Node {LOCAL_NODE} from the npm registry, for this project alone (target/askdesk-node)"
        );
    }
}

fn fail_on_manual_steps(plan: &Plan) -> Result<()> {
    if plan.manual.is_empty() {
        return Ok(());
    }
    bail!("this has to be installed by you; then run this again:\n  - {}", plan.manual.join("\n  - "))
}

fn confirm(yes: bool) -> Result<()> {
    if yes || !io::stdin().is_terminal() {
        return Ok(());
    }
    eprint!("Install it now? [Y/n] ");
    io::stderr().flush().context("cannot write to the terminal")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Ok(()),
        _ => bail!("nothing was installed; install the above by hand, or run this again and say yes"),
    }
}

fn install_packages(workspace: &Workspace, facts: &Facts, packages: &[&str]) -> Result<()> {
    let arguments = [&["install", "-y", "--no-install-recommends"], packages].concat();
    steps::show(&mut apt_get(workspace, facts, &arguments)).with_context(|| {
        format!("cannot install; try `apt-get install {}` by hand and read what it says", packages.join(" "))
    })
}

fn apt_get(workspace: &Workspace, facts: &Facts, arguments: &[&str]) -> Command {
    let mut command = if facts.privilege == Privilege::Sudo {
        let mut sudo = workspace.command("sudo");
        if !io::stdin().is_terminal() {
            // Nobody is there to type a password: fail instead of waiting for one.
            sudo.arg("-n");
        }
        sudo.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    } else {
        let mut apt_get = workspace.command("apt-get");
        apt_get.env("DEBIAN_FRONTEND", "noninteractive");
        apt_get
    };
    command.arg("-q").args(arguments);
    eprintln!("    $ {}", steps::command_line(&command));
    command
}

fn fetch_local_node(workspace: &Workspace) -> Result<()> {
    let package = probe::local_node_package().context("the npm registry has no Node for this processor")?;
    let folder = local_node_folder(workspace.root());
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut npm = workspace.command("npm");
    npm.current_dir(&folder).arg("install").arg("--prefix").arg(&folder).args([
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--ignore-scripts",
        &format!("{package}@{LOCAL_NODE}"),
        &format!("npm@{LOCAL_NPM}"),
    ]);
    eprintln!("    $ {}", steps::command_line(&npm));
    steps::show(&mut npm)
        .context("cannot fetch Node; check the connection, or install Node 20.19 or newer with npm by hand")
}
