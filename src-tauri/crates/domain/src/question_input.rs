//! Turns an agent's input into questions that can be shown. Accepts what it can; otherwise an error names the field.

mod own_other;

use std::fmt;

use crate::id::{OptionId, QuestionId};
use crate::question::{Question, QuestionKind, QuestionOption};
use crate::text::{as_seen, bounded};

/// An agent's input for one option, after its JSON was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawOption {
    /// The label; other programs may leave it empty.
    pub label: String,
    pub description: Option<String>,
    pub preview: Option<String>,
}

impl RawOption {
    pub fn new(label: &str) -> Self {
        Self { label: label.to_owned(), description: None, preview: None }
    }
}

/// An agent's input for one question, after its JSON was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawQuestion {
    pub text: String,
    pub header: Option<String>,
    /// How the agent wants it answered.
    pub kind: QuestionKind,
    pub options: Vec<RawOption>,
    /// Whether the agent marks it as required.
    pub required: bool,
    /// The placeholder of the empty text field.
    pub placeholder: Option<String>,
}

/// The bounds for one source of questions (the table "Bounds" of the question contract).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionLimits {
    /// How many questions one request can hold.
    pub questions: usize,
    /// The fewest options of a select; with fewer, the question is refused (0: it becomes free text).
    pub options_min: usize,
    /// The most options of a select.
    pub options_max: usize,
    /// Whether two questions with the same text, or two options with the same label, are refused.
    pub refuse_twins: bool,
}

impl QuestionLimits {
    /// The bounds of agents that use their own tools.
    pub const FOREIGN: Self = Self { questions: 32, options_min: 0, options_max: 64, refuse_twins: false };
    /// The bounds of our `ask_user_question` tool.
    pub const ASK_USER_QUESTION: Self =
        Self { questions: 4, options_min: 2, options_max: 4, refuse_twins: true };
    /// The bounds of our `ask_user` tool.
    pub const ASK_USER: Self = Self { questions: 10, options_min: 2, options_max: 12, refuse_twins: true };
}

/// Why questions can't be shown; the agent can repair its call with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The path of the field, as in `questions[1].options`.
    pub field: String,
    /// The rule that it breaks, and the value that breaks it.
    pub rule: String,
}

impl Refusal {
    /// Names a field and the rule it breaks.
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.rule)
    }
}

/// Turns inputs into questions with ids. An error names the first field that can't be shown.
pub fn accept(drafts: &[RawQuestion], rules: QuestionLimits) -> Result<Vec<Question>, Refusal> {
    if drafts.is_empty() {
        return Err(Refusal::new("questions", "too few questions (0; the minimum is 1)"));
    }
    if drafts.len() > rules.questions {
        let rule = format!("too many questions ({}; the limit is {})", drafts.len(), rules.questions);
        return Err(Refusal::new("questions", rule));
    }
    let questions = drafts.iter().enumerate().map(|(index, draft)| question(index, draft, rules));
    let questions = questions.collect::<Result<_, _>>()?;
    // Every text is compared with every other, so their number is checked first.
    if rules.refuse_twins {
        refuse_twins(drafts)?;
    }
    Ok(questions)
}

fn refuse_twins(drafts: &[RawQuestion]) -> Result<(), Refusal> {
    for (later, draft) in drafts.iter().enumerate() {
        let text = as_seen(&draft.text);
        if let Some(earlier) = drafts[..later].iter().position(|other| as_seen(&other.text) == text) {
            let rule = format!("same text as questions[{earlier}]; each question must be different");
            return Err(Refusal::new(format!("questions[{later}].question"), rule));
        }
        for (second, option) in draft.options.iter().enumerate() {
            let label = as_seen(&option.label);
            if let Some(first) =
                draft.options[..second].iter().position(|other| as_seen(&other.label) == label)
            {
                let rule = format!("same label as options[{first}]; each label must be different");
                return Err(Refusal::new(format!("questions[{later}].options[{second}].label"), rule));
            }
        }
    }
    Ok(())
}

fn question(index: usize, draft: &RawQuestion, rules: QuestionLimits) -> Result<Question, Refusal> {
    let id = QuestionId::at(index);
    let field = |name: &str| format!("questions[{index}].{name}");
    if draft.text.trim().is_empty() {
        return Err(Refusal::new(field("question"), "must be a non-empty string"));
    }
    let select = matches!(draft.kind, QuestionKind::Single | QuestionKind::Multi);
    let count = draft.options.len();
    if select && count < rules.options_min {
        let rule = format!("too few options ({count}; the minimum is {})", rules.options_min);
        return Err(Refusal::new(field("options"), rule));
    }
    if count > rules.options_max {
        let rule = format!("too many options ({count}; the limit is {})", rules.options_max);
        return Err(Refusal::new(field("options"), rule));
    }
    // Those of a secret are texts to fill in.
    if !select && draft.kind != QuestionKind::Secret && count > 0 {
        return Err(Refusal::new(
            field("options"),
            format!("must be empty for this type of question, got {count}"),
        ));
    }

    // The agent's own "Other", however often it occurs, becomes the free-text row that always exists.
    let own_other = draft.options.iter().filter(|option| own_other::is_other(&option.label));
    let mut options: Vec<QuestionOption> = draft
        .options
        .iter()
        .enumerate()
        .filter(|(_, option)| !own_other::is_other(&option.label))
        .map(|(place, option)| question_option(id.option(place), option))
        .collect();
    let kind = if select && options.is_empty() { QuestionKind::Text } else { draft.kind };
    if kind == QuestionKind::Confirm {
        let labels = ["Yes", "No"].map(RawOption::new);
        options =
            (0..).zip(&labels).map(|(place, option)| question_option(id.option(place), option)).collect();
    }
    Ok(Question {
        id,
        text: bounded(&draft.text),
        header: draft.header.as_deref().filter(|text| !text.trim().is_empty()).map(bounded),
        kind,
        options,
        allows_other: matches!(kind, QuestionKind::Single | QuestionKind::Multi),
        other_description: description_of(own_other),
        required: draft.required,
        placeholder: draft.placeholder.as_deref().map(bounded),
        bounds: None,
        default: None,
    })
}

fn question_option(id: OptionId, raw: &RawOption) -> QuestionOption {
    QuestionOption {
        id,
        label: bounded(&raw.label),
        description: bounded_text(raw.description.as_deref()),
        preview: bounded_text(raw.preview.as_deref()),
        recommended: is_recommended(&raw.label),
    }
}

/// What the agent says about its own "Other", once each.
fn description_of<'a>(own_other: impl Iterator<Item = &'a RawOption>) -> Option<String> {
    let mut said: Vec<&str> = Vec::new();
    for text in own_other.filter_map(|option| option.description.as_deref()) {
        if !text.is_empty() && !said.contains(&text) {
            said.push(text);
        }
    }
    bounded_text(Some(&said.join("\n")))
}

fn bounded_text(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(bounded)
}

fn is_recommended(label: &str) -> bool {
    label.trim_end().to_ascii_lowercase().ends_with("(recommended)")
}
