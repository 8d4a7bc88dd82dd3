//! Storage problems that the user deals with.

use crate::frame::StorageNotice;

wire! {
    /// Takes over what can be read of a database that was set aside as damaged.
    struct RecoverDatabase {
        /// Its path, as in the notice.
        kept: String,
    }

    struct DatabaseRecovered {
        /// How many sessions were taken over.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        sessions: u64,
        /// Whether all of the file could be read.
        complete: bool,
    }

    /// Notes that the user has dealt with a storage problem, so that it is not shown again.
    struct SettleStorage {
        notice: StorageNotice,
    }
}
