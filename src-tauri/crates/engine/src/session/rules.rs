//! The user's own permission rules, as they are at the moment of a call.

use askdesk_domain::{PermissionCall, PermissionRule, RuleContext, Settings};
use tokio::sync::watch;

/// Compares the calls of one session with the rules.
#[derive(Clone, Debug)]
pub(super) struct SessionRules {
    settings: watch::Receiver<Settings>,
    folder: String,
    home: Option<String>,
}

impl SessionRules {
    pub(super) fn new(settings: watch::Receiver<Settings>, folder: String) -> Self {
        let home = std::env::home_dir().map(|home| home.display().to_string());
        Self { settings, folder, home }
    }

    /// Returns the rule that applies to a call now.
    pub(super) fn matching(&self, call: &PermissionCall) -> Option<PermissionRule> {
        let context = RuleContext { folder: &self.folder, home: self.home.as_deref() };
        self.settings.borrow().permission_rules.matching(call, context).cloned()
    }
}
