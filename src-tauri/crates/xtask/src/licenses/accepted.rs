//! Which licenses may be in a package, and which of them is used where authors leave the choice.

use anyhow::{Context, Result, bail};
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

/// Accepted besides those of crates, for fonts of the page.
const FOR_FONTS: &str = "OFL-1.1";
/// Taken where authors leave the choice, because its text is the shortest.
const PREFERRED: &str = "MIT";

/// The accepted licenses; the preferred one is the first.
#[derive(Debug)]
pub struct Accepted(Vec<Licensee>);

impl Accepted {
    /// Reads the lists `allow` of `deny.toml`, by which `cargo deny` checks all crates.
    pub fn read(deny: &str) -> Result<Self> {
        let lists = deny.split("allow = [").skip(1).filter_map(|rest| rest.split(']').next());
        let quoted = lists.flat_map(|list| list.split('"').skip(1).step_by(2));
        let mut names: Vec<&str> = quoted.chain([FOR_FONTS]).collect();
        names.sort_by_key(|name| *name != PREFERRED);
        let read = |name: &&str| {
            Licensee::parse(name).with_context(|| format!("`{name}` in deny.toml is no license"))
        };
        names.iter().map(read).collect::<Result<_>>().map(Self)
    }

    /// Returns the licenses under which a part is used: the accepted ones among those that its authors offer.
    pub fn choose(&self, name: &str, license: &str) -> Result<Vec<LicenseReq>> {
        let offered = Expression::parse_mode(license, ParseMode::LAX)
            .with_context(|| format!("{name} has the license `{license}`, which is no SPDX expression"))?;
        match offered.minimized_requirements(&self.0) {
            Ok(chosen) => Ok(chosen),
            Err(_) => bail!(
                "{name} has the license {license}, which deny.toml doesn't accept; accept it there or leave {name} out"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[licenses]\nallow = [\n    \"Apache-2.0\",\n    \"BSD-3-Clause\",\n    \"MIT\",\n]\nexceptions = [\n    \
                        { crate = \"icons\", allow = [\"CC-BY-4.0\"] },\n]\n";

    fn check(license: &str, expected: &[&str]) {
        let chosen = Accepted::read(DENY).unwrap().choose("a 1.0.0", license).unwrap();
        let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        assert_eq!(chosen, expected, "{license}");
    }

    #[test]
    fn the_preferred_license_is_chosen_where_there_is_a_choice() {
        check("MIT OR Apache-2.0", &["MIT"]);
        check("Apache-2.0/MIT", &["MIT"]);
        check("Apache-2.0 OR GPL-2.0-only", &["Apache-2.0"]);
        check("(MIT OR Apache-2.0) AND BSD-3-Clause", &["MIT", "BSD-3-Clause"]);
        check("CC-BY-4.0 AND MIT", &["MIT", "CC-BY-4.0"]);
        check("OFL-1.1", &["OFL-1.1"]);
    }

    #[test]
    fn what_nobody_accepted_is_refused_by_name() {
        let accepted = Accepted::read(DENY).unwrap();
        for (license, words) in
            [("GPL-3.0-only", "a 1.0.0 has the license GPL-3.0-only"), ("Own words", "no SPDX")]
        {
            let error = format!("{:#}", accepted.choose("a 1.0.0", license).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        assert!(Accepted::read("allow = [\"Nonsense\"]").is_err());
    }
}
