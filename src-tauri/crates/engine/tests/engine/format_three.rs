//! A data folder of journal format 3 opens with nothing lost. `fixtures/format-3/README.md` describes the folder.

mod translation;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use askdesk_agents::{Demo, LinkPlan, Start, installed_agents};
use askdesk_domain::{
    AgentId, ConfigId, Desk, Event, LaunchOverrides, NativeSession, Origin, RequestId, Session,
    SessionCommand, SessionEvent, SessionId, SessionOptions, SessionState, Settings, Timestamp, ValueId,
    config,
};
use askdesk_engine::clock::{Clock, ManualClock};
use askdesk_engine::frame::{Frame, StorageNotice};
use askdesk_engine::journal::Opened;
use askdesk_engine::{
    Catalog, EngineHandle, Journal, OutcomeKind, Page, QuestionFilter, QuestionsFound, Sessions, SettingsFile,
};
use rstest::rstest;
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};
use translation::*;

/// What the app showed of the folder at format 3, in that format.
static OLD: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("fixtures/format-3/expected.json")).unwrap());
const DELETED: &str = "0199cd64-8120-7000-8000-00000000002a";
/// A session that the demo agent still remembers.
const REMEMBERED: &str = "0199cd63-5070-7000-8000-00000000001e";

// Copies of the folder, and how they are opened.

struct Folder(tempfile::TempDir);

impl Folder {
    fn copy() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/fixtures/format-3/data"),
            folder.path(),
        );
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Changes the database directly.
    fn sql(&self, sql: &str, values: impl rusqlite::Params) {
        let connection = Connection::open(self.path().join("desk.db")).unwrap();
        assert!(connection.execute(sql, values).unwrap() > 0, "{sql}");
    }

    fn journal(&self) -> Opened {
        Journal::open(self.path(), Timestamp::from_millis(opened_at())).unwrap()
    }

    fn catalog(&self) -> Catalog {
        let demo =
            Demo::new(crate::support::agents::fake_agent(), Vec::new(), self.path().join("demo"), Vec::new());
        let mut agents = installed_agents();
        agents.push(Arc::new(demo));
        Catalog::new(agents)
    }

    fn engine(&self) -> EngineHandle {
        let clock = Arc::new(ManualClock::at(opened_at())) as Arc<dyn Clock>;
        EngineHandle::open(self.path(), clock, self.catalog()).unwrap().handle
    }

    /// Every row of every table with texts, and the format.
    fn rows(&self) -> Vec<String> {
        rows(&self.path().join("desk.db"))
    }
}

fn opened_at() -> i64 {
    OLD["openedAt"].as_i64().unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn files(folder: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert((entry.path(), std::fs::read(entry.path()).unwrap()));
        }
    }
    found
}

fn rows(database: &Path) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let mut rows = vec![format!("format {format}")];
    for table in [
        "events ORDER BY seq",
        "requests ORDER BY id",
        "approvals ORDER BY id",
        "drafts ORDER BY about",
        "entries ORDER BY session, n",
        "searched ORDER BY id",
        "words ORDER BY rowid",
    ] {
        let mut all = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = all.column_count();
        let read = |row: &rusqlite::Row<'_>| {
            let values: rusqlite::Result<Vec<rusqlite::types::Value>> =
                (0..columns).map(|column| row.get(column)).collect();
            Ok(format!("{table}: {:?}", values?))
        };
        rows.extend(all.query_map([], read).unwrap().map(Result::unwrap));
    }
    rows
}

// The shown state, in the layout of `expected.json`.

/// Every session, request and approval that was shown, by id.
#[derive(Default)]
struct Seen {
    sessions: Map<String, Value>,
    requests: Map<String, Value>,
    approvals: Map<String, Value>,
}

fn ids<T: serde::Serialize>(
    seen: &mut Map<String, Value>,
    values: impl IntoIterator<Item = T>,
) -> Vec<String> {
    let id = |value: T| {
        let value = serde_json::to_value(&value).unwrap();
        let id = value["id"].as_str().unwrap().to_owned();
        let before = seen.insert(id.clone(), value.clone());
        assert!(before.is_none_or(|before| before == value), "{id} is shown in two ways");
        id
    };
    values.into_iter().map(id).collect()
}

impl Seen {
    fn page(&mut self, page: &Page) -> Value {
        json!({
            "entries": page.entries, "more": page.more,
            "requests": ids(&mut self.requests, &page.requests),
            "approvals": ids(&mut self.approvals, &page.approvals),
        })
    }

    fn questions(&mut self, found: &QuestionsFound) -> Value {
        json!({
            "requests": ids(&mut self.requests, &found.requests), "more": found.more, "count": found.count,
            "answered": found.answered, "medianMillis": found.median_millis,
        })
    }

    fn with(self, mut others: Value) -> Value {
        others["sessions"] = Value::Object(self.sessions);
        others["requests"] = Value::Object(self.requests);
        others["approvals"] = Value::Object(self.approvals);
        others
    }
}

/// What the journal holds before a start closes what the last run left open.
fn stored(opened: &Opened) -> Value {
    let (desk, mut seen) = (&opened.desk, Seen::default());
    ids(&mut seen.sessions, desk.sessions().chain(desk.closed_sessions()));
    ids(&mut seen.requests, desk.requests());
    ids(&mut seen.approvals, desk.approvals());
    let only = |is: &dyn Fn(RequestId) -> bool| -> Vec<_> {
        desk.requests().map(|request| request.id).filter(|id| is(*id)).collect()
    };
    seen.with(json!({
        "closedSessions": desk.closed_sessions().map(|session| session.id).collect::<Vec<_>>(),
        "callClosed": only(&|id| desk.is_call_closed(id)),
        "sending": only(&|id| desk.is_sending(id)),
        "drafts": opened.journal.reader().unwrap().drafts().unwrap(),
        "newestEntries": opened.entries,
    }))
}

/// What the engine shows after a start.
async fn shown(engine: &EngineHandle) -> Value {
    let mut seen = Seen::default();
    let first = engine.subscribe().await.unwrap().take();
    let Some(Frame::Snapshot(snapshot)) = first else { panic!("a subscription begins with {first:?}") };
    let snapshot = json!({
        "seq": snapshot.seq, "live": snapshot.live, "held": snapshot.held, "storage": snapshot.storage.first(),
        "sessions": ids(&mut seen.sessions, &snapshot.sessions),
        "requests": ids(&mut seen.requests, &snapshot.requests),
        "approvals": ids(&mut seen.approvals, &snapshot.approvals),
    });
    let desk = engine.inspect(Desk::clone).await.unwrap();
    let mut transcripts = Map::new();
    for session in desk.sessions().chain(desk.closed_sessions()) {
        let whole = engine.whole(session.id).await.unwrap();
        transcripts.insert(session.id.to_string(), seen.page(&whole));
    }
    let mut search = Map::new();
    for words in OLD["afterOpening"]["search"].as_object().unwrap().keys() {
        let found = engine.search(words.clone(), 50, 0).await.unwrap();
        let hit = |hit: &askdesk_engine::Hit| {
            json!({
                "session": hit.session, "n": hit.n, "at": hit.at, "kind": hit.kind,
                "before": hit.before, "matched": hit.matched, "after": hit.after,
            })
        };
        let hits: Vec<_> = found.hits.iter().map(hit).collect();
        search.insert(words.clone(), json!({"hits": hits, "more": found.more}));
    }
    let outcomes = [
        OutcomeKind::Answered,
        OutcomeKind::Declined,
        OutcomeKind::RepliedInChat,
        OutcomeKind::Expired,
        OutcomeKind::Withdrawn,
        OutcomeKind::Orphaned,
    ];
    let of_outcome = |outcome: OutcomeKind| {
        let filter = QuestionFilter { outcomes: vec![outcome], ..QuestionFilter::default() };
        (outcome.word(), filter)
    };
    let of_words = QuestionFilter { words: "lighthouse".to_owned(), ..QuestionFilter::default() };
    let filters = [("all", QuestionFilter::default()), ("words: lighthouse", of_words)];
    let mut history = Map::new();
    for (name, filter) in filters.into_iter().chain(outcomes.map(of_outcome)) {
        let found = engine.all_questions(filter).await.unwrap();
        history.insert(name.to_owned(), seen.questions(&found));
    }
    let others = json!({
        "snapshot": snapshot, "transcripts": transcripts, "search": search, "history": history,
        "pastSessions": ids(&mut seen.sessions, desk.past_sessions()),
        "closedSessions": ids(&mut seen.sessions, desk.closed_sessions()),
        "requestsInMemory": ids(&mut seen.requests, desk.requests()),
        "approvalsInMemory": ids(&mut seen.approvals, desk.approvals()),
        "lastAsked": desk.last_asked(),
        "drafts": engine.drafts().await.unwrap(),
    });
    seen.with(others)
}

/// Compares whole values, and names the places where they differ.
#[track_caller]
fn check(found: &Value, expected: &Value) {
    let mut differences = Vec::new();
    differ("", found, expected, &mut differences);
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(found, expected);
}

fn differ(place: &str, found: &Value, expected: &Value, differences: &mut Vec<String>) {
    match (found, expected) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let place = format!("{place}/{key}");
                match (one.get(key), other.get(key)) {
                    (Some(found), Some(expected)) => differ(&place, found, expected, differences),
                    (found, expected) => differences.push(format!("{place}: {found:?}, not {expected:?}")),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, (found, expected)) in one.iter().zip(other).enumerate() {
                differ(&format!("{place}/{n}"), found, expected, differences);
            }
        }
        _ if found == expected => {}
        _ => differences.push(format!("{place}: {found}, not {expected}")),
    }
}

// The tests.

#[test]
fn everything_that_was_stored_is_read() {
    let folder = Folder::copy();
    let opened = folder.journal();
    assert_eq!(opened.notices, []);
    check(&stored(&opened), &translated("asStored"));
}

#[tokio::test]
async fn after_a_start_everything_is_shown_and_no_file_is_lost() {
    let folder = Folder::copy();
    let kept = |folder: &Folder| -> BTreeSet<_> {
        let database = |path: &Path| path.file_name().unwrap().to_str().unwrap().starts_with("desk.");
        files(folder.path()).into_iter().filter(|(path, _)| !database(path)).collect()
    };
    let before = kept(&folder);
    assert_eq!(before.len(), 3, "the settings, an image and what the demo remembers");
    let engine = folder.engine();
    check(&shown(&engine).await, &translated("afterOpening"));
    engine.close().await.unwrap();
    assert!(kept(&folder).is_superset(&before), "{:?}", kept(&folder));
}

#[test]
fn every_setting_is_read_and_ignored_ones_are_reported() {
    let folder = Folder::copy();
    let read = SettingsFile::open(folder.path(), folder.catalog()).read();
    let mut expected = OLD["settings"].clone();
    let settings = &mut expected["settings"];
    let (arguments, environment) = (take(settings, "claudeArguments"), take(settings, "claudeEnvironment"));
    settings["launchOverrides"] =
        json!({"claude_code": {"arguments": arguments, "environment": environment}});
    settings["dailyBudget"] = json!(0);
    settings["permissionRules"] = json!([]);
    settings["setupCommands"] = json!({});
    for newer in ["editor", "terminal"] {
        settings[newer] = json!("auto");
        settings[format!("{newer}Command")] = json!("");
    }
    check(&json!({"settings": read.settings, "ignored": read.ignored}), &expected);
}

#[tokio::test]
async fn a_second_opening_migrates_nothing_and_shows_the_same() {
    let folder = Folder::copy();
    let first = stored(&folder.journal());
    // A field of format 3 that only a second migration would remove.
    folder.sql(
        "UPDATE requests SET body = json_set(body, '$.source', 'mcp') WHERE id = (SELECT id FROM requests)",
        [],
    );
    let before = folder.rows();
    assert_eq!(before[0], "format 4");
    check(&stored(&folder.journal()), &first);
    assert_eq!(folder.rows(), before);

    let engine = folder.engine();
    let mut first = shown(&engine).await;
    engine.close().await.unwrap();
    let before = folder.rows();
    let engine = folder.engine();
    // Nothing is left to close.
    first["snapshot"]["seq"] = 0.into();
    check(&shown(&engine).await, &first);
    engine.close().await.unwrap();
    assert_eq!(folder.rows(), before);
}

/// The sessions that could be resumed at format 3, as they are now.
fn resumable(opened: &Opened) -> Vec<Session> {
    let sessions = translated("asStored")["sessions"].as_object().unwrap().clone();
    let could = |session: &Session| sessions[&session.id.to_string()]["resumable"] == true;
    let all = opened.desk.sessions().chain(opened.desk.closed_sessions());
    all.filter(|session| could(session)).cloned().collect()
}

#[test]
fn a_resumable_session_of_each_agent_resumes_under_the_id_it_had() {
    let folder = Folder::copy();
    let mut agents = BTreeSet::new();
    for session in resumable(&folder.journal()) {
        assert!(session.resumable, "{session:?}");
        let id = session.id.to_string();
        assert_eq!(session.native_session, NativeSession::new(id.clone()));
        let agent = session.origin.agent().unwrap().clone();
        assert_eq!(session.origin, Origin::started(agent.clone()));
        // Any program works: it is not started.
        let program = Some(std::env::current_exe().unwrap().display().to_string());
        let options = SessionOptions {
            config: config::choices_to_resume(&session.options.config, &session.config, &[]),
            program,
            ..session.options
        };
        let start = Start { folder: session.folder.into(), options, resume: session.native_session };
        let LinkPlan::Process(plan) = folder.catalog().get(&agent).unwrap().prepare(&start).unwrap().link
        else {
            panic!("{agent} is started as a process")
        };
        let place = plan.args.iter().position(|arg| arg == "--resume").unwrap();
        assert_eq!(plan.args[place + 1].to_str(), Some(id.as_str()));
        assert!(!plan.args.iter().any(|arg| arg == "bypassPermissions"), "{plan:?}");
        agents.insert(agent);
    }
    assert_eq!(agents, ["claude_code", "demo"].map(AgentId::literal).into());
}

#[tokio::test]
async fn an_agent_that_remembers_its_session_resumes_it() {
    let folder = Folder::copy();
    let place = folder.path().join("shop");
    std::fs::create_dir(&place).unwrap();
    let moved = "UPDATE events SET body = json_set(body, '$.session.folder', ?1)
        WHERE session = ?2 AND body ->> '$.event' = 'session_started'";
    folder.sql(moved, params![place.to_str().unwrap(), REMEMBERED]);
    let (engine, id) = (folder.engine(), REMEMBERED.parse::<SessionId>().unwrap());
    let (_, settings) = tokio::sync::watch::channel(Settings::default());
    let sessions = Sessions::new(engine.clone(), settings);
    sessions.resume(id, &LaunchOverrides::default()).await.unwrap();
    let answered = async {
        while engine.session(id).await.unwrap().state == SessionState::Starting {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::support::desk::PATIENCE, answered).await.unwrap();
    let session = engine.session(id).await.unwrap();
    assert!(session.is_running(), "{session:?}");
    assert_eq!(session.native_session, NativeSession::new(REMEMBERED));
    sessions.shut_down().await;
}

#[rstest]
#[case::as_it_was_left(None)]
#[case::in_a_mode_without_a_name(Some(None))]
#[case::unattended(Some(Some("bypass")))]
#[case::asking(Some(Some("default")))]
fn a_session_resumes_in_its_last_mode_but_never_in_bypass(#[case] noted: Option<Option<&str>>) {
    let folder = Folder::copy();
    let old = &OLD["afterOpening"]["sessions"];
    for id in old.as_object().unwrap().keys().filter(|id| noted.is_some() && old[*id]["resumable"] == true) {
        let event = json!({"event": "mode_changed", "session": id, "mode": noted.unwrap()});
        folder
            .sql("INSERT INTO events (at, body, session) VALUES (1, ?1, ?2)", params![event.to_string(), id]);
    }
    let mut started_unattended = 0;
    for session in resumable(&folder.journal()) {
        let old = &old[session.id.to_string()];
        let started_in = old["options"]["mode"].as_str();
        started_unattended += usize::from(started_in == Some("bypass"));
        let last = noted.unwrap_or(old["mode"].as_str()).or(started_in);
        let choices = config::choices_to_resume(&session.options.config, &session.config, &[]);
        let mode = choices.get(&ConfigId::literal("mode")).map(ValueId::as_str);
        assert_eq!(mode, last.filter(|mode| *mode != "bypass"), "{session:?}");
    }
    assert_eq!(started_unattended, 1);
}

#[test]
fn the_events_of_a_deleted_session_are_read_without_their_texts() {
    let folder = Folder::copy();
    let events = || {
        let connection = Connection::open(folder.path().join("desk.db")).unwrap();
        let mut events = connection.prepare("SELECT session, body FROM events ORDER BY seq").unwrap();
        let read = events.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        read.map(Result::unwrap).collect::<Vec<(Option<String>, String)>>()
    };
    let before = events();
    let desk = folder.journal().desk;
    let after = events();
    assert_eq!(after.len(), before.len());
    let event = |(_, body): &(Option<String>, String)| serde_json::from_str::<Event>(body).unwrap();
    let deleted: Vec<_> =
        after.iter().filter(|(session, _)| session.as_deref() == Some(DELETED)).map(event).collect();
    assert!(
        deleted.len() > 1 && matches!(deleted.last(), Some(Event::Session(SessionEvent::Deleted { .. })))
    );
    assert!(
        matches!(&deleted[0], Event::Session(SessionEvent::Started { session }) if session.name.is_empty())
    );
    let id: SessionId = DELETED.parse().unwrap();
    let mut folded = Desk::replay(&after.iter().map(event).collect::<Vec<_>>());
    assert_eq!((folded.session(id), &folded), (None, &desk));
    // Without the deletion it is a normal session.
    let (_, before_deletion) = deleted.split_last().unwrap();
    folded = Desk::replay(before_deletion);
    assert!(folded.session(id).is_some());
}

#[test]
fn a_plan_keeps_its_suggested_rules() {
    let folder = Folder::copy();
    let [plan, command] = ["0199c864-9cc8-7000-8000-000000000018", "0199c864-7d88-7000-8000-000000000014"];
    let [mut plan_then, with_rules] = [plan, command].map(|id| OLD["afterOpening"]["approvals"][id].clone());
    plan_then["rules"] = with_rules["rules"].clone();
    plan_then["state"]["decision"] = with_rules["state"]["decision"].clone();
    let put = |table: &str, column: &str, path: &str, value: &Value| {
        let id = if path.starts_with("$.approval.") { "body ->> '$.approval.id'" } else { "id" };
        let set =
            format!("UPDATE {table} SET {column} = json_set({column}, '{path}', json(?1)) WHERE {id} = ?2");
        folder.sql(&set, params![value.to_string(), plan]);
    };
    put("events", "body", "$.approval.rules", &plan_then["rules"]);
    put("approvals", "body", "$.rules", &plan_then["rules"]);
    put("approvals", "state", "$.decision", &plan_then["state"]["decision"]);
    folder.sql(
        "UPDATE events SET body = json_set(body, '$.decision', json(?1))
         WHERE body ->> '$.event' = 'approval_decided' AND body ->> '$.approval' = ?2",
        params![plan_then["state"]["decision"].to_string(), plan],
    );
    approval(&mut plan_then, true);
    let opened = folder.journal();
    let found = opened.desk.approval(plan.parse().unwrap()).unwrap();
    check(&json!(found), &plan_then);
    assert_eq!(found.options.len(), 1 + 8 + 3 + 1);
    let page = opened.journal.reader().unwrap().page(found.session, None, u32::MAX).unwrap();
    assert!(page.approvals.contains(found));
}

#[test]
fn every_event_has_its_session_so_that_its_texts_can_be_deleted() {
    let folder = Folder::copy();
    let database = folder.path().join("desk.db");
    let lost = |connection: &Connection| -> i64 {
        let count = "SELECT count(*) FROM events WHERE session IS NULL";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert!(lost(&Connection::open(&database).unwrap()) > 0, "an older version lost some");
    drop(folder.journal());
    assert_eq!(lost(&Connection::open(&database).unwrap()), 0);
}

#[tokio::test]
async fn a_migrated_session_can_be_deleted() {
    let folder = Folder::copy();
    let engine = folder.engine();
    let sessions: Vec<_> = engine.inspect(|desk| desk.sessions().map(|it| it.id).collect()).await.unwrap();
    for session in sessions {
        engine.act(SessionCommand::Delete { session }).await.unwrap();
    }
    engine.close().await.unwrap();
    let opened = folder.journal();
    assert_eq!((opened.desk.sessions().count(), opened.notices), (0, Vec::new()));
}

const NOT_JSON: &[u8] = b"these are my holiday notes";
const NO_OBJECT: &[u8] = b"5";
const NOT_UTF_8: &[u8] = b"\"\xff\"";

#[rstest]
#[case::not_json(NOT_JSON)]
#[case::no_object(NO_OBJECT)]
#[case::no_session(br#"{"event":"session_started","session":[]}"#)]
#[case::no_approval(br#"{"event":"approval_asked","approval":5}"#)]
#[case::no_decision(br#"{"event":"approval_decided","decision":[]}"#)]
fn case_131_an_event_of_format_3_that_cannot_be_read_is_lost_alone(#[case] bytes: &[u8]) {
    let folder = Folder::copy();
    let sound = Folder::copy().journal().desk;
    folder.sql("UPDATE events SET body = CAST(?1 AS TEXT) WHERE seq = 400", [bytes]);
    let before = folder.rows().len();
    let opened = folder.journal();
    assert_eq!(opened.notices, [StorageNotice::Unreadable { count: 1 }]);
    let ids = |desk: &Desk| desk.sessions().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(ids(&opened.desk), ids(&sound));
    let database = folder.path().join("desk.db");
    assert!(rows(&database).len() >= before - 1);
    let kept = "SELECT CAST(body AS BLOB) FROM set_aside WHERE seq = 400";
    let found: Vec<u8> = Connection::open(database).unwrap().query_row(kept, [], |row| row.get(0)).unwrap();
    assert_eq!(found, bytes);
}

#[rstest]
fn an_unreadable_row_of_another_table_is_skipped(
    #[values(
        "requests.body",
        "requests.delivery",
        "approvals.body",
        "approvals.state",
        "drafts.body",
        "entries.body"
    )]
    place: &str,
    #[values(NOT_JSON, NO_OBJECT, NOT_UTF_8)] bytes: &[u8],
) {
    let folder = Folder::copy();
    let (table, column) = place.split_once('.').unwrap();
    let key = if table == "drafts" { "about" } else { "session" };
    let first = format!("(SELECT MIN({key}) FROM {table})");
    folder.sql(&format!("UPDATE {table} SET {column} = CAST(?1 AS TEXT) WHERE {key} = {first}"), [bytes]);
    let opened = folder.journal();
    assert_eq!(opened.notices, []);
    let (mut found, mut expected) = (stored(&opened), translated("asStored"));
    if table == "drafts" {
        assert_eq!(found["drafts"].as_array().unwrap().len(), 11);
        (found["drafts"], expected["drafts"]) = (Value::Null, Value::Null);
    }
    check(&found, &expected);
}

#[test]
fn a_removed_rule_becomes_text_in_every_error_that_names_it() {
    let folder = Folder::copy();
    let rules = ["no_rule", "planning_ends", "not_started_so"];
    let refused = |rule: &str| json!({"undelivered": "refused", "rule": {"breach": rule}});
    let within = |error: Value| {
        let why = json!({"breach": "attached", "why": error});
        json!({"undelivered": "refused", "rule": why})
    };
    let failed = |error: &Value| json!({"delivery": "failed", "error": error});
    let notice =
        |error: &Value| json!({"kind": "notice", "notice": {"notice": "message_not_sent", "error": error}});
    let request = "0199d279-fa78-7000-8000-000000000015";
    let session = OLD["afterOpening"]["requests"][request]["session"].as_str().unwrap();
    let environment = json!({"breach": "no_rule"});
    folder.sql(
        "UPDATE events SET body = json_set(body, '$.session.options.extras.environment', json(?1))
         WHERE session = ?2 AND body ->> '$.event' = 'session_started'",
        params![environment.to_string(), session],
    );
    for (n, rule) in (900..).zip(rules) {
        for (n, error) in [(n, refused(rule)), (n + 10, within(refused(rule)))] {
            let event = json!({"event": "delivery_changed", "request": request, "delivery": failed(&error)});
            let event = event.to_string();
            folder.sql("INSERT INTO events (at, body, session) VALUES (1, ?1, ?2)", params![event, session]);
            folder.sql(
                "UPDATE requests SET delivery = ?1 WHERE id = ?2",
                params![failed(&error).to_string(), request],
            );
            folder.sql(
                "INSERT INTO entries (session, n, at, body) VALUES (?1, ?2, 1, ?3)",
                params![session, n, notice(&error).to_string()],
            );
        }
    }
    let opened = folder.journal();
    let reader = opened.journal.reader().unwrap();
    let id: RequestId = request.parse().unwrap();
    let of_events = opened.desk.request(id).unwrap();
    let mut last = refused("not_started_so");
    delivery_error(&mut last);
    let expected = failed(&within(last));
    assert_eq!(json!(of_events)["state"]["delivery"], expected);
    assert_eq!(reader.request(id).unwrap().as_ref(), Some(of_events));
    let session: SessionId = session.parse().unwrap();
    let page = reader.page(session, None, 6).unwrap();
    let found: BTreeMap<_, _> = page.entries.iter().map(|entry| (entry.n, json!(entry.body))).collect();
    for (n, rule) in (900..).zip(rules) {
        let mut error = refused(rule);
        delivery_error(&mut error);
        assert_eq!(found[&n], notice(&error));
        assert_eq!(found[&(n + 10)], notice(&within(error)));
    }
    // A variable of the same name is unchanged.
    let extras = json!(opened.desk.session(session).unwrap())["options"]["extras"].clone();
    assert_eq!(extras["environment"], environment);
}
