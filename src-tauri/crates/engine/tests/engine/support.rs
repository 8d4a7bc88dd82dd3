//! Shared setup of the tests.

pub mod agents;
pub mod desk;
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../../domain/tests/domain/support/desks.rs"]
pub mod desks;
#[cfg(unix)]
pub mod faults;
pub mod images;
#[cfg(unix)]
pub mod kills;
pub mod mirror;
pub mod moves;
#[cfg(unix)]
pub mod own_process;
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../../domain/tests/domain/support/questions.rs"]
pub mod questions;

// `hub::tests` includes `mirror` too, where the frames are `crate::frame`.
use askdesk_contract::frame;
