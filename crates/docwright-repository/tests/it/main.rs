//! One binary for all integration tests of the crate, with real git.

mod checkout;
mod clones;
mod git_hosts;
mod network;
mod repositories;
