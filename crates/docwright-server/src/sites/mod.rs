//! Sites, served straight out of their bundles.

mod address;
mod answer;
mod body;
mod conditions;
mod feedback;
mod mcp;
mod members;
mod negotiate;
mod open_site;
mod redirects;

pub(crate) use answer::{Offers, answer};
pub(crate) use members::Members;
pub(crate) use open_site::OpenSite;
