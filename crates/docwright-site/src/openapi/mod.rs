//! API specs as pages: what OpenAPI and `AsyncAPI` say, in the words of the built-in components.
//!
//! Owns the reading of operations and schemas, their samples, and what the playground must know.
//! Makes nodes, never HTML: fields, tabs and code look like those that authors write by hand. Reads
//! JSON values only, of OpenAPI 3.0 and 3.1 alike; what it does not know it leaves out.

mod budget;
mod channel;
mod document;
mod example;
mod fields;
mod label;
mod nodes;
mod operation;
mod page;
mod playground;
mod request;
mod samples;
mod server;
mod unavailable;

pub use budget::Overrun;
pub use channel::{Channel, channel_nodes};
pub use document::part;
pub use operation::Operation;
pub use page::{NamedSchema, operation_nodes};
pub use playground::playground;
pub use unavailable::Unavailable;

/// What the configuration and the page decide.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the format")]
pub struct Settings {
    /// `api.params.post`: keys of schemas that are shown as pills.
    pub pills: Vec<String>,
    /// `api.params.expanded`: nested fields are open from the start.
    pub expanded: bool,
    /// `api.examples.languages`, as written; docwright's own choice if empty.
    pub languages: Vec<String>,
    /// `api.examples.defaults: required`: samples leave out what is optional.
    pub required_only: bool,
    /// `api.examples.autogenerate`: samples are made also where the author wrote some.
    pub autogenerate: bool,
    /// The page has no description of its own.
    pub with_description: bool,
}
