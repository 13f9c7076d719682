//! The scripts of pages with diagrams.

use std::sync::{Arc, LazyLock};

use crate::render::PageScripts;

/// Makes diagrams large, and has mermaid.js draw those that the build couldn't.
const DIAGRAMS: &str = "_docwright/diagrams.js";

/// mermaid.js as a classic script, which works from a file too.
const MERMAID: &str = "_docwright/mermaid.js";

/// Unpacked once a page needs it.
static LIBRARY: LazyLock<Arc<str>> = LazyLock::new(|| {
    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/mermaid.zst"));
    let script = zstd::decode_all(packed.as_slice()).unwrap_or_default();
    String::from_utf8(script).unwrap_or_default().into()
});

/// What the diagrams of a page need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DiagramScripts {
    /// Whether there is a diagram.
    pub(crate) has_diagrams: bool,
    /// Whether there is one that the browser draws.
    pub(crate) needs_library: bool,
}

impl DiagramScripts {
    /// The scripts, in the order of loading.
    pub(crate) fn scripts(self) -> PageScripts {
        let mut scripts = PageScripts::default();
        if self.needs_library {
            scripts.push((MERMAID.to_owned(), Arc::clone(&LIBRARY)));
        }
        if self.has_diagrams {
            let script = include_str!("../../theme/scripts/diagrams.js");
            scripts.push((DIAGRAMS.to_owned(), script.into()));
        }
        scripts
    }
}
