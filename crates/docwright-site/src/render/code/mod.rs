//! Code blocks: options of fences, colors, and HTML.
//!
//! A [`Highlighter`] is created once per site. [`fence`] renders a fence of a page, [`block`] renders code of a
//! component. [`mermaid`](super::mermaid) renders diagrams in fences.

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
