//! Runs a program once under GNU time, and reads what it wrote.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

/// The cost of a run, or the medians of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Seconds from start to end.
    pub(super) wall: f64,
    /// Seconds of all cores, also of child processes.
    pub(super) processor: f64,
    /// Peak memory in bytes, of the child process that used most.
    pub(super) memory: u64,
}

/// Runs a command in a folder.
pub(super) fn run(time: &Path, command: &[String], folder: &Path) -> anyhow::Result<Sample> {
    let figures = folder.join("figures.txt");
    let output = Command::new(time)
        .args(["--format", "%e %U %S %M", "--output"])
        .arg(&figures)
        .args(command)
        .current_dir(folder)
        .env("ASTRO_TELEMETRY_DISABLED", "1")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", time.display()))?;
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    let lines: Vec<_> = printed.lines().collect();
    let end = lines[lines.len().saturating_sub(20)..].join("\n");
    ensure!(
        output.status.success(),
        "`{}` ended with {}:\n{end}",
        command.join(" "),
        output.status
    );
    let figures = std::fs::read_to_string(figures)?;
    parse(&figures).with_context(|| format!("GNU time printed {figures:?}"))
}

/// Reads the figures of GNU time.
fn parse(figures: &str) -> Option<Sample> {
    let mut numbers = figures.lines().last()?.split(' ');
    let mut seconds = || numbers.next()?.parse::<f64>().ok();
    let (wall, user, system) = (seconds()?, seconds()?, seconds()?);
    let kibibytes: u64 = numbers.next()?.parse().ok()?;
    Some(Sample { wall, processor: user + system, memory: kibibytes * 1024 })
}

/// The median of each figure.
pub(super) fn medians(samples: &[Sample]) -> Option<Sample> {
    let middle = |figure: fn(&Sample) -> f64| {
        let mut figures: Vec<_> = samples.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied()
    };
    let mut memory: Vec<_> = samples.iter().map(|sample| sample.memory).collect();
    memory.sort_unstable();
    Some(Sample {
        wall: middle(|sample| sample.wall)?,
        processor: middle(|sample| sample.processor)?,
        memory: *memory.get(memory.len() / 2)?,
    })
}

/// Bytes of a file or of all files in a folder, and the number of HTML files.
pub(super) fn written(path: &Path) -> anyhow::Result<(u64, usize)> {
    let facts = std::fs::metadata(path).with_context(|| format!("no {}", path.display()))?;
    if facts.is_file() {
        let html = path.extension().is_some_and(|extension| extension == "html");
        return Ok((facts.len(), usize::from(html)));
    }
    let mut sum = (0, 0);
    for entry in std::fs::read_dir(path)? {
        let (bytes, pages) = written(&entry?.path())?;
        sum = (sum.0 + bytes, sum.1 + pages);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::{Sample, medians, parse, written};

    #[test]
    fn figures_of_gnu_time_are_read() {
        let sample = Sample { wall: 1.5, processor: 2.25, memory: 2048 };
        assert_eq!(parse("1.50 2.00 0.25 2\n"), Some(sample));
        assert_eq!(parse("Command exited with non-zero status 1"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn median_is_of_each_figure() {
        let sample = |wall, processor, memory| Sample { wall, processor, memory };
        let samples = [sample(3.0, 1.0, 20), sample(1.0, 2.0, 30), sample(2.0, 9.0, 10)];
        assert_eq!(medians(&samples), Some(sample(2.0, 2.0, 20)));
        assert_eq!(medians(&[]), None);
    }

    #[test]
    fn output_is_counted_in_subfolders() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("a")).expect("a subfolder");
        for (path, text) in [("a/index.html", "four"), ("b.html", "six..."), ("c.js", "x")] {
            std::fs::write(folder.path().join(path), text).expect("a file");
        }
        assert_eq!(written(folder.path()).expect("a sum"), (11, 2));
        assert_eq!(written(&folder.path().join("c.js")).expect("a sum"), (1, 0));
        assert!(written(&folder.path().join("gone")).is_err());
    }
}
