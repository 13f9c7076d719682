//! Everything that people and programs can do with docwright: one file per resource, one function per operation.
//!
//! An operation takes its resources ([`Operations`]), its caller ([`Allowed`] with the required permission), and
//! its input. Inputs and outputs are the types of the API. Only this crate validates, authorizes, and writes audit
//! entries; the API, the dashboard, and the command line parse their own form of the input, call the operation,
//! and show the result.

pub mod accounts;
pub mod agent_jobs;
pub mod analytics;
pub mod assistant_keys;
pub mod attempts;
pub mod audit;
pub mod audit_log;
pub mod built_in;
pub mod callers;
pub mod credentials;
pub mod deletion;
pub mod deployments;
pub mod diagnostics;
pub mod diff;
pub mod discovery;
pub mod domains;
pub mod error;
pub mod exports;
pub mod failed_sign_ins;
pub mod fair_limiter;
pub mod feedback;
pub mod fields;
pub mod gaps;
pub mod idempotency;
pub mod inbox;
pub mod instance;
pub mod invitations;
pub mod keys;
pub mod listed;
pub mod lists;
pub mod members;
pub mod model_answers;
pub mod next_step;
mod operations;
pub mod organizations;
pub mod overview;
pub mod ownership;
pub mod page_lookup;
pub mod pages;
pub mod password;
pub mod permissions;
pub mod personal_tokens;
pub mod plans;
pub mod previews;
pub mod problems;
pub mod projects;
pub mod pull_requests;
pub mod questions;
pub mod rate_limit;
mod reader_words;
pub mod releases;
pub mod repository_checks;
pub mod search;
pub mod service_hosts;
pub mod subscriptions;
pub mod trace;
pub mod updates;
pub mod web;
pub mod webhooks;

pub use callers::Caller;
pub use error::OperationError;
pub use listed::Listed;
pub use operations::{LocalResources, Mail, Operations, Resources};
pub use permissions::{Allowed, can};
