//! All that people and programs can do with docwright: one file a resource, one function an operation.
//!
//! An operation takes what it works with ([`Operations`]), who calls it ([`Allowed`] by the permission that it
//! needs), and its input. Inputs and outputs are the types of the wire. Validation, authorization, and the
//! audit entry are here and nowhere else; the API, the dashboard, and the command line each read their own form
//! of the input, call the operation, and show the result.

pub mod audit;
pub mod callers;
pub mod deletion;
pub mod error;
pub mod failed_sign_ins;
pub mod fields;
pub mod listed;
pub mod lists;
pub mod model_answers;
mod operations;
pub mod ownership;
pub mod page_lookup;
pub mod permissions;
pub mod projects;
pub mod rate_limit;
pub mod service_hosts;
pub mod trace;
pub mod web;

pub use callers::Caller;
pub use error::OperationError;
pub use listed::Listed;
pub use operations::{Operations, Resources};
pub use permissions::{Allowed, can};
