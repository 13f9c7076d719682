//! Which paths an agent may touch: those below the docs root that hold documentation.

use crate::workspace::Refusal;

/// Longest path, in bytes.
const MAXIMUM_LENGTH: usize = 400;

/// Fails unless a path stays below the docs root.
pub fn check_readable(path: &str) -> Result<(), Refusal> {
    let sane = !path.is_empty()
        && path.len() <= MAXIMUM_LENGTH
        && !path.contains(['\\', ':'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if sane {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "`{path}` is no path below the docs root; paths are relative, with `/`, without `..`"
    )))
}

/// Fails unless a path may be written. Hidden files are settings of tools and of the host (hooks,
/// workflows), not documentation.
pub fn check_writable(path: &str) -> Result<(), Refusal> {
    check_readable(path)?;
    if path.split('/').any(|part| part.starts_with('.')) {
        return Err(Refusal::new(format!(
            "`{path}` is a hidden file; only documentation may be changed"
        )));
    }
    Ok(())
}
