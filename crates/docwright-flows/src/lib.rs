//! What docwright does in the background.
//!
//! Two flows: [`publish`] (repository → site → bundle → storage) and [`propose`] (prompt → workspace →
//! agent → branch → pull request). [`queue`] runs their jobs, [`repositories`] and [`built_in`] say
//! where projects have their files, [`remote_specs`] fetches what sites name on other hosts, [`upkeep`]
//! is what nobody asks for. This crate alone combines the compiler, the agent, repositories and
//! storage. It knows nothing of HTTP servers.

pub mod built_in;
pub mod clock;
pub mod propose;
pub mod publish;
pub mod queue;
pub mod remote_specs;
pub mod repositories;
pub mod upkeep;
