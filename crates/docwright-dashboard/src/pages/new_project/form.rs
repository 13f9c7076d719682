//! The form, with what a check found.

use docwright_operations::repository_checks::{DocsRoot, RepositoryCheck, RepositoryField};
use maud::{Markup, html};

use super::{CHECK, NewProject, domain::is_laptop};
use crate::{
    Dashboard,
    parts::{Field, FormError, NamedField, select_checked},
    project_context::OrganizationPlace,
    words,
};

/// Branches in a list. More are suggestions, so that people can type.
const LISTED: usize = 200;

/// The fields of the form, as errors of operations name them.
pub(super) const FIELDS: [NamedField; 7] = [
    ("name", "name", words::NAME),
    ("repository", "repository", words::REPOSITORY),
    ("username", "username", words::USERNAME),
    ("secret", "secret", words::TOKEN),
    ("branch", "branch", words::BRANCH),
    ("path", "path", words::DOCS_PATH),
    ("domain", "domain", words::DOMAIN),
];

/// What the form shows.
pub(super) struct Shown<'a> {
    pub(super) new: &'a NewProject,
    pub(super) check: Option<&'a RepositoryCheck>,
    pub(super) error: FormError,
    /// Whether the token of the last check is kept.
    pub(super) is_kept: bool,
}

impl<'a> Shown<'a> {
    /// The form after a check, with the error that it found.
    pub(super) fn of(new: &'a NewProject, check: Option<&'a RepositoryCheck>) -> Self {
        let problem = check.and_then(|check| check.problem.as_ref());
        let error = match problem {
            Some(problem) => FormError::about(field_of(problem.field), problem.message.clone()),
            None => FormError::of(None, &FIELDS),
        };
        Self { new, check, error, is_kept: false }
    }
}

/// The field of the form that an input of a check is from.
const fn field_of(field: RepositoryField) -> &'static str {
    match field {
        RepositoryField::Repository => "repository",
        RepositoryField::Credentials => "secret",
        RepositoryField::Branch => "branch",
        RepositoryField::Path => "path",
    }
}

pub(super) fn form(dashboard: &Dashboard, place: &OrganizationPlace, shown: &Shown<'_>) -> Markup {
    let Shown { new, error, .. } = shown;
    let path = format!("/organizations/{}/projects/new", place.organization.id);
    let domain_hint = match dashboard.operations.ownership.service_hosts().sites() {
        Some(sites) => words::new_domain_default_hint(sites.name().as_str()),
        None if is_laptop(dashboard) => words::NEW_DOMAIN_HERE_HINT.to_owned(),
        None => words::NEW_DOMAIN_HINT.to_owned(),
    };
    html! {
        h1 { (words::NEW_PROJECT) }
        (error.show())
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, &new.name).checked(error).show())
            (Field::text("repository", words::REPOSITORY, &new.repository)
                .hint(words::REPOSITORY_HINT).optional().checked(error).show())
            (credentials(shown))
            // A name isn't needed to check.
            div.actions { button type="submit" name="step" value=(CHECK) formnovalidate { (words::CHECK_REPOSITORY) } }
            @if let Some(check) = shown.check { (found(check)) }
            label.choice {
                input type="checkbox" name="starter" checked[!new.starter.is_empty()];
                span { (words::STARTER) }
            }
            (branch(shown))
            (folder(shown))
            (Field::text("domain", words::DOMAIN, &new.domain)
                .hint(&domain_hint).optional().checked(error).show())
            button.primary type="submit" name="step" value="create" { (words::CREATE_PROJECT) }
        }
    }
}

/// The credentials, which are open if they are needed.
fn credentials(Shown { new, error, is_kept, .. }: &Shown<'_>) -> Markup {
    let is_open = *is_kept
        || !new.username.is_empty()
        || ["username", "secret"].iter().any(|field| error.at(field).is_some());
    let hint = if *is_kept { words::TOKEN_KEPT_HINT } else { words::TOKEN_HINT };
    html! {
        details.more open[is_open] {
            summary { (words::PRIVATE_REPOSITORY) }
            (Field::text("username", words::USERNAME, &new.username)
                .hint(words::USERNAME_HINT).optional().checked(error).show())
            // No page repeats a token.
            (Field::text("secret", words::TOKEN, "").of("password", "off")
                .hint(hint).optional().checked(error).show())
        }
    }
}

/// What a check found in the repository.
fn found(check: &RepositoryCheck) -> Markup {
    let is_read = !check.branches.is_empty() || check.docs_roots.is_some() || check.is_empty();
    let is_wrong = check.problem.is_some();
    html! {
        @if !is_wrong && is_read {
            div.notice.done role="status" {
                p { strong { (words::CHECKED) } @if !check.branches.is_empty() {
                    " " (words::branches(check.branches.len(), check.more_branches))
                } }
                p { (contents(check)) }
            }
        }
    }
}

/// What the branch contains.
fn contents(check: &RepositoryCheck) -> String {
    let branch = check.branch.as_deref();
    match (&check.docs_root, &check.docs_roots) {
        (Some(DocsRoot { path, pages }), _) => words::docs_root(branch, path, *pages),
        (None, Some(_)) => words::no_docs_root(branch),
        (None, None) if check.is_empty() => words::EMPTY_REPOSITORY.to_owned(),
        (None, None) => words::NOT_LISTED.to_owned(),
    }
}

/// The branch: a list of those that the repository has.
fn branch(Shown { new, check, error, .. }: &Shown<'_>) -> Markup {
    let typed = Field::text("branch", words::BRANCH, &new.branch).optional().checked(error);
    let Some(check) = check.filter(|check| !check.branches.is_empty()) else {
        return typed.hint(words::BRANCH_HINT).show();
    };
    if check.more_branches || check.branches.len() > LISTED {
        return html! {
            (typed.hint(words::BRANCH_HINT).suggested("branches").show())
            datalist #branches { @for name in &check.branches { option value=(name) {} } }
        };
    }
    let default = check.default_branch.as_deref();
    // An empty value is the default branch, also if the repository gets another one.
    let options: Vec<_> = check
        .branches
        .iter()
        .map(|name| match default {
            Some(default) if name == default => (String::new(), words::default_branch(name)),
            _ => (name.clone(), name.clone()),
        })
        .collect();
    let chosen = if Some(new.branch.trim()) == default { "" } else { new.branch.trim() };
    select_checked(("branch", words::BRANCH), &options, chosen, None, error)
}

/// The folder: a list of those that can be the docs root, if there is something to choose.
fn folder(Shown { new, check, error, .. }: &Shown<'_>) -> Markup {
    let roots = check.and_then(|check| check.docs_roots.as_deref()).unwrap_or_default();
    if roots.len() < 2 && (roots.is_empty() || error.at("path").is_none()) {
        let typed = Field::text("path", words::DOCS_PATH, &new.path);
        return typed.hint(words::DOCS_PATH_HINT).optional().checked(error).show();
    }
    let options: Vec<_> = roots
        .iter()
        .map(|DocsRoot { path, pages }| (path.clone(), words::folder(path, *pages)))
        .collect();
    let chosen = new.path.trim().trim_matches('/');
    select_checked(("path", words::DOCS_PATH), &options, chosen, None, error)
}
