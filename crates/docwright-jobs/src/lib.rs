//! Background work of docwright.
//!
//! Two flows: [`publish`] (repository → site → bundle → release) and [`propose`] (prompt → workspace → agent →
//! branch → pull request). [`queue`] runs their jobs; [`child`] runs work that can hang in separate processes.
//! This crate alone combines the compiler, the agent, repositories, and storage. It knows nothing of HTTP servers.
//!
//! | Module | Does |
//! | --- | --- |
//! | [`repositories`] | Finds the files of projects |
//! | [`built_in`] | The built-in git host |
//! | [`page_edit`] | Proposes a new text of one page |
//! | [`poll`] | Finds branches that moved |
//! | [`previews`] | Sites of pull requests |
//! | [`report`] | Reports releases to git hosts |
//! | [`comparer`] | Compares two releases |
//! | [`external_links`] | Checks links to other sites |
//! | [`lost_bundles`] | Rebuilds bundles that are gone |
//! | [`result_caches`] | Results of earlier builds |
//! | [`notify`] | Sends notifications |
//! | [`dependencies`] | Models and the object storage, when they don't work |
//! | [`deletion`] | Deletes what belongs to a deleted record |
//! | [`upkeep`] | Regular clean-up |

pub mod built_in;
pub mod child;
pub mod clock;
pub mod comparer;
pub mod deletion;
pub mod dependencies;
pub mod disk;
pub mod embedding_cache;
pub mod external_links;
pub mod least_recent;
pub mod lost_bundles;
pub mod notify;
pub mod page_edit;
pub mod poll;
pub mod previews;
pub mod propose;
pub mod publish;
pub mod queue;
pub mod remote_specs;
pub mod report;
pub mod repositories;
pub mod result_caches;
pub mod scratch;
pub mod upkeep;
