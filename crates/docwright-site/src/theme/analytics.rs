//! The script that reports what readers do, on sites whose readers are counted. A few lines of each page load it after
//! the page, unless the browser says that its reader doesn't want to be measured: where the server announces that it
//! takes reports, or wherever the deployment names another address for them.

use maud::{Markup, PreEscaped, html};

use super::PageView;
use crate::options::Options;

/// The script, below the site root.
const SCRIPT: &str = "_docwright/reading.js";
/// Most bytes of both scripts, compressed.
#[cfg(test)]
const MOST_BYTES: usize = 2_500;

/// Whether pages have the script.
const fn has_reports(options: &Options) -> bool {
    options.features.analytics.is_on()
}

/// Where the script sends reports; `None` for the server of the site.
fn elsewhere(options: &Options) -> Option<&str> {
    options.features.analytics.address.as_deref()
}

/// The script below the site root, if pages have it: path and contents.
pub(super) fn report_script(options: &Options) -> Option<(&'static str, String)> {
    has_reports(options).then(|| (SCRIPT, script(options)))
}

/// The script. It has no line about a playground that pages don't have, or about another address if there is none.
fn script(options: &Options) -> String {
    let has_playground = options.features.playground.is_on();
    let playground = ("playground", has_playground);
    let [address, offer, beacon] = of_address(options);
    let features = [playground, address, offer, beacon];
    with_features(include_str!("scripts/analytics/reading.js"), &features)
}

/// What only reports to another address need, and only those to the server of the site: its offer, and a beacon.
fn of_address(options: &Options) -> [(&'static str, bool); 3] {
    let is_elsewhere = elsewhere(options).is_some();
    [("elsewhere", is_elsewhere), ("serverTiming", !is_elsewhere), ("sendBeacon", !is_elsewhere)]
}

/// A script without the lines of features that are off.
fn with_features(script: &str, features: &[(&str, bool)]) -> String {
    let script = compact(script);
    let is_on = |line: &&str| features.iter().all(|(name, is_on)| *is_on || !line.contains(name));
    script.lines().filter(is_on).flat_map(|line| [line, "\n"]).collect()
}

/// What loads the script, for the head of a page.
pub(super) fn loader(view: &PageView<'_>) -> Markup {
    let options = view.options;
    // Another host sees no request of a page.
    let reports_views = options.features.analytics.behind_cdn || elsewhere(options).is_some();
    html! {
        @if has_reports(options) {
            script data-script=(view.address(SCRIPT)) data-page=(view.page.slug) data-all=[reports_views.then_some("1")]
                data-elsewhere=[elsewhere(options)] {
                (PreEscaped(with_features(include_str!("scripts/analytics/loader.js"), &of_address(options))))
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
        let loader = include_str!("scripts/analytics/loader.js");
        let mut options = with_playground();
        let script = script(&options);
        for address in [None, Some("https://docs.example.com/_docwright/reading".to_owned())] {
            options.features.analytics.address = address;
            let loader = with_features(loader, &of_address(&options));
            let bytes = compressed(&super::script(&options)) + compressed(&loader);
            assert!(bytes <= MOST_BYTES, "{bytes} bytes");
        }
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
    fn script_sends_elsewhere_only_if_the_deployment_names_an_address() {
        let mut options = with_playground();
        assert!(!script(&options).contains("elsewhere"));
        options.features.analytics.address = Some("https://a.example/reports".to_owned());
        let sent = script(&options);
        assert!(sent.contains("elsewhere") && sent.contains("credentials: \"omit\""), "{sent}");
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
