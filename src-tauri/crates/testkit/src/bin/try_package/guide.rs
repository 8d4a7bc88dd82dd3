//! The lines that the guide's install page tells people to type.

use std::fs;
use std::path::Path;

use crate::report::{Result, failed};

/// Returns the lines of all code blocks for the shell below a heading that contains these words, up to the next heading.
pub fn lines_below(page: &Path, heading: &str) -> Result<Vec<String>> {
    let lines = lines_of(&fs::read_to_string(page)?, heading);
    if lines.is_empty() {
        failed(format!("{} has nothing to type below {heading:?}", page.display()))
    } else {
        Ok(lines)
    }
}

fn lines_of(text: &str, heading: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut below, mut in_block) = (false, false);
    for line in text.lines() {
        match (line.trim(), in_block) {
            ("```", true) => in_block = false,
            (typed, true) if below && !typed.is_empty() => lines.push(typed.to_owned()),
            ("```sh", false) => in_block = true,
            (title, false) if title.starts_with('#') => below = title.contains(heading),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_typed_below_the_heading_is_taken() {
        let page = "# Install\n```sh\nfirst\n```\n## Debian and Ubuntu\nType `this`:\n```sh\ncd ~\n\nsudo apt install ./x.deb\n```\n\
                    ```text\noutput\n```\n```sh\n# not a heading\n```\n## Remove\n```sh\nlast\n```\n";
        assert_eq!(lines_of(page, "Debian"), ["cd ~", "sudo apt install ./x.deb", "# not a heading"]);
        assert_eq!(lines_of(page, "Remove"), ["last"]);
        assert!(lines_of(page, "macOS").is_empty());
    }
}
