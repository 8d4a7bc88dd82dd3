//! The changes that connect or disconnect a client: computed first, shown, and then applied all or nothing.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use askdesk_contract::{BACKGROUND_SETTING, Client};
use serde_json::Value;

use crate::edit::{self, Format, Kind, Piece};
use crate::entries::{self, ConfigEntry, Endpoint};
use crate::env::{ConfigPath, Env};
use crate::error::{FileError, FileErrorKind};
use crate::file::{self, FoundFile};
use crate::scope::Scope;
use crate::token::Token;

/// The changes for one client.
#[derive(Clone, Debug)]
pub struct Plan {
    pub client: Client,
    pub scope: Scope,
    /// The change of each file. Empty if everything is up to date.
    pub changes: Vec<Change>,
    /// What the user should know before applying it.
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug)]
pub struct Change {
    /// The file, by the path that the client uses.
    pub file: PathBuf,
    /// The text before the change, or `None` if there is no file.
    pub before: Option<String>,
    /// The text after it, or `None` if the file is removed.
    pub after: Option<String>,
    target: PathBuf,
    backup: Backup,
}

/// What happens to the backup beside a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Backup {
    Leave,
    Make { copy: PathBuf, over: Option<String> },
    Remove(PathBuf),
}

/// What a user should know about a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    #[error("{} will contain the token; keep it out of version control", .0.display())]
    TokenInProject(PathBuf),
    #[error("other users of this computer may be able to read {}, including the token", .0.display())]
    OpenToOthers(PathBuf),
    /// The file has changed since the client was connected, so only our entry is removed.
    #[error("{} has changed since it was connected, so only Askdesk's entry is removed; the earlier version stays in {}", file.display(), backup.display())]
    ChangedSince {
        file: PathBuf,
        /// The backup with the original text.
        backup: PathBuf,
    },
    #[error("{} already has a handwritten entry that runs `askdesk mcp`; this one replaces it", .0.display())]
    ByHand(PathBuf),
    #[error("{} is left from an earlier connection and will be deleted; copy it elsewhere first if you need it", .0.display())]
    OldCopy(PathBuf),
    #[error("{} has no project settings; leave out --scope project", .0.name())]
    NoProject(Client),
    /// The client ignores a project's file until the user trusts the folder.
    #[error("{} uses this file only in folders you trust", .0.name())]
    NeedsTrust(Client),
    /// A setting that concerns other servers too is added.
    #[error(
        "in a terminal, {} moves a call to the background after two minutes and may not take the answer as yours; \
         {BACKGROUND_SETTING}=0 turns that off for all its MCP servers", .0.name()
    )]
    NoBackground(Client),
}

/// Computes what connecting a client changes.
pub fn connect(client: Client, scope: Scope, env: &Env, endpoint: &Endpoint) -> Result<Plan, FileError> {
    let entries = entries::entries(client, scope, env, endpoint);
    let mut plan = Plan::new(client, scope, &entries);
    for entry in &entries {
        let place = place_of(entry)?;
        plan.put(entry, place).map_err(|why| why.of(&place.path))?;
    }
    if scope == Scope::Project && !plan.changes.is_empty() {
        let needs_trust = matches!(client, Client::ClaudeCode | Client::Codex | Client::GeminiCli);
        plan.notes.extend(needs_trust.then_some(Note::NeedsTrust(client)));
    }
    Ok(plan)
}

/// Computes what disconnecting a client changes.
pub fn disconnect(client: Client, scope: Scope, env: &Env) -> Result<Plan, FileError> {
    let entries = entries_anywhere(client, scope, env);
    let mut plan = Plan::new(client, scope, &entries);
    let connected = entries.iter().any(is_connected);
    for entry in entries.iter().filter(|_| connected) {
        for place in &entry.files {
            plan.take(entry, place).map_err(|why| why.of(&place.path))?;
        }
    }
    Ok(plan)
}

/// Returns a client's entries for reading, where the endpoint doesn't matter.
pub(crate) fn entries_anywhere(client: Client, scope: Scope, env: &Env) -> Vec<ConfigEntry> {
    let command = Some(String::new());
    let endpoint = Endpoint { port: 0, token: Token::placeholder(), command, ask_by_command: false };
    entries::entries(client, scope, env, &endpoint)
}

/// Chooses among alternative files: the one that has the entry, else one that exists, else the last.
fn place_of(entry: &ConfigEntry) -> Result<&ConfigPath, FileError> {
    let mut there = None;
    for place in &entry.files {
        let found = FoundFile::read(place, entry.format).map_err(|why| why.of(&place.path))?;
        if entry.pieces.iter().any(|piece| piece.find(&found.document).is_some()) {
            return Ok(place);
        }
        there = there.or(found.text.map(|_| place));
    }
    let last = || entry.files.last().ok_or_else(|| FileErrorKind::NotAFile.of(PathBuf::new()));
    there.map_or_else(last, Ok)
}

/// Tells whether an entry contains something that only connecting puts there. If a file can't be read, the answer is yes.
fn is_connected(entry: &ConfigEntry) -> bool {
    entry.files.iter().any(|place| match FoundFile::read(place, entry.format) {
        Ok(found) => has_proof(entry, &found.document),
        Err(_) => true,
    })
}

fn has_proof(entry: &ConfigEntry, document: &Value) -> bool {
    entry.pieces.iter().any(|piece| piece.find(document).is_some_and(|found| piece.is_proof(found)))
}

impl Plan {
    fn new(client: Client, scope: Scope, entries: &[ConfigEntry]) -> Self {
        let no_project = entries.is_empty().then_some(Note::NoProject(client));
        Self { client, scope, changes: Vec::new(), notes: no_project.into_iter().collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn put(&mut self, entry: &ConfigEntry, place: &ConfigPath) -> Result<(), FileErrorKind> {
        let found = FoundFile::read(place, entry.format)?;
        let before = found.text.as_deref().unwrap_or_default();
        let after = edit::put(entry.format, before, &entry.pieces)?;
        if after == before {
            return Ok(());
        }
        found.check_writable()?;
        // The text before the first connection is the one to restore.
        let connected = has_proof(entry, &found.document);
        let by_hand = |piece: &Piece| piece.find(&found.document).is_some_and(entries::is_by_hand);
        self.notes.extend(entry.pieces.iter().any(by_hand).then(|| Note::ByHand(found.file.clone())));
        let adds = |it: &Piece| matches!(it.kind, Kind::Setting { .. }) && it.find(&found.document).is_none();
        self.notes.extend(entry.pieces.iter().any(adds).then_some(Note::NoBackground(self.client)));
        let backup = if connected { Backup::Leave } else { self.copy_of(&found)? };
        if self.scope == Scope::Project {
            self.notes.push(Note::TokenInProject(found.file.clone()));
        } else if found.is_open_to_others() {
            self.notes.push(Note::OpenToOthers(found.file.clone()));
        }
        let FoundFile { file, target, text, .. } = found;
        self.changes.push(Change { file, before: text, after: Some(after), target, backup });
        Ok(())
    }

    /// Decides what to back up of a file without our entry. An older backup is outdated: disconnecting would restore it.
    fn copy_of(&mut self, found: &FoundFile) -> Result<Backup, FileErrorKind> {
        let (copy, over) = (found.backup(), found.backup_text()?);
        if over.is_some() && over != found.text {
            self.notes.push(Note::OldCopy(copy.clone()));
        }
        Ok(match (&found.text, &over) {
            (Some(_), _) => Backup::Make { copy, over },
            (None, Some(_)) => Backup::Remove(copy),
            (None, None) => Backup::Leave,
        })
    }

    fn take(&mut self, entry: &ConfigEntry, place: &ConfigPath) -> Result<(), FileErrorKind> {
        let found = FoundFile::read(place, entry.format)?;
        let Some(text) = &found.text else { return Ok(()) };
        let ours = |piece: &&Piece| {
            let is_ours = |found: &Value| match &piece.kind {
                Kind::Element { .. } => true,
                Kind::Member { .. } => piece.is_proof(found),
                // A value that the user has chosen since stays.
                Kind::Setting { value, .. } => found == value,
            };
            piece.find(&found.document).is_some_and(is_ours)
        };
        let pieces: Vec<Piece> = entry.pieces.iter().filter(ours).cloned().collect();
        if pieces.is_empty() {
            return Ok(());
        }
        let before = found.backup_text()?;
        let after = edit::take(entry.format, text, &pieces, before.as_deref())?;
        if after.as_ref() == Some(text) {
            return Ok(());
        }
        found.check_writable()?;
        let backup = found.backup();
        let restored = after == before;
        let backup = match before {
            Some(_) if restored => Backup::Remove(backup),
            Some(_) => {
                self.notes.push(Note::ChangedSince { file: found.file.clone(), backup });
                Backup::Leave
            }
            None => Backup::Leave,
        };
        let FoundFile { file, target, text, .. } = found;
        self.changes.push(Change { file, before: text, after, target, backup });
        Ok(())
    }

    /// Applies all changes, and returns the backups that were made. If a file can't be written, the changes before it are undone.
    pub fn apply(&self) -> Result<Vec<PathBuf>, FileError> {
        for change in &self.changes {
            file::check_unchanged(&change.target, change.before.as_deref())
                .map_err(|why| why.of(&change.file))?;
        }
        let mut begun = Vec::new();
        for change in &self.changes {
            let like = fs::metadata(&change.target).ok();
            let applied = change.apply(like.as_ref());
            begun.push((change, like));
            if let Err(why) = applied {
                begun.iter().rev().for_each(|(change, like)| change.undo(like.as_ref()));
                return Err(why.of(&change.file));
            }
        }
        for change in &self.changes {
            if let Backup::Remove(backup) = &change.backup {
                // A backup that stays does no harm: the next connection replaces it.
                let _ = file::remove(backup);
            }
        }
        let removed = self.changes.iter().filter(|it| it.after.is_none());
        for folder in removed.filter(|_| self.scope == Scope::Project).filter_map(|it| it.target.parent()) {
            // The system refuses this if the folder isn't empty.
            let _ = fs::remove_dir(folder);
        }
        Ok(self.changes.iter().filter_map(Change::copy).map(Path::to_owned).collect())
    }
}

impl Change {
    /// Plans the removal of a text from a list of a JSON file. Returns `None` if it isn't there.
    pub fn remove_text(place: &ConfigPath, list: &[&str], removed: &str) -> Result<Option<Self>, FileError> {
        let plan = || {
            let found = FoundFile::read(place, Format::Json)?;
            let Some(before) = found.text.clone() else { return Ok(None) };
            let after = edit::remove_text(Format::Json, &before, list, removed)?;
            if after == before {
                return Ok(None);
            }
            found.check_writable()?;
            let FoundFile { file, target, .. } = found;
            Ok(Some(Self { file, before: Some(before), after: Some(after), target, backup: Backup::Leave }))
        };
        plan().map_err(|why: FileErrorKind| why.of(&place.path))
    }

    /// Applies this change alone, unless the file has changed since it was planned.
    pub fn carry_out(&self) -> Result<(), FileError> {
        let apply = || {
            file::check_unchanged(&self.target, self.before.as_deref())?;
            self.apply(fs::metadata(&self.target).ok().as_ref())
        };
        apply().map_err(|why: FileErrorKind| why.of(&self.file))
    }

    /// Returns the path of the backup, if one is made.
    pub fn copy(&self) -> Option<&Path> {
        match &self.backup {
            Backup::Make { copy, .. } => Some(copy),
            Backup::Leave | Backup::Remove(_) => None,
        }
    }

    fn apply(&self, like: Option<&Metadata>) -> Result<(), FileErrorKind> {
        if let (Backup::Make { copy, over }, Some(before)) = (&self.backup, &self.before) {
            file::replace(copy, Some(before), like, over.as_deref())?;
        }
        file::replace(&self.target, self.after.as_deref(), like, self.before.as_deref())
    }

    /// Undoes the change, unless another program has changed the file since. If that fails, the backup stays.
    fn undo(&self, like: Option<&Metadata>) {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let _ = file::replace(&self.target, before, like, after);
        let Backup::Make { copy, over } = &self.backup else { return };
        if file::check_unchanged(&self.target, after) == Err(FileErrorKind::Changed) {
            let _ = file::replace(copy, over.as_deref(), like, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn undo_restores_the_text_and_mode_unless_the_file_changed_since() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("mcp.json");
        let check = |after: Option<&str>, since: Option<&str>, expected: &str| {
            fs::write(&target, "before").unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
            let (before, after) = (Some("before".to_owned()), after.map(str::to_owned));
            let file = target.clone();
            let change = Change { file, before, after, target: target.clone(), backup: Backup::Leave };
            let like = fs::metadata(&target).ok();
            change.apply(like.as_ref()).unwrap();
            if let Some(since) = since {
                fs::write(&target, since).unwrap();
            }
            change.undo(like.as_ref());
            assert_eq!(fs::read_to_string(&target).unwrap(), expected);
            if since.is_none() {
                assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
            }
        };
        check(Some("after"), None, "before");
        check(Some("after"), Some("theirs"), "theirs");
        check(None, None, "before");
        check(None, Some("theirs"), "theirs");
    }
}
