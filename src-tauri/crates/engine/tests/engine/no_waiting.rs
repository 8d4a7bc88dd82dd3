//! Sessions don't wait for what isn't theirs: another session, its agent, or its folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use askdesk_agents::{LaunchPlan, Start};
use askdesk_domain::{
    ChangeRefused, DeliveryError, LaunchOverrides, Rejection, SessionEnd, SessionId, SessionOptions,
    SessionState,
};
use askdesk_engine::QUIT_LIMIT;
use askdesk_engine::SessionCall;
use askdesk_engine::clock::Clock;
use futures_util::FutureExt;
use futures_util::future::{join, join_all};

use crate::support::agents::{Stage, is_alive};
use crate::support::desk::{PATIENCE, Staging, locked, poll, rejected};

/// An agent whose files respond slowly: its start takes this long.
fn slow(stage: &Stage, script: &str, delay: Duration) -> Staging {
    let plan = stage.script_plan(script);
    Box::new(move |_: &Start| {
        std::thread::sleep(delay);
        Ok(plan)
    })
}

const STAYS: &str = "exec sleep 1000";
/// An agent that ends only when it is killed.
const STUBBORN: &str = "trap '' TERM; echo ready > \"$0/ready\"; while :; do sleep 0.05; done";

#[tokio::test(flavor = "multi_thread")]
async fn slow_agents_are_resumed_side_by_side_and_one_session_only_once() {
    let mut stage = Stage::open().await;
    let mut ended = Vec::new();
    for _ in 0..4 {
        let session = stage.play("technology").await;
        stage.asked_one(session).await;
        stage.stop(session).await;
        ended.push(session);
    }
    for _ in 0..4 {
        stage.desk.agent.stage(slow(&stage, STAYS, Duration::from_secs(2)));
    }
    let set = LaunchOverrides::default();
    let began = Instant::now();
    // Each is resumed by two callers. Only four starts are staged.
    let twice = ended.iter().chain(&ended);
    let resumed = join_all(twice.map(|session| stage.sessions.resume(*session, &set))).await;
    assert!(resumed.iter().all(|resumed| resumed.as_ref().unwrap().is_running()));
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    stage.sessions.shut_down().await;
}

/// Starts nine sessions at once, and with them one whose files respond so late. Returns when nine agents ran.
async fn nine_starts_and(slow_one: Option<Duration>) -> Duration {
    let stage = &Stage::open().await;
    let began = Instant::now();
    let delays = std::iter::repeat_n(Duration::ZERO, 9).chain(slow_one);
    let starts = delays.map(async |delay| {
        let id = stage.desk.clock.session_id();
        let script = "echo began >> \"$0/began\"; exec sleep 1000";
        stage.start_staged(id, slow(stage, script, delay), None, SessionOptions::default()).await;
    });
    join_all(starts).await;
    let file = stage.desk.folder.join("began");
    poll("nine agents run", || std::fs::read_to_string(&file).is_ok_and(|text| text.lines().count() == 9))
        .await;
    let took = began.elapsed();
    stage.sessions.shut_down().await;
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn nine_starts_do_not_wait_for_a_tenth_that_hangs() {
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    // Other work of the machine makes single rounds slower.
    for _ in 0..3 {
        alone.push(nine_starts_and(None).await);
        beside.push(nine_starts_and(Some(Duration::from_secs(3))).await);
    }
    println!("nine starts: {alone:?} alone, {beside:?} beside one that hangs");
    let best = |times: &[Duration]| times.iter().min().copied().unwrap();
    assert!(best(&beside) < best(&alone) + Duration::from_secs(1), "{alone:?} {beside:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_start_does_not_wait_for_another_in_a_folder_that_does_not_respond() {
    use askdesk_testkit::hung_disk::HungDisk;
    let test = "a_start_does_not_wait_for_another_in_a_folder_that_does_not_respond";
    let Some(disk) = HungDisk::mount_or_skip(test) else { return };
    let mut stage = Stage::open().await;
    let hung_folder = disk.path().join("project");
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    // If it is waited for, it must end, too.
    let end = std::thread::spawn(move || {
        let _ = is_over.recv_timeout(PATIENCE);
        drop(disk);
    });
    let staged = &stage;
    let start = async |id: SessionId, folder: PathBuf| {
        let stage = staged;
        let plan = stage.script_plan(STAYS);
        let staging: Staging =
            Box::new(move |start: &Start| Ok(LaunchPlan { folder: start.folder.clone(), ..plan }));
        stage.start_staged_in(folder, id, staging, None, SessionOptions::default()).await
    };
    let [hung, other] = [stage.desk.clock.session_id(), stage.desk.clock.session_id()];
    let starts = join(start(hung, hung_folder), async {
        let session = start(other, staged.desk.folder.clone()).await;
        let is_known = staged.desk.engine.session(hung).await.is_ok();
        drop(over);
        (session, is_known)
    });
    let (hung, (other, hung_came_first)) = Box::pin(starts).await;
    assert!(other.is_running() && !hung_came_first);
    assert!(matches!(stage.until_ended(hung.id).await, SessionEnd::Failed { .. }));
    stage.sessions.shut_down().await;
    end.join().unwrap();
}

async fn stubborn(stage: &Stage) -> SessionId {
    let session = stage.script(STUBBORN, None).await;
    let ready = stage.desk.folder.join("ready");
    poll("the agent runs", || ready.exists()).await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_who_stops_a_session_is_told_that_it_stopped() {
    let mut stage = Stage::open().await;
    let session = stubborn(&stage).await;
    let stops = (0..3).map(|_| stage.sessions.stop(session));
    for stopped in join_all(stops).await {
        stopped.unwrap();
    }
    assert_eq!(stage.until_ended(session).await, SessionEnd::Stopped);
}

async fn until_it_takes_nothing(stage: &Stage, session: SessionId) {
    let gone = async {
        while stage.sessions.call(session, SessionCall::Interrupt).await.map_err(rejected)
            != Err(Rejection::SessionGone)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("its task takes nothing more");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stops_a_session_that_is_just_ending_is_told_that_it_ended() {
    let mut stage = Stage::open().await;
    let session = stage.script("until [ -e \"$0/end\" ]; do sleep 0.02; done", None).await;
    // Its end can't be stored at once.
    let lock = locked(&stage.desk.folder);
    std::fs::write(stage.desk.folder.join("end"), "").unwrap();
    until_it_takes_nothing(&stage, session).await;
    stage.sessions.stop(session).await.unwrap();
    drop(lock);
    assert_eq!(stage.until_ended(session).await, SessionEnd::Finished);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_desk_waits_for_a_locked_database_only_until_its_deadline() {
    let stage = Stage::open().await;
    stage.script(STAYS, None).await;
    let lock = locked(&stage.desk.folder);
    let began = Instant::now();
    stage.sessions.shut_down().await;
    assert!(began.elapsed() < QUIT_LIMIT + Duration::from_secs(2), "{:?}", began.elapsed());
    drop(lock);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_takes_no_more_inputs_is_busy_and_one_that_has_ended_is_gone() {
    let mut stage = Stage::open().await;
    let session = stubborn(&stage).await;
    // Its task runs once it answers.
    let _ = stage.sessions.call(session, SessionCall::Compact).await;
    // Polled once, so that the stop is the first of its inputs.
    let mut stopping = Box::pin(stage.sessions.stop(session));
    assert!(stopping.as_mut().now_or_never().is_none());
    let began = Instant::now();
    // Its task waits for the agent's end, and leaves its inputs.
    let refused = loop {
        match stage.sessions.call(session, SessionCall::Interrupt).await {
            Ok(()) => assert!(began.elapsed() < PATIENCE, "it was never full"),
            Err(error) => break rejected(error),
        }
        tokio::task::yield_now().await;
    };
    let busy = ChangeRefused::Unreached { why: DeliveryError::Busy };
    assert_eq!(refused, Rejection::AgentRefused { why: busy });
    stopping.await.unwrap();
    stage.until_ended(session).await;
    until_it_takes_nothing(&stage, session).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn case_77_the_end_of_the_desk_does_not_wait_for_a_host_that_somebody_stopped() {
    let mut stage = Stage::open().await;
    let script =
        "trap '' TERM; echo $$ $PPID > \"$0/part\"; mv \"$0/part\" \"$0/pids\"; while :; do sleep 0.05; done";
    let session = stage.script(script, None).await;
    let file = stage.desk.folder.join("pids");
    poll("the agent runs", || file.exists()).await;
    let pids = std::fs::read_to_string(file).unwrap();
    let (agent, host) = pids.trim().split_once(' ').unwrap();
    assert!(std::process::Command::new("kill").args(["-STOP", host]).status().unwrap().success());
    let began = Instant::now();
    stage.sessions.shut_down().await;
    assert!(began.elapsed() < QUIT_LIMIT + Duration::from_millis(500), "{:?}", began.elapsed());
    assert!(!is_alive(agent) && !is_alive(host), "{pids}");
    stage.desk.catch_up();
    let state = &stage.desk.mirror.sessions[&session].state;
    assert!(matches!(state, SessionState::Ended { end: SessionEnd::AppQuit, .. }), "{state:?}");
}
