//! `<GitHub.Repo>`: a link to a repository. Stars and forks would have to be asked of another host
//! while the page is read, so they are not shown.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer, icons};

pub(super) const GITHUB_REPO: Component =
    Component { names: &["GitHub.Repo"], props: &["repo", "variant"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let repo = element.text("repo").unwrap_or_default();
    let slug = repo.trim_start_matches("https://github.com/").trim_matches('/').to_owned();
    if slug.split('/').count() != 2 {
        let message = format!("`{repo}` is not a repository");
        page.warn(element, "invalid-prop", message, "write it as owner/name");
        return html! { (repo) };
    }
    html! {
        a.card.github-repo href={ "https://github.com/" (slug) } rel="noopener" {
            span.card-icon { (icons::brand("github").unwrap_or_default()) }
            div.card-content { p.card-title { (slug) } }
        }
    }
}
