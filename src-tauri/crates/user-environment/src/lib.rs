//! The environment of the user: what a program gets that is started in the user's terminal.
//!
//! A desktop app that a menu starts knows few of the variables that the user's shell sets, so it asks the shell once. Everything
//! that starts a program takes its variables from [`variables`], and nothing else reads the environment of this process for that.
//! What asks the shell is outside of this crate; here is what to ask ([`Question`]), in which order ([`read`]), and what an answer
//! means ([`Printed`]).

mod current;
mod inherited;
mod kept;
mod known_folders;
mod origin;
mod os;
#[cfg(unix)]
mod own_session;
mod persist;
mod printed;
mod reading;
mod shell;
mod variables;

pub use current::{
    Current, await_first_reading, begin_reading, complete, current, inherited, latest, settle,
    settle_with_kept, settled, variables,
};
pub use kept::{KEPT_FILE, KeptEnvironment, keep, kept};
pub use origin::Origin;
pub use os::Os;
#[cfg(unix)]
pub use own_session::in_own_session;
pub use persist::persist;
pub use printed::{Mark, Printed, print};
pub use reading::{Question, Reading, Surroundings, read};
pub use shell::{line_arguments, user_shell, without_input};
pub use variables::{Changes, Variables, find_in};

/// Is set while a shell is asked, so that its startup files can skip what only a terminal needs.
pub const READING_VARIABLE: &str = "ASKDESK_READING_ENVIRONMENT";
