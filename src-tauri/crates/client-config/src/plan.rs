//! What connecting or disconnecting a client changes: found out first, shown, and then done as a whole or not at all.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::client::{Client, Scope};
use crate::desk::Token;
use crate::edit::{self, Kind, Piece};
use crate::file::{self, Found};
use crate::refusal::{Refusal, Why};
use crate::surroundings::{Place, Surroundings};
use crate::table::{self, Door, Spot};

/// What changes for one client.
#[derive(Clone, Debug)]
pub struct Plan {
    pub client: Client,
    pub scope: Scope,
    /// What changes in which file; nothing where all stands already.
    pub changes: Vec<Change>,
    /// What the person should know.
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug)]
pub struct Change {
    /// The file, as the client calls it.
    pub file: PathBuf,
    /// What it says; none where there is no file.
    pub before: Option<String>,
    /// What it will say; none where it goes.
    pub after: Option<String>,
    target: PathBuf,
    backup: Backup,
}

/// What becomes of the copy that is kept beside a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Backup {
    Leave,
    Make { copy: PathBuf, over: Option<String> },
    Remove(PathBuf),
}

/// What a person should know of a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// The token will stand in a file that is often shared.
    #[error("{}: the token will stand in this file; keep it out of version control", .0.display())]
    TokenInProject(PathBuf),
    /// The token will stand in a file that other people of this machine may read.
    #[error("{}: other people of this machine may read this file, and so the token", .0.display())]
    OpenToOthers(PathBuf),
    /// Something else was written since the client was connected, so only the entry goes.
    #[error("{}: changed since it was connected, so only the entry of Askdesk is taken out; the file as it was before stays in {}", file.display(), backup.display())]
    ChangedSince { file: PathBuf, backup: PathBuf },
    /// The person wrote an entry that leads to the desk already.
    #[error("{}: an entry that was written by hand starts `askdesk mcp` there; this one takes its place", .0.display())]
    ByHand(PathBuf),
    /// A copy that an earlier connection left is not what is wanted back.
    #[error("{}: this copy is of an earlier connection and goes; keep it elsewhere if you need it", .0.display())]
    OldCopy(PathBuf),
    /// The client has no files for this scope.
    #[error("{} has no file for a project; leave out --scope project", .0.name())]
    NoProject(Client),
    /// The client asks first before it follows a project's file.
    #[error("{} follows this file only in a folder that you have told it to trust", .0.name())]
    NeedsTrust(Client),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub files: Vec<PathBuf>,
    /// The copies that were made of them.
    pub backups: Vec<PathBuf>,
}

/// Finds out what connecting a client changes.
pub fn connect(client: Client, scope: Scope, around: &Surroundings, door: &Door) -> Result<Plan, Refusal> {
    let mut plan = Plan { client, scope, changes: Vec::new(), notes: Vec::new() };
    let spots = table::spots(client, scope, around, door);
    if spots.is_empty() {
        plan.notes.push(Note::NoProject(client));
    }
    for spot in &spots {
        let place = place_of(spot)?;
        plan.put(spot, place).map_err(|why| why.of(&place.path))?;
    }
    if scope == Scope::Project && !plan.changes.is_empty() {
        let needs_trust = matches!(client, Client::ClaudeCode | Client::Codex | Client::GeminiCli);
        plan.notes.extend(needs_trust.then_some(Note::NeedsTrust(client)));
    }
    Ok(plan)
}

/// Finds out what disconnecting a client changes.
pub fn disconnect(client: Client, scope: Scope, around: &Surroundings) -> Result<Plan, Refusal> {
    let mut plan = Plan { client, scope, changes: Vec::new(), notes: Vec::new() };
    let spots = spots_anywhere(client, scope, around);
    if spots.is_empty() {
        plan.notes.push(Note::NoProject(client));
    }
    let connected = spots.iter().any(shows);
    for spot in spots.iter().filter(|_| connected) {
        for place in &spot.files {
            plan.take(spot, place).map_err(|why| why.of(&place.path))?;
        }
    }
    Ok(plan)
}

/// The spots of a client where it does not matter what has to stand there.
pub(crate) fn spots_anywhere(client: Client, scope: Scope, around: &Surroundings) -> Vec<Spot> {
    let command = Some(String::new());
    let door = Door { port: 0, token: Token::to_come(), command, asks_by_command: false };
    table::spots(client, scope, around, &door)
}

/// The file of several that counts: one that has the entry, else one that is there, else the last.
fn place_of(spot: &Spot) -> Result<&Place, Refusal> {
    let mut there = None;
    for place in &spot.files {
        let found = Found::read(place).map_err(|why| why.of(&place.path))?;
        let Some(text) = found.text else { continue };
        let said = edit::read(spot.format, &text).map_err(|why| why.of(&place.path))?;
        if spot.pieces.iter().any(|piece| piece.find(&said).is_some()) {
            return Ok(place);
        }
        there = there.or(Some(place));
    }
    let last = || spot.files.last().ok_or_else(|| Why::NoFile.of(PathBuf::new()));
    there.map_or_else(last, Ok)
}

/// Tells whether something stands in a spot that only connecting puts there, or nobody can say.
fn shows(spot: &Spot) -> bool {
    let shows = |place| -> Result<bool, Why> {
        let Some(text) = Found::read(place)?.text else { return Ok(false) };
        let said = edit::read(spot.format, &text)?;
        Ok(spot.pieces.iter().any(|piece| piece.find(&said).is_some_and(|found| piece.proves(found))))
    };
    spot.files.iter().any(|place| shows(place).unwrap_or(true))
}

impl Plan {
    /// Tells whether all stands as it should already.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty()
    }

    fn put(&mut self, spot: &Spot, place: &Place) -> Result<(), Why> {
        let found = Found::read(place)?;
        let before = found.text.as_deref().unwrap_or_default();
        let said = edit::read(spot.format, before)?;
        let after = edit::put(spot.format, before, &spot.pieces)?;
        if after == before {
            return Ok(());
        }
        found.check_writable()?;
        // What stood there before the first time is what is wanted back.
        let connected =
            spot.pieces.iter().any(|piece| piece.find(&said).is_some_and(|found| piece.proves(found)));
        let by_hand = |piece: &Piece| piece.find(&said).is_some_and(table::is_by_hand);
        self.notes.extend(spot.pieces.iter().any(by_hand).then(|| Note::ByHand(found.file.clone())));
        let backup = if connected { Backup::Leave } else { self.copy_of(&found)? };
        if self.scope == Scope::Project {
            self.notes.push(Note::TokenInProject(found.file.clone()));
        } else if found.is_open_to_others() {
            self.notes.push(Note::OpenToOthers(found.file.clone()));
        }
        let Found { file, target, text } = found;
        self.changes.push(Change { file, before: text, after: Some(after), target, backup });
        Ok(())
    }

    /// What is to be kept of a file that knows nothing of the desk yet. An older copy is of an earlier time, and would come back
    /// at the next disconnection.
    fn copy_of(&mut self, found: &Found) -> Result<Backup, Why> {
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

    fn take(&mut self, spot: &Spot, place: &Place) -> Result<(), Why> {
        let found = Found::read(place)?;
        let Some(text) = &found.text else { return Ok(()) };
        let said = edit::read(spot.format, text)?;
        let ours = |piece: &&Piece| {
            let is_ours = |found| matches!(piece.kind, Kind::Element { .. }) || piece.proves(found);
            piece.find(&said).is_some_and(is_ours)
        };
        let pieces: Vec<Piece> = spot.pieces.iter().filter(ours).cloned().collect();
        if pieces.is_empty() {
            return Ok(());
        }
        let before = found.backup_text()?;
        let after = edit::take(spot.format, text, &pieces, before.as_deref())?;
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
        let Found { file, target, text } = found;
        self.changes.push(Change { file, before: text, after, target, backup });
        Ok(())
    }

    /// Does it. Where one file cannot be written, those before it are put back.
    pub fn apply(&self) -> Result<Done, Refusal> {
        for change in &self.changes {
            change.check_unchanged().map_err(|why| why.of(&change.file))?;
        }
        let mut done = Done::default();
        let mut begun = Vec::new();
        for change in &self.changes {
            let like = change.like();
            begun.push((change, like.clone()));
            if let Err(why) = change.apply(like.as_ref(), &mut done) {
                begun.iter().rev().for_each(|(change, like)| change.undo(like.as_ref()));
                return Err(why.of(&change.file));
            }
        }
        for change in &self.changes {
            if let Backup::Remove(backup) = &change.backup {
                // It is in the way of nobody, and the next connection writes it anew.
                let _ = file::remove(backup);
            }
        }
        if self.scope == Scope::Project {
            self.changes.iter().filter(|it| it.after.is_none()).for_each(|it| leave_no_empty(&it.target));
        }
        Ok(done)
    }
}

impl Change {
    /// Returns where the file is kept as it is before the change; none where no copy is made.
    pub fn copy(&self) -> Option<&Path> {
        match &self.backup {
            Backup::Make { copy, .. } => Some(copy),
            Backup::Leave | Backup::Remove(_) => None,
        }
    }

    fn check_unchanged(&self) -> Result<(), Why> {
        if file::is_unchanged(&self.target, self.before.as_deref())? { Ok(()) } else { Err(Why::Changed) }
    }

    /// The mode and owner that the file has.
    fn like(&self) -> Option<Metadata> {
        std::fs::metadata(&self.target).ok()
    }

    fn apply(&self, like: Option<&Metadata>, done: &mut Done) -> Result<(), Why> {
        if let (Backup::Make { copy, over }, Some(before)) = (&self.backup, &self.before) {
            file::write(copy, before, like, over.as_deref())?;
            done.backups.push(copy.clone());
        }
        match &self.after {
            Some(after) => file::write(&self.target, after, like, self.before.as_deref())?,
            None => {
                self.check_unchanged()?;
                file::remove(&self.target)?;
            }
        }
        done.files.push(self.file.clone());
        Ok(())
    }

    /// Puts back what was there, where nobody else has written since; what fails here leaves the copy.
    fn undo(&self, like: Option<&Metadata>) {
        let after = self.after.as_deref();
        if file::is_unchanged(&self.target, after) == Ok(true) {
            let _ = put_back(&self.target, self.before.as_deref(), like, after);
        }
        let Backup::Make { copy, over } = &self.backup else { return };
        let of_us = file::is_unchanged(copy, self.before.as_deref()) == Ok(true);
        if of_us && file::is_unchanged(&self.target, after) == Ok(false) {
            let _ = put_back(copy, over.as_deref(), like, self.before.as_deref());
        }
    }
}

fn put_back(
    target: &Path,
    text: Option<&str>,
    like: Option<&Metadata>,
    after: Option<&str>,
) -> Result<(), Why> {
    match text {
        Some(text) => file::write(target, text, like, after),
        None => file::remove(target),
    }
}

/// Takes away the folder of a file that has gone, where nothing else is in it: it came with the file.
fn leave_no_empty(target: &Path) {
    if let Some(folder) = target.parent() {
        // Refused by the system where anything is in it.
        let _ = std::fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_undone_is_only_what_was_done_and_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("mcp.json");
        let check = |after: Option<&str>, since: Option<&str>, expected: &str| {
            fs::write(&target, "before").unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
            let (before, after) = (Some("before".to_owned()), after.map(str::to_owned));
            let file = target.clone();
            let change = Change { file, before, after, target: target.clone(), backup: Backup::Leave };
            let like = change.like();
            change.apply(like.as_ref(), &mut Done::default()).unwrap();
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
