//! Links to servers that several sessions share: a real process, and a server that somebody else runs.

use crate::support::{process::is_alive, server};
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::{
    Address, AttachedPlan, Connection, Handshake, Inbound, JsonRpcConnection, JsonRpcRules, LaunchPlan, Link,
    LinkEnd, LinkEvent, LinkEvents, LinkPlan, Links, NewConnection, Outbound, RpcError, RpcIn, RpcOut,
    SharedPlan, WriteError,
};
use askdesk_domain::{AgentFailure, ProgramError};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::timeout;

/// Longer than anything here takes; what is late has hung.
const PATIENCE: Duration = Duration::from_secs(20);
const GRACE: Duration = Duration::from_secs(5);

fn launch() -> LaunchPlan {
    LaunchPlan {
        program: askdesk_testkit::fake_server::program_or_build().unwrap(),
        args: Vec::new(),
        folder: std::env::temp_dir(),
        env: Vec::new(),
        env_remove: Vec::new(),
    }
}

fn shared_by(connection: NewConnection) -> LinkPlan {
    LinkPlan::Shared(SharedPlan { key: "fake".to_owned(), launch: launch(), connection })
}

fn shared() -> LinkPlan {
    shared_by(server::connection())
}

struct Session {
    link: Link,
    events: LinkEvents,
    keys: u64,
    id: Value,
}

impl Session {
    /// Takes a member and makes a session.
    async fn open(links: &Links, plan: LinkPlan) -> Self {
        let (link, events) = links.open(plan).await.unwrap();
        let mut session = Self { link, events, keys: 0, id: Value::Null };
        session.id = session.ask("session/new", json!({})).await["sessionId"].clone();
        assert_eq!(session.message().await, update(&session.id, 0));
        session
    }

    async fn event(&mut self) -> LinkEvent {
        timeout(PATIENCE, self.events.next()).await.expect("nothing came in time").expect("ended before")
    }

    async fn message(&mut self) -> RpcIn {
        match self.event().await {
            LinkEvent::Inbound(Inbound::Rpc(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    async fn ended(&mut self) -> LinkEnd {
        loop {
            if let LinkEvent::Ended(end) = self.event().await {
                assert_eq!(timeout(PATIENCE, self.events.next()).await, Ok(None));
                return end;
            }
        }
    }

    async fn write(&self, message: RpcOut) -> Result<(), WriteError> {
        timeout(PATIENCE, self.link.write(vec![Outbound::Rpc(message)])).await.expect("not written in time")
    }

    async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.keys += 1;
        self.write(RpcOut::request(self.keys, method, params)).await.unwrap();
        self.keys
    }

    /// Asks, and expects the answer to come next.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let key = self.request(method, params).await;
        self.answer_to(key).await
    }

    async fn answer_to(&mut self, asked: u64) -> Value {
        match self.message().await {
            RpcIn::Response { id: key, result: Ok(result) } if key == asked => result,
            other => panic!("{other:?}"),
        }
    }

    async fn turn(&mut self, text: &str) -> u64 {
        let params = json!({"sessionId": self.id, "text": text});
        self.request("turn", params).await
    }

    async fn said(&mut self, text: &str) -> Value {
        let key = self.turn(text).await;
        self.answer_to(key).await["said"].clone()
    }

    async fn pid(&mut self) -> Value {
        self.ask("status", json!({})).await["pid"].clone()
    }

    async fn answer(&self, id: Value, result: Result<Value, RpcError>) {
        self.write(RpcOut::Response { id, result }).await.unwrap();
    }
}

async fn two_sessions() -> (Links, Session, Session) {
    let links = Links::default();
    let first = Session::open(&links, shared()).await;
    let second = Session::open(&links, shared()).await;
    (links, first, second)
}

fn update(session: &Value, n: u64) -> RpcIn {
    RpcIn::notification("session/update", json!({"sessionId": session, "n": n}))
}

#[track_caller]
fn assert_alive(pid: &Value, alive: bool) {
    // Elsewhere nobody can be asked without a library.
    if cfg!(target_os = "linux") {
        assert_eq!(is_alive(&pid.to_string()), alive);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_sessions_share_one_server_and_each_is_asked_its_own() {
    let (_links, mut first, mut second) = two_sessions().await;
    assert_ne!(first.id, second.id);
    assert_eq!(first.pid().await, second.pid().await);

    let question = first.turn("ask which?").await;
    let permission = second.turn("permit rm -r").await;
    let RpcIn::Request { id: asked, method, params } = first.message().await else { panic!("no question") };
    assert_eq!(
        (method.as_str(), &params),
        ("session/ask", &json!({"sessionId": first.id, "question": "which?"}))
    );
    let RpcIn::Request { id: wanted, method, .. } = second.message().await else { panic!("no permission") };
    assert_eq!(method, "session/permit");
    // The one that was asked last is answered first.
    second.answer(wanted, Ok(json!("allow"))).await;
    assert_eq!(second.answer_to(permission).await["said"], "allow");
    first.answer(asked, Err(RpcError::new(1, "not now"))).await;
    assert_eq!(first.answer_to(question).await["said"], json!({"code": 1, "message": "not now"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_session_is_asked_is_refused_to_the_server_at_once() {
    let mut session = Session::open(&Links::default(), shared()).await;
    assert_eq!(session.said("stranger").await["code"], -32601);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_says_to_nobody_in_particular_reaches_everybody() {
    let (_links, mut first, mut second) = two_sessions().await;
    assert_eq!(first.turn("news").await, 2);
    let news = RpcIn::notification("server/news", json!({}));
    assert_eq!((first.message().await, second.message().await), (news.clone(), news));
    first.turn("noise").await;
    let (mut lines, mut words) = (0, 0);
    while (lines, words) != (1, 1) {
        match second.event().await {
            LinkEvent::Inbound(Inbound::Line(line)) => {
                assert_eq!(line, b"this is no JSON");
                lines += 1;
            }
            LinkEvent::Stderr(line) => {
                assert_eq!(line, "a word on the error output");
                words += 1;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_stopped_leaves_its_sibling_alone_and_the_last_one_ends_the_server() {
    let (links, mut first, mut second) = two_sessions().await;
    let pid = first.pid().await;
    first.turn("ask which?").await;
    first.message().await;
    first.link.stop(GRACE).await;
    assert_eq!(first.ended().await.status.code, Some(0));
    let closed = first.write(RpcOut::notification("x", Value::Null)).await;
    assert_eq!(closed, Err(WriteError::Closed));
    assert_eq!(second.said("still here").await, "still here");
    assert_alive(&pid, true);
    second.link.stop(GRACE).await;
    assert_alive(&pid, false);
    assert!(second.ended().await.status.is_success());
    // Stopping twice does no harm.
    second.link.stop(GRACE).await;

    let mut third = Session::open(&links, shared()).await;
    assert_ne!(third.pid().await, pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_link_leaves_the_server() {
    let (_links, mut first, mut second) = two_sessions().await;
    let pid = first.pid().await;
    drop(first);
    assert_eq!(second.said("still here").await, "still here");
    drop(second);
    let gone = async {
        while is_alive(&pid.to_string()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("the server lives on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_ends_all_its_sessions_and_the_next_one_starts_another() {
    let (links, mut first, mut second) = two_sessions().await;
    let pid = first.pid().await;
    first.turn("die").await;
    for session in [&mut first, &mut second] {
        assert_eq!(session.ended().await.status.code, Some(i32::from(askdesk_testkit::fake_server::DIED)));
    }
    let lost = second.write(RpcOut::notification("x", Value::Null)).await;
    assert_eq!(lost, Err(WriteError::Closed));
    let mut third = Session::open(&links, shared()).await;
    assert_ne!(third.pid().await, pid);
    assert_eq!(third.said("at work").await, "at work");
}

/// Windows lets nobody replace the file of a program that runs.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn after_an_update_new_sessions_get_a_server_of_the_new_program_and_running_ones_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("server");
    // An update writes a new file and puts it in the place of the old one.
    let install = || {
        let written = folder.path().join("new");
        std::fs::copy(launch().program, &written).unwrap();
        std::fs::rename(written, &program).unwrap();
    };
    let plan = || {
        let launch = LaunchPlan { program: program.clone(), ..launch() };
        LinkPlan::Shared(SharedPlan { key: "fake".to_owned(), launch, connection: server::connection() })
    };
    install();
    let links = Links::default();
    let (mut first, mut second) = (Session::open(&links, plan()).await, Session::open(&links, plan()).await);
    assert_eq!(first.pid().await, second.pid().await);
    assert!(!first.link.has_lost_program().await);

    install();
    let (mut third, mut fourth) = (Session::open(&links, plan()).await, Session::open(&links, plan()).await);
    assert_ne!(third.pid().await, first.pid().await);
    assert_eq!(third.pid().await, fourth.pid().await);
    assert!(first.link.has_lost_program().await && second.link.has_lost_program().await);
    assert!(!third.link.has_lost_program().await);
    assert_eq!(first.said("still here").await, "still here");

    let (old, new) = (first.pid().await, third.pid().await);
    first.link.stop(GRACE).await;
    second.link.stop(GRACE).await;
    assert_alive(&old, false);
    links.shut_down(GRACE).await;
    assert_alive(&new, false);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_come_at_once_share_the_server_that_the_first_one_starts() {
    let links = Links::default();
    let open = || {
        let links = links.clone();
        tokio::spawn(async move { Session::open(&links, shared()).await })
    };
    let opening: Vec<_> = (0..8).map(|_| open()).collect();
    let mut sessions = Vec::new();
    for session in opening {
        sessions.push(session.await.unwrap());
    }
    let pid = sessions[0].pid().await;
    for session in &mut sessions {
        assert_eq!(session.pid().await, pid);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_can_write_before_it_has_read_a_flood() {
    let mut session = Session::open(&Links::default(), shared()).await;
    let flood = session.turn("updates 3000").await;
    let second = session.turn("hello").await;
    for n in 1..=3000 {
        assert_eq!(session.message().await, update(&session.id.clone(), n));
    }
    session.answer_to(flood).await;
    assert_eq!(session.answer_to(second).await["said"], "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_never_reads_is_ended_and_the_others_go_on() {
    let (_links, mut first, mut second) = two_sessions().await;
    first.turn("updates 3000").await;
    // The server is read no further until the first session has been given up.
    assert_eq!(second.said("hello").await, "hello");
    let mut read = 0;
    while let Some(event) = timeout(PATIENCE, first.events.next()).await.expect("the link did not end") {
        assert!(matches!(event, LinkEvent::Inbound(_)), "{event:?}");
        read += 1;
    }
    assert!((1024..3000).contains(&read), "{read}");
    assert_eq!(first.write(RpcOut::notification("x", Value::Null)).await, Err(WriteError::Closed));
    assert_eq!(second.said("still here").await, "still here");
}

/// A server that takes part in nothing and ends only when it is killed.
#[cfg(unix)]
fn stubborn(key: &str) -> LinkPlan {
    let connection: NewConnection = Arc::new(|| {
        let rules = JsonRpcRules { handshake: None, ..server::rules() };
        Box::new(JsonRpcConnection::new(rules)) as Box<dyn Connection>
    });
    let script = "trap '' TERM; while :; do sleep 0.1; done";
    let launch =
        LaunchPlan { program: "/bin/sh".into(), args: ["-c", script].map(Into::into).to_vec(), ..launch() };
    LinkPlan::Shared(SharedPlan { key: key.to_owned(), launch, connection })
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_end_holds_up_no_other_and_the_end_of_the_desk_no_longer_than_a_kill() {
    let links = Links::default();
    let (link, _events) = links.open(stubborn("slow")).await.unwrap();
    let leaving = tokio::spawn(async move { link.stop(GRACE).await });
    let again = {
        let links = links.clone();
        tokio::spawn(async move { links.open(stubborn("slow")).await.map(|(link, _)| link) })
    };
    let began = std::time::Instant::now();
    let mut opened = 0;
    // Whenever the second start of the slow one begins to wait, these don't.
    while began.elapsed() < Duration::from_secs(1) {
        let one = std::time::Instant::now();
        let (link, _events) = links.open(stubborn(&opened.to_string())).await.unwrap();
        link.stop(Duration::ZERO).await;
        assert!(one.elapsed() < Duration::from_secs(1), "{:?}", one.elapsed());
        opened += 1;
    }
    assert!(!again.is_finished() && !leaving.is_finished(), "the slow one has ended already");
    timeout(PATIENCE, leaving).await.unwrap().unwrap();
    timeout(PATIENCE, again).await.unwrap().unwrap().unwrap();
    let (_other, _events) = links.open(stubborn("other")).await.unwrap();
    timeout(Duration::from_secs(3), links.shut_down(Duration::ZERO)).await.unwrap();
}

#[rstest]
#[case::started(false)]
#[case::of_somebody_else(true)]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_the_handshake_is_ended_with_its_words(#[case] runs_already: bool) {
    let connection: NewConnection = Arc::new(|| {
        let hello = Handshake { method: "howdy", params: Value::Null, notification: None };
        let rules = JsonRpcRules { handshake: Some(hello), ..server::rules() };
        Box::new(JsonRpcConnection::new(rules)) as Box<dyn Connection>
    });
    let folder = tempfile::tempdir().unwrap();
    let plan = match runs_already {
        true => LinkPlan::Attached(AttachedPlan { address: listen(folder.path(), false), connection }),
        false => shared_by(connection),
    };
    let (link, events) = Links::default().open(plan).await.unwrap();
    let mut session = Session { link, events, keys: 0, id: Value::Null };
    let message = RpcOut::notification("x", Value::Null);
    // What is written before the handshake is over waits for it.
    assert_eq!(session.write(message).await, Err(WriteError::Closed));
    let end = session.ended().await;
    assert!(end.stderr_tail.starts_with("say hello first"), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_desk_ends_the_servers_and_tells_the_sessions() {
    let links = Links::default();
    let mut session = Session::open(&links, shared()).await;
    let pid = session.pid().await;
    links.shut_down(GRACE).await;
    assert_alive(&pid, false);
    session.ended().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_said_like_any_program() {
    let LinkPlan::Shared(mut plan) = shared() else { unreachable!() };
    plan.launch.program = "/nowhere/server".into();
    let failed = Links::default().open(LinkPlan::Shared(plan)).await.unwrap_err();
    assert!(matches!(failed, AgentFailure::NotStarted { problem: ProgramError::Missing, .. }), "{failed:?}");
}

#[tokio::test]
async fn a_process_takes_lines_and_no_rpc_messages() {
    let (link, mut events) = Links::default().open(LinkPlan::Process(launch())).await.unwrap();
    let message = RpcOut::notification("x", Value::Null);
    assert!(matches!(link.write(vec![Outbound::Rpc(message)]).await, Err(WriteError::Io(_))));
    let hello = json!({"id": 1, "method": "hello"}).to_string();
    link.write(vec![Outbound::Line(hello)]).await.unwrap();
    let event = timeout(PATIENCE, events.next()).await.unwrap();
    assert!(matches!(event, Some(LinkEvent::Inbound(Inbound::Line(_)))), "{event:?}");
    link.stop(GRACE).await;
}

/// Runs a server that is not ours: it serves one connection after the other and outlives them.
fn serve<S>(accept: impl Fn() -> std::io::Result<(S, S)> + Send + 'static)
where
    S: std::io::Read + std::io::Write,
{
    std::thread::spawn(move || {
        while let Ok((reader, writer)) = accept() {
            askdesk_testkit::fake_server::serve(std::io::BufReader::new(reader), writer);
        }
    });
}

fn attached(address: &Address) -> LinkPlan {
    LinkPlan::Attached(AttachedPlan { address: address.clone(), connection: server::connection() })
}

/// Listens on a socket of each kind.
fn listen(folder: &std::path::Path, unix: bool) -> Address {
    #[cfg(unix)]
    if unix {
        let path = folder.join("server.sock");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        serve(move || {
            let (stream, _) = listener.accept()?;
            Ok((stream.try_clone()?, stream))
        });
        return Address::Unix(path);
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    serve(move || {
        let (stream, _) = listener.accept()?;
        Ok((stream.try_clone()?, stream))
    });
    Address::Tcp(address)
}

#[rstest]
#[case::over_a_unix_socket(true)]
#[case::over_tcp(false)]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_somebody_else_is_shared_and_never_ended(#[case] unix: bool) {
    let folder = tempfile::tempdir().unwrap();
    let address = listen(folder.path(), unix);
    let links = Links::default();
    let mut first = Session::open(&links, attached(&address)).await;
    let mut second = Session::open(&links, attached(&address)).await;
    let turn = first.turn("ask which?").await;
    let RpcIn::Request { id, .. } = first.message().await else { panic!("no question") };
    assert_eq!(second.said("hello").await, "hello");
    first.answer(id, Ok(json!("this"))).await;
    assert_eq!(first.answer_to(turn).await["said"], "this");

    first.link.stop(GRACE).await;
    assert_eq!(second.said("still here").await, "still here");
    second.link.stop(GRACE).await;
    assert!(second.ended().await.status.is_success());
    let mut third = Session::open(&links, attached(&address)).await;
    assert_eq!(third.said("again").await, "again");

    // To the sessions, a server that goes is a connection that breaks.
    third.turn("die").await;
    let end = third.ended().await;
    assert_eq!((end.status.code, end.stderr_tail), (None, format!("{address} closed the connection")));
    let mut fourth = Session::open(&links, attached(&address)).await;
    assert_eq!(fourth.said("again").await, "again");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_with_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Unix(folder.path().join("nobody.sock"));
    let failed = Links::default().open(attached(&address)).await.unwrap_err();
    let AgentFailure::NotStarted { program, problem, .. } = failed else { panic!("{failed:?}") };
    // Windows has no such sockets.
    let expected = if cfg!(unix) { ProgramError::Missing } else { ProgramError::Unfit };
    assert_eq!((program, problem), (address.to_string(), expected));
}
