//! Helpers for tests of several crates: databases, a year of web analytics, a git server, an S3 server, an authenticator,
//! programs, waiting for conditions, and ports. For development only.

pub mod analytics_year;
pub mod authenticator;
pub mod database;
pub mod git_server;
pub mod ports;
pub mod programs;
pub mod s3;
pub mod wait;
