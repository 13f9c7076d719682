//! Reads the outline of a built site: its pages in the order of the navigation.

pub use crate::generated::OutlinePage;
use crate::{bundle::Bundle, generated::OUTLINE};

/// Largest outline that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The outline of a bundle; `None` if it has none, or a damaged one.
pub fn outline(bundle: &Bundle) -> Option<Vec<OutlinePage>> {
    let file = bundle.get(OUTLINE).filter(|file| file.size <= LARGEST)?;
    serde_json::from_slice(&bundle.read(file).ok()?).ok()
}
