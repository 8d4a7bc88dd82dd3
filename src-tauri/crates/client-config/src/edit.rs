//! Edits of configuration text. These are pure functions and don't read or write files.

mod json;
mod toml;

use serde_json::{Map, Value};

use crate::error::FileErrorKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas.
    Json,
    Toml,
}

/// A piece of our entry in a file.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The keys that lead to the object or list that contains it.
    pub path: &'static [&'static str],
    pub kind: Kind,
}

/// A piece is a member of an object or an element of a list.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A member of an object. Fields of its value that others added stay.
    Member {
        name: &'static str,
        /// The fields its value needs.
        value: Map<String, Value>,
        ours: fn(&Value) -> bool,
    },
    Element {
        value: Value,
        /// Tells whether an element, or an item of its inner list, is ours.
        ours: fn(&Value) -> bool,
        /// The inner list that holds our item. It may hold other items too.
        inside: Option<&'static str>,
        /// Whether only we would write such an element.
        distinctive: bool,
    },
}

impl Piece {
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        let place = self.path.iter().try_fold(document, |value, name| value.get(name))?;
        match &self.kind {
            Kind::Member { name, .. } => place.get(name),
            kind => place.as_array()?.iter().find(|element| kind.own(element).is_some()),
        }
    }

    /// Tells whether the value that was found proves that we connected this client.
    pub fn is_proof(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { ours, .. } => ours(found),
            Kind::Element { distinctive, .. } => *distinctive,
        }
    }

    /// Tells whether the value that was found is complete.
    pub fn is_satisfied_by(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { value, ours, .. } => ours(found) && covers(found, value),
            Kind::Element { value, .. } => {
                found == value || self.kind.alone(found).is_some_and(|found| found == *value)
            }
        }
    }

    /// Returns a piece that wants exactly what was found.
    fn as_found(&self, found: &Value) -> Self {
        let kind = match (&self.kind, found) {
            (Kind::Member { name, ours, .. }, Value::Object(value)) => {
                Kind::Member { name, value: value.clone(), ours: *ours }
            }
            (Kind::Element { ours, inside, distinctive, .. }, value) => {
                let value = self.kind.alone(value).unwrap_or_else(|| value.clone());
                Kind::Element { value, ours: *ours, inside: *inside, distinctive: *distinctive }
            }
            (kind, _) => kind.clone(),
        };
        Self { path: self.path, kind }
    }

    /// Removes the piece from a document, with the objects and lists that are empty afterwards.
    fn strip(&self, document: &mut Value) {
        strip_at(document, self.path, &self.kind);
    }
}

impl Kind {
    /// Finds our item in an element.
    pub(crate) fn own<'a>(&self, element: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Element { ours, inside: Some(list), .. } => {
                element.get(list)?.as_array()?.iter().find(|it| ours(it))
            }
            Self::Element { ours, inside: None, .. } => ours(element).then_some(element),
            Self::Member { .. } => None,
        }
    }

    /// Reduces a shared element to our item. Returns `None` if nothing else is in it.
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

/// Tells whether a value has all fields that are wanted.
pub(crate) fn covers(found: &Value, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(name, wanted)| match (found.get(name), wanted) {
        (Some(found), Value::Object(wanted)) => covers(found, wanted),
        (found, wanted) => found == Some(wanted),
    })
}

/// Parses a text. An empty text is an empty object.
pub fn read(format: Format, text: &str) -> Result<Value, FileErrorKind> {
    match format {
        Format::Json => json::read(without_mark(text).1),
        Format::Toml => toml::read(without_mark(text).1),
    }
}

/// Adds pieces to a text or updates them. Everything else stays as it is.
pub fn put(format: Format, text: &str, pieces: &[Piece]) -> Result<String, FileErrorKind> {
    let (mark, body) = without_mark(text);
    let said = read(format, body)?;
    if pieces.iter().all(|piece| piece.find(&said).is_some_and(|found| piece.is_satisfied_by(found))) {
        return Ok(text.to_owned());
    }
    let after = match format {
        Format::Json => json::put(body, pieces)?,
        Format::Toml => toml::put(body, pieces)?,
    };
    let says = read(format, &after).map_err(|_| FileErrorKind::Unsafe)?;
    let all_there =
        pieces.iter().all(|piece| piece.find(&says).is_some_and(|found| piece.is_satisfied_by(found)));
    if !all_there || !same_but_for(pieces, &said, &says) {
        return Err(FileErrorKind::Unsafe);
    }
    Ok(format!("{mark}{after}"))
}

/// Removes pieces from a text. `before` is the text before they were added, or `None` if there was no file. Returns `None`
/// if the
/// file should be removed.
pub fn take(
    format: Format,
    text: &str,
    pieces: &[Piece],
    before: Option<&str>,
) -> Result<Option<String>, FileErrorKind> {
    let said = read(format, text)?;
    let found: Vec<Piece> =
        pieces.iter().filter_map(|piece| Some(piece.as_found(piece.find(&said)?))).collect();
    // If nothing else has changed since, the original text comes back byte for byte.
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
    let says = read(format, &after).map_err(|_| FileErrorKind::Unsafe)?;
    if !same_but_for(pieces, &said, &says) {
        return Err(FileErrorKind::Unsafe);
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

/// Splits off a byte order mark.
fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}
