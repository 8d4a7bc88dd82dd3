//! Events in one line each, for a reader.

use std::collections::HashMap;
use std::fmt::Debug;
use std::rc::Rc;

use askdesk_agents::{AgentEvent, Configuration::ConfigChanged};
use askdesk_domain::{ConfigId, ConfigOption, ConfigValue};
use uuid::Uuid;

/// Types around one value that say nothing to a reader.
const AROUND: &str = "ApprovalAsked ApprovalOptionId Asked Box ConfigId Configuration Conversation HelperId NativeRef \
     NativeSession OptionId QuestionId Requests Some Trouble ValueId";

/// Stands in transcripts for the ID of a run.
const RUN: &str = "{run}";

pub struct Shown {
    /// The values of each option as they were shown last.
    offered: HashMap<ConfigId, Vec<ConfigValue>>,
    /// What the transcript itself says, and so the IDs that are the same at each run.
    inputs: Rc<str>,
    /// The other IDs, in the order in which they came.
    ids: Vec<String>,
    /// The one that an agent puts before the IDs of its requests.
    run: String,
}

impl Shown {
    pub fn new(config: Vec<ConfigOption>, inputs: Rc<str>) -> Self {
        let offered = config.into_iter().map(|option| (option.id, option.values)).collect();
        Self { offered, inputs, ids: Vec::new(), run: String::new() }
    }

    pub fn event(&mut self, event: &AgentEvent) -> String {
        let AgentEvent::Configuration(ConfigChanged { config }) = event else { return self.debug(event) };
        let mut line = "ConfigChanged".to_owned();
        for option in config {
            if let Some(current) = &option.current {
                line += &format!(" {}={current}", option.id);
            }
            let before = self.offered.insert(option.id.clone(), option.values.clone());
            if before.as_ref() != Some(&option.values) {
                line += &format!(" {} of {}", option.id, self.debug(&option.values));
            }
        }
        line
    }

    pub fn debug(&mut self, it: &impl Debug) -> String {
        self.text(&brief(&format!("{it:?}")))
    }

    /// Replaces the IDs that are others at each run: that of the run, and those of messages, by their number.
    pub fn text(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let Some(id) = random_id(rest).filter(|id| !self.inputs.contains(id)) else {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            };
            rest = &rest[id.len()..];
            if rest.starts_with('/') {
                self.run = id.to_owned();
                out += RUN;
                continue;
            }
            let known = self.ids.iter().position(|known| known == id);
            let number = known.unwrap_or(self.ids.len());
            if known.is_none() {
                self.ids.push(id.to_owned());
            }
            out += &format!("{{id {}}}", number + 1);
        }
        out
    }

    /// Puts the ID of the run where a transcript has a word for it.
    pub fn with_run(&self, line: &str) -> String {
        line.replace(RUN, &self.run)
    }
}

/// An ID at the beginning of a text that could be random.
fn random_id(text: &str) -> Option<&str> {
    let uuid = text.get(..36).filter(|id| Uuid::parse_str(id).is_ok_and(|id| id.get_version_num() == 4));
    let hex = |id: &&str| id[4..].bytes().all(|letter| letter.is_ascii_hexdigit());
    uuid.or_else(|| text.get(..30).filter(|id| id.starts_with("msg_")).filter(hex))
}

/// Leaves out of a `Debug` text what is absent, and the types around single values.
fn brief(debug: &str) -> String {
    let mut out = String::new();
    let (mut quoted, mut escaped) = (false, false);
    // Where the field begins, and whether the end of each open parenthesis is shown.
    let mut field = 0;
    let mut shown = Vec::new();
    let mut rest = debug;
    while let Some(letter) = rest.chars().next() {
        if quoted {
            quoted = letter != '"' || escaped;
            escaped = letter == '\\' && !escaped;
        } else {
            let begins_word = !out.ends_with(|letter: char| letter.is_alphanumeric());
            let name = rest.split_once('(').map(|(name, _)| name).filter(|_| begins_word);
            let around = name.filter(|name| AROUND.split(' ').any(|around| around == *name));
            let absent = ["None", "[]"].into_iter().find(|it| out.ends_with(": ") && rest.starts_with(it));
            if let Some(absent) = absent {
                out.truncate(field);
                rest = rest[absent.len()..].trim_start_matches(", ");
                continue;
            } else if let Some(around) = around {
                shown.push(false);
                rest = &rest[around.len() + 1..];
                continue;
            }
            match letter {
                '"' => quoted = true,
                '(' => shown.push(true),
                ')' if !shown.pop().unwrap_or(true) => {
                    rest = &rest[1..];
                    continue;
                }
                '}' if out.ends_with(",  ") => out.replace_range(out.len() - 3.., " "),
                _ => {}
            }
            if letter == '{' || letter == ',' {
                field = out.len() + 2;
            }
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}
