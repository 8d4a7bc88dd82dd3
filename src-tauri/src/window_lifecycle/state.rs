//! The window's state machine, without effects: no order of events ends with two windows, or with none after a request to show it.

use crate::window::Focus;

/// What follows after the window is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The app runs in the tray.
    Tray,
    /// The app ends.
    Exit,
    /// The app starts again.
    Restart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    ShowRequested(Focus),
    CloseRequested {
        goal: Goal,
        /// How often showing was requested before.
        show_count: u32,
    },
    /// The page has answered the save request with this number.
    PageSaved(u32),
    /// The save request with this number was not answered in time.
    PageTimedOut(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Nothing,
    Create(Focus),
    Raise(Focus),
    /// Ask the page to save everything, with a request of this number.
    AskPage(u32),
    /// Hide it, because the page has not saved everything yet.
    Hide,
    Destroy,
    /// End the app.
    Exit,
    /// Start the app again, unless something has come up.
    Restart,
    /// Go on, because the page has not saved everything, and nothing forces a restart.
    StayOpen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Open,
    Closing { request: u32, goal: Goal },
}

#[derive(Debug)]
pub struct StateMachine {
    phase: Phase,
    requests: u32,
    show_count: u32,
}

impl StateMachine {
    pub const fn new(open: bool) -> Self {
        let phase = if open { Phase::Open } else { Phase::Closed };
        Self { phase, requests: 0, show_count: 0 }
    }

    /// Returns the number of the save request that the page has not answered.
    pub const fn save_request(&self) -> Option<u32> {
        match self.phase {
            Phase::Closing { request, .. } => Some(request),
            Phase::Closed | Phase::Open => None,
        }
    }

    pub const fn handle(&mut self, event: Event) -> Action {
        match (event, self.phase) {
            (Event::ShowRequested(focus), phase) => {
                self.show_count += 1;
                match phase {
                    // The user has chosen to quit or to restart.
                    Phase::Closing { goal: Goal::Exit | Goal::Restart, .. } => Action::Nothing,
                    Phase::Closed => self.enter(Phase::Open, Action::Create(focus)),
                    Phase::Open | Phase::Closing { goal: Goal::Tray, .. } => {
                        self.enter(Phase::Open, Action::Raise(focus))
                    }
                }
            }
            (Event::CloseRequested { goal: Goal::Exit, .. }, Phase::Closed) => Action::Exit,
            (Event::CloseRequested { goal: Goal::Restart, .. }, Phase::Closed) => Action::Restart,
            // A click after the user closed it keeps it open.
            (Event::CloseRequested { goal: Goal::Tray, show_count }, Phase::Open)
                if self.show_count > show_count =>
            {
                Action::Nothing
            }
            (Event::CloseRequested { goal: Goal::Tray, .. }, Phase::Closed | Phase::Closing { .. })
            | (Event::CloseRequested { .. }, Phase::Closing { goal: Goal::Exit, .. })
            | (
                Event::CloseRequested { goal: Goal::Restart, .. },
                Phase::Closing { goal: Goal::Restart, .. },
            ) => Action::Nothing,
            (
                Event::CloseRequested { goal, .. },
                Phase::Open | Phase::Closing { goal: Goal::Tray | Goal::Restart, .. },
            ) => {
                self.requests += 1;
                self.enter(Phase::Closing { request: self.requests, goal }, Action::AskPage(self.requests))
            }
            (Event::PageSaved(answered), Phase::Closing { request, goal }) if answered == request => {
                match goal {
                    Goal::Tray => self.enter(Phase::Closed, Action::Destroy),
                    Goal::Exit => Action::Exit,
                    Goal::Restart => Action::Restart,
                }
            }
            (Event::PageTimedOut(unanswered), Phase::Closing { request, goal }) if unanswered == request => {
                match goal {
                    Goal::Tray => Action::Hide,
                    Goal::Exit => Action::Exit,
                    Goal::Restart => self.enter(Phase::Open, Action::StayOpen),
                }
            }
            (Event::PageSaved(_) | Event::PageTimedOut(_), _) => Action::Nothing,
        }
    }

    /// Notes that an action failed, and whether there is a window now.
    pub const fn failed(&mut self, open: bool) {
        self.phase = if open { Phase::Open } else { Phase::Closed };
    }

    const fn enter(&mut self, phase: Phase, action: Action) -> Action {
        self.phase = phase;
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOW: Event = Event::ShowRequested(Focus::Take);
    const RAISE: Action = Action::Raise(Focus::Take);
    const CREATE: Action = Action::Create(Focus::Take);

    const fn close(show_count: u32) -> Event {
        Event::CloseRequested { goal: Goal::Tray, show_count }
    }

    const fn quit() -> Event {
        Event::CloseRequested { goal: Goal::Exit, show_count: 0 }
    }

    fn check(open: bool, steps: &[(Event, Action)]) {
        let mut machine = StateMachine::new(open);
        for (n, (event, action)) in steps.iter().enumerate() {
            assert_eq!(machine.handle(*event), *action, "step {n}: {event:?}");
        }
    }

    #[test]
    fn a_window_is_destroyed_once_its_page_has_saved_and_is_created_again_on_request() {
        let late = Event::PageTimedOut(1);
        check(
            true,
            &[
                (close(0), Action::AskPage(1)),
                (Event::PageSaved(1), Action::Destroy),
                (late, Action::Nothing),
                (SHOW, CREATE),
            ],
        );
        check(false, &[(SHOW, CREATE), (SHOW, RAISE), (close(2), Action::AskPage(1))]);
    }

    #[test]
    fn a_window_whose_page_has_not_saved_in_time_is_hidden_and_destroyed_later() {
        check(
            true,
            &[
                (close(0), Action::AskPage(1)),
                (Event::PageTimedOut(1), Action::Hide),
                (Event::PageSaved(1), Action::Destroy),
            ],
        );
        check(true, &[(close(0), Action::AskPage(1)), (Event::PageTimedOut(1), Action::Hide), (SHOW, RAISE)]);
    }

    #[test]
    fn an_answer_from_before_the_window_was_shown_again_destroys_nothing() {
        check(
            true,
            &[
                (close(0), Action::AskPage(1)),
                (SHOW, RAISE),
                (Event::PageSaved(1), Action::Nothing),
                (close(1), Action::AskPage(2)),
                (Event::PageSaved(1), Action::Nothing),
                (Event::PageTimedOut(1), Action::Nothing),
                (Event::PageSaved(2), Action::Destroy),
            ],
        );
    }

    #[test]
    fn a_window_that_was_shown_after_the_close_request_stays_open() {
        check(true, &[(SHOW, RAISE), (close(0), Action::Nothing), (close(1), Action::AskPage(1))]);
    }

    #[test]
    fn closing_twice_asks_once_and_closing_a_closed_window_does_nothing() {
        check(
            true,
            &[
                (close(0), Action::AskPage(1)),
                (close(0), Action::Nothing),
                (Event::PageSaved(1), Action::Destroy),
            ],
        );
        check(false, &[(close(0), Action::Nothing), (Event::PageSaved(0), Action::Nothing)]);
    }

    #[test]
    fn the_app_exits_when_the_page_has_saved_or_timed_out() {
        check(
            true,
            &[(quit(), Action::AskPage(1)), (quit(), Action::Nothing), (Event::PageSaved(1), Action::Exit)],
        );
        check(
            true,
            &[(quit(), Action::AskPage(1)), (SHOW, Action::Nothing), (Event::PageTimedOut(1), Action::Exit)],
        );
        check(
            true,
            &[
                (close(0), Action::AskPage(1)),
                (quit(), Action::AskPage(2)),
                (Event::PageSaved(2), Action::Exit),
            ],
        );
        check(false, &[(quit(), Action::Exit)]);
    }

    #[test]
    fn the_app_restarts_only_when_the_page_has_saved() {
        let restart = Event::CloseRequested { goal: Goal::Restart, show_count: 0 };
        check(
            true,
            &[
                (restart, Action::AskPage(1)),
                (restart, Action::Nothing),
                (SHOW, Action::Nothing),
                (close(1), Action::Nothing),
                (Event::PageSaved(1), Action::Restart),
            ],
        );
        check(
            true,
            &[
                (restart, Action::AskPage(1)),
                (Event::PageTimedOut(1), Action::StayOpen),
                (Event::PageSaved(1), Action::Nothing),
                (restart, Action::AskPage(2)),
                (quit(), Action::AskPage(3)),
                (Event::PageSaved(3), Action::Exit),
            ],
        );
        check(false, &[(restart, Action::Restart)]);
    }

    #[test]
    fn a_restart_that_something_has_come_up_against_leaves_the_window_open() {
        let restart = Event::CloseRequested { goal: Goal::Restart, show_count: 0 };
        let mut machine = StateMachine::new(true);
        assert_eq!(machine.handle(restart), Action::AskPage(1));
        assert_eq!(machine.handle(Event::PageSaved(1)), Action::Restart);
        machine.failed(true);
        assert_eq!(machine.handle(close(0)), Action::AskPage(2));
    }

    #[test]
    fn a_window_that_could_not_be_created_is_created_on_the_next_request() {
        let mut machine = StateMachine::new(false);
        assert_eq!(machine.handle(SHOW), CREATE);
        machine.failed(false);
        assert_eq!(machine.handle(SHOW), CREATE);
    }
}
