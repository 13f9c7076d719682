//! The queue, the repositories of projects and the reconciler, with a real database and real git.

mod drain;
mod install;
mod leases;
mod publish;
mod reconcile;
mod repositories;
mod retries;
mod scripted;
