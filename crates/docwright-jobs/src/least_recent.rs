//! Which files or folders of a cache make room for others.

use std::{path::PathBuf, time::SystemTime};

/// The paths that changed least recently, as few as leave at most `room` bytes to the others together. Each entry has
/// the time of its last change, its bytes, and its path.
pub fn over_room(mut entries: Vec<(SystemTime, u64, PathBuf)>, room: u64) -> Vec<PathBuf> {
    entries.sort();
    let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    let mut over = Vec::new();
    for (_, bytes, path) in entries {
        if total <= room {
            break;
        }
        total = total.saturating_sub(bytes);
        over.push(path);
    }
    over
}
