//! Questions of the past as a table or for programs. Their forms are described in the guide; no secret is in them,
//! because none is in an answer that was kept.

use askdesk_contract::{Error, ErrorCode, PastQuestion, QuestionsFound};
use askdesk_domain::{Answer, Delivery, OrphanedWhy, Outcome, Question, Request, Timestamp, WithdrawnWhy};
use serde::Serialize;

use super::time;

/// The version of both forms.
const VERSION: u32 = 1;

const MOMENT: &str = "%Y-%m-%dT%H:%M:%SZ";

/// What a spreadsheet could take for the beginning of a formula, the wide forms of the signs included.
const FORMULA: &[char] = &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

const COLUMNS: [&str; 22] = [
    "request",
    "asked_at",
    "ended_at",
    "waited_seconds",
    "session",
    "folder",
    "agent",
    "asked_by",
    "outcome",
    "why",
    "ended_by",
    "delivery",
    "number",
    "header",
    "question",
    "kind",
    "options",
    "chosen",
    "own_words",
    "note",
    "secret_given",
    "went_on",
];

/// Names a file after the day it is written.
pub(crate) fn file_name(now: Timestamp, extension: &str) -> String {
    format!("questions-{}.{extension}", time(now, "%Y-%m-%d"))
}

#[derive(Serialize)]
struct ForPrograms<'a> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    found: &'a QuestionsFound,
}

pub(crate) fn json(found: &QuestionsFound) -> Result<String, Error> {
    let whole = ForPrograms { format: "askdesk-questions", version: VERSION, found };
    serde_json::to_string_pretty(&whole).map_err(|error| failed(&error))
}

/// Writes a row for each question, the oldest request last.
pub(crate) fn csv(found: &QuestionsFound) -> Result<String, Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS).map_err(|error| failed(&error))?;
    for past in &found.questions {
        for (index, question) in past.request.questions.iter().enumerate() {
            let row = row(past, index + 1, question).map(|cell| guarded(&cell));
            table.write_record(row).map_err(|error| failed(&error))?;
        }
    }
    let bytes = table.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn row(past: &PastQuestion, number: usize, question: &Question) -> [String; COLUMNS.len()] {
    let PastQuestion { name, folder, origin, request, went_on } = past;
    let ended = request.ended();
    let answer = answer_to(request, question);
    let waited = ended.map(|ended| (ended.at.millis() - request.asked_at.millis()).max(0));
    let labels = |chosen: &dyn Fn(&Question, usize) -> bool| {
        let options = question.options.iter().enumerate();
        let labels: Vec<&str> = options
            .filter(|(place, _)| chosen(question, *place))
            .map(|(_, option)| option.label.as_str())
            .collect();
        labels.join("\n")
    };
    let is_chosen = |question: &Question, place: usize| {
        answer.is_some_and(|answer| answer.chosen.contains(&question.options[place].id))
    };
    let of_answer = |text: fn(&Answer) -> Option<&String>| answer.and_then(text).cloned().unwrap_or_default();
    [
        request.id.to_string(),
        time(request.asked_at, MOMENT),
        ended.map(|ended| time(ended.at, MOMENT)).unwrap_or_default(),
        waited.map(|millis| format!("{}.{:03}", millis / 1_000, millis % 1_000)).unwrap_or_default(),
        name.clone(),
        folder.clone(),
        origin.word().to_owned(),
        request.asked_by.clone().unwrap_or_default(),
        ended
            .map(|ended| askdesk_contract::OutcomeKind::of(&ended.outcome).word().to_owned())
            .unwrap_or_default(),
        ended.map(|ended| why(&ended.outcome)).unwrap_or_default(),
        ended.map(|ended| word(&ended.outcome.by())).unwrap_or_default(),
        ended.and_then(|ended| ended.delivery.as_ref()).map(delivery).unwrap_or_default(),
        number.to_string(),
        question.header.clone().unwrap_or_default(),
        question.text.clone(),
        word(&question.kind),
        labels(&|_, _| true),
        labels(&is_chosen),
        of_answer(|answer| answer.other.as_ref()),
        of_answer(|answer| answer.note.as_ref()),
        answer.is_some_and(|answer| answer.secret_given).to_string(),
        went_on.clone().unwrap_or_default(),
    ]
}

fn answer_to<'a>(request: &'a Request, question: &Question) -> Option<&'a Answer> {
    match &request.ended()?.outcome {
        Outcome::Answered { answers } => answers.to(question.id),
        _ => None,
    }
}

/// What was said about an end, or what brought it about.
fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answered { .. } | Outcome::Expired => String::new(),
        Outcome::Declined { words } => words.clone().unwrap_or_default(),
        Outcome::RepliedInChat { text } => text.clone(),
        Outcome::Withdrawn { why } => match why {
            WithdrawnWhy::ByAgent => "by_agent".to_owned(),
            WithdrawnWhy::TurnEnded => "turn_ended".to_owned(),
            WithdrawnWhy::Interrupted => "interrupted".to_owned(),
            WithdrawnWhy::AnsweredElsewhere => "answered_elsewhere".to_owned(),
            WithdrawnWhy::Canceled { reason } => reason.clone().unwrap_or_else(|| "canceled".to_owned()),
        },
        Outcome::Orphaned { why } => match why {
            OrphanedWhy::AgentEnded => "agent_ended",
            OrphanedWhy::SessionStopped => "session_stopped",
            OrphanedWhy::AppQuit => "app_quit",
            OrphanedWhy::CallerGone => "caller_gone",
        }
        .to_owned(),
    }
}

fn delivery(delivery: &Delivery) -> String {
    match delivery {
        Delivery::Pending => "pending",
        Delivery::Delivered { late: false, .. } => "delivered",
        Delivery::Delivered { late: true, .. } => "delivered_late",
        Delivery::Failed { .. } => "failed",
        Delivery::Parked => "parked",
    }
    .to_owned()
}

/// Returns the word that stands for a value on the wire.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Keeps a spreadsheet from taking a text for a formula: such a text begins with an apostrophe.
fn guarded(cell: &str) -> String {
    if cell.starts_with(FORMULA) { format!("'{cell}") } else { cell.to_owned() }
}

fn failed(error: &dyn std::error::Error) -> Error {
    Error::new(ErrorCode::Storage, error.to_string())
}
