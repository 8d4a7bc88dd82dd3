//! How the way of a question from a client to the desk stands: what `askdesk doctor` and the desk's settings say of it.

use std::path::PathBuf;

use crate::client::{Client, Scope};
use crate::refusal::Why;
use crate::seen::{Seen, last_question};
use crate::standing::{Entry, Installed, Limit, Obstacle, Standing, installed, limit, obstacles, standings};
use crate::surroundings::Surroundings;
use crate::table::Door;

#[derive(Clone, Copy, Debug)]
pub struct Examined<'a> {
    /// Where the person's files are.
    pub around: &'a Surroundings,
    /// For whom a client may be set up to count.
    pub scopes: &'a [Scope],
    /// What has to stand in clients' files; none where that is not known, and then nothing is said of them.
    pub door: Option<&'a Door>,
    /// Who the desk says has asked.
    pub seen: &'a [Seen],
}

/// How one client stands to the desk. Its version is another question, because a program has to be run for it.
#[derive(Clone, Debug)]
pub struct Checkup {
    pub client: Client,
    pub installed: Option<Installed>,
    pub files: Vec<(Scope, Standing)>,
    /// Whether a question arrives, if the desk takes any.
    pub way: Way,
    /// What cuts a wait short.
    pub limit: Limit,
    /// When it asked last, in milliseconds since 1970.
    pub last_question: Option<i64>,
}

/// The way of a question from a client to the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// A question arrives.
    Works {
        /// What is worth knowing all the same.
        but: Vec<Obstacle>,
    },
    Broken(Break),
    /// It never was set up.
    NotConnected,
}

/// Why a question does not arrive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Break {
    /// An entry leads elsewhere, opens with another token, or leaves one of these out.
    #[error("{}: it leads to another port, has another token, or lacks one of them", .0.display())]
    Stale(PathBuf),
    /// An entry is turned off.
    #[error("{}: it is turned off", .0.display())]
    Off(PathBuf),
    #[error("{}: something else is called askdesk there", .0.display())]
    Foreign(PathBuf),
    /// A file cannot be read or used.
    #[error("{}: {why}", file.display())]
    Unusable { file: PathBuf, why: Why },
    /// One file has what is wanted, and this one has not.
    #[error("{}: the entry is missing there", .0.display())]
    Half(PathBuf),
    /// A rule of the client forbids it.
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
}

pub fn check(client: Client, examined: &Examined<'_>) -> Checkup {
    let Examined { around, scopes, door, seen } = *examined;
    let of = |scope: Scope| {
        let standings = door.map(|door| standings(client, scope, around, door)).unwrap_or_default();
        standings.into_iter().map(move |standing| (scope, standing))
    };
    let files: Vec<(Scope, Standing)> = scopes.iter().copied().flat_map(of).collect();
    Checkup {
        client,
        installed: installed(client, around),
        way: way(client, examined, &files),
        files,
        limit: limit(client),
        last_question: last_question(client, seen),
    }
}

fn way(client: Client, examined: &Examined<'_>, files: &[(Scope, Standing)]) -> Way {
    let of = |scope| files.iter().filter(move |(of, _)| *of == scope).map(|(_, standing)| standing);
    let leads = |it: &Standing| matches!(it.entry, Entry::Current | Entry::Differs);
    let by_hand = |it: &Standing| it.entry == Entry::ByHand;
    let stands = |scope: &&Scope| {
        // The person set up no more than that, so no more is missing.
        let is_right = |it: &Standing| leads(it) || by_hand(it) || it.entry == Entry::Absent;
        of(**scope).any(by_hand) && of(**scope).all(is_right)
            || of(**scope).count() > 0 && of(**scope).all(leads)
    };
    let standing = examined.scopes.iter().find(stands);
    let Some(standing) = standing else {
        let trouble = files.iter().map(|(_, it)| it);
        let trouble = trouble.clone().find(|it| it.entry != Entry::Absent && !leads(it));
        let half = examined.scopes.iter().find(|scope| of(**scope).any(leads));
        let lacks = half.and_then(|scope| of(*scope).find(|it| it.entry == Entry::Absent));
        return match trouble.or(lacks) {
            None => Way::NotConnected,
            Some(standing) => Way::Broken(Break::of(standing)),
        };
    };
    let mut but = obstacles(client, examined.scopes, examined.around);
    match but.iter().find(|it| **it == Obstacle::Denied) {
        Some(denied) => Way::Broken((*denied).into()),
        None => {
            but.extend(of(*standing).any(|it| it.entry == Entry::Differs).then_some(Obstacle::Differs));
            but.extend(of(*standing).any(by_hand).then_some(Obstacle::ByHand));
            Way::Works { but }
        }
    }
}

impl Break {
    fn of(Standing { file, entry }: &Standing) -> Self {
        let file = file.clone();
        match entry {
            Entry::Stale | Entry::Differs | Entry::Current => Self::Stale(file),
            Entry::Off => Self::Off(file),
            // Only where something else is wrong.
            Entry::ByHand | Entry::Foreign => Self::Foreign(file),
            Entry::Unusable { why } => Self::Unusable { file, why: why.clone() },
            Entry::Absent => Self::Half(file),
        }
    }
}
