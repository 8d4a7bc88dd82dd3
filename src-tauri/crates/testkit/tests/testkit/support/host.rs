//! A host of an agent process over pipes, as small as can be.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The flags of a managed session.
pub const MANAGED: [&str; 8] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
];

pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<std::thread::JoinHandle<String>>,
    requests: u32,
}

impl Host {
    pub fn start(program: &Path, args: &[&str], env: &[(String, String)], cwd: &Path) -> Self {
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { stdin: child.stdin.take(), child, lines, stderr: Some(stderr), requests: 0 }
    }

    // ---- to the agent

    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a control request and returns the response.
    pub fn control(&mut self, request: &Value) -> Value {
        self.control_with_events(request).pop().unwrap()["response"].clone()
    }

    /// Sends a control request and returns all events up to its response.
    fn control_with_events(&mut self, request: &Value) -> Vec<Value> {
        self.requests += 1;
        let id = format!("req_{}", self.requests);
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
        self.until(|event| {
            event["type"] == "control_response" && event["response"]["request_id"] == id.as_str()
        })
    }

    /// Checks that the agent has written nothing: it works in order, so the response to a request comes next.
    pub fn check_silent(&mut self) {
        let events = self.control_with_events(&json!({"subtype": "get_binary_version"}));
        assert_eq!(events.len(), 1, "{events:?}");
    }

    pub fn say(&mut self, text: &str) {
        self.send(&user(&json!(text), None));
    }

    pub fn respond(&mut self, request: &Value, response: &Value) {
        self.send(&json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": request["request_id"], "response": response},
        }));
    }

    /// Allows a question with these answers, by question text.
    pub fn answer(&mut self, request: &Value, answers: &Value) {
        let mut input = request["request"]["input"].clone();
        input["answers"] = answers.clone();
        self.respond(request, &json!({"behavior": "allow", "updatedInput": input}));
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    // ---- from the agent

    /// The next line, or none at the end of stdout.
    pub fn next_line(&mut self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the agent said nothing for {PATIENCE:?}"),
        }
    }

    pub fn next(&mut self) -> Value {
        let Some(line) = self.next_line() else {
            let stderr = self.stderr.take().map(|stderr| stderr.join().unwrap_or_default());
            panic!("the agent ended instead of saying more; stderr: {stderr:?}");
        };
        serde_json::from_slice(&line).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&line)))
    }

    /// The events up to the first that fits, this one included.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            events.push(self.next());
            if fits(&events[events.len() - 1]) {
                return events;
            }
        }
    }

    /// Skips to the next request for a decision.
    pub fn request(&mut self) -> Value {
        self.until(|event| event["type"] == "control_request").pop().unwrap()
    }

    /// The events up to the end of the turn.
    pub fn turn_end(&mut self) -> Vec<Value> {
        self.until(|event| event["type"] == "result")
    }

    /// Closes stdin, and returns the exit status and stderr.
    pub fn finish(mut self) -> (ExitStatus, String) {
        self.close_stdin();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, self.stderr.take().map(|it| it.join().unwrap()).unwrap_or_default());
            }
            assert!(Instant::now() < deadline, "the agent does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn exit_code(self) -> Option<i32> {
        self.finish().0.code()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn user(content: &Value, uuid: Option<&str>) -> Value {
    let mut message = json!({
        "type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null, "session_id": "",
    });
    if let Some(uuid) = uuid {
        message["uuid"] = json!(uuid);
    }
    message
}

/// The whole texts that the agent said.
pub fn texts(events: &[Value]) -> Vec<String> {
    let said = events.iter().filter(|event| event["type"] == "assistant");
    said.filter_map(|event| event["message"]["content"][0]["text"].as_str()).map(str::to_owned).collect()
}

/// What kind of event it is, in one word or two.
pub fn kind(event: &Value) -> String {
    let part = |value: &Value| value.as_str().map(str::to_owned);
    let detail = match event["type"].as_str() {
        Some("system" | "result") => part(&event["subtype"]),
        Some("stream_event") => part(&event["event"]["type"]),
        Some("command_lifecycle") => part(&event["state"]),
        Some("control_request") => part(&event["request"]["subtype"]),
        Some("assistant" | "user") if event["isReplay"] == true => Some("replay".to_owned()),
        Some("assistant" | "user") => part(&event["message"]["content"][0]["type"]),
        _ => None,
    };
    let kind = part(&event["type"]).unwrap_or_default();
    detail.map_or(kind.clone(), |detail| format!("{kind} {detail}"))
}
