//! The notification about a passed daily budget. It leads to History and stops no agent.

use askdesk_desk::PassedBudget;
use askdesk_engine::EngineError;

use super::{NotificationDriver, content};

impl NotificationDriver {
    /// Notifies the user if today's cost has just passed the budget.
    pub(super) async fn check_budget(&mut self) {
        let engine = self.api.engine();
        let cost_of = async |day| {
            let sums = engine.usage_of_days(None, day).await?;
            Ok::<_, EngineError>(sums.first().and_then(|sum| sum.cost))
        };
        let is_news = async |day, budget| engine.note_passed_budget(day, budget).await;
        match self.desk.newly_passed_budget(cost_of, is_news).await {
            Ok(Some(PassedBudget { dollars, cost })) => {
                let notification = content::of_passed_budget(&self.desk, dollars, cost);
                self.notifier.post(notification);
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "the daily budget could not be checked"),
        }
    }
}
