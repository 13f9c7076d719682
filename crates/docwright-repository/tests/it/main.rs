//! All integration tests of the crate in one binary, with real git.

mod checkout;
mod clones;
mod git_hosts;
mod network;
mod repositories;
mod working_trees;
