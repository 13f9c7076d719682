//! The snippets of analytics and chat services that the configuration names (`integrations`).
//!
//! They ask other hosts, so they are only part of sites whose features allow integrations. One script
//! loads them all. Those that need consent wait for the reader (`consent`), unless the author's own banner decides: then
//! `cookies` says what it leaves in the browser's storage, and holds all of them back.

mod services;

use maud::{Markup, PreEscaped, html};

use self::services::{SERVICES, Service};
use super::{PageView, consent};
use crate::{content::config::Config, options::Options};

/// Loads the script at an address, with attributes, and goes on when it is there.
const LOAD: &str = "function load(src,attributes,then){var s=document.createElement('script');\
    s.async=true;s.src=src;for(var name in attributes)s.setAttribute(name,attributes[name]);\
    if(then)s.onload=then;document.head.append(s)}";

/// The script, for the head.
pub(super) fn integrations(view: &PageView<'_>) -> Markup {
    let settings = Settings { config: view.config };
    let services = settings.services(view.options);
    if services.is_empty() {
        return html! {};
    }
    let written = |each: &SiteService| (each.service.call)(&settings, &each.setting);
    let statements =
        |services: &[SiteService]| services.iter().map(written).collect::<Vec<_>>().join(";");
    let code = if let Some((key, value)) = settings.own_banner() {
        let consent = format!("if(localStorage.getItem('{key}')!=='{value}')return;");
        consent + LOAD + &statements(&services)
    } else {
        let (asks, free): (Vec<_>, Vec<_>) =
            services.into_iter().partition(|each| each.service.needs_consent);
        let asked =
            if asks.is_empty() { String::new() } else { consent::script(&statements(&asks)) };
        format!("{LOAD}{};{asked}", statements(&free))
    };
    html! { script { (PreEscaped(format!("(function(){{{code}}})()"))) } }
}

/// The names of the services that readers of a site must agree to.
pub(super) fn names_to_agree_to(config: &Config, options: &Options) -> Vec<&'static str> {
    let settings = Settings { config };
    if settings.own_banner().is_some() {
        return Vec::new();
    }
    let services = settings.services(options);
    let services = services.iter().map(|each| each.service);
    services.filter(|each| each.needs_consent).map(|each| each.name).collect()
}

/// A service that the site loads, and the setting that it needs.
struct SiteService {
    service: &'static Service,
    setting: String,
}

/// What the author wrote.
struct Settings<'a> {
    config: &'a Config,
}

impl Settings<'_> {
    /// A setting of a service. Keys are words; anything else would end up as code.
    fn get(&self, service: &str, name: &str) -> Option<String> {
        let value = self.config.integrations.get(service)?.get(name)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/".contains(letter);
        (!text.is_empty() && text.chars().all(plain)).then_some(text)
    }

    /// What a banner of the author's writes to the browser's storage when the reader agrees: key and value.
    fn own_banner(&self) -> Option<(String, String)> {
        Some((self.get("cookies", "key")?, self.get("cookies", "value")?))
    }

    fn services(&self, options: &Options) -> Vec<SiteService> {
        if !options.features.integrations.is_on() {
            return Vec::new();
        }
        let used = |service: &'static Service| {
            Some(SiteService { service, setting: self.get(service.key, service.setting)? })
        };
        SERVICES.iter().filter_map(used).collect()
    }
}
