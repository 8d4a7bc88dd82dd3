//! Tool calls: requests for a decision, waiting for it, and results.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answers::{ASK_TOOL, Decision, Verdict};
use super::events::{self, fresh_uuid};
use super::output::Stop;
use super::scenario::{Ask, ToolCall};
use super::session::{OpenCall, PLAN_MODE, Session};

/// The tool that starts planning; it needs no permission.
const ENTER_PLAN_TOOL: &str = "EnterPlanMode";
/// The tool that submits a plan; the user is asked in every mode.
const EXIT_PLAN_TOOL: &str = "ExitPlanMode";

/// The tools that `acceptEdits` allows.
const EDIT_TOOLS: [&str; 2] = ["Edit", "Write"];

impl Session {
    pub(super) fn ask(&mut self, asks: &[Ask]) -> Result<(), Stop> {
        for ask in asks {
            let mut input = json!({"questions": self.memory.fill_json(&ask.questions)});
            if let Some(answers) = &ask.answers {
                input["answers"] = self.memory.fill_json(answers);
            }
            let off = match (self.options.asks_over_stdio, self.permission_mode.as_str()) {
                (false, _) => Some("Questions are off in this session: there is nobody to ask."),
                (true, "dontAsk") => Some("Questions are off in this permission mode."),
                (true, _) => None,
            };
            let decision = off.map(|words| Decision::Deny { message: words.to_owned(), interrupt: false });
            let withdraw_at = ask.withdraw_after_ms.map(|ms| self.moment_after(Duration::from_millis(ms)));
            let request = decision.is_none().then(|| {
                let mut request = json!({"requires_user_interaction": true});
                if let Some(by) = &ask.by {
                    request["agent_id"] = json!(by);
                }
                request
            });
            self.call(ASK_TOOL, input, request, decision, withdraw_at)?;
        }
        self.end_message("tool_use")?;
        if asks.iter().all(|ask| ask.wait) {
            self.wait_for_results().and_then(|()| self.fold_queued())
        } else {
            Ok(())
        }
    }

    pub(super) fn call_tool(&mut self, tool: &ToolCall) -> Result<(), Stop> {
        let input = self.memory.fill_json(&tool.input);
        let plan = tool.name == EXIT_PLAN_TOOL;
        let asks = plan || tool.ask_permission && !self.may_run(tool);
        let decision = match (asks, self.options.asks_over_stdio) {
            (false, _) => Some(Decision::Allow { input: None, permissions: Vec::new() }),
            (true, false) => Some(Decision::Deny {
                message: format!("{} needs a permission, and there is nobody to ask.", tool.name),
                interrupt: false,
            }),
            (true, true) => None,
        };
        let request = decision.is_none().then(|| {
            if plan {
                return json!({"requires_user_interaction": true});
            }
            let mut request = json!({"permission_suggestions": tool.suggestions});
            if let Some(description) = input.get("description") {
                request["description"] = description.clone();
            }
            request
        });
        self.call(&tool.name, input, request, decision, None)?;
        self.end_message("tool_use")?;
        if !asks {
            self.pause(Duration::from_millis(tool.takes_ms))?;
        }
        self.wait_for_results_with(&self.memory.fill(&tool.result), tool.ok)?;
        self.fold_queued()
    }

    fn may_run(&self, tool: &ToolCall) -> bool {
        let rules: Vec<_> =
            tool.suggestions.iter().filter(|it| it["type"] == "addRules").flat_map(rules_of).collect();
        match self.permission_mode.as_str() {
            "bypassPermissions" => true,
            "acceptEdits" if EDIT_TOOLS.contains(&tool.name.as_str()) => true,
            _ => !rules.is_empty() && rules.iter().all(|rule| self.allowed.contains(rule)),
        }
    }

    /// Writes one tool call. With `request`, asks the host for a decision on it.
    fn call(
        &mut self,
        tool: &str,
        input: Value,
        request: Option<Value>,
        decision: Option<Decision>,
        withdraw_at: Option<Instant>,
    ) -> Result<(), Stop> {
        let tool_use_id = format!("toolu_{}", uuid::Uuid::new_v4().simple());
        let block = json!({"type": "tool_use", "id": tool_use_id, "name": tool, "input": {}});
        let index = self.start_block(&block)?;
        self.stream(&json!({
            "type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": input.to_string()},
        }))?;
        let mut whole = block;
        whole["input"] = input.clone();
        self.whole_block(&whole)?;
        let request = request.map(|extra| {
            let mut request = json!({
                "subtype": "can_use_tool", "tool_name": tool, "display_name": tool, "input": input,
                "tool_use_id": tool_use_id,
            });
            if let (Value::Object(request), Value::Object(extra)) = (&mut request, extra) {
                request.extend(extra);
            }
            json!({"type": "control_request", "request_id": fresh_uuid(), "request": request})
        });
        if let Some(request) = &request {
            self.announce("requires_action")?;
            self.out.event(request)?;
        }
        let tool = tool.to_owned();
        self.calls.push(OpenCall { tool_use_id, tool, input, request, decision, withdraw_at });
        self.stop_block(index)
    }

    /// Waits until every open call has its result.
    pub(super) fn wait_for_results(&mut self) -> Result<(), Stop> {
        self.wait_for_results_with("", true)
    }

    fn wait_for_results_with(&mut self, result: &str, ok: bool) -> Result<(), Stop> {
        if !self.calls.is_empty() {
            self.end_message("tool_use")?;
        }
        loop {
            self.withdraw_due_calls()?;
            while let Some(position) = self.calls.iter().position(|call| call.decision.is_some()) {
                if let Some(Decision::Deny { interrupt: true, .. }) = self.calls[position].decision {
                    self.cancel_open_requests()?;
                    return Err(Stop::Interrupted);
                }
                let call = self.calls.remove(position);
                self.write_result(call, result, ok)?;
            }
            if self.calls.is_empty() {
                return Ok(());
            }
            if self.closed {
                self.cancel_open_requests()?;
                return Err(Stop::Interrupted);
            }
            let next_withdrawal = self.calls.iter().filter_map(|call| call.withdraw_at).min();
            self.pump(next_withdrawal)?;
        }
    }

    fn withdraw_due_calls(&mut self) -> Result<(), Stop> {
        let now = Instant::now();
        for position in 0..self.calls.len() {
            let call = &mut self.calls[position];
            if call.decision.is_none() && call.withdraw_at.is_some_and(|at| at <= now) {
                call.decision = Some(Decision::Withdrawn);
                if let Some(id) = call.request_id() {
                    let cancel = events::control_cancel(id);
                    self.out.event(&cancel)?;
                }
            }
        }
        Ok(())
    }

    fn write_result(&mut self, call: OpenCall, result: &str, ok: bool) -> Result<(), Stop> {
        let Some(decision) = call.decision else { return Ok(()) };
        let is_question = call.tool == ASK_TOOL;
        let is_plan = call.tool == EXIT_PLAN_TOOL;
        let verdict = match (is_question, is_plan) {
            (true, _) => Verdict::of_question(&decision, &call.input),
            (_, true) => Verdict::of_plan(&decision, result, &call.input),
            _ => Verdict::of_tool(&decision, result, ok),
        };
        if let Decision::Allow { input, permissions } = &decision {
            if is_plan {
                let plan = input.as_ref().unwrap_or(&call.input)["plan"].as_str().unwrap_or_default();
                plan.clone_into(&mut self.memory.plan);
                if !permissions.iter().any(|it| it["type"] == "setMode") {
                    self.leave_plan_mode()?;
                }
            }
            if call.tool == ENTER_PLAN_TOOL {
                self.switch_mode(PLAN_MODE)?;
            }
            self.grant(permissions)?;
        }
        let denied = matches!(decision, Decision::Deny { .. });
        if denied {
            self.deny(&call.tool, &call.tool_use_id, &call.input);
        }
        let mut block =
            json!({"type": "tool_result", "content": verdict.content, "tool_use_id": call.tool_use_id});
        if verdict.is_error {
            block["is_error"] = json!(true);
        }
        let mut event = self.envelope().user(&json!([block]));
        event["tool_use_result"] = verdict.structured;
        if call.request.is_some() {
            let decision = if denied {
                json!({"decision": "reject", "source": "user_reject"})
            } else {
                json!({"decision": "accept", "source": "user_temporary"})
            };
            event["tool_result_meta"] = json!([{"id": call.tool_use_id, "permission_decision": decision}]);
        }
        self.out.event(&event)?;
        if is_plan {
            self.memory.outcome = Some(verdict.outcome);
            self.memory.words = verdict.words;
        } else if is_question {
            self.memory.answered.extend(verdict.remembered.iter().filter(|it| it.answer.is_some()).cloned());
            self.memory.latest = verdict.remembered;
            self.memory.outcome = Some(verdict.outcome);
            self.memory.words = verdict.words;
        }
        Ok(())
    }

    fn grant(&mut self, permissions: &[Value]) -> Result<(), Stop> {
        for permission in permissions {
            match (permission["type"].as_str(), permission["mode"].as_str()) {
                (Some("addRules"), _) => self.allowed.extend(rules_of(permission)),
                (Some("setMode"), Some(mode)) => self.switch_mode(mode)?,
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn deny(&mut self, tool: &str, tool_use_id: &str, input: &Value) {
        let denial = json!({"tool_name": tool, "tool_use_id": tool_use_id, "tool_input": input});
        self.turn.denials.push(denial);
    }

    /// Adds the messages that arrived during an open call to this turn.
    pub(super) fn fold_queued(&mut self) -> Result<(), Stop> {
        self.poll()?;
        while let Some(message) = self.queue.pop_front() {
            if let Some(uuid) = &message.uuid {
                self.emit(|envelope| envelope.lifecycle(uuid, "started"))?;
                self.turn.folded.push(uuid.clone());
            }
            if self.options.replay_user_messages {
                self.emit(|envelope| envelope.replay(&message.message, message.uuid.as_deref()))?;
            }
            let words = format!("Read on the way: {}", message.text());
            self.stream_text(&words, &json!({"type": "text", "text": words}), "text", Duration::ZERO, 24)?;
        }
        Ok(())
    }
}

fn rules_of(permission: &Value) -> Vec<(String, String)> {
    let rules = permission["rules"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rules.iter().map(|rule| (text(&rule["toolName"]), text(&rule["ruleContent"]))).collect()
}
