//! Work that can hang or eat memory, in a process of its own.
//!
//! Compiling a repository runs code and markup of strangers. [`Launcher`] starts this same program
//! once more as `docwright child`, which limits and confines itself before it reads
//! what to do, does one piece of [`work`], and answers over its standard output. The parent believes
//! nothing that the child says: what arrives is capped, checked against the protocol, and a child that
//! breaks it is killed, as is one that exceeds its limits, is stopped, or is no longer waited for.
//!
//! Network and git stay with the parent: a build says once what it needs from there ([`BrokerRequest`]).
//! This module knows nothing of jobs, leases or the database.

mod confinement;
mod deadline;
mod dialog;
mod error;
mod frame;
mod launcher;
mod limits;
mod memory;
mod message;
mod process;
mod protocol;
mod running;
pub mod sandbox;
pub mod work;

pub use error::{ChildError, ChildFailure};
pub use launcher::{Caller, Launcher};
pub use limits::Limits;
pub use message::{BrokerRequest, BrokerResponse, Progress};
pub use process::run as run_child;
pub use sandbox::Folders;
