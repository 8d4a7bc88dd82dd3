//! Errors as codes with their data. The page chooses the words; the texts here are for logs, exports and agents.

mod opening;
mod setting;
mod storage;
mod validation;

pub use opening::OpenError;
pub(crate) use setting::number_setting;
pub use setting::{
    Bounds, CommandError, LaunchOverrideError, PermissionRuleError, Settable, SettingError, SettingKind,
    Written,
};
pub use storage::StorageError;
pub use validation::{DeliveryError, ValidationError};
