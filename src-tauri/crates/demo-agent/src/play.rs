//! Plays turns: how they start, their steps, what is streamed, and how they end.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::events::fresh_uuid;
use super::output::Stop;
use super::scenario::{Say, Step};
use super::session::{Session, UserMessage};
use super::spending::COMPACT;
use super::turn::{ModelMessage, Turn};

/// An invented ratio, so that usage grows with the text.
const CHARS_PER_TOKEN: usize = 4;

/// How often a file that is waited for is looked for.
const LOOK: Duration = Duration::from_millis(20);

enum Ending<'a> {
    Success { stop_reason: &'a str },
    Aborted { in_tools: bool },
}

impl Session {
    /// Plays the next turn of the scenario. After the last one, echoes the message.
    pub(super) fn play_next_turn(&mut self, message: &UserMessage) -> Result<(), Stop> {
        self.memory.prompt = message.text();
        if self.memory.prompt == COMPACT {
            self.begin_turn(message)?;
            self.compact()?;
            return self.finish_turn("end_turn");
        }
        let steps = self.scenario.turns.get(self.turns_played).cloned();
        self.turns_played += 1;
        self.session_file.remember(self.turns_played);
        self.begin_turn(message)?;
        let played = match steps {
            Some(steps) => self.play_all(&steps),
            None => {
                let words = "You wrote: {prompt}\n\nThis scenario has nothing more to say; start a new session to play it again.";
                self.say(words, Duration::ZERO, usize::MAX)
            }
        };
        match played.and_then(|()| self.wait_for_results()).and_then(|()| self.fold_queued()) {
            Ok(()) => self.finish_turn("end_turn"),
            Err(Stop::Interrupted) => self.abort_turn(),
            Err(exit) => Err(exit),
        }
    }

    /// Says that the conversation was summarized.
    fn compact(&mut self) -> Result<(), Stop> {
        let status = |status: Value| {
            json!({
                "type": "system", "subtype": "status", "status": status, "session_id": self.id,
                "uuid": fresh_uuid(),
            })
        };
        let (begins, ends) = (status(json!("compacting")), status(Value::Null));
        let boundary = json!({
            "type": "system", "subtype": "compact_boundary", "session_id": self.id, "uuid": fresh_uuid(),
            "compact_metadata": {"trigger": "manual", "pre_tokens": 42_600, "post_tokens": 2_620},
        });
        self.out.event(&begins)?;
        self.out.event(&ends)?;
        self.out.event(&boundary)
    }

    fn begin_turn(&mut self, message: &UserMessage) -> Result<(), Stop> {
        self.turn = Turn { running: true, started: Some(Instant::now()), ..Turn::default() };
        self.announce("running")?;
        if let Some(uuid) = message.uuid.clone() {
            self.emit(|envelope| envelope.lifecycle(&uuid, "started"))?;
            self.turn.uuids.push(uuid);
        }
        self.emit(|envelope| envelope.init())?;
        if self.options.replay_user_messages {
            self.emit(|envelope| envelope.replay(&message.message, message.uuid.as_deref()))?;
        }
        Ok(())
    }

    fn play_all(&mut self, steps: &[Step]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.play(step))
    }

    fn play(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Say(say) => self.say_when(say),
            Step::Think { text, pace_ms } => {
                let text = self.memory.fill(text);
                let block = json!({"type": "thinking", "thinking": text, "signature": ""});
                self.stream_text(&text, &block, "thinking", Duration::from_millis(*pace_ms), 24)
            }
            Step::Tool(tool) => self.call_tool(tool),
            Step::WriteFile { path, text } => write_file(path, text),
            Step::Ask(ask) => self.ask(std::slice::from_ref(ask)),
            Step::AskTogether(asks) => self.ask(asks),
            Step::AwaitAnswers {} => self.wait_for_results().and_then(|()| self.fold_queued()),
            Step::Spend(spending) => {
                self.turn.spending = Some(*spending);
                Ok(())
            }
            Step::SleepMs(ms) => self.pause(Duration::from_millis(*ms)),
            Step::WaitForFile { path } => {
                while !path.exists() && !self.closed {
                    self.pump(Some(Instant::now() + LOOK))?;
                }
                Ok(())
            }
            Step::Raw { text } => self.out.line(text.as_bytes()),
            Step::RawHex { hex } => self.out.line(&bytes_of(hex)),
            Step::RawRepeat { text, bytes } => {
                let line: Vec<u8> = text.bytes().cycle().take(*bytes).collect();
                self.out.line(&line)
            }
            Step::HalfLine { text } => self.out.unfinished(text.as_bytes()),
            Step::Stderr { text, repeat } => {
                (0..*repeat).for_each(|_| eprintln!("{}", self.memory.fill(text)));
                Ok(())
            }
            Step::Flood { lines, per_second } => self.flood(*lines, *per_second),
            Step::Exit { code } => Err(Stop::Exit(*code)),
            Step::SpawnGrandchild { ignore_sigterm, hold_stdout } => {
                self.memory.grandchild_pid = spawn(*ignore_sigterm, *hold_stdout);
                Ok(())
            }
            Step::Repeat { times, steps } => {
                let before = self.memory.round;
                for round in 1..=self.options.count.unwrap_or(*times) {
                    self.memory.round = round;
                    self.play_all(steps)?;
                }
                self.memory.round = before;
                Ok(())
            }
        }
    }

    fn say_when(&mut self, say: &Say) -> Result<(), Stop> {
        let wanted = match (&say.when, self.memory.outcome) {
            (None, _) => true,
            (Some(outcomes), Some(outcome)) => outcomes.contains(&outcome),
            (Some(_), None) => false,
        };
        if wanted { self.say(&say.text, Duration::from_millis(say.pace_ms), say.chunk) } else { Ok(()) }
    }

    fn say(&mut self, template: &str, pace: Duration, chunk: usize) -> Result<(), Stop> {
        let text = self.memory.fill(template);
        self.turn.last_text.clone_from(&text);
        self.stream_text(&text, &json!({"type": "text", "text": text}), "text", pace, chunk)
    }

    /// Streams one block of text or thinking. Without partial messages, writes only the whole block.
    pub(super) fn stream_text(
        &mut self,
        text: &str,
        block: &Value,
        kind: &str,
        pace: Duration,
        chunk: usize,
    ) -> Result<(), Stop> {
        let mut empty = block.clone();
        empty[kind] = json!("");
        let index = self.start_block(&empty)?;
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(chunk.max(1)) {
            let piece: String = piece.iter().collect();
            let delta_type = format!("{kind}_delta");
            self.stream(&json!({
                "type": "content_block_delta", "index": index, "delta": {"type": delta_type, kind: piece},
            }))?;
            if pace.is_zero() { self.poll()? } else { self.pause(pace)? }
        }
        self.whole_block(block)?;
        self.stop_block(index)
    }

    fn flood(&mut self, lines: u64, per_second: u64) -> Result<(), Stop> {
        let started = Instant::now();
        let index = self.start_block(&json!({"type": "text", "text": ""}))?;
        let mut whole = String::new();
        for line in 1..=lines {
            let piece = format!("line {line} of {lines}\n");
            if self.options.partial_messages {
                self.stream(&json!({
                    "type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece},
                }))?;
                whole.push_str(&piece);
            } else {
                self.whole_block(&json!({"type": "text", "text": piece}))?;
            }
            match per_second {
                0 => self.poll()?,
                rate => {
                    let due = started + Duration::from_millis(line * 1000 / rate);
                    self.pause(due.saturating_duration_since(Instant::now()))?;
                }
            }
        }
        if self.options.partial_messages {
            self.whole_block(&json!({"type": "text", "text": whole}))?;
        }
        self.stop_block(index)
    }

    // ---- the model's message and its blocks

    pub(super) fn start_block(&mut self, empty: &Value) -> Result<u64, Stop> {
        if self.turn.message.is_none() {
            let id = format!("msg_{}", uuid::Uuid::new_v4().simple());
            self.turn.message = Some(ModelMessage { id: id.clone(), blocks: 0 });
            self.turn.model_messages += 1;
            if self.options.partial_messages {
                self.emit(|envelope| envelope.requesting())?;
                let mut message = self.envelope().model_message(&id, &json!([]), 0);
                if let Some(spending) = self.turn.spending {
                    message["usage"] = spending.of_call();
                }
                self.stream(&json!({"type": "message_start", "message": message}))?;
            }
        }
        let index = self.turn.message.as_mut().map_or(0, |message| {
            message.blocks += 1;
            message.blocks - 1
        });
        self.stream(&json!({"type": "content_block_start", "index": index, "content_block": empty}))?;
        Ok(index)
    }

    pub(super) fn whole_block(&mut self, block: &Value) -> Result<(), Stop> {
        let tokens = (block.to_string().len() / CHARS_PER_TOKEN) as u64;
        self.turn.tokens += tokens;
        let id = self.message_id();
        let message = self.envelope().model_message(&id, &json!([block]), tokens);
        self.emit(|envelope| envelope.assistant(&message))
    }

    pub(super) fn stop_block(&mut self, index: u64) -> Result<(), Stop> {
        self.stream(&json!({"type": "content_block_stop", "index": index}))
    }

    pub(super) fn end_message(&mut self, stop_reason: &str) -> Result<(), Stop> {
        if self.turn.message.is_none() {
            return Ok(());
        }
        let tokens = self.turn.tokens;
        self.stream(&json!({
            "type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null},
            "usage": {"output_tokens": tokens},
        }))?;
        self.stream(&json!({"type": "message_stop"}))?;
        self.turn.message = None;
        Ok(())
    }

    fn message_id(&self) -> String {
        self.turn.message.as_ref().map(|message| message.id.clone()).unwrap_or_default()
    }

    pub(super) fn stream(&mut self, event: &Value) -> Result<(), Stop> {
        if !self.options.partial_messages {
            return Ok(());
        }
        let id = self.message_id();
        self.emit(|envelope| envelope.stream(event, &id))
    }

    // ---- the end of a turn

    pub(super) fn finish_turn(&mut self, stop_reason: &str) -> Result<(), Stop> {
        self.end_message(stop_reason)?;
        for uuid in std::mem::take(&mut self.turn.folded) {
            self.emit(|envelope| envelope.lifecycle(&uuid, "completed"))?;
        }
        self.write_turn_result(&Ending::Success { stop_reason })?;
        self.end_lifecycles("completed")
    }

    fn abort_turn(&mut self) -> Result<(), Stop> {
        let calls = std::mem::take(&mut self.calls);
        for call in &calls {
            let words = "The call was not carried out: the user stopped this turn.";
            let block = json!({
                "type": "tool_result", "content": words, "is_error": true, "tool_use_id": call.tool_use_id,
            });
            let mut event = self.envelope().user(&json!([block]));
            event["tool_use_result"] = json!("Stopped by the user");
            event["tool_result_meta"] =
                json!([{"id": call.tool_use_id, "non_execution_kind": "user-rejected"}]);
            self.out.event(&event)?;
            self.deny(&call.tool, &call.tool_use_id, &call.input);
        }
        let words =
            if calls.is_empty() { "[Stopped by the user]" } else { "[Stopped by the user during a call]" };
        self.emit(|envelope| envelope.user(&json!([{"type": "text", "text": words}])))?;
        self.write_turn_result(&Ending::Aborted { in_tools: !calls.is_empty() })?;
        let folded = std::mem::take(&mut self.turn.folded);
        self.turn.uuids.extend(folded);
        self.end_lifecycles("cancelled")
    }

    fn end_lifecycles(&mut self, state: &str) -> Result<(), Stop> {
        for uuid in std::mem::take(&mut self.turn.uuids) {
            self.emit(|envelope| envelope.lifecycle(&uuid, state))?;
        }
        self.turn.running = false;
        self.announce("idle")
    }

    fn write_turn_result(&mut self, ending: &Ending<'_>) -> Result<(), Stop> {
        let took = self.turn.started.map_or(Duration::ZERO, |started| started.elapsed());
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let mut result = json!({
            "type": "result", "session_id": self.id, "duration_ms": duration_ms, "duration_api_ms": 0,
            "num_turns": self.turn.model_messages,
            "usage": {
                "input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                "output_tokens": self.turn.tokens,
            },
            "permission_denials": self.turn.denials, "uuid": fresh_uuid(),
            "queued_turn_count": self.queue.len(), "result_index": self.results_written,
        });
        if let Some(spending) = self.turn.spending {
            let models = spending.of_models(self.envelope().model, self.turn.tokens);
            // Without a model there is no cost, and the demo must not invent one.
            self.total_cost_usd += spending.cost_usd;
            result["total_cost_usd"] = json!(self.total_cost_usd);
            result["modelUsage"] = models.clone();
            result["model_usage_since_last_result"] = models;
        }
        let rest = match ending {
            Ending::Success { stop_reason } => json!({
                "subtype": "success", "is_error": false, "stop_reason": stop_reason,
                "terminal_reason": "completed", "result": self.turn.last_text,
            }),
            Ending::Aborted { in_tools } => json!({
                "subtype": "error_during_execution", "is_error": true,
                "stop_reason": if *in_tools { json!("tool_use") } else { Value::Null },
                "terminal_reason": if *in_tools { "aborted_tools" } else { "aborted_streaming" },
                "errors": ["the user stopped the turn"],
            }),
        };
        if let (Value::Object(result), Value::Object(rest)) = (&mut result, rest) {
            result.extend(rest);
        }
        self.results_written += 1;
        self.last_failed = matches!(ending, Ending::Aborted { .. });
        self.out.event(&result)
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| digit.to_digit(16)).filter_map(|it| it.try_into().ok()).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Starts a process that runs for ten minutes, and returns its id.
fn spawn(ignore_sigterm: bool, hold_stdout: bool) -> Option<u32> {
    use std::process::{Command, Stdio};
    let mut command = if cfg!(windows) {
        let mut command = Command::new("ping");
        command.args(["-n", "600", "127.0.0.1"]);
        command
    } else {
        let script = if ignore_sigterm { "trap '' TERM; exec sleep 600" } else { "exec sleep 600" };
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    };
    command.stdin(Stdio::null()).stderr(Stdio::null());
    if !hold_stdout {
        command.stdout(Stdio::null());
    }
    match command.spawn() {
        Ok(child) => Some(child.id()),
        Err(error) => {
            eprintln!("fake-agent: the grandchild could not be started ({error})");
            None
        }
    }
}

/// Writes a file, and ends the process if that fails: the test that wants it must not go on without it.
fn write_file(path: &Path, text: &str) -> Result<(), Stop> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| {
        eprintln!("fake-agent: {} could not be written ({error})", path.display());
        Stop::Exit(74)
    })
}
