//! Pages at old addresses, which lead to the new ones.

use maud::{DOCTYPE, html};

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
