//! Reads documentation from repositories and writes changes to them.
//!
//! Owns: the forms of a repository's address ([`location`]), running git ([`git`]), which hosts can be contacted
//! ([`network`]), the cache of clones ([`clones`]), the files of a commit ([`checkout`]), a single one of them
//! ([`committed_file`]), their paths and the branches alone ([`listing`]), git's data about them ([`facts`],
//! [`history`], [`patch`], [`web`]), repositories in few files ([`packing`]), and the hosts of pull requests
//! ([`git_hosts`]). Others decide which folder of a checkout is the docs root, what its files mean, and who can
//! access them; the database is elsewhere.

mod ancestors;
pub mod checkout;
pub mod clones;
pub mod committed_file;
pub mod facts;
pub mod git;
pub mod git_hosts;
pub mod history;
pub mod listing;
pub mod location;
pub mod network;
pub mod packing;
pub mod patch;
pub mod remote;
pub mod web;
