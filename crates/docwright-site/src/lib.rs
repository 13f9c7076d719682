//! The docwright compiler: a documentation repository in, a static site and diagnostics out.
//!
//! Pure by rule: no network, no clock, no database, no async. Files are read from a docs root and
//! written to an output; everything else that can differ between two runs is passed in through
//! [`Options`], so that the same input gives the same bytes.
//!
//! The flow is [`build::build`]: read the source, understand its content, render pages, write them
//! with the search index and the generated files. [`bundle`] makes one archive of the result,
//! [`comparison`] says which pages of two of them differ, and
//! [`hosting`] says its redirects in the words of hosts.

pub mod build;
pub mod bundle;
pub mod comparison;
pub mod content;
pub mod diagnostic;
pub mod generated;
pub mod hosting;
pub mod mdx;
pub mod openapi;
pub mod options;
pub mod output;
pub mod render;
pub mod script;
pub mod search;
pub mod source;
pub mod theme;

pub use diagnostic::{Diagnostic, Rule, Severity};
pub use options::Options;
