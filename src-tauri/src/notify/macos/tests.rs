use super::super::notifier::fixtures::{notification, option};
use super::*;

#[test]
fn a_slot_is_used_by_one_notification_at_a_time() {
    let mut slots = Slots::default();
    assert_eq!([slots.take(1), slots.take(2), slots.take(3)], [0, 1, 2]);
    slots.free(2);
    slots.free(9);
    assert_eq!([slots.take(4), slots.take(5)], [1, 3]);
}

#[test]
fn notifications_of_an_earlier_run_are_told_from_those_of_other_groups() {
    assert!(is_of("desk", &name("desk", 7)));
    for other in ["", "desk", "desk-12/7", "des/7", "another/7"] {
        assert!(!is_of("desk", other), "{other}");
    }
}

#[test]
fn a_buttons_id_leads_back_to_its_key() {
    assert_eq!(key(&button_id(3, option(0))), "q1o1");
    assert_eq!(key("com.apple.something"), "com.apple.something");
}

#[test]
fn a_notification_that_is_withdrawn_before_permission_is_given_is_not_shown() {
    let mut held = BTreeMap::new();
    for command in [
        Command::Show(1, notification(1)),
        Command::Show(2, notification(2)),
        Command::Remove(vec![1, 9]),
        Command::Show(3, notification(3)),
    ] {
        hold(&mut held, command);
    }
    assert_eq!(held.into_keys().collect::<Vec<_>>(), [2, 3]);
}
