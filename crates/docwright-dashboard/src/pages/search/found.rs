//! What the operation found, with the pages that show it.

use docwright_operations::{can, search::Results};

use super::entry::{Entry, Group};
use crate::{
    pages::releases::ReleaseView,
    paths::{encoded, with_query},
    project_context::{OrganizationPlace, ProjectContext},
    words,
};

/// Objects of the project come first.
pub(super) fn groups(
    place: &OrganizationPlace,
    project: Option<&ProjectContext>,
    results: Results,
) -> Vec<Group> {
    let base = format!("/organizations/{}", place.organization.id);
    let organization = place.organization.name.as_str();
    let projects = results.projects.iter().map(|each| {
        Entry::page(&each.name, organization, format!("/projects/{}", encoded(&each.id)))
    });
    let projects = Group { label: words::PROJECTS, entries: projects.collect() };
    let domains = results.domains.iter().map(|each| {
        let path = format!("/projects/{}/domains/{}", each.project_id, encoded(&each.domain));
        Entry::page(&each.domain, &each.project_name, path)
    });
    let members = results.members.iter().map(|each| {
        let path = with_query(&format!("{base}/members"), &[("search", Some(&each.email))]);
        Entry::page(&each.name, &each.email, path)
    });
    let keys = results.keys.iter().map(|each| {
        let path = with_query(&format!("{base}/keys"), &[("search", Some(&each.id))]);
        Entry::page(&each.name, &format!("dw_{}_…", each.id), path)
    });
    let of_organization = [
        (words::DOMAINS, domains.collect()),
        (words::MEMBERS, members.collect()),
        (words::KEYS, keys.collect()),
    ];
    let mut all = project.map_or_else(Vec::new, |project| of_project(project, &results));
    all.push(projects);
    all.extend(of_organization.map(|(label, entries)| Group { label, entries }));
    all
}

fn of_project(place: &ProjectContext, results: &Results) -> Vec<Group> {
    let can_edit = place.of.caller.can::<can::EditPage>();
    let pages = results.pages.iter().map(|each| {
        let path = if can_edit && each.has_file {
            with_query(&place.path("pages/edit"), &[("path", Some(&each.path))])
        } else {
            with_query(&place.path("pages"), &[("search", Some(&each.path))])
        };
        Entry::page(&each.title, &each.path, path)
    });
    let releases = results.releases.iter().map(|each| {
        let number = words::number_of_release(each.number);
        let place_text = format!("{number} · {}", words::release_status(each.status.name()));
        Entry::page(&each.name(), &place_text, place.path(&format!("releases/{}", each.id)))
    });
    let jobs = results.jobs.iter().map(|each| {
        let title = each.title.trim().lines().next().unwrap_or_default();
        let path = place.path(&format!("jobs/{}", encoded(&each.job.id)));
        Entry::page(title, words::job_status(each.job.status.name()), path)
    });
    let pull_requests = results.pull_requests.iter().map(|each| {
        let path = place.path(&format!("pull-requests/{}", each.number));
        Entry::page(&each.title, &format!("#{} · {}", each.number, each.branch), path)
    });
    let previews = results.previews.iter().map(|each| {
        let title = each.title.as_deref().unwrap_or(&each.branch);
        Entry::page(title, &each.branch, place.path(&format!("previews/{}", encoded(&each.id))))
    });
    let all = [
        (words::PAGES, pages.collect()),
        (words::RELEASES, releases.collect()),
        (words::JOBS, jobs.collect()),
        (words::PULL_REQUESTS, pull_requests.collect()),
        (words::PREVIEWS, previews.collect()),
    ];
    all.map(|(label, entries)| Group { label, entries }).into()
}
