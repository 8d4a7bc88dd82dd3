//! Tokens by which the gateway recognizes what the agent of a session asks, or a program that the agent has started.
//!
//! The agent's process gets its token in its environment, so it can prove which session it belongs to, and can't claim
//! another one. A token is never stored, and is valid only while that process runs.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_domain::SessionId;
use uuid::Uuid;

/// The environment variable with the token. Some agents hide variables from their commands whose names contain `KEY`, `SECRET`
/// or `TOKEN`, so this one contains none of them.
pub const SESSION_VARIABLE: &str = "ASKDESK_SESSION";

/// The valid tokens. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct SessionTokens(Arc<Mutex<HashMap<String, SessionId>>>);

/// A token that is valid until this is dropped.
pub(crate) struct IssuedToken {
    tokens: SessionTokens,
    token: String,
}

impl SessionTokens {
    /// Issues a token of 244 random bits.
    pub(crate) fn issue(&self, session: SessionId) -> IssuedToken {
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        self.known().insert(token.clone(), session);
        IssuedToken { tokens: self.clone(), token }
    }

    pub(crate) fn session_of(&self, token: &str) -> Option<SessionId> {
        self.known().get(token).copied()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, SessionId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IssuedToken {
    pub(crate) fn reveal(&self) -> &str {
        &self.token
    }
}

impl Drop for IssuedToken {
    fn drop(&mut self) {
        self.tokens.known().remove(&self.token);
    }
}

impl fmt::Debug for SessionTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionTokens")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_109_a_token_belongs_to_one_session_until_it_is_dropped() {
        let tokens = SessionTokens::default();
        let [one, other] = [1, 2].map(|n| SessionId::new(Uuid::from_u128(n)));
        let (of_one, of_other) = (tokens.issue(one), tokens.issue(other));
        assert_ne!(of_one.reveal(), of_other.reveal());
        assert_eq!(tokens.session_of(of_one.reveal()), Some(one));
        assert_eq!(tokens.session_of(of_other.reveal()), Some(other));
        let known = of_one.reveal().to_owned();
        drop(of_one);
        assert_eq!(tokens.session_of(&known), None);
        assert_eq!(tokens.session_of(""), None);
        assert_eq!(tokens.session_of(of_other.reveal()), Some(other));
    }
}
