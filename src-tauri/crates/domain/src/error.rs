//! Errors as codes with their data. The page chooses the words; the texts here are for logs, exports and agents.

mod delivery;
mod setting;
mod storage;
mod validation;

pub use delivery::DeliveryError;
pub(crate) use setting::number_setting;
pub use setting::{Bounds, LaunchOverrideError, Settable, SettingError, SettingKind, Written};
pub use storage::StorageError;
pub use validation::ValidationError;
