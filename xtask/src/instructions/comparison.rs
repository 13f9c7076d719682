//! Comparison of counts with the committed ones.

use std::fmt;

use super::counts::Counts;
use crate::grouped::grouped;

/// A count can be this many percent worse than the committed one.
const TOLERANCE: u64 = 3;
/// What to do about a difference.
const UPDATE: &str = "run `cargo xtask instructions --update`";

/// Counts and the committed ones.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(super) committed: Counts,
    pub(super) now: Counts,
}

impl Comparison {
    /// Number of paths without a problem.
    pub(crate) fn passed(&self) -> usize {
        self.now.paths.iter().filter(|path| self.problem(&path.0).is_none()).count()
    }

    /// What is wrong, and what to do about it.
    pub(crate) fn problems(&self) -> Vec<String> {
        let names = self.now.paths.iter().chain(&self.committed.paths).map(|path| &path.0);
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| self.problem(name)).collect()
    }

    fn problem(&self, name: &str) -> Option<String> {
        let (committed, now) = match (self.committed.of(name), self.now.of(name)) {
            (Some(committed), Some(now)) => (committed, now),
            (None, _) => return Some(format!("hot path {name} has no committed count; {UPDATE}")),
            (_, None) => {
                return Some(format!(
                    "hot path {name} has a committed count but doesn't exist; {UPDATE}"
                ));
            }
        };
        (self.same_tools() && is_above(now, committed)).then(|| {
            format!(
                "hot path {name} needs {} instructions; find out why, or {UPDATE} if that is meant, and say why in the commit",
                percent(committed, now)
            )
        })
    }

    /// Whether counts can be compared at all: other versions of the tools change them.
    fn same_tools(&self) -> bool {
        self.committed.tools == self.now.tools
    }

    /// Whether the committed count of a path is so high that it would hide a later regression.
    fn is_better(&self, name: &str) -> bool {
        let counts = self.committed.of(name).zip(self.now.of(name));
        counts.is_some_and(|(committed, now)| is_below(now, committed))
    }
}

/// Whether a count is above the committed one by more than the tolerance.
fn is_above(count: u64, committed: u64) -> bool {
    u128::from(count) * 100 > u128::from(committed) * u128::from(100 + TOLERANCE)
}

/// Whether a count is below the committed one by more than the tolerance.
fn is_below(count: u64, committed: u64) -> bool {
    u128::from(count) * 100 < u128::from(committed) * u128::from(100 - TOLERANCE)
}

/// The difference as a percentage with two decimals, such as `+1.25%`.
fn percent(committed: u64, now: u64) -> String {
    let hundredths = u128::from(committed.abs_diff(now)) * 10_000 / u128::from(committed.max(1));
    let sign = match hundredths {
        0 => "",
        _ if now < committed => "-",
        _ => "+",
    };
    format!("{sign}{}.{:02}%", hundredths / 100, hundredths % 100)
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:<12}{:>16}{:>16}{:>10}", "hot path", "committed", "now", "change")?;
        for (name, now) in &self.now.paths {
            let committed = self.committed.of(name);
            let change = committed.map(|committed| percent(committed, *now)).unwrap_or_default();
            let committed = committed.map(grouped).unwrap_or_default();
            writeln!(formatter, "{name:<12}{committed:>16}{:>16}{change:>10}", grouped(*now))?;
        }
        if !self.same_tools() {
            return writeln!(
                formatter,
                "not compared: committed with {}, now with {}; {UPDATE}",
                self.committed.tools, self.now.tools
            );
        }
        for (name, _) in self.now.paths.iter().filter(|path| self.is_better(&path.0)) {
            writeln!(formatter, "{name} is more than {TOLERANCE}% better: {UPDATE} to keep it so")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Counts};

    fn counts(tools: &str, paths: &[(&str, u64)]) -> Counts {
        let paths = paths.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Counts { tools: tools.to_owned(), paths }
    }

    fn compare(committed: &[(&str, u64)], now: &[(&str, u64)]) -> Comparison {
        Comparison { committed: counts("rustc 1", committed), now: counts("rustc 1", now) }
    }

    #[test]
    fn count_fails_above_three_percent() {
        let committed = [("api", 1_000), ("pages", 1_000)];
        for count in [0, 970, 1_000, 1_029, 1_030] {
            let compared = compare(&committed, &[("api", 1_000), ("pages", count)]);
            assert_eq!(compared.problems(), [""; 0], "{count}");
        }
        let compared = compare(&committed, &[("api", 1_031), ("pages", 2_000)]);
        let problems = compared.problems();
        assert_eq!(
            problems[0],
            "hot path api needs +3.10% instructions; find out why, or run `cargo xtask instructions --update` \
             if that is meant, and say why in the commit"
        );
        assert!(problems[1].starts_with("hot path pages needs +100.00% instructions; "));
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn counts_of_other_tools_are_not_compared() {
        let (committed, now) =
            (counts("rustc 1", &[("api", 100)]), counts("rustc 2", &[("api", 200)]));
        let compared = Comparison { committed, now };
        assert_eq!(compared.problems(), [""; 0]);
        let said = "not compared: committed with rustc 1, now with rustc 2; run `cargo xtask instructions --update`";
        assert_eq!(compared.to_string().lines().last(), Some(said));
        let (committed, now) = (counts("rustc 1", &[]), counts("rustc 2", &[("api", 200)]));
        assert_eq!(
            Comparison { committed, now }.problems().len(),
            1,
            "a path without a count fails"
        );
    }

    #[test]
    fn path_without_committed_count_fails() {
        let problems = compare(&[], &[("api", 1)]).problems();
        let update = "run `cargo xtask instructions --update`";
        assert_eq!(problems, [format!("hot path api has no committed count; {update}")]);
    }

    #[test]
    fn committed_path_that_is_gone_fails() {
        let problems = compare(&[("api", 1), ("old", 1)], &[("api", 1)]).problems();
        let update = "run `cargo xtask instructions --update`";
        assert_eq!(
            problems,
            [format!("hot path old has a committed count but doesn't exist; {update}")]
        );
    }

    #[test]
    fn table_shows_change_and_reminds_of_better_counts() {
        let committed = [("pages", 1_234_567), ("api", 1_000), ("query", 1_000), ("warm", 100_000)];
        let now =
            [("pages", 1_200_000), ("api", 969), ("query", 970), ("index", 5), ("warm", 99_999)];
        let text = compare(&committed, &now).to_string();
        let lines: Vec<Vec<_>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["hot", "path", "committed", "now", "change"]);
        assert_eq!(lines[1], ["pages", "1,234,567", "1,200,000", "-2.79%"]);
        assert_eq!(lines[2], ["api", "1,000", "969", "-3.10%"]);
        assert_eq!(lines[3], ["query", "1,000", "970", "-3.00%"]);
        assert_eq!(lines[4], ["index", "5"]);
        assert_eq!(lines[5], ["warm", "100,000", "99,999", "0.00%"]);
        assert_eq!(lines.len(), 7, "{text}");
        let reminder =
            "api is more than 3% better: run `cargo xtask instructions --update` to keep it so";
        assert_eq!(text.lines().last(), Some(reminder));
    }
}
