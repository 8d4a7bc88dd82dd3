//! Requests that are rejected, and callers that misbehave.

use std::time::{Duration, Instant};

use askdesk_client_config::DataFolder;
use askdesk_gateway::{Gateway, GatewayConfig, MAX_BODY_BYTES};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::claude_hook::hook;
use super::fixture::{Fixture, PATIENCE, engine, quick};
use super::fuzz::Fuzzer;
use super::v1_asks::asks;

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
async fn case_43_a_request_without_a_valid_token_is_rejected() {
    let fixture = Fixture::open().await;
    let (token, other) = (fixture.token(), "0".repeat(64));
    let wrong = [
        String::new(),
        format!("Bearer {other}"),
        format!("Bearer {}", &token[..63]),
        format!("Bearer {token}0"),
        format!("Basic {token}"),
        token.clone(),
    ];
    for path in
        POSTS.iter().chain(&["/health", "/metrics", "/v1/agents", "/v1/clients", "/v1/requests", "/nothing"])
    {
        let method = if POSTS.contains(path) { "POST" } else { "GET" };
        let head = fixture.head(method, path);
        fixture.send(&head.clone().without("authorization"), b"{}").await.refuses(401, "unauthorized");
        for value in &wrong {
            let answer = fixture.send(&head.clone().set("authorization", value), b"{}").await;
            answer.refuses(401, "unauthorized");
            assert!(answer.headers.contains_key("www-authenticate"), "{answer:?}");
        }
    }
    assert_eq!(fixture.get("/health").await.json()["status"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_a_web_page_is_rejected_even_with_a_token() {
    let fixture = Fixture::open().await;
    for path in ["/mcp", "/v1/asks", "/hooks/claude"] {
        let head = fixture.head("POST", path);
        // A name that leads to this machine (DNS rebinding), with everything else right.
        for host in ["evil.example", "evil.example:41414", "127.0.0.1.evil.example", "169.254.169.254"] {
            fixture.send(&head.clone().set("host", host), b"{}").await.refuses(403, "forbidden");
        }
        for origin in ["https://evil.example", "null", "http://localhost:1", "file://"] {
            fixture.send(&head.clone().set("origin", origin), b"{}").await.refuses(403, "forbidden");
        }
        fixture.send(&head.without("host"), b"{}").await.refuses(403, "forbidden");
        let preflight = fixture.head("OPTIONS", path).set("access-control-request-method", "POST");
        fixture.send(&preflight, b"").await.refuses(405, "method_not_allowed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_each_error_has_its_code() {
    let fixture = Fixture::open().await;
    for path in POSTS {
        let head = fixture.head("POST", path);
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
            let answer = fixture.send(&head.clone().set("content-type", kind), b"{\"a\":1}").await;
            answer.refuses(415, "unsupported_media_type");
        }
        let unfinished = fixture.send(&head, b"{\"a\":").await;
        match path {
            "/mcp" => unfinished.refuses_call(-32_700, &Value::Null),
            _ => unfinished.refuses(400, "bad_request"),
        }
        let long = vec![b' '; MAX_BODY_BYTES + 1];
        fixture.send(&head, &long).await.refuses(413, "too_large");
        let mut pieces = head.text().into_bytes();
        pieces.extend(b"transfer-encoding: chunked\r\n\r\n");
        for _ in 0..5 {
            pieces.extend(format!("{:x}\r\n", 64 * 1024).bytes());
            pieces.extend(vec![b' '; 64 * 1024]);
            pieces.extend(b"\r\n");
        }
        pieces.extend(b"0\r\n\r\n");
        fixture.raw(&pieces).await.refuses(413, "too_large");
    }
    for path in ["/hooks/claude", "/v1/asks", "/v1/test", "/v1/token/rotate"] {
        fixture.get(path).await.refuses(405, "method_not_allowed");
    }
    fixture.post("/health", &json!({})).await.refuses(405, "method_not_allowed");
    fixture.send(&fixture.head("PUT", "/mcp"), b"").await.refuses(405, "method_not_allowed");
    fixture.get("/nothing").await.refuses(404, "not_found");
    fixture.get("/v1/requests/x").await.refuses(404, "not_found");
    fixture.post("/v1/asks", &json!({"a": 1})).await.refuses(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_43_ten_thousand_malformed_bodies_harm_nothing() {
    const BODIES: usize = 10_000;
    let fixture = Fixture::open().await;
    let mut fuzzer = Fuzzer::seeded(0x5EED_0043);
    let mut stream = TcpStream::connect(fixture.address).await.unwrap();
    let mut slowest = Duration::ZERO;
    for n in 0..BODIES {
        let path = POSTS[fuzzer.below(6)];
        let body = if fuzzer.below(3) == 0 { fuzzer.misshapen() } else { fuzzer.broken() };
        let head = fixture.head("POST", path).set("connection", "keep-alive");
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
    assert_eq!(fixture.open_count().await, 0);
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
async fn case_43_slow_callers_are_disconnected_and_delay_nobody() {
    let fixture = Fixture::open().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(fixture.address).await.unwrap();
        let part: &[u8] = match n % 3 {
            0 => b"P",
            1 => b"POST /mcp HTTP/1.1\r\nhost: 127",
            _ => b"",
        };
        stream.write_all(part).await.unwrap();
        slow.push(stream);
    }
    // One that sends its head, and then its body byte by byte.
    let mut body = TcpStream::connect(fixture.address).await.unwrap();
    body.write_all(fixture.head("POST", "/mcp").text().as_bytes()).await.unwrap();
    body.write_all(b"content-length: 1000\r\n\r\n{").await.unwrap();
    for _ in 0..20 {
        let began = Instant::now();
        assert_eq!(fixture.get("/health").await.status, 200);
        assert!(began.elapsed() < Duration::from_secs(5), "the desk took {:?}", began.elapsed());
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
async fn a_token_that_can_ask_cannot_answer_and_the_other_way_round() {
    let fixture = Fixture::open().await;
    let (asks, answers) =
        (format!("Bearer {}", fixture.token()), format!("Bearer {}", fixture.answer_token()));
    let other = async |method: &str, path: &str, bearer: &str, words: &str| {
        let head = fixture.head(method, path).set("authorization", bearer);
        let answer = fixture.send(&head, if method == "POST" { b"{}" } else { b"" }).await;
        answer.refuses(403, "forbidden");
        assert!(answer.body.contains(words), "{answer:?}");
    };
    for path in ["/v1/requests/x/answer", "/v1/requests/x/decline", "/v1/token/rotate"] {
        other("POST", path, &asks, "answer-token").await;
    }
    other("GET", "/v1/requests", &asks, "answer-token").await;
    for path in ["/mcp", "/v1/asks", "/v1/test", "/hooks/claude"] {
        other("POST", path, &answers, "may only answer").await;
    }
    for path in ["/health", "/metrics", "/v1/agents", "/v1/clients"] {
        other("GET", path, &answers, "may only answer").await;
    }
    assert_eq!(fixture.token(), asks["Bearer ".len()..], "nothing was rotated");
    assert_eq!(
        fixture.get("/v1/requests").await.json(),
        json!({"requests": [], "permissions": [], "undelivered": []})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_or_method_that_is_not_listed_is_rejected_with_either_token() {
    let fixture = Fixture::open().await;
    let unlisted = [
        ("GET", "/nothing"),
        ("POST", "/nothing"),
        ("GET", "/"),
        ("GET", "/v1"),
        ("GET", "/v1/requests/x"),
        ("POST", "/v1/requests/x"),
        ("POST", "/v1/requests/x/approve"),
        ("POST", "/v1/requests/x/answer/y"),
        ("POST", "/v1/token"),
        ("POST", "/V1/token/rotate"),
        ("POST", "/v1//token/rotate"),
        ("POST", "/v1/token/rotate/"),
        ("POST", "/v1/requests/../token/rotate"),
        ("DELETE", "/v1/requests"),
        ("PUT", "/v1/token/rotate"),
        ("DELETE", "/v1/asks"),
        ("GET", "/hooks/claude"),
    ];
    for token in [fixture.token(), fixture.answer_token()] {
        for (method, path) in unlisted {
            let head = fixture.head(method, path).set("authorization", &format!("Bearer {token}"));
            let answer = fixture.send(&head, b"").await;
            assert!([403, 404, 405].contains(&answer.status), "{method} {path}: {answer:?}");
        }
    }
    assert_eq!(fixture.get("/v1/requests").await.status, 200, "the tokens are still the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_token_is_rejected_from_then_on() {
    let fixture = Fixture::open().await;
    let (before, answering) = (fixture.token(), fixture.answer_token());
    let rotated = fixture.post("/v1/token/rotate", &json!({})).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    for secret in [fixture.token(), fixture.answer_token()] {
        assert!(!rotated.body.contains(&secret), "it is in its file alone");
    }
    let old = fixture.head("GET", "/v1/requests").set("authorization", &format!("Bearer {answering}"));
    fixture.send(&old, b"").await.refuses(401, "unauthorized");
    assert_eq!(fixture.get("/v1/requests").await.status, 200);
    let old = fixture.head("GET", "/health").set("authorization", &format!("Bearer {before}"));
    fixture.send(&old, b"").await.refuses(401, "unauthorized");
    assert_eq!(fixture.get("/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_occurs_twice_is_refused() {
    let fixture = Fixture::open().await;
    let twice = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":
        {"question":"Drop the table?","question":"Keep the table?"}}}"#;
    let refused = fixture.send(&fixture.head("POST", "/mcp"), twice).await;
    refused.refuses_call(-32_700, &Value::from(1));
    assert!(refused.body.contains("occurs twice"), "{refused:?}");
    fixture.send(&fixture.head("POST", "/v1/asks"), twice).await.refuses(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_140_a_question_with_half_a_character_is_asked() {
    let fixture = Fixture::open().await;
    for (path, body) in
        [("/hooks/claude", hook("Which {}?").to_string()), ("/v1/asks", asks("c-1", "Which {}?").to_string())]
    {
        let body = body.replace("{}", r"\ud83d").replacen('{', r#"{"odd":[1e400,NaN],"#, 1);
        let head = fixture.head("POST", path);
        let (answer, ()) = tokio::join!(fixture.send(&head, body.as_bytes()), async {
            let (request, _) = fixture.asked().await;
            assert_eq!(request.questions[0].text, "Which \u{fffd}?");
            fixture.answer(request.id).await;
        });
        assert_eq!(answer.status, 200, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_140_a_message_that_cant_be_read_gets_an_error_with_its_id() {
    let fixture = Fixture::open().await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (it, words) in [
        (r#""\q""#, "isn't valid JSON"),
        (&deep, "nested too deeply"),
        (r#"1e400,"it":1"#, "isn't valid JSON"),
    ] {
        let call = format!(r#"{{"method":"tools/call","params":{{"it":{it}}},"jsonrpc":"2.0","id":"c-1"}}"#);
        let refused = fixture.send(&fixture.head("POST", "/mcp"), call.as_bytes()).await;
        refused.refuses_call(-32_700, &json!("c-1"));
        assert!(refused.body.contains(words), "{refused:?}");
        fixture
            .send(&fixture.head("POST", "/hooks/claude"), call.as_bytes())
            .await
            .refuses(400, "bad_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_no_json_rpc_gets_a_json_rpc_error() {
    let fixture = Fixture::open().await;
    for message in [
        json!({"a": 1}),
        json!({}),
        json!([]),
        json!("ping"),
        json!({"jsonrpc": "2.0", "id": 3}),
        json!({"jsonrpc": "2.0", "id": 3, "method": 5}),
        json!({"jsonrpc": "1.0", "id": 3, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": {}, "method": "tools/list"}),
    ] {
        let id = message.get("id").filter(|id| id.is_number()).cloned().unwrap_or_default();
        fixture.post("/mcp", &message).await.refuses_call(-32_600, &id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_on_one_computer_are_separate() {
    let first = Fixture::open().await;
    let port = first.address.port();
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let config = GatewayConfig {
        port: Some(port),
        timeouts: quick(),
        ..GatewayConfig::new(folder.path(), engine, "0.1.0")
    };
    let second = Gateway::open(config).await.unwrap();
    assert_ne!(second.address().port(), port);
    assert!(second.address().ip().is_loopback());
    let found = DataFolder::at(folder.path()).discovery().unwrap();
    assert_eq!(found.url, format!("http://127.0.0.1:{}", second.address().port()));
    let theirs = std::fs::read_to_string(folder.path().join("token")).unwrap();
    let head = first.head("GET", "/health").set("authorization", &format!("Bearer {}", theirs.trim()));
    first.send(&head, b"").await.refuses(401, "unauthorized");
    second.close().await;
    assert_eq!(DataFolder::at(folder.path()).discovery(), None);
    assert!(DataFolder::at(first.folder.path()).discovery().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_counted_and_need_the_token() {
    let fixture = Fixture::open().await;
    fixture.get("/nothing").await;
    let metrics = fixture.get("/metrics").await;
    assert!(metrics.headers["content-type"].starts_with("application/openmetrics-text"), "{metrics:?}");
    assert!(metrics.body.contains("askdesk_errors_total{code=\"not_found\"} 1"), "{metrics:?}");
    assert!(metrics.body.contains("askdesk_open_requests 0"), "{metrics:?}");
}
