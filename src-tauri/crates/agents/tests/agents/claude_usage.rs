//! What Claude Code's lines say about tokens, cost and its context, from recordings of 2.1.329 with a model that says what its
//! calls used.

use crate::support::claude::{Claude, only_line, sent};
use askdesk_agents::{Action, AgentEvent};
use askdesk_domain::{ContextUse, Notice, Usage, Usd};
use serde_json::{Value, json};

const SESSION: &str = "5f0c7d52-6f0e-4a43-9d52-0b8a8f1f7e10";
const MODEL: &str = "claude-opus-5-5";

/// An event that is about use.
#[derive(Debug, PartialEq)]
enum Told {
    Context(Option<ContextUse>),
    Compacted,
    Ended(Usage),
}

fn play(stream: &mut Claude, lines: &[String]) -> Vec<Told> {
    let events = lines.iter().flat_map(|line| stream.on_line(line.as_bytes()));
    let told = events.filter_map(|event| match event {
        AgentEvent::ContextChanged { context } => Some(Told::Context(context)),
        AgentEvent::Noticed { notice: Notice::Compacted } => Some(Told::Compacted),
        AgentEvent::TurnEnded { usage, .. } => Some(Told::Ended(usage)),
        AgentEvent::InvalidInput { why } => panic!("{why}"),
        _ => None,
    });
    told.collect()
}

fn fixture(name: &str) -> Vec<String> {
    let path = format!("{}/fixtures/claude-2.1.329/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn context(used: u64) -> Option<ContextUse> {
    Some(ContextUse { used, size: 1_000_000 })
}

fn ended(input: u64, output: u64, cached: u64, dollars: f64, context: Option<ContextUse>) -> Told {
    let cost = Usd::new(dollars);
    Told::Ended(Usage { input_tokens: input, output_tokens: output, cached_tokens: cached, cost, context })
}

#[test]
fn the_context_is_that_of_the_last_call_and_unknown_between_compacting_and_the_next_call() {
    let expected = [
        // The size of the window comes only with the first result.
        Told::Context(context(42_600)),
        ended(42_100, 500, 40_000, 0.0284, context(42_600)),
        Told::Context(context(62_101)),
        Told::Context(context(62_600)),
        ended(62_100, 500, 60_000, 0.0324, context(62_600)),
        Told::Context(None),
        Told::Compacted,
        // The call that writes the summary is in no `usage`, and costs all the same.
        ended(62_100, 500, 60_000, 0.0324, None),
        Told::Context(context(3_201)),
        Told::Context(context(3_700)),
        ended(3_200, 500, 3_000, 0.0115, context(3_700)),
    ];
    assert_eq!(play(&mut Claude::new(), &fixture("usage-compact")), expected);
}

#[test]
fn a_turn_of_a_resumed_session_costs_only_what_it_added_to_the_sum() {
    let mut stream = Claude::new();
    stream.resume(SESSION);
    let expected = [Told::Context(context(3_700)), ended(3_200, 500, 3_000, 0.0115, context(3_700))];
    assert_eq!(play(&mut stream, &fixture("usage-resumed")), expected);
}

fn called(id: &str, model: &str, subagent: Option<&str>) -> Value {
    let usage = json!({"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300});
    json!({"type": "stream_event", "parent_tool_use_id": subagent, "event": {"type": "message_start",
        "message": {"id": id, "model": model, "usage": usage}}})
}

fn result(rest: &Value) -> Value {
    let mut result = json!({"type": "result", "subtype": "success", "duration_ms": 5});
    result.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    result
}

fn window(model: &str, size: u64) -> Value {
    result(&json!({"modelUsage": {"claude-haiku-5": {"contextWindow": 7}, model: {"contextWindow": size}}}))
}

fn take(stream: &mut Claude, line: &Value) -> Vec<Told> {
    play(stream, &[line.to_string()])
}

/// Returns the last context that was told.
#[track_caller]
fn context_after(lines: &[Value]) -> Option<ContextUse> {
    let mut stream = Claude::new();
    let told = lines.iter().flat_map(|line| take(&mut stream, line)).collect::<Vec<_>>();
    let contexts = told.iter().filter_map(|told| match told {
        Told::Context(context) => Some(*context),
        _ => None,
    });
    let contexts = contexts.collect::<Vec<_>>();
    contexts.last().copied().flatten()
}

#[test]
fn only_calls_of_the_agent_itself_fill_its_context() {
    let own = called("msg_1", MODEL, None);
    let known = Some(ContextUse { used: 321, size: 200_000 });
    assert_eq!(context_after(&[own.clone(), window(MODEL, 200_000)]), known);
    // A longer window is a part of the name that a call does not repeat.
    assert_eq!(context_after(&[own.clone(), window("claude-opus-5-5[1m]", 200_000)]), known);
    let of_subagent = called("msg_2", "claude-haiku-5", Some("toolu_1"));
    assert_eq!(context_after(&[own.clone(), of_subagent, window(MODEL, 200_000)]), known);
    let error = json!({"type": "assistant", "message": {"id": "e", "model": "<synthetic>", "content": [],
        "usage": {"input_tokens": 0, "output_tokens": 0}}});
    assert_eq!(context_after(&[own, error, window(MODEL, 200_000)]), known);
}

#[test]
fn the_context_stays_unknown_without_a_call_or_without_the_window_of_its_model() {
    let own = called("msg_1", MODEL, None);
    assert_eq!(context_after(&[window(MODEL, 200_000)]), None);
    assert_eq!(context_after(std::slice::from_ref(&own)), None);
    assert_eq!(context_after(&[own.clone(), window("claude-opus-5", 200_000)]), None);
    assert_eq!(context_after(&[own.clone(), window(MODEL, 0)]), None);
    let other = called("msg_2", "claude-sonnet-5", None);
    assert_eq!(context_after(&[own, window(MODEL, 200_000), other]), None, "another model was chosen");
}

#[test]
fn an_unusable_cost_is_left_out_and_the_tokens_stay() {
    let of_model = |cost: Value| {
        json!({"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "cacheCreationInputTokens": 4,
            "costUSD": cost})
    };
    for (costs, cost) in [
        ([json!(0.25), json!(0.5)], Usd::new(0.75)),
        ([json!(0.25), json!(-0.5)], None),
        ([json!(null), json!(0.5)], None),
        ([json!("NaN"), json!(0.5)], None),
    ] {
        let [first, second] = costs.map(of_model);
        let line = result(&json!({"model_usage_since_last_result": {"a": first, "b": second}}));
        let usage = Usage { input_tokens: 16, output_tokens: 4, cached_tokens: 6, cost, context: None };
        assert_eq!(take(&mut Claude::new(), &line), [Told::Ended(usage)]);
    }
}

#[test]
fn an_earlier_version_without_the_use_of_a_turn_is_read_from_its_sums() {
    let usage = json!({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3});
    let line = |total: f64| result(&json!({"total_cost_usd": total, "usage": usage}));
    let turn = |cost: Option<f64>| {
        let cost = cost.and_then(Usd::new);
        Told::Ended(Usage { input_tokens: 4, output_tokens: 2, cached_tokens: 3, cost, context: None })
    };
    let mut stream = Claude::new();
    assert_eq!(take(&mut stream, &line(0.5)), [turn(Some(0.5))]);
    assert_eq!(take(&mut stream, &line(0.75)), [turn(Some(0.25))]);
    // Its sum continues that of the run before, which is not known here.
    let mut resumed = Claude::new();
    resumed.resume(SESSION);
    assert_eq!(take(&mut resumed, &line(5.0)), [turn(None)]);
    assert_eq!(take(&mut resumed, &line(5.25)), [turn(Some(0.25))]);
}

#[test]
fn compacting_is_the_agents_own_command() {
    let line = only_line(Claude::new().send(Action::Compact).unwrap());
    assert_eq!(sent(&line)["message"], json!({"role": "user", "content": "/compact"}));
}
