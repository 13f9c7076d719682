//! What docwright does in the background.
//!
//! Two flows: [`publish`] (repository → site → bundle → release) and [`propose`] (prompt → workspace →
//! agent → branch → pull request). [`queue`] runs their jobs, [`child`] does in processes of their own
//! what can hang, [`external_links`] asks whether links lead anywhere, [`look`] finds branches that moved, [`lost_bundles`] has bundles built again whose objects are gone, [`report`] tells hosts of releases, [`repositories`] is the way to the files of projects, [`built_in`] docwright's own
//! git host, [`previews`] the sites of pull requests, [`comparer`] tells what differs between two releases, [`deletion`] the end of what the operator deletes, [`notify`] notifications, [`upkeep`] what nobody asks for. This crate alone combines the compiler, the agent,
//! repositories and storage. It knows nothing of HTTP servers.

pub mod built_in;
pub mod child;
pub mod clock;
pub mod comparer;
pub mod deletion;
pub mod disk;
pub mod external_links;
pub mod lost_bundles;
pub mod notify;
pub mod poll;
pub mod previews;
pub mod propose;
pub mod publish;
pub mod queue;
pub mod remote_specs;
pub mod report;
pub mod repositories;
pub mod scratch;
pub mod upkeep;
