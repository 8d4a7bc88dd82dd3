//! What a shell and `man` are given: completions and pages, made from the arguments themselves.

use std::io;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::ending::{Ending, Failure};
use crate::terminal;

pub fn completions(shell: Shell) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "askdesk", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Well)
}

/// Prints the manual page, or writes one for each command into a folder.
pub fn man(folder: Option<&Path>) -> Result<Ending, Failure> {
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
    Ok(Ending::Well)
}
