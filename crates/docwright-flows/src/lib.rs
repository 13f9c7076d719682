//! What docwright does in the background.
//!
//! Two flows: [`publish`] (repository → site → bundle → storage) and [`propose`] (prompt → workspace →
//! agent → branch → pull request). [`queue`] runs their jobs, [`forge`] are the hosts of git
//! repositories and pull requests, [`upkeep`] is what nobody asks for. This crate alone combines the
//! compiler, the agent and storage. It knows nothing of HTTP servers.

pub mod child;
pub mod clock;
pub mod forge;
pub mod git;
pub mod history;
pub mod origin;
pub mod propose;
pub mod publish;
pub mod queue;
pub mod remote_specs;
pub mod upkeep;
