//! What follows from what is heard of the window: pure, so that no order of events ends with two windows or with none that was
//! wanted.

/// Whether a window that comes up takes the focus, or leaves it to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Taken,
    Left,
}

/// What the window leaves for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The tray: the app goes on.
    Tray,
    /// The end of the app.
    Exit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Wanted(Focus),
    /// It is to leave; it had been wanted so many times by then.
    Leave {
        goal: Goal,
        wanted: u32,
    },
    /// The page has kept all that it was asked about under this number.
    Kept(u32),
    /// The page was given enough time to answer under this number.
    Late(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Nothing,
    /// Make it, and bring it up.
    Make(Focus),
    /// Bring up the one that is there.
    Raise(Focus),
    /// Ask the page under this number to keep everything.
    Ask(u32),
    /// Take it off the screen: the page has not kept everything yet.
    Hide,
    End,
    /// End the app.
    Exit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Away,
    There,
    Leaving { ask: u32, goal: Goal },
}

/// Where the window is, and how often it was asked for.
#[derive(Debug)]
pub struct Course {
    stage: Stage,
    asks: u32,
    wanted: u32,
}

impl Course {
    /// Begins with a window or with none.
    pub const fn new(there: bool) -> Self {
        let stage = if there { Stage::There } else { Stage::Away };
        Self { stage, asks: 0, wanted: 0 }
    }

    /// Returns the number of the question that the page has not answered.
    pub const fn asked(&self) -> Option<u32> {
        match self.stage {
            Stage::Leaving { ask, .. } => Some(ask),
            Stage::Away | Stage::There => None,
        }
    }

    pub const fn hear(&mut self, heard: Heard) -> Act {
        match (heard, self.stage) {
            (Heard::Wanted(focus), stage) => {
                self.wanted += 1;
                match stage {
                    // What the person chose last was to quit.
                    Stage::Leaving { goal: Goal::Exit, .. } => Act::Nothing,
                    Stage::Away => self.go(Stage::There, Act::Make(focus)),
                    Stage::There | Stage::Leaving { goal: Goal::Tray, .. } => {
                        self.go(Stage::There, Act::Raise(focus))
                    }
                }
            }
            (Heard::Leave { goal: Goal::Exit, .. }, Stage::Away) => Act::Exit,
            // A click that came after the person closed it wants it there.
            (Heard::Leave { goal: Goal::Tray, wanted }, Stage::There) if self.wanted > wanted => Act::Nothing,
            (Heard::Leave { goal: Goal::Tray, .. }, Stage::Away | Stage::Leaving { .. })
            | (Heard::Leave { .. }, Stage::Leaving { goal: Goal::Exit, .. }) => Act::Nothing,
            (Heard::Leave { goal, .. }, Stage::There | Stage::Leaving { goal: Goal::Tray, .. }) => {
                self.asks += 1;
                self.go(Stage::Leaving { ask: self.asks, goal }, Act::Ask(self.asks))
            }
            (Heard::Kept(answered), Stage::Leaving { ask, goal }) if answered == ask => match goal {
                Goal::Tray => self.go(Stage::Away, Act::End),
                Goal::Exit => Act::Exit,
            },
            (Heard::Late(asked), Stage::Leaving { ask, goal }) if asked == ask => match goal {
                Goal::Tray => Act::Hide,
                Goal::Exit => Act::Exit,
            },
            (Heard::Kept(_) | Heard::Late(_), _) => Act::Nothing,
        }
    }

    /// What was to be done could not be: the window is there, or it is not.
    pub const fn failed(&mut self, there: bool) {
        self.stage = if there { Stage::There } else { Stage::Away };
    }

    const fn go(&mut self, stage: Stage, act: Act) -> Act {
        self.stage = stage;
        act
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Heard = Heard::Wanted(Focus::Taken);
    const RAISE: Act = Act::Raise(Focus::Taken);
    const MAKE: Act = Act::Make(Focus::Taken);

    const fn close(wanted: u32) -> Heard {
        Heard::Leave { goal: Goal::Tray, wanted }
    }

    const fn quit() -> Heard {
        Heard::Leave { goal: Goal::Exit, wanted: 0 }
    }

    fn follows(there: bool, steps: &[(Heard, Act)]) {
        let mut course = Course::new(there);
        for (n, (heard, act)) in steps.iter().enumerate() {
            assert_eq!(course.hear(*heard), *act, "step {n}: {heard:?}");
        }
    }

    #[test]
    fn a_window_goes_once_its_page_has_kept_everything_and_comes_again_when_it_is_wanted() {
        let late = Heard::Late(1);
        follows(
            true,
            &[(close(0), Act::Ask(1)), (Heard::Kept(1), Act::End), (late, Act::Nothing), (WANTED, MAKE)],
        );
        follows(false, &[(WANTED, MAKE), (WANTED, RAISE), (close(2), Act::Ask(1))]);
    }

    #[test]
    fn a_page_that_has_not_kept_everything_is_only_hidden_and_goes_later() {
        follows(true, &[(close(0), Act::Ask(1)), (Heard::Late(1), Act::Hide), (Heard::Kept(1), Act::End)]);
        follows(true, &[(close(0), Act::Ask(1)), (Heard::Late(1), Act::Hide), (WANTED, RAISE)]);
    }

    #[test]
    fn what_a_page_kept_before_the_window_was_wanted_again_ends_nothing() {
        follows(
            true,
            &[
                (close(0), Act::Ask(1)),
                (WANTED, RAISE),
                (Heard::Kept(1), Act::Nothing),
                (close(1), Act::Ask(2)),
                (Heard::Kept(1), Act::Nothing),
                (Heard::Late(1), Act::Nothing),
                (Heard::Kept(2), Act::End),
            ],
        );
    }

    #[test]
    fn a_window_that_was_wanted_after_it_was_closed_stays() {
        follows(true, &[(WANTED, RAISE), (close(0), Act::Nothing), (close(1), Act::Ask(1))]);
    }

    #[test]
    fn closing_twice_asks_once_and_closing_none_does_nothing() {
        follows(true, &[(close(0), Act::Ask(1)), (close(0), Act::Nothing), (Heard::Kept(1), Act::End)]);
        follows(false, &[(close(0), Act::Nothing), (Heard::Kept(0), Act::Nothing)]);
    }

    #[test]
    fn the_app_ends_when_the_page_has_kept_everything_and_waits_for_none_that_does_not_answer() {
        follows(true, &[(quit(), Act::Ask(1)), (quit(), Act::Nothing), (Heard::Kept(1), Act::Exit)]);
        follows(true, &[(quit(), Act::Ask(1)), (WANTED, Act::Nothing), (Heard::Late(1), Act::Exit)]);
        follows(true, &[(close(0), Act::Ask(1)), (quit(), Act::Ask(2)), (Heard::Kept(2), Act::Exit)]);
        follows(false, &[(quit(), Act::Exit)]);
    }

    #[test]
    fn what_could_not_be_made_is_made_when_it_is_wanted_again() {
        let mut course = Course::new(false);
        assert_eq!(course.hear(WANTED), MAKE);
        course.failed(false);
        assert_eq!(course.hear(WANTED), MAKE);
    }
}
