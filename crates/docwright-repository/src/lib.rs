//! Where documentation comes from and where changes go.
//!
//! Owns: what a repository's address can be ([`location`]), the one way to run git ([`git`]), which
//! hosts can be asked ([`network`]), the cache of clones ([`clones`]), the files of a commit
//! ([`checkout`]), what git knows of them ([`facts`], [`history`], [`patch`], [`web`]), and the hosts of pull
//! requests ([`git_hosts`]). Leaves to others: which folder of a checkout is the docs root, what its files
//! mean, who can ask for them, and the database.

pub mod checkout;
pub mod clones;
pub mod facts;
pub mod git;
pub mod git_hosts;
pub mod history;
pub mod location;
pub mod network;
pub mod patch;
pub mod remote;
pub mod web;
