//! API specs as pages: the contents of OpenAPI and `AsyncAPI` as built-in components.
//!
//! Reads operations and schemas, and generates samples and the playground's data. It creates nodes, never HTML,
//! so fields, tabs, and code look like handwritten ones. The Markdown of a page comes from the same nodes, so that
//! neither lacks what the other has. It reads only JSON values of OpenAPI 3.0 to 3.2, and ignores unknown parts.

mod budget;
mod channel;
mod choices;
mod document;
mod example;
mod facts;
mod fields;
mod label;
mod markdown;
mod media;
mod nodes;
mod once;
mod operation;
mod page;
mod playground;
mod request;
mod responses;
mod sample_blocks;
mod samples;
mod schema;
mod security;
mod server;
mod unavailable;

pub use budget::Overrun;
pub use channel::{Channel, channel_nodes};
pub use document::part;
pub use markdown::markdown;
pub use operation::Operation;
pub use page::{NamedSchema, operation_nodes};
pub use playground::{origin, playground, request_origins};
pub use unavailable::Unavailable;

/// Settings of the configuration and the page.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the format")]
pub struct Settings {
    /// `api.params.post`: schema keys that are shown as pills.
    pub pills: Vec<String>,
    /// `api.params.expanded`: nested fields are open from the start.
    pub expanded: bool,
    /// `api.examples.languages`, as written; docwright's own choice if empty.
    pub languages: Vec<String>,
    /// `api.examples.defaults: required`: samples omit optional fields.
    pub required_only: bool,
    /// `api.examples.autogenerate`: samples are generated even if the author wrote some.
    pub autogenerate: bool,
    /// The title of the page, which replaces the summary of its operation.
    pub title: String,
    /// Whether the spec's description is shown, because the page has none.
    pub with_description: bool,
}
