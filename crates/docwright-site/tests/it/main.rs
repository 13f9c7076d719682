//! One binary for all integration tests of the compiler: one module a part.

mod build;
mod bundle;
mod code;
mod components;
mod content;
mod generated;
mod hostile;
mod mdx;
mod render;
mod search;
mod theme;
