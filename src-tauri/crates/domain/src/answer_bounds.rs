//! What a form demands of an answer besides its kind. The page checks the same while the user types; both are held by the
//! table `answer_bounds.json`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::OptionId;

/// What the answer to a question must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "bounds", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AnswerBounds {
    Number {
        whole: bool,
        min: Option<NumberLimit>,
        max: Option<NumberLimit>,
    },
    Text {
        /// The fewest characters.
        min: Option<u32>,
        /// The most characters.
        max: Option<u32>,
        format: Option<TextFormat>,
    },
    /// How many options must be chosen.
    Options {
        min: Option<u32>,
        max: Option<u32>,
    },
}

/// The least or the greatest number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NumberLimit {
    pub value: f64,
    /// Whether the number itself is no longer allowed.
    pub exclusive: bool,
}

/// JSON has no number that differs from itself.
impl Eq for NumberLimit {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

/// What a form is filled in with before the user touches it. Only the card uses it: nothing sends it unseen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DefaultAnswer {
    pub chosen: Vec<OptionId>,
    pub other: Option<String>,
}

/// A number that was typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypedNumber {
    Whole(i64),
    Real(f64),
}

impl TypedNumber {
    /// Reads a number as JSON writes it.
    pub fn read(words: &str) -> Option<Self> {
        let words = words.trim();
        let is_number = words.chars().any(|letter| letter.is_ascii_digit())
            && words.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
        let value = words.parse::<f64>().ok().filter(|value| is_number && value.is_finite())?;
        if let Ok(whole) = words.parse() {
            return Some(Self::Whole(whole));
        }
        // 3.0 is a whole number.
        let is_exact = value.fract() == 0.0 && value.abs() <= MOST_EXACT;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
        Some(if is_exact { Self::Whole(value as i64) } else { Self::Real(value) })
    }

    #[expect(clippy::cast_precision_loss, reason = "bounds are as exact as JSON's numbers")]
    fn value(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }
}

/// Up to here each whole number has a value of its own.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

impl AnswerBounds {
    /// Returns whether an answer keeps to them.
    pub fn allow(&self, chosen: usize, other: Option<&str>) -> bool {
        match self {
            Self::Options { min, max } => within(chosen, *min, *max),
            Self::Number { whole, min, max } => other.is_none_or(|words| {
                TypedNumber::read(words).is_some_and(|number| {
                    let value = number.value();
                    let is_kind = !whole || value.fract() == 0.0;
                    let above = |min: &NumberLimit| value > min.value || !min.exclusive && value == min.value;
                    let below = |max: &NumberLimit| value < max.value || !max.exclusive && value == max.value;
                    is_kind && min.as_ref().is_none_or(above) && max.as_ref().is_none_or(below)
                })
            }),
            Self::Text { min, max, format } => other.is_none_or(|words| {
                within(words.chars().count(), *min, *max) && format.is_none_or(|format| format.fits(words))
            }),
        }
    }
}

fn within(count: usize, min: Option<u32>, max: Option<u32>) -> bool {
    min.is_none_or(|min| count >= min as usize) && max.is_none_or(|max| count <= max as usize)
}

impl TextFormat {
    fn fits(self, words: &str) -> bool {
        let words = words.trim();
        match self {
            Self::Email => is_email(words),
            Self::Uri => is_uri(words),
            Self::Date => is_date(words),
            Self::DateTime => {
                words.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
            }
        }
    }
}

fn is_email(words: &str) -> bool {
    let Some((name, host)) = words.split_once('@') else { return false };
    let is_part = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    is_part(name) && host.split('.').all(is_part)
}

fn is_uri(words: &str) -> bool {
    let Some((scheme, rest)) = words.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    is_scheme && !rest.is_empty() && !rest.contains(char::is_whitespace)
}

/// Reads a number of exactly so many digits.
fn digits(part: Option<&str>, count: usize) -> Option<u32> {
    let part = part.filter(|part| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit()))?;
    part.parse().ok()
}

fn is_date(words: &str) -> bool {
    let mut parts = words.split('-');
    let (year, month, day) = (digits(parts.next(), 4), digits(parts.next(), 2), digits(parts.next(), 2));
    let (Some(year), Some(month), Some(day), None) = (year, month, day, parts.next()) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The time of RFC 3339, with its zone.
fn is_time(words: &str) -> bool {
    let zoned = match words.strip_suffix(['Z', 'z']) {
        Some(time) => Some((time, true)),
        None => words.rfind(['+', '-']).map(|place| {
            let (hour, minute) = words[place + 1..].split_once(':').unwrap_or_default();
            let fits = digits(Some(hour), 2).is_some_and(|hour| hour < 24)
                && digits(Some(minute), 2).is_some_and(|minute| minute < 60);
            (&words[..place], fits)
        }),
    };
    let Some((time, true)) = zoned else { return false };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':').map(|part| digits(Some(part), 2));
    let fits = |part: Option<Option<u32>>, most: u32| part.flatten().is_some_and(|value| value <= most);
    fits(parts.next(), 23)
        && fits(parts.next(), 59)
        && fits(parts.next(), 60)
        && parts.next().is_none()
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the answer must be, for agents and terminals: `a whole number (at least 2, at most 9)`.
impl fmt::Display for AnswerBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, min, max) = match self {
            Self::Number { whole, min, max } => {
                let what = if *whole { "a whole number" } else { "a number" };
                let limit = |limit: &NumberLimit, inclusive: &str, exclusive: &str| {
                    format!("{} {}", if limit.exclusive { exclusive } else { inclusive }, limit.value)
                };
                let min = min.as_ref().map(|min| limit(min, "at least", "more than"));
                (what, min, max.as_ref().map(|max| limit(max, "at most", "less than")))
            }
            Self::Text { min, max, format } => {
                let what = match format {
                    Some(TextFormat::Email) => "an email address",
                    Some(TextFormat::Uri) => "a URI, like https://example.org",
                    Some(TextFormat::Date) => "a date, like 2026-04-30",
                    Some(TextFormat::DateTime) => "a date and time, like 2026-04-30T09:00:00Z",
                    None => "a text",
                };
                let count = |limit: &'static str| move |count: &u32| format!("{limit} {count} characters");
                (what, min.as_ref().map(count("at least")), max.as_ref().map(count("at most")))
            }
            Self::Options { min, max } => {
                let min = min.map(|min| format!("at least {min}"));
                ("a choice of options", min, max.map(|max| format!("at most {max}")))
            }
        };
        let limits: Vec<String> = min.into_iter().chain(max).collect();
        match limits.as_slice() {
            [] => f.write_str(what),
            limits => write!(f, "{what} ({})", limits.join(", ")),
        }
    }
}
