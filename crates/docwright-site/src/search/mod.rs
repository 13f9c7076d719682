//! The search index of a site: made at build time, read by a classic script, also from `file://`.
