//! `GitHub.Repo`: a link to a repository.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::Rule;
use crate::render::{Element, PageRenderer, icons};

/// Only a link: stars and forks would need requests to another host when the page is viewed.
pub(super) const REPOSITORY: Component = Component {
    names: &["GitHub.Repo"],
    about: "A repository on GitHub.",
    props: &[
        required("repo", r#"="owner/name""#, "Owner and name, or URL"),
        prop("variant", r#"="flat""#, "`inset` or `flat`"),
    ],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let written = element.text("repo").unwrap_or_default();
    let variant = props::choice(element, page, "variant", &["inset", "flat"]);
    let root = Root::new(element, page, "card dw-card dw-github-repo");
    let Some((owner, name)) = parse(&written) else {
        if !written.trim().is_empty() {
            let message = format!("`{written}` is not a GitHub repository");
            let help = "write owner/name, or its address on github.com";
            page.warn(element, Rule::InvalidProp, message, help);
        }
        return html! { span class=(root.class) id=[root.id] style=[root.style] { (written) } };
    };
    let inner = html! {
        span.dw-card-icon { (icons::brand("github").unwrap_or_default()) }
        div.dw-card-content { p.dw-card-title { (owner) "/" (name) } }
    };
    html! {
        @if page.in_link {
            span class=(root.class) id=[root.id] style=[root.style] { (inner) }
        } @else {
            a class=(root.class) id=[root.id] style=[root.style]
                data-variant=(variant.unwrap_or("inset"))
                href={ "https://github.com/" (owner) "/" (name) } rel="noopener" { (inner) }
        }
    }
}

/// Owner and name from a slug or an address.
pub(crate) fn parse(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let text = text.strip_prefix("https://").or(text.strip_prefix("http://")).unwrap_or(text);
    let text = text.strip_prefix("www.").unwrap_or(text);
    let text = text.strip_prefix("github.com/").unwrap_or(text);
    let (owner, rest) = text.split_once('/')?;
    let name = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let is_owner =
        !owner.is_empty() && owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && name.bytes().any(|byte| byte != b'.');
    (is_owner && is_name).then_some((owner, name))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn slugs_and_addresses_name_a_repository() {
        for text in [
            "owner/name",
            " https://github.com/owner/name ",
            "https://github.com/owner/name.git",
            "http://www.github.com/owner/name/tree/main",
            "github.com/owner/name?tab=readme#top",
        ] {
            assert_eq!(parse(text), Some(("owner", "name")), "{text}");
        }
        for text in ["", "name", "owner/", "/name", "../..", "https://example.com/a/b", "a b/c"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
