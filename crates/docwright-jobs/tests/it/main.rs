//! The queue, the repositories of projects and polls of them, with a real database and real git.

mod clean;
mod drain;
mod histories;
mod instance;
mod leases;
#[expect(dead_code, reason = "the suite of databases uses the rest")]
#[path = "../../../docwright-storage/tests/it/place.rs"]
mod place;
mod poll;
mod publish;
mod repositories;
mod retries;
mod scripted;
