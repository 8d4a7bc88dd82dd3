//! Links to a server that speaks HTTP: a process that says where it listens, and a server of the tests behind it.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askdesk_agents::opencode::OpenCodeConnection;
use askdesk_agents::{
    Connection, HttpPlan, Inbound, LaunchPlan, Link, LinkEnd, LinkEvent, LinkEvents, LinkPlan, Links,
    Outbound, RpcIn, RpcOut, WriteError,
};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Longer than anything here takes; what is late has hung.
const PATIENCE: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_secs(5);
/// The user `askdesk` with the password `opensesame`.
const AUTHORIZATION: &str = "Basic YXNrZGVzazpvcGVuc2VzYW1l";

/// A server whose event stream the test holds.
#[derive(Clone, Default)]
struct Served(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The open event streams.
    streams: Vec<TcpStream>,
    streams_opened: usize,
    refuses: bool,
    /// Whether it closes each stream after its first event.
    closes: bool,
    /// What was requested, in the order it arrived.
    requests: Vec<String>,
    /// What every new stream begins with.
    first: VecDeque<Value>,
}

impl Served {
    async fn start() -> (Self, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = Self::default();
        let accepting = served.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(accepting.clone().serve(stream));
            }
        });
        (served, address)
    }

    async fn serve(self, mut stream: TcpStream) {
        let Some((line, body)) = read_request(&mut stream).await else { return };
        if line.starts_with("GET /events ") {
            let refused = {
                let mut state = self.0.lock().unwrap();
                state.streams_opened += 1;
                state.refuses
            };
            if refused {
                let _ = stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n").await;
                return;
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await.unwrap();
            let first: Vec<Value> = self.0.lock().unwrap().first.drain(..).collect();
            let connected = json!({"type": "server.connected", "properties": {}});
            for event in std::iter::once(connected).chain(first) {
                stream.write_all(format!("data: {event}\n\n").as_bytes()).await.unwrap();
            }
            let mut state = self.0.lock().unwrap();
            if !state.closes {
                state.streams.push(stream);
            }
            return;
        }
        if line.starts_with("GET /page ") {
            let page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
            stream.write_all(page).await.unwrap();
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        self.0.lock().unwrap().requests.push(line.clone());
        if path.contains("never") {
            std::future::pending::<()>().await;
        }
        if path.contains("slow") {
            sleep(Duration::from_millis(500)).await;
        }
        let (status, answer) = match path.as_str() {
            path if path.contains("missing") => ("404 Not Found", json!({"data": {"message": "not here"}})),
            path if path.contains("empty") => ("204 No Content", Value::Null),
            _ => ("200 OK", json!({"path": path, "body": body})),
        };
        let answer = if answer.is_null() { String::new() } else { answer.to_string() };
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
        let _ = stream.write_all(format!("{head}{answer}").as_bytes()).await;
    }

    async fn emit(&self, event: &Value) {
        self.write(&format!("data: {event}\n\n")).await;
    }

    async fn write(&self, text: &str) {
        let streams = std::mem::take(&mut self.0.lock().unwrap().streams);
        assert!(!streams.is_empty(), "no stream is open");
        let mut kept = Vec::new();
        for mut stream in streams {
            stream.write_all(text.as_bytes()).await.unwrap();
            kept.push(stream);
        }
        self.0.lock().unwrap().streams.extend(kept);
    }

    fn cut(&self) {
        self.0.lock().unwrap().streams.clear();
    }

    fn requests(&self) -> Vec<String> {
        self.0.lock().unwrap().requests.clone()
    }

    async fn until(&self, what: &str, is: impl Fn(&State) -> bool) {
        let look = async {
            while !is(&self.0.lock().unwrap()) {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, look).await.unwrap_or_else(|_| panic!("not in time: {what}"));
    }
}

/// Reads a request: its line, with what it is signed with behind it, and its body.
async fn read_request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    };
    let length: usize = header("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + length {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
    assert_eq!(header("authorization").as_deref(), Some(AUTHORIZATION));
    let body = serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null);
    Some((head.lines().next()?.to_owned(), body))
}

/// A server and the process that stands for it, which ends with code 3 when it is told to.
struct World {
    served: Served,
    links: Links,
    plan: LinkPlan,
    folder: TempDir,
}

impl World {
    async fn open() -> Self {
        let (served, address) = Served::start().await;
        let folder = tempfile::tempdir().unwrap();
        let script = "echo $$ > pid; echo starting; echo \"ready on $0\"; echo oops >&2
            while [ ! -e end ]; do sleep 0.05; done; echo dying opensesame >&2; exit 3";
        let launch = LaunchPlan {
            program: PathBuf::from("/bin/sh"),
            args: ["-c", script, &address.to_string()].map(Into::into).to_vec(),
            folder: folder.path().to_owned(),
            env: Vec::new(),
            env_remove: Vec::new(),
        };
        let plan = LinkPlan::Http(HttpPlan {
            key: "test".to_owned(),
            launch,
            address_in: |line| line.strip_prefix("ready on ")?.parse().ok(),
            events: &["/page", "/events"],
            user: "askdesk",
            password: "opensesame".to_owned(),
            password_in: |_| None,
            connection: Arc::new(|| -> Box<dyn Connection> { Box::new(OpenCodeConnection::default()) }),
        });
        Self { served, links: Links::default(), plan, folder }
    }

    async fn session(&self, id: &str) -> Session {
        let (link, events) = self.links.open(self.plan.clone()).await.unwrap();
        let mut session = Session { link, events, keys: 0, id: id.to_owned() };
        // It makes the session's id known.
        session.ask(&format!("GET /session/{id}"), Value::Null).await.unwrap();
        session
    }

    fn is_alive(&self) -> bool {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap();
        crate::support::process::is_alive(pid.trim())
    }
}

struct Session {
    link: Link,
    events: LinkEvents,
    keys: u64,
    id: String,
}

impl Session {
    /// The next thing that is for the adapter.
    async fn next(&mut self) -> RpcIn {
        loop {
            match timeout(PATIENCE, self.events.next()).await.expect("nothing came in time") {
                Some(LinkEvent::Inbound(Inbound::Rpc(message))) => return message,
                Some(LinkEvent::Stderr(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn event(&mut self) -> (String, Value) {
        loop {
            if let RpcIn::Notification { method, params } = self.next().await {
                return (method, params);
            }
        }
    }

    async fn send(&mut self, line: &str, body: Value) -> u64 {
        self.keys += 1;
        let request = Outbound::Rpc(RpcOut::request(self.keys, line, body));
        self.link.write(vec![request]).await.unwrap();
        self.keys
    }

    async fn ask(&mut self, line: &str, body: Value) -> Result<Value, askdesk_agents::RpcError> {
        let key = self.send(line, body).await;
        loop {
            if let RpcIn::Response { id, result } = self.next().await {
                assert_eq!(id, key);
                return result;
            }
        }
    }

    async fn ended(&mut self) -> LinkEnd {
        loop {
            match timeout(PATIENCE, self.events.next()).await.expect("not ended in time") {
                Some(LinkEvent::Ended(end)) => return end,
                Some(_) => {}
                None => panic!("no end"),
            }
        }
    }

    fn about(&self, number: u64) -> Value {
        json!({"id": format!("evt_{number}"), "type": "todo.updated",
            "properties": {"sessionID": self.id, "number": number}})
    }

    async fn number(&mut self) -> u64 {
        let (kind, properties) = self.event().await;
        assert_eq!(kind, "todo.updated");
        properties["number"].as_u64().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_carry_the_password_and_get_their_own_responses() {
    let world = World::open().await;
    let mut session = world.session("ses_1").await;
    let response = session.ask("POST /session/ses_1/x?directory=%2Fa", json!({"n": 1})).await;
    assert_eq!(response, Ok(json!({"path": "/session/ses_1/x?directory=%2Fa", "body": {"n": 1}})));
    assert_eq!(session.ask("GET /empty", Value::Null).await, Ok(Value::Null));
    let error = session.ask("GET /missing", Value::Null).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (404, "not here"));
    let refused = session.ask("BREW /coffee", Value::Null).await.unwrap_err();
    assert!(refused.message.contains("BREW /coffee"), "{refused}");
}

#[rstest]
#[case::in_number("", 256)]
#[case::in_bytes(&"x".repeat(1024 * 1024), 16)]
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_a_server_leaves_unanswered_are_bounded(#[case] body: &str, #[case] at_most: usize) {
    let world = World::open().await;
    let mut slow = world.session("ses_1").await;
    let mut quick = world.session("ses_2").await;
    slow.send("POST /never", Value::Null).await;
    let mut taken = 1;
    let refused = loop {
        slow.keys += 1;
        let request = RpcOut::request(slow.keys, "POST /after", json!(body));
        match slow.link.write(vec![Outbound::Rpc(request)]).await {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken <= at_most, "{taken} requests were taken");
    };
    assert_eq!(refused, WriteError::Full(taken));
    assert!(quick.ask("GET /quick", Value::Null).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_one_session_keep_their_order_and_do_not_hold_up_another() {
    let world = World::open().await;
    let mut slow = world.session("ses_1").await;
    let mut quick = world.session("ses_2").await;
    slow.send("POST /slow", Value::Null).await;
    slow.send("POST /after", Value::Null).await;
    world.served.until("the slow request", |it| it.requests.iter().any(|line| line.contains("/slow"))).await;
    assert!(quick.ask("GET /quick", Value::Null).await.is_ok());
    let before = world.served.requests();
    assert!(!before.iter().any(|line| line.contains("/after")), "{before:?}");
    world
        .served
        .until("the second request", |it| it.requests.iter().any(|line| line.contains("/after")))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_70_a_stream_that_is_cut_is_opened_again_and_says_so() {
    let world = World::open().await;
    let mut session = world.session("ses_1").await;
    world.served.until("the stream", |it| !it.streams.is_empty()).await;
    world.served.emit(&session.about(1)).await;
    assert_eq!(session.number().await, 1);
    // The cut comes in the middle of an event, which is lost.
    world.served.write("data: {\"type\": \"todo.upd").await;
    world.served.cut();
    assert_eq!(session.event().await.0, "server.connected");
    world.served.until("the next stream", |it| !it.streams.is_empty()).await;
    world.served.emit(&session.about(2)).await;
    assert_eq!(session.number().await, 2);
    assert!(world.is_alive());
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_come_twice_in_pieces_or_late_are_delivered_once_and_in_order() {
    let world = World::open().await;
    let mut session = world.session("ses_1").await;
    world.served.until("the stream", |it| !it.streams.is_empty()).await;
    let (one, two) = (session.about(1), session.about(2));
    world.served.emit(&one).await;
    world.served.emit(&one).await;
    let text = format!("data: {two}\n\n");
    let (head, tail) = text.split_at(text.len() / 2);
    world.served.write(head).await;
    sleep(Duration::from_millis(300)).await;
    world.served.write(tail).await;
    assert_eq!((session.number().await, session.number().await), (1, 2));
    // The new stream begins with what the old one ended with.
    world.served.0.lock().unwrap().first = VecDeque::from([two, session.about(3)]);
    world.served.cut();
    assert_eq!(session.event().await.0, "server.connected");
    assert_eq!(session.number().await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_stream_is_given_up_after_a_few_tries_and_its_process_ends() {
    let world = World::open().await;
    let mut session = world.session("ses_1").await;
    world.served.until("the stream", |it| !it.streams.is_empty()).await;
    world.served.0.lock().unwrap().refuses = true;
    world.served.cut();
    let end = session.ended().await;
    assert!(end.stderr_tail.contains("event stream broke 9 times"), "{end:?}");
    assert!(!end.status.is_success());
    assert_eq!(world.served.0.lock().unwrap().streams_opened, 9);
    let gone = async {
        while world.is_alive() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("the process lives on");
    // The next session starts another server.
    world.served.0.lock().unwrap().refuses = false;
    let mut again = world.session("ses_1").await;
    assert!(again.ask("GET /x", Value::Null).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_closes_every_stream_at_once_is_given_up_too() {
    let world = World::open().await;
    let mut session = world.session("ses_1").await;
    world.served.until("the stream", |it| !it.streams.is_empty()).await;
    world.served.0.lock().unwrap().closes = true;
    world.served.cut();
    let end = session.ended().await;
    assert!(end.stderr_tail.contains("event stream broke 9 times"), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_69_the_death_of_the_server_ends_all_its_sessions_with_its_last_words() {
    let world = World::open().await;
    let mut sessions = [world.session("ses_1").await, world.session("ses_2").await];
    std::fs::write(world.folder.path().join("end"), "").unwrap();
    for session in &mut sessions {
        let end = session.ended().await;
        assert_eq!(end.status.code, Some(3));
        assert!(end.stderr_tail.contains("dying [password]"), "{end:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_69_a_session_that_leaves_does_not_touch_the_other_and_the_last_one_ends_the_server() {
    let world = World::open().await;
    let mut first = world.session("ses_1").await;
    let mut second = world.session("ses_2").await;
    world.served.until("the stream", |it| !it.streams.is_empty()).await;
    timeout(PATIENCE, first.link.stop(GRACE)).await.unwrap();
    assert!(first.ended().await.status.is_success());
    world.served.emit(&first.about(1)).await;
    world.served.emit(&second.about(2)).await;
    assert_eq!(second.number().await, 2);
    assert!(second.ask("GET /x", Value::Null).await.is_ok());
    timeout(PATIENCE, second.link.stop(GRACE)).await.unwrap();
    assert!(!world.is_alive());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_before_it_listens_says_why() {
    let mut world = World::open().await;
    let LinkPlan::Http(plan) = &mut world.plan else { unreachable!() };
    plan.launch.args = ["-c", "echo 'no such option' >&2; exit 2"].map(Into::into).to_vec();
    let (link, events) = world.links.open(world.plan.clone()).await.unwrap();
    let mut session = Session { link, events, keys: 0, id: String::new() };
    let end = session.ended().await;
    assert_eq!((end.status.code, end.stderr_tail.trim()), (Some(2), "no such option"));
}
