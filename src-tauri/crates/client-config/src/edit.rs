//! Edits of texts: text in, text out. Nothing here reads or writes a file.

mod json;
mod toml;

use serde_json::{Map, Value};

use crate::refusal::Why;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, where comments and trailing commas are let stand.
    Json,
    Toml,
}

#[derive(Clone, Debug)]
pub struct Piece {
    /// The names that lead to the object or list it stands in.
    pub path: &'static [&'static str],
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A name in an object. What else somebody wrote into its value stays.
    Member {
        name: &'static str,
        value: Map<String, Value>,
        /// Whether a value was written by us.
        ours: fn(&Value) -> bool,
    },
    Element {
        value: Value,
        /// Whether an element, or what stands inside of one, was written by us.
        ours: fn(&Value) -> bool,
        /// The list in such an element that holds what is ours, where somebody else's may stand beside it.
        inside: Option<&'static str>,
        /// Whether nobody else would write such an element.
        tells: bool,
    },
}

impl Piece {
    /// Finds it in what a file says.
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        let place = self.path.iter().try_fold(document, |value, name| value.get(name))?;
        match &self.kind {
            Kind::Member { name, .. } => place.get(name),
            kind => place.as_array()?.iter().find(|element| kind.own(element).is_some()),
        }
    }

    /// Tells whether what was found is proof that the desk was connected before.
    pub fn proves(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { ours, .. } => ours(found),
            Kind::Element { tells, .. } => *tells,
        }
    }

    /// Tells whether what was found is all that is wanted.
    pub fn holds(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { value, ours, .. } => ours(found) && covers(found, value),
            Kind::Element { value, .. } => {
                found == value || self.kind.alone(found).is_some_and(|found| found == *value)
            }
        }
    }

    /// Makes of it one that wants what was found.
    fn as_found(&self, found: &Value) -> Self {
        let kind = match (&self.kind, found) {
            (Kind::Member { name, ours, .. }, Value::Object(value)) => {
                Kind::Member { name, value: value.clone(), ours: *ours }
            }
            (Kind::Element { ours, inside, tells, .. }, value) => {
                let value = self.kind.alone(value).unwrap_or_else(|| value.clone());
                Kind::Element { value, ours: *ours, inside: *inside, tells: *tells }
            }
            (kind, _) => kind.clone(),
        };
        Self { path: self.path, kind }
    }

    /// Takes it out of what a file says, with the objects and lists that are empty without it.
    fn strip(&self, document: &mut Value) {
        strip_at(document, self.path, &self.kind);
    }
}

impl Kind {
    /// Finds what is ours in an element of a list.
    pub(crate) fn own<'a>(&self, element: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Element { ours, inside: Some(list), .. } => {
                element.get(list)?.as_array()?.iter().find(|it| ours(it))
            }
            Self::Element { ours, inside: None, .. } => ours(element).then_some(element),
            Self::Member { .. } => None,
        }
    }

    /// Makes of an element one that holds nothing but what is ours; none where it is all ours.
    fn alone(&self, element: &Value) -> Option<Value> {
        let Self::Element { inside: Some(list), .. } = self else { return None };
        let own = self.own(element)?.clone();
        let mut alone = element.clone();
        let held = alone.get_mut(list)?.as_array_mut()?;
        let shared = held.len() > 1;
        *held = vec![own];
        shared.then_some(alone)
    }
}

fn strip_at(place: &mut Value, path: &[&str], kind: &Kind) {
    match (path.split_first(), kind) {
        (Some((name, rest)), _) => {
            let Some(object) = place.as_object_mut() else { return };
            let Some(value) = object.get_mut(*name) else { return };
            strip_at(value, rest, kind);
            if is_empty(value) {
                object.shift_remove(*name);
            }
        }
        (None, Kind::Member { name, .. }) => {
            if let Some(object) = place.as_object_mut() {
                object.shift_remove(*name);
            }
        }
        (None, Kind::Element { ours, inside, .. }) => {
            let Some(list) = place.as_array_mut() else { return };
            list.retain_mut(|element| {
                let Some(inside) = inside else { return !ours(element) };
                let held = element.get_mut(*inside).and_then(Value::as_array_mut);
                held.is_none_or(|held| {
                    let before = held.len();
                    held.retain(|it| !ours(it));
                    held.len() == before || !held.is_empty()
                })
            });
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// Tells whether a value says all that is wanted, whatever else it says.
pub(crate) fn covers(found: &Value, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(name, wanted)| match (found.get(name), wanted) {
        (Some(found), Value::Object(wanted)) => covers(found, wanted),
        (found, wanted) => found == Some(wanted),
    })
}

/// Reads what a text says; of an empty one, nothing.
pub fn read(format: Format, text: &str) -> Result<Value, Why> {
    match format {
        Format::Json => json::read(without_mark(text).1),
        Format::Toml => toml::read(without_mark(text).1),
    }
}

/// Puts pieces into a text, or brings those that stand there up to date. All else stays as it stands.
pub fn put(format: Format, text: &str, pieces: &[Piece]) -> Result<String, Why> {
    let (mark, body) = without_mark(text);
    let said = read(format, body)?;
    if pieces.iter().all(|piece| piece.find(&said).is_some_and(|found| piece.holds(found))) {
        return Ok(text.to_owned());
    }
    let after = match format {
        Format::Json => json::put(body, pieces)?,
        Format::Toml => toml::put(body, pieces)?,
    };
    let says = read(format, &after).map_err(|_| Why::Unsafe)?;
    let all_there = pieces.iter().all(|piece| piece.find(&says).is_some_and(|found| piece.holds(found)));
    if !all_there || !same_but_for(pieces, &said, &says) {
        return Err(Why::Unsafe);
    }
    Ok(format!("{mark}{after}"))
}

/// Takes pieces out of a text that stood there as `before` when they were put in; none where there was no file.
/// Returns none where nothing is left and nothing was there.
pub fn take(
    format: Format,
    text: &str,
    pieces: &[Piece],
    before: Option<&str>,
) -> Result<Option<String>, Why> {
    let said = read(format, text)?;
    let found: Vec<Piece> =
        pieces.iter().filter_map(|piece| Some(piece.as_found(piece.find(&said)?))).collect();
    // Nobody has written anything since: what stood there comes back byte for byte.
    if put(format, before.unwrap_or_default(), &found).is_ok_and(|then| then == text) {
        return Ok(before.map(str::to_owned));
    }
    let (mark, body) = without_mark(text);
    let earlier = before.and_then(|before| read(format, before).ok());
    let earlier = earlier.unwrap_or(Value::Object(Map::new()));
    let after = match format {
        Format::Json => json::take(body, pieces, &earlier)?,
        Format::Toml => toml::take(body, pieces, &earlier)?,
    };
    let says = read(format, &after).map_err(|_| Why::Unsafe)?;
    if !same_but_for(pieces, &said, &says) {
        return Err(Why::Unsafe);
    }
    let nothing = is_empty(&says) && !after.contains("//") && !after.contains("/*") && !after.contains('#');
    Ok((before.is_some() || !nothing).then(|| format!("{mark}{after}")))
}

fn same_but_for(pieces: &[Piece], one: &Value, other: &Value) -> bool {
    let (mut one, mut other) = (one.clone(), other.clone());
    for piece in pieces {
        piece.strip(&mut one);
        piece.strip(&mut other);
    }
    one == other
}

/// Parts the mark that some editors write before everything else from a text.
fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}
