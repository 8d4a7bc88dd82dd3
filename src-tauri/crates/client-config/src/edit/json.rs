//! Edits of JSON with comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode,
};
use serde_json::{Map, Value};

use super::EditStep;
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

pub fn apply(text: &str, steps: &[EditStep<'_>]) -> Result<String, FileErrorKind> {
    let root = parse(text)?;
    let top = || root.object_value_or_create().ok_or(FileErrorKind::NotAnObject);
    for step in steps {
        match step {
            EditStep::Set(path, value) => set(&top()?, path, value)?,
            EditStep::Insert(list, index, value) => {
                list_at(top()?, list)?.insert(*index, to_cst(value));
            }
            EditStep::Remove(path) => member_at(&top()?, path).into_iter().for_each(CstObjectProp::remove),
            EditStep::RemoveIfEmpty(path) => {
                member_at(&top()?, path).filter(is_empty).into_iter().for_each(CstObjectProp::remove);
            }
            EditStep::RemoveElement(list, index) => remove_from(&list_at(top()?, list)?, *index),
            EditStep::RemoveItem(list, index, name, place) => {
                let element = list_at(top()?, list)?.elements().into_iter().nth(*index);
                let items = element.and_then(|element| element.as_object()?.array_value(name));
                items.into_iter().for_each(|items| remove_from(&items, *place));
            }
        }
    }
    Ok(root.to_string())
}

fn set(top: &CstObject, path: &[&str], value: &Value) -> Result<(), FileErrorKind> {
    let Some((name, objects)) = path.split_last() else { return Err(FileErrorKind::NotAnObject) };
    let object = object_at(top.clone(), objects)?;
    only_once(&object, path)?;
    match object.get(name) {
        Some(member) => member.set_value(to_cst(value)),
        None => {
            object.append(name, to_cst(value));
        }
    }
    Ok(())
}

fn remove_from(list: &CstArray, index: usize) {
    list.elements().into_iter().nth(index).into_iter().for_each(CstNode::remove);
}

fn member_at(top: &CstObject, path: &[&str]) -> Option<CstObjectProp> {
    let (name, objects) = path.split_last()?;
    objects.iter().try_fold(top.clone(), |object, name| object.object_value(name))?.get(name)
}

/// Tells whether an object or list has neither members nor comments.
fn is_empty(member: &CstObjectProp) -> bool {
    let is_blank = |child: &CstNode| child.is_token() || child.is_whitespace() || child.is_newline();
    member.value().is_some_and(|value| value.children().iter().all(is_blank))
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
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
        None => "nothing",
    };
    FileErrorKind::WrongType { path: path.join("."), is, wanted }
}

fn to_cst(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(to_cst).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), to_cst(value)));
            CstInputValue::Object(members.collect())
        }
    }
}

/// Returns the comments in a text, sorted.
pub fn comments(text: &str) -> Result<Vec<String>, FileErrorKind> {
    let mut comments = Vec::new();
    let mut nodes = vec![CstNode::Container(CstContainerNode::Root(parse(text)?))];
    while let Some(node) = nodes.pop() {
        comments.extend(node.as_comment().map(|comment| comment.raw_value()));
        nodes.extend(node.children());
    }
    comments.sort_unstable();
    Ok(comments)
}
