//! Files that an external agent requests from docwright, within its own folder.

use std::path::Path;

use cap_std::{ambient_authority, fs::Dir};
use serde::Deserialize;

use crate::{policy::paths, workspace::Refusal};

/// Lines of a file. <https://agentclientprotocol.com/protocol/file-system>
#[derive(Debug, Deserialize)]
pub(super) struct ReadTextFile {
    path: String,
    /// The first line, from 1.
    line: Option<usize>,
    /// How many lines.
    limit: Option<usize>,
}

/// A file to be written.
#[derive(Debug, Deserialize)]
pub(super) struct WriteTextFile {
    path: String,
    content: String,
}

/// The path below the folder for an absolute path.
fn below(folder: &Path, path: &str) -> Result<String, String> {
    let relative = Path::new(path).strip_prefix(folder).ok().and_then(Path::to_str);
    let relative = relative.ok_or("this path is outside the documentation")?;
    paths::check_readable(relative).map_err(|refusal| refusal.0)?;
    Ok(relative.to_owned())
}

fn open(folder: &Path) -> Result<Dir, String> {
    Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| error.to_string())
}

pub(super) fn read(folder: &Path, request: &ReadTextFile) -> Result<String, String> {
    let path = below(folder, &request.path)?;
    let text = open(folder)?.read_to_string(path).map_err(|error| error.to_string())?;
    let first = request.line.unwrap_or(1).saturating_sub(1);
    let limit = request.limit.unwrap_or(usize::MAX);
    if first == 0 && limit == usize::MAX {
        return Ok(text);
    }
    Ok(text.split_inclusive('\n').skip(first).take(limit).collect())
}

/// Writes a file if `writable` allows it.
pub(super) fn write(
    folder: &Path,
    request: &WriteTextFile,
    writable: impl Fn(&str) -> Result<(), Refusal>,
) -> Result<(), String> {
    let path = below(folder, &request.path)?;
    writable(&path).map_err(|refusal| refusal.0)?;
    let root = open(folder)?;
    if let Some((parent, _)) = path.rsplit_once('/') {
        root.create_dir_all(parent).map_err(|error| error.to_string())?;
    }
    root.write(&path, &request.content).map_err(|error| error.to_string())
}
