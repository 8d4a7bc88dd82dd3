//! The environment that programs get now. Like the environment of a process there is one for all.

use std::env;
use std::sync::{Arc, LazyLock};

use askdesk_contract::Way;
use tokio::sync::watch;

use crate::inherited::for_children;
use crate::origin::Origin;
use crate::variables::Variables;

static CURRENT: LazyLock<watch::Sender<Current>> =
    LazyLock::new(|| watch::Sender::new(Current::of_process()));

/// The environment of the user, as far as it is known.
#[derive(Clone, Debug)]
pub struct Current {
    pub variables: Arc<Variables>,
    pub origin: Origin,
    /// Whether a shell is being asked.
    pub is_reading: bool,
    /// Whether there is nothing to wait for: a result of the shell, or a reason to ask none.
    pub is_settled: bool,
    /// Whether what an earlier run had is used, without something live that the shell sets.
    pub lacks_live: bool,
}

impl Current {
    fn of_process() -> Self {
        let variables = Arc::new(inherited());
        let origin = Origin { way: Way::Process, shell: None, failed: Vec::new(), read_at: 0 };
        Self { variables, origin, is_reading: false, is_settled: true, lacks_live: false }
    }
}

/// Returns what a program gets from the environment of this process.
pub fn inherited() -> Variables {
    let program = env::current_exe().ok();
    for_children(&Variables::of_process(), program.as_deref().and_then(|program| program.parent()))
}

/// Returns the variables that a program gets. Until the first shell has answered, they are those of this process.
pub fn variables() -> Arc<Variables> {
    Arc::clone(&CURRENT.borrow().variables)
}

/// Returns the environment as it is now.
pub fn current() -> Current {
    CURRENT.borrow().clone()
}

/// Waits until the environment is known, and returns the variables that a program gets. They may be those of an earlier run,
/// while the shell is asked.
pub async fn settled() -> Arc<Variables> {
    once(|current| current.is_settled).await
}

/// Waits until everything that the shell sets is known, and returns the variables that a program gets: what runs for long keeps
/// them.
pub async fn complete() -> Arc<Variables> {
    once(|current| current.is_settled && !current.lacks_live).await
}

/// Waits until no shell is being asked, and returns the variables that a program gets.
pub async fn latest() -> Arc<Variables> {
    once(|current| current.is_settled && !current.is_reading).await
}

async fn once(is_known: impl FnMut(&Current) -> bool) -> Arc<Variables> {
    let mut changes = CURRENT.subscribe();
    match changes.wait_for(is_known).await {
        Ok(current) => Arc::clone(&current.variables),
        Err(_) => variables(),
    }
}

/// Notes that a shell is asked.
pub fn begin_reading() {
    CURRENT.send_modify(|current| current.is_reading = true);
}

/// Notes that a shell is asked, and that nothing is known until it has answered.
pub fn await_first_reading() {
    CURRENT.send_modify(|current| {
        current.is_reading = true;
        current.is_settled = false;
    });
}

/// Replaces the environment by one that is known.
pub fn settle(variables: Variables, origin: Origin) {
    let variables = Arc::new(variables);
    let known = Current { variables, origin, is_reading: false, is_settled: true, lacks_live: false };
    CURRENT.send_replace(known);
}

/// Takes what an earlier run had, and notes that a shell is asked.
pub fn settle_with_kept(variables: Variables, origin: Origin, lacks_live: bool) {
    let variables = Arc::new(variables);
    CURRENT.send_replace(Current { variables, origin, is_reading: true, is_settled: true, lacks_live });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because there is one environment.
    #[tokio::test]
    async fn who_needs_the_environment_waits_for_the_first_answer_and_not_for_later_ones() {
        let origin = |way| Origin { way, shell: None, failed: Vec::new(), read_at: 0 };
        let with = |value: &str| [("X".into(), value.into())].into_iter().collect::<Variables>();
        await_first_reading();
        let waiting = tokio::spawn(settled());
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished() && current().is_reading);
        settle(with("1"), origin(Way::InteractiveLogin));
        assert_eq!(waiting.await.unwrap().get("X"), Some("1".as_ref()));

        begin_reading();
        assert_eq!(settled().await.get("X"), Some("1".as_ref()));
        assert_eq!(complete().await.get("X"), Some("1".as_ref()));
        settle_with_kept(with("0"), origin(Way::Login), false);
        assert_eq!(complete().await.get("X"), Some("0".as_ref()), "nothing live is missing");
        settle_with_kept(with("1"), origin(Way::Login), true);
        let starting = tokio::spawn(complete());
        let waiting = tokio::spawn(latest());
        tokio::task::yield_now().await;
        assert!(!starting.is_finished(), "something live is missing");
        assert!(!waiting.is_finished(), "what an earlier run had isn't the latest");
        settle(with("2"), origin(Way::Login));
        assert_eq!(waiting.await.unwrap().get("X"), Some("2".as_ref()));
        assert_eq!(starting.await.unwrap().get("X"), Some("2".as_ref()));
        assert_eq!(variables().get("X"), Some("2".as_ref()));
        assert_eq!(current().origin.way, Way::Login);
    }
}
