//! The snippets of analytics services that the configuration names (`integrations`).
//!
//! They ask other hosts, so they are only part of sites whose features allow analytics.

use maud::{Markup, PreEscaped, html};

use super::PageView;

/// The scripts, for the head.
pub(super) fn integrations(view: &PageView<'_>) -> Markup {
    if !view.options.features.analytics {
        return html! {};
    }
    let key = |service: &str, name: &str| -> Option<String> {
        let value = view.config.integrations.get(service)?.get(name)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Keys are words; anything else would end up as code.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/".contains(letter);
        (!text.is_empty() && text.chars().all(plain)).then_some(text)
    };
    let inline = |code: String| html! { script { (PreEscaped(code)) } };
    html! {
        @if let Some(id) = key("ga4", "measurementId") {
            script async src={ "https://www.googletagmanager.com/gtag/js?id=" (id) } {}
            (inline(format!("window.dataLayer=window.dataLayer||[];function gtag(){{dataLayer.push(arguments)}}gtag('js',new Date());gtag('config','{id}')")))
        }
        @if let Some(id) = key("gtm", "tagId") {
            (inline(format!("(function(w,d){{w.dataLayer=w.dataLayer||[];w.dataLayer.push({{'gtm.start':Date.now(),event:'gtm.js'}});var s=d.createElement('script');s.async=true;s.src='https://www.googletagmanager.com/gtm.js?id={id}';d.head.append(s)}})(window,document)")))
        }
        @if let Some(domain) = key("plausible", "domain") {
            script defer data-domain=(domain) src={ "https://" (key("plausible", "server").unwrap_or_else(|| "plausible.io".to_owned())) "/js/script.js" } {}
        }
        @if let Some(id) = key("fathom", "siteId") {
            script defer data-site=(id) src="https://cdn.usefathom.com/script.js" {}
        }
        @if let Some(id) = key("pirsch", "id") {
            script defer data-code=(id) id="pianjs" src="https://api.pirsch.io/pa.js" {}
        }
        @if let Some(id) = key("clarity", "projectId") {
            (inline(format!("(function(c,l){{c.clarity=c.clarity||function(){{(c.clarity.q=c.clarity.q||[]).push(arguments)}};var t=l.createElement('script');t.async=1;t.src='https://www.clarity.ms/tag/{id}';l.head.append(t)}})(window,document)")))
        }
        @if let Some(api_key) = key("posthog", "apiKey") {
            @let host = key("posthog", "apiHost").unwrap_or_else(|| "https://us.i.posthog.com".to_owned());
            (inline(format!("(function(d){{var s=d.createElement('script');s.async=true;s.src='{host}/static/array.js';s.onload=function(){{window.posthog&&posthog.init('{api_key}',{{api_host:'{host}'}})}};d.head.append(s)}})(document)")))
        }
        @if let Some(url) = key("adobe", "launchUrl") { script async src=(url) {} }
        @if let Some(id) = key("hotjar", "hjid") {
            @let version = key("hotjar", "hjsv").unwrap_or_else(|| "6".to_owned());
            (inline(format!("(function(h,d){{h.hj=h.hj||function(){{(h.hj.q=h.hj.q||[]).push(arguments)}};h._hjSettings={{hjid:'{id}',hjsv:'{version}'}};var s=d.createElement('script');s.async=1;s.src='https://static.hotjar.com/c/hotjar-{id}.js?sv={version}';d.head.append(s)}})(window,document)")))
        }
    }
}
