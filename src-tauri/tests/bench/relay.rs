//! Stands between the app and an agent's real program, and notes when a question leaves the agent and when an answer arrives.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::spawn;

use serde_json::{Value, json};

use crate::now_ms;

/// The variable that turns the bench into a relay: the program behind it, where times are noted, and what is looked for, as JSON.
pub const VARIABLE: &str = "ASKDESK_BENCH_RELAY";

/// The word in a server's output after which its address follows.
const LISTENING: &str = "listening on http://";

/// Describes a relay for [`VARIABLE`]. Requests contain `asked`, answers `answered`.
pub fn description(program: &Path, times: &Path, asked: &str, answered: &str) -> String {
    json!({ "program": program, "times": times, "asked": asked, "answered": answered }).to_string()
}

/// Runs the program behind the relay, and ends with it.
pub fn run(description: &str) -> ! {
    let description: Value = serde_json::from_str(description).unwrap();
    let text = |name: &str| description[name].as_str().unwrap().to_owned();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut command = Command::new(text("program"));
    command.args(&arguments).env_remove(VARIABLE);
    if arguments.iter().any(|argument| argument == "--version") {
        panic!("the program did not start: {}", command.exec());
    }
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    let notes = Notes { file: text("times"), asked: text("asked"), answered: text("answered") };
    let answers = notes.clone();
    spawn(move || answers.pass_on(stdin(), input, Direction::ToAgent));
    notes.pass_on(output, stdout(), Direction::FromAgent);
    std::process::exit(program.wait().unwrap().code().unwrap_or(1));
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    FromAgent,
    ToAgent,
}

#[derive(Clone)]
struct Notes {
    file: String,
    asked: String,
    answered: String,
}

impl Notes {
    /// Copies lines. A server's address is replaced by that of a relay of its own.
    fn pass_on(&self, from: impl Read, mut to: impl Write, direction: Direction) {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            self.note(&line, direction);
            let text = String::from_utf8_lossy(&line);
            let passed = match text.split_once(LISTENING) {
                Some((before, address)) => {
                    format!("{before}{LISTENING}{}\n", self.serve(address.trim())).into_bytes()
                }
                None => line.clone(),
            };
            if to.write_all(&passed).and_then(|()| to.flush()).is_err() {
                return;
            }
            line.clear();
        }
    }

    /// Notes the time of a request or an answer.
    fn note(&self, bytes: &[u8], direction: Direction) {
        let (word, name) = match direction {
            Direction::FromAgent => (&self.asked, "asked"),
            Direction::ToAgent => (&self.answered, "answered"),
        };
        let at = now_ms();
        if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
            let mut file = OpenOptions::new().append(true).create(true).open(&self.file).unwrap();
            file.write_all(format!("{}\n", json!({ name: at })).as_bytes()).unwrap();
        }
    }

    /// Relays the connections to a server, and returns the relay's address.
    fn serve(&self, server: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (server, notes) = (server.to_owned(), self.clone());
        spawn(move || {
            for app in listener.incoming().flatten() {
                let agent = TcpStream::connect(&server).unwrap();
                for stream in [&app, &agent] {
                    stream.set_nodelay(true).unwrap();
                }
                let (from_app, to_agent) = (app.try_clone().unwrap(), agent.try_clone().unwrap());
                let forward = notes.clone();
                spawn(move || forward.pass_bytes(from_app, to_agent, Direction::ToAgent));
                let back = notes.clone();
                spawn(move || back.pass_bytes(agent, app, Direction::FromAgent));
            }
        });
        address
    }

    /// Copies bytes. On loopback, a word arrives in one piece with the event or the request that it belongs to.
    fn pass_bytes(&self, mut from: TcpStream, mut to: TcpStream, direction: Direction) {
        let mut buffer = vec![0; 256 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            self.note(&buffer[..read], direction);
            if to.write_all(&buffer[..read]).is_err() {
                break;
            }
        }
        // The other direction has a thread of its own, and may go on.
        let _ = to.shutdown(Shutdown::Write);
    }
}
