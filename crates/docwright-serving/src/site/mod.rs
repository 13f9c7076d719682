//! Answers requests to a site straight from its bundle. It knows no domains and no database: `sites` and
//! `deployment` decide what is served where.

mod address;
mod answer;
mod below;
mod body;
mod language;
mod mcp;
mod members;
mod mount;
mod negotiate;
mod open_site;
mod redirects;
mod searchers;
mod shown;
mod site_pages;

pub use answer::answer;
pub use below::below;
pub(crate) use mcp::PATH as MCP_PATH;
pub use members::Members;
pub use mount::Mount;
pub use open_site::OpenSite;
pub use shown::Shown;
pub(crate) use site_pages::SitePages;
