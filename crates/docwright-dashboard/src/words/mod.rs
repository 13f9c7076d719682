//! All texts of the dashboard, by page. A translation would be another folder like this one.

mod analytics;
mod deployments;
mod domains;
mod done;
pub mod emails;
mod factors;
mod inbox;
mod new_project;
mod next_steps;
mod organization;
mod page_edit;
mod passkeys;
mod people;
mod personal_tokens;
mod project;
mod publishing;
mod pull_requests;
mod search;
mod settings;
mod site_pages;
mod work;

use docwright_types::account::Role;

pub(super) use analytics::*;
pub(super) use deployments::*;
pub(super) use domains::*;
pub(super) use done::Done;
pub(super) use factors::*;
pub(super) use inbox::*;
pub(super) use new_project::*;
pub(super) use next_steps::*;
pub(super) use organization::*;
pub(super) use page_edit::*;
pub(super) use passkeys::*;
pub(super) use people::*;
pub(super) use personal_tokens::*;
pub(super) use project::*;
pub(super) use publishing::*;
pub(super) use pull_requests::*;
pub(super) use search::*;
pub(super) use settings::*;
pub(super) use site_pages::*;
pub(super) use work::*;

pub(super) const PRODUCT: &str = "docwright";
pub(super) const SKIP: &str = "Skip to content";
pub(super) const MENU: &str = "Menu";
pub(super) const MAIN_NAVIGATION: &str = "Main";
pub(super) const INSTANCE: &str = "Instance";
pub(super) const SWITCH_ORGANIZATION: &str = "Switch organization";
pub(super) const ALL_ORGANIZATIONS: &str = "View all organizations";
pub(super) const BACK_HOME: &str = "Go to start page";
pub(super) const NEXT_PAGE: &str = "Next page";
pub(super) const FIRST_PAGE: &str = "First page";
pub(super) const SEARCH: &str = "Search";
pub(super) const SHOW_ALL: &str = "Show all";
pub(super) const FILTER: &str = "Filter";
pub(super) const ALL: &str = "All";
pub(super) const SORT: &str = "Sort";
pub(super) const NEWEST: &str = "Newest";
pub(super) const OLDEST: &str = "Oldest";
pub(super) const BY_NAME: &str = "Name";
pub(super) const NOTHING_FOUND: &str = "No results";
pub(super) const NOTHING_SO: &str = "No items match this filter.";
pub(super) const COPY: &str = "Copy";
pub(super) const CHANGE: &str = "Change";
pub(super) const REMOVE: &str = "Remove";
pub(super) const NEW_PASSWORD: &str = "New password";
pub(super) const SAVE: &str = "Save";
pub(super) const STORED: &str = "Current values";
pub(super) const STORED_WHY: &str =
    "The form still has what you typed. Save it to replace the current values.";
pub(super) const VERSION: &str = "Version";
pub(super) const WAITING: &str = "Waiting";
pub(super) const MODEL: &str = "Model";
pub(super) const BRANCH: &str = "Branch";
pub(super) const PULL_REQUEST: &str = "Pull request";

/// The pages of an organization: the required role, the last part of the path, and the label.
pub(super) const ORGANIZATION_SECTIONS: &[(Role, &str, &str)] = &[
    (Role::Viewer, "", "Projects"),
    (Role::Viewer, "members", "Members"),
    (Role::Admin, "keys", "API keys"),
    (Role::Admin, "audit", "Audit log"),
    (Role::Viewer, "plan", "Plan and usage"),
];

/// The pages of a project.
pub(super) const PROJECT_SECTIONS: &[(Role, &str, &str)] = &[
    (Role::Viewer, "", "Overview"),
    (Role::Viewer, "releases", "Releases"),
    (Role::Viewer, "pages", PAGES),
    (Role::Viewer, "previews", "Previews"),
    (Role::Viewer, "jobs", "Agent jobs"),
    (Role::Viewer, "pull-requests", PULL_REQUESTS),
    (Role::Viewer, "exports", "Static exports"),
    (Role::Viewer, "deployments", DEPLOYMENTS),
    (Role::Viewer, "analytics", ANALYTICS),
    (Role::Viewer, "feedback", "Feedback"),
    (Role::Viewer, "gaps", GAPS),
    (Role::Viewer, "domains", "Domains"),
    (Role::Viewer, "settings", "Settings"),
];

/// The pages of the instance.
pub(super) const INSTANCE_SECTIONS: &[(&str, &str)] = &[
    ("organizations", "Organizations"),
    ("accounts", "Accounts"),
    ("plans", "Plans"),
    ("instance", "Health"),
];

pub(super) const NUL: &str = "A field contains a NUL character. Remove it.";
pub(super) const FOREIGN_FORM: &str =
    "This form wasn't sent from this dashboard. Open the page here and send it again.";
pub(super) const MISSING: &str = "Page not found";
pub(super) const MISSING_WHY: &str =
    "The page doesn't exist, or it belongs to an organization that you aren't a member of.";
pub(super) const FORBIDDEN: &str = "You don't have permission";
pub(super) const INVALID: &str = "Check the form";
pub(super) const CONFLICT: &str = "This action isn't available right now";
pub(super) const LIMITED: &str = "Too many requests";
pub(super) const UNAVAILABLE: &str = "Service unavailable";
pub(super) const UNAVAILABLE_WHY: &str = "A dependency isn't responding. Try again in a minute. The operator can find the cause in the log.";
pub(super) const FAILED: &str = "Internal error";
pub(super) const FAILED_WHY: &str =
    "docwright failed to handle the request. The operator can find the cause in the log.";

/// The text for a search without results, which can be limited to one state.
pub(super) fn nothing_begins_with(search: &str, is_in_a_state: bool) -> String {
    let place = if is_in_a_state { "in this state" } else { "in this list" };
    format!("No items {place} match “{search}”.")
}

/// The text for a page that requires a role.
pub(super) fn needs(role: Role) -> String {
    let who = match role {
        Role::Viewer => "members",
        Role::Editor => "editors and admins",
        Role::Admin => "admins",
    };
    format!("Only {who} of the organization can do this. Ask an admin to change your role.")
}
