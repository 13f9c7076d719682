//! Serving for readers: sites and previews, straight from their bundles, and deployments of one bundle.

pub mod analytics;
pub mod assistant;
pub mod deployment;
pub mod feedback;
mod media_type;
pub mod requests;
pub mod site;
pub mod sites;
