//! How a site answers a request, straight out of its bundle. It knows no domains and no database: what
//! is served where is decided by `sites` and by `deployment`.

mod address;
mod answer;
mod body;
mod conditions;
mod mcp;
mod members;
mod mount;
mod negotiate;
mod open_site;
mod partial;
mod redirects;

pub(crate) use answer::answer;
pub(crate) use members::Members;
pub(crate) use mount::Mount;
pub(crate) use open_site::OpenSite;
pub(crate) use partial::send_file;
