//! Drafts: what a person has begun and not sent.

use askdesk_domain::{CommandId, DraftTarget};
use serde::{Deserialize, Serialize};

wire! {
    /// Keeps a draft in the place of the one before; a blank one takes it away. A save that a later one of the same page
    /// has overtaken changes nothing.
    struct SaveDraft {
        /// The page that saves, by an id of its own from its load to its end.
        page: CommandId,
        /// Counts the page's saves.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        n: u64,
        /// The draft; what it says to a secret question is not kept.
        draft: DraftTarget,
    }

    struct ReadDrafts {}

    struct DraftsRead {
        /// Those that were saved last first.
        drafts: Vec<DraftTarget>,
    }
}
