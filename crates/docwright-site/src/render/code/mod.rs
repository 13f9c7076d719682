//! Code blocks: what a fence says, its colors, its HTML.
//!
//! [`Highlighter`] is made once a site; [`fence`] renders a fence of a page, [`block`] what a
//! component asks for. Diagrams written as fences go to [`mermaid`](super::mermaid).

mod block;
mod cache;
mod contrast;
mod fence;
mod grammars;
mod highlight;
mod language;
mod markers;
mod meta;
mod palette;
mod theme;

pub use block::{CodeBlock, block};
pub use fence::{fence, fence_with};
pub use highlight::Highlighter;
pub use language::Language;
pub use meta::{LineSet, Meta};
