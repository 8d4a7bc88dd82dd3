//! `askdesk completions` and `askdesk man`: files that are generated from the arguments.

use std::io;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::exit::{Exit, Failure};
use crate::terminal;

pub fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "askdesk", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// Prints the manual page, or writes one for each command into a folder.
pub fn man(folder: Option<&Path>) -> Result<Exit, Failure> {
    let command = Arguments::command();
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page).map_err(io::Error::other)?;
            terminal::print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Success)
}
