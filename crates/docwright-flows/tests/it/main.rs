//! One binary for the integration tests of the background.

mod forge;
