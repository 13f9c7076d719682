//! What search engines read besides the page: JSON-LD (<https://schema.org>).

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::{PageView, head, inline};

/// The graph of a page. Its ids are addresses, so there is none without a public address, and none
/// where search engines can't look.
pub(super) fn structured_data(view: &PageView<'_>) -> Markup {
    let (Some(address), Some(site)) =
        (head::public_address(view, &view.page.slug), head::public_address(view, "index"))
    else {
        return html! {};
    };
    if !view.page.visibility.engines {
        return html! {};
    }
    let frontmatter = &view.page.frontmatter;
    let publisher = json!({ "@id": format!("{site}#organization") });
    let kind = if view.rendered.api.is_some() { "APIReference" } else { "TechArticle" };
    let crumbs: Vec<_> = view
        .navigation
        .breadcrumbs
        .iter()
        .map(|crumb| crumb.label.as_str())
        .chain([frontmatter.title.as_str()])
        .zip(1..)
        .map(|(name, position)| json!({ "@type": "ListItem", "position": position, "name": name }))
        .collect();
    let mut article = Map::new();
    let mut set = |key: &str, value: Value| {
        if !value.is_null() && value != json!("") {
            article.insert(key.to_owned(), value);
        }
    };
    set("@type", json!(kind));
    set("@id", json!(format!("{address}#article")));
    set("headline", json!(frontmatter.title));
    set("description", json!(frontmatter.description.as_deref().map(inline::plain)));
    set("inLanguage", json!(view.page.language));
    set("url", json!(address));
    set("dateModified", json!(view.last_modified));
    set(
        "keywords",
        json!((!frontmatter.keywords.is_empty()).then(|| frontmatter.keywords.join(", "))),
    );
    set("publisher", publisher.clone());
    set("isPartOf", json!({ "@id": format!("{site}#website") }));
    let mut organization = view.config.seo.organization.clone();
    organization.entry("name").or_insert_with(|| json!(view.config.name));
    organization.insert("@type".to_owned(), json!("Organization"));
    organization.insert("@id".to_owned(), json!(format!("{site}#organization")));
    let graph = json!({
        "@context": "https://schema.org",
        "@graph": [
            organization,
            { "@type": "WebSite", "@id": format!("{site}#website"), "url": site, "name": view.config.name, "publisher": publisher },
            { "@type": "BreadcrumbList", "@id": format!("{address}#breadcrumb"), "itemListElement": crumbs },
            article,
        ],
    });
    html! { script type="application/ld+json" { (PreEscaped(graph.to_string().replace("</", "<\\/"))) } }
}
