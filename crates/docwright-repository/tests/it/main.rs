//! One binary for all integration tests of the crate, with real git.

mod checkout;
mod clones;
mod forge;
mod network;
mod repositories;
