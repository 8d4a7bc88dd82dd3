//! The files in which Claude Code keeps its conversations (measured with 2.1.329): a folder for each working folder, and in it a
//! file of JSON lines for each session.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use askdesk_domain::text::bounded;
use askdesk_domain::{EntryBody, NativeSession, Question, QuestionKind, RawQuestion, Timestamp, ToolStatus};
use serde_json::Value;
use uuid::Uuid;

use super::{QUESTION_TOOL, details, tools};
use crate::json::{is_true, list, text};
use crate::late_answers::UNANSWERED;
use crate::own_sessions::{OWN_SESSIONS, OwnSession, PastConversation, Said, SessionFiles, asked, title};
use crate::question_json::read_to_show;

/// How much of a file's beginning and of its end is read for the list, in bytes.
const EDGE: u64 = 256 * 1024;
/// How many of the newest files are looked at for the list: many may have no message, or belong to another folder.
const LOOKED_AT: usize = 10 * OWN_SESSIONS;
/// How much of a file's end is read for the conversation, in bytes.
const TAIL: u64 = 16 * 1024 * 1024;
/// A longer name of a folder is cut here, and a hash follows.
const NAME_CHARS: usize = 200;
/// What the text of a command that the user ran in the terminal, and its output, begin with.
const COMMAND_MARKS: [&str; 4] = ["<command-", "<local-command-", "<bash-", "<task-notification"];

/// The conversations of one working folder.
#[derive(Debug)]
pub(super) struct ClaudeFiles {
    /// The folder of the user's settings and conversations.
    pub(super) home: PathBuf,
    pub(super) folder: PathBuf,
}

impl SessionFiles for ClaudeFiles {
    fn list(&self, except: &[NativeSession]) -> io::Result<Vec<OwnSession>> {
        let folder = self.resolved();
        let mut files = Vec::new();
        for place in self.places(&folder)? {
            for file in fs::read_dir(place)?.flatten() {
                let path = file.path();
                if let (Some(id), Ok(metadata)) = (id_of(&path), file.metadata())
                    && metadata.is_file()
                    && !except.contains(&id)
                {
                    files.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), id, path));
                }
            }
        }
        files.sort_by_key(|(modified, ..)| Reverse(*modified));
        files.truncate(LOOKED_AT);
        let sessions = files.into_iter().filter_map(|(modified, native_session, path)| {
            // Another process may remove a file meanwhile.
            let lines = edges(&path).ok()?;
            let title = title_in(&lines, &folder)?;
            Some(OwnSession { native_session, title, updated_at: time(modified) })
        });
        Ok(sessions.take(OWN_SESSIONS).collect())
    }

    fn read(&self, session: &NativeSession) -> io::Result<PastConversation> {
        let id = Uuid::parse_str(session.as_str()).map_err(io::Error::other)?;
        for place in self.places(&self.resolved())? {
            let path = place.join(format!("{id}.jsonl"));
            if path.is_file() {
                let mut file = File::open(&path)?;
                let from = file.metadata()?.len().saturating_sub(TAIL);
                return Ok(conversation(&lines(&mut file, from, TAIL)?, from > 0));
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }
}

impl ClaudeFiles {
    /// The program names the folder that it works in without symbolic links.
    fn resolved(&self) -> PathBuf {
        dunce::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone())
    }

    /// Lists the folders that may hold the conversations. Several working folders can share one.
    fn places(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let projects = self.home.join("projects");
        let name = name_of(folder);
        if name.len() <= NAME_CHARS {
            let place = projects.join(name);
            return Ok(if place.is_dir() { vec![place] } else { Vec::new() });
        }
        let beginning = format!("{}-", &name[..NAME_CHARS]);
        let entries = match fs::read_dir(projects) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let named = entries.flatten().filter(|it| it.file_name().to_string_lossy().starts_with(&beginning));
        Ok(named.map(|it| it.path()).collect())
    }
}

/// Names a working folder: everything but ASCII letters and digits becomes a hyphen.
fn name_of(folder: &Path) -> String {
    let path = folder.to_string_lossy();
    let unit = |unit: u16| char::from_u32(unit.into()).filter(char::is_ascii_alphanumeric).unwrap_or('-');
    path.encode_utf16().map(unit).collect()
}

fn id_of(path: &Path) -> Option<NativeSession> {
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    Uuid::parse_str(name).ok()?;
    NativeSession::new(name)
}

fn time(modified: SystemTime) -> Timestamp {
    let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis().try_into().unwrap_or_default())
}

/// Reads the lines at the beginning and at the end of a file.
fn edges(path: &Path) -> io::Result<Vec<Value>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut read = lines(&mut file, 0, EDGE)?;
    if length > EDGE {
        read.extend(lines(&mut file, length.saturating_sub(EDGE).max(EDGE), EDGE)?);
    }
    Ok(read)
}

/// Reads whole lines of JSON; what is cut or is something else is left out.
fn lines(file: &mut File, from: u64, most: u64) -> io::Result<Vec<Value>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| askdesk_outside_json::from_slice(line).ok()).collect())
}

/// Returns the title of a session of this folder: the last one that it was given, else its first message. None if it belongs
/// to another folder, or nothing was said in it.
fn title_in(lines: &[Value], folder: &Path) -> Option<String> {
    let worked_in = lines.iter().find_map(|line| text(line, "cwd"))?;
    if Path::new(worked_in) != folder {
        return None;
    }
    let last = |kind: &str, field: &str| {
        let found = lines.iter().rev().find(|line| text(line, "type") == Some(kind))?;
        text(found, field).filter(|title| !title.trim().is_empty()).map(str::to_owned)
    };
    let first = || {
        lines.iter().find_map(|line| match said(line, &Results::new()).pop()? {
            Said::User { text, .. } => Some(text),
            Said::Agent(_) | Said::Did(_) => None,
        })
    };
    let given = last("custom-title", "customTitle").or_else(|| last("summary", "summary"));
    let found = given.or_else(first).or_else(|| last("last-prompt", "lastPrompt"))?;
    Some(title(&found))
}

/// The results of calls by the ids of these: each line with its block.
type Results<'a> = HashMap<&'a str, (&'a Value, &'a Value)>;

/// Returns what a line says or does in the conversation itself: not in a subagent's, and not what the program adds.
fn said(line: &Value, results: &Results<'_>) -> Vec<Said> {
    let added = ["isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];
    if added.iter().any(|mark| is_true(line, mark)) {
        return Vec::new();
    }
    let message = line.get("message").unwrap_or(&Value::Null);
    let blocks = list(message, "content").iter();
    match text(line, "type") {
        Some("user") => {
            let texts = text(message, "content").into_iter().chain(blocks.filter_map(words));
            let own = texts.filter(|text| !text.trim().is_empty());
            let own = own.filter(|text| !COMMAND_MARKS.iter().any(|mark| text.starts_with(mark)));
            own.map(|text| Said::User { text: bounded(text), place: None }).collect()
        }
        Some("assistant") => {
            let whole = text(message, "content").map(|text| Said::Agent(bounded(text)));
            let each = blocks.filter_map(|block| match (words(block), text(block, "type")) {
                (Some(text), _) => Some(Said::Agent(bounded(text))),
                (None, Some("tool_use" | "server_tool_use" | "mcp_tool_use")) => did(block, results),
                _ => None,
            });
            let all = whole.into_iter().chain(each);
            all.filter(|said| !matches!(said, Said::Agent(text) if text.trim().is_empty())).collect()
        }
        _ => Vec::new(),
    }
}

fn words(block: &Value) -> Option<&str> {
    text(block, "text").filter(|_| text(block, "type") == Some("text"))
}

/// Tells a call, and what came out of it.
fn did(block: &Value, results: &Results<'_>) -> Option<Said> {
    let (id, name) = (text(block, "id")?, text(block, "name")?);
    let input = block.get("input").unwrap_or(&Value::Null);
    let result = results.get(id);
    if name == QUESTION_TOOL
        && let Ok((drafts, questions)) = read_to_show(input)
    {
        return Some(asked(questions.clone(), result.and_then(|(line, _)| kept(line, &drafts, &questions))));
    }
    let output = result.map(|(_, block)| tools::result(block.get("content")).0);
    let status = match result {
        None => ToolStatus::NoResult,
        Some((_, block)) if is_true(block, "is_error") => ToolStatus::Failed,
        Some(_) => ToolStatus::Done,
    };
    Some(Said::Did(Box::new(EntryBody::Tool {
        tool_use: bounded(id),
        name: bounded(name),
        tool_kind: tools::kind(name),
        summary: tools::summary(name, input),
        detail: details::detail(name, input),
        status,
        output,
        images: Vec::new(),
        subagent: None,
    })))
}

/// Reads the answers that the program kept with a result, as the parts of each. None if it kept none, or if they can't be told
/// apart, because two questions have the same text.
fn kept(line: &Value, drafts: &[RawQuestion], questions: &[Question]) -> Option<Vec<Vec<String>>> {
    let answers = line.get("toolUseResult")?.get("answers")?.as_object()?;
    let parts = |question: &Question| {
        let draft = drafts.get(question.id.index())?;
        let is_twin = drafts.iter().filter(|other| other.text == draft.text).count() > 1;
        let said = answers.get(&draft.text).map_or(Some(""), Value::as_str)?;
        (!is_twin).then(|| parts_of(said, question))
    };
    questions.iter().map(parts).collect()
}

/// Takes the labels apart that the program joins.
fn parts_of(said: &str, question: &Question) -> Vec<String> {
    if said.trim().is_empty() || said == UNANSWERED {
        return Vec::new();
    }
    let mut rest = said;
    let mut parts = Vec::new();
    while question.kind == QuestionKind::Multi && !rest.is_empty() {
        let labels = question.options.iter().map(|option| option.label.as_str());
        let after = labels.filter_map(|label| {
            let after = rest.strip_prefix(label)?;
            let after = if after.is_empty() { Some(after) } else { after.strip_prefix(", ") };
            Some((label, after?))
        });
        let Some((label, after)) = after.max_by_key(|(label, _)| label.len()) else { break };
        parts.push(label.to_owned());
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

/// Reads the conversation that a session continues: the lines that its last one follows. Those that the user went back on
/// stay in the file.
fn conversation(lines: &[Value], mut is_cut: bool) -> PastConversation {
    let in_main = |line: &&Value| text(line, "uuid").is_some() && !is_true(line, "isSidechain");
    let by_id: HashMap<&str, &Value> =
        lines.iter().filter(in_main).filter_map(|line| Some((text(line, "uuid")?, line))).collect();
    let mut next = lines.iter().rev().find(in_main);
    let mut newest_first = Vec::new();
    // No line is followed twice, so that a circle ends.
    let mut left = by_id.len();
    while let Some(line) = next.filter(|_| left > 0) {
        left -= 1;
        newest_first.push(line);
        let before = text(line, "parentUuid").or_else(|| text(line, "logicalParentUuid"));
        next = before.and_then(|id| by_id.get(id).copied());
        // Of a whole file, nothing is missing.
        if before.is_none() {
            is_cut = false;
        }
    }
    // Results of calls that were made at once aren't all among those lines.
    let results = lines.iter().filter(in_main).flat_map(|line| {
        let content = line.get("message").map(|message| list(message, "content")).unwrap_or_default();
        content.iter().filter_map(move |block| Some((text(block, "tool_use_id")?, (line, block))))
    });
    let results: Results<'_> = results.collect();
    let mut all = Vec::new();
    let mut newest = None;
    for line in newest_first.into_iter().rev() {
        all.extend(said(line, &results).into_iter().map(|said| match said {
            Said::User { text, .. } => Said::User { text, place: newest.map(bounded) },
            Said::Agent(_) | Said::Did(_) => said,
        }));
        if matches!(text(line, "type"), Some("user" | "assistant")) {
            newest = text(line, "uuid");
        }
    }
    PastConversation::newest(all, is_cut)
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{OptionId, Outcome};
    use rstest::rstest;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    const FIRST: &str = "0b4dfc8f-93a4-4bb0-a1d8-64be2a2f7c11";
    const SECOND: &str = "5d3b0a5c-2c1e-4a8e-9b0f-0f6d2f0f4c22";

    fn line(kind: &str, [id, parent]: [&str; 2], content: &Value) -> Value {
        let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
        json!({"type": kind, "uuid": id, "parentUuid": parent, "isSidechain": false, "message": {"content": content}})
    }

    fn user(ids: [&str; 2], content: &Value) -> Value {
        line("user", ids, content)
    }

    fn agent(ids: [&str; 2], text: &str) -> Value {
        line("assistant", ids, &json!([{"type": "text", "text": text}]))
    }

    struct Written {
        home: TempDir,
        project: TempDir,
    }

    impl Written {
        fn new() -> Self {
            Self { home: TempDir::new().unwrap(), project: TempDir::new().unwrap() }
        }

        fn files(&self) -> ClaudeFiles {
            ClaudeFiles { home: self.home.path().to_owned(), folder: self.project.path().to_owned() }
        }

        fn write(&self, id: &str, lines: &[Value]) {
            let folder = dunce::canonicalize(self.project.path()).unwrap();
            let place = self.home.path().join("projects").join(name_of(&folder));
            fs::create_dir_all(&place).unwrap();
            let text: String = lines
                .iter()
                .map(|line| {
                    let mut line = line.clone();
                    if line.get("message").is_some() && line.get("cwd").is_none() {
                        line["cwd"] = json!(folder);
                    }
                    format!("{line}\n")
                })
                .collect();
            fs::write(place.join(format!("{id}.jsonl")), text).unwrap();
        }

        fn titles(&self) -> Vec<String> {
            self.files().list(&[]).unwrap().into_iter().map(|session| session.title).collect()
        }
    }

    #[rstest]
    #[case("/home/ada/code.x_y", "-home-ada-code-x-y")]
    #[case("/ä/𝄞", "-----")]
    fn a_folder_is_named_like_the_program_does(#[case] folder: &str, #[case] expected: &str) {
        assert_eq!(name_of(Path::new(folder)), expected);
    }

    #[test]
    fn case_124_sessions_that_are_known_take_no_place_in_the_list() {
        let written = Written::new();
        let ids: Vec<String> = (0..=OWN_SESSIONS).map(|n| Uuid::from_u128(n as u128).to_string()).collect();
        let said = json!({"type": "user", "message": {"role": "user", "content": "Go on."}});
        ids.iter().for_each(|id| written.write(id, std::slice::from_ref(&said)));
        let known: Vec<_> = ids[1..].iter().filter_map(NativeSession::new).collect();
        let listed = written.files().list(&known).unwrap();
        assert_eq!(listed.iter().map(|one| one.native_session.as_str()).collect::<Vec<_>>(), [&ids[0]]);
        assert_eq!(written.files().list(&[]).unwrap().len(), OWN_SESSIONS);
        // Newer files without a message take no place either.
        ids[1..].iter().for_each(|id| written.write(id, &[]));
        assert_eq!(written.files().list(&[]).unwrap().len(), 1);
    }

    #[test]
    fn case_124_a_session_is_listed_under_its_title_or_first_message() {
        let written = Written::new();
        assert_eq!(written.titles(), Vec::<String>::new());
        let said = [
            user(["a", ""], &json!("<command-name>/clear</command-name>")),
            user(["b", "a"], &json!([{"type": "text", "text": "Mend\n the  door"}])),
        ];
        written.write(FIRST, &said);
        assert_eq!(written.titles(), ["Mend the door"]);
        let titles = [
            json!({"type": "custom-title", "customTitle": "Old"}),
            json!({"type": "custom-title", "customTitle": "Doors"}),
        ];
        written.write(FIRST, &[&said[..], &titles].concat());
        assert_eq!(written.titles(), ["Doors"]);
    }

    #[test]
    fn what_is_no_session_of_the_folder_is_left_out() {
        let written = Written::new();
        let mut elsewhere = user(["a", ""], &json!("Elsewhere"));
        elsewhere["cwd"] = json!("/somewhere/else");
        written.write(FIRST, &[elsewhere]);
        written.write(SECOND, &[json!({"type": "mode", "mode": "normal"})]);
        written.write("agent-1", &[user(["a", ""], &json!("A subagent"))]);
        assert_eq!(written.titles(), Vec::<String>::new());
    }

    #[test]
    fn a_long_file_is_read_at_its_edges_only() {
        let written = Written::new();
        let filler = json!({"type": "x", "text": "y".repeat(60_000)});
        let mut all = vec![user(["a", ""], &json!("First"))];
        all.extend(std::iter::repeat_n(filler, 20));
        all.push(json!({"type": "custom-title", "customTitle": "At the end"}));
        written.write(FIRST, &all);
        assert_eq!(written.titles(), ["At the end"]);
    }

    #[test]
    fn case_124_the_conversation_is_the_one_that_the_session_continues() {
        let written = Written::new();
        let mut subagent = agent(["s", "b"], "Inside");
        subagent["isSidechain"] = json!(true);
        written.write(
            FIRST,
            &[
                user(["a", ""], &json!("One")),
                agent(["b", "a"], "Two"),
                subagent,
                user(["gone", "b"], &json!("Taken back")),
                user(["c", "b"], &json!([{"type": "tool_result", "content": "Result"}])),
                agent(["d", "c"], "Three"),
                json!({"type": "attachment", "uuid": "e", "parentUuid": "d", "isSidechain": false}),
                user(["f", "e"], &json!("Four")),
            ],
        );
        let said = |said: &[Said]| PastConversation { said: said.to_vec(), is_cut: false };
        let expected = said(&[
            Said::User { text: "One".to_owned(), place: None },
            Said::Agent("Two".to_owned()),
            Said::Agent("Three".to_owned()),
            Said::User { text: "Four".to_owned(), place: Some("d".to_owned()) },
        ]);
        let read = |id: &str| written.files().read(&NativeSession::new(id).unwrap());
        assert_eq!(read(FIRST).unwrap(), expected);
        assert!(read(SECOND).is_err() && read("../../secret").is_err());
    }

    #[test]
    fn a_conversation_keeps_its_newest_messages_and_says_that_it_is_cut() {
        let ids: Vec<String> = (0..=250).map(|n| n.to_string()).collect();
        let lines: Vec<Value> =
            (0..250).map(|n| agent([&ids[n + 1], &ids[n]], &format!("Message {n}"))).collect();
        let read = conversation(&lines, false);
        assert_eq!((read.said.len(), read.is_cut), (200, true));
        assert_eq!(read.said.last(), Some(&Said::Agent("Message 249".to_owned())));
    }

    #[test]
    fn a_circle_of_lines_ends() {
        let lines = [agent(["a", "b"], "One"), agent(["b", "a"], "Two")];
        assert_eq!(conversation(&lines, false).said.len(), 2);
    }

    /// Reads two questions with the result of their call.
    fn outcome_of(result: Option<Value>) -> Option<Outcome> {
        let questions = json!([
            {"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]},
            {"question": "What else?", "multiSelect": true, "options": [{"label": "A, B"}, {"label": "A"}]},
        ]);
        let call = json!([{"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": {"questions": questions}}]);
        let mut lines = vec![line("assistant", ["a", ""], &call)];
        if let Some(result) = result {
            let mut answer =
                user(["b", "a"], &json!([{"type": "tool_result", "tool_use_id": "t", "content": "…"}]));
            answer["toolUseResult"] = result;
            lines.push(answer);
        }
        let said = conversation(&lines, false).said;
        let [Said::Did(body)] = &*said else { panic!("{said:?}") };
        let EntryBody::CopiedQuestion { questions, outcome } = &**body else { panic!("{body:?}") };
        assert_eq!((questions.len(), questions[1].options[0].label.as_str()), (2, "A, B"));
        outcome.clone()
    }

    #[rstest]
    #[case(json!({"Which?": "Blue", "What else?": "A, B, A, and more"}), vec![(vec![1], None), (vec![0, 1], Some("and more"))])]
    #[case(json!({"Which?": "Blue, but dark"}), vec![(vec![], Some("Blue, but dark"))])]
    #[case(json!({"Which?": UNANSWERED, "What else?": "A"}), vec![(vec![1], None)])]
    fn a_question_is_read_with_the_answers_that_are_kept(
        #[case] answers: Value,
        #[case] expected: Vec<(Vec<usize>, Option<&str>)>,
    ) {
        let Some(Outcome::Answered { answers }) = outcome_of(Some(json!({"answers": answers}))) else {
            panic!()
        };
        let place = |id: &OptionId| id.to_string().rsplit('o').next().unwrap().parse::<usize>().unwrap() - 1;
        let seen: Vec<(Vec<usize>, Option<&str>)> = answers
            .iter()
            .map(|answer| (answer.chosen.iter().map(place).collect(), answer.other.as_deref()))
            .collect();
        assert_eq!(seen, expected);
    }

    #[rstest]
    #[case::no_result(None, None)]
    #[case::nothing_kept(Some(json!("Error: stopped")), None)]
    #[case::no_text(Some(json!({"answers": {"Which?": 3}})), None)]
    #[case::skipped(Some(json!({"answers": {}})), Some(Outcome::Declined { words: None }))]
    fn no_answer_is_made_up(#[case] result: Option<Value>, #[case] expected: Option<Outcome>) {
        assert_eq!(outcome_of(result), expected);
    }

    #[test]
    fn calls_are_read_with_their_results() {
        let call =
            |id: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]);
        let result = |id: &str, failed: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": "out", "is_error": failed}]);
        // Two calls were made at once, so the result of the first one isn't followed.
        let lines = [
            line("assistant", ["a", ""], &call("1")),
            line("assistant", ["b", "a"], &call("2")),
            user(["r1", "a"], &result("1", true)),
            user(["r2", "b"], &result("2", false)),
            line("assistant", ["c", "r2"], &call("3")),
        ];
        let said = conversation(&lines, false).said;
        let seen: Vec<_> = said
            .iter()
            .map(|said| match said {
                Said::Did(body) => match &**body {
                    EntryBody::Tool { tool_use, status, output, .. } => {
                        (tool_use.as_str(), *status, output.as_deref())
                    }
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            ("1", ToolStatus::Failed, Some("out")),
            ("2", ToolStatus::Done, Some("out")),
            ("3", ToolStatus::NoResult, None),
        ];
        assert_eq!(seen, expected);
    }
}
