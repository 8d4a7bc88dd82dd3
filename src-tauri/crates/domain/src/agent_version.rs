//! Which versions of an agent's program Askdesk works with.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The versions of one agent. Only the numbers of a version count: `2.0.0-beta.1` is compared as 2.0.0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SupportedVersions {
    /// The newest one that was tested, using the real program.
    pub tested: Cow<'static, str>,
    /// The first one that has another protocol, which Askdesk speaks only from its public description; none if there is none.
    pub before: Option<Cow<'static, str>>,
    /// Its package in npm's registry; none if it is installed in another way.
    pub package: Option<Cow<'static, str>>,
}

/// How an installed version fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fit", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum VersionFit {
    /// It is no newer than the tested one.
    Tested,
    /// It runs. What it says beyond the tested version is shown as not understood.
    Newer { tested: String },
    /// It runs too, but nobody has run it: Askdesk knows its protocol from descriptions.
    NotVerified {
        /// A version that was tested.
        good: String,
        /// A shell command that installs that version.
        install: Option<String>,
    },
}

impl SupportedVersions {
    /// Makes the range of an agent that is installed from npm's registry.
    pub const fn of_package(
        package: &'static str,
        tested: &'static str,
        before: Option<&'static str>,
    ) -> Self {
        Self {
            tested: Cow::Borrowed(tested),
            before: match before {
                Some(before) => Some(Cow::Borrowed(before)),
                None => None,
            },
            package: Some(Cow::Borrowed(package)),
        }
    }

    /// Compares an installed version. None if it has no numbers to compare.
    pub fn fit(&self, version: &str) -> Option<VersionFit> {
        let found = numbers(version)?;
        if self.before.as_deref().and_then(numbers).is_some_and(|before| found >= before) {
            let install = self.package.as_ref().map(|name| format!("npm install -g {name}@{}", self.tested));
            return Some(VersionFit::NotVerified { good: self.tested.to_string(), install });
        }
        let newer = numbers(&self.tested).is_some_and(|tested| found > tested);
        Some(if newer { VersionFit::Newer { tested: self.tested.to_string() } } else { VersionFit::Tested })
    }
}

/// Returns the first three numbers of a version; missing ones are 0.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    let mut parts = core.split('.').map(|part| part.parse().ok());
    let first = parts.next()??;
    let mut rest = || parts.next().map_or(Some(0), |part| part);
    Some([first, rest()?, rest()?])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const RANGE: SupportedVersions = SupportedVersions::of_package("some-agent", "1.18.33", Some("2.0.0"));

    #[rstest]
    #[case("0.1.2", "tested")]
    #[case("1.1.0-rc.1", "tested")]
    #[case("1.1", "tested")]
    #[case("1.9.40", "tested")]
    #[case("1.18.33", "tested")]
    #[case("1.18.34", "newer")]
    #[case("1.18.33.9", "tested")]
    #[case("1.100.0", "newer")]
    #[case("2.0.0-beta.1", "not verified")]
    #[case("2.3.2", "not verified")]
    #[case("10", "not verified")]
    #[case("0.0.0-dev+abc", "tested")]
    #[case("nightly", "unknown")]
    #[case("1.x", "unknown")]
    #[case("", "unknown")]
    fn case_137_a_version_is_compared_by_its_numbers(#[case] version: &str, #[case] expected: &str) {
        let fit = match RANGE.fit(version) {
            Some(VersionFit::Tested) => "tested",
            Some(VersionFit::Newer { tested }) if tested == "1.18.33" => "newer",
            Some(VersionFit::NotVerified { good, install })
                if good == "1.18.33" && install.as_deref() == Some("npm install -g some-agent@1.18.33") =>
            {
                "not verified"
            }
            None => "unknown",
            other => panic!("{other:?}"),
        };
        assert_eq!(fit, expected, "{version}");
    }

    #[test]
    fn case_137_without_an_upper_bound_every_newer_version_is_tried() {
        let open = SupportedVersions { before: None, ..RANGE };
        assert_eq!(open.fit("99.0.0"), Some(VersionFit::Newer { tested: "1.18.33".to_owned() }));
    }
}
