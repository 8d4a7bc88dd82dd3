//! A server that holds several sessions and speaks JSON-RPC, a line each: a stand-in for the servers of agents.
//!
//! | request | what happens |
//! |---|---|
//! | `hello {}` | the handshake; before it everything is refused |
//! | `session/new {}` | answers `{sessionId}`; an update of the new session comes before the answer |
//! | `status {}` | answers `{pid}` |
//! | `turn {sessionId, text}` | plays the text's first word and answers `{said}` |
//!
//! | first word | what is played |
//! |---|---|
//! | `ask` | the request `session/ask {sessionId, question}`; what was answered is said |
//! | `permit` | the request `session/permit {sessionId, command}`; what was answered is said |
//! | `stranger` | the request `dance {}`, which belongs to no session; what was answered is said |
//! | `updates` | as many notifications `session/update {sessionId, n}` as the number behind it says |
//! | `news` | the notification `server/news {}`, which belongs to no session |
//! | `noise` | a line that is not JSON, and one on the error output |
//! | `die` | the server ends with code 3 |
//!
//! Other texts are said as they are.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

/// The exit code of a server that was told to die.
pub const DIED: u8 = 3;

/// Finds the program for a test, and builds it first where it is missing.
pub fn program_or_build() -> std::io::Result<PathBuf> {
    crate::find_or_build_program("fake-server")
}

/// Serves until the input ends; returns the exit code.
pub fn serve(input: impl BufRead, output: impl Write) -> u8 {
    let mut server = Server { output, greeted: false, made: 0, asked: 0, turns: HashMap::new() };
    for line in input.lines() {
        let Ok(message) = line.map_err(drop).and_then(|line| serde_json::from_str(&line).map_err(drop))
        else {
            return 1;
        };
        if let Some(code) = server.take(&message) {
            return code;
        }
    }
    0
}

struct Server<W> {
    output: W,
    greeted: bool,
    made: u64,
    asked: u64,
    /// The ids of the turns that end with an answer, by the request's id.
    turns: HashMap<String, Value>,
}

impl<W: Write> Server<W> {
    /// Takes a message; returns the exit code of a server that ends with it.
    fn take(&mut self, message: &Value) -> Option<u8> {
        let id = &message["id"];
        let Some(method) = message["method"].as_str() else {
            if let Some(turn) = self.turns.remove(id.as_str().unwrap_or_default()) {
                let said = message.get("result").or_else(|| message.get("error"));
                self.answer(&turn, &json!({"said": said}));
            }
            return None;
        };
        match method {
            "hello" => {
                self.greeted = true;
                self.answer(id, &json!({"name": "fake-server"}));
            }
            _ if !self.greeted => self.refuse(id, "say hello first"),
            "session/new" => {
                self.made += 1;
                let session = format!("s{}", self.made);
                self.notify("session/update", &json!({"sessionId": session, "n": 0}));
                self.answer(id, &json!({"sessionId": session}));
            }
            "status" => self.answer(id, &json!({"pid": std::process::id()})),
            "turn" => return self.turn(id, &message["params"]),
            // The end of the handshake.
            "ready" => {}
            other => self.refuse(id, &format!("there is no method {other}")),
        }
        None
    }

    fn turn(&mut self, id: &Value, params: &Value) -> Option<u8> {
        let session = &params["sessionId"];
        let text = params["text"].as_str().unwrap_or_default();
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "ask" => self.ask(id, "session/ask", &json!({"sessionId": session, "question": rest})),
            "permit" => self.ask(id, "session/permit", &json!({"sessionId": session, "command": rest})),
            "stranger" => self.ask(id, "dance", &json!({})),
            "die" => return Some(DIED),
            _ => {
                match word {
                    "updates" => {
                        for n in 1..=rest.parse::<u64>().unwrap_or(1) {
                            self.notify("session/update", &json!({"sessionId": session, "n": n}));
                        }
                    }
                    "news" => self.notify("server/news", &json!({})),
                    "noise" => {
                        eprintln!("a word on the error output");
                        self.line("this is no JSON");
                    }
                    _ => {}
                }
                self.answer(id, &json!({"said": text}));
            }
        }
        None
    }

    fn ask(&mut self, turn: &Value, method: &str, params: &Value) {
        self.asked += 1;
        let id = format!("ask-{}", self.asked);
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.turns.insert(id, turn.clone());
    }

    fn answer(&mut self, id: &Value, result: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn refuse(&mut self, id: &Value, words: &str) {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32_000, "message": words}}));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn write(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    fn line(&mut self, line: &str) {
        // A host that reads no more ends the input too.
        let _ = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
    }
}
