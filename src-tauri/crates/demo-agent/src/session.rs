//! The session's state, and the host's messages, which may arrive at any time.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answers::{Decision, plain_text};
use super::events::{self, Envelope, fresh_uuid};
use super::inbox::{self, Input};
use super::options::Options;
use super::output::{Output, Stop};
use super::record::Record;
use super::scenario::Scenario;
use super::session_store::{self, OpenResult, SessionFile};
use super::template::Memory;
use super::turn::Turn;

/// The modes that `set_permission_mode` takes.
const PERMISSION_MODES: [&str; 6] =
    ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

pub(super) const PLAN_MODE: &str = "plan";

#[derive(Debug)]
pub(super) struct UserMessage {
    pub(super) message: Value,
    pub(super) uuid: Option<String>,
}

impl UserMessage {
    pub(super) fn text(&self) -> String {
        plain_text(&self.message["content"])
    }
}

/// A tool call that has no result yet.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) tool_use_id: String,
    pub(super) tool: String,
    pub(super) input: Value,
    /// The whole control request; none if the host isn't asked.
    pub(super) request: Option<Value>,
    pub(super) decision: Option<Decision>,
    pub(super) withdraw_at: Option<Instant>,
}

impl OpenCall {
    pub(super) fn request_id(&self) -> Option<&str> {
        self.request.as_ref()?["request_id"].as_str()
    }

    fn is_undecided(&self) -> bool {
        self.decision.is_none()
    }
}

/// One run of the program.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) options: Options,
    pub(super) scenario: Scenario,
    pub(super) out: Output,
    inbox: Receiver<Input>,
    pub(super) id: String,
    pub(super) permission_mode: String,
    /// The mode that an approved plan returns to.
    mode_before_plan: String,
    model: String,
    pub(super) queue: VecDeque<UserMessage>,
    pub(super) calls: Vec<OpenCall>,
    /// Permissions for the rest of the session, as tool and rule.
    pub(super) allowed: BTreeSet<(String, String)>,
    pub(super) memory: Memory,
    pub(super) turn: Turn,
    pub(super) turns_played: usize,
    pub(super) results_written: u64,
    pub(super) total_cost_usd: f64,
    /// Whether the last turn failed: the exit code after stdin's end.
    pub(super) last_failed: bool,
    /// Whether stdin has ended.
    pub(super) closed: bool,
    pub(super) session_file: SessionFile,
}

impl Session {
    /// Opens the session and starts reading stdin. Returns none if the id can't be used; the host has been told why.
    pub(super) fn start(options: Options, scenario: Scenario) -> Result<Option<Self>, String> {
        let record = Record::from_env()?;
        let mut out = Output::new(record.clone());
        let (id, turns_played, session_file) = match session_store::open(&options) {
            OpenResult::Runs { id, turns_played, session_file } => (id, turns_played, session_file),
            OpenResult::AlreadyInUse(id) => {
                eprintln!("Session {id} is already in use; resume it or choose another id");
                return Ok(None);
            }
            OpenResult::Unknown(id) => {
                let words = format!("There is no session {id} to resume");
                eprintln!("{words}");
                // Whether the host still reads makes no difference to a process that ends.
                let _ = out.event(&json!({
                    "type": "result", "subtype": "error_during_execution", "duration_ms": 0, "duration_api_ms": 0,
                    "is_error": true, "num_turns": 0, "stop_reason": null, "session_id": id, "total_cost_usd": 0,
                    "usage": {"input_tokens": 0, "output_tokens": 0}, "permission_denials": [],
                    "uuid": fresh_uuid(), "errors": [words], "result_index": 0,
                }));
                return Ok(None);
            }
        };
        Ok(Some(Self {
            permission_mode: options.permission_mode.clone(),
            mode_before_plan: "default".to_owned(),
            model: options.model.clone(),
            inbox: inbox::open(record),
            options,
            scenario,
            out,
            id,
            queue: VecDeque::new(),
            calls: Vec::new(),
            allowed: BTreeSet::new(),
            memory: Memory::default(),
            turn: Turn::default(),
            turns_played,
            results_written: 0,
            total_cost_usd: 0.0,
            last_failed: false,
            closed: false,
            session_file,
        }))
    }

    /// Plays a turn for each message until stdin ends; returns the exit code.
    pub(super) fn serve(mut self) -> u8 {
        loop {
            let step = match self.queue.pop_front() {
                Some(message) => self.play_next_turn(&message),
                None if self.closed => return u8::from(self.last_failed),
                None => self.pump(None),
            };
            if let Err(Stop::Exit(code)) = step {
                return code;
            }
        }
    }

    pub(super) fn envelope(&self) -> Envelope<'_> {
        Envelope { session_id: &self.id, model: &self.model, permission_mode: &self.permission_mode }
    }

    pub(super) fn emit(&mut self, event: impl FnOnce(Envelope<'_>) -> Value) -> Result<(), Stop> {
        let event = event(self.envelope());
        self.out.event(&event)
    }

    /// Announces a state, for hosts that asked for it.
    pub(super) fn announce(&mut self, state: &str) -> Result<(), Stop> {
        if self.options.state_events { self.emit(|envelope| envelope.state_changed(state)) } else { Ok(()) }
    }

    /// Waits while handling messages of the host.
    pub(super) fn pause(&mut self, pause: Duration) -> Result<(), Stop> {
        let until = self.moment_after(pause);
        while Instant::now() < until {
            self.pump(Some(until))?;
        }
        Ok(())
    }

    /// Returns the end of a pause that starts now, scaled by the chosen pace.
    pub(super) fn moment_after(&self, pause: Duration) -> Instant {
        let percent = u32::try_from(self.options.pace_percent).unwrap_or(u32::MAX);
        Instant::now() + pause.saturating_mul(percent) / 100
    }

    /// Handles the messages that have arrived, without waiting.
    pub(super) fn poll(&mut self) -> Result<(), Stop> {
        while let Ok(input) = self.inbox.try_recv() {
            self.take(input)?;
        }
        Ok(())
    }

    /// Waits for one message of the host, or until a point in time.
    pub(super) fn pump(&mut self, until: Option<Instant>) -> Result<(), Stop> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if self.closed {
            std::thread::sleep(left.unwrap_or_default());
            return Ok(());
        }
        let input = match left {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(left) => self.inbox.recv_timeout(left),
        };
        match input {
            Ok(input) => self.take(input),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => self.take(Input::Closed),
        }
    }

    fn take(&mut self, input: Input) -> Result<(), Stop> {
        match input {
            Input::Message(message) => self.take_message(&message),
            Input::NotJson(line) => {
                eprintln!("A line on stdin is not JSON, so the session ends: {line}");
                Err(Stop::Exit(1))
            }
            Input::Closed => {
                self.closed = true;
                if self.turn.running && self.calls.iter().any(OpenCall::is_undecided) {
                    self.cancel_open_requests()?;
                    return Err(Stop::Interrupted);
                }
                Ok(())
            }
        }
    }

    fn take_message(&mut self, message: &Value) -> Result<(), Stop> {
        match message["type"].as_str() {
            Some("control_request") => self.take_control_request(message),
            Some("control_response") => self.take_decision(message),
            Some("user") => self.take_user_message(message),
            // Keep-alives, and whatever a newer host may send.
            _ => Ok(()),
        }
    }

    fn take_control_request(&mut self, message: &Value) -> Result<(), Stop> {
        let id = &message["request_id"];
        let request = &message["request"];
        let reply = match request["subtype"].as_str().unwrap_or_default() {
            "initialize" => {
                let pending: Vec<_> = self
                    .calls
                    .iter()
                    .filter(|call| call.is_undecided())
                    .filter_map(|call| call.request.clone())
                    .collect();
                let state = match (self.turn.running, pending.is_empty()) {
                    (_, false) => "requires_action",
                    (true, true) => "running",
                    (false, true) => "idle",
                };
                let mut reply = events::control_success(id, &self.envelope().initialized(state));
                reply["response"]["pending_permission_requests"] = json!(pending);
                reply["response"]["pending_user_dialog_requests"] = json!([]);
                reply
            }
            "interrupt" => return self.interrupt(id),
            "set_permission_mode" => return self.set_permission_mode(id, &request["mode"]),
            "set_model" => {
                if let Some(model) = request["model"].as_str() {
                    model.clone_into(&mut self.model);
                }
                events::control_success(id, &json!({"model": self.model}))
            }
            "mcp_status" => events::control_success(id, &json!({"mcpServers": []})),
            "get_binary_version" => events::control_success(id, &json!({"version": super::PROTOCOL_VERSION})),
            other => events::control_error(
                id,
                &format!("Control request `{other}` is not supported"),
                "unsupported_request",
            ),
        };
        self.out.event(&reply)
    }

    fn interrupt(&mut self, id: &Value) -> Result<(), Stop> {
        if self.turn.running {
            self.cancel_open_requests()?;
        }
        let still_queued: Vec<_> = self.queue.iter().filter_map(|message| message.uuid.clone()).collect();
        self.out.event(&events::control_success(id, &json!({"still_queued": still_queued})))?;
        if self.turn.running { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn set_permission_mode(&mut self, id: &Value, mode: &Value) -> Result<(), Stop> {
        let mode = mode.as_str().unwrap_or_default();
        if !PERMISSION_MODES.contains(&mode) {
            let words =
                format!("There is no permission mode `{mode}`; use one of {}", PERMISSION_MODES.join(", "));
            return self.out.event(&events::control_error(id, &words, "invalid_mode"));
        }
        if mode == "bypassPermissions" && !self.options.bypass_launched {
            let words = "bypassPermissions has to be chosen when the session is launched";
            return self.out.event(&events::control_error(id, words, "bypass_not_launched"));
        }
        self.out.event(&events::control_success(id, &json!({"mode": mode})))?;
        self.switch_mode(mode)
    }

    /// Leaves plan mode and restores the mode before it.
    pub(super) fn leave_plan_mode(&mut self) -> Result<(), Stop> {
        if self.permission_mode != PLAN_MODE {
            return Ok(());
        }
        let mode = self.mode_before_plan.clone();
        self.switch_mode(&mode)
    }

    /// Changes the permission mode and announces it.
    pub(super) fn switch_mode(&mut self, mode: &str) -> Result<(), Stop> {
        if mode == PLAN_MODE && self.permission_mode != PLAN_MODE {
            self.mode_before_plan.clone_from(&self.permission_mode);
        }
        mode.clone_into(&mut self.permission_mode);
        self.emit(|envelope| envelope.mode_changed())
    }

    /// Records the decision on an open call. Ignores one that is late.
    fn take_decision(&mut self, message: &Value) -> Result<(), Stop> {
        let response = &message["response"];
        let Some(id) = response["request_id"].as_str() else { return Ok(()) };
        let open = self.calls.iter_mut().find(|call| call.is_undecided() && call.request_id() == Some(id));
        let Some(call) = open else { return Ok(()) };
        call.decision = Some(Decision::from_response(response));
        if self.options.replay_user_messages {
            self.out.event(message)?;
        }
        if !self.calls.iter().any(OpenCall::is_undecided) {
            self.announce("running")?;
        }
        Ok(())
    }

    fn take_user_message(&mut self, message: &Value) -> Result<(), Stop> {
        let uuid = message["uuid"].as_str().map(str::to_owned);
        if let Some(uuid) = &uuid {
            self.emit(|envelope| envelope.lifecycle(uuid, "queued"))?;
        }
        self.queue.push_back(UserMessage { message: message["message"].clone(), uuid });
        Ok(())
    }

    pub(super) fn cancel_open_requests(&mut self) -> Result<(), Stop> {
        for call in self.calls.iter().filter(|call| call.is_undecided()) {
            if let Some(id) = call.request_id() {
                self.out.event(&events::control_cancel(id))?;
            }
        }
        Ok(())
    }
}
