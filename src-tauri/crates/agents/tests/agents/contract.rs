//! What every agent of the catalog keeps to.

mod terminal;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Attached, Catalog, Demo, EncodeError, Inbound, LinkPlan, Open,
    Partial, QuestionRefusal, RpcIn, SessionPlan, Start, Trouble, installed_agents,
};
use askdesk_domain::{
    AgentFailure, AgentId, ApprovalDecision, ApprovalOptionId, ConfigCategory, ConfigId, ConfigOption,
    ConfigValue, HelperId, NativeRef, NativeSession, Outcome, Risk, SessionOptions, ValueId,
};
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

/// Any program that can be executed: a plan is made of it, and nothing is started.
fn some_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

fn catalog(folder: &Path) -> Catalog {
    let example = |id: &'static str| ConfigValue {
        id: ValueId::literal(id),
        name: id.to_owned(),
        description: None,
        risk: Risk::Usual,
        planning: false,
    };
    let examples = vec![example("demo"), example("four")];
    let demo = Demo::new(some_program(), vec!["demo-agent".to_owned()], folder.join("demo"), examples);
    let mut agents = installed_agents();
    agents.push(Arc::new(demo));
    Catalog::new(agents)
}

fn start(folder: &Path, choices: &[(&'static str, &'static str)], open: Open) -> Start {
    let options = SessionOptions {
        config: choices.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect(),
        program: Some(some_program().display().to_string()),
        ..SessionOptions::default()
    };
    Start { folder: folder.to_owned(), options, open }
}

fn adapter(agent: &Arc<dyn Agent>, folder: &Path) -> Box<dyn Adapter> {
    agent.prepare(&start(folder, &[], Open::New)).unwrap().adapter
}

/// The last value of a list; where anything can be typed, something.
fn some_value(option: &ConfigOption) -> ValueId {
    option.values.last().map_or(ValueId::literal("something"), |value| value.id.clone())
}

fn check(holds: impl Fn(&Arc<dyn Agent>, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    for agent in catalog(folder.path()).iter() {
        holds(agent, folder.path());
    }
}

#[test]
fn every_agent_is_found_by_its_own_id() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog(folder.path());
    let ids: Vec<AgentId> = catalog.descriptors().into_iter().map(|descriptor| descriptor.id).collect();
    assert_eq!(ids, ["claude_code", "codex", "opencode", "demo"].map(AgentId::literal));
    for id in &ids {
        assert_eq!(catalog.get(id).unwrap().descriptor().id, *id);
    }
    assert!(catalog.get(&AgentId::literal("nobody")).is_none());
}

#[test]
fn a_descriptor_offers_each_option_and_each_value_once_and_knows_no_present_value() {
    check(|agent, _| {
        let descriptor = agent.descriptor();
        let options: HashSet<_> = descriptor.config.iter().map(|option| &option.id).collect();
        assert_eq!(options.len(), descriptor.config.len(), "{}", descriptor.name);
        for option in &descriptor.config {
            let values: HashSet<_> = option.values.iter().map(|value| &value.id).collect();
            assert_eq!(values.len(), option.values.len(), "{}", option.name);
            assert_eq!(option.current, None, "{}", option.name);
            let may_plan = option.category == ConfigCategory::Mode;
            assert!(may_plan || option.values.iter().all(|value| !value.planning), "{}", option.name);
        }
        assert_eq!(descriptor.program.is_some(), descriptor.install.is_some(), "{}", descriptor.name);
    });
}

#[test]
fn a_named_program_that_is_missing_is_said_and_one_that_comes_with_the_app_is_not_searched() {
    check(|agent, _| match &agent.descriptor().program {
        Some(_) => {
            assert_eq!(agent.find(Some(&some_program())), Ok(Some(some_program())));
            assert!(agent.find(Some(Path::new("/nowhere/program"))).is_err());
        }
        None => assert_eq!(agent.find(Some(Path::new("/nowhere/program"))), Ok(None)),
    });
}

#[test]
fn a_session_opens_with_a_handshake_and_means_nothing_yet() {
    check(|agent, folder| {
        for how in [Open::New, Open::Resume { native_session: NativeSession::literal("s-1") }] {
            let opened = adapter(agent, folder).open(how);
            assert!(!opened.outbound.is_empty() && opened.events.is_empty(), "{opened:?}");
        }
    });
}

#[test]
fn a_start_works_in_its_folder_and_a_resume_and_a_fork_name_the_agents_own_id() {
    check(|agent, folder| {
        let native_session = NativeSession::literal("native-7");
        let begin = |how: Open| {
            let plan = agent.prepare(&start(folder, &[], how.clone())).unwrap();
            let SessionPlan { mut adapter, link, .. } = plan;
            let place = match &link {
                LinkPlan::Process(plan) => plan.folder.display().to_string(),
                // The server has another folder; the session is told its own.
                _ => String::new(),
            };
            format!("{place} {link:?} {:?}", adapter.open(how).outbound)
        };
        let new = begin(Open::New);
        let resumed = begin(Open::Resume { native_session: native_session.clone() });
        // An address writes the separators in its own way.
        let name = folder.file_name().unwrap().to_str().unwrap();
        for begun in [&new, &resumed] {
            assert!(begun.contains(name), "{begun}");
        }
        assert_eq!((new.contains("native-7"), resumed.contains("native-7")), (false, true));
        if agent.descriptor().capabilities.fork {
            let forked = |place: Option<&str>| {
                begin(Open::Fork { native_session: native_session.clone(), place: place.map(str::to_owned) })
            };
            let (whole, before) = (forked(None), forked(Some("place-3")));
            assert!(whole.contains("native-7") && whole.contains("fork"), "{whole}");
            assert!(before.contains("native-7") && before.contains("place-3"), "{before}");
        }
    });
}

#[test]
fn a_session_of_a_server_needs_its_folder_too() {
    check(|agent, folder| {
        let start = start(&folder.join("gone"), &[], Open::New);
        let planned = agent.prepare(&start);
        let started_later = matches!(&planned, Ok(SessionPlan { link: LinkPlan::Process(_), .. }));
        let said =
            matches!(&planned, Err(AgentFailure::FolderUnusable { path, .. }) if path.ends_with("gone"));
        assert!(started_later || said, "{planned:?}");
    });
}

#[test]
fn what_was_chosen_reaches_the_start() {
    check(|agent, folder| {
        for option in &agent.descriptor().config {
            let mut start = start(folder, &[], Open::New);
            let without = agent.prepare(&start).unwrap();
            if !matches!(without.link, LinkPlan::Process(_)) {
                // Such a session is told once it is open; the agent's own tests show that.
                continue;
            }
            start.options.config.insert(option.id.clone(), some_value(option));
            let with = agent.prepare(&start).unwrap();
            assert_ne!(format!("{:?}", with.link), format!("{:?}", without.link), "{}", option.name);
        }
    });
}

#[test]
fn what_an_agent_cannot_do_is_refused_and_what_nobody_waits_for_is_gone() {
    check(|agent, folder| {
        let mut adapter = adapter(agent, folder);
        adapter.open(Open::New);
        let native_ref = NativeRef::new("toolu_never").unwrap();
        let gone = Err(EncodeError::Gone { native_ref: native_ref.clone() });
        let outcome = Outcome::Declined { words: None };
        let answer = Action::Answer { native_ref: native_ref.clone(), questions: Vec::new(), outcome };
        assert_eq!(adapter.send(answer), gone);
        let why = QuestionRefusal::Unkept { reason: "x".to_owned() };
        assert_eq!(adapter.send(Action::RefuseQuestion { native_ref: native_ref.clone(), why }), gone);
        let decision = ApprovalDecision::of(ApprovalOptionId::literal("allow"));
        assert_eq!(adapter.send(Action::Decide { native_ref, decision }), gone);

        let refused = |sent: &Result<_, EncodeError>| matches!(sent, Err(EncodeError::Refused { .. }));
        let set = |option: ConfigId, value: ValueId| Action::SetConfig { ticket: 1, option, value };
        assert!(refused(&adapter.send(set(ConfigId::literal("mood"), ValueId::literal("good")))));
        for option in &agent.descriptor().config {
            let value = some_value(option);
            let sent = adapter.send(set(option.id.clone(), value));
            assert_eq!(sent.is_ok(), option.live, "{}: {sent:?}", option.name);
            assert!(sent.is_ok() || refused(&sent), "{}: {sent:?}", option.name);
        }
        let compacted = adapter.send(Action::Compact);
        assert_eq!(compacted.is_ok(), agent.descriptor().capabilities.compact);
        assert!(compacted.is_ok() || refused(&compacted));
        let stopped = adapter.stop_helper(HelperId::new("a1").unwrap());
        assert_eq!(stopped.is_some(), agent.descriptor().capabilities.stop_helper);
        for action in [Action::Interrupt, Action::Close] {
            assert!(adapter.send(action).is_ok());
        }
        let message =
            Action::Message { id: Uuid::nil(), text: "hello".to_owned(), attached: Attached::default() };
        let sent = adapter.send(message).unwrap();
        // A session of a server holds it until the server has opened the session.
        let shares =
            !matches!(agent.prepare(&start(folder, &[], Open::New)).unwrap().link, LinkPlan::Process(_));
        assert!(shares || !sent.outbound.is_empty());
    });
}

#[test]
fn an_rpc_message_on_a_link_of_lines_is_counted() {
    check(|agent, folder| {
        let message = RpcIn::notification("x", Value::Null);
        let taken = adapter(agent, folder).receive(&Inbound::Rpc(message));
        assert!(matches!(taken.events[..], [AgentEvent::Trouble(Trouble::InvalidInput { .. })]), "{taken:?}");
    });
}

proptest! {
    #[test]
    fn any_bytes_are_taken(lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..6)) {
        check(|agent, folder| {
            let mut adapter = adapter(agent, folder);
            adapter.open(Open::New);
            for line in &lines {
                adapter.receive(&Inbound::Line(line.clone()));
            }
            let line = lines.last().cloned().unwrap_or_default();
            adapter.receive(&Inbound::Abridged { line, why: Partial::TooLarge { bytes: lines.len() } });
            adapter.receive(&Inbound::End { unfinished: lines.first().cloned().unwrap_or_default() });
        });
    }
}
