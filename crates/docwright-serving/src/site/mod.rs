//! How a site answers a request, straight out of its bundle. It knows no domains and no database: what
//! is served where is decided by `sites` and by `deployment`.

mod address;
mod answer;
mod body;
mod mcp;
mod members;
mod mount;
mod negotiate;
mod open_site;
mod redirects;

pub use answer::answer;
pub use members::Members;
pub use mount::Mount;
pub use open_site::OpenSite;
