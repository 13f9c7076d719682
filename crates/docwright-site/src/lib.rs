//! The docwright compiler: a documentation repository in, a static site and diagnostics out.
//!
//! The crate is pure: no network, no clock, no database, no async. It reads files from a docs root and writes
//! them to an output. Everything else that can differ between two runs is in [`Options`], so the same input
//! gives the same bytes.
//!
//! [`build::build`] reads the source, interprets its content, renders pages, and writes them with the search
//! index and the generated files. [`bundle`] puts the result into one archive, [`comparison`] lists the pages
//! in which two archives differ, [`outline`] those of one, and [`hosting`] writes the redirects in the formats of hosts.

pub mod answer;
pub mod build;
pub mod bundle;
pub mod comparison;
pub mod content;
pub mod diagnostic;
pub mod embedding;
pub mod folder;
pub mod generated;
pub mod guidance;
mod hashed_path;
pub mod hosting;
pub mod mdx;
pub mod openapi;
pub mod options;
pub mod outline;
pub mod output;
pub mod packed_text;
pub mod render;
pub mod result_cache;
pub mod script;
pub mod search;
pub mod source;
pub mod stamp;
pub mod theme;

pub use diagnostic::{Diagnostic, Rule, Severity};
pub use options::Options;
