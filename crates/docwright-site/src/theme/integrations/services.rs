//! The services that authors can name in `integrations`: which setting each needs, the statement that loads it, and
//! whether readers must agree first.

use serde_json::{Value, json};

use super::Settings;

/// Writes the statement of a service, given the setting that it needs.
type Call = fn(&Settings<'_>, &str) -> String;

/// A service of another host.
pub(super) struct Service {
    /// Its key in `integrations`.
    pub(super) key: &'static str,
    /// What readers know it as.
    pub(super) name: &'static str,
    /// The setting without which it isn't used.
    pub(super) setting: &'static str,
    /// It stores something in the browser, or follows its reader from page to page.
    pub(super) needs_consent: bool,
    pub(super) call: Call,
}

/// A service that only counts, without cookies or anything else that identifies a reader, as its maker documents.
const fn free(key: &'static str, name: &'static str, setting: &'static str, call: Call) -> Service {
    Service { key, name, setting, needs_consent: false, call }
}

/// A service that readers must agree to.
const fn asks(key: &'static str, name: &'static str, setting: &'static str, call: Call) -> Service {
    Service { key, name, setting, needs_consent: true, call }
}

pub(super) const SERVICES: &[Service] = &[
    asks("ga4", "Google Analytics", "measurementId", |_, id| {
        let queue = format!(
            "window.dataLayer=window.dataLayer||[];window.gtag=function(){{dataLayer.push(arguments)}};\
                 gtag('js',new Date());gtag('config','{id}');"
        );
        queue + &load(&format!("https://www.googletagmanager.com/gtag/js?id={id}"), &json!({}), "")
    }),
    asks("gtm", "Google Tag Manager", "tagId", |_, id| {
        let queue = "window.dataLayer=window.dataLayer||[];\
                dataLayer.push({'gtm.start':Date.now(),event:'gtm.js'});";
        let source = format!("https://www.googletagmanager.com/gtm.js?id={id}");
        queue.to_owned() + &load(&source, &json!({}), "")
    }),
    free("plausible", "Plausible", "domain", |settings, domain| {
        let server = settings.get("plausible", "server");
        let server = server.as_deref().unwrap_or("plausible.io");
        load(&format!("https://{server}/js/script.js"), &json!({ "data-domain": domain }), "")
    }),
    free("fathom", "Fathom", "siteId", |_, id| {
        load("https://cdn.usefathom.com/script.js", &json!({ "data-site": id }), "")
    }),
    free("pirsch", "Pirsch", "id", |_, id| {
        let attributes = json!({ "data-code": id, "id": "pianjs" });
        load("https://api.pirsch.io/pa.js", &attributes, "")
    }),
    asks("clarity", "Clarity", "projectId", |_, id| {
        let queue = "window.clarity=window.clarity||function(){\
                (clarity.q=clarity.q||[]).push(arguments)};";
        queue.to_owned() + &load(&format!("https://www.clarity.ms/tag/{id}"), &json!({}), "")
    }),
    asks("posthog", "PostHog", "apiKey", |settings, key| {
        let host = settings.get("posthog", "apiHost");
        let host = host.as_deref().unwrap_or("https://us.i.posthog.com");
        let then = format!("window.posthog&&posthog.init('{key}',{{api_host:'{host}'}})");
        load(&format!("{host}/static/array.js"), &json!({}), &then)
    }),
    asks("adobe", "Adobe", "launchUrl", |_, url| load(url, &json!({}), "")),
    asks("hotjar", "Hotjar", "hjid", |settings, id| {
        let version = settings.get("hotjar", "hjsv");
        let version = version.as_deref().unwrap_or("6");
        let queue = format!(
            "window.hj=window.hj||function(){{(hj.q=hj.q||[]).push(arguments)}};\
                 window._hjSettings={{hjid:'{id}',hjsv:'{version}'}};"
        );
        let source = format!("https://static.hotjar.com/c/hotjar-{id}.js?sv={version}");
        queue + &load(&source, &json!({}), "")
    }),
    asks("amplitude", "Amplitude", "apiKey", |_, key| {
        let source = format!("https://cdn.amplitude.com/script/{key}.js");
        load(&source, &json!({}), &format!("amplitude.init('{key}',{{autocapture:true}})"))
    }),
    asks("clearbit", "Clearbit", "publicApiKey", |_, key| {
        let source = format!("https://tag.clearbitscripts.com/v1/{key}/tags.js");
        load(&source, &json!({ "referrerpolicy": "strict-origin-when-cross-origin" }), "")
    }),
    asks("frontchat", "Front", "snippetId", |_, id| {
        let then = format!("FrontChat('init',{{chatId:'{id}',useDefaultLauncher:true}})");
        load("https://chat-assets.frontapp.com/v1/chat.bundle.js", &json!({}), &then)
    }),
    asks("heap", "Heap", "appId", |_, id| {
        let source = format!("https://cdn.heapanalytics.com/js/heap-{id}.js");
        format!("window.heap=window.heap||[];heap.appid='{id}';heap.config={{}};")
            + &load(&source, &json!({}), "")
    }),
    asks("intercom", "Intercom", "appId", |_, id| {
        let source = format!("https://widget.intercom.io/widget/{id}");
        load(&source, &json!({}), &format!("Intercom('boot',{{app_id:'{id}'}})"))
    }),
    asks("logrocket", "LogRocket", "appId", |_, id| {
        let then = format!("LogRocket.init('{id}')");
        let source = "https://cdn.logr-in.com/LogRocket.min.js";
        load(source, &json!({ "crossorigin": "anonymous" }), &then)
    }),
    asks("mixpanel", "Mixpanel", "projectToken", |_, token| {
        format!(
            "var m=window.mixpanel=[];m.__SV=1.2;m._i=[['{token}',{{track_pageview:true}},'mixpanel']];"
        ) + &load("https://cdn.mxpnl.com/libs/mixpanel-2-latest.min.js", &json!({}), "")
    }),
    asks("segment", "Segment", "key", |_, key| {
        let source = format!("https://cdn.segment.com/analytics.js/v1/{key}/analytics.min.js");
        load(&source, &json!({}), "window.analytics&&analytics.page()")
    }),
];

fn load(source: &str, attributes: &Value, then: &str) -> String {
    let then = if then.is_empty() { String::new() } else { format!(",function(){{{then}}}") };
    format!("load('{source}',{attributes}{then})")
}
