//! The queue, projects' repositories, and polls, with a real database and real git.

mod clean;
mod drain;
mod histories;
mod instance;
mod leases;
mod poll;
mod publish;
mod repositories;
mod retries;
mod scripted;
