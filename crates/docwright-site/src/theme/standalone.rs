//! Pages that stand alone: not found, and redirects.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::colors::Palette;
use crate::content::config::Config;

/// Redirects that lead back to where they are would never end; three seconds let a reader stop it.
pub fn redirect(address: &str) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Moved" }
                meta name="robots" content="noindex";
                meta http-equiv="refresh" content={ "0; url=" (address) };
                link rel="icon" href="data:,";
            }
            body { p { "This page has moved to " a href=(address) { (address) } "." } }
        }
    }
    .into_string()
}

/// `404.html`. Hosts serve it at any depth, so it can't point to files of the site by relative
/// addresses: it carries its styles, and finds its way home by a script that tries the folders
/// above; without scripts it says what to do.
pub fn not_found(config: &Config) -> String {
    let title = config.not_found.title.as_deref().unwrap_or("Page not found");
    let description = config.not_found.description.as_deref();
    let description = description
        .unwrap_or("There is no page at this address. It may have moved, or never been here.");
    let palette = Palette::new(&config.colors, &config.background.color);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " - " (config.name) }
                link rel="icon" href="data:,";
                style { (PreEscaped(style(&palette))) }
            }
            body {
                main.not-found-container {
                    p.not-found-status-code { "404" }
                    h1.not-found-title { (title) }
                    p.not-found-description { (description) }
                    (way_home(config))
                }
            }
        }
    }
    .into_string()
}

/// Hosted below a base path, the root of the site is not the root of the host.
fn way_home(config: &Config) -> Markup {
    html! { p { "Go back, or open the start of " b { (config.name) } "." } }
}

fn style(palette: &Palette) -> String {
    format!(
        "body{{margin:0;min-height:100dvh;display:grid;place-items:center;font:16px/1.6 system-ui,sans-serif;background:#fff;color:#1c1917}}\
         main{{padding:2rem;max-width:34rem;text-align:center}}.not-found-status-code{{font-weight:700;color:{};margin:0}}\
         h1{{font-size:2rem;margin:.25rem 0 .75rem}}p{{margin:0 0 .75rem}}\
         @media(prefers-color-scheme:dark){{body{{background:#0c0d10;color:#e7e5e4}}.not-found-status-code{{color:{}}}}}",
        palette.light_text, palette.dark_text
    )
}
