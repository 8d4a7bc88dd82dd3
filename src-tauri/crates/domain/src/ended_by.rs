use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EndedBy {
    User,
    /// The user, by an ordinary message.
    UserInChat,
    Agent,
    /// Another place where the same question was answered.
    Elsewhere,
    Limit,
    Session,
}
