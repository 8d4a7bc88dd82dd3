//! Encodes actions as requests to OpenCode's server.

use askdesk_domain::{Answers, NativeRef, Outcome, Question, RawQuestion, WithdrawnWhy};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use uuid::Uuid;

use super::calls::{Call, CallKind};
use super::descriptor::{AGENT, MODEL};
use super::{HELD_ACTIONS, OpenCodeAdapter, Sent};
use crate::adapter::{Action, Attached, EncodeError, Output, QuestionRefusal};
use crate::event::Configuration;

const EXPIRED: &str =
    "The time limit set for this question has passed without an answer. Continue without it.";

/// What goes along with a message, as its parts.
pub(super) fn files(attached: &Attached) -> Vec<Value> {
    let images = attached.images.iter().enumerate().map(|(place, (format, bytes))| {
        let (mime, data) = (format.media_type(), STANDARD.encode(bytes));
        let name = format!("image {}", place + 1);
        json!({"type": "file", "mime": mime, "filename": name, "url": format!("data:{mime};base64,{data}")})
    });
    let files = attached.files.iter().map(|path| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        json!({"type": "file", "mime": "text/plain", "filename": name, "url": file_url(path)})
    });
    images.chain(files).collect()
}

impl OpenCodeAdapter {
    pub(super) fn encode(&mut self, action: Action, out: &mut Output) -> Result<(), EncodeError> {
        match action {
            Action::Message { .. } | Action::Compact if !self.open => {
                if self.sent.values().all(|what| matches!(what, Sent::Servers)) {
                    // The server couldn't open it before.
                    match self.session.is_none() {
                        true => self.create(out),
                        false => self.list_agents(out),
                    }
                }
                hold(&mut self.held, action)
            }
            Action::Message { .. } if self.turn.running && self.turn.rejecting => {
                self.turn.declined = false;
                hold(&mut self.after_turn, action)
            }
            Action::Message { id, text, attached } => {
                if !self.run_command(id, &text, &attached, out)? {
                    self.prompt(id, &text, &attached, out);
                }
                Ok(())
            }
            Action::Answer { native_ref, questions, outcome } => {
                self.answer(&native_ref, &questions, &outcome, out)
            }
            Action::RefuseQuestion { native_ref, why } => self.refuse(&native_ref, &why, out),
            Action::Decide { native_ref, decision } => {
                let call = self.calls.find(&native_ref)?;
                let CallKind::Permission { options } = &call.own.kind else {
                    return Err(EncodeError::gone(&native_ref));
                };
                let [chosen] = decision.options.as_slice() else {
                    return Err(EncodeError::Refused { what: "a decision of several options" });
                };
                let unknown = EncodeError::Refused { what: "a decision it did not offer" };
                let chosen = options.iter().find(|option| option.id == *chosen).ok_or(unknown)?;
                let mut body = json!({"reply": chosen.id.as_str()});
                let words = decision.message.as_deref().filter(|words| !words.trim().is_empty());
                if let Some(words) = words.filter(|_| !chosen.kind.allows()) {
                    body["message"] = json!(words);
                }
                self.reply(&native_ref, body, out);
                Ok(())
            }
            Action::SetConfig { ticket, option, value } => {
                if !self.choose(&option, value) {
                    return Err(EncodeError::Refused { what: "this change while it runs" });
                }
                out.event(Configuration::ConfigChanged { config: self.config.clone() });
                out.event(Configuration::ConfigAnswered { ticket, refused: None });
                Ok(())
            }
            Action::Interrupt => {
                self.turn.interrupting = self.turn.running;
                self.session_request(Sent::Abort, "POST", "/abort", Value::Null, out);
                Ok(())
            }
            Action::Compact => {
                let what = "compacting a session whose model isn't known yet";
                let model = self.model().ok_or(EncodeError::Refused { what })?;
                let body = json!({"providerID": model.0, "modelID": model.1});
                self.session_request(Sent::Compact, "POST", "/summarize", body, out);
                Ok(())
            }
            Action::Close => {
                if self.turn.running {
                    self.session_request(Sent::Abort, "POST", "/abort", Value::Null, out);
                }
                Ok(())
            }
        }
    }

    /// The model of the next message, with its provider before it.
    pub(super) fn model(&self) -> Option<(String, String)> {
        let model =
            self.chosen(&MODEL).map(askdesk_domain::ValueId::as_str).or_else(|| self.usage.model())?;
        model.split_once('/').map(|(provider, model)| (provider.to_owned(), model.to_owned()))
    }

    fn prompt(&mut self, id: Uuid, words: &str, attached: &Attached, out: &mut Output) {
        let mut parts = Vec::new();
        if !words.is_empty() || (attached.images.is_empty() && attached.files.is_empty()) {
            parts.push(json!({"type": "text", "text": words}));
        }
        parts.extend(files(attached));
        let mut body = json!({"parts": parts});
        if let Some(agent) = self.chosen(&AGENT) {
            body["agent"] = json!(agent.as_str());
        }
        if let Some((provider, model)) = self.model() {
            body["model"] = json!({"providerID": provider, "modelID": model});
        }
        self.untaken.push_back(id);
        self.session_request(Sent::Prompt { id }, "POST", "/prompt_async", body, out);
    }

    /// Sends words of ours once the turn that a rejected question ends has ended.
    pub(super) fn follow_up(&mut self, text: String) {
        self.turn.declined = false;
        self.after_turn.push_back(Action::Message {
            id: Uuid::new_v4(),
            text,
            attached: Attached::default(),
        });
    }

    fn answer(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: &Outcome,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let words = match outcome {
            Outcome::Declined { words } => words.as_deref(),
            Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason } } => reason.as_deref(),
            Outcome::Expired => Some(EXPIRED),
            // The message itself follows.
            Outcome::Answered { .. } | Outcome::RepliedInChat { .. } => None,
            Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => return Err(EncodeError::NothingToSend),
        };
        let Call { session, kind, .. } = &self.calls.find(native_ref)?.own;
        let CallKind::Question { drafts } = kind else { return Err(EncodeError::gone(native_ref)) };
        if let Outcome::Answered { answers } = outcome {
            let answers = json!(strings(drafts, questions, answers));
            self.reply(native_ref, answers, out);
            return Ok(());
        }
        let own = self.session.as_ref() == Some(session);
        self.reply(native_ref, Value::Null, out);
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        match words {
            Some(words) if matches!(outcome, Outcome::Expired) => self.follow_up(words.to_owned()),
            Some(words) => {
                self.follow_up(format!("The user declined to answer your question. The user said: {words}"))
            }
            // A subagent's question ends the subagent's turn, and the session itself goes on.
            None => {
                let silent = own && !matches!(outcome, Outcome::RepliedInChat { .. });
                self.turn.declined = silent && self.after_turn.is_empty();
            }
        }
        Ok(())
    }

    /// Refuses a question that nobody is asked. The rejection ends the turn, so the reason follows as a message.
    fn refuse(
        &mut self,
        native_ref: &NativeRef,
        why: &QuestionRefusal,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let own = self.session.as_ref() == Some(&self.calls.question(native_ref)?.own.session);
        self.reply(native_ref, Value::Null, out);
        if own {
            self.follow_up(why.words());
        }
        Ok(())
    }
}

fn hold(held: &mut std::collections::VecDeque<Action>, action: Action) -> Result<(), EncodeError> {
    if held.len() >= HELD_ACTIONS {
        return Err(EncodeError::Refused { what: "so many messages at once" });
    }
    held.push_back(action);
    Ok(())
}

/// A list of strings for each question: the labels as the agent wrote them, then the user's own words. An empty list says
/// that the user left the question unanswered.
fn strings(drafts: &[RawQuestion], questions: &[Question], answers: &Answers) -> Vec<Vec<String>> {
    let of = |question: &Question| {
        let Some(answer) = answers.to(question.id) else { return Vec::new() };
        let draft = drafts.get(question.id.index());
        // An option's id is minted from its place in the draft, which holds the label uncut.
        let label = |id| {
            let options = draft.map(|draft| draft.options.as_slice()).unwrap_or_default();
            let drawn = options.iter().enumerate().find(|(place, _)| question.id.option(*place) == id);
            match drawn {
                Some((_, option)) => Some(option.label.clone()),
                None => question.option(id).map(|option| option.label.clone()),
            }
        };
        let labels = answer.chosen.iter().filter_map(|id| label(*id));
        let note = answer.note.as_ref().map(|note| format!("(note: {note})"));
        labels.chain(answer.other.clone()).chain(note).collect()
    };
    questions.iter().map(of).collect()
}

fn file_url(path: &str) -> String {
    let is_unix = path.starts_with('/');
    let mut url = match path.starts_with(r"\\") {
        _ if is_unix => "file://".to_owned(),
        // The name of the server takes the place of the host.
        true => "file:".to_owned(),
        false => "file:///".to_owned(),
    };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b':' => {
                url.push(byte.into())
            }
            b'\\' if !is_unix => url.push('/'),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/a b/ä", "file:///a%20b/%C3%A4")]
    #[case(r"/a\b", "file:///a%5Cb")]
    #[case(r"C:\a b\c", "file:///C:/a%20b/c")]
    #[case(r"\\server\share\a", "file://server/share/a")]
    fn case_153_a_path_of_each_system_has_its_address(#[case] path: &str, #[case] url: &str) {
        assert_eq!(file_url(path), url);
    }
}
