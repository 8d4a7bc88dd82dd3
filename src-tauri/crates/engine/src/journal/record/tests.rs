//! Pins the names in the records. A failure here means that the app could no longer read what it has written, or that
//! other versions could not read what it writes.

use askdesk_contract::EntryKind;
use askdesk_domain::{
    AgentFailure, AnswerBounds, ApprovalEvent, ApprovalForm, ApprovalOptionKind, Asker, Attachment, Channel,
    ConfigCategory, EarlierMessages, FolderError, HelperEnd, HelperKind, HelperState, ImageFormat, NextStep,
    Notice, OptionLabel, OptionScope, OriginKind, OrphanedWhy, ProgramError, QuestionKind, QuestionPolicy,
    QueueEvent, RemarkStance, RequestEvent, RequestState, Risk, RuleAction, SearchedLocation, SessionEnd,
    SessionEvent, SessionState, StartRefusal, StorageError, TextFormat, TodoStatus, ToolDetail, ToolKind,
    ToolRule, ToolStatus, Unsaved, ValidationError, WithdrawnWhy,
};
use serde_json::{Value, json};

use super::*;

const EVENTS: &str = include_str!("events.jsonl");
const ENTRIES: &str = include_str!("entries.jsonl");
const DRAFTS: &str = include_str!("drafts.jsonl");

/// Reads each line as a record, and fails unless it is written as it was.
#[track_caller]
fn check_lines<T: Record>(lines: &str) {
    for line in lines.lines() {
        let record: T = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("this record cannot be read any more ({error}):\n{line}"));
        assert_eq!(serde_json::to_string(&record).unwrap(), line, "this record is written in another way");
    }
}

#[test]
fn every_golden_line_is_read_and_written_unchanged() {
    check_lines::<Event>(EVENTS);
    check_lines::<EntryBody>(ENTRIES);
    check_lines::<DraftTarget>(DRAFTS);
}

/// Fails unless the words of an enum are in the golden lines. `tag` is the field that holds the word; without one the word
/// is the value.
#[track_caller]
fn check_words<T: DeserializeOwned>(tag: Option<&str>) {
    let unknown = tag.map_or_else(|| json!("?"), |tag| json!({ tag: "?" }));
    let Err(error) = serde_json::from_value::<T>(unknown) else { panic!("`?` is a word") };
    // "unknown variant `?`, expected one of `a`, `b`"
    let error = error.to_string();
    let words: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
    assert!(!words.is_empty(), "{error}");
    let type_name = std::any::type_name::<T>();
    for word in words {
        let in_line = tag.map_or_else(|| format!(":\"{word}\""), |tag| format!("\"{tag}\":\"{word}\""));
        let is_known = [EVENTS, ENTRIES, DRAFTS].iter().any(|lines| lines.contains(&in_line));
        assert!(
            is_known,
            "no golden line has the word `{word}` of {type_name}: pin the old word, or add a line"
        );
    }
}

#[test]
fn every_name_of_every_enum_is_in_a_golden_line() {
    check_words::<SessionEvent>(Some("event"));
    check_words::<QueueEvent>(Some("event"));
    check_words::<RequestEvent>(Some("event"));
    check_words::<ApprovalEvent>(Some("event"));
    check_words::<OriginKind>(Some("kind"));
    check_words::<Channel>(None);
    check_words::<SessionState>(Some("state"));
    check_words::<HelperKind>(None);
    check_words::<HelperState>(None);
    check_words::<HelperEnd>(None);
    check_words::<EarlierMessages>(None);
    check_words::<SessionEnd>(Some("end"));
    check_words::<AgentFailure>(Some("failure"));
    check_words::<SearchedLocation>(Some("place"));
    check_words::<FolderError>(Some("problem"));
    check_words::<ProgramError>(None);
    check_words::<NextStep>(None);
    check_words::<StartRefusal>(None);
    check_words::<Unsaved>(None);
    check_words::<QuestionPolicy>(None);
    check_words::<ConfigCategory>(None);
    check_words::<Risk>(None);
    check_words::<QuestionKind>(None);
    check_words::<AnswerBounds>(Some("bounds"));
    check_words::<TextFormat>(None);
    check_words::<Asker>(None);
    check_words::<RequestState>(Some("state"));
    check_words::<Outcome>(Some("outcome"));
    check_words::<WithdrawnWhy>(Some("why"));
    check_words::<OrphanedWhy>(None);
    check_words::<Delivery>(Some("delivery"));
    check_words::<DeliveryError>(Some("undelivered"));
    check_words::<StorageError>(Some("trouble"));
    check_words::<ValidationError>(Some("validation"));
    check_words::<Attachment>(Some("attachment"));
    check_words::<ImageFormat>(None);
    check_words::<ToolDetail>(Some("detail"));
    check_words::<TodoStatus>(None);
    check_words::<ApprovalOptionKind>(None);
    check_words::<OptionLabel>(Some("label"));
    check_words::<ToolRule>(None);
    check_words::<RuleAction>(None);
    check_words::<OptionScope>(None);
    check_words::<ApprovalState>(Some("state"));
    check_words::<RemarkStance>(None);
    check_words::<EntryBody>(Some("kind"));
    check_words::<ToolKind>(None);
    check_words::<ToolStatus>(None);
    check_words::<Notice>(Some("notice"));
    check_words::<DraftTarget>(Some("of"));
    check_words::<ApprovalForm>(None);
}

#[test]
fn the_kinds_of_entries_in_the_index_are_those_of_the_entries() {
    for line in ENTRIES.lines() {
        let (entry, value): (EntryBody, Value) =
            (serde_json::from_str(line).unwrap(), serde_json::from_str(line).unwrap());
        assert_eq!(serde_json::to_value(EntryKind::of(&entry)).unwrap(), value["kind"]);
    }
}
