//! How a shell's environment travels: our own program prints it between two marks, because startup files print as well.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use askdesk_contract::Failure;

use crate::variables::Variables;

/// The largest environment that is read, in bytes. Linux limits one to a quarter of the stack, 2 MiB by default.
const LARGEST: usize = 8 * 1024 * 1024;

/// A word that nothing else prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// Makes a mark from a random number.
    pub fn new(random: u128) -> Self {
        Self(format!("askdesk-{random:032x}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The mark as it is printed. No startup file prints a NUL after it, even if it prints the commands that run.
    fn line(word: &str) -> Vec<u8> {
        [word.as_bytes(), b"\0"].concat()
    }
}

/// Prints an environment between two marks.
pub fn print(to: &mut impl Write, mark: &str, variables: &Variables) -> io::Result<()> {
    let mut text = Mark::line(mark);
    for (name, value) in variables.iter() {
        text.extend([name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"].concat());
    }
    text.extend(Mark::line(mark));
    to.write_all(&text)?;
    to.flush()
}

/// Reads an environment out of what a shell prints, as it arrives.
#[derive(Debug)]
pub struct Printed {
    mark: Vec<u8>,
    /// What may still be needed.
    read: Vec<u8>,
    has_begun: bool,
}

impl Printed {
    pub fn new(mark: &Mark) -> Self {
        Self { mark: Mark::line(mark.as_str()), read: Vec::new(), has_begun: false }
    }

    /// Takes the next bytes. Returns the environment once all of it is there.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Variables>, Failure> {
        // A mark may have begun before these bytes.
        let mut from = self.read.len().saturating_sub(self.mark.len());
        self.read.extend_from_slice(bytes);
        if !self.has_begun {
            match self.find_mark(from) {
                Some(place) => {
                    self.read.drain(..place + self.mark.len());
                    self.has_begun = true;
                    from = 0;
                }
                None => {
                    let noise = self.read.len().saturating_sub(self.mark.len());
                    self.read.drain(..noise);
                    return Ok(None);
                }
            }
        }
        match self.find_mark(from) {
            Some(end) => Ok(Some(parse(&self.read[..end]))),
            None if self.read.len() > LARGEST => Err(Failure::TooMuch),
            None => Ok(None),
        }
    }

    fn find_mark(&self, from: usize) -> Option<usize> {
        let found = self.read[from..].windows(self.mark.len()).position(|window| window == self.mark);
        found.map(|place| from + place)
    }
}

fn parse(bytes: &[u8]) -> Variables {
    let entry = |entry: &[u8]| {
        // Windows has names that begin with an equals sign.
        let place = entry.iter().skip(1).position(|byte| *byte == b'=')? + 1;
        Some((to_os(&entry[..place])?, to_os(&entry[place + 1..])?))
    };
    bytes.split(|byte| *byte == 0).filter_map(entry).collect()
}

#[cfg(unix)]
fn to_os(bytes: &[u8]) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(bytes)).map(|text: &OsStr| text.to_owned())
}

#[cfg(not(unix))]
fn to_os(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(|text| OsStr::new(text).to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some_variables() -> impl Strategy<Value = Variables> {
        let pairs = prop::collection::vec(("[A-Za-z_][A-Z0-9_=]{0,5}", "[ -~\n=äö]{0,20}"), 0..8);
        pairs.prop_map(|pairs| {
            let name = |name: String| name.replace('=', "_");
            pairs.into_iter().map(|(it, value)| (name(it).into(), value.into())).collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_between_any_noise_and_in_any_pieces(
            variables in some_variables(),
            before in prop::collection::vec(any::<u8>(), 0..200),
            after in prop::collection::vec(any::<u8>(), 0..50),
            random in any::<u128>(),
            piece in 1_usize..64,
        ) {
            let mark = Mark::new(random);
            let mut output = before;
            // Startup files that print their commands print the mark as a word.
            output.extend(format!("+ askdesk environment {}\n", mark.as_str()).bytes());
            print(&mut output, mark.as_str(), &variables).unwrap();
            output.extend(after);
            let mut printed = Printed::new(&mark);
            let read = output.chunks(piece).find_map(|piece| printed.push(piece).unwrap());
            prop_assert_eq!(read, Some(variables));
        }
    }

    #[test]
    fn noise_is_not_kept_and_an_endless_environment_is_refused() {
        let mark = Mark::new(7);
        let mut printed = Printed::new(&mark);
        let noise = vec![b'x'; 64 * 1024];
        for _ in 0..64 {
            assert_eq!(printed.push(&noise), Ok(None));
        }
        assert!(printed.read.len() < 100, "{} bytes of noise", printed.read.len());
        printed.push(&Mark::line(mark.as_str())).unwrap();
        let refused = (0..200).find_map(|_| printed.push(&noise).err());
        assert_eq!(refused, Some(Failure::TooMuch));
    }
}
