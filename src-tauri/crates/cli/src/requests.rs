//! `askdesk list` and `askdesk answer`.

use std::time::{Duration, Instant};

use askdesk_client_config::DataFolder;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::arguments::{Answer, List};
use crate::exit::{Exit, Failure};
use crate::http_client::HttpClient;
use crate::retry::is_temporary;
use crate::terminal::{self, one_line};

/// How long a lost answer is looked up, while Askdesk isn't running.
const LOOK_UP: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// The longest text on a line, in characters.
const MAX_TEXT: usize = 100;
/// The longest session name, in characters.
const MAX_NAME: usize = 30;

/// What needs the user, by kind.
#[derive(Debug, Deserialize)]
struct Pending {
    requests: Vec<Request>,
    #[serde(default)]
    permissions: Vec<Permission>,
    #[serde(default)]
    undelivered: Vec<Request>,
}

#[derive(Debug, Deserialize)]
struct Permission {
    session: Session,
    title: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    session: Session,
    questions: Vec<Question>,
    #[serde(default)]
    agent_goes_on: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Session {
    name: Option<String>,
    folder: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Question {
    id: Value,
    text: String,
    #[serde(default)]
    options: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    id: Value,
    label: String,
}

/// Lists what needs the user.
pub async fn list(folder: &DataFolder, list: &List) -> Result<Exit, Failure> {
    let response = HttpClient::for_answering(folder)?.get("/v1/requests").await?;
    if list.json {
        terminal::print_json(&response)?;
        return Ok(Exit::Success);
    }
    terminal::print(&listed(&parse(response)?))?;
    Ok(Exit::Success)
}

fn parse(response: Value) -> Result<Pending, Failure> {
    serde_json::from_value(response).map_err(|error| Failure::InvalidResponse(error.to_string()))
}

fn listed(Pending { requests, permissions, undelivered }: &Pending) -> String {
    let mut text: String = requests.iter().map(lines).collect();
    if requests.is_empty() {
        text.push_str("No questions waiting.\n");
    }
    let permissions: String = permissions
        .iter()
        .map(|it| format!("    {}: {}\n", place(&it.session), one_line(&it.title, MAX_TEXT)))
        .collect();
    let asked = |it: &Request| it.questions.first().map(|question| one_line(&question.text, MAX_TEXT));
    let undelivered: String = undelivered
        .iter()
        .map(|it| format!("    {}: {}\n", place(&it.session), asked(it).unwrap_or_default()))
        .collect();
    for (heading, lines) in [
        ("Permission requests, to decide in the window:", permissions),
        ("Answers that couldn't be delivered, to send again in the window:", undelivered),
    ] {
        if !lines.is_empty() {
            text.push_str(&format!("{heading}\n{lines}"));
        }
    }
    text
}

/// Names a session and its folder.
fn place(Session { name, folder }: &Session) -> String {
    let folder =
        folder.as_deref().map(|folder| format!(" in {}", one_line(folder, MAX_TEXT))).unwrap_or_default();
    format!("{}{folder}", one_line(name.as_deref().unwrap_or("a session"), MAX_NAME))
}

fn lines(request: &Request) -> String {
    let goes_on = if request.agent_goes_on { ", the agent goes on" } else { "" };
    let mut text = format!("{}  {}{goes_on}\n", request.request_id, place(&request.session));
    for (n, question) in (1..).zip(&request.questions) {
        let number = if request.questions.len() > 1 { format!("{n}. ") } else { String::new() };
        text.push_str(&format!("    {number}{}\n", one_line(&question.text, MAX_TEXT)));
        for (n, choice) in (1..).zip(&question.options) {
            text.push_str(&format!("       {n}) {}\n", one_line(&choice.label, MAX_TEXT)));
        }
    }
    text
}

/// Answers or skips a request.
pub async fn answer(folder: &DataFolder, answer: &Answer) -> Result<Exit, Failure> {
    let client = HttpClient::for_answering(folder)?;
    let (id, request) = match find(parse(client.get("/v1/requests").await?)?.requests, &answer.id) {
        Ok(request) => (request.request_id.clone(), Some(request)),
        // A missed request isn't listed, but can still be answered.
        Err(_) if Uuid::parse_str(&answer.id).is_ok() => (answer.id.clone(), None),
        Err(failure) => return Err(failure),
    };
    let own = Uuid::new_v4();
    let sent = match &answer.skip {
        Some(words) => {
            let words = Some(words).filter(|words| !words.is_empty());
            client.post(&format!("/v1/requests/{id}/decline"), &json!({ "words": words, "id": own })).await
        }
        None => {
            let body = json!({ "answers": answers(answer, request.as_ref())?, "id": own });
            client.post(&format!("/v1/requests/{id}/answer"), &body).await
        }
    };
    let response = match sent {
        Err(Failure::NotRunning(_)) => look_up(folder, &id, own).await?,
        sent => sent?,
    };
    terminal::print_json(&response)?;
    Ok(Exit::Success)
}

/// Looks up what became of an answer whose response was lost: Askdesk may have quit before or after it saved the answer.
async fn look_up(folder: &DataFolder, request: &str, own: Uuid) -> Result<Value, Failure> {
    terminal::note("the connection to Askdesk was lost; looking up whether the answer was saved");
    let since = Instant::now();
    loop {
        let looked =
            async { HttpClient::for_answering(folder)?.get(&format!("/v1/requests/{request}")).await };
        match looked.await {
            Ok(found) => return judge(found, request, own),
            Err(failure) if !is_temporary(&failure) => return Err(failure),
            Err(_) if since.elapsed() >= LOOK_UP => {
                return Err(Failure::Unconfirmed { request: request.to_owned() });
            }
            Err(_) => tokio::time::sleep(LOOK_AGAIN).await,
        }
    }
}

/// Decides what the end of a request means for the answer with this id.
fn judge(found: Value, request: &str, own: Uuid) -> Result<Value, Failure> {
    let is_own = found["id"].as_str().and_then(|id| Uuid::parse_str(id).ok()) == Some(own);
    let request = request.to_owned();
    match found["outcome"].as_str().unwrap_or_default() {
        _ if is_own => Ok(found),
        "open" | "missed" => Err(Failure::NotSaved { request }),
        outcome => Err(Failure::EndedBefore { request, outcome: outcome.to_owned() }),
    }
}

/// The shortest beginning of an ID that names a request. A script's empty variable must never answer the one that is open.
const SHORTEST_ID: usize = 8;

fn find(open: Vec<Request>, id: &str) -> Result<Request, Failure> {
    if id.len() < SHORTEST_ID {
        let says = format!(
            "{id:?} is too short for an ID; give at least its first {SHORTEST_ID} characters, as `askdesk list` shows them"
        );
        return Err(Failure::BadInput(says));
    }
    let mut matching = open.into_iter().filter(|request| request.request_id.starts_with(id));
    match (matching.next(), matching.next()) {
        (Some(request), None) => Ok(request),
        (None, _) => Err(Failure::BadInput(format!("no open question has an ID that starts with {id:?}"))),
        (Some(_), Some(_)) => Err(Failure::BadInput(format!("{id:?} matches more than one question"))),
    }
}

fn answers(answer: &Answer, request: Option<&Request>) -> Result<Value, Failure> {
    if let Some(name) = &answer.json {
        return Ok(match terminal::read_json(name)? {
            Value::Object(mut fields) if fields.contains_key("answers") => {
                fields.remove("answers").unwrap_or_default()
            }
            one @ Value::Object(_) => json!([one]),
            list => list,
        });
    }
    let number = answer.question;
    let mut given = match request {
        Some(request) => {
            let question = number.checked_sub(1).and_then(|index| request.questions.get(index));
            let question = question.ok_or_else(|| {
                Failure::BadInput(format!(
                    "there is no question {number}; the last one is {}",
                    request.questions.len()
                ))
            })?;
            let chosen = answer.choose.iter().map(|name| chosen(name, question));
            json!({ "question": question.id, "chosen": chosen.collect::<Result<Vec<_>, _>>()? })
        }
        None => json!({ "question": number, "chosen": labels(&answer.choose)? }),
    };
    for (name, words) in [("other", &answer.other), ("note", &answer.note)] {
        if let Some(words) = words {
            given[name] = words.as_str().into();
        }
    }
    Ok(json!([given]))
}

/// Accepts labels only, because the options of a request that isn't listed are unknown.
fn labels(chosen: &[String]) -> Result<&[String], Failure> {
    match chosen.iter().find(|name| name.parse::<usize>().is_ok()) {
        None => Ok(chosen),
        Some(number) => Err(Failure::BadInput(format!(
            "{number:?} could be a number or a label, and this question is no longer listed. Use the label, or --json \
             if the label is a number"
        ))),
    }
}

/// Returns the id of the option with a label, or else with a number.
fn chosen(name: &str, question: &Question) -> Result<Value, Failure> {
    let called: Vec<&Choice> = question.options.iter().filter(|choice| choice.label == name).collect();
    if called.len() > 1 {
        return Err(Failure::BadInput(format!("more than one option is labeled {name:?}; use its number")));
    }
    let by_number = || question.options.get(name.parse::<usize>().ok()?.checked_sub(1)?);
    let choice = called.first().copied().or_else(by_number);
    choice
        .map(|choice| choice.id.clone())
        .ok_or_else(|| Failure::BadInput(format!("no option is labeled {name:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        let response = json!({ "requests": [{ "requestId": "0198-a", "askedAt": 1,
            "session": { "name": "shop\u{1b}[1m", "agent": "mcp_client", "folder": "/srv/shop" },
            "questions": [{ "id": "q1", "text": "Which\nstore?", "header": null, "kind": "single", "options": [
                { "id": "q1o1", "label": "2" }, { "id": "q1o2", "label": "B" }, { "id": "q1o3", "label": "B" },
            ]}],
        }]});
        parse(response).unwrap().requests.remove(0)
    }

    #[test]
    fn a_label_comes_before_a_number_and_equal_labels_need_a_number() {
        let request = request();
        let chosen = |name| chosen(name, &request.questions[0]).map_err(|failure| failure.to_string());
        assert_eq!(chosen("2"), Ok("q1o1".into()));
        assert_eq!(chosen("3"), Ok("q1o3".into()));
        assert!(chosen("B").unwrap_err().contains("more than one option"));
        assert!(chosen("4").is_err() && chosen("0").is_err() && chosen("b").is_err());
    }

    #[test]
    fn untrusted_text_stays_on_its_line() {
        let expected =
            "0198-a  shop␛[1m in /srv/shop\n    Which store?\n       1) 2\n       2) B\n       3) B\n";
        assert_eq!(lines(&request()), expected);
    }

    #[test]
    fn permission_requests_and_undelivered_answers_are_listed_apart_from_the_questions() {
        let session = json!({ "name": "shop", "folder": "/srv/shop" });
        let undelivered = json!({ "requestId": "0198-b", "session": session, "questions": [{ "id": "q1", "text": "Go?" }] });
        let permission = json!({ "permissionId": "0198-c", "session": session, "title": "Write: notes.txt" });
        let pending =
            parse(json!({ "requests": [], "permissions": [permission], "undelivered": [undelivered] }))
                .unwrap();
        let expected = "No questions waiting.\nPermission requests, to decide in the window:\n    shop in /srv/shop: Write: \
                        notes.txt\nAnswers that couldn't be delivered, to send again in the window:\n    shop in /srv/shop: Go?\n";
        assert_eq!(listed(&pending), expected);
    }

    #[test]
    fn a_lost_answer_counts_only_if_its_own_id_ended_the_question() {
        let own = Uuid::new_v4();
        let judged = |found: Value| judge(found, "r", own).map_err(|failure| failure.to_string());
        let answered = json!({ "outcome": "answered", "id": own });
        assert_eq!(judged(answered.clone()), Ok(answered));
        let error = |outcome: &str, id: Value| judged(json!({ "outcome": outcome, "id": id })).unwrap_err();
        assert!(error("open", Value::Null).contains("wasn't saved"));
        assert!(error("missed", Value::Null).contains("wasn't saved"));
        assert!(error("answered", json!(Uuid::new_v4())).contains("had already ended"));
        assert!(error("declined", Value::Null).contains("had already ended"));
    }

    #[test]
    fn an_id_is_found_by_a_unique_beginning_and_never_by_an_empty_or_short_one() {
        let open = |ids: &[&str]| -> Vec<Request> {
            ids.iter().map(|id| Request { request_id: (*id).into(), ..request() }).collect()
        };
        let refused = |ids: &[&str], id: &str| find(open(ids), id).unwrap_err().to_string();
        assert_eq!(find(open(&["01980000-a", "02980000-b"]), "01980000").unwrap().request_id, "01980000-a");
        assert!(refused(&["01980000-a"], "02980000").contains("no open question"));
        assert!(refused(&["01980000-a", "01980000-b"], "01980000-").contains("more than one"));
        for short in ["", " ", "0", "0198000"] {
            assert!(refused(&["01980000-a"], short).contains("too short"), "{short:?}");
        }
    }
}
