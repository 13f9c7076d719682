//! The script that reports what readers do, on sites whose server counts readers. A few lines of each page load it
//! after the page, where the server announces that it takes reports, unless the browser says that its reader doesn't
//! want to be measured.

use maud::{Markup, PreEscaped, html};

use super::PageView;
use crate::options::Options;

/// The script, below the site root.
const SCRIPT: &str = "_docwright/reading.js";
/// Most bytes of both scripts, compressed.
#[cfg(test)]
const MOST_BYTES: usize = 2_500;

/// Whether pages have the script.
fn has_reports(options: &Options) -> bool {
    options.features.has_own_analytics()
}

/// The script below the site root, if pages have it: path and contents.
pub(super) fn report_script(options: &Options) -> Option<(&'static str, String)> {
    has_reports(options).then(|| (SCRIPT, script(options)))
}

/// The script. Pages without a playground have no line about it.
fn script(options: &Options) -> String {
    let script = compact(include_str!("scripts/analytics/reading.js"));
    if options.features.playground.is_on() {
        return script;
    }
    let lines = script.lines().filter(|line| !line.contains("playground"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// What loads the script, for the head of a page.
pub(super) fn loader(view: &PageView<'_>) -> Markup {
    let reports_views = view.options.features.analytics.behind_cdn;
    html! {
        @if has_reports(view.options) {
            script data-script=(view.address(SCRIPT)) data-page=(view.page.slug) data-all=[reports_views.then_some("1")] {
                (PreEscaped(compact(include_str!("scripts/analytics/loader.js"))))
            }
        }
    }
}

/// A script without lines of comments, and without indentation. No text of these scripts spans lines.
pub(super) fn compact(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use docwright_types::deployment::{DeploymentType, Features, PlaygroundMode};
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn with_playground() -> Options {
        Options { features: Features::of(DeploymentType::Cloud), ..Options::default() }
    }

    fn compressed(text: &str) -> usize {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap().len()
    }

    #[test]
    fn script_and_loader_fit_their_limit() {
        let loader = compact(include_str!("scripts/analytics/loader.js"));
        let script = script(&with_playground());
        let bytes = compressed(&script) + compressed(&loader);
        assert!(bytes <= MOST_BYTES, "{bytes} bytes");
        assert!(!script.contains("//"), "comments are left out");
    }

    #[test]
    fn script_is_about_a_playground_only_where_pages_have_one() {
        let mut options = with_playground();
        let full = script(&options);
        options.features.playground.mode = PlaygroundMode::Off;
        let short = script(&options);
        assert_eq!(full.lines().count(), short.lines().count() + 1);
        assert!(full.contains("playground") && !short.contains("playground"));
    }

    #[test]
    fn script_keeps_nothing_in_the_browser() {
        let script = script(&with_playground());
        for word in [
            "cookie",
            "localStorage",
            "sessionStorage",
            "indexedDB",
            "caches",
            "random",
            "userAgent",
        ] {
            assert!(!script.contains(word), "{word}");
        }
    }
}
