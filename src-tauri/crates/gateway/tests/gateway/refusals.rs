//! Who is not let in, and what does not harm the desk.

use std::time::{Duration, Instant};

use askdesk_gateway::{BODY_BYTES, Discovery, DoorSpec, Doors};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::fuzz::Fuzzer;
use super::house::{House, PATIENCE, engine, quick};

const POSTS: [&str; 7] = [
    "/mcp",
    "/v1/asks",
    "/v1/collect",
    "/v1/leave",
    "/hooks/claude",
    "/v1/requests/x/answer",
    "/v1/token/rotate",
];

#[tokio::test(flavor = "multi_thread")]
async fn case_43_without_the_token_nothing_is_told() {
    let house = House::open().await;
    let (token, other) = (house.token(), "0".repeat(64));
    let wrong = [
        String::new(),
        format!("Bearer {other}"),
        format!("Bearer {}", &token[..63]),
        format!("Bearer {token}0"),
        format!("Basic {token}"),
        token.clone(),
    ];
    for path in POSTS.iter().chain(&["/health", "/metrics", "/v1/clients", "/v1/requests", "/nothing"]) {
        let method = if POSTS.contains(path) { "POST" } else { "GET" };
        let head = house.head(method, path);
        house.send(&head.clone().without("authorization"), b"{}").await.refuses(401, "unauthorized");
        for value in &wrong {
            let answer = house.send(&head.clone().set("authorization", value), b"{}").await;
            answer.refuses(401, "unauthorized");
            assert!(answer.headers.contains_key("www-authenticate"), "{answer:?}");
        }
    }
    assert_eq!(house.get("/health").await.json()["status"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_a_page_is_not_taken_whatever_it_knows() {
    let house = House::open().await;
    for path in ["/mcp", "/v1/asks", "/hooks/claude"] {
        let head = house.head("POST", path);
        // A name that leads to this machine (DNS rebinding), with everything else right.
        for host in ["evil.example", "evil.example:41414", "127.0.0.1.evil.example", "169.254.169.254"] {
            house.send(&head.clone().set("host", host), b"{}").await.refuses(403, "forbidden");
        }
        for origin in ["https://evil.example", "null", "http://localhost:1", "file://"] {
            house.send(&head.clone().set("origin", origin), b"{}").await.refuses(403, "forbidden");
        }
        house.send(&head.without("host"), b"{}").await;
        let preflight = house.head("OPTIONS", path).set("access-control-request-method", "POST");
        house.send(&preflight, b"").await.refuses(405, "method_not_allowed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_each_fault_has_its_code() {
    let house = House::open().await;
    for path in POSTS {
        let head = house.head("POST", path);
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
            let answer = house.send(&head.clone().set("content-type", kind), b"{\"a\":1}").await;
            answer.refuses(415, "unsupported_media_type");
        }
        house.send(&head, b"{\"a\":").await.refuses(400, "bad_request");
        let long = vec![b' '; BODY_BYTES + 1];
        house.send(&head, &long).await.refuses(413, "too_large");
        let mut pieces = head.text().into_bytes();
        pieces.extend(b"transfer-encoding: chunked\r\n\r\n");
        for _ in 0..5 {
            pieces.extend(format!("{:x}\r\n", 64 * 1024).bytes());
            pieces.extend(vec![b' '; 64 * 1024]);
            pieces.extend(b"\r\n");
        }
        pieces.extend(b"0\r\n\r\n");
        house.raw(&pieces).await.refuses(413, "too_large");
    }
    for path in ["/hooks/claude", "/v1/asks", "/v1/test", "/v1/token/rotate"] {
        house.get(path).await.refuses(405, "method_not_allowed");
    }
    house.post("/health", &json!({})).await.refuses(405, "method_not_allowed");
    house.send(&house.head("PUT", "/mcp"), b"").await.refuses(405, "method_not_allowed");
    house.get("/nothing").await.refuses(404, "not_found");
    house.get("/v1/requests/x").await.refuses(404, "not_found");
    house.post("/mcp", &json!({"a": 1})).await.refuses(400, "bad_request");
    house.post("/v1/asks", &json!({"a": 1})).await.refuses(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_ten_thousand_malformed_bodies_harm_nothing() {
    const BODIES: usize = 10_000;
    let house = House::open().await;
    let mut fuzzer = Fuzzer::seeded(0x5EED_0043);
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let mut slowest = Duration::ZERO;
    for n in 0..BODIES {
        let path = POSTS[fuzzer.below(6)];
        let body = if fuzzer.below(3) == 0 { fuzzer.misshapen() } else { fuzzer.broken() };
        let head = house.head("POST", path).set("connection", "keep-alive");
        let began = Instant::now();
        let talk = async {
            stream.write_all(&head.with(&body)).await.unwrap();
            read_one(&mut stream).await
        };
        let status = tokio::time::timeout(PATIENCE, talk).await.expect("an answer in time");
        slowest = slowest.max(began.elapsed());
        let shown = String::from_utf8_lossy(&body);
        // A hook that is no question is answered with nothing, so that the terminal goes on by itself.
        let fine = (400..500).contains(&status) || (path == "/hooks/claude" && status == 200);
        // A notification of a session that is not there asks for no answer.
        assert!(fine, "{n}: {status} for {path}: {shown}");
    }
    assert_eq!(house.open_count().await, 0);
    assert!(slowest < Duration::from_secs(5), "one took {slowest:?}");
}

/// Reads one answer of a connection that goes on; returns its status.
async fn read_one(stream: &mut TcpStream) -> u16 {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).await.unwrap();
        assert!(read > 0, "the connection was closed after {:?}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.to_ascii_lowercase().lines().find_map(|line| {
            line.strip_prefix("content-length: ").and_then(|digits| digits.trim().parse::<usize>().ok())
        });
        if length.is_some_and(|length| body.len() >= length) {
            return head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_callers_that_never_finish_are_let_go_and_keep_nobody_waiting() {
    let house = House::open().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let part: &[u8] = match n % 3 {
            0 => b"P",
            1 => b"POST /mcp HTTP/1.1\r\nhost: 127",
            _ => b"",
        };
        stream.write_all(part).await.unwrap();
        slow.push(stream);
    }
    // One that sends its head, and then its body byte by byte.
    let mut body = TcpStream::connect(house.address).await.unwrap();
    body.write_all(house.head("POST", "/mcp").text().as_bytes()).await.unwrap();
    body.write_all(b"content-length: 1000\r\n\r\n{").await.unwrap();
    for _ in 0..20 {
        let began = Instant::now();
        assert_eq!(house.get("/health").await.status, 200);
        assert!(began.elapsed() < Duration::from_secs(1), "the desk took {:?}", began.elapsed());
    }
    for mut stream in slow {
        let closed = async {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
        };
        tokio::time::timeout(PATIENCE, closed).await.expect("a slow caller is let go");
    }
    let mut rest = Vec::new();
    tokio::time::timeout(PATIENCE, body.read_to_end(&mut rest)).await.unwrap().unwrap();
    assert!(rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_five_hundred_connections_leave_the_desk_responsive() {
    let house = House::open().await;
    let mut held = Vec::new();
    for _ in 0..500 {
        held.push(TcpStream::connect(house.address).await.unwrap());
    }
    let began = Instant::now();
    assert_eq!(house.get("/health").await.status, 200);
    assert!(began.elapsed() < Duration::from_secs(2), "the desk took {:?}", began.elapsed());
    drop(held);
    assert_eq!(house.get("/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_ask_may_not_answer_and_the_other_way_round() {
    let house = House::open().await;
    let (asks, answers) = (format!("Bearer {}", house.token()), format!("Bearer {}", house.answer_token()));
    let other = async |method: &str, path: &str, bearer: &str, words: &str| {
        let head = house.head(method, path).set("authorization", bearer);
        let answer = house.send(&head, if method == "POST" { b"{}" } else { b"" }).await;
        answer.refuses(403, "forbidden");
        assert!(answer.body.contains(words), "{answer:?}");
    };
    for path in ["/v1/requests/x/answer", "/v1/requests/x/decline", "/v1/token/rotate"] {
        other("POST", path, &asks, "answer-token").await;
    }
    for path in ["/v1/requests", "/v1/requests/x"] {
        other("GET", path, &asks, "answer-token").await;
    }
    for path in ["/mcp", "/v1/asks", "/v1/test", "/hooks/claude"] {
        other("POST", path, &answers, "may answer, and nothing else").await;
    }
    for path in ["/health", "/metrics", "/v1/clients", "/nothing"] {
        other("GET", path, &answers, "may answer, and nothing else").await;
    }
    assert_eq!(house.token(), asks["Bearer ".len()..], "nothing was rotated");
    assert_eq!(house.get("/v1/requests").await.json(), json!({"requests": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_token_is_refused_from_then_on() {
    let house = House::open().await;
    let (before, answering) = (house.token(), house.answer_token());
    let rotated = house.post("/v1/token/rotate", &json!({})).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    for secret in [house.token(), house.answer_token()] {
        assert!(!rotated.body.contains(&secret), "it is in its file alone");
    }
    let old = house.head("GET", "/v1/requests").set("authorization", &format!("Bearer {answering}"));
    house.send(&old, b"").await.refuses(401, "unauthorized");
    assert_eq!(house.get("/v1/requests").await.status, 200);
    let old = house.head("GET", "/health").set("authorization", &format!("Bearer {before}"));
    house.send(&old, b"").await.refuses(401, "unauthorized");
    assert_eq!(house.get("/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_desks_of_one_machine_do_not_meet() {
    let first = House::open().await;
    let port = first.address.port();
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let spec = DoorSpec { port: Some(port), times: quick(), ..DoorSpec::new(folder.path(), engine, "0.1.0") };
    let second = Doors::open(spec).await.unwrap();
    assert_ne!(second.address().port(), port);
    assert!(second.address().ip().is_loopback());
    let found = Discovery::read(folder.path()).unwrap();
    assert_eq!(found.url, format!("http://127.0.0.1:{}", second.address().port()));
    let theirs = std::fs::read_to_string(folder.path().join("token")).unwrap();
    let head = first.head("GET", "/health").set("authorization", &format!("Bearer {}", theirs.trim()));
    first.send(&head, b"").await.refuses(401, "unauthorized");
    second.close().await;
    assert_eq!(Discovery::read(folder.path()), None);
    assert!(Discovery::read(first.folder.path()).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_is_told_behind_the_token() {
    let house = House::open().await;
    house.get("/nothing").await;
    let metrics = house.get("/metrics").await;
    assert!(metrics.headers["content-type"].starts_with("text/plain"), "{metrics:?}");
    assert!(metrics.body.contains("askdesk_errors_total{code=\"not_found\"} 1"), "{metrics:?}");
    assert!(metrics.body.contains("askdesk_open_requests 0"), "{metrics:?}");
}
