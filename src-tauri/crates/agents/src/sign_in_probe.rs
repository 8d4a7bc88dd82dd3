//! Asking an agent's program whether the user is signed in.

use std::time::Duration;

use tokio::time::timeout;

use crate::launch::LaunchPlan;

/// How long a program may take to say it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A command of an agent's program that says whether the user is signed in. It opens no browser and no page, and reaches
/// nothing beyond this computer.
#[derive(Clone, Debug)]
pub struct SignInProbe {
    pub(crate) launch: LaunchPlan,
    /// Reads what the program printed; none if that says neither.
    pub(crate) read: fn(&str) -> Option<bool>,
}

impl SignInProbe {
    /// Runs the program. None if it doesn't say, or not in time.
    pub async fn ask(self) -> Option<bool> {
        let asking = tokio::task::spawn_blocking(move || self.ask_now());
        // The program may be on a file system that doesn't respond.
        timeout(2 * TIMEOUT, asking).await.ok()?.ok().flatten()
    }

    fn ask_now(&self) -> Option<bool> {
        (self.read)(&self.launch.answer(TIMEOUT)?)
    }
}
