//! Elicitations of MCP servers that an agent passes on: forms, and pages to open.
//!
//! A form becomes a question with a part for each field; a page becomes a question for consent. What a form has beyond choices,
//! texts, numbers and yes-or-no fields is declined, because a value that the user did not give must not be made up. A `pattern`
//! is left to the server: MCP's schema has none, and the page could not check one from a stranger safely.

use askdesk_domain::text::USER_TEXT_BYTES;
use askdesk_domain::{
    Answer, AnswerBounds, Answers, DefaultAnswer, NumberLimit, Outcome, Question, QuestionId, QuestionKind,
    QuestionLimits, RawOption, RawQuestion, Refusal, TextFormat, TypedNumber, question_input,
};
use serde_json::{Map, Value, json};

use crate::adapter::EncodeError;
use crate::json::{list, text};

/// The most fields of a form that are put into another order.
const ORDERED_FIELDS: usize = 256;

/// An elicitation as MCP describes it, whatever the agent calls its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elicitation<'a> {
    pub(crate) mode: &'a str,
    pub(crate) message: &'a str,
    /// The page to open; only in the mode `url`.
    pub(crate) url: Option<&'a str>,
    /// The schema of the values; only in the mode `form`.
    pub(crate) schema: &'a Value,
    /// The names of the fields in the order to show them in. Others follow in the order of the schema.
    pub(crate) order: &'a [Value],
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The name of its value; none for what only asks for consent.
    name: Option<String>,
    kind: FieldKind,
    draft: RawQuestion,
    bounds: Option<AnswerBounds>,
    /// The value that the form is filled in with.
    default: Option<Value>,
}

#[derive(Clone, Debug)]
enum FieldKind {
    /// The values of its options, in their order.
    One(Vec<Value>),
    Several(Vec<Value>),
    Text,
    Number,
    YesOrNo,
}

/// Reads what an elicitation asks for; the words say why it cannot be shown.
pub(crate) fn read(asked: Elicitation<'_>) -> Result<Vec<Field>, Refusal> {
    let message = asked.message;
    match asked.mode {
        // An older server names no mode.
        "form" | "" => {}
        "url" => {
            let url = asked.url.filter(|url| !url.trim().is_empty());
            let url = url.ok_or_else(|| Refusal::new("url", "must name the page to open"))?;
            return Ok(vec![consent(format!("{message}\n\n{url}"))]);
        }
        mode => return Err(Refusal::new("mode", format!("must be form or url, got {mode}"))),
    }
    let none = Map::new();
    let properties = asked.schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = list(asked.schema, "required");
    let is_required = |name: &str| required.iter().any(|known| known.as_str() == Some(name));
    if properties.is_empty() {
        return Ok(vec![consent(message.to_owned())]);
    }
    let mut properties: Vec<(&String, &Value)> = properties.iter().collect();
    if asked.order.len() <= ORDERED_FIELDS {
        let place = |name: &str| asked.order.iter().position(|known| known.as_str() == Some(name));
        properties.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    }
    let fields = properties.into_iter().enumerate().map(|(place, (name, schema))| {
        let mut field = read_field(name, schema, is_required(name))?;
        // What the form is about stands before its first field.
        if place == 0 && !message.trim().is_empty() {
            field.draft.text = format!("{message}\n\n{}", field.draft.text);
        }
        Ok(field)
    });
    fields.collect()
}

fn consent(text: String) -> Field {
    let draft = draft(text, None, QuestionKind::Confirm, Vec::new(), true);
    Field { name: None, kind: FieldKind::YesOrNo, draft, bounds: None, default: None }
}

fn read_field(name: &str, schema: &Value, required: bool) -> Result<Field, Refusal> {
    let unfit = |rule: &str| Refusal::new(format!("requestedSchema.properties.{name}"), rule);
    let (kind, options) = match text(schema, "type") {
        Some("string") => match choices(schema, "oneOf") {
            Some((values, options)) => (FieldKind::One(values), options),
            None => (FieldKind::Text, Vec::new()),
        },
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let (values, options) =
                choices(items, "anyOf").ok_or_else(|| unfit("a list must have options to choose from"))?;
            (FieldKind::Several(values), options)
        }
        Some("boolean") => (FieldKind::YesOrNo, Vec::new()),
        Some("number" | "integer") => (FieldKind::Number, Vec::new()),
        other => {
            let other = other.unwrap_or("none");
            return Err(unfit(&format!("must be a string, a number, a list or a boolean, got type {other}")));
        }
    };
    let shown = match kind {
        FieldKind::One(_) => QuestionKind::Single,
        FieldKind::Several(_) => QuestionKind::Multi,
        FieldKind::Text | FieldKind::Number => QuestionKind::Text,
        FieldKind::YesOrNo => QuestionKind::Confirm,
    };
    let title = text(schema, "title").unwrap_or(name);
    let words = text(schema, "description").unwrap_or(title).to_owned();
    let draft = draft(words, Some(title.to_owned()), shown, options, required);
    let bounds = bounds(&kind, schema);
    Ok(Field { name: Some(name.to_owned()), kind, draft, bounds, default: schema.get("default").cloned() })
}

/// What the schema of a field demands; what it does not name, or names in another way than MCP, demands nothing.
fn bounds(kind: &FieldKind, schema: &Value) -> Option<AnswerBounds> {
    let count = |name: &str| u32::try_from(schema.get(name)?.as_u64()?).ok();
    let limit = |name: &str, exclusive| Some(NumberLimit { value: schema.get(name)?.as_f64()?, exclusive });
    match kind {
        FieldKind::One(_) | FieldKind::YesOrNo => None,
        FieldKind::Several(_) => {
            let (min, max) = (count("minItems").filter(|least| *least > 0), count("maxItems"));
            (min.is_some() || max.is_some()).then_some(AnswerBounds::Options { min, max })
        }
        FieldKind::Text => {
            let (min, max) = (count("minLength").filter(|least| *least > 0), count("maxLength"));
            let format = text(schema, "format").and_then(|format| match format {
                "email" => Some(TextFormat::Email),
                "uri" => Some(TextFormat::Uri),
                "date" => Some(TextFormat::Date),
                "date-time" => Some(TextFormat::DateTime),
                _ => None,
            });
            let is_bounded = min.is_some() || max.is_some() || format.is_some();
            is_bounded.then_some(AnswerBounds::Text { min, max, format })
        }
        FieldKind::Number => Some(AnswerBounds::Number {
            whole: text(schema, "type") == Some("integer"),
            min: limit("exclusiveMinimum", true).or_else(|| limit("minimum", false)),
            max: limit("exclusiveMaximum", true).or_else(|| limit("maximum", false)),
        }),
    }
}

/// The values to choose from, and what they are called.
fn choices(schema: &Value, titled: &str) -> Option<(Vec<Value>, Vec<RawOption>)> {
    let titled = list(schema, titled);
    let plain = list(schema, "enum");
    let names = list(schema, "enumNames");
    let pairs: Vec<(Value, String)> = if titled.is_empty() {
        let name = |(place, value): (usize, &Value)| {
            let name = names.get(place).or(Some(value)).and_then(Value::as_str)?;
            Some((value.clone(), name.to_owned()))
        };
        plain.iter().enumerate().filter_map(name).collect()
    } else {
        let option = |option: &Value| {
            let value = option.get("const")?;
            let name = text(option, "title").or_else(|| value.as_str())?;
            Some((value.clone(), name.to_owned()))
        };
        titled.iter().filter_map(option).collect()
    };
    // An option that cannot be shown must not vanish.
    let complete = !pairs.is_empty() && pairs.len() == titled.len().max(plain.len());
    complete.then(|| pairs.into_iter().map(|(value, name)| (value, RawOption::new(&name))).unzip())
}

fn draft(
    text: String,
    header: Option<String>,
    kind: QuestionKind,
    options: Vec<RawOption>,
    required: bool,
) -> RawQuestion {
    RawQuestion { text, header, kind, options, required, placeholder: None }
}

/// Turns the fields into questions that can be shown. A choice of a form allows nothing else.
pub(crate) fn accept(fields: &[Field]) -> Result<Vec<Question>, Refusal> {
    let drafts: Vec<RawQuestion> = fields.iter().map(|field| field.draft.clone()).collect();
    let mut questions = question_input::accept(&drafts, QuestionLimits::FOREIGN)?;
    for (question, field) in questions.iter_mut().zip(fields) {
        if question.options.len() < field.draft.options.len() {
            return Err(Refusal::new("requestedSchema", "an option called Other can't be shown"));
        }
        question.allows_other = false;
        question.bounds.clone_from(&field.bounds);
        question.default = field.default_answer(question.id);
    }
    Ok(questions)
}

/// How an elicitation ended, as MCP has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ElicitationEnd {
    pub(crate) action: &'static str,
    /// The values; only where they were given.
    pub(crate) content: Option<Value>,
}

impl ElicitationEnd {
    /// Refused by the user, or nothing that can be shown.
    pub(crate) const DECLINED: Self = Self { action: "decline", content: None };
    /// Over without a decision.
    pub(crate) const CANCELED: Self = Self { action: "cancel", content: None };

    pub(crate) fn of(
        fields: &[Field],
        questions: &[Question],
        outcome: &Outcome,
    ) -> Result<Self, EncodeError> {
        match outcome {
            Outcome::Answered { answers } => Ok(answered(fields, questions, answers)),
            Outcome::Declined { .. } => Ok(Self::DECLINED),
            // Nobody refused it.
            Outcome::RepliedInChat { .. } | Outcome::Expired | Outcome::Withdrawn { .. } => {
                Ok(Self::CANCELED)
            }
            Outcome::Orphaned { .. } => Err(EncodeError::NothingToSend),
        }
    }
}

fn answered(fields: &[Field], questions: &[Question], answers: &Answers) -> ElicitationEnd {
    let mut content = Map::new();
    for (field, question) in fields.iter().zip(questions) {
        let Some(answer) = answers.to(question.id) else { continue };
        let value = field.value(question, answer);
        match (&field.name, value) {
            (Some(name), Some(value)) => {
                content.insert(name.clone(), value);
            }
            (None, Some(Value::Bool(false))) => return ElicitationEnd::DECLINED,
            _ => {}
        }
    }
    ElicitationEnd { action: "accept", content: Some(Value::Object(content)) }
}

impl Field {
    /// What the field is filled in with; none if that can't be shown as it is.
    fn default_answer(&self, question: QuestionId) -> Option<DefaultAnswer> {
        let default = self.default.as_ref()?;
        let place = |values: &[Value], value: &Value| values.iter().position(|known| known == value);
        let chosen = |places: Vec<usize>| {
            let chosen = places.into_iter().map(|place| question.option(place)).collect();
            DefaultAnswer { chosen, other: None }
        };
        let typed = |words: String| {
            let is_shown = !words.trim().is_empty() && words.len() <= USER_TEXT_BYTES;
            is_shown.then_some(DefaultAnswer { chosen: Vec::new(), other: Some(words) })
        };
        match &self.kind {
            FieldKind::One(values) => Some(chosen(vec![place(values, default)?])),
            FieldKind::Several(values) => {
                let mut places: Vec<usize> =
                    default.as_array()?.iter().map(|value| place(values, value)).collect::<Option<_>>()?;
                places.sort_unstable();
                places.dedup();
                (!places.is_empty()).then(|| chosen(places))
            }
            FieldKind::Text => typed(default.as_str()?.to_owned()),
            FieldKind::Number => default.is_number().then(|| typed(default.to_string()))?,
            FieldKind::YesOrNo => Some(chosen(vec![usize::from(!default.as_bool()?)])),
        }
    }

    /// The value that was given; none if there is none.
    fn value(&self, question: &Question, answer: &Answer) -> Option<Value> {
        let chosen = |values: &[Value]| -> Vec<Value> {
            let values = values.iter().enumerate();
            let chosen = values.filter(|(place, _)| answer.chosen.contains(&question.id.option(*place)));
            chosen.map(|(_, value)| value.clone()).collect()
        };
        match &self.kind {
            FieldKind::One(values) => chosen(values).pop(),
            FieldKind::Several(values) => Some(json!(chosen(values))),
            FieldKind::Text => answer.other.as_deref().map(|words| match question.bounds {
                // Space around it is no part of an address or a day.
                Some(AnswerBounds::Text { format: Some(_), .. }) => json!(words.trim()),
                _ => json!(words),
            }),
            FieldKind::Number => {
                answer.other.as_deref().and_then(TypedNumber::read).map(|number| match number {
                    TypedNumber::Whole(whole) => json!(whole),
                    TypedNumber::Real(real) => json!(real),
                })
            }
            FieldKind::YesOrNo => {
                let yes = answer.chosen.contains(&question.id.option(0));
                (!answer.chosen.is_empty()).then_some(json!(yes))
            }
        }
    }
}
