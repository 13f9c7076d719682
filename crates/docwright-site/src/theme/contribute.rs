//! Ways for readers to improve a page: an edit or an issue at the repository's host (`feedback`).

use maud::{Markup, html};
use url::Url;

use super::PageView;
use crate::{
    content::{PageKind, words::Word},
    options::Repository,
    render::icons::glyph,
};

/// What the configuration asks for: the question whether the page helped, and links to where the
/// repository's host takes edits and issues.
pub(super) fn contribute(view: &PageView<'_>) -> Markup {
    let feedback = &view.config.feedback;
    let telemetry = view.config.integrations.get("telemetry").and_then(|each| each.get("enabled"));
    let asks = feedback.thumbs && telemetry.and_then(serde_json::Value::as_bool) != Some(false);
    let repository = view.options.repository.as_ref();
    // The file of a generated page is a description that is written elsewhere.
    let is_file = view.page.kind == PageKind::File;
    let edit = repository.filter(|_| feedback.edit && is_file);
    let edit = edit.and_then(|repository| edit_address(repository, &view.page.path));
    let issue = repository.filter(|_| feedback.issue);
    let issue = issue.and_then(|repository| issue_address(repository, &view.page.slug));
    if edit.is_none() && issue.is_none() && !asks {
        return html! {};
    }
    html! {
        div.feedback-toolbar.dw-feedback-toolbar {
            @if asks { (question(view)) }
            @if let Some(edit) = edit { a href=(edit) rel="noopener" { (glyph("pencil")) (view.word(Word::Edit)) } }
            @if let Some(issue) = issue { a href=(issue) rel="noopener" { (glyph("circle-alert")) (view.word(Word::Issue)) } }
        }
    }
}

/// Shown only where the host says that it takes answers: elsewhere nobody would hear them.
fn question(view: &PageView<'_>) -> Markup {
    html! {
        form.dw-feedback #feedback-form hidden data-feedback=(view.page.slug) {
            fieldset {
                legend { (view.word(Word::Helpful)) }
                button #feedback-thumbs-up type="button" value="true" { (glyph("thumbs-up")) (view.word(Word::Yes)) }
                button #feedback-thumbs-down type="button" value="false" { (glyph("thumbs-down")) (view.word(Word::No)) }
            }
            div.dw-feedback-comment hidden {
                textarea #feedback-form-input maxlength="2000" rows="3" aria-label=(view.word(Word::Comment)) placeholder=(view.word(Word::Comment)) {}
                button #feedback-form-submit type="submit" { (view.word(Word::Send)) }
                button #feedback-form-cancel type="button" { (view.word(Word::Close)) }
            }
            p.dw-feedback-thanks role="status" data-thanks=(view.word(Word::Thanks)) {}
        }
    }
}

fn edit_address(repository: &Repository, path: &str) -> Option<Url> {
    let Repository { branch, folder, .. } = repository;
    let file = format!("{folder}/{path}");
    let file = file.trim_start_matches('/');
    match host(repository)? {
        Host::GitHub => below(repository, &format!("edit/{branch}/{file}")),
        Host::GitLab => below(repository, &format!("-/edit/{branch}/{file}")),
        Host::Bitbucket => below(repository, &format!("src/{branch}/{file}?mode=edit")),
    }
}

fn issue_address(repository: &Repository, slug: &str) -> Option<Url> {
    let title = format!("Page /{slug}");
    let (path, key) = match host(repository)? {
        Host::GitHub => ("issues/new", "title"),
        Host::GitLab => ("-/issues/new", "issue[title]"),
        Host::Bitbucket => return None,
    };
    let mut address = below(repository, path)?;
    address.query_pairs_mut().append_pair(key, &title);
    Some(address)
}

fn below(repository: &Repository, path: &str) -> Option<Url> {
    Url::parse(&format!("{}/{path}", repository.address.as_str().trim_end_matches('/'))).ok()
}

enum Host {
    GitHub,
    GitLab,
    Bitbucket,
}

/// Which product runs a host, as far as its name says.
fn host(repository: &Repository) -> Option<Host> {
    let name = repository.address.host_str()?;
    if name.contains("github") {
        Some(Host::GitHub)
    } else if name.contains("gitlab") {
        Some(Host::GitLab)
    } else {
        name.contains("bitbucket").then_some(Host::Bitbucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_addresses_of_their_own() {
        let at = |host: &str| Repository {
            address: Url::parse(&format!("https://{host}/o/n")).unwrap(),
            branch: "main".to_owned(),
            folder: "docs".to_owned(),
        };
        let edit = |host| edit_address(&at(host), "a b.mdx").map(String::from);
        assert_eq!(edit("github.com").unwrap(), "https://github.com/o/n/edit/main/docs/a%20b.mdx");
        assert_eq!(
            edit("gitlab.example").unwrap(),
            "https://gitlab.example/o/n/-/edit/main/docs/a%20b.mdx"
        );
        assert_eq!(edit("other.example"), None);
        let issue = issue_address(&at("github.com"), "a").unwrap();
        assert_eq!(issue.as_str(), "https://github.com/o/n/issues/new?title=Page+%2Fa");
    }
}
