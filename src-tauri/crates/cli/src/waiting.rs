//! What waits on the desk, listed and answered from a terminal.

use askdesk_client_config::desk::Desk;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::arguments::{Answer, List};
use crate::door::Door;
use crate::ending::{Ending, Failure};
use crate::terminal::{self, one_line};

/// How much of a question stands on its line, in characters.
const TEXT_MOST: usize = 100;
/// How much of a session's name does.
const NAME_MOST: usize = 30;

#[derive(Debug, Deserialize)]
struct Waiting {
    requests: Vec<Request>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    session: Session,
    questions: Vec<Question>,
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

pub fn list(desk: &Desk, list: &List) -> Result<Ending, Failure> {
    let said = Door::to_answer(desk)?.get("/v1/requests")?;
    if list.json {
        terminal::print(&format!("{}\n", serde_json::to_string_pretty(&said).unwrap_or_default()))?;
        return Ok(Ending::Well);
    }
    let waiting = read(said)?;
    if waiting.is_empty() {
        terminal::print("Nothing waits.\n")?;
        return Ok(Ending::Well);
    }
    terminal::print(&waiting.iter().map(lines).collect::<String>())?;
    Ok(Ending::Well)
}

fn read(said: Value) -> Result<Vec<Request>, Failure> {
    let waiting: Waiting =
        serde_json::from_value(said).map_err(|error| Failure::Unintelligible(error.to_string()))?;
    Ok(waiting.requests)
}

fn lines(request: &Request) -> String {
    let Session { name, folder } = &request.session;
    let folder =
        folder.as_deref().map(|folder| format!(" in {}", one_line(folder, TEXT_MOST))).unwrap_or_default();
    let name = one_line(name.as_deref().unwrap_or("a session"), NAME_MOST);
    let mut text = format!("{}  {name}{folder}\n", request.request_id);
    for (n, question) in (1..).zip(&request.questions) {
        let number = if request.questions.len() > 1 { format!("{n}. ") } else { String::new() };
        text.push_str(&format!("    {number}{}\n", one_line(&question.text, TEXT_MOST)));
        for (n, choice) in (1..).zip(&question.options) {
            text.push_str(&format!("       {n}) {}\n", one_line(&choice.label, TEXT_MOST)));
        }
    }
    text
}

/// Answers or declines what waits.
pub fn answer(desk: &Desk, answer: &Answer) -> Result<Ending, Failure> {
    let door = Door::to_answer(desk)?;
    let (id, request) = match find(read(door.get("/v1/requests")?)?, &answer.id) {
        Ok(request) => (request.request_id.clone(), Some(request)),
        // What was missed is not listed and can still be answered; what has ended is turned down by the desk.
        Err(_) if Uuid::parse_str(&answer.id).is_ok() => (answer.id.clone(), None),
        Err(failure) => return Err(failure),
    };
    let said = match &answer.decline {
        Some(words) => {
            let words = Some(words).filter(|words| !words.is_empty());
            door.post(&format!("/v1/requests/{id}/decline"), &json!({ "words": words }))?
        }
        None => {
            let body = json!({ "answers": answers(answer, request.as_ref())? });
            door.post(&format!("/v1/requests/{id}/answer"), &body)?
        }
    };
    terminal::print(&format!("{}\n", serde_json::to_string_pretty(&said).unwrap_or_default()))?;
    Ok(Ending::Well)
}

fn find(waiting: Vec<Request>, id: &str) -> Result<Request, Failure> {
    let mut fitting = waiting.into_iter().filter(|request| request.request_id.starts_with(id));
    match (fitting.next(), fitting.next()) {
        (Some(request), None) => Ok(request),
        (None, _) => Err(Failure::BadInput(format!("nothing that waits has an id beginning with {id:?}"))),
        (Some(_), Some(_)) => Err(Failure::BadInput(format!("more than one id begins with {id:?}"))),
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
                    "there is no question {number}; it has {}",
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

/// Takes options by their labels alone, where the desk has not said which there are.
fn labels(chosen: &[String]) -> Result<&[String], Failure> {
    match chosen.iter().find(|name| name.parse::<usize>().is_ok()) {
        None => Ok(chosen),
        Some(number) => Err(Failure::BadInput(format!(
            "{number:?} may be a number or a label, and the options of what is not listed any more are not known here: choose \
             by label, and hand a label that is a number over with --json"
        ))),
    }
}

/// Finds an option by its label, else by its number; its id is what travels.
fn chosen(name: &str, question: &Question) -> Result<Value, Failure> {
    let called: Vec<&Choice> = question.options.iter().filter(|choice| choice.label == name).collect();
    if called.len() > 1 {
        return Err(Failure::BadInput(format!(
            "more than one option is called {name:?}; name it by its number"
        )));
    }
    let by_number = || question.options.get(name.parse::<usize>().ok()?.checked_sub(1)?);
    let choice = called.first().copied().or_else(by_number);
    choice
        .map(|choice| choice.id.clone())
        .ok_or_else(|| Failure::BadInput(format!("there is no option {name:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        let said = json!({ "requests": [{ "requestId": "0198-a", "askedAt": 1,
            "session": { "name": "shop\u{1b}[1m", "agent": "mcp_client", "folder": "/srv/shop" },
            "questions": [{ "id": "q1", "text": "Which\nstore?", "header": null, "kind": "single", "options": [
                { "id": "q1o1", "label": "2" }, { "id": "q1o2", "label": "B" }, { "id": "q1o3", "label": "B" },
            ]}],
        }]});
        read(said).unwrap().remove(0)
    }

    #[test]
    fn a_label_comes_before_a_number_and_two_alike_are_told_apart_by_number() {
        let request = request();
        let chosen = |name| chosen(name, &request.questions[0]).map_err(|failure| failure.to_string());
        assert_eq!(chosen("2"), Ok("q1o1".into()));
        assert_eq!(chosen("3"), Ok("q1o3".into()));
        assert!(chosen("B").unwrap_err().contains("more than one option"));
        assert!(chosen("4").is_err() && chosen("0").is_err() && chosen("b").is_err());
    }

    #[test]
    fn what_an_agent_wrote_stays_on_its_line() {
        let expected =
            "0198-a  shop[1m in /srv/shop\n    Which store?\n       1) 2\n       2) B\n       3) B\n";
        assert_eq!(lines(&request()), expected);
    }

    #[test]
    fn an_id_is_found_by_its_beginning_where_only_one_fits() {
        assert_eq!(find(vec![request()], "01").unwrap().request_id, "0198-a");
        assert!(find(vec![request()], "02").unwrap_err().to_string().contains("nothing that waits"));
        assert!(find(vec![request(), request()], "01").unwrap_err().to_string().contains("more than one"));
    }
}
