//! The month that the label of an update names, so that a long changelog is listed by month.

use std::fmt;

use serde::{Deserialize, Serialize};

const NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A month of a year, as English dates and ISO 8601 name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Month {
    year: u16,
    /// From 1.
    number: u8,
}

impl Month {
    /// The month of a date such as `March 14, 2025`, `14 Mar 2025`, `2025-03-14`, or `March 2025`; `None` if the
    /// text names no month with its year.
    pub(super) fn find(text: &str) -> Option<Self> {
        let words: Vec<_> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let iso = words.windows(2).find_map(|pair| {
            let number = pair[1].parse().ok().filter(|number| (1..=12).contains(number))?;
            let year = year(pair[0])?;
            (pair[1].len() == 2).then_some(Self { year, number })
        });
        iso.or_else(|| {
            let number = words.iter().find_map(|word| number(word))?;
            Some(Self { year: words.iter().find_map(|word| year(word))?, number })
        })
    }
}

impl fmt::Display for Month {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", NAMES[usize::from(self.number) - 1], self.year)
    }
}

fn year(word: &str) -> Option<u16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1990..2100).contains(year))
}

/// The number of a month by its name, or by the start of it.
fn number(word: &str) -> Option<u8> {
    let word = word.to_ascii_lowercase();
    let is_name = |name: &&str| word.len() >= 3 && name.to_ascii_lowercase().starts_with(&word);
    (1..).zip(NAMES).find_map(|(number, name)| {
        (is_name(&name) || (number == 9 && word == "sept")).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_is_found_in_dates() {
        for (text, month) in [
            ("March 14, 2025", Some("March 2025")),
            ("14 Mar 2025", Some("March 2025")),
            ("2025-03-14", Some("March 2025")),
            ("2025-03", Some("March 2025")),
            ("Week of Sept. 1st, 2024", Some("September 2024")),
            ("v1.2.0 (2024.12.05)", Some("December 2024")),
            ("june 2025", Some("June 2025")),
            ("v1.2.0", None),
            ("2025", None),
            ("March", None),
            ("2025-3-14", None),
            ("2025-13-14", None),
            ("Marching 2025", None),
            ("", None),
        ] {
            let found = Month::find(text).map(|month| month.to_string());
            assert_eq!(found.as_deref(), month, "{text}");
        }
    }
}
