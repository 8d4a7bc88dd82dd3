//! A server that holds several sessions and speaks JSON-RPC, a line each: a stand-in for the servers of agents.
//!
//! | request | what happens |
//! |---|---|
//! | `hello {}` | the handshake; before it everything is refused |
//! | `session/new {}` | answers `{sessionId}`; an update of the new session comes before the answer |
//! | `session/resume {sessionId}` | the same with an id from before, which is refused where it begins with `gone` or is forgotten |
//! | `session/close {sessionId}` | closes the session; its turns are played no further |
//! | `session/cancel {sessionId}` | a notification; its turns are played no further and answered `{cancelled}` |
//! | `session/set_config {sessionId, option, value}` | answers `{}`; a value that begins with `gone` is refused |
//! | `status {}` | answers `{pid, sessions}` |
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
//! | `hang` | nothing; the turn is never answered |
//! | `forget` | the session cannot be resumed any more |
//! | `play` | the steps behind it, a JSON list |
//! | `die` | the server ends with code 3 |
//!
//! Other texts are said as they are.
//!
//! | step | what is played |
//! |---|---|
//! | `{"notify": method, "params": {…}}` | a notification |
//! | `{"ask": method, "params": {…}, "meanwhile": […]}` | a request, and the steps of `meanwhile`, which ask nothing; the next step follows the answer, which is confirmed by `session/resolved {sessionId, id}` |
//! | `{"end": {…}}` | the turn is answered with this; the steps behind it are played all the same |
//!
//! `params` get the `sessionId` of the turn. A text that is one of these names stands for a text:
//!
//! | name | what it stands for |
//! |---|---|
//! | `$answer` | the last answer; one that is no text as JSON |
//! | `$pid` | the id of the server's process |
//! | `$session` | the id of the session |
//! | `$sessions` | the ids of all open sessions |
//! | `$begun` | what the session was made or resumed with, as JSON |

mod play;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use play::Play;

/// The exit code of a server that was told to die.
pub const DIED: u8 = 3;

/// Finds the program for a test, and builds it first where it is missing.
pub fn program_or_build() -> std::io::Result<PathBuf> {
    crate::find_or_build_program("fake-server")
}

/// Serves until the input ends; returns the exit code.
pub fn serve(input: impl BufRead, output: impl Write) -> u8 {
    let mut server = Server {
        output,
        greeted: false,
        made: 0,
        asked: 0,
        sessions: BTreeMap::new(),
        forgotten: BTreeSet::new(),
        waiting: HashMap::new(),
    };
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
    /// The open sessions, and what each was made or resumed with.
    sessions: BTreeMap<String, Value>,
    forgotten: BTreeSet<String>,
    /// The open requests, by id.
    waiting: HashMap<String, Waiting>,
}

/// What goes on once a request is answered.
enum Waiting {
    /// The turn of this id ends with the answer.
    Turn(Value),
    /// The next steps follow.
    Play(Play),
}

impl<W: Write> Server<W> {
    /// Takes a message; returns the exit code of a server that ends with it.
    fn take(&mut self, message: &Value) -> Option<u8> {
        let id = &message["id"];
        let Some(method) = message["method"].as_str() else {
            self.on_answer(message);
            return None;
        };
        let params = &message["params"];
        match method {
            "hello" => {
                self.greeted = true;
                self.answer(id, &json!({"name": "fake-server"}));
            }
            _ if !self.greeted => self.refuse(id, "say hello first"),
            "session/new" => {
                self.made += 1;
                let session = format!("s{}", self.made);
                self.open(id, session, params);
            }
            "session/resume" => match params["sessionId"].as_str() {
                Some(session) if !session.starts_with("gone") && !self.forgotten.contains(session) => {
                    self.open(id, session.to_owned(), params);
                }
                _ => self.refuse(id, "there is no such session"),
            },
            "session/close" => {
                self.sessions.remove(text(params, "sessionId"));
                self.stop_playing(text(params, "sessionId"));
                self.answer(id, &json!({}));
            }
            "session/cancel" => {
                for turn in self.stop_playing(text(params, "sessionId")) {
                    self.answer(&turn, &json!({"cancelled": true}));
                }
            }
            "session/set_config" if text(params, "value").starts_with("gone") => {
                self.refuse(id, "there is no such value");
            }
            "session/set_config" => self.answer(id, &json!({})),
            "status" => {
                let sessions: Vec<&String> = self.sessions.keys().collect();
                let status = json!({"pid": std::process::id(), "sessions": sessions});
                self.answer(id, &status);
            }
            "turn" => return self.turn(id, params),
            // The end of the handshake.
            "ready" => {}
            other => self.refuse(id, &format!("there is no method {other}")),
        }
        None
    }

    fn open(&mut self, id: &Value, session: String, with: &Value) {
        self.notify("session/update", &json!({"sessionId": session, "n": 0}));
        self.answer(id, &json!({"sessionId": session}));
        self.sessions.insert(session, with.clone());
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
            "hang" => {}
            "play" => match serde_json::from_str(rest) {
                Ok(steps) => self.play(Play::new(text_of(session), id.clone(), steps)),
                Err(error) => self.refuse(id, &format!("no steps: {error}")),
            },
            _ => {
                match word {
                    "updates" => {
                        for n in 1..=rest.parse::<u64>().unwrap_or(1) {
                            self.notify("session/update", &json!({"sessionId": session, "n": n}));
                        }
                    }
                    "forget" => drop(self.forgotten.insert(text_of(session).to_owned())),
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
        let id = self.request(method, params);
        self.waiting.insert(id, Waiting::Turn(turn.clone()));
    }

    /// Asks, and returns the id of the request.
    fn request(&mut self, method: &str, params: &Value) -> String {
        self.asked += 1;
        let id = format!("ask-{}", self.asked);
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn on_answer(&mut self, message: &Value) {
        let id = text(message, "id");
        let said = message.get("result").or_else(|| message.get("error")).unwrap_or(&Value::Null);
        match self.waiting.remove(id) {
            Some(Waiting::Turn(turn)) => self.answer(&turn, &json!({"said": said})),
            Some(Waiting::Play(play)) => self.play_on(play, id, said),
            None => {}
        }
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

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    text_of(&of[name])
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
