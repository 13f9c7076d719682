//! All integration tests of the service in one binary: the real program over real HTTP.

mod access;
mod admin;
mod agent;
mod analytics;
mod answers;
mod api;
mod assistant;
mod audit;
#[cfg(unix)]
mod backup;
mod broken_projects;
mod bundle_links;
mod cached_exports;
mod checkout;
#[cfg(target_os = "linux")]
mod child;
mod commands;
mod dashboard;
#[cfg(unix)]
mod deletion;
mod dependencies;
#[cfg(unix)]
mod deployment;
mod deployments;
mod diagnostic_report;
#[cfg(target_os = "linux")]
mod disk_full;
mod domains;
#[cfg(unix)]
mod export_script;
mod git_hosts;
mod held_releases;
mod hosting;
mod http2;
#[cfg(unix)]
mod instance;
#[cfg(unix)]
mod interruption;
mod limits;
mod lost_bundles;
#[cfg(target_os = "linux")]
mod memory;
mod notifications;
mod objects;
mod observing;
mod origins;
#[cfg(unix)]
mod owner;
#[cfg(unix)]
mod playground;
mod postgres;
#[cfg(target_os = "linux")]
mod postgres_tls;
mod previews;
mod reference;
mod remote_admin;
mod replaced;
mod repository_checks;
mod requests;
mod revisions;
mod revoked;
mod running;
mod scripted;
mod server;
mod site_addresses;
mod sites;
mod starting;
mod starting_together;
mod tenants;
#[cfg(unix)]
mod unchanged_builds;
mod updates;
mod worker;
