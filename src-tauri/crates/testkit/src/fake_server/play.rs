//! Turns that are played step by step.

use std::collections::VecDeque;
use std::io::Write;

use serde_json::{Value, json};

use super::{Server, Waiting};

/// What a turn still has to play.
pub(super) struct Play {
    session: String,
    /// The id of the turn, until it is answered.
    turn: Option<Value>,
    steps: VecDeque<Value>,
    answer: String,
}

impl Play {
    pub(super) fn new(session: &str, turn: Value, steps: VecDeque<Value>) -> Self {
        Self { session: session.to_owned(), turn: Some(turn), steps, answer: String::new() }
    }
}

impl<W: Write> Server<W> {
    /// Plays steps up to the next request, or to the end.
    pub(super) fn play(&mut self, mut play: Play) {
        while let Some(mut step) = play.steps.pop_front() {
            self.fill_in(&mut step, &play);
            let Some(method) = step["ask"].as_str() else {
                self.tell(&step, &mut play);
                continue;
            };
            let id = self.request(method, &params(&step, &play));
            for step in step["meanwhile"].as_array().into_iter().flatten() {
                self.tell(step, &mut play);
            }
            self.waiting.insert(id, Waiting::Play(play));
            return;
        }
        if let Some(turn) = play.turn {
            self.answer(&turn, &json!({}));
        }
    }

    /// Plays a step that waits for nothing.
    fn tell(&mut self, step: &Value, play: &mut Play) {
        if let Some(method) = step["notify"].as_str() {
            self.notify(method, &params(step, play));
        } else if let Some(turn) = play.turn.take() {
            self.answer(&turn, &step["end"]);
        }
    }

    /// Goes on after the answer to a request.
    pub(super) fn play_on(&mut self, mut play: Play, id: &str, said: &Value) {
        self.notify("session/resolved", &json!({"sessionId": play.session, "id": id}));
        play.answer = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
        self.play(play);
    }

    /// Drops what a session still has to play, and returns its turns that were not answered.
    pub(super) fn stop_playing(&mut self, session: &str) -> Vec<Value> {
        let of_it =
            |_: &String, waits: &mut Waiting| matches!(waits, Waiting::Play(play) if play.session == session);
        let stopped = self.waiting.extract_if(of_it).map(|(_, waits)| match waits {
            Waiting::Play(play) => play.turn,
            Waiting::Turn(turn) => Some(turn),
        });
        stopped.flatten().collect()
    }

    fn fill_in(&self, value: &mut Value, play: &Play) {
        match value {
            Value::String(text) => {
                let stands_for = match text.as_str() {
                    "$answer" => play.answer.clone(),
                    "$pid" => std::process::id().to_string(),
                    "$session" => play.session.clone(),
                    "$sessions" => self.sessions.keys().map(String::as_str).collect::<Vec<_>>().join(" "),
                    "$begun" => self.sessions.get(&play.session).unwrap_or(&Value::Null).to_string(),
                    _ => return,
                };
                *text = stands_for;
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill_in(item, play)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.fill_in(field, play)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn params(step: &Value, play: &Play) -> Value {
    let mut params = step["params"].clone();
    if params.is_null() {
        params = json!({});
    }
    params["sessionId"] = json!(play.session);
    params
}
