//! The real `claude`, started as the agent plans it, linked by a process and answered by the adapter; its model is a mock
//! on loopback.

mod elicitations;
mod retries;

use std::path::PathBuf;
use std::time::Duration;

use askdesk_agents::claude::{ASK, ClaudeCode, MODE};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Asked, Attached, LaunchPlan, Link, LinkEvent, LinkEvents, LinkPlan,
    Links, Open, Outbound, Output, SessionPlan, Start,
};
use askdesk_domain::{
    AnswerBounds, AnswerInput, Answers, ApprovalDecision, ApprovalOptionId, ConfigOption, NativeSession,
    Notice, NumberLimit, Outcome, Question, SessionOptions, Usage, Usd, ValueId,
};
use askdesk_testkit::clis::{self, Cli, Release};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script, Tokens};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::timeout;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(60);

/// What outlives one process: the agent's home, the project and the model.
struct Place {
    program: PathBuf,
    mock: MockApi,
    home: tempfile::TempDir,
    project: tempfile::TempDir,
}

struct Session {
    link: Link,
    events: LinkEvents,
    adapter: Box<dyn Adapter>,
    place: Place,
}

impl Place {
    /// Makes a place, or says that the test did not run.
    async fn new(test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::of(Release::Newest, test, script).await
    }

    async fn of(release: Release, test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::release_or_skip(Cli::ClaudeCode, release, test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Some(Self { program, mock, home, project })
    }

    /// Plans a session that is kept away from the user's own settings and from the network.
    fn prepare(&self, open: Open) -> (Box<dyn Adapter>, LaunchPlan) {
        let program = Some(self.program.display().to_string());
        let options = SessionOptions { program, ..SessionOptions::default() };
        let start = Start { folder: self.project.path().to_owned(), options, open };
        let SessionPlan { adapter, link, .. } = ClaudeCode::default().prepare(&start).unwrap();
        let LinkPlan::Process(mut plan) = link else { panic!("{link:?}") };
        plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
        let sealed = clis::sealed_env(self.home.path(), &self.mock.base_url);
        plan.env.extend(sealed.into_iter().map(|(name, value)| (name.into(), value.into())));
        (adapter, plan)
    }

    async fn start(self, resume: Option<NativeSession>) -> Session {
        let how = resume.map_or(Open::New, |native_session| Open::Resume { native_session });
        let (adapter, plan) = self.prepare(how.clone());
        self.run(adapter, plan, how).await
    }

    async fn run(self, mut adapter: Box<dyn Adapter>, plan: LaunchPlan, how: Open) -> Session {
        let (link, events) = Links::default().open(LinkPlan::Process(plan)).await.unwrap();
        link.write(adapter.open(how).outbound).await.unwrap();
        let mut session = Session { link, events, adapter, place: self };
        let (id, text) = (Uuid::new_v4(), "Please go on.".to_owned());
        session.send(Action::Message { id, text, attached: Attached::default() }).await;
        session
    }
}

impl Session {
    /// Starts a session, or says that the test did not run.
    async fn start(test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::start_on(Release::Newest, test, script).await
    }

    async fn start_on(release: Release, test: &str, script: Vec<Reply>) -> Option<Self> {
        Some(Place::of(release, test, script).await?.start(None).await)
    }

    async fn send(&mut self, action: Action) {
        let out = self.adapter.send(action).unwrap();
        self.link.write(out.outbound).await.unwrap();
    }

    /// Reads on until an event is found; a line that could not be used fails the test.
    async fn until(&mut self, seen: &mut Vec<AgentEvent>, found: impl Fn(&AgentEvent) -> bool) {
        loop {
            let event = timeout(PATIENCE, self.events.next()).await.expect("nothing came in time");
            let Output { events, outbound } = match event.expect("ended without an end") {
                LinkEvent::Inbound(inbound) => self.adapter.receive(&inbound),
                LinkEvent::Stderr(_) => continue,
                ended @ LinkEvent::Ended(_) => panic!("{ended:?}"),
            };
            assert_eq!(outbound, Vec::<Outbound>::new());
            let unusable: Vec<_> =
                events.iter().filter(|event| matches!(event, AgentEvent::InvalidInput { .. })).collect();
            assert!(unusable.is_empty(), "{unusable:?}");
            // No rule of these tests applies to a call.
            for event in &events {
                if let AgentEvent::ToolCallProposed { native_ref, .. } = event {
                    self.send(Action::ReviewToolCall { native_ref: native_ref.clone(), ask: false }).await;
                }
            }
            let done = events.iter().any(&found);
            seen.extend(events);
            if done {
                return;
            }
        }
    }

    async fn stop(self) -> Place {
        self.link.stop(Duration::from_secs(5)).await;
        self.place
    }
}

fn questions() -> Value {
    json!([
        {"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite (Recommended)", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]},
        {"question": "Which features do you want?", "header": "Features", "multiSelect": true, "options": [
            {"label": "Search", "description": "Full text"},
            {"label": "Yes, always", "description": "Sync"},
            {"label": "Export", "description": "PDF"}]},
    ])
}

fn answer(questions: &[Question]) -> Outcome {
    let chosen = |question: usize, places: &[usize]| AnswerInput {
        question: questions[question].id,
        chosen: places.iter().map(|place| questions[question].id.option(*place)).collect(),
        other: None,
        note: None,
    };
    let inputs = [chosen(0, &[1]), AnswerInput { other: Some("Tags".to_owned()), ..chosen(1, &[2, 1]) }];
    Outcome::Answered { answers: Answers::check(questions, &inputs).unwrap() }
}

const fn turn_ended(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::TurnEnded { .. })
}

fn mode_told(event: &AgentEvent) -> Option<ValueId> {
    let AgentEvent::ConfigChanged { config } = event else { return None };
    let mode = |option: &&ConfigOption| option.id == MODE;
    config.iter().find(mode).and_then(|option| option.current.clone())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_01_and_10_the_real_agent_gets_the_answer_and_goes_on_in_the_same_turn(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![
        Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())]),
        Reply::text("Thank you."),
    ];
    let Some(mut session) = Session::start_on(release, "case_01_and_10_the_real_agent", script).await else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::Asked(_))).await;
    let Some(AgentEvent::Asked(Asked { native_ref, questions, .. })) = seen.last().cloned() else {
        panic!("{seen:?}")
    };
    assert_eq!(native_ref.as_str(), "toolu_ask_1");
    let outcome = answer(&questions);
    session.send(Action::Answer { native_ref: native_ref.clone(), questions, outcome }).await;
    session.until(&mut seen, turn_ended).await;

    let modes: Vec<ValueId> = seen.iter().filter_map(mode_told).collect();
    assert!(!modes.is_empty() && modes.iter().all(|mode| *mode == ASK), "{modes:?}");
    let taken = seen.iter().filter(|event| matches!(event, AgentEvent::MessageTaken { .. }));
    assert_eq!(taken.count(), 1);
    let told = seen.iter().filter(|event| {
        !matches!(
            event,
            AgentEvent::Introduced { .. }
                | AgentEvent::CommandsChanged { .. }
                | AgentEvent::ContextChanged { .. }
                | AgentEvent::ConfigChanged { .. }
                | AgentEvent::MessageTaken { .. }
                | AgentEvent::TextDelta { .. }
                | AgentEvent::TurnEnded { .. }
        )
    });
    let said = |text: &str| AgentEvent::Said { text: text.to_owned() };
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            &AgentEvent::TurnBegan,
            &said("I need to ask."),
            seen.iter().find(|event| matches!(event, AgentEvent::Asked(_))).unwrap(),
            &AgentEvent::Acknowledged { native_ref },
            &said("Thank you."),
        ]
    );
    let results = session.place.mock.tool_results();
    let result = results.first().expect("the model got no result").to_string();
    for pair in [
        r#"\"Which store should the notes be kept in?\"=\"PostgreSQL\""#,
        r#"\"Which features do you want?\"=\"Yes, always, Export, Tags\""#,
    ] {
        assert!(result.contains(pair), "{result}");
    }
    session.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_real_agent_runs_what_was_allowed_and_not_what_was_denied(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let bash =
        |id: &str, command: &str| Block::tool(id, "Bash", json!({"command": command, "description": "x"}));
    let script = vec![
        Reply::new([bash("toolu_1", "mkdir allowed")]),
        Reply::new([bash("toolu_2", "mkdir denied")]),
        Reply::text("Done."),
    ];
    let Some(mut session) = Session::start_on(release, "the_real_agent_runs_what_was_allowed", script).await
    else {
        return;
    };
    let allow = ApprovalDecision::of(ApprovalOptionId::literal("allow"));
    let deny = ApprovalDecision {
        message: Some("not now".to_owned()),
        ..ApprovalDecision::of(ApprovalOptionId::literal("deny"))
    };
    let mut seen = Vec::new();
    for decision in [allow, deny] {
        session.until(&mut seen, |event| matches!(event, AgentEvent::ApprovalAsked { .. })).await;
        let Some(AgentEvent::ApprovalAsked { native_ref, title, .. }) = seen.last() else {
            panic!("{seen:?}")
        };
        assert_eq!(title, "Bash");
        session.send(Action::Decide { native_ref: native_ref.clone(), decision }).await;
    }
    session.until(&mut seen, turn_ended).await;
    let ended: Vec<_> = seen
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolEnded { tool_use, ok, output, .. } => {
                Some((tool_use.as_str(), *ok, output.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!((ended.len(), ended[0].1, ended[1]), (2, true, ("toolu_2", false, "not now")));
    let made = |name: &str| session.place.project.path().join(name).exists();
    assert_eq!((made("allowed"), made("denied")), (true, false));
    session.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_withdraws_the_real_agents_question_and_is_no_error(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![Reply::new([Block::ask("toolu_ask_1", &questions())])];
    let Some(mut session) = Session::start_on(release, "an_interrupt_withdraws", script).await else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::Asked(_))).await;
    session.send(Action::Interrupt).await;
    let mut after = Vec::new();
    session.until(&mut after, turn_ended).await;
    after.retain(|event| !matches!(event, AgentEvent::ContextChanged { .. }));
    let [AgentEvent::Withdrawn { native_ref }, AgentEvent::TurnEnded { error: None, .. }] = after.as_slice()
    else {
        panic!("{after:?}")
    };
    assert_eq!(native_ref.as_str(), "toolu_ask_1");
    session.stop().await;
}

/// Why the launch always names the prompt tool: without it such a process cannot ask at all.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_prompt_tool_the_real_agent_does_not_offer_its_question_tool() {
    let Some(place) = Place::new("without_the_prompt_tool", Vec::new()).await else { return };
    let (adapter, mut plan) = place.prepare(Open::New);
    let flag = plan.args.iter().position(|arg| arg == "--permission-prompt-tool").unwrap();
    plan.args.drain(flag..flag + 2);
    let mut session = place.run(adapter, plan, Open::New).await;
    session.until(&mut Vec::new(), turn_ended).await;
    let offered: Vec<String> =
        session.place.mock.requests().iter().map(|request| request.body["tools"].to_string()).collect();
    assert!(offered.iter().any(|tools| tools.contains("\"Bash\"")), "{offered:?}");
    assert!(!offered.iter().any(|tools| tools.contains("\"AskUserQuestion\"")), "{offered:?}");
    session.stop().await;
}

fn native_session(seen: &[AgentEvent]) -> Option<NativeSession> {
    seen.iter().rev().find_map(|event| match event {
        AgentEvent::Introduced { native_session, .. } => native_session.clone(),
        _ => None,
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_real_agent_names_its_session_and_resumes_it_by_that_name(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![Reply::text("First."), Reply::text("Second.")];
    let Some(mut session) = Session::start_on(release, "the_real_agent_names_its_session", script).await
    else {
        return;
    };
    let mut first = Vec::new();
    session.until(&mut first, turn_ended).await;
    let named = native_session(&first).expect("it has no id");
    let mut session = session.stop().await.start(Some(named.clone())).await;
    let mut second = Vec::new();
    session.until(&mut second, turn_ended).await;
    assert_eq!(native_session(&second), Some(named));
    assert!(second.contains(&AgentEvent::Said { text: "Second.".to_owned() }), "{second:?}");
    let last = session.place.mock.requests().last().unwrap().body.to_string();
    assert!(last.contains("First."), "the model was not told what was said before: {last}");
    session.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_real_agent_does_not_know_is_told_of() {
    let Some(place) = Place::new("a_session_that_the_real_agent_does_not_know", Vec::new()).await else {
        return;
    };
    let unknown = NativeSession::new(Uuid::new_v4().to_string()).unwrap();
    let mut session = place.start(Some(unknown.clone())).await;
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::SessionUnknown { .. })).await;
    let Some(AgentEvent::SessionUnknown { error }) = seen.last() else { panic!("{seen:?}") };
    assert!(error.contains(unknown.as_str()), "{error}");
    session.stop().await;
}

fn usage_of(event: &AgentEvent) -> Option<Usage> {
    let AgentEvent::TurnEnded { usage, .. } = event else { return None };
    Some(*usage)
}

fn tokens(cached: u64) -> Tokens {
    Tokens { input: 100, cached, output: 50 }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_99_the_real_agent_reports_use_compacts_when_asked_and_costs_nothing_twice_after_a_resume() {
    let script = vec![
        Reply::text("One.").using(tokens(40_000)),
        Reply::text("<summary>What was said.</summary>").using(tokens(40_000)),
        Reply::text("Two.").using(tokens(3_000)),
        Reply::text("Three.").using(tokens(3_000)),
    ];
    let Some(mut session) = Session::start("case_99_the_real_agent_reports_use", script).await else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, turn_ended).await;
    let first = seen.last().and_then(usage_of).unwrap();
    assert_eq!((first.input_tokens, first.output_tokens, first.cached_tokens), (40_100, 50, 40_000));
    let context = first.context.unwrap();
    assert_eq!(context.used, 40_150);
    assert!(context.size >= 200_000, "{context:?}");
    assert!(first.cost.unwrap() > Usd::ZERO);

    session.send(Action::Compact).await;
    session.until(&mut seen, turn_ended).await;
    let compacted = seen.last().and_then(usage_of).unwrap();
    assert!(seen.contains(&AgentEvent::Noticed { notice: Notice::Compacted }), "{seen:?}");
    assert!(seen.contains(&AgentEvent::ContextChanged { context: None }));
    assert_eq!((compacted.context, compacted.input_tokens), (None, 40_100));
    let (id, text) = (Uuid::new_v4(), "Go on.".to_owned());
    session.send(Action::Message { id, text, attached: Attached::default() }).await;
    session.until(&mut seen, turn_ended).await;
    let next = seen.last().and_then(usage_of).unwrap();
    assert_eq!(next.context.map(|context| context.used), Some(3_150));

    let known = seen.iter().find_map(|event| match event {
        AgentEvent::Introduced { native_session, .. } => native_session.clone(),
        _ => None,
    });
    let mut resumed = session.stop().await.start(known).await;
    let mut seen = Vec::new();
    resumed.until(&mut seen, turn_ended).await;
    // The same call as before, so the same cost, although the agent's own sum continues.
    assert_eq!(seen.last().and_then(usage_of).unwrap(), next);
}
