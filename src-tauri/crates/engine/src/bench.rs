//! Fills a data folder with a long history, for benchmarks: the app's own journal writes it, with the index for the search.

use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentId, AnswerInput, Answers, Approval, ApprovalDecision, ApprovalEvent, ApprovalId, ApprovalOption,
    ApprovalOptionId, ApprovalOptionKind, ApprovalState, Delivery, Entry, EntryBody, Event, NativeRef,
    NativeSession, OptionLabel, Origin, Outcome, Question, QuestionId, QuestionKind, QuestionOption, Request,
    RequestEvent, RequestId, RequestState, Session, SessionEnd, SessionEvent, SessionId, StorageError,
    Timestamp, ToolDetail, ToolKind, ToolStatus, Usd,
};
use uuid::Uuid;

use crate::journal::{Journal, Opened};

/// When the first session began: 2026-01-01.
const FIRST: i64 = 1_767_225_600_000;
/// The time between the beginnings of two sessions, between two events, and between two entries of a session, in milliseconds.
const SESSION_MILLIS: i64 = 3 * 3_600_000;
const EVENT_MILLIS: i64 = 20_000;
const ENTRY_MILLIS: i64 = 4_000;

/// One of this many sessions has questions, and the others have permission requests.
const ASKS: usize = 10;
/// The most questions or permission requests of one session.
const ASKED: usize = 8;
/// How many entries one transaction contains at least.
const BATCH: usize = 50_000;
/// How many folders the sessions share.
const PROJECTS: usize = 12;

const ENGLISH: &str = "\
    branch build cache change check column commit compile config daemon database deploy driver editor error \
    export failing feature field folder format handler header index input journal keyboard latency layout \
    library limit logger market memory merge message migration module network notice option output package \
    panel parser prompt question queue reader record release render request review route schema screen \
    search server session setting sidebar socket storage stream symbol table target terminal thread timeout \
    token update value vector version warning window worker writer because before between should still there \
    where which with without would after again already every never only other some the this that";
const GERMAN: &str = "\
    Abfrage Abhängigkeit Anmeldung Ansicht Antwort Aufgabe Ausgabe Auswahl Befehl Bereich Datei Datenbank \
    Drucker Eingabe Einstellung Ergebnis Fehler Fenster Frage Größe Häufigkeit Kennwort Länge Lösung Meldung \
    Nachricht Ordner Prüfung Quelle Rückfrage Schlüssel Schnittstelle Sitzung Speicher Sprache Tabelle \
    Übersicht Verbindung Verlauf Verzeichnis Vorschlag Warteschlange Werkzeug Zeile Zugriff Änderung aber \
    außerdem beim danach deshalb durch jedoch nicht noch oder schon sobald und wieder zuerst";

/// Fills a new data folder with sessions, and shares events and entries equally among them. All sessions have ended and can
/// be resumed; the newest one was running when the app ended. Returns its id.
pub fn fill(
    folder: &Path,
    sessions: usize,
    events: usize,
    entries: usize,
) -> Result<SessionId, StorageError> {
    let Opened { mut journal, .. } = Journal::open(folder, Timestamp::from_millis(FIRST))?;
    journal.expect_much()?;
    let projects = projects(folder)?;
    let mut words = Words::new();
    let (mut batch_events, mut batch_entries) = (Vec::new(), Vec::new());
    let sessions = sessions.max(1);
    let mut newest = None;
    for n in 0..sessions {
        let mut history = History::new(n, &projects, &mut words);
        history.write(share(events, sessions, n), share(entries, sessions, n), n + 1 == sessions);
        newest = Some(history.session);
        let at = history.at();
        batch_events.append(&mut history.events);
        batch_entries.extend(history.entries.into_iter().map(|entry| (history.session, entry)));
        if batch_entries.len() >= BATCH || n + 1 == sessions {
            journal.commit(&batch_events, &batch_entries, at)?;
            batch_events.clear();
            batch_entries.clear();
        }
    }
    drop(journal);
    // The app leaves a snapshot once it has nothing to do.
    let Opened { mut journal, desk, .. } = Journal::open(folder, Timestamp::from_millis(FIRST))?;
    journal.write_last_snapshot(&desk);
    journal.checkpoint()?;
    Ok(newest.unwrap_or_else(|| SessionId::new(Uuid::nil())))
}

/// Returns the part of a number that one of several gets.
const fn share(all: usize, among: usize, n: usize) -> usize {
    all / among + if n < all % among { 1 } else { 0 }
}

fn projects(folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let make = |n: usize| {
        let project = folder.join("projects").join(format!("project-{n}"));
        std::fs::create_dir_all(&project).map(|()| project)
    };
    (0..PROJECTS)
        .map(make)
        .collect::<Result<_, _>>()
        .map_err(|error| StorageError::Other { path: folder.display().to_string(), error: error.to_string() })
}

/// One session with its events and entries.
struct History<'a> {
    session: SessionId,
    n: usize,
    began: i64,
    folder: String,
    events: Vec<Event>,
    entries: Vec<Entry>,
    /// The entries that show what the session asked for.
    asked: Vec<EntryBody>,
    words: &'a mut Words,
}

impl<'a> History<'a> {
    fn new(n: usize, projects: &[PathBuf], words: &'a mut Words) -> Self {
        let began = FIRST + SESSION_MILLIS * n as i64;
        Self {
            session: SessionId::new(id(began, n as u64)),
            n,
            began,
            folder: projects[n % projects.len()].display().to_string(),
            events: Vec::new(),
            entries: Vec::new(),
            asked: Vec::new(),
            words,
        }
    }

    fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.began + EVENT_MILLIS * self.events.len() as i64)
    }

    fn push(&mut self, event: impl Into<Event>) {
        self.events.push(event.into());
    }

    fn write(&mut self, events: usize, entries: usize, is_newest: bool) {
        let session = self.session;
        let agent = Origin::started(AgentId::literal("demo"));
        let (name, folder) = (self.words.line(self.n, 5), self.folder.clone());
        let started = Session { name, folder, ..Session::new(session, agent, self.at()) };
        self.push(SessionEvent::Started { session: started });
        if let Some(native_session) = NativeSession::new(session.to_string()) {
            self.push(SessionEvent::NativeSessionKnown { session, native_session });
        }
        let (version, model) = (Some("2.1.0".to_owned()), Some("opus".to_owned()));
        self.push(SessionEvent::Introduced { session, version, model });
        self.push(SessionEvent::AgentSpoke { session });
        // What is asked has four or two events, and a turn has two.
        while self.events.len() + 6 < events {
            match self.asked.len() < ASKED {
                true if self.n.is_multiple_of(ASKS) => self.ask_question(),
                true => self.ask_permission(),
                false => {
                    self.push(SessionEvent::TurnBegan { session });
                    self.push(SessionEvent::TurnFinished { session });
                }
            }
        }
        while self.events.len() + 1 < events {
            self.push(SessionEvent::LinesUnusable { session, lines: 1 });
        }
        let end = if is_newest { SessionEnd::AppQuit } else { SessionEnd::Stopped };
        self.push(SessionEvent::Ended { session, end, at: self.at() });
        self.write_entries(entries);
    }

    fn next_id(&self) -> Uuid {
        id(self.at().millis(), (self.n * 1_000_000 + self.events.len()) as u64)
    }

    fn ask_question(&mut self) {
        let id = RequestId::new(self.next_id());
        let (session, question) = (self.session, self.question());
        let chosen = vec![question.options[self.words.below(question.options.len())].id];
        let input = AnswerInput {
            question: question.id,
            chosen,
            other: None,
            note: (self.words.below(3) == 0).then(|| self.words.line(self.n, 12)),
        };
        let answers = Answers::check(std::slice::from_ref(&question), &[input]).unwrap_or_default();
        self.push(RequestEvent::Asked {
            request: Request {
                id,
                session,
                native_ref: native_ref("toolu", self.events.len()),
                asked_by: None,
                helper: None,
                questions: vec![question],
                asked_at: self.at(),
                limit: None,
                asker: askdesk_domain::Asker::Waits,
                state: RequestState::Open,
            },
        });
        let outcome = Outcome::Answered { answers };
        self.push(RequestEvent::Ended { request: id, outcome, at: self.at(), answer: None });
        self.push(RequestEvent::Sending { request: id, late: false, call: None });
        let delivery = Delivery::Delivered { at: self.at(), late: false };
        self.push(RequestEvent::DeliveryChanged { request: id, delivery, call: None });
        self.asked.push(EntryBody::Request { request: id });
    }

    fn question(&mut self) -> Question {
        let id = QuestionId::at(0);
        let option = |words: &mut Words, index| QuestionOption {
            id: id.option(index),
            label: words.line(self.n, 3),
            description: Some(words.line(self.n, 10)),
            preview: None,
            recommended: index == 0,
        };
        Question {
            id,
            options: (0..3).map(|index| option(self.words, index)).collect(),
            text: self.words.line(self.n, 14),
            header: Some(self.words.line(self.n, 1)),
            kind: QuestionKind::Single,
            allows_other: true,
            other_description: None,
            required: false,
            placeholder: None,
            bounds: None,
            default: None,
        }
    }

    fn ask_permission(&mut self) {
        let id = ApprovalId::new(self.next_id());
        let option = |id: &'static str, kind| ApprovalOption {
            id: ApprovalOptionId::literal(id),
            kind,
            label: OptionLabel::Plain,
            scope: None,
            combines: false,
        };
        let allow = option("allow", ApprovalOptionKind::AllowOnce);
        let decision = ApprovalDecision::of(allow.id.clone());
        let command = format!("cargo test --package {}", self.words.line(0, 1));
        let description = Some(self.words.line(self.n, 6));
        self.push(ApprovalEvent::Asked {
            approval: Approval {
                id,
                session: self.session,
                native_ref: native_ref("toolu", self.events.len()),
                helper: None,
                asked_by: None,
                title: "Bash".to_owned(),
                description,
                remark: None,
                subject: ToolDetail::Command { command, description: None },
                options: vec![allow, option("deny", ApprovalOptionKind::RejectOnce)],
                takes_message: true,
                asked_at: self.at(),
                rule: None,
                state: ApprovalState::Open,
            },
        });
        self.push(ApprovalEvent::Decided { approval: id, decision, at: self.at() });
        self.asked.push(EntryBody::Approval { approval: id });
    }

    fn write_entries(&mut self, entries: usize) {
        let mut asked = std::mem::take(&mut self.asked).into_iter();
        for n in 1..=entries {
            let body = match n % 10 {
                1 => EntryBody::User { text: self.words.text(self.n, 15), attachments: Vec::new() },
                2 => EntryBody::Thinking { text: self.words.text(self.n, 25) },
                5 => asked.next().unwrap_or_else(|| self.tool(n)),
                3 | 7 => self.tool(n),
                0 => EntryBody::TurnEnded {
                    millis: 30_000 + self.words.below(90_000) as u64,
                    input_tokens: self.words.below(4_000) as u64,
                    output_tokens: self.words.below(2_000) as u64,
                    cached_tokens: self.words.below(60_000) as u64,
                    error: None,
                    cost_usd: Usd::new(self.words.below(500) as f64 / 1_000.0),
                    context: None,
                },
                _ => EntryBody::Agent { text: self.words.text(self.n, 40) },
            };
            let at = Timestamp::from_millis(self.began + ENTRY_MILLIS * n as i64);
            self.entries.push(Entry { n: n as u64, at, body });
        }
    }

    fn tool(&mut self, n: usize) -> EntryBody {
        let file = format!("src/{}/{}_{}.rs", self.words.line(0, 1), self.words.line(0, 1), self.n);
        let output = Some(self.words.text(self.n, 30));
        let (name, tool_kind, detail) = match n % 10 {
            3 => {
                let detail = ToolDetail::Read { path: file.clone(), line: None, input: file.clone() };
                ("Read", ToolKind::Read, detail)
            }
            _ => {
                let command = format!("grep -n {} {file}", self.words.line(0, 1));
                ("Bash", ToolKind::Execute, ToolDetail::Command { command, description: None })
            }
        };
        EntryBody::Tool {
            tool_use: format!("toolu_{}_{n}", self.n),
            name: name.to_owned(),
            tool_kind,
            summary: file,
            detail,
            status: ToolStatus::Done,
            output,
            images: Vec::new(),
            subagent: None,
        }
    }
}

/// Creates an id that sorts by its time, as the app's do.
const fn id(millis: i64, n: u64) -> Uuid {
    Uuid::from_u64_pair((millis.unsigned_abs() << 16) | 0x7000, 0x8000_0000_0000_0000 | n)
}

fn native_ref(prefix: &str, n: usize) -> NativeRef {
    NativeRef::new(format!("{prefix}_{n}")).unwrap_or(NativeRef::literal("call"))
}

/// Texts in several languages, the same ones each time.
struct Words {
    state: u64,
    english: Vec<&'static str>,
    german: Vec<&'static str>,
}

impl Words {
    fn new() -> Self {
        let list = |words: &'static str| words.split(' ').collect();
        Self { state: 0x5EED, english: list(ENGLISH), german: list(GERMAN) }
    }

    fn pick(&mut self, is_german: bool) -> &'static str {
        let count = if is_german { self.german.len() } else { self.english.len() };
        let n = self.below(count);
        if is_german { self.german[n] } else { self.english[n] }
    }

    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    /// Writes a line of so many words: of ten sessions, two are in German and one in Chinese.
    fn line(&mut self, session: usize, words: usize) -> String {
        let mut line = String::new();
        for n in 0..words {
            match session % 10 {
                4 | 7 => {
                    line.push_str(if n > 0 { " " } else { "" });
                    line.push_str(self.pick(true));
                }
                9 => line.extend((0..2).filter_map(|_| char::from_u32(0x4E00 + self.below(3_000) as u32))),
                _ => {
                    line.push_str(if n > 0 { " " } else { "" });
                    line.push_str(self.pick(false));
                    // Names in code are rarer than words.
                    if self.below(12) == 0 {
                        line.push('_');
                        line.push_str(self.pick(false));
                        line.push_str(&self.below(500).to_string());
                    }
                }
            }
        }
        line
    }

    /// Writes up to twice as many words, in lines.
    fn text(&mut self, session: usize, words: usize) -> String {
        let mut left = 1 + self.below(2 * words);
        let mut lines = Vec::new();
        while left > 0 {
            let next = left.min(12);
            lines.push(self.line(session, next));
            left -= next;
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askdesk_contract::OutcomeKind;

    #[test]
    fn a_filled_folder_has_what_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let newest = fill(folder.path(), 12, 625, 1_000).unwrap();
        let Opened { journal, desk, entries, notices } =
            Journal::open(folder.path(), Timestamp::from_millis(FIRST)).unwrap();
        assert_eq!((desk.sessions().count(), notices), (12, Vec::new()));
        assert_eq!(entries.values().sum::<u64>(), 1_000);
        let rows = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
        let count = |table: &str| -> usize {
            rows.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("events"), count("entries")), (625, 1_000));
        let last = desk.sessions().last().unwrap();
        assert_eq!((last.id, last.resumable), (newest, true));
        let filter = crate::QuestionFilter { outcomes: [OutcomeKind::Answered].into(), ..Default::default() };
        let found = journal.reader().unwrap().questions(&filter, 100, 0).unwrap();
        assert_eq!(found.requests.len(), 2 * ASKED);
        let page = journal.reader().unwrap().page(newest, None, u32::MAX).unwrap();
        assert_eq!(page.approvals.len(), ASKED);
    }

    /// Where a filled folder is kept for the next measurement; without it, each one fills its own.
    const KEPT: &str = "ASKDESK_BENCH_FOLDER";

    /// `cargo test --release -p askdesk-engine --lib bench::tests::a_search -- --ignored --nocapture`
    #[test]
    #[ignore = "measures; its figures need a release build"]
    fn a_search_and_a_count_take_this_long() {
        use std::time::Instant;

        use crate::QuestionFilter;
        use crate::journal::Reader;
        use askdesk_contract::DayBounds;

        type Read = fn(&Reader, &DayBounds);
        fn search(reader: &Reader, text: &str, offset: u32) {
            let found = reader.search(text, 50, offset).unwrap();
            assert!(!found.hits.is_empty() || text.contains("nothing"), "{text}");
        }
        let passing = tempfile::tempdir().unwrap();
        let folder = std::env::var_os(KEPT).map_or(passing.path().to_owned(), PathBuf::from);
        if !folder.join("desk.db").exists() {
            let began = Instant::now();
            fill(&folder, 1_000, 100_000, 1_000_000).unwrap();
            println!("filled in {:.1?}", began.elapsed());
        }
        let now = Timestamp::from_millis(FIRST + SESSION_MILLIS * 1_000);
        let Opened { journal, .. } = Journal::open(&folder, now).unwrap();
        let reader = journal.reader().unwrap();
        let days = |from: i64| {
            (0..=from).map(move |n| Timestamp::from_millis(now.millis() - (from - n) * 86_400_000))
        };
        let days = DayBounds::try_from(days(125).collect::<Vec<_>>()).unwrap();
        let reads: [(&str, Read); 17] = [
            ("one word", |reader, _| search(reader, "search", 0)),
            ("one word, page 3", |reader, _| search(reader, "search", 100)),
            ("one German word", |reader, _| search(reader, "Größe", 0)),
            ("one Chinese word", |reader, _| search(reader, "一", 0)),
            ("two words", |reader, _| search(reader, "search session", 0)),
            ("two words, one rare", |reader, _| search(reader, "search worker17", 0)),
            ("a phrase", |reader, _| search(reader, "\"search session\"", 0)),
            ("prefix b", |reader, _| search(reader, "b", 0)),
            ("prefix be", |reader, _| search(reader, "be", 0)),
            ("prefix whi", |reader, _| search(reader, "whi", 0)),
            ("prefix sess", |reader, _| search(reader, "sess", 0)),
            ("prefixes se re", |reader, _| search(reader, "se re", 0)),
            ("nothing", |reader, _| search(reader, "nothing", 0)),
            ("a page of questions", |reader, _| {
                drop(reader.questions(&QuestionFilter::default(), 50, 0).unwrap());
            }),
            ("questions with a word", |reader, _| {
                let filter = QuestionFilter { words: "search".to_owned(), ..QuestionFilter::default() };
                drop(reader.questions(&filter, 50, 0).unwrap());
            }),
            ("count_questions", |reader, days| {
                drop(reader.question_totals(&QuestionFilter::default(), days).unwrap());
            }),
            ("count_usage", |reader, days| drop(reader.usage_of_days(None, days).unwrap())),
        ];
        for (name, read) in reads {
            let mut took: Vec<_> = (0..40)
                .map(|_| {
                    let began = Instant::now();
                    read(&reader, &days);
                    began.elapsed()
                })
                .collect();
            let first = took[0];
            took.sort();
            println!("{name}: first {first:.1?}, p50 {:.1?}, p99 {:.1?}", took[20], took[39]);
        }
        let rows = rusqlite::Connection::open(folder.join("desk.db")).unwrap();
        let bytes = |select: &str| rows.query_row(select, [], |row| row.get::<_, i64>(0)).unwrap() >> 20;
        let index = bytes(
            "SELECT (SELECT sum(length(block)) FROM words_data) + (SELECT sum(length(block)) FROM even_words_data)
                + (SELECT sum(length(block)) FROM odd_words_data)
                + (SELECT sum(length(sz) + 4) FROM words_docsize)",
        );
        let mut texts = 0;
        let mut bodies = rows.prepare("SELECT body FROM entries").unwrap();
        let mut bodies = bodies.query([]).unwrap();
        while let Some(row) = bodies.next().unwrap() {
            let body: EntryBody = serde_json::from_str(row.get_ref(0).unwrap().as_str().unwrap()).unwrap();
            texts += crate::journal::text_of(&rows, &body).unwrap().len() as u64;
        }
        println!("index {index} MiB, texts {} MiB", texts >> 20);
    }

    /// `cargo test --release -p askdesk-engine --lib bench -- --ignored --nocapture`
    #[test]
    #[ignore = "measures; its figures need a release build"]
    fn a_start_takes_this_long() {
        use std::sync::Arc;
        use std::time::Instant;

        use crate::clock::SystemClock;
        use crate::{Catalog, EngineHandle};

        for (sessions, events, entries) in
            [(10, 1_000, 10_000), (1_000, 100_000, 100_000), (1_000, 100_000, 1_000_000)]
        {
            let folder = tempfile::tempdir().unwrap();
            let began = Instant::now();
            fill(folder.path(), sessions, events, entries).unwrap();
            println!("{sessions} sessions, {entries} entries: filled in {:.1?}", began.elapsed());
            let waiting = tokio::runtime::Runtime::new().unwrap();
            for _ in 0..5 {
                let began = Instant::now();
                let engine =
                    EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
                let open = began.elapsed();
                waiting.block_on(engine.subscribe()).unwrap();
                let subscribed = began.elapsed();
                let began = Instant::now();
                waiting.block_on(engine.close()).unwrap();
                let closed = began.elapsed();
                println!(
                    "{sessions} sessions: open {open:.1?}, subscribed {subscribed:.1?}, close {closed:.1?}"
                );
            }
        }
    }
}
