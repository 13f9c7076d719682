//! Git hosts of others: what they are told and asked, over real HTTP, with real git.

mod github;
