//! The environment that programs get now. Like the environment of a process there is one for all.

use std::env;
use std::sync::{Arc, LazyLock};

use tokio::sync::watch;

use crate::inherited::for_children;
use crate::origin::{Origin, Way};
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
}

impl Current {
    fn of_process() -> Self {
        let variables = Arc::new(inherited());
        let origin = Origin { way: Way::Process, shell: None, failed: Vec::new(), read_at: 0 };
        Self { variables, origin, is_reading: false, is_settled: true }
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

/// Waits until the environment is known, and returns the variables that a program gets.
pub async fn settled() -> Arc<Variables> {
    let mut changes = CURRENT.subscribe();
    match changes.wait_for(|current| current.is_settled).await {
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
    CURRENT.send_replace(Current { variables, origin, is_reading: false, is_settled: true });
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
        settle(with("2"), origin(Way::Login));
        assert_eq!(variables().get("X"), Some("2".as_ref()));
        assert_eq!(current().origin.way, Way::Login);
    }
}
