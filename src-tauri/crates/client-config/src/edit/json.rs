//! Edits of JSON with comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::{Kind, Piece};
use crate::error::FileErrorKind;

/// Clients write comments and trailing commas. Anything looser is more likely a mistake.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn parse(text: &str) -> Result<CstRootNode, FileErrorKind> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| {
        let at = format!("line {}, column {}", error.line_display(), error.column_display());
        FileErrorKind::Syntax { format: "JSON", error: format!("{at}: {}", error.kind()) }
    })
}

pub fn read(text: &str) -> Result<Value, FileErrorKind> {
    match parse(text)?.value() {
        None => Ok(Value::Object(Map::new())),
        Some(value) if value.as_object().is_some() => {
            value.to_serde_value().ok_or(FileErrorKind::NotAnObject)
        }
        Some(_) => Err(FileErrorKind::NotAnObject),
    }
}

pub fn put(text: &str, pieces: &[Piece]) -> Result<String, FileErrorKind> {
    let root = parse(text)?;
    let comments = comments_in(&root);
    for piece in pieces {
        let object = root.object_value_or_create().ok_or(FileErrorKind::NotAnObject)?;
        match &piece.kind {
            Kind::Member { name, value, ours } => {
                put_member(&object_at(object, piece.path)?, piece.path, name, value, *ours)?;
            }
            kind @ Kind::Element { value, .. } => {
                put_element(&list_at(object, piece.path)?, kind, value, piece)
            }
        }
    }
    if comments_in(&root) == comments { Ok(root.to_string()) } else { Err(FileErrorKind::Unsafe) }
}

pub fn take(text: &str, pieces: &[Piece], earlier: &Value) -> Result<String, FileErrorKind> {
    let root = parse(text)?;
    for piece in pieces {
        let Some(mut place) = root.value() else { continue };
        let mut way = Vec::new();
        for name in piece.path {
            let Some(value) = place.as_object().and_then(|object| object.get(name)?.value()) else { break };
            way.push(*name);
            place = value;
        }
        if way.len() < piece.path.len() {
            continue;
        }
        take_at(&place, &piece.kind, piece.find(earlier));
        leave_no_empty(&root, &way, earlier);
    }
    Ok(root.to_string())
}

fn take_at(place: &CstNode, kind: &Kind, earlier: Option<&Value>) {
    match kind {
        Kind::Member { name, .. } => {
            let Some(member) = place.as_object().and_then(|object| object.get(name)) else { return };
            match earlier {
                Some(value) => member.set_value(written(value)),
                None => member.remove(),
            }
        }
        // The element was there before we connected, so it stays.
        Kind::Element { .. } if earlier.is_some() => {}
        Kind::Element { .. } => {
            let elements = place.as_array().map(|list| list.elements()).unwrap_or_default();
            for element in elements {
                if element.to_serde_value().is_some_and(|value| kind.own(&value).is_some()) {
                    take_own(element, kind);
                }
            }
        }
    }
}

/// Removes our item from an element, or the whole element if nothing else is in it.
fn take_own(element: CstNode, kind: &Kind) {
    let Kind::Element { ours, inside, .. } = kind else { return };
    let held = inside.and_then(|list| element.as_object()?.array_value(list));
    let held = held.map(|list| list.elements()).unwrap_or_default();
    let is_ours = |it: &CstNode| it.to_serde_value().is_some_and(|value| ours(&value));
    if held.iter().all(is_ours) {
        element.remove();
    } else {
        held.into_iter().filter(is_ours).for_each(CstNode::remove);
    }
}

/// Removes containers along a path that are empty and weren't there before, starting with the innermost.
fn leave_no_empty(root: &CstRootNode, way: &[&str], earlier: &Value) {
    for end in (1..=way.len()).rev() {
        let there = way[..end].iter().try_fold(earlier, |value, name| value.get(name)).is_some();
        let Some(object) = root.object_value() else { return };
        let parents = &way[..end - 1];
        let parent = parents.iter().try_fold(object, |object, name| object.object_value(name));
        let Some(member) = parent.and_then(|parent| parent.get(way[end - 1])) else { return };
        let is_empty = member.value().is_some_and(|value| {
            value
                .children()
                .iter()
                .all(|child| child.is_token() || child.is_whitespace() || child.is_newline())
        });
        if there || !is_empty {
            return;
        }
        member.remove();
    }
}

/// Finds the object at a path, and creates it if it is missing.
fn object_at(root: CstObject, path: &[&str]) -> Result<CstObject, FileErrorKind> {
    let mut object = root;
    for (n, name) in path.iter().enumerate() {
        let so_far = &path[..=n];
        only_once(&object, so_far)?;
        let made = object.object_value_or_create(name);
        let Some(inner) = made else { return Err(no_place(&object, so_far, "an object")) };
        object = inner;
    }
    Ok(object)
}

fn list_at(root: CstObject, path: &[&str]) -> Result<CstArray, FileErrorKind> {
    let Some((name, objects)) = path.split_last() else { return Err(FileErrorKind::NotAnObject) };
    let object = object_at(root, objects)?;
    only_once(&object, path)?;
    object.array_value_or_create(name).ok_or_else(|| no_place(&object, path, "a list"))
}

fn only_once(object: &CstObject, path: &[&str]) -> Result<(), FileErrorKind> {
    let named = |name: &&str| {
        let properties = object.properties();
        properties.iter().filter(|it| it.decoded_name().as_deref() == Some(*name)).count()
    };
    match path.last() {
        Some(name) if named(name) > 1 => Err(FileErrorKind::Duplicate { path: path.join(".") }),
        _ => Ok(()),
    }
}

fn no_place(object: &CstObject, path: &[&str], wanted: &'static str) -> FileErrorKind {
    let value = path.last().and_then(|name| object.get(name)?.value()?.to_serde_value());
    let is = match value {
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
        None => "nothing",
    };
    FileErrorKind::WrongType { path: path.join("."), is, wanted }
}

fn put_member(
    object: &CstObject,
    path: &[&str],
    name: &str,
    wanted: &Map<String, Value>,
    ours: fn(&Value) -> bool,
) -> Result<(), FileErrorKind> {
    only_once(object, &[path, &[name]].concat())?;
    let value = Value::Object(wanted.clone());
    match object.get(name) {
        None => {
            object.append(name, written(&value));
        }
        Some(member) => match member.object_value() {
            Some(inner) if inner.to_serde_value().is_some_and(|it| ours(&it)) => {
                bring_up_to_date(&inner, wanted)
            }
            _ => member.set_value(written(&value)),
        },
    }
    Ok(())
}

/// Sets the fields that differ. Fields and comments that others added stay.
fn bring_up_to_date(object: &CstObject, wanted: &Map<String, Value>) {
    for (name, value) in wanted {
        let Some(member) = object.get(name) else {
            object.append(name, written(value));
            continue;
        };
        match (member.object_value(), value) {
            (Some(inner), Value::Object(wanted)) => bring_up_to_date(&inner, wanted),
            _ if member.value().and_then(|it| it.to_serde_value()).as_ref() == Some(value) => {}
            _ => member.set_value(written(value)),
        }
    }
}

fn put_element(list: &CstArray, kind: &Kind, value: &Value, piece: &Piece) {
    let elements = list.elements().into_iter().enumerate();
    let said = elements.filter_map(|(index, element)| Some((index, element.to_serde_value()?, element)));
    let mut found = said.filter(|(_, said, _)| kind.own(said).is_some());
    match found.next() {
        None => {
            list.append(written(value));
        }
        Some((_, said, _)) if piece.is_satisfied_by(&said) => {}
        Some((index, _, element)) => {
            list.insert(index, written(value));
            take_own(element, kind);
        }
    }
}

fn written(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(written).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), written(value)));
            CstInputValue::Object(members.collect())
        }
    }
}

fn comments_in(root: &CstRootNode) -> Vec<String> {
    let mut comments = Vec::new();
    let mut nodes = vec![CstNode::Container(CstContainerNode::Root(root.clone()))];
    while let Some(node) = nodes.pop() {
        comments.extend(node.as_comment().map(|comment| comment.raw_value()));
        nodes.extend(node.children());
    }
    comments.sort_unstable();
    comments
}
