use rstest::rstest;

use super::*;

const DAY: i64 = CHECK_AGAIN;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn release() -> Release {
    release_of("0.3.0")
}

fn release_of(version: &str) -> Release {
    Release { version: version.to_owned(), notes: String::new(), size: None }
}

fn install(way: Way) -> Event {
    Event::InstallAsked { version: "0.3.0".to_owned(), way }
}

fn offline() -> UpdateProblem {
    UpdateProblem::Offline { error: "no route".to_owned() }
}

/// A machine that has found version 0.3.0.
fn available(installs: Installs) -> StateMachine {
    let mut machine = StateMachine::new(Some(installs), KeptUpdate::default());
    assert_eq!(machine.handle(Event::CheckAsked { by: Asker::Clock }), Action::Check);
    assert_eq!(machine.handle(Event::Checked { newer: Ok(Some(release())), at: at(0) }), Action::Nothing);
    machine
}

fn begun(installs: Installs) -> StateMachine {
    let mut machine = available(installs);
    assert_eq!(machine.handle(install(Way::Clear)), Action::Download);
    machine
}

fn ended(result: Result<(), UpdateProblem>, way: Way) -> Event {
    Event::DownloadEnded { result, way }
}

fn installed(result: Result<(), UpdateProblem>, way: Way) -> Event {
    Event::InstallEnded { result, way }
}

#[test]
fn what_comes_up_stops_it_before_each_step_and_nothing_goes_on_by_itself() {
    let mut machine = available(Installs::WhileRunning);
    assert_eq!(machine.handle(install(Way::Blocked)), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Available { release: release() });

    let mut machine = begun(Installs::WhileRunning);
    assert_eq!(machine.handle(ended(Ok(()), Way::Blocked)), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Downloaded { release: release() });
    assert_eq!(machine.handle(install(Way::Blocked)), Action::Nothing);
    assert_eq!(machine.handle(install(Way::Clear)), Action::Install);
    assert_eq!(machine.handle(installed(Ok(()), Way::Blocked)), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Installed { release: release() });
    assert_eq!(machine.handle(install(Way::Blocked)), Action::Nothing);
    assert_eq!(machine.handle(install(Way::Clear)), Action::Restart);
    assert_eq!(machine.handle(Event::NotRestarted { problem: None }), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Installed { release: release() });
}

#[test]
fn an_installer_that_ends_the_app_begins_when_everything_else_has_ended() {
    let mut machine = begun(Installs::AtExit);
    assert_eq!(machine.handle(ended(Ok(()), Way::Clear)), Action::Restart);
    assert_eq!(machine.phase(), &UpdatePhase::Installing { release: release() });
    let problem = Some(UpdateProblem::NotSaved);
    assert_eq!(machine.handle(Event::NotRestarted { problem: problem.clone() }), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Downloaded { release: release() });
    assert_eq!(machine.problem(), problem.as_ref());
    assert_eq!(machine.handle(install(Way::Clear)), Action::Restart);
    assert_eq!(machine.problem(), None);
}

#[test]
fn what_the_user_installs_is_offered_and_never_downloaded() {
    let mut machine = available(Installs::ByHand);
    assert!(machine.is_offered());
    assert_eq!(machine.release(), Some(&release()));
    assert_eq!(machine.handle(install(Way::Clear)), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Available { release: release() });
}

#[test]
fn another_version_than_the_user_has_seen_is_not_installed() {
    let mut machine = available(Installs::WhileRunning);
    let asked = Event::InstallAsked { version: "0.2.9".to_owned(), way: Way::Clear };
    assert_eq!(machine.handle(asked), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Available { release: release() });
}

#[test]
fn a_canceled_download_offers_the_version_again_and_its_end_changes_nothing() {
    let mut machine = begun(Installs::WhileRunning);
    assert_eq!(machine.handle(Event::CancelAsked), Action::CancelDownload);
    assert_eq!(machine.handle(ended(Ok(()), Way::Clear)), Action::Nothing);
    assert_eq!(machine.handle(Event::CancelAsked), Action::Nothing);
    assert_eq!(machine.phase(), &UpdatePhase::Available { release: release() });
    assert_eq!(machine.problem(), None);
}

#[rstest]
#[case(UpdateProblem::Signature, false)]
#[case(UpdateProblem::Unusable, false)]
#[case(UpdateProblem::NotAllowed, true)]
#[case(offline(), true)]
fn a_bad_package_is_not_kept_and_a_good_one_can_be_tried_again(
    #[case] problem: UpdateProblem,
    #[case] is_kept: bool,
) {
    let mut machine = begun(Installs::WhileRunning);
    machine.handle(ended(Ok(()), Way::Clear));
    assert_eq!(machine.handle(installed(Err(problem.clone()), Way::Clear)), Action::Nothing);
    assert_eq!(matches!(machine.phase(), UpdatePhase::Downloaded { .. }), is_kept);
    assert_eq!(machine.problem(), Some(&problem));
}

#[test]
fn a_skipped_version_is_not_offered_and_the_one_after_it_is() {
    let mut machine = available(Installs::WhileRunning);
    assert!(machine.is_offered());
    let until = SetAsideUntil::NextVersion;
    machine.handle(Event::SetAside { version: "0.2.9".to_owned(), until });
    assert!(machine.is_offered(), "it is another version");
    machine.handle(Event::SetAside { version: "0.3.0".to_owned(), until });
    assert!(!machine.is_offered());
    // The user has looked it up and wants it after all.
    assert_eq!(machine.clone().handle(install(Way::Clear)), Action::Download);

    let mut machine = StateMachine::new(Some(Installs::WhileRunning), machine.kept().clone());
    machine.handle(Event::CheckAsked { by: Asker::Clock });
    machine.handle(Event::Checked { newer: Ok(Some(release())), at: at(DAY) });
    assert!(!machine.is_offered());
    machine.handle(Event::CheckAsked { by: Asker::Clock });
    machine.handle(Event::Checked { newer: Ok(Some(release_of("0.3.1"))), at: at(DAY) });
    assert!(machine.is_offered());
}

#[test]
fn a_version_that_was_put_off_is_offered_again_after_the_next_start() {
    let mut machine = available(Installs::WhileRunning);
    machine.handle(Event::SetAside { version: "0.3.0".to_owned(), until: SetAsideUntil::NextStart });
    assert!(!machine.is_offered());
    let kept = machine.kept().clone();
    assert_eq!(kept.skipped, None);
    assert!(!StateMachine::new(Some(Installs::WhileRunning), kept).is_offered(), "nothing is known yet");
}

#[test]
fn a_check_is_due_once_a_day_and_an_hour_after_one_that_failed() {
    let mut machine = StateMachine::new(Some(Installs::WhileRunning), KeptUpdate::default());
    assert!(machine.is_check_due(at(0)));
    machine.handle(Event::CheckAsked { by: Asker::Clock });
    assert!(!machine.is_check_due(at(0)), "it runs");
    machine.handle(Event::Checked { newer: Err(offline()), at: at(0) });
    assert!(!machine.is_check_due(at(TRY_AGAIN - 1)));
    assert!(machine.is_check_due(at(TRY_AGAIN)));
    machine.handle(Event::CheckAsked { by: Asker::Clock });
    machine.handle(Event::Checked { newer: Ok(None), at: at(TRY_AGAIN) });
    assert_eq!(machine.phase(), &UpdatePhase::Idle);
    assert!(!machine.is_check_due(at(TRY_AGAIN + DAY - 1)));
    assert!(machine.is_check_due(at(TRY_AGAIN + DAY)));
    assert!(machine.is_check_due(at(0)), "the clock was set back");
    assert!(!begun(Installs::WhileRunning).is_check_due(at(9 * DAY)), "an update goes on");
}

#[test]
fn only_a_check_that_the_user_asked_for_says_that_it_failed_and_what_was_known_stays() {
    for (by, shown) in [(Asker::User, Some(offline())), (Asker::Clock, None)] {
        let mut machine = available(Installs::WhileRunning);
        machine.handle(Event::CheckAsked { by });
        assert_eq!(machine.phase(), &UpdatePhase::Checking { known: Some(release()) });
        machine.handle(Event::Checked { newer: Err(offline()), at: at(1) });
        assert_eq!(machine.phase(), &UpdatePhase::Available { release: release() });
        assert_eq!(machine.problem(), shown.as_ref());
        assert_eq!(machine.kept().checked_at, Some(at(0)));
    }
}

#[test]
fn a_check_or_a_second_consent_is_no_new_download() {
    let mut machine = begun(Installs::WhileRunning);
    assert_eq!(machine.handle(Event::CheckAsked { by: Asker::User }), Action::Nothing);
    assert_eq!(machine.handle(install(Way::Clear)), Action::Nothing);
}
