//! Texts of the form for a new project.

use docwright_types::counted::{counted, grouped};

pub(crate) const REPOSITORY_HINT: &str = "A URL that git can clone, such as https://github.com/acme/docs. Leave empty to use the built-in git host.";
pub(crate) const STARTER: &str = "Start with example pages (built-in git host only)";
pub(crate) const NEW_DOMAIN_HINT: &str =
    "Where readers find the site, such as docs.example.com. Leave empty to add a domain later.";
pub(crate) const NEW_DOMAIN_HERE_HINT: &str =
    "Where readers find the site. Leave empty to use the project name with .localhost.";
pub(crate) fn new_domain_default_hint(sites: &str) -> String {
    format!(
        "Where readers find the site, such as docs.example.com. Every project also gets a default domain, which ends in .{sites}."
    )
}
pub(crate) const MADE_WITHOUT_DOMAIN: &str =
    "The project was created without this domain. Add a domain to build the site.";
pub(crate) const CHECK_REPOSITORY: &str = "Check repository";
pub(crate) const NO_URL: &str = "Enter a URL to check. Without one, the project uses the built-in git host, which needs no check.";
pub(crate) const PRIVATE_REPOSITORY: &str = "Credentials for a private repository";
pub(crate) const TOKEN: &str = "Token or password";
pub(crate) const TOKEN_HINT: &str =
    "A token that can read the repository. It is encrypted and never shown.";
pub(crate) const TOKEN_KEPT_HINT: &str =
    "docwright keeps the token of your last check for 15 minutes. Leave empty to use it.";
pub(crate) const CHECKED: &str = "docwright can read this repository.";
pub(crate) const EMPTY_REPOSITORY: &str =
    "It has no commits yet. Create the project, then push a folder that contains docs.json.";
pub(crate) const NOT_LISTED: &str =
    "docwright couldn't list its files. The first release shows what it contains.";
pub(crate) const TOP_OF_REPOSITORY: &str = "Top of the repository";
pub(crate) const MADE_WITHOUT_CREDENTIALS: &str = "The project was created without these credentials. Add them, so that docwright can read the repository.";

/// The default branch in the list of branches.
pub(crate) fn default_branch(name: &str) -> String {
    format!("{name} (default)")
}

/// How many branches a repository has.
pub(crate) fn branches(count: usize, are_more: bool) -> String {
    match count {
        1 => "It has 1 branch.".to_owned(),
        count if are_more => format!("It has more than {} branches.", grouped(count)),
        count => format!("It has {} branches.", grouped(count)),
    }
}

/// The docs root of a branch; of a folder of the server without one.
pub(crate) fn docs_root(branch: Option<&str>, folder: &str, pages: u64) -> String {
    let place =
        if folder.is_empty() { "at its top".to_owned() } else { format!("in the folder {folder}") };
    format!("{} has docs.json {place}, and {}.", place_of(branch), counted(pages, "page"))
}

/// A branch, or a folder of the server, without a docs root.
pub(crate) fn no_docs_root(branch: Option<&str>) -> String {
    format!(
        "{} has no docs.json yet. You can create the project now, and add one later.",
        place_of(branch)
    )
}

fn place_of(branch: Option<&str>) -> String {
    branch.map_or("The folder".to_owned(), |branch| format!("Branch {branch}"))
}

/// A docs root in the list of folders.
pub(crate) fn folder(path: &str, pages: u64) -> String {
    let path = if path.is_empty() { TOP_OF_REPOSITORY } else { path };
    format!("{path} ({})", counted(pages, "page"))
}
