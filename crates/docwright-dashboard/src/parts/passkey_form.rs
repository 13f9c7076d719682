//! The form that the browser fills in with a passkey's answer. It needs a script and explains that.

use maud::{Markup, html};
use serde_json::Value;

use crate::{assets, words};

/// A request to the browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasskeyForm<'a> {
    /// The URL for the answer.
    pub(crate) path: &'a str,
    /// `create` or `get`, as in the browser API.
    pub(crate) question: &'static str,
    /// The options for the browser, in JSON.
    pub(crate) options: &'a Value,
    /// The fields that the browser fills in.
    pub(crate) answers: &'a [&'a str],
    /// Additional fields.
    pub(crate) fields: &'a [(&'a str, &'a str)],
    /// Whether the request starts immediately; otherwise when the button is pressed.
    pub(crate) is_asked_now: bool,
    pub(crate) label: &'static str,
}

impl PasskeyForm<'_> {
    /// The form and its script.
    pub(crate) fn show(&self) -> Markup {
        html! {
            form method="post" action=(self.path) data-passkey=(self.question) data-options=(self.options)
                data-now[self.is_asked_now] {
                @for (name, value) in self.fields { input type="hidden" name=(name) value=(value); }
                @for name in self.answers { input type="hidden" name=(name); }
                div role="alert" {
                    @for (when, sentence) in words::PASSKEY_PROBLEMS {
                        p.problem hidden data-when=(when) { (sentence) }
                    }
                }
                noscript { p.problem { (words::PASSKEY_NO_SCRIPT) } }
                button.primary type="submit" hidden { (self.label) }
            }
            script src=(assets::passkeys()) defer {}
        }
    }
}
