//! Work that can hang or use too much memory, in a separate process.
//!
//! Compiling a repository runs untrusted code and markup. [`Launcher`] starts this program again as `docwright
//! child`, which limits and confines itself before it reads its request, does one piece of [`work`], and answers
//! over its standard output. The parent trusts nothing from the child: messages are limited in size and checked
//! against the protocol. A child is killed if it breaks the protocol, exceeds its limits, is stopped, or is no
//! longer awaited.
//!
//! Network and git stay with the parent: a build requests their data once ([`BrokerRequest`]). This module knows
//! nothing of jobs, leases, or the database.

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
