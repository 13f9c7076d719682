//! The figures of a comparison as a Markdown table.

use super::measure::Sample;
use crate::grouped::grouped;

/// What a tool needed for a corpus, and what it wrote.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Name of the tool.
    pub(super) name: &'static str,
    /// Its version.
    pub(super) version: String,
    /// Medians of all runs.
    pub(super) sample: Sample,
    /// Bytes that it wrote.
    pub(super) bytes: u64,
    /// HTML files that it wrote. `None` for an archive.
    pub(super) pages: Option<usize>,
}

/// A table of the rows, fastest first. The first row given is the one that others are compared with.
pub(super) fn write(rows: &[Row]) -> String {
    let mut table = "| Tool | Version | Seconds | Relative | Processor seconds | Memory | HTML files | Output |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let Some(base) = rows.first() else { return table };
    for row in sorted(rows) {
        let Sample { wall, processor, memory } = row.sample;
        table += &format!(
            "| {} | {} | {} | {:.1} | {} | {} | {} | {} |\n",
            row.name,
            row.version,
            seconds(wall),
            wall / base.sample.wall,
            seconds(processor),
            megabytes(memory),
            row.pages.map_or_else(|| "in an archive".to_owned(), grouped),
            megabytes(row.bytes),
        );
    }
    table
}

/// The rows, fastest first.
pub(super) fn sorted(rows: &[Row]) -> Vec<&Row> {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by(|one, other| one.sample.wall.total_cmp(&other.sample.wall));
    rows
}

/// Seconds with as many digits as mean something.
pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2}") } else { format!("{seconds:.1}") }
}

/// Bytes in units of 1,000,000.
pub(super) fn megabytes(bytes: u64) -> String {
    let tenths = usize::try_from(bytes.saturating_add(50_000) / 100_000).unwrap_or(usize::MAX);
    if tenths < 100 {
        format!("{}.{} MB", tenths / 10, tenths % 10)
    } else {
        format!("{} MB", grouped((tenths + 5) / 10))
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Sample, megabytes, seconds, write};

    fn row(name: &'static str, wall: f64, pages: Option<usize>) -> Row {
        let sample = Sample { wall, processor: wall * 2.0, memory: 62_400_000 };
        Row { name, version: "1.2.3".to_owned(), sample, bytes: 5_120_000, pages }
    }

    #[test]
    fn table_is_sorted_and_relative_to_the_first_row() {
        let table = write(&[
            row("one", 0.5, Some(1001)),
            row("two", 12.0, Some(1200)),
            row("three", 0.25, None),
        ]);
        let lines: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| three | 1.2.3 | 0.25 | 0.5 | 0.50 | 62 MB | in an archive | 5.1 MB |",
                "| one | 1.2.3 | 0.50 | 1.0 | 1.00 | 62 MB | 1,001 | 5.1 MB |",
                "| two | 1.2.3 | 12.0 | 24.0 | 24.0 | 62 MB | 1,200 | 5.1 MB |",
            ]
        );
        let columns = |line: &str| line.matches('|').count();
        assert!(table.lines().all(|line| columns(line) == columns(lines[0])), "{table}");
    }

    #[test]
    fn numbers_are_rounded_and_grouped() {
        assert_eq!(seconds(9.994), "9.99");
        assert_eq!(seconds(34.56), "34.6");
        assert_eq!(megabytes(949_999), "0.9 MB");
        assert_eq!(megabytes(9_960_000), "10 MB");
        assert_eq!(megabytes(1_234_500_000), "1,235 MB");
    }
}
