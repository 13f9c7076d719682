//! Ids, states and value types of docwright. No input or output, and nothing of ours below it.

pub mod deployment;
