//! The fake agent and the mocks of model APIs, compared with the real `claude`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod fake_agent;
mod fake_agent_scenarios;
mod real_claude;

mod support {
    pub mod fake;
    pub mod host;
}
