//! Consent to services of other hosts: the banner that asks for it, and where readers change their answer. Sites
//! whose services need no consent have none of it.
//!
//! The banner is in the page from the start, and a script in the head shows it before anything is drawn. The answer
//! stays in the browser's storage. Without scripts no service loads, so nothing asks.

use maud::{Markup, html};

use super::{PageView, analytics, integrations};
use crate::{
    content::{config::Config, words::Word},
    options::Options,
};

/// The styles of the banner.
pub(super) const STYLES: &str = include_str!("styles/consent.css");

/// The styles of the banner for the style sheet of every page; empty on sites without it.
pub(super) fn page_styles(config: &Config, options: &Options) -> &'static str {
    if integrations::names_to_agree_to(config, options).is_empty() { "" } else { STYLES }
}

/// The statements that ask, and run the statements of `services` when the reader agreed.
pub(super) fn script(services: &str) -> String {
    let ask = analytics::compact(include_str!("scripts/consent.js"));
    format!("function services(){{{services}}}\n{ask}")
}

/// The banner.
pub(super) fn banner(view: &PageView<'_>) -> Markup {
    let names = integrations::names_to_agree_to(view.config, view.options);
    html! {
        @if !names.is_empty() {
            div.dw-consent role="dialog" aria-labelledby="dw-consent-title" aria-describedby="dw-consent-text" tabindex="-1"
                data-nosnippet {
                p.dw-consent-title #dw-consent-title { (view.word(Word::CookieSettings)) }
                p #dw-consent-text { (view.word(Word::Consent)) " " (names.join(", ")) }
                div.dw-consent-answers {
                    button type="button" data-consent-answer="accepted" { (view.word(Word::Accept)) }
                    button type="button" data-consent-answer="declined" { (view.word(Word::Decline)) }
                }
            }
        }
    }
}

/// The button that opens the banner again, for the footer. The page for missing addresses loads no services.
pub(super) fn settings(view: &PageView<'_>) -> Markup {
    let asks = !integrations::names_to_agree_to(view.config, view.options).is_empty();
    html! {
        @if asks && !view.anywhere {
            button.dw-consent-settings type="button" data-consent-open aria-haspopup="dialog" {
                (view.word(Word::CookieSettings))
            }
        }
    }
}
