//! Serving for readers: sites and previews, straight from their bundles, and deployments of one bundle.

pub mod deployment;
pub mod requests;
pub mod site;
pub mod sites;
