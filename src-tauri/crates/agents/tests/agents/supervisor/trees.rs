//! What agents start is ended with them, however far it went.

use super::*;

/// The fourth field of `/proc/<pid>/stat`; see proc(5).
fn parent(pid: &str) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().to_owned()
}

/// An agent behind a wrapper. Below it: a child in its group, one in a session of its own that ignores what it can, and
/// one that is forked twice. Each says its process id.
const FAMILY: &str = r#"sh -c '
    sh -c "echo \$\$; exec sleep 1000" &
    setsid sh -c "trap \"\" TERM HUP INT; echo \$\$; while :; do sleep 1; done" &
    (setsid sh -c "sh -c \"echo \\\$\\\$; exec sleep 1000\" & exec sleep 0.1" &)
    echo $$
    read -r line; eval "$ON_EOF"; wait'
    true"#;

async fn family(on_eof: &str) -> (AgentProcess, ProcessEvents, Vec<String>) {
    let mut plan = plan(Path::new("/bin/sh"), &["-c", FAMILY], Path::new("/"));
    plan.env.push(("ON_EOF".into(), on_eof.into()));
    let (process, mut lines) = AgentProcess::spawn(&plan).await.unwrap();
    let mut pids = vec![process.pid().unwrap().to_string()];
    for _ in 0..4 {
        pids.push(pid_line(&mut lines).await);
    }
    // The process in the middle of the double fork exits, and the host inherits its child.
    let host = parent(&pids[0]);
    let is_ours = |parent: String| parent == host || pids.contains(&parent);
    until("the double fork", || pids[1..].iter().all(|pid| is_ours(parent(pid)))).await;
    for pid in &pids {
        assert!(is_alive(pid), "process {pid} of {pids:?} runs");
    }
    (process, lines, pids)
}

fn check_none_is_left(pids: &[String]) {
    let left: Vec<_> = pids.iter().filter(|pid| is_alive(pid)).collect();
    assert!(left.is_empty(), "{left:?} of {pids:?} were left behind");
}

#[tokio::test]
async fn case_77_when_an_agent_is_stopped_nothing_it_started_is_left_however_far_it_went() {
    let (process, mut lines, pids) = family("").await;
    let started = Instant::now();
    stop(&process, Duration::from_millis(500)).await;
    assert!(started.elapsed() < Duration::from_secs(3));
    check_none_is_left(&pids);
    ended(&mut lines).await;
}

#[tokio::test]
async fn case_77_when_an_agent_ends_by_itself_nothing_it_started_is_left() {
    let (process, mut lines, pids) = family("exit 0").await;
    process.close_stdin();
    let mut events = all(&mut lines).await;
    let Some(LinkEvent::Ended(ended)) = events.pop() else { panic!("{events:?}") };
    assert_eq!(ended.status.code, Some(0));
    // A shell that loses its child before it is killed itself says so.
    assert!(events.iter().all(|event| *event == LinkEvent::Stderr("Killed".to_owned())), "{events:?}");
    check_none_is_left(&pids);
}

const DATA: &str = "ASKDESK_TEST_DATA";

/// The data folder of a desk, in the process that stands for one.
fn data_of_desk() -> Option<PathBuf> {
    std::env::var_os(DATA).map(PathBuf::from)
}

/// Tells the test the ids of an agent's processes, and runs until the desk is killed.
async fn tell(data: &Path, pids: &[String]) {
    fs::write(data.join("part"), pids.join(" ")).unwrap();
    fs::rename(data.join("part"), data.join("pids")).unwrap();
    std::future::pending::<()>().await;
}

/// Starts a desk that runs this test, and waits for the ids of its agent's processes.
async fn desk(test: &str, data: &Path) -> (std::process::Child, Vec<String>) {
    let desk = this_test(&format!("trees::{test}")).env(DATA, data).spawn().unwrap();
    let pids = data.join("pids");
    until("the desk starts its agent", || pids.exists()).await;
    let pids = fs::read_to_string(pids).unwrap();
    (desk, pids.split(' ').map(str::to_owned).collect())
}

#[tokio::test]
async fn case_77_when_the_desk_is_killed_nothing_an_agent_started_is_left() {
    if let Some(data) = data_of_desk() {
        let (_process, _lines, pids) = family("").await;
        tell(&data, &pids).await;
    }
    let data = tempfile::tempdir().unwrap();
    let name = "case_77_when_the_desk_is_killed_nothing_an_agent_started_is_left";
    let (mut desk, pids) = desk(name, data.path()).await;
    desk.kill().unwrap();
    desk.wait().unwrap();
    let killed = Instant::now();
    while pids.iter().any(|pid| is_alive(pid)) && killed.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    check_none_is_left(&pids);
}

#[tokio::test]
async fn an_agent_whose_watcher_is_killed_ends_too() {
    let (process, mut lines) = shell("sleep 1000 & echo $!; echo $PPID; wait").await;
    let (child, watcher) = (pid_line(&mut lines).await, pid_line(&mut lines).await);
    if watcher == std::process::id().to_string() {
        drop(process);
        panic!("there is no watcher");
    }
    let killed = std::process::Command::new("kill").args(["-9", &watcher]).status().unwrap();
    assert!(killed.success());
    ended(&mut lines).await;
    dies(&child).await;
}

#[tokio::test]
async fn the_watcher_is_there_for_these_tests() {
    let (_process, mut lines) = shell("cat /proc/$PPID/comm").await;
    // The system keeps the first 15 characters of a name.
    assert_eq!(next(&mut lines).await, line("askdesk-agent-h"));
}

/// An agent that starts a process which leaves it behind and ignores what it can; says the ids of that, of its host, and of
/// itself.
const WITH_STRAY: &str = r#"(setsid sh -c 'trap "" TERM HUP INT; echo $$; while :; do sleep 0.2; done' &)
    read -r line; echo $PPID; echo $$; exec sleep 1000"#;

async fn with_stray() -> (AgentProcess, ProcessEvents, [String; 3]) {
    let (process, mut lines) = shell(WITH_STRAY).await;
    let stray = pid_line(&mut lines).await;
    process.write(String::new()).await.unwrap();
    let (host, agent) = (pid_line(&mut lines).await, pid_line(&mut lines).await);
    // The process in the middle of the double fork exits, and the host inherits its child.
    until("the double fork", || parent(&stray) == host).await;
    (process, lines, [stray, host, agent])
}

fn send(signal: &str, pid: &str) {
    assert!(std::process::Command::new("kill").args([signal, pid]).status().unwrap().success());
}

#[tokio::test]
async fn case_77_what_left_an_agent_ends_even_if_its_host_is_killed() {
    let (process, mut lines, [stray, host, agent]) = with_stray().await;
    send("-KILL", &host);
    stop(&process, Duration::from_secs(10)).await;
    check_none_is_left(&[stray, host, agent]);
    ended(&mut lines).await;
}

#[tokio::test]
async fn case_77_a_host_that_somebody_stopped_does_not_hold_up_the_end() {
    let (process, _lines, [stray, host, agent]) = with_stray().await;
    send("-STOP", &host);
    let began = Instant::now();
    stop(&process, Duration::ZERO).await;
    assert!(began.elapsed() < Duration::from_millis(2_500), "{:?}", began.elapsed());
    check_none_is_left(&[stray, host, agent]);
}

#[tokio::test]
async fn case_77_and_167_the_next_start_ends_what_the_host_of_an_earlier_desk_left_and_nothing_else() {
    const MARK: &str = "ASKDESK_AGENT_TREE";
    if let Some(data) = data_of_desk() {
        askdesk_agents::supervisor::kill_orphans(&data);
        let (_process, _lines, pids) = with_stray().await;
        tell(&data, &pids).await;
    }
    let data = tempfile::tempdir().unwrap();
    let name = "case_77_and_167_the_next_start_ends_what_the_host_of_an_earlier_desk_left_and_nothing_else";
    let (mut desk, pids) = desk(name, data.path()).await;
    let runs = |data: &Path| fs::read_dir(data.join("agents")).unwrap().count();
    // A desk opens a copy of the folder, and one the folder itself.
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("agents")).unwrap();
    for file in fs::read_dir(data.path().join("agents")).unwrap().flatten() {
        fs::copy(file.path(), copy.path().join("agents").join(file.file_name())).unwrap();
    }
    assert_eq!(runs(copy.path()), 1);
    for folder in [&copy, &data] {
        askdesk_agents::supervisor::kill_orphans(folder.path());
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!((runs(copy.path()), runs(data.path())), (2, 2));
    assert!(pids.iter().all(|pid| is_alive(pid)), "agents of the desk that runs were ended");
    // All die at once: the desk can't clear up, and the host neither.
    send("-STOP", &desk.id().to_string());
    send("-KILL", &pids[1]);
    desk.kill().unwrap();
    desk.wait().unwrap();
    assert!(is_alive(&pids[0]), "the stray is left");

    let mut other = std::process::Command::new("sleep");
    let mut other = other.arg("1000").env(MARK, "00000000-0000-4000-8000-000000000000.0").spawn().unwrap();
    // The folder was moved meanwhile.
    askdesk_agents::supervisor::kill_orphans(copy.path());
    dies(&pids[0]).await;
    dies(&pids[2]).await;
    until("the earlier run is forgotten", || runs(copy.path()) == 1).await;
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}
