//! Where updates come from.

use askdesk_contract::Pending;
use askdesk_contract::{Release, UpdateByHand, UpdateProblem};

use super::state::Installs;

/// Hears how many bytes were received, and of how many, if the server says.
pub type Progress = Box<dyn FnMut(u64, Option<u64>) + Send>;

/// Finds, downloads, and installs updates of the app.
pub trait Source: Send + Sync {
    /// Returns the newest version, or none if it is the one that runs.
    fn check(&self) -> Pending<Result<Option<Release>, UpdateProblem>>;

    /// Downloads what the last check found, and checks its signature. Dropping the future ends the download.
    fn download(&self, progress: Progress) -> Pending<Result<(), UpdateProblem>>;

    /// Installs what was downloaded, after checking its signature again.
    fn install(&self) -> Pending<Result<(), UpdateProblem>>;

    /// Returns when the system lets it be installed.
    fn installs(&self) -> Installs;

    /// Returns how the user installs a version; none if `install` does.
    fn by_hand(&self, version: &str) -> Option<UpdateByHand>;
}
