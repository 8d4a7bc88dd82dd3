//! The rules of the domain, in tables, examples and properties.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod answer_bounds;
mod answers;
mod any_order;
mod approvals;
mod asker_goes_on;
mod drafts;
mod finished_turns;
mod helpers;
mod inbound;
mod lifecycle;
mod notification_policy;
mod permission_rules;
mod question_input;
mod queue;
mod repeated_questions;
mod request_states;
mod retention;
mod sessions_and_approvals;
mod settings_page;

mod support {
    pub mod desks;
    pub mod questions;
}
