//! Compares what the newest agents say of their protocols with the pinned ones, and with what the adapters know:
//! `drift FOLDER`, where FOLDER has the newest ones in its `node_modules`. `cargo xtask drift` installs and runs it.
//!
//! It ends with 1 if an agent can ask something that its adapter doesn't know. Each program has a home of its own, a dummy key, and
//! no address to reach.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use askdesk_agents::{claude, codex, opencode};
use askdesk_testkit::clis::{Cli, clis_dir, sealed_env};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Words = BTreeSet<String>;

/// An address at which nobody listens.
const NOWHERE: &str = "http://127.0.0.1:9";
/// What the agent asks of us; the name of a topic.
const REQUESTS: &str = "requests";

/// What a program says of itself: its version, and words by topic.
struct Said {
    version: String,
    topics: BTreeMap<&'static str, Words>,
}

fn main() -> Result<ExitCode> {
    let newest = std::env::args_os().nth(1).ok_or("usage: drift FOLDER")?;
    let mut unknown_requests = false;
    for cli in [Cli::ClaudeCode, Cli::Codex, Cli::OpenCode] {
        let pinned = said(cli, &clis_dir())?;
        let newest = said(cli, Path::new(&newest))?;
        println!("{} {} -> {}", cli.id(), pinned.version, newest.version);
        let mut same = true;
        for (topic, word, what) in differences(&pinned, &newest, |topic| known(cli, topic)) {
            println!("  {topic:<14} {what:<11} {word}");
            unknown_requests |= topic == REQUESTS && what != GONE;
            same = false;
        }
        if same {
            println!("  no difference");
        }
    }
    if unknown_requests {
        println!("An agent can ask something that its adapter would refuse.");
    }
    Ok(ExitCode::from(u8::from(unknown_requests)))
}

const NEW: &str = "new";
const GONE: &str = "gone";
const NOT_KNOWN: &str = "not known";

/// Lists what is new, gone, or in no list of the adapter. A topic without a list can only be compared; a known request is nothing new.
fn differences<'a>(
    pinned: &'a Said,
    newest: &'a Said,
    known: impl Fn(&str) -> Option<Words>,
) -> Vec<(&'static str, &'a str, &'static str)> {
    let mut found = Vec::new();
    for (&topic, words) in &newest.topics {
        let known = known(topic);
        let before = pinned.topics.get(topic);
        let is_new = |word: &String| before.is_none_or(|before| !before.contains(word));
        for word in words {
            match &known {
                Some(known) if !known.contains(word) => found.push((topic, word.as_str(), NOT_KNOWN)),
                None if is_new(word) => found.push((topic, word, NEW)),
                _ => {}
            }
        }
        let gone = before.into_iter().flat_map(|before| before.difference(words));
        found.extend(gone.map(|word| (topic, word.as_str(), GONE)));
    }
    found
}

/// The words of a topic that an adapter knows; none where it has no list.
fn known(cli: Cli, topic: &str) -> Option<Words> {
    let of = |lists: &[&[&str]]| Some(lists.concat().iter().map(ToString::to_string).collect());
    match (cli, topic) {
        (Cli::ClaudeCode, REQUESTS) => of(&[claude::known::REQUESTS, claude::known::FOR_OTHERS]),
        (Cli::Codex, REQUESTS) => of(&[codex::known::REQUESTS, codex::known::FOR_OTHERS]),
        (Cli::Codex, "notifications") => {
            let warnings: Vec<&str> = codex::known::WARNINGS.iter().map(|(method, _)| *method).collect();
            of(&[codex::known::READ, codex::known::SILENT, &warnings])
        }
        (Cli::Codex, "items") => of(&[codex::known::ITEMS]),
        (Cli::OpenCode, REQUESTS) => of(&[opencode::known::REQUESTS, opencode::known::REQUESTS_2]),
        (Cli::OpenCode, "parts") => of(&[opencode::known::PARTS]),
        _ => None,
    }
}

fn said(cli: Cli, folder: &Path) -> Result<Said> {
    let missing = || format!("{} is not installed in {}", cli.id(), folder.display());
    let program = cli.program_in(&folder.join("node_modules")).ok_or_else(missing)?;
    let program = program.native().ok_or_else(missing)?;
    let home = tempfile::tempdir()?;
    cli.write_settings(home.path(), NOWHERE)?;
    let command = || {
        let mut command = Command::new(program);
        command.current_dir(home.path()).env_clear().envs(sealed_env(home.path(), NOWHERE));
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    let version = String::from_utf8(command().arg("--version").output()?.stdout)?.trim().to_owned();
    let topics = match cli {
        Cli::ClaudeCode => of_claude(command())?,
        Cli::Codex => of_codex(command(), home.path())?,
        Cli::OpenCode => of_opencode(command())?,
        Cli::GeminiCli => BTreeMap::new(),
    };
    Ok(Said { version, topics })
}

/// Its handshake: it has no schema.
fn of_claude(mut command: Command) -> Result<BTreeMap<&'static str, Words>> {
    command.args(["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]);
    command.args(["--permission-prompt-tool", "stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = Running(command.spawn()?);
    let hello = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}});
    let (stdin, stdout) = (running.0.stdin.as_mut(), running.0.stdout.take());
    writeln!(stdin.ok_or("no stdin")?, "{hello}")?;
    let mut topics = BTreeMap::<&str, Words>::new();
    for line in BufReader::new(stdout.ok_or("no stdout")?).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        match message["type"].as_str() {
            Some("control_request") => {
                let asked = message.pointer("/request/subtype").and_then(Value::as_str);
                topics.entry(REQUESTS).or_default().extend(asked.map(str::to_owned));
            }
            Some("control_response") => {
                let said = &message["response"]["response"];
                let fields = said.as_object().ok_or("the handshake failed")?;
                topics.insert("handshake", fields.keys().cloned().collect());
                topics.insert("capabilities", words(&said["capabilities"], ""));
                topics.insert("commands", words(&said["commands"], "/name"));
                return Ok(topics);
            }
            _ => {}
        }
    }
    Err("it ended without a handshake".into())
}

/// The schema that it generates.
fn of_codex(mut command: Command, home: &Path) -> Result<BTreeMap<&'static str, Words>> {
    let out = home.join("schema");
    command.args(["app-server", "generate-json-schema", "--experimental", "--out"]).arg(&out);
    command.output()?;
    let read = |name: &str| -> Result<Value> {
        Ok(serde_json::from_slice(&std::fs::read(out.join(name).with_extension("json"))?)?)
    };
    let methods = |schema: &Value| words(&schema["oneOf"], "/properties/method/enum/0");
    let told = read("ServerNotification")?;
    Ok(BTreeMap::from([
        (REQUESTS, methods(&read("ServerRequest")?)),
        ("notifications", methods(&told)),
        ("items", words(&told["definitions"]["ThreadItem"]["oneOf"], "/properties/type/enum/0")),
        ("our requests", methods(&read("ClientRequest")?)),
    ]))
}

/// The description of its API.
fn of_opencode(mut command: Command) -> Result<BTreeMap<&'static str, Words>> {
    command.args(["serve", "--hostname", "127.0.0.1", "--port", "0"]).stdout(Stdio::piped());
    let mut running = Running(command.spawn()?);
    let stdout = BufReader::new(running.0.stdout.take().ok_or("no stdout")?);
    let address = stdout.lines().map_while(std::result::Result::ok);
    let address =
        address.into_iter().find_map(|line| line.split_once("http://").map(|(_, it)| it.to_owned()));
    let mut stream = TcpStream::connect(address.ok_or("it says no address")?.trim())?;
    // The older protocol ends with the response, and has no chunks.
    stream.write_all(b"GET /doc HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (_, body) = response.split_once("\r\n\r\n").ok_or("no response")?;
    let doc: Value = serde_json::from_str(body)?;
    let schemas = &doc["components"]["schemas"];
    let of_type = |union: &str| -> Words {
        let variants = schemas[union]["anyOf"].as_array().into_iter().flatten();
        let names = variants.filter_map(|it| it["$ref"].as_str()?.rsplit('/').next());
        let kinds = names.filter_map(|name| schemas[name].pointer("/properties/type/enum/0")?.as_str());
        kinds.map(str::to_owned).collect()
    };
    let (requests, events) = of_type("Event").into_iter().partition(|kind| kind.ends_with(".asked"));
    let paths = doc["paths"].as_object().into_iter().flatten();
    let paths = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, _)| format!("{method} {path}"))
    });
    Ok(BTreeMap::from([
        (REQUESTS, requests),
        ("events", events),
        ("parts", of_type("Part")),
        ("paths", paths.collect()),
    ]))
}

/// The strings in a list, each at this place in its item.
fn words(list: &Value, place: &str) -> Words {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.pointer(place)?.as_str().map(str::to_owned)).collect()
}

/// A program that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
