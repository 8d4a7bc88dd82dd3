//! The notification about a passed daily budget. It leads to History and stops no agent.

use askdesk_api::PassedBudget;

use super::{NotificationDriver, content};

impl NotificationDriver {
    /// Notifies the user if today's cost has just passed the budget.
    pub(super) async fn check_budget(&mut self) {
        match self.api.newly_passed_budget().await {
            Ok(Some(PassedBudget { dollars, cost })) => {
                let notification = content::of_passed_budget(&self.api, dollars, cost);
                self.notifier.post(notification);
            }
            Ok(None) => {}
            Err(error) => tracing::error!(error = error.message, "the daily budget could not be checked"),
        }
    }
}
