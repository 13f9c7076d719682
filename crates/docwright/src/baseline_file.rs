//! Files of baselines: one line of JSON each.

use std::{fs, path::Path};

use anyhow::Context;
use serde::{Serialize, de::DeserializeOwned};

/// Reads a file from [`write`]. Empty lines are skipped.
pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| {
        format!("cannot read the baseline {shown}; `--write-baseline {shown}` writes one")
    })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let lines = lines.map(|(index, line)| {
        serde_json::from_str(line).with_context(|| {
            let number = index + 1;
            format!("{shown}:{number} isn't a line of a baseline; `--write-baseline {shown}` writes a new one")
        })
    });
    lines.collect()
}

/// Writes a file atomically.
pub(crate) fn write<T: Serialize>(
    file: &Path,
    lines: impl IntoIterator<Item = T>,
) -> anyhow::Result<()> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(&line)?;
        text.push('\n');
    }
    let partial = file.with_added_extension("partial");
    fs::write(&partial, text)
        .and_then(|()| fs::rename(&partial, file))
        .inspect_err(|_| drop(fs::remove_file(&partial)))
        .with_context(|| format!("cannot write the baseline {}", file.display()))
}
