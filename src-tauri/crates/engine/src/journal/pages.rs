//! Reads the records of a database page by page, so that a damaged page hides only what it holds.
//!
//! A record is found whatever happened to the root of its table: the only way from one page to another is to the rest of a long
//! record. Only cells that a page lists are read, so that nothing that was deleted comes back.
//!
//! The form of a page is from <https://www.sqlite.org/fileformat2.html>. The app's databases reserve no bytes at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use rusqlite::types::Value;

/// How a file of SQLite begins, and the length of its header, in bytes.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;
/// The size of a page of which the header says nothing, in bytes.
const SIZE: usize = 4_096;
/// Where the byte is that locks a database; its page is never used.
const LOCK: usize = 1 << 30;

/// A record of a table, or of an index: a table without row ids is one.
#[derive(Debug, PartialEq)]
pub(super) struct Record {
    pub(super) has_rowid: bool,
    /// Where a row's first column is its id, that id comes first.
    pub(super) values: Vec<Value>,
}

#[derive(Debug)]
pub(super) struct Pages {
    file: File,
    size: usize,
    pub(super) count: u32,
    /// The format of the app's records.
    pub(super) format: u32,
    free: BTreeMap<u32, usize>,
    /// Pages that hold the rest of a record, and those of which nothing says what they are.
    rests: BTreeSet<u32>,
    unknown: BTreeSet<u32>,
    is_cut: bool,
}

impl Pages {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut header = Vec::new();
        file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
        header.resize(HEADER, 0);
        let number = |at| be(&header[at..at + 4]) as u32;
        let size = match be(&header[16..18]) as usize {
            1 => 65_536,
            size if size >= 512 && size.is_power_of_two() => size,
            _ => SIZE,
        };
        let count = u32::try_from(file.metadata()?.len().div_ceil(size as u64)).unwrap_or(u32::MAX);
        let (is_cut, format) = (number(28) > count, number(60));
        let [rests, unknown] = <[BTreeSet<u32>; 2]>::default();
        let mut pages = Self { file, size, count, format, free: BTreeMap::new(), rests, unknown, is_cut };
        pages.free = free(&header, &(1..count.saturating_add(1)), |n| pages.page(n))?;
        Ok(pages)
    }

    /// Returns whether all pages that were read are those of a sound database.
    pub(super) fn are_sound(&self) -> bool {
        let lock = (LOCK / self.size + 1) as u32;
        !self.is_cut && self.unknown.iter().all(|page| self.rests.contains(page) || *page == lock)
    }

    /// Reads a page, with zeros where the file is shorter.
    fn page(&mut self, n: u32) -> io::Result<Option<Vec<u8>>> {
        if !(1..=self.count).contains(&n) {
            return Ok(None);
        }
        let mut page = Vec::with_capacity(self.size);
        self.file.seek(SeekFrom::Start(u64::from(n - 1) * self.size as u64))?;
        self.file.by_ref().take(self.size as u64).read_to_end(&mut page)?;
        page.resize(self.size, 0);
        Ok(Some(page))
    }

    /// Reads the records that a page lists.
    pub(super) fn records(&mut self, n: u32) -> io::Result<Vec<Record>> {
        let begins = if n == 1 { HEADER } else { 0 };
        let Some(page) = self.page(n)?.filter(|_| !self.free.contains_key(&n)) else { return Ok(Vec::new()) };
        let (has_rowid, before, pointers) = match page[begins] {
            0x0d => (true, 0, 8),
            0x0a => (false, 0, 8),
            // Such a page of an index also holds records.
            0x02 => (false, 4, 12),
            // Such a page of a table doesn't.
            0x05 => return Ok(Vec::new()),
            _ => {
                self.unknown.insert(n);
                return Ok(Vec::new());
            }
        };
        let cells = be(&page[begins + 3..begins + 5]) as usize;
        let mut records = Vec::new();
        for pointer in page[begins + pointers..].chunks_exact(2).take(cells) {
            match self.record(&page, be(pointer) as usize + before, has_rowid)? {
                Some(record) => records.push(record),
                None => self.is_cut = true,
            }
        }
        Ok(records)
    }

    fn record(&mut self, page: &[u8], mut at: usize, has_rowid: bool) -> io::Result<Option<Record>> {
        let Some(length) = varint(page, &mut at).and_then(|it| usize::try_from(it).ok()) else {
            return Ok(None);
        };
        let rowid = if has_rowid { varint(page, &mut at) } else { None };
        let most = if has_rowid { self.size - 35 } else { (self.size - 12) * 64 / 255 - 23 };
        let least = (self.size - 12) * 32 / 255 - 23;
        let here = match length {
            _ if length <= most => length,
            _ => Some(least + (length - least) % (self.size - 4)).filter(|it| *it <= most).unwrap_or(least),
        };
        let (Some(payload), true) = (page.get(at..at + here), length / self.size <= self.count as usize)
        else {
            return Ok(None);
        };
        let mut payload = payload.to_vec();
        let mut next = page.get(at + here..at + here + 4).map_or(0, be) as u32;
        while payload.len() < length {
            let Some(rest) = self.page(next)?.filter(|rest| rest.iter().any(|byte| *byte != 0)) else {
                return Ok(None);
            };
            self.rests.insert(next);
            next = be(&rest[..4]) as u32;
            payload.extend(rest[4..].iter().take(length - payload.len()));
        }
        Ok(values(&payload).map(|mut values| {
            if let (Some(first @ Value::Null), Some(rowid)) = (values.first_mut(), rowid) {
                *first = Value::Integer(rowid as i64);
            }
            Record { has_rowid, values }
        }))
    }
}

/// Finds the free pages of a stretch, and how many bytes each needs: some list others. The header is the beginning of the first page.
pub(super) fn free<E>(
    header: &[u8],
    stretch: &Range<u32>,
    mut page: impl FnMut(u32) -> Result<Option<Vec<u8>>, E>,
) -> Result<BTreeMap<u32, usize>, E> {
    let (mut free, mut lists) = (BTreeMap::new(), BTreeSet::new());
    let mut list = header.get(32..36).map_or(0, be) as u32;
    while lists.insert(list)
        && let Some(content) = page(list)?
    {
        let leaves = (be(&content[4..8]) as usize).min(content.len() / 4 - 2);
        free.insert(list, 8 + 4 * leaves);
        let leaves = content[8..].chunks(4).take(leaves).map(|leaf| be(leaf) as u32);
        free.extend(leaves.filter(|leaf| stretch.contains(leaf)).map(|leaf| (leaf, 0)));
        list = be(&content[..4]) as u32;
    }
    Ok(free)
}

/// Overwrites what a page doesn't use, or what a free page doesn't need; returns whether something was there.
pub(super) fn overwrite_unused(page: &mut [u8], is_first: bool, needed: Option<usize>) -> bool {
    let mut unused = Vec::new();
    let begins = if is_first { HEADER } else { 0 };
    let number = |at: usize| page.get(at..at + 2).map_or(0, be) as usize;
    match (needed, page[begins]) {
        (Some(needed), _) => unused.push(needed..page.len()),
        (None, kind @ (0x02 | 0x05 | 0x0a | 0x0d)) => {
            let cells = begins + if kind > 0x05 { 8 } else { 12 } + 2 * number(begins + 3);
            // In a page of 65,536 bytes, this may be zero, for its end.
            let contents = number(begins + 5);
            unused.push(cells..contents);
            let mut block = number(begins + 1);
            while block >= contents && block + 4 <= page.len() && unused.len() < page.len() {
                unused.push(block + 4..block + number(block + 2));
                block = number(block);
            }
        }
        (None, _) => {}
    }
    let mut found = false;
    for range in unused {
        if let Some(bytes) = page.get_mut(range).filter(|bytes| bytes.iter().any(|byte| *byte != 0)) {
            bytes.fill(0);
            found = true;
        }
    }
    found
}

fn be(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for n in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if n == 8 {
            return Some(number << 8 | u64::from(byte));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

/// Takes a record apart; none if that isn't what the bytes are.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let mut at = 0;
    let header = usize::try_from(varint(payload, &mut at)?).ok()?;
    let (mut rest, mut values) = (payload.get(header..)?, Vec::new());
    while at < header {
        let kind = varint(payload, &mut at)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => (kind - 12) / 2,
        };
        let (bytes, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        rest = behind;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(kind as i64 - 8),
            7 => Value::Real(f64::from_bits(be(bytes))),
            1..=6 => {
                let unused = 64 - 8 * length;
                Value::Integer((be(bytes) << unused) as i64 >> unused)
            }
            _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        });
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests;
