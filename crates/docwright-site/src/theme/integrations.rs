//! The snippets of analytics and chat services that the configuration names (`integrations`).
//!
//! They ask other hosts, so they are only part of sites whose features allow integrations. One script
//! loads them all, so that `cookies` can hold all of them back.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::PageView;

/// Loads the script at an address, with attributes, and goes on when it is there.
const LOAD: &str = "function load(src,attributes,then){var s=document.createElement('script');\
    s.async=true;s.src=src;for(var name in attributes)s.setAttribute(name,attributes[name]);\
    if(then)s.onload=then;document.head.append(s)}";

/// Writes the statement of a service, given the setting that it needs.
type Call = fn(&Services<'_, '_>, &str) -> String;

/// One statement a service: its name, the setting without which it is not used, and what is done with
/// that.
const SERVICES: &[(&str, &str, Call)] = &[
    ("ga4", "measurementId", |_, id| {
        let queue = format!(
            "window.dataLayer=window.dataLayer||[];window.gtag=function(){{dataLayer.push(arguments)}};\
                 gtag('js',new Date());gtag('config','{id}');"
        );
        queue + &load(&format!("https://www.googletagmanager.com/gtag/js?id={id}"), &json!({}), "")
    }),
    ("gtm", "tagId", |_, id| {
        let queue = "window.dataLayer=window.dataLayer||[];\
                dataLayer.push({'gtm.start':Date.now(),event:'gtm.js'});";
        let source = format!("https://www.googletagmanager.com/gtm.js?id={id}");
        queue.to_owned() + &load(&source, &json!({}), "")
    }),
    ("plausible", "domain", |services, domain| {
        let server = services.get("plausible", "server");
        let server = server.as_deref().unwrap_or("plausible.io");
        load(&format!("https://{server}/js/script.js"), &json!({ "data-domain": domain }), "")
    }),
    ("fathom", "siteId", |_, id| {
        load("https://cdn.usefathom.com/script.js", &json!({ "data-site": id }), "")
    }),
    ("pirsch", "id", |_, id| {
        let attributes = json!({ "data-code": id, "id": "pianjs" });
        load("https://api.pirsch.io/pa.js", &attributes, "")
    }),
    ("clarity", "projectId", |_, id| {
        let queue = "window.clarity=window.clarity||function(){\
                (clarity.q=clarity.q||[]).push(arguments)};";
        queue.to_owned() + &load(&format!("https://www.clarity.ms/tag/{id}"), &json!({}), "")
    }),
    ("posthog", "apiKey", |services, key| {
        let host = services.get("posthog", "apiHost");
        let host = host.as_deref().unwrap_or("https://us.i.posthog.com");
        let then = format!("window.posthog&&posthog.init('{key}',{{api_host:'{host}'}})");
        load(&format!("{host}/static/array.js"), &json!({}), &then)
    }),
    ("adobe", "launchUrl", |_, url| load(url, &json!({}), "")),
    ("hotjar", "hjid", |services, id| {
        let version = services.get("hotjar", "hjsv");
        let version = version.as_deref().unwrap_or("6");
        let queue = format!(
            "window.hj=window.hj||function(){{(hj.q=hj.q||[]).push(arguments)}};\
                 window._hjSettings={{hjid:'{id}',hjsv:'{version}'}};"
        );
        let source = format!("https://static.hotjar.com/c/hotjar-{id}.js?sv={version}");
        queue + &load(&source, &json!({}), "")
    }),
    ("amplitude", "apiKey", |_, key| {
        let source = format!("https://cdn.amplitude.com/script/{key}.js");
        load(&source, &json!({}), &format!("amplitude.init('{key}',{{autocapture:true}})"))
    }),
    ("clearbit", "publicApiKey", |_, key| {
        let source = format!("https://tag.clearbitscripts.com/v1/{key}/tags.js");
        load(&source, &json!({ "referrerpolicy": "strict-origin-when-cross-origin" }), "")
    }),
    ("frontchat", "snippetId", |_, id| {
        let then = format!("FrontChat('init',{{chatId:'{id}',useDefaultLauncher:true}})");
        load("https://chat-assets.frontapp.com/v1/chat.bundle.js", &json!({}), &then)
    }),
    ("heap", "appId", |_, id| {
        let source = format!("https://cdn.heapanalytics.com/js/heap-{id}.js");
        format!("window.heap=window.heap||[];heap.appid='{id}';heap.config={{}};")
            + &load(&source, &json!({}), "")
    }),
    ("intercom", "appId", |_, id| {
        let source = format!("https://widget.intercom.io/widget/{id}");
        load(&source, &json!({}), &format!("Intercom('boot',{{app_id:'{id}'}})"))
    }),
    ("logrocket", "appId", |_, id| {
        let then = format!("LogRocket.init('{id}')");
        let source = "https://cdn.logr-in.com/LogRocket.min.js";
        load(source, &json!({ "crossorigin": "anonymous" }), &then)
    }),
    ("mixpanel", "projectToken", |_, token| {
        format!(
            "var m=window.mixpanel=[];m.__SV=1.2;m._i=[['{token}',{{track_pageview:true}},'mixpanel']];"
        ) + &load("https://cdn.mxpnl.com/libs/mixpanel-2-latest.min.js", &json!({}), "")
    }),
    ("segment", "key", |_, key| {
        let source = format!("https://cdn.segment.com/analytics.js/v1/{key}/analytics.min.js");
        load(&source, &json!({}), "window.analytics&&analytics.page()")
    }),
];

/// The script, for the head.
pub(super) fn integrations(view: &PageView<'_>) -> Markup {
    if !view.options.features.integrations.is_on() {
        return html! {};
    }
    let services = Services { view };
    let calls = services.calls();
    if calls.is_empty() {
        return html! {};
    }
    let consent = services.consent();
    let code = format!("(function(){{{consent}{LOAD}{}}})()", calls.join(";"));
    html! { script { (PreEscaped(code)) } }
}

struct Services<'a, 'v> {
    view: &'a PageView<'v>,
}

impl Services<'_, '_> {
    /// A setting of a service. Keys are words; anything else would end up as code.
    fn get(&self, service: &str, name: &str) -> Option<String> {
        let value = self.view.config.integrations.get(service)?.get(name)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/".contains(letter);
        (!text.is_empty() && text.chars().all(plain)).then_some(text)
    }

    /// Nothing is loaded until the browser's storage says that the reader agreed.
    fn consent(&self) -> String {
        let cookies = ("cookies", "key", "value");
        match (self.get(cookies.0, cookies.1), self.get(cookies.0, cookies.2)) {
            (Some(key), Some(value)) => {
                format!("if(localStorage.getItem('{key}')!=='{value}')return;")
            }
            _ => String::new(),
        }
    }

    fn calls(&self) -> Vec<String> {
        let used = SERVICES
            .iter()
            .filter_map(|(service, setting, call)| Some(call(self, &self.get(service, setting)?)));
        used.collect()
    }
}

fn load(source: &str, attributes: &Value, then: &str) -> String {
    let then = if then.is_empty() { String::new() } else { format!(",function(){{{then}}}") };
    format!("load('{source}',{attributes}{then})")
}
