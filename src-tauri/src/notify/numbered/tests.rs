use super::super::notifier::Button;
use super::super::notifier::fixtures::{notification, option, request};
use super::queue::{Command, CommandQueue};
use super::*;

#[test]
fn each_notification_is_activated_once_by_a_button_that_it_offers() {
    let (sender, mut activations) = mpsc::unbounded_channel();
    let handler = PressHandler::new(&sender);
    let (queue, _commands) = CommandQueue::new();
    let mut notifier = NumberedNotifier::new(queue, handler.clone());
    (1..=3).for_each(|number| notifier.post(notification(number)));
    for key in ["q1o3", "undo", "JWT", ""] {
        handler.pressed(Some(1), key);
    }
    for (number, key) in [(1, "q1o2"), (1, "q1o1"), (2, TAP), (2, TAP), (9, TAP)] {
        handler.pressed(Some(number), key);
    }
    handler.pressed(None, TAP);
    assert_eq!(activations.try_recv(), Ok(Activation::new(request(1), option(1))));
    assert_eq!(activations.try_recv(), Ok(Activation::new(request(2), ButtonAction::Open)));
    drop(sender);
    assert_eq!(activations.try_recv(), Err(mpsc::error::TryRecvError::Disconnected));
    handler.pressed(Some(3), TAP);
}

#[test]
fn a_notification_replaces_the_earlier_one_of_its_subject() {
    let (sender, mut activations) = mpsc::unbounded_channel();
    let handler = PressHandler::new(&sender);
    let (queue, mut commands) = CommandQueue::new();
    let mut notifier = NumberedNotifier::new(queue, handler.clone());
    notifier.post(notification(1));
    notifier.post(notification(2));
    handler.pressed(Some(1), "q1o1");
    assert_eq!(activations.try_recv(), Ok(Activation::new(request(1), option(0))));
    let undo = Button { action: ButtonAction::Undo, label: "Undo".to_owned() };
    notifier.post(Notification { buttons: vec![undo], ..notification(1) });
    notifier.withdraw(request(2));
    notifier.withdraw(request(7));
    let commands = std::iter::from_fn(|| commands.try_recv().ok());
    let removed = commands.filter_map(|command| match command {
        Command::Remove(numbers) => Some(numbers),
        Command::Show(..) => None,
    });
    assert_eq!(removed.collect::<Vec<_>>(), [[1], [2]]);
    for (number, key) in [(1, "q1o2"), (2, "q1o1"), (3, "undo")] {
        handler.pressed(Some(number), key);
    }
    assert_eq!(activations.try_recv(), Ok(Activation::new(request(1), ButtonAction::Undo)));
    assert_eq!(activations.try_recv(), Err(mpsc::error::TryRecvError::Empty));
}

#[test]
fn the_first_button_answers_nothing_because_macos_uses_it_for_the_menu() {
    let (sender, _activations) = mpsc::unbounded_channel();
    let (queue, mut commands) = CommandQueue::new();
    NumberedNotifier::new(queue, PressHandler::new(&sender)).post(notification(1));
    let Ok(Command::Show(1, shown)) = commands.try_recv() else { panic!("nothing is shown") };
    let buttons = shown.buttons.iter().map(|button| button.action);
    assert_eq!(buttons.collect::<Vec<_>>(), [ButtonAction::Open, option(0), option(1)]);
}
