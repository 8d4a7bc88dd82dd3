//! The options of a question that become buttons of its notification: only if the user can read all of the question and tell
//! the options apart.

use askdesk_domain::{OptionId, Question, QuestionId, QuestionKind};

use super::notifier::{BODY_CHARS, Button, ButtonAction};
use crate::messages::Messages;
use crate::sanitize::sanitized_start;

/// No desktop's notifications have room for more.
const MAX_OPTIONS: usize = 3;

/// The most characters of a button's label.
const LABEL_CHARS: usize = 40;

#[derive(Debug, PartialEq, Eq)]
pub struct OptionButtons {
    question: QuestionId,
    options: Vec<(OptionId, String)>,
}

impl OptionButtons {
    /// Offers the options of a single question with one choice, if they are few, the whole question fits, and no two labels
    /// look the same.
    pub fn new(questions: &[Question], messages: &Messages) -> Option<Self> {
        let [question] = questions else { return None };
        let single_choice = matches!(question.kind, QuestionKind::Single | QuestionKind::Confirm);
        let whole = sanitized_start(&question.text, BODY_CHARS + 1).chars().nth(BODY_CHARS).is_none();
        if !single_choice || !whole || question.options.is_empty() || question.options.len() > MAX_OPTIONS {
            return None;
        }
        let label = |label: &str| sanitized_start(label.trim(), LABEL_CHARS);
        let options: Vec<_> = question.options.iter().map(|it| (it.id, label(&it.label))).collect();
        let mut labels: Vec<&str> = options.iter().map(|(_, label)| label.as_str()).collect();
        labels.extend(["", messages.open]);
        labels.sort_unstable();
        let differ = labels.windows(2).all(|two| two[0] != two[1]);
        differ.then_some(Self { question: question.id, options })
    }

    pub fn buttons(&self) -> Vec<Button> {
        let button = |(id, label): &(OptionId, String)| Button {
            action: ButtonAction::Option(*id),
            label: label.clone(),
        };
        self.options.iter().map(button).collect()
    }

    /// Returns the question and the label of an offered option.
    pub fn chosen(&self, option: OptionId) -> Option<(QuestionId, String)> {
        let (_, label) = self.options.iter().find(|(id, _)| *id == option)?;
        Some((self.question, label.clone()))
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Language, QuestionOption};

    use super::*;
    use crate::messages;

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
            bounds: None,
            default: None,
        }
    }

    fn labels(questions: &[Question]) -> Option<Vec<String>> {
        let option_buttons = OptionButtons::new(questions, messages::of(Language::En))?;
        Some(option_buttons.buttons().into_iter().map(|button| button.label).collect())
    }

    #[test]
    fn a_single_question_with_up_to_three_options_has_buttons() {
        let jwt = question(QuestionKind::Single, &["JWT (Recommended)", "  Session\u{7}", "<b>&</b>"]);
        assert_eq!(labels(&[jwt]).unwrap(), ["JWT (Recommended)", "Session", "<b>&</b>"]);
        assert_eq!(labels(&[question(QuestionKind::Confirm, &["Yes", "No"])]).unwrap(), ["Yes", "No"]);
        let long = question(QuestionKind::Single, &[&"x".repeat(10_000), "y"]);
        assert_eq!(labels(&[long]).unwrap()[0].chars().count(), LABEL_CHARS + 1);
    }

    #[test]
    fn a_button_names_its_option_by_id() {
        let option_buttons =
            OptionButtons::new(&[question(QuestionKind::Single, &["A", "B"])], messages::of(Language::En))
                .unwrap();
        let second = QuestionId::at(0).option(1);
        assert_eq!(option_buttons.buttons()[1].action, ButtonAction::Option(second));
        assert_eq!(option_buttons.chosen(second), Some((QuestionId::at(0), "B".to_owned())));
        assert_eq!(option_buttons.chosen(QuestionId::at(0).option(2)), None);
    }

    #[test]
    fn other_requests_have_no_buttons() {
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
    fn a_question_that_is_cut_or_has_similar_labels_has_no_buttons() {
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
