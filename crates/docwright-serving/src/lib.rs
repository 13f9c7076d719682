//! What readers meet: sites and previews, straight out of their bundles, and deployments of one bundle.

pub mod deployment;
pub mod site;
pub mod sites;
