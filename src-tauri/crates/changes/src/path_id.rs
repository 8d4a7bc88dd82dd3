//! Paths as bytes, as git stores them, and as text without loss.

pub(crate) use askdesk_git::{to_bytes, to_path};

/// Writes a path's bytes as text: UTF-8 as it is, every other byte and `%` as a percent code.
pub fn path_to_id(path: &[u8]) -> String {
    let mut id = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        chunk.valid().chars().for_each(|char| match char {
            '%' => id.push_str("%25"),
            char => id.push(char),
        });
        chunk.invalid().iter().for_each(|byte| id.push_str(&format!("%{byte:02X}")));
    }
    id
}

/// Reads what [`path_to_id`] wrote.
pub fn path_of(id: &str) -> Vec<u8> {
    let mut path = Vec::with_capacity(id.len());
    let mut rest = id.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    path
}

/// A path for people to read.
pub(crate) fn readable(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_path_survives_its_id(path in prop::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(path_of(&path_to_id(&path)), path);
        }
    }

    #[test]
    fn plain_paths_are_their_own_id() {
        assert_eq!(path_to_id("src/größe.rs".as_bytes()), "src/größe.rs");
        assert_eq!(path_to_id(b"50%\xff"), "50%25%FF");
    }
}
