//! Says what is missing, asks, and installs it.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    prerequisites::{Facts, NodeVersion, OWN_NODE, OWN_NPM, Plan, Privilege, Purpose, plan},
    probe,
    steps::{self, Steps},
    toolbox::{Toolbox, own_node_folder},
};

/// Makes sure that a purpose has what it needs; returns the toolbox to go on with.
pub fn ensure(toolbox: Toolbox, purpose: Purpose, yes: bool, steps: &mut Steps) -> Result<Toolbox> {
    let toolbox = prefer_own_node(toolbox)?;
    let mut facts = probe::look(&toolbox, purpose);
    let mut needed = plan(purpose, &facts);
    if needed.is_empty() {
        eprintln!("Everything that has to be installed is there.");
        return Ok(toolbox);
    }
    say(&needed);
    refuse_what_is_by_hand(&needed)?;
    confirm(yes)?;

    if needed.packages.iter().any(|package| probe::candidate(&toolbox, package).is_none()) {
        steps.try_run("fetch the lists of packages", || {
            steps::show(&mut apt_get(&toolbox, &facts, &["update"]))
        })?;
        // Which Node is offered is known only now.
        facts = probe::look(&toolbox, purpose);
        needed = plan(purpose, &facts);
    }
    if !needed.packages.is_empty() {
        steps.try_run("install packages", || install_packages(&toolbox, &facts, &needed.packages))?;
    }
    if needed.own_node {
        let name = format!("fetch Node {OWN_NODE} from the npm registry");
        steps.try_run(&name, || fetch_own_node(&toolbox))?;
    }

    let toolbox = prefer_own_node(toolbox)?;
    let left = plan(purpose, &probe::look(&toolbox, purpose));
    if !left.is_empty() {
        bail!(
            "still missing after installing: {}. Look above for what the package manager said, install it by \
             hand, and run this again",
            left.missing.join(", ")
        );
    }
    Ok(toolbox)
}

/// The system's own Node goes first, so that a Node fetched once is not used longer than needed.
fn prefer_own_node(toolbox: Toolbox) -> Result<Toolbox> {
    if probe::node(&toolbox).is_some_and(NodeVersion::is_new_enough) {
        return Ok(toolbox);
    }
    let with_own = toolbox.with_own_node()?;
    let usable = probe::node(&with_own).is_some_and(NodeVersion::is_new_enough);
    Ok(if usable { with_own } else { toolbox })
}

fn say(plan: &Plan) {
    eprintln!("Missing:");
    for line in &plan.missing {
        eprintln!("  - {line}");
    }
    if !plan.packages.is_empty() {
        eprintln!("To install: apt-get install {}", plan.packages.join(" "));
    }
    if plan.own_node {
        eprintln!(
            "To fetch: Node {OWN_NODE} from the npm registry, for this project alone (target/askdesk-node)"
        );
    }
}

fn refuse_what_is_by_hand(plan: &Plan) -> Result<()> {
    if plan.by_hand.is_empty() {
        return Ok(());
    }
    bail!("this has to be installed by you; then run this again:\n  - {}", plan.by_hand.join("\n  - "))
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

fn install_packages(toolbox: &Toolbox, facts: &Facts, packages: &[&str]) -> Result<()> {
    let arguments = [&["install", "-y", "--no-install-recommends"], packages].concat();
    if steps::show(&mut apt_get(toolbox, facts, &arguments)).is_ok() {
        return Ok(());
    }
    // Old lists name files that are no longer on the mirror.
    eprintln!("That did not work; fetching the lists of packages and trying once more.");
    steps::show(&mut apt_get(toolbox, facts, &["update"]))?;
    steps::show(&mut apt_get(toolbox, facts, &arguments)).with_context(|| {
        format!("cannot install; try `apt-get install {}` by hand and read what it says", packages.join(" "))
    })
}

fn apt_get(toolbox: &Toolbox, facts: &Facts, arguments: &[&str]) -> Command {
    let mut command = if facts.privilege == Privilege::Sudo {
        let mut sudo = toolbox.command("sudo");
        if !io::stdin().is_terminal() {
            // Nobody is there to type a password: fail instead of waiting for one.
            sudo.arg("-n");
        }
        sudo.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    } else {
        let mut apt_get = toolbox.command("apt-get");
        apt_get.env("DEBIAN_FRONTEND", "noninteractive");
        apt_get
    };
    command.arg("-q").args(arguments);
    eprintln!("    $ {}", steps::in_words(&command));
    command
}

fn fetch_own_node(toolbox: &Toolbox) -> Result<()> {
    let package = probe::own_node_package().context("the npm registry has no Node for this processor")?;
    let folder = own_node_folder(toolbox.root());
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut npm = toolbox.command("npm");
    npm.current_dir(&folder).arg("install").arg("--prefix").arg(&folder).args([
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--ignore-scripts",
        &format!("{package}@{OWN_NODE}"),
        &format!("npm@{OWN_NPM}"),
    ]);
    eprintln!("    $ {}", steps::in_words(&npm));
    steps::show(&mut npm)
        .context("cannot fetch Node; check the connection, or install Node 20.19 or newer with npm by hand")
}
