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

/// A piece is a member of an object, an element of a list, or a setting.
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
    /// A member of an object that the user may have set too. A value that is there stays.
    Setting { name: &'static str, value: Value },
}

/// The keys that lead to a place.
type Path<'a> = Vec<&'a str>;

/// A change of one place in a text.
#[derive(Clone, Debug, PartialEq)]
enum EditStep<'a> {
    /// Sets a member, in objects that are created if they are missing.
    Set(Path<'a>, Value),
    Remove(Path<'a>),
    /// Removes an object or list if nothing is left in it.
    RemoveIfEmpty(Path<'a>),
    /// Inserts an element into a list, which is created if it is missing.
    Insert(Path<'a>, usize, Value),
    RemoveElement(Path<'a>, usize),
    /// Removes an item of a list inside an element.
    RemoveItem(Path<'a>, usize, &'a str, usize),
}

impl Piece {
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        match &self.kind {
            Kind::Member { name, .. } | Kind::Setting { name, .. } => {
                value_at(document, self.path)?.get(name)
            }
            kind => self.elements(document).iter().find(|element| kind.own(element).is_some()),
        }
    }

    /// Returns the elements of the list that contains the piece.
    fn elements<'a>(&self, document: &'a Value) -> &'a [Value] {
        value_at(document, self.path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the steps that add the piece or update it.
    fn put(&self, document: &Value) -> Vec<EditStep<'_>> {
        let found = self.find(document);
        let mut steps = Vec::new();
        match &self.kind {
            Kind::Member { name, value, ours } => {
                let path = [self.path, &[*name]].concat();
                match found {
                    Some(entry @ Value::Object(found)) if ours(entry) => {
                        update(&path, found, value, &mut steps)
                    }
                    _ => steps.push(EditStep::Set(path, Value::Object(value.clone()))),
                }
            }
            Kind::Element { .. } | Kind::Setting { .. }
                if found.is_some_and(|it| self.is_satisfied_by(it)) => {}
            Kind::Setting { name, value } => {
                steps.push(EditStep::Set([self.path, &[*name]].concat(), value.clone()));
            }
            kind @ Kind::Element { value, .. } => {
                let elements = self.elements(document);
                let index = elements.iter().position(|element| kind.own(element).is_some());
                let before = index.unwrap_or(elements.len());
                steps.push(EditStep::Insert(self.path.to_vec(), before, value.clone()));
                if let Some(index) = index {
                    steps.extend(self.take_own(&elements[index], index + 1));
                }
            }
        }
        steps
    }

    /// Returns the steps that remove the piece, or restore what was there earlier. Objects and lists that are empty then, and
    /// weren't there earlier, are removed too.
    fn take(&self, document: &Value, earlier: &Value) -> Vec<EditStep<'_>> {
        let mut steps = Vec::new();
        match (&self.kind, self.find(earlier)) {
            (Kind::Member { name, .. }, earlier) => {
                let path = [self.path, &[*name]].concat();
                steps.push(match earlier {
                    Some(value) => EditStep::Set(path, value.clone()),
                    None => EditStep::Remove(path),
                });
            }
            // It was there before we connected, so it stays.
            (Kind::Element { .. } | Kind::Setting { .. }, Some(_)) => {}
            (Kind::Setting { name, .. }, None) => {
                steps.push(EditStep::Remove([self.path, &[*name]].concat()))
            }
            (kind @ Kind::Element { .. }, None) => {
                let elements = self.elements(document).iter().enumerate().rev();
                let own = elements.filter(|(_, element)| kind.own(element).is_some());
                steps.extend(own.flat_map(|(index, element)| self.take_own(element, index)));
            }
        }
        let paths = (1..=self.path.len()).rev().map(|end| &self.path[..end]);
        let made = paths.take_while(|path| value_at(earlier, path).is_none());
        steps.extend(made.map(|path| EditStep::RemoveIfEmpty(path.to_vec())));
        steps
    }

    /// Removes our items from an element, or the whole element if nothing else is in it.
    fn take_own(&self, element: &Value, index: usize) -> Vec<EditStep<'_>> {
        let Kind::Element { ours, inside, .. } = &self.kind else { return Vec::new() };
        let list = self.path.to_vec();
        let items = inside.and_then(|name| Some((name, element.get(name)?.as_array()?)));
        let Some((name, items)) = items.filter(|(_, items)| !items.iter().all(ours)) else {
            return vec![EditStep::RemoveElement(list, index)];
        };
        let own = items.iter().enumerate().rev().filter(|(_, item)| ours(item));
        own.map(|(place, _)| EditStep::RemoveItem(list.clone(), index, name, place)).collect()
    }

    /// Tells whether the value that was found proves that we connected this client.
    pub fn is_proof(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { ours, .. } => ours(found),
            Kind::Element { distinctive, .. } => *distinctive,
            Kind::Setting { .. } => false,
        }
    }

    /// Tells whether the value that was found is complete.
    pub fn is_satisfied_by(&self, found: &Value) -> bool {
        match &self.kind {
            Kind::Member { value, ours, .. } => ours(found) && covers(found, value),
            Kind::Element { value, .. } => {
                found == value || self.kind.alone(found).is_some_and(|found| found == *value)
            }
            Kind::Setting { .. } => true,
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
            (Kind::Setting { name, .. }, value) => Kind::Setting { name, value: value.clone() },
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
            Self::Member { .. } | Self::Setting { .. } => None,
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

/// Sets the fields that differ. Fields that others added stay.
fn update<'a>(
    path: &[&'a str],
    found: &Map<String, Value>,
    wanted: &'a Map<String, Value>,
    steps: &mut Vec<EditStep<'a>>,
) {
    for (name, value) in wanted {
        let path = [path, &[name.as_str()]].concat();
        match (found.get(name), value) {
            (Some(found), value) if found == value => {}
            (Some(Value::Object(found)), Value::Object(wanted)) => update(&path, found, wanted, steps),
            (_, value) => steps.push(EditStep::Set(path, value.clone())),
        }
    }
}

fn value_at<'a>(document: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(document, |value, name| value.get(name))
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
        (None, Kind::Member { name, .. } | Kind::Setting { name, .. }) => {
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
    let old = read(format, body)?;
    let all_there = |document: &Value| {
        pieces.iter().all(|piece| piece.find(document).is_some_and(|found| piece.is_satisfied_by(found)))
    };
    if all_there(&old) {
        return Ok(text.to_owned());
    }
    let steps: Vec<EditStep<'_>> = pieces.iter().flat_map(|piece| piece.put(&old)).collect();
    let after = apply(format, body, &steps)?;
    let new = read(format, &after).map_err(|_| FileErrorKind::Unsafe)?;
    let keeps_comments = format == Format::Toml || json::comments(body)? == json::comments(&after)?;
    if !all_there(&new) || !keeps_comments || !same_but_for(pieces, &old, &new) {
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
    let old = read(format, text)?;
    let found: Vec<Piece> =
        pieces.iter().filter_map(|piece| Some(piece.as_found(piece.find(&old)?))).collect();
    // If nothing else has changed since, the original text comes back byte for byte.
    if put(format, before.unwrap_or_default(), &found).is_ok_and(|then| then == text) {
        return Ok(before.map(str::to_owned));
    }
    let (mark, body) = without_mark(text);
    let earlier = before.and_then(|before| read(format, before).ok());
    let earlier = earlier.unwrap_or(Value::Object(Map::new()));
    let steps: Vec<EditStep<'_>> = pieces.iter().flat_map(|piece| piece.take(&old, &earlier)).collect();
    let after = apply(format, body, &steps)?;
    let new = read(format, &after).map_err(|_| FileErrorKind::Unsafe)?;
    if !same_but_for(pieces, &old, &new) {
        return Err(FileErrorKind::Unsafe);
    }
    let nothing = is_empty(&new) && !after.contains("//") && !after.contains("/*") && !after.contains('#');
    Ok((before.is_some() || !nothing).then(|| format!("{mark}{after}")))
}

/// Lists the texts of a list. A list that is missing is empty.
pub fn texts<'a>(document: &'a Value, list: &[&str]) -> impl Iterator<Item = &'a str> {
    let elements = value_at(document, list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    elements.iter().filter_map(Value::as_str)
}

/// Removes a text from a list, as often as it is in it. Everything else stays as it is, including a list that is empty then.
pub fn remove_text(
    format: Format,
    text: &str,
    list: &[&str],
    removed: &str,
) -> Result<String, FileErrorKind> {
    let (mark, body) = without_mark(text);
    let old = read(format, body)?;
    let elements = value_at(&old, list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let found = elements.iter().enumerate().rev().filter(|(_, element)| element.as_str() == Some(removed));
    let steps: Vec<EditStep<'_>> =
        found.map(|(place, _)| EditStep::RemoveElement(list.to_vec(), place)).collect();
    if steps.is_empty() {
        return Ok(text.to_owned());
    }
    let after = apply(format, body, &steps)?;
    let new = read(format, &after).map_err(|_| FileErrorKind::Unsafe)?;
    let mut expected = old.clone();
    let inner = list.iter().try_fold(&mut expected, |value, name| value.get_mut(*name));
    if let Some(elements) = inner.and_then(Value::as_array_mut) {
        elements.retain(|element| element.as_str() != Some(removed));
    }
    let keeps_comments = format == Format::Toml || json::comments(body)? == json::comments(&after)?;
    if new != expected || !keeps_comments {
        return Err(FileErrorKind::Unsafe);
    }
    Ok(format!("{mark}{after}"))
}

fn apply(format: Format, text: &str, steps: &[EditStep<'_>]) -> Result<String, FileErrorKind> {
    match format {
        Format::Json => json::apply(text, steps),
        Format::Toml => toml::apply(text, steps),
    }
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
