//! Links to places on pages, once all pages are rendered.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Diagnostic,
    content::{Page, closest::closest},
    render::{AnchorLink, Rendered},
};

/// Links to places that are not on the page they name, with the page that each stands on.
pub(super) fn dead_links<'a, 'p>(
    rendered: &[(&'p Page, &'a Rendered)],
) -> Vec<(&'p Page, &'a AnchorLink, Option<&'a str>)> {
    let ids: BTreeMap<&str, BTreeSet<&str>> = rendered
        .iter()
        .map(|(page, rendered)| {
            (page.slug.as_str(), rendered.ids.iter().map(String::as_str).collect())
        })
        .collect();
    let mut dead = Vec::new();
    for (page, rendered) in rendered {
        for link in &rendered.anchor_links {
            let Some(ids) = ids.get(link.slug.as_str()) else { continue };
            if !ids.contains(link.fragment.as_str()) && !link.fragment.starts_with(":~:") {
                dead.push((*page, link, closest(&link.fragment, ids.iter().copied())));
            }
        }
    }
    dead
}

/// What to tell the author of such a link. `target` is the page that it names.
pub(super) fn broken_anchor(
    link: &AnchorLink,
    near: Option<&str>,
    target: Option<&Page>,
) -> Diagnostic {
    let message = format!("there is no `#{}` on /{}", link.fragment, link.slug);
    // The parts of API pages are not rendered yet, so a link to one may be right.
    let diagnostic = if target.is_some_and(|page| page.frontmatter.openapi.is_some()) {
        Diagnostic::note("broken-anchor", &link.path, message)
    } else {
        Diagnostic::warning("broken-anchor", &link.path, message)
    };
    let help = match near {
        Some(near) => format!("did you mean `#{near}`?"),
        None => "correct the part behind `#`, or add a heading".to_owned(),
    };
    diagnostic.at(link.line, link.column).help(help)
}
