//! Forks: sessions that begin with a copy of another one's conversation, or of its part before a message.
//!
//! The other session stays as it is, so going back loses nothing.

use std::path::PathBuf;
use std::sync::Arc;

use askdesk_agents::{Open, PastConversation, Said};
use askdesk_changes::PutBack;
use askdesk_contract::{FilesSince, RevertRefused, TranscriptPage, Unavailable};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    ChangeRefused, EarlierMessages, Entry, EntryBody, LaunchOverrides, NamedBy, Notice, Outcome, Rejection,
    Session, SessionId, SessionState, ToolStatus, UnsupportedFeature, WithdrawnWhy,
};

use super::own_sessions::{Own, ToRead, earlier_of, entry_of};
use super::{Beginning, Sessions, StartSpec, start_again};
use crate::error::EngineError;
use crate::mailbox::EntryWrite;
use crate::slow_files::FILES_LIMIT;

/// How many entries are copied at most, the newest ones.
const COPIED_ENTRIES: usize = 2_000;
/// How many entries of our own are read for that. Of earlier turns, the fork says what the agent says.
const READ_ENTRIES: u32 = 10_000;
/// How many of the files that were not put back are named.
const LEFT_NAMED: usize = 20;

/// Where a fork ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    /// The position of a message of the user.
    pub message: u64,
    /// Puts the files back to how they were before it, if they are still in this listed state.
    pub put_back: Option<u32>,
}

impl Sessions {
    /// Lists the files that have changed since a message of the user. None if they weren't recorded before it.
    pub async fn files_since(
        &self,
        session: SessionId,
        message: u64,
    ) -> Result<Result<Option<FilesSince>, Unavailable>, EngineError> {
        let folder = PathBuf::from(self.engine.session(session).await?.folder);
        let wanted = self.message(session, message).await?;
        Ok(self.engine.changes().since(session, &folder, wanted.sent).await)
    }

    /// Starts a session with a copy of what the agent knows of another one. Secrets are not stored; they come from `set`.
    pub async fn fork(
        &self,
        source: SessionId,
        before: Option<Before>,
        id: SessionId,
        set: &LaunchOverrides,
    ) -> Result<Session, EngineError> {
        let session = self.engine.session(source).await?;
        let agent_id = session.origin.agent().ok_or(Rejection::SessionGone)?;
        let agent = self.agent(agent_id)?;
        if !agent.descriptor().capabilities.fork {
            return Err(Rejection::Unsupported { what: UnsupportedFeature::Forking }.into());
        }
        if session.state == SessionState::Working {
            return Err(refused(ChangeRefused::Working));
        }
        let native_session =
            session.native_session.clone().ok_or_else(|| refused(ChangeRefused::NothingSaid))?;
        let start = start_again(&session, set, &agent.descriptor().config);
        let read = self
            .read_own(Arc::clone(&agent), start.clone(), ToRead::Conversation(native_session.clone()))
            .await;
        let Own::Said(conversation) = read.map_err(|why| {
            refused(match why {
                super::NotListed::TimedOut { .. } => {
                    ChangeRefused::Unanswered { seconds: FILES_LIMIT.as_secs() }
                }
                why => ChangeRefused::InWords { words: bounded(&why.to_string()) },
            })
        })?
        else {
            return Err(refused(ChangeRefused::NothingSaid));
        };
        let wanted = match before {
            Some(before) => Some(self.message(source, before.message).await?),
            None => None,
        };
        let (open, conversation) = match &wanted {
            None => (Open::Fork { native_session, place: None }, conversation),
            Some(wanted) => {
                let cut = cut_before(conversation, wanted).ok_or_else(|| refused(ChangeRefused::NoPlace))?;
                match cut {
                    Cut::AtPlace { place, kept } => (Open::Fork { native_session, place: Some(place) }, kept),
                    Cut::AtStart => (Open::New, PastConversation::default()),
                }
            }
        };
        let before_message = before.map(|before| before.message);
        let newest = self.engine.newest(source, before_message, READ_ENTRIES).await?;
        let mut earlier = earlier_of(&conversation);
        let mut entries = copied(conversation.said, &newest);
        let more = entries.len().saturating_sub(COPIED_ENTRIES);
        if more > 0 {
            entries.drain(..more);
            earlier = EarlierMessages::Newest;
        }
        entries.push(EntryBody::Notice { notice: Notice::Forked { from: source, earlier } });
        let spec = StartSpec {
            agent: agent_id.clone(),
            name: numbered(&session.name),
            // Its number tells it from its source.
            named_by: NamedBy::User,
            folder: PathBuf::from(&session.folder),
            options: start.options,
            prompt: None,
            worktree: None,
            make: None,
            beginning: Beginning::Fork { open, entries },
        };
        let forked = Box::pin(self.start(id, spec)).await?;
        if let (Some(state), Some(wanted)) = (before.and_then(|before| before.put_back), wanted)
            && self.engine.session(id).await?.is_running()
        {
            self.put_back(&session, id, wanted.sent, state).await;
        }
        Ok(forked)
    }

    /// Puts the files back after the fork has recorded them, so that its changes show what was put back, and can undo it.
    async fn put_back(&self, source: &Session, fork: SessionId, sent: (i64, i64), state: u32) {
        let folder = PathBuf::from(&source.folder);
        let changes = self.engine.changes();
        // The fork may not have begun to record them, or may still be recording them.
        changes.begin(fork, &folder).await;
        let put_back = match changes.list(fork, &folder).await {
            Ok(_) => changes.put_back(source.id, &folder, sent, state).await,
            Err(why) => Err(RevertRefused::Unavailable { why }),
        };
        let notice = match put_back {
            Ok(PutBack { files, left }) => {
                let more = left.len().saturating_sub(LEFT_NAMED);
                let left = left.into_iter().take(LEFT_NAMED).map(|path| bounded(&path)).collect();
                Notice::FilesPutBack { files, left, more: u32::try_from(more).unwrap_or(u32::MAX) }
            }
            Err(why) => Notice::FilesNotPutBack { error: bounded(&why.to_string()) },
        };
        self.engine.write(fork, vec![EntryWrite::New(EntryBody::Notice { notice })]).await;
        self.engine.changes().note(fork);
    }

    async fn message(&self, session: SessionId, n: u64) -> Result<Wanted, EngineError> {
        let messages = self.engine.user_messages(session).await?;
        let before = messages.iter().filter(|entry| entry.n < n);
        // The files were recorded after the user's message before, and no later than this one.
        let from = before.map(|entry| entry.at.millis()).max().map_or(i64::MIN, |at| at.saturating_add(1));
        let mut said = messages.into_iter().filter_map(|entry| match entry.body {
            EntryBody::User { text, attachments } if entry.n >= n => {
                let sent = (from, entry.at.millis());
                Some((entry.n, Wanted { text, attached: !attachments.is_empty(), later: 0, sent }))
            }
            _ => None,
        });
        let first = said.next().filter(|(found, _)| *found == n);
        let (_, wanted) = first.ok_or(Rejection::NotFound { what: "message" })?;
        let later =
            said.filter(|(_, other)| (&other.text, other.attached) == (&wanted.text, wanted.attached));
        Ok(Wanted { later: later.count(), ..wanted })
    }
}

/// A message of the user that a fork is to end before.
#[derive(Clone, Debug)]
struct Wanted {
    text: String,
    attached: bool,
    /// How often the user said the same again later.
    later: usize,
    /// When the files can have been recorded before it, in milliseconds.
    sent: (i64, i64),
}

impl Wanted {
    fn is(&self, heard: &str) -> bool {
        is_same(&self.text, self.attached, heard)
    }
}

/// Whether the agent has heard this message. Agents trim it, and put the names of attached files below it.
fn is_same(said: &str, attached: bool, heard: &str) -> bool {
    let (heard, said) = (heard.trim(), bounded(said.trim()));
    let rest = heard.strip_prefix(&*said).filter(|_| !said.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || (attached && rest.starts_with('\n')))
}

/// Where a conversation is cut.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    /// Before its first message, so nothing is left.
    AtStart,
    AtPlace {
        place: String,
        kept: PastConversation,
    },
}

/// Cuts a conversation before a message. None if it isn't in there, or no fork can end before it.
fn cut_before(conversation: PastConversation, wanted: &Wanted) -> Option<Cut> {
    let PastConversation { mut said, is_cut } = conversation;
    let is_wanted = |said: &Said| matches!(said, Said::User { text, .. } if wanted.is(text));
    let (at, _) = said.iter().enumerate().rev().filter(|(_, said)| is_wanted(said)).nth(wanted.later)?;
    if at == 0 && !is_cut {
        return Some(Cut::AtStart);
    }
    let Said::User { place, .. } = said.swap_remove(at) else { return None };
    said.truncate(at);
    Some(Cut::AtPlace { place: place?, kept: PastConversation { said, is_cut } })
}

/// Tells what the agent knows, with all that our own transcript holds of it. A turn that isn't in there, such as one of the
/// agent's terminal, is told by the agent alone.
fn copied(said: Vec<Said>, whole: &TranscriptPage) -> Vec<EntryBody> {
    let mut newest_first = Vec::new();
    // What the agent itself knows of the turn, newest first.
    let mut turn = Vec::new();
    let mut end = whole.entries.len();
    for said in said.into_iter().rev() {
        let Said::User { text, .. } = &said else {
            turn.push(entry_of(said));
            continue;
        };
        let begins = |at: &usize| {
            let is_begin = match &whole.entries[*at].body {
                EntryBody::User { text: own, attachments } => is_same(own, !attachments.is_empty(), text),
                _ => false,
            };
            is_begin && tells(&whole.entries[*at..end], &turn)
        };
        if let Some(at) = (0..end).rev().find(begins) {
            newest_first.extend(whole.entries[at + 1..end].iter().rev().filter_map(|it| copy_of(it, whole)));
            end = at;
            turn.clear();
        }
        newest_first.append(&mut turn);
        newest_first.push(entry_of(said));
    }
    newest_first.append(&mut turn);
    newest_first.reverse();
    newest_first
}

/// Whether everything that the agent said in a turn is among these entries.
fn tells(entries: &[Entry], turn: &[EntryBody]) -> bool {
    let said = entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::Agent { text } => Some(text.trim()),
        _ => None,
    });
    let said = said.collect::<Vec<_>>().join("\n");
    turn.iter().all(|body| match body {
        EntryBody::Agent { text } => said.contains(text.trim()),
        _ => true,
    })
}

/// Copies an entry. What belongs to the other session stays there: what can be decided, costs, notices, and images.
fn copy_of(entry: &Entry, whole: &TranscriptPage) -> Option<EntryBody> {
    let mut body = entry.body.clone();
    match &mut body {
        EntryBody::Tool { status, images, .. } => {
            images.clear();
            if !status.is_final() {
                *status = ToolStatus::NoResult;
            }
        }
        EntryBody::User { text, attachments } => {
            attachments.clear();
            if text.trim().is_empty() {
                return None;
            }
        }
        EntryBody::Request { request } => {
            let asked = whole.requests.iter().find(|it| it.id == *request)?;
            let outcome = asked.ended().map(|ended| match &ended.outcome {
                // The agent was told, so it was skipped.
                Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason } } if ended.delivery.is_some() => {
                    Outcome::Declined { words: reason.clone() }
                }
                outcome => outcome.clone(),
            });
            return Some(EntryBody::CopiedQuestion { questions: asked.questions.clone(), outcome });
        }
        EntryBody::Approval { .. } | EntryBody::Notice { .. } | EntryBody::TurnEnded { .. } => return None,
        EntryBody::Agent { .. }
        | EntryBody::Thinking { .. }
        | EntryBody::CopiedQuestion { .. }
        | EntryBody::Plan { .. } => {}
    }
    Some(body)
}

/// Numbers the name of a fork: "Doors", "Doors (2)", "Doors (3)".
fn numbered(name: &str) -> String {
    let (stem, number) = name
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("))
        .and_then(|(stem, number)| Some((stem, number.parse::<u32>().ok()?)))
        .unwrap_or((name, 1));
    format!("{stem} ({})", number.saturating_add(1))
}

fn refused(why: ChangeRefused) -> EngineError {
    Rejection::AgentRefused { why }.into()
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{
        ApprovalId, Asker, Delivery, Ended, NativeRef, Request, RequestId, RequestState, Timestamp,
        ToolDetail, ToolKind,
    };
    use rstest::rstest;

    use super::*;
    use crate::questions;

    fn user(text: &str, place: Option<&str>) -> Said {
        Said::User { text: text.to_owned(), place: place.map(str::to_owned) }
    }

    fn agent(text: &str) -> Said {
        Said::Agent(text.to_owned())
    }

    fn wanted(text: &str, later: usize) -> Wanted {
        Wanted { text: text.to_owned(), attached: false, later, sent: (0, 0) }
    }

    fn said() -> PastConversation {
        let said = vec![
            user("Begin", None),
            agent("Begun"),
            user("Go on", Some("a")),
            agent("Gone"),
            user("Go on", Some("b")),
            user("Wait", None),
            agent("Waited"),
        ];
        PastConversation { said, is_cut: false }
    }

    fn kept(count: usize) -> PastConversation {
        PastConversation { said: said().said.into_iter().take(count).collect(), is_cut: false }
    }

    #[test]
    fn a_conversation_is_cut_before_the_message_that_is_meant() {
        let at = |place: &str, count| Some(Cut::AtPlace { place: place.to_owned(), kept: kept(count) });
        assert_eq!(cut_before(said(), &wanted("Go on", 0)), at("b", 4));
        assert_eq!(cut_before(said(), &wanted(" Go on\n", 1)), at("a", 2));
        assert_eq!(cut_before(said(), &wanted("Begin", 0)), Some(Cut::AtStart));
    }

    #[rstest]
    #[case::not_said("Stop", 0)]
    #[case::said_less_often("Go on", 2)]
    #[case::the_beginning_of_another("Go", 0)]
    #[case::within_a_turn("Wait", 0)]
    #[case::only_an_attachment("", 0)]
    fn no_place_is_made_up(#[case] text: &str, #[case] later: usize) {
        assert_eq!(cut_before(said(), &wanted(text, later)), None);
    }

    #[test]
    fn the_first_of_the_newest_messages_is_not_the_start() {
        let said = PastConversation { is_cut: true, ..said() };
        assert_eq!(cut_before(said, &wanted("Begin", 0)), None);
    }

    #[test]
    fn an_agent_may_put_the_names_of_files_below_a_message() {
        let attached = Wanted { attached: true, ..wanted("Look", 0) };
        assert!(attached.is("Look\n\n/proj/a.txt") && attached.is("Look") && !attached.is("Look here"));
        assert!(!wanted("Look", 0).is("Look\n\n/proj/a.txt"));
    }

    #[rstest]
    #[case("Doors", "Doors (2)")]
    #[case("Doors (2)", "Doors (3)")]
    #[case("Doors (old)", "Doors (old) (2)")]
    #[case("(7)", "(7) (2)")]
    fn forks_are_numbered(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(numbered(name), expected);
    }

    fn own(bodies: impl IntoIterator<Item = EntryBody>) -> TranscriptPage {
        let at = Timestamp::from_millis(0);
        let entries = bodies.into_iter().zip(1..).map(|(body, n)| Entry { n, at, body }).collect();
        TranscriptPage { entries, ..TranscriptPage::default() }
    }

    fn asked(id: u128, state: RequestState) -> Request {
        Request {
            id: RequestId::new(uuid::Uuid::from_u128(id)),
            session: SessionId::new(uuid::Uuid::from_u128(1)),
            native_ref: NativeRef::new("r").unwrap(),
            asked_by: None,
            helper: None,
            questions: questions::asked(&[questions::single("Which?", &["Red", "Blue"])]),
            asked_at: Timestamp::from_millis(0),
            limit: None,
            asker: Asker::Waits,
            state,
        }
    }

    fn tool(status: ToolStatus) -> EntryBody {
        EntryBody::Tool {
            tool_use: "t".to_owned(),
            name: "Bash".to_owned(),
            tool_kind: ToolKind::Execute,
            summary: "ls".to_owned(),
            detail: ToolDetail::Other { input: String::new() },
            status,
            output: None,
            images: Vec::new(),
            subagent: None,
        }
    }

    #[test]
    fn a_fork_copies_tools_and_questions_and_leaves_what_can_be_decided_or_counted() {
        let ended = |outcome| {
            RequestState::Ended(Ended {
                outcome,
                at: Timestamp::from_millis(9),
                delivery: Some(Delivery::Delivered { at: Timestamp::from_millis(9), late: false }),
                answer: None,
            })
        };
        let canceled = WithdrawnWhy::Canceled { reason: Some("Later".to_owned()) };
        let requests = vec![
            asked(1, ended(Outcome::Declined { words: None })),
            asked(2, ended(Outcome::Withdrawn { why: canceled })),
            asked(3, RequestState::Open),
        ];
        let places = requests.iter().map(|request| EntryBody::Request { request: request.id });
        let turn_ended = EntryBody::TurnEnded {
            millis: 1,
            input_tokens: 1,
            output_tokens: 1,
            cached_tokens: 0,
            error: None,
            cost_usd: None,
            context: None,
        };
        let before = [
            entry_of(user("Begin", None)),
            tool(ToolStatus::Done),
            tool(ToolStatus::Running),
            EntryBody::Approval { approval: ApprovalId::new(uuid::Uuid::from_u128(4)) },
        ];
        let bodies = before.into_iter().chain(places).chain([entry_of(agent("Begun")), turn_ended]);
        let whole = TranscriptPage { requests: requests.clone(), ..own(bodies) };
        let question =
            |outcome| EntryBody::CopiedQuestion { questions: requests[0].questions.clone(), outcome };
        let expected = vec![
            entry_of(user("Begin", None)),
            tool(ToolStatus::Done),
            tool(ToolStatus::NoResult),
            question(Some(Outcome::Declined { words: None })),
            question(Some(Outcome::Declined { words: Some("Later".to_owned()) })),
            question(None),
            entry_of(agent("Begun")),
        ];
        assert_eq!(copied(vec![user("Begin", None), agent("Begun")], &whole), expected);
    }

    #[test]
    fn a_turn_that_is_not_in_our_transcript_is_told_by_the_agent_and_one_that_it_forgot_is_left_out() {
        let did = tool(ToolStatus::Done);
        let bodies = [
            entry_of(user("Forgotten", None)),
            entry_of(agent("Gone")),
            entry_of(user("Go on", None)),
            did.clone(),
            entry_of(agent("Here")),
            entry_of(user("Into the turn", None)),
            entry_of(agent("Done")),
        ];
        let said = vec![
            user("Go on", None),
            agent("Here"),
            agent("Done"),
            user("Go on", None),
            Said::Did(Box::new(tool(ToolStatus::Failed))),
            agent("In the terminal"),
        ];
        let expected = vec![
            entry_of(user("Go on", None)),
            did,
            entry_of(agent("Here")),
            entry_of(user("Into the turn", None)),
            entry_of(agent("Done")),
            entry_of(user("Go on", None)),
            tool(ToolStatus::Failed),
            entry_of(agent("In the terminal")),
        ];
        assert_eq!(copied(said, &own(bodies)), expected);
    }
}
