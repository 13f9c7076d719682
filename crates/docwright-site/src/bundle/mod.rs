//! A built site as one archive: `bundle.tar.gz` with its `manifest.json`; and back again, safely.
