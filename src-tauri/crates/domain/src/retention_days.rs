//! The retention period of past sessions.

use crate::error::{Bounds, number_setting};

number_setting! {
    /// For how many days a session is kept after it has ended; 0 keeps it until the user deletes it. Only a few
    /// values are allowed, because a mistyped number would delete sessions.
    RetentionDays, Bounds::OneOf(&[0, 30, 90, 365]), default 0
}
