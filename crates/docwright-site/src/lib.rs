#![allow(missing_docs)]
pub mod content;
pub mod diagnostic;
pub mod mdx;
pub mod options;
pub mod output;
pub mod render;
pub mod source;
pub use diagnostic::{Diagnostic, Severity};
pub use options::Options;
