//! Which options of a question become buttons of its notification: only where nobody can press one without knowing what it is.

use askdesk_domain::{OptionId, Question, QuestionId, QuestionKind};

use super::contract::{Button, What};
use super::notices::{BODY_CHARS, seen_start};
use crate::words::Words;

/// More options than this fit on no desktop's notification.
const MOST: usize = 3;

/// The most characters of an option that a button shows.
const LABEL_CHARS: usize = 40;

/// The options that can be pressed.
#[derive(Debug, PartialEq, Eq)]
pub struct Choices {
    question: QuestionId,
    options: Vec<(OptionId, String)>,
}

impl Choices {
    /// Offers the options of a lone question with one choice, if they are few, the question is there to be read whole, and
    /// no two buttons look the same.
    pub fn of(questions: &[Question], words: &Words) -> Option<Self> {
        let [question] = questions else { return None };
        let one_choice = matches!(question.kind, QuestionKind::Single | QuestionKind::Confirm);
        let whole = seen_start(&question.text, BODY_CHARS + 1).chars().nth(BODY_CHARS).is_none();
        if !one_choice || !whole || question.options.is_empty() || question.options.len() > MOST {
            return None;
        }
        let label = |label: &str| seen_start(label.trim(), LABEL_CHARS);
        let options: Vec<_> = question.options.iter().map(|it| (it.id, label(&it.label))).collect();
        let mut labels: Vec<&str> = options.iter().map(|(_, label)| label.as_str()).collect();
        labels.extend(["", words.open]);
        labels.sort_unstable();
        let differ = labels.windows(2).all(|two| two[0] != two[1]);
        differ.then_some(Self { question: question.id, options })
    }

    pub fn buttons(&self) -> Vec<Button> {
        let button =
            |(id, label): &(OptionId, String)| Button { what: What::Option(*id), label: label.clone() };
        self.options.iter().map(button).collect()
    }

    /// Returns the question and the words of an option that is offered.
    pub fn chosen(&self, option: OptionId) -> Option<(QuestionId, String)> {
        let (_, label) = self.options.iter().find(|(id, _)| *id == option)?;
        Some((self.question, label.clone()))
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Language, QuestionOption};

    use super::*;
    use crate::words;

    fn question(kind: QuestionKind, labels: &[&str]) -> Question {
        let id = QuestionId::at(0);
        let option = |(index, label): (usize, &&str)| QuestionOption {
            id: id.option(index),
            label: (*label).to_owned(),
            description: None,
            preview: None,
            recommended: false,
        };
        Question {
            id,
            text: "Which one?".to_owned(),
            header: None,
            kind,
            options: labels.iter().enumerate().map(option).collect(),
            allows_other: true,
            other_description: None,
            required: false,
            placeholder: None,
        }
    }

    fn labels(questions: &[Question]) -> Option<Vec<String>> {
        let choices = Choices::of(questions, words::of(Language::En))?;
        Some(choices.buttons().into_iter().map(|button| button.label).collect())
    }

    #[test]
    fn a_lone_question_with_one_choice_of_up_to_three_has_buttons() {
        let jwt = question(QuestionKind::Single, &["JWT (Recommended)", "  Session\u{7}", "<b>&</b>"]);
        assert_eq!(labels(&[jwt]).unwrap(), ["JWT (Recommended)", "Session", "<b>&</b>"]);
        assert_eq!(labels(&[question(QuestionKind::Confirm, &["Yes", "No"])]).unwrap(), ["Yes", "No"]);
        let long = question(QuestionKind::Single, &[&"x".repeat(10_000), "y"]);
        assert_eq!(labels(&[long]).unwrap()[0].chars().count(), LABEL_CHARS + 1);
    }

    #[test]
    fn the_button_of_an_option_is_known_by_its_id() {
        let choices =
            Choices::of(&[question(QuestionKind::Single, &["A", "B"])], words::of(Language::En)).unwrap();
        let second = QuestionId::at(0).option(1);
        assert_eq!(choices.buttons()[1].what, What::Option(second));
        assert_eq!(choices.chosen(second), Some((QuestionId::at(0), "B".to_owned())));
        assert_eq!(choices.chosen(QuestionId::at(0).option(2)), None);
    }

    #[test]
    fn any_other_request_has_none() {
        let single = |labels| question(QuestionKind::Single, labels);
        for questions in [
            vec![],
            vec![single(&["A", "B"]), single(&["A", "B"])],
            vec![single(&["A", "B", "C", "D"])],
            vec![single(&[])],
            vec![question(QuestionKind::Multi, &["A", "B"])],
            vec![question(QuestionKind::Text, &[])],
            vec![question(QuestionKind::Secret, &[])],
        ] {
            assert_eq!(labels(&questions), None, "{questions:?}");
        }
    }

    #[test]
    fn nobody_presses_what_they_could_not_read_or_tell_apart() {
        let unread = |text: String| Question { text, ..question(QuestionKind::Single, &["A", "B"]) };
        assert_eq!(labels(&[unread("x".repeat(BODY_CHARS + 1))]), None);
        assert_eq!(labels(&[unread("\u{200b}".repeat(BODY_CHARS))]), None);
        assert!(labels(&[unread("x".repeat(BODY_CHARS))]).is_some());
        let (one, two) = ("x".repeat(60) + "1", "x".repeat(60) + "2");
        for alike in [[one.as_str(), two.as_str()], ["A", "\u{7}A"], ["Open", "Close"], ["A", "\u{0}"]] {
            assert_eq!(labels(&[question(QuestionKind::Single, &alike)]), None, "{alike:?}");
        }
    }
}
