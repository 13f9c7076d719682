//! What tests of several crates need: a database of their own, an S3 server, an authenticator, a wait
//! for something to be so, and ports. For development only.

pub mod authenticator;
pub mod database;
pub mod ports;
pub mod s3;
pub mod wait;
