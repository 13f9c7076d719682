//! MDX source to a tree of our own, so that no other module knows which parser made it.
//!
//! Owns the guards that keep the parser from hanging or overflowing on hostile input, and turns
//! its complaints into [`Diagnostic`](crate::Diagnostic)s. Knows nothing of components or pages.

mod tree;

pub use tree::{Align, Attribute, AttributeValue, Node, NodeKind};
