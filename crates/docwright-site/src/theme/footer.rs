//! The end of a page: columns of links, socials, and where readers change their consent.

use maud::{Markup, html};

use super::{PageView, consent};
use crate::{
    content::config::Config,
    render::icons::{Drawing, brand_drawing, glyph_drawing},
};

pub(super) fn footer(view: &PageView<'_>) -> Markup {
    let footer = &view.config.footer;
    html! {
        footer.dw-site-footer id=[view.landmark("footer")] {
            @if !footer.columns.is_empty() {
                div.dw-footer-columns {
                    @for column in &footer.columns {
                        div {
                            @if let Some(header) = &column.header { p.dw-footer-header { (header) } }
                            ul { @for (label, href) in &column.items {
                                @if let Some(href) = view.href(href) { li { a href=(href) { (label) } } }
                            } }
                        }
                    }
                }
            }
            @if !footer.socials.is_empty() {
                ul.dw-footer-socials { @for (name, href) in &footer.socials {
                    li { a href=(href) aria-label=(label(name)) rel="noopener me" { (view.drawing(icon(name))) } }
                } }
            }
            (consent::settings(view))
        }
    }
}

/// The icons of the services that a site links to.
pub(super) fn icons(config: &Config) -> impl Iterator<Item = Drawing> {
    config.footer.socials.iter().filter_map(|(name, _)| icon(name))
}

fn icon(name: &str) -> Option<Drawing> {
    let glyph_name = match name {
        "website" | "earth-americas" => "globe",
        "podcast" => "podcast",
        _ => {
            let mark = match name {
                "x" | "twitter" | "x-twitter" => "x-twitter",
                "hacker-news" => "hacker-news",
                other => other,
            };
            return brand_drawing(mark).or_else(|| glyph_drawing("link"));
        }
    };
    glyph_drawing(glyph_name)
}

fn label(name: &str) -> String {
    match name {
        "x" | "x-twitter" => "X".to_owned(),
        "github" => "GitHub".to_owned(),
        "linkedin" => "LinkedIn".to_owned(),
        "youtube" => "YouTube".to_owned(),
        "website" | "earth-americas" => "Website".to_owned(),
        other => other.replace('-', " "),
    }
}
