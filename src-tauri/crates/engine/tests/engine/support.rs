//! Shared setup of the tests.

pub mod agents;
pub mod desk;
#[cfg(unix)]
pub mod faults;
pub mod images;
#[cfg(unix)]
pub mod kills;
pub mod mirror;
pub mod moves;
#[cfg(unix)]
pub mod own_process;

// `hub::tests` includes `mirror` too, where the frames are `crate::frame`.
use askdesk_engine::frame;
