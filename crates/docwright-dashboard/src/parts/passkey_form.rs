//! The form that a browser fills in with the answer of a passkey. It needs a script, and says so.

use maud::{Markup, html};
use serde_json::Value;

use crate::{assets, words};

/// What a browser is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasskeyForm<'a> {
    /// Where the answer is sent to.
    pub(crate) path: &'a str,
    /// `create` or `get`, in the words of browsers.
    pub(crate) question: &'static str,
    /// What the browser is asked, in JSON.
    pub(crate) options: &'a Value,
    /// The fields that it fills in.
    pub(crate) answers: &'a [&'a str],
    /// What is sent besides.
    pub(crate) fields: &'a [(&'a str, &'a str)],
    /// Whether it is asked at once; otherwise when the button is pressed.
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
