//! Whether a rule matches a call.
//!
//! A rule only ever denies a call or has the user asked, so in doubt it matches: a call that slips past a rule is worse than
//! one too many. Upper and lower case are the same, a command is matched wherever its words occur, and a path at any depth.
//! A rule compares texts. It isn't a sandbox: a command in a script, in a variable or behind a symbolic link is not seen.

use super::PermissionRule;
use super::text_pattern::fits;

/// A longer text matches every pattern, in bytes: comparing it would take too long.
const COMPARED_BYTES: usize = 64 * 1024;

/// What an agent wants to do, as rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionCall {
    /// Every name by which rules of the agent know the tool.
    pub tools: Vec<String>,
    /// They are never cut, because a rule could name what was cut off.
    pub arguments: Vec<CallArgument>,
}

/// An argument of a call, by how patterns for it are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallArgument {
    Command(String),
    /// A file or folder; a relative one is in the session's folder.
    Path(String),
    Address(String),
    Text(String),
    /// More than can be compared: every pattern fits.
    Uncompared,
}

/// What paths in calls and patterns are relative to.
#[derive(Clone, Copy, Debug)]
pub struct RuleContext<'a> {
    /// The folder of the session that makes the call.
    pub folder: &'a str,
    /// The folder of the repository that corresponds to it, if the session works in a worktree.
    pub origin: Option<&'a str>,
    /// The user's home folder, which patterns write as `~`.
    pub home: Option<&'a str>,
}

impl PermissionRule {
    /// Returns whether the rule applies to a call.
    pub fn matches(&self, call: &PermissionCall, context: RuleContext<'_>) -> bool {
        let tool = self.tool.to_lowercase();
        let in_reach = |folder: &String| {
            let folder = path_of(folder);
            let mut places = [Some(context.folder), context.origin].into_iter().flatten();
            places.any(|place| is_within(&folder, &path_of(place)))
        };
        self.folder.iter().all(in_reach)
            && call.tools.iter().any(|name| fits(&tool, &name.to_lowercase()))
            && self.argument.iter().all(|pattern| {
                let mut arguments = call.arguments.iter();
                arguments.any(|argument| argument.fits(pattern, context)) || fits(pattern, "")
            })
    }
}

impl CallArgument {
    fn fits(&self, pattern: &str, context: RuleContext<'_>) -> bool {
        let (Self::Command(text) | Self::Path(text) | Self::Address(text) | Self::Text(text)) = self else {
            return true;
        };
        if text.len() > COMPARED_BYTES {
            return true;
        }
        let (pattern, text) = (pattern.trim().to_lowercase(), text.to_lowercase());
        match self {
            Self::Command(_) => command_fits(&pattern, &text),
            Self::Path(_) => path_fits(&pattern, &text, context),
            Self::Address(_) => address_fits(&pattern, &text),
            Self::Text(_) => fits(&pattern, text.trim()),
            Self::Uncompared => true,
        }
    }
}

/// The words of the pattern may begin at any word of the command, and further words may follow: commands are joined by `&&`,
/// wrapped in `sudo` or `sh -c`, or given one more flag.
fn command_fits(pattern: &str, command: &str) -> bool {
    // What a quote separates from an option can be a command: `env -S"rm x"`.
    let mut commands = vec![words(command, ""), words(command, " ")];
    commands.dedup();
    let named: Vec<Vec<String>> = commands.iter().map(|command| with_program_names(command)).collect();
    // In the agents' notation, `:*` at the end stands for further words. It may also be meant as it is written.
    pattern.strip_suffix(":*").into_iter().chain([pattern]).any(|pattern| {
        let mut wanted = words(pattern, "");
        while wanted.last().is_some_and(|word| word == "*") {
            wanted.pop();
        }
        if wanted.is_empty() {
            return true;
        }
        let text = format!("*{}*", bordered(&wanted));
        let shortened = commands.iter().map(|command| by_program_names(command, &wanted));
        let mut readings = commands.iter().chain(&named).cloned().chain(shortened);
        readings.any(|command| fits(&text, &bordered(&command)))
    })
}

/// Gives each word its own space on both sides, so that a lone star also stands for no word.
fn bordered(words: &[String]) -> String {
    words.iter().map(|word| if word == "*" { word.clone() } else { format!(" {word} ") }).collect()
}

/// Splits a command into words as if every character that separates commands were a space, and every quote were `quote`.
fn words(command: &str, quote: &str) -> Vec<String> {
    let joined = command.replace("\\\r\n", "").replace("\\\n", "");
    let plain = joined.replace("$'", "'").replace("$\"", "\"").replace(['"', '\'', '\\'], quote);
    let separates = |letter: char| letter.is_whitespace() || "&;|()<>{}[]`$,=!".contains(letter);
    plain.split(separates).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Adds the last part of every path after it, because `/bin/rm` is `rm`.
fn with_program_names(command: &[String]) -> Vec<String> {
    let words = command.iter().flat_map(|word| {
        let name = program_name(word).filter(|name| name != word);
        std::iter::once(word.as_str()).chain(name)
    });
    words.map(str::to_owned).collect()
}

/// Shortens every path that the pattern doesn't name to its last part.
fn by_program_names(command: &[String], wanted: &[String]) -> Vec<String> {
    let is_named = |word: &str| wanted.iter().any(|it| it.contains('/') && fits(it, word));
    let words = command.iter().map(|word| program_name(word).filter(|_| !is_named(word)).unwrap_or(word));
    words.map(str::to_owned).collect()
}

fn program_name(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|name| !name.is_empty())
}

/// A pattern without a leading slash fits at any depth, and a folder fits everything in it. One with a leading slash begins
/// at the root of the disk or, as in the agents' notation, at the session's folder.
fn path_fits(pattern: &str, path: &str, context: RuleContext<'_>) -> bool {
    let folder = path_of(context.folder);
    let home = context.home.map(path_of).unwrap_or_default();
    let absolute = |path: &str| match path.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None if is_absolute(path) => path.to_owned(),
        None => format!("{folder}/{path}"),
    };
    let written = absolute(&path.replace('\\', "/"));
    let normal = path_of(&written);
    // A folder counts as what is in it, because a call may search it.
    let paths = [format!("{normal}/"), normal, written];
    let pattern = pattern.replace('\\', "/").replace("**", "*");
    let patterns = match pattern.strip_prefix("~/") {
        Some(rest) => vec![path_of(&format!("{home}/{rest}"))],
        None if pattern.starts_with("//") => vec![path_of(&pattern)],
        None if is_absolute(&pattern) => vec![path_of(&pattern), path_of(&format!("{folder}/{pattern}"))],
        None => vec![format!("*/{}", path_of(&pattern).trim_start_matches('/'))],
    };
    patterns.iter().any(|pattern| {
        let below = format!("{pattern}/*");
        paths.iter().any(|path| fits(pattern, path) || fits(&below, path))
    })
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

/// Writes a path with `/`, in lower case, and without `.`, `..` and repeated slashes.
fn path_of(path: &str) -> String {
    let path = path.to_lowercase().replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.get(1..2) == Some(":") { "" } else { "/" };
    format!("{root}{}", parts.join("/"))
}

fn is_within(folder: &str, path: &str) -> bool {
    path == folder
        || path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

/// A host in the pattern also stands for the hosts below it.
fn address_fits(pattern: &str, address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // Programs disagree about which of several `@` ends the user's name.
    let hosts = authority.split('@').map(|host| host.rsplit_once(':').map_or(host, |(host, _)| host));
    let wanted = pattern.strip_prefix("domain:").unwrap_or(pattern).trim_end_matches('.');
    let mut hosts = hosts.map(|host| host.trim_end_matches('.'));
    let below = format!("*.{wanted}");
    hosts.any(|host| fits(wanted, host) || fits(&below, host)) || fits(pattern, address)
}
