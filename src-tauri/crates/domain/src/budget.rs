//! The daily budget. Passing it notifies the user and never stops an agent.

use crate::error::{Bounds, number_setting};
use crate::usage::Usd;

number_setting! {
    /// What all agents together may cost on one day before the user is notified, in US dollars; 0 is no budget.
    DailyBudget, Bounds::Between(0, 10_000), default 0
}

impl DailyBudget {
    /// Returns the budget in dollars; none if there is no budget.
    pub fn dollars(self) -> Option<u16> {
        (self.0 != 0).then_some(self.0)
    }

    /// Returns whether the cost of a day is above the budget.
    pub fn is_passed_by(self, cost: Usd) -> bool {
        self.dollars().and_then(|dollars| Usd::new(f64::from(dollars))).is_some_and(|budget| cost > budget)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_budget(0, 5_000.0, false)]
    #[case::below(15, 14.999_999, false)]
    #[case::used_up_but_not_passed(15, 15.0, false)]
    #[case::passed(15, 15.000_001, true)]
    #[case::nothing_spent(1, 0.0, false)]
    #[case::the_largest(10_000, 10_000.01, true)]
    fn a_budget_is_passed_by_more_than_it(#[case] dollars: u16, #[case] cost: f64, #[case] passed: bool) {
        let budget = DailyBudget::try_from(dollars).unwrap();
        assert_eq!(budget.is_passed_by(Usd::new(cost).unwrap()), passed);
    }

    #[test]
    fn a_budget_is_bounded_and_off_by_default() {
        assert_eq!(DailyBudget::default().dollars(), None);
        assert!([10_001, u16::MAX].into_iter().all(|dollars| DailyBudget::try_from(dollars).is_err()));
    }
}
