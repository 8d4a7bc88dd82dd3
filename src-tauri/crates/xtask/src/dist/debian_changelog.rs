//! The changelog in the form that Debian's policy wants: an entry for each version, with its points in lines of 80 characters.

use anyhow::{Context, Result};

use super::deb::MAINTAINER;
use crate::changelog::Release;

/// The most characters of a line.
const WIDTH: usize = 80;
const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

pub fn text(releases: &[Release]) -> Result<String> {
    releases.iter().map(entry).collect()
}

fn entry(release: &Release) -> Result<String> {
    let mut text =
        format!("askdesk ({}) unstable; urgency=medium\n\n", release.version.replacen('-', "~", 1));
    for point in points(&release.notes) {
        text.push_str(&wrapped(&point));
    }
    text.push_str(&format!("\n -- {MAINTAINER}  {}\n\n", day(&release.date)?));
    Ok(text)
}

/// Returns the points of a section as plain text, or the whole section if it has none.
fn points(notes: &str) -> Vec<String> {
    let mut points: Vec<String> = Vec::new();
    for line in notes.lines() {
        match (line.strip_prefix("- "), points.last_mut()) {
            (Some(point), _) => points.push(point.to_owned()),
            (None, Some(point)) if line.starts_with("  ") => {
                point.push(' ');
                point.push_str(line.trim());
            }
            _ => {}
        }
    }
    if points.is_empty() {
        points.push(notes.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    points.iter().map(|point| plain(point)).collect()
}

/// Takes the marks of Markdown away, and of a link its address.
fn plain(markdown: &str) -> String {
    let mut plain = String::new();
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("](") {
        plain.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain.replace(['*', '`', '['], "")
}

fn wrapped(point: &str) -> String {
    let mut text = String::from("  *");
    let mut column = text.len();
    for word in point.split_whitespace() {
        let length = word.chars().count();
        if column + 1 + length > WIDTH {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + length;
    }
    text.push('\n');
    text
}

/// Formats a day such as `2026-11-28` as RFC 2822 does, at midnight.
fn day(date: &str) -> Result<String> {
    let parts: Option<Vec<usize>> = date.split('-').map(|part| part.parse().ok()).collect();
    let Some([year, month @ 1..=12, day]) = parts.as_deref() else {
        anyhow::bail!("`{date}` is no day like 2026-11-28");
    };
    // The days between the first of a month and that of March, for weekdays (Sakamoto's rule).
    let shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1];
    let year_of_rule = if *month < 3 { year - 1 } else { *year };
    let weekday =
        (year_of_rule + year_of_rule / 4 - year_of_rule / 100 + year_of_rule / 400 + shift + day) % 7;
    let weekday = DAYS.get(weekday).context("a week has seven days")?;
    Ok(format!("{weekday}, {day:02} {} {year} 00:00:00 +0000", MONTHS[month - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_an_entry_with_its_points_as_plain_text() {
        let notes =
            "The first.\n\n### Answer\n\n- **One** of `two`, see the\n  [guide](docs/guide.md).\n- Three.";
        let release = |version: &str, notes: &str| Release {
            version: version.into(),
            date: "2026-11-28".into(),
            notes: notes.into(),
        };
        let text = text(&[release("0.3.0-beta.1", "Faster."), release("0.2.0", notes)]).unwrap();
        let signed =
            " -- Askdesk contributors <askdesk@users.noreply.github.com>  Sat, 28 Nov 2026 00:00:00 +0000";
        assert_eq!(
            text,
            format!(
                "askdesk (0.3.0~beta.1) unstable; urgency=medium\n\n  * Faster.\n\n{signed}\n\n\
                 askdesk (0.2.0) unstable; urgency=medium\n\n  * One of two, see the guide.\n  * Three.\n\n{signed}\n\n"
            )
        );
    }

    #[test]
    fn a_long_point_is_wrapped() {
        let text = wrapped(&"word ".repeat(40));
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
    }

    #[test]
    fn days_have_their_weekday() {
        for (date, expected) in
            [("2026-11-28", "Sat, 28 Nov"), ("2024-02-29", "Thu, 29 Feb"), ("2027-01-01", "Fri, 01 Jan")]
        {
            assert!(day(date).unwrap().starts_with(expected), "{date}");
        }
        assert!(day("2026-13-01").is_err() && day("tomorrow").is_err());
    }
}
