//! Reads `CHANGELOG.md`: its versions, and what each changes.

use std::{fmt::Write as _, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;

pub const FILE: &str = "CHANGELOG.md";
/// Who answers for the Debian package.
pub const MAINTAINER: &str = "Askdesk contributors <askdesk@users.noreply.github.com>";
/// The longest line of a Debian changelog.
const DEBIAN_WIDTH: usize = 78;

/// A version that was released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: String,
    pub date: Date,
    /// What it changes, in Markdown, without its heading.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: u32,
    pub month: u32,
    pub day: u32,
}

impl Date {
    fn parse(text: &str) -> Result<Self> {
        let wrong = || format!("{text:?} is no date such as 2026-11-28");
        let parts: Vec<u32> =
            text.split('-').map(str::parse).collect::<Result<_, _>>().with_context(wrong)?;
        let [year, month, day] = parts[..] else { bail!(wrong()) };
        let date = Self { year, month, day };
        let exists = (1..=12).contains(&month) && (1..=date.days_of_month()).contains(&day);
        ensure!(exists && date.to_string() == text, wrong());
        Ok(date)
    }

    fn days_of_month(self) -> u32 {
        let leap =
            self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Formats the day for mail, and so for a Debian changelog (RFC 2822), at noon.
    fn rfc_2822(self) -> String {
        const DAYS: [&str; 7] = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        // Zeller's congruence, in which January and February belong to the year before.
        let (year, month) =
            if self.month < 3 { (self.year - 1, self.month + 12) } else { (self.year, self.month) };
        let weekday = (self.day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
        let (weekday, month) = (DAYS[weekday as usize], MONTHS[self.month as usize - 1]);
        format!("{weekday}, {:02} {month} {} 12:00:00 +0000", self.day, self.year)
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Reads the released versions of the repository, newest first.
pub fn read(workspace: &Workspace) -> Result<Vec<Release>> {
    releases(&fs::read_to_string(workspace.root().join(FILE)).context(FILE)?)
}

/// Returns the released versions, newest first. A heading that isn't `Unreleased` or `VERSION - DATE` is an error.
pub fn releases(changelog: &str) -> Result<Vec<Release>> {
    let mut releases: Vec<Release> = Vec::new();
    let mut released = false;
    for line in changelog.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            released = heading.trim() != "Unreleased";
            if released {
                releases.push(heading_of(heading)?);
            }
        } else if released && let Some(release) = releases.last_mut() {
            release.text.push_str(line);
            release.text.push('\n');
        }
    }
    for release in &mut releases {
        release.text = release.text.trim().to_owned();
        ensure!(!release.text.is_empty(), "{FILE} says nothing about {}", release.version);
    }
    ensure!(releases.windows(2).all(|two| two[0].date >= two[1].date), "{FILE} is not newest first");
    Ok(releases)
}

fn heading_of(heading: &str) -> Result<Release> {
    let (version, date) = heading
        .split_once(" - ")
        .with_context(|| format!("the heading {heading:?} of {FILE} is not `VERSION - DATE`"))?;
    Ok(Release { version: version.trim().to_owned(), date: Date::parse(date.trim())?, text: String::new() })
}

/// Returns one version.
pub fn release(changelog: &str, version: &str) -> Result<Release> {
    releases(changelog)?
        .into_iter()
        .find(|release| release.version == version)
        .with_context(|| format!("{FILE} has no section `## {version} - DATE`"))
}

/// Returns the released versions as a Debian changelog.
pub fn debian(changelog: &str) -> Result<String> {
    let mut text = String::new();
    for release in releases(changelog)? {
        writeln!(text, "askdesk ({}) unstable; urgency=medium\n", release.version)?;
        for block in blocks(&release.text) {
            if let Block::Bullets(points) = block {
                points.iter().for_each(|point| text.push_str(&wrapped(point)));
            }
        }
        writeln!(text, "\n -- {MAINTAINER}  {}\n", release.date.rfc_2822())?;
    }
    Ok(text)
}

/// A part of a section, as plain text.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    Heading(String),
    Paragraph(String),
    /// One text for each bullet of the first level; those below it go on in it.
    Bullets(Vec<String>),
}

/// Reads the Markdown that the changelog uses: headings, paragraphs, and bullets.
pub fn blocks(section: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut ended = true;
    for line in section.lines() {
        let text = plain(line.trim());
        if text.is_empty() {
            ended = true;
        } else if line.starts_with('#') {
            blocks.push(Block::Heading(text.trim_start_matches('#').trim().to_owned()));
            ended = true;
        } else if let Some(point) = line.strip_prefix("- ").map(plain) {
            match blocks.last_mut() {
                Some(Block::Bullets(points)) => points.push(point),
                _ => blocks.push(Block::Bullets(vec![point])),
            }
            ended = false;
        } else if !ended && let Some(open) = blocks.last_mut().and_then(Block::last_text) {
            open.push(' ');
            open.push_str(text.strip_prefix("- ").unwrap_or(&text));
        } else {
            blocks.push(Block::Paragraph(text));
            ended = false;
        }
    }
    blocks
}

impl Block {
    fn last_text(&mut self) -> Option<&mut String> {
        match self {
            Self::Heading(_) => None,
            Self::Paragraph(text) => Some(text),
            Self::Bullets(points) => points.last_mut(),
        }
    }
}

/// Removes the Markdown of a line: emphasis, code, and the addresses of links.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        text.push_str(before);
        match after.split_once("](").and_then(|(label, link)| Some((label, link.split_once(')')?.1))) {
            Some((label, after)) => {
                text.push_str(label);
                rest = after;
            }
            None => {
                text.push('[');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text.replace(['*', '`'], "")
}

fn wrapped(bullet: &str) -> String {
    let mut lines = String::new();
    let mut line = "  *".to_owned();
    for word in bullet.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > DEBIAN_WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = "   ".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "# Changelog\n\nWords.\n\n## Unreleased\n\n- not yet\n\n## 0.3.0 - 2027-02-28\n\nIntroduction.\n\n\
        ### Answer\n\n- One, see\n  the [guide](docs/guide.md).\n- *Two* and `three` [sic]\n  - with more\n\n## 0.2.0 - 2026-11-28\n\n- First\n";

    #[test]
    fn each_released_version_has_its_date_and_its_section() {
        let releases = releases(CHANGELOG).unwrap();
        let found: Vec<_> = releases.iter().map(|it| (it.version.as_str(), it.date.to_string())).collect();
        assert_eq!(found, [("0.3.0", "2027-02-28".to_owned()), ("0.2.0", "2026-11-28".to_owned())]);
        assert_eq!(releases[1].text, "- First");
        assert!(releases[0].text.starts_with("Introduction.") && releases[0].text.ends_with("- with more"));
        assert_eq!(release(CHANGELOG, "0.2.0").unwrap(), releases[1]);
        let error = release(CHANGELOG, "0.4.0").unwrap_err().to_string();
        assert!(error.contains("## 0.4.0"), "{error}");
    }

    #[test]
    fn a_section_that_nobody_could_read_is_refused() {
        for (changelog, words) in [
            ("## 0.2.0\n\n- a\n", "VERSION - DATE"),
            ("## 0.2.0 - soon\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-02-29\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-1-2\n\n- a\n", "no date"),
            ("## 0.2.0 - 2026-11-28\n\n## 0.1.0 - 2026-10-01\n\n- a\n", "nothing about 0.2.0"),
            ("## 0.1.0 - 2026-10-01\n\n- a\n\n## 0.2.0 - 2026-11-28\n\n- a\n", "newest first"),
        ] {
            let error = format!("{:#}", releases(changelog).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        assert!(releases("## Unreleased\n\n- a\n").unwrap().is_empty());
    }

    #[test]
    fn a_debian_changelog_has_an_entry_a_version() {
        let expected = "askdesk (0.3.0) unstable; urgency=medium\n\n  * One, see the guide.\n  * Two and three [sic] with more\n\n \
            -- Askdesk contributors <askdesk@users.noreply.github.com>  Sun, 28 Feb 2027 12:00:00 +0000\n\n\
            askdesk (0.2.0) unstable; urgency=medium\n\n  * First\n\n \
            -- Askdesk contributors <askdesk@users.noreply.github.com>  Sat, 28 Nov 2026 12:00:00 +0000\n\n";
        assert_eq!(debian(CHANGELOG).unwrap(), expected);
    }

    #[test]
    fn a_section_is_read_as_headings_paragraphs_and_bullets() {
        let points = ["One, see the guide.", "Two and three [sic] with more"].map(str::to_owned).to_vec();
        let expected = [
            Block::Paragraph("Introduction.".to_owned()),
            Block::Heading("Answer".to_owned()),
            Block::Bullets(points),
        ];
        assert_eq!(blocks(&releases(CHANGELOG).unwrap()[0].text), expected);
        let two = ["a b", "c"].map(|text| Block::Paragraph(text.to_owned()));
        assert_eq!(blocks("a\nb\n\nc"), two);
    }

    #[test]
    fn long_points_are_wrapped() {
        let text = wrapped(&"word ".repeat(40));
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line.len() <= DEBIAN_WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
    }

    #[test]
    fn weekdays_are_right_around_leap_days() {
        for (date, day) in [("2024-02-29", "Thu"), ("2024-03-01", "Fri"), ("2027-01-01", "Fri")] {
            assert!(Date::parse(date).unwrap().rfc_2822().starts_with(day), "{date}");
        }
    }
}
