//! Pages of the dashboard and actions, by name: those that the role of the person allows.

use docwright_operations::{built_in::is_built_in, can};

use super::{
    Place,
    entry::{Entry, Group},
};
use crate::{
    project_context::{OrganizationPlace, ProjectContext},
    words,
};

/// An action: its label, other words that find it, and its result.
struct Action {
    label: &'static str,
    others: &'static str,
    is_allowed: bool,
    /// The path of a page, or of a form that is sent.
    path: String,
    is_form: bool,
}

impl Action {
    fn page(label: &'static str, others: &'static str, is_allowed: bool, path: String) -> Self {
        Self { label, others, is_allowed, path, is_form: false }
    }

    fn form(label: &'static str, others: &'static str, is_allowed: bool, path: String) -> Self {
        Self { is_form: true, ..Self::page(label, others, is_allowed, path) }
    }

    fn entry(self, place: &str) -> Entry {
        let make = if self.is_form { Entry::form } else { Entry::page };
        make(self.label, place, self.path)
    }
}

/// The actions and pages that a text finds; without a text, all of them.
pub(super) fn matching(place: &Place, text: &str) -> Vec<Group> {
    let (mut actions, mut pages) = (Vec::new(), Vec::new());
    let is_found = |words: &str| has_words(words, text);
    let mut add = |all: Vec<Action>, place: &str| {
        let found = all
            .into_iter()
            .filter(|each| each.is_allowed && is_found(&format!("{} {}", each.label, each.others)));
        actions.extend(found.map(|each| each.entry(place)));
    };
    if let Some(project) = place.project() {
        add(of_project(project), &project.project.name);
    }
    if let Some(own) = place.organization() {
        add(of_organization(own), &own.organization.name);
    }
    add(of_person(), "");
    if let Some(project) = place.project() {
        pages.extend(pages_of_project(project));
    }
    if let Some(own) = place.organization() {
        pages.extend(pages_of_organization(own));
    }
    pages.extend(other_pages(place));
    let pages = pages.into_iter().filter(|(label, ..)| is_found(label));
    let pages = pages.map(|(label, place, path)| Entry::page(&label, &place, path));
    vec![
        Group { label: words::ACTIONS, entries: actions },
        Group { label: words::GO_TO, entries: pages.collect() },
    ]
}

/// Whether every word of a text begins a word of some words.
fn has_words(words: &str, text: &str) -> bool {
    let words = words.to_lowercase();
    let begins = |part: &str| words.split_whitespace().any(|word| word.starts_with(part));
    text.to_lowercase().split_whitespace().all(begins)
}

fn of_project(place: &ProjectContext) -> Vec<Action> {
    let (caller, at) = (&place.of.caller, |path: &str| place.path(path));
    let on_own_host = is_built_in(&place.project);
    vec![
        Action::form(
            words::BUILD_NEWEST,
            "publish deploy now rebuild release",
            caller.can::<can::StartUpdate>(),
            at("releases/build"),
        ),
        Action::page(
            words::START_AGENT_JOB,
            "new prompt ai",
            caller.can::<can::CreateAgentJob>(),
            at("jobs/new"),
        ),
        Action::page(
            words::START_EXPORT,
            "new download static",
            caller.can::<can::StartStaticExport>(),
            at("exports"),
        ),
        Action::page(
            words::START_PREVIEW,
            "new branch",
            caller.can::<can::StartPreview>(),
            at("previews"),
        ),
        Action::page(
            words::NEW_PULL_REQUEST,
            "create open pr",
            on_own_host && caller.can::<can::CreatePullRequest>(),
            at("pull-requests/new"),
        ),
        Action::page(words::EDIT_PAGE, "write", caller.can::<can::EditPage>(), at("pages")),
        Action::page(
            words::ADD_DOMAIN,
            "new hostname dns",
            caller.can::<can::CreateDomain>(),
            at("domains"),
        ),
        Action::form(
            words::POLL,
            "repository sync fetch",
            caller.can::<can::PollProject>(),
            at("poll"),
        ),
        Action::page(
            words::DELETE_PROJECT,
            "remove",
            caller.can::<can::DeleteProject>(),
            at("settings/delete"),
        ),
    ]
}

fn of_organization(place: &OrganizationPlace) -> Vec<Action> {
    let base = format!("/organizations/{}", place.organization.id);
    let caller = &place.caller;
    vec![
        Action::page(
            words::CREATE_PROJECT,
            "new repository site",
            caller.can::<can::CreateProject>(),
            format!("{base}/projects/new"),
        ),
        Action::page(
            words::INVITE,
            "member add team invitation",
            caller.can::<can::CreateInvitation>(),
            format!("{base}/invitations"),
        ),
        Action::page(
            words::CREATE_KEY,
            "new api token",
            caller.can::<can::CreateKey>(),
            format!("{base}/keys/new"),
        ),
    ]
}

fn of_person() -> Vec<Action> {
    vec![
        Action::page(
            words::CREATE_A_PERSONAL_TOKEN,
            "new git password",
            true,
            "/account/tokens/new".to_owned(),
        ),
        Action::form(words::SIGN_OUT, "log leave", true, "/sign-out".to_owned()),
    ]
}

/// A page: its label, what it belongs to, and its path.
type Page = (String, String, String);

fn pages_of_project(place: &ProjectContext) -> Vec<Page> {
    let name = &place.project.name;
    let has_pulls = is_built_in(&place.project);
    let sections = words::PROJECT_SECTIONS.iter().filter(|(role, section, _)| {
        place.of.can(*role) && (*section != "pull-requests" || has_pulls)
    });
    let base = format!("/projects/{}", place.project.id);
    let sections = sections
        .map(|(_, section, label)| ((*label).to_owned(), name.clone(), below(&base, section)));
    let settings = words::SETTINGS_SECTIONS
        .iter()
        .filter(|(role, section, _)| place.of.can(*role) && !section.is_empty());
    let settings = settings.map(|(_, section, label)| {
        let label = format!("{}: {label}", words::SETTINGS);
        (label, name.clone(), place.path(&format!("settings/{section}")))
    });
    sections.chain(settings).collect()
}

fn pages_of_organization(place: &OrganizationPlace) -> Vec<Page> {
    let base = format!("/organizations/{}", place.organization.id);
    let sections = words::ORGANIZATION_SECTIONS.iter().filter(|(role, ..)| place.can(*role));
    let page = |label: &str, path| (label.to_owned(), place.organization.name.clone(), path);
    sections.map(|(_, section, label)| page(label, below(&base, section))).collect()
}

/// Pages of the account and of the instance, and the other organizations of the person.
fn other_pages(place: &Place) -> Vec<Page> {
    let person = place.person();
    let here = place.organization().map(|own| own.organization.id.as_str());
    let others = person.memberships.iter().filter(|each| here != Some(&each.organization.id));
    let others = others.map(|each| {
        let path = format!("/organizations/{}", each.organization.id);
        (each.organization.name.clone(), words::ORGANIZATION.to_owned(), path)
    });
    let account = [
        (words::INBOX, "/inbox"),
        (words::ACCOUNT, "/account"),
        (words::SECURITY, "/account/security"),
        (words::PERSONAL_TOKENS, "/account/tokens"),
    ];
    let account = account.map(|(label, path)| (label.to_owned(), String::new(), path.to_owned()));
    let of_instance = words::INSTANCE_SECTIONS.iter().filter(|_| person.account.is_operator);
    let of_instance = of_instance.map(|(section, label)| {
        ((*label).to_owned(), words::INSTANCE.to_owned(), format!("/{section}"))
    });
    others.chain(account).chain(of_instance).collect()
}

fn below(base: &str, section: &str) -> String {
    if section.is_empty() { base.to_owned() } else { format!("{base}/{section}") }
}

#[cfg(test)]
mod tests {
    use super::has_words;

    #[test]
    fn beginnings_of_words_find_a_label_in_any_order() {
        let label = "Build latest commit publish now";
        for text in ["", "build", "LAT", "com bui", "publish now"] {
            assert!(has_words(label, text), "{text}");
        }
        for text in ["uild", "build later", "now then"] {
            assert!(!has_words(label, text), "{text}");
        }
    }
}
