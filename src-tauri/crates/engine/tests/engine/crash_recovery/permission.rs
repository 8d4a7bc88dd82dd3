//! The app is killed at every step between a permission request and its decision: nothing is decided that the user did not
//! decide, and the agent gets no decision twice.

use crate::support::agents::{Stage, decides, fake_agent};
use crate::support::desk::poll;
use crate::support::own_process::{handed_folder, kill_at};
use askdesk_domain::{Approval, ApprovalState};
use rstest::rstest;

const SCENARIO: &str = "approval";

/// The agent asks for permission and gets it. The test below kills it on the way, in its own process.
#[tokio::test(flavor = "multi_thread")]
async fn one_permission() {
    let own = tempfile::tempdir().unwrap();
    let folder = handed_folder().unwrap_or_else(|| own.path().to_owned());
    let mut stage = Stage::open_at(&folder).await;
    let session = stage.play(SCENARIO).await;
    let approval = stage.permission(session).await;
    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    poll("the decision arrives", || stage.decisions(session).len() == 1).await;
}

/// What the restart finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    /// It is closed without a decision.
    Closed,
    Allowed,
}

fn what_is_left(approval: Option<&Approval>) -> Left {
    match approval.map(|it| &it.state) {
        None => Left::Nothing,
        Some(ApprovalState::Withdrawn { .. }) => Left::Closed,
        Some(ApprovalState::Decided { decision, .. }) if *decision == decides(&["allow"]) => Left::Allowed,
        Some(other) => panic!("{other:?}"),
    }
}

#[rstest]
#[case::register("Deciding Approval Ask", Left::Nothing)]
#[case::commit("Committed Approval Ask", Left::Closed)]
#[case::fold("Folded Approval Ask", Left::Closed)]
#[case::publish("Published Approval Ask", Left::Closed)]
#[case::decide("Deciding Approval Decide", Left::Closed)]
#[case::commit_of_the_decision("Committed Approval Decide", Left::Allowed)]
#[case::fold_of_the_decision("Folded Approval Decide", Left::Allowed)]
#[case::publish_of_the_decision("Published Approval Decide", Left::Allowed)]
#[tokio::test]
async fn case_48_after_a_kill_at_any_step_a_permission_is_decided_by_the_user_or_not_at_all(
    #[case] step: &str,
    #[case] expected: Left,
) {
    let folder = tempfile::tempdir().unwrap();
    fake_agent();
    kill_at(step, module_path!(), "one_permission", folder.path());

    let mut stage = Stage::open_at(folder.path()).await;
    let now = stage.desk.snapshot().await;
    let session = now.sessions[0].id;
    let left = now.approvals.first();
    assert_eq!(what_is_left(left), expected);
    let sent = stage.decisions(session).len();
    assert!(sent <= usize::from(expected == Left::Allowed), "{sent}");
    // The call is gone with its agent, and a decision is final.
    if let Some(left) = left {
        assert!(stage.desk.engine.decide_approval(left.id, decides(&["deny"])).await.is_err());
    }
    stage.resume(session, SCENARIO).await;
    stage.go_on(session).await;
    assert_eq!(stage.decisions(session).len(), sent, "nothing is sent again");
    assert_eq!(what_is_left(stage.desk.snapshot().await.approvals.first()), expected);
    stage.desk.check_mirror().await;
}
