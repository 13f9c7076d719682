//! Ids, states, and value types of docwright. No input or output, and no dependencies on other docwright crates.

pub mod account;
pub mod agent_job;
pub mod analytics;
pub mod assistant;
pub mod counted;
pub mod default_domain;
pub mod deployment;
pub mod domain_address;
pub mod domain_name;
pub mod export_job;
pub mod feedback;
pub mod git_host;
pub mod key;
pub mod network;
pub mod notification;
pub mod plan;
pub mod preview;
pub mod printable;
pub mod pull_request;
pub mod release;
pub mod site;
pub mod site_origin;
pub mod stored_diagnostic;
pub mod timestamp;
pub mod token;
pub mod totp;
