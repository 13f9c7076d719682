//! An old `mint.json` as the `docs.json` that means the same, and old names in a `docs.json`.
//!
//! In that format, tabs and anchors own all pages whose slug starts with their `url`; here they contain them.

use serde_json::{Map, Value, json};

/// Keys that only changed their place: old path, new path.
const MOVED: &[(&str, &[&str])] = &[
    ("topbarCtaButton", &["navbar", "primary"]),
    ("backgroundImage", &["background", "image"]),
    ("openapi", &["api", "openapi"]),
    ("analytics", &["integrations"]),
];

/// Old names that authors still write in `docs.json`: old path, new path.
const OLD_NAMES: &[(&[&str], &[&str])] = &[
    (&["openapi"], &["api", "openapi"]),
    (&["asyncapi"], &["api", "asyncapi"]),
    (&["analytics"], &["integrations"]),
    (&["api", "baseUrl"], &["api", "mdx", "server"]),
    (&["api", "auth"], &["api", "mdx", "auth"]),
    (&["colors", "background"], &["background", "color"]),
];

/// Copies the values of old names to the new ones, unless the author wrote those too. The old ones
/// stay, so that diagnostics name what is written.
pub(super) fn read_old_names(root: &mut Map<String, Value>) {
    for (from, to) in OLD_NAMES {
        let Some(value) = get(root, from).cloned() else { continue };
        if get(root, to).is_none() {
            insert(root, to, value);
        }
    }
}

fn get<'v>(map: &'v Map<String, Value>, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(*first)?, |value, key| value.get(*key))
}

/// Translates the top-level object.
pub(super) fn translate(mut old: Map<String, Value>) -> Map<String, Value> {
    let mut new = Map::new();
    new.insert("navigation".to_owned(), navigation(&mut old));
    for (from, to) in MOVED {
        if let Some(value) = old.remove(*from) {
            insert(&mut new, to, value);
        }
    }
    if let Some(Value::Array(links)) = old.remove("topbarLinks") {
        let links = links.into_iter().map(link).collect();
        insert(&mut new, &["navbar", "links"], Value::Array(links));
    }
    if let Some(primary) = new.get_mut("navbar").and_then(|navbar| navbar.get_mut("primary")) {
        *primary = link(primary.take());
    }
    if let Some(socials) = old.remove("footerSocials") {
        insert(&mut new, &["footer", "socials"], socials_map(socials));
    }
    translate_api(&mut old, &mut new);
    translate_look(&mut old, &mut new);
    if old.get("seo").and_then(|seo| seo.get("indexHiddenPages")) == Some(&Value::Bool(true)) {
        insert(&mut new, &["seo", "indexing"], json!("all"));
    }
    // Meta tags stood where now only `timestamp` does.
    if let Some(Value::Object(metadata)) = old.remove("metadata") {
        for (name, value) in metadata {
            let key = if name == "timestamp" { vec!["metadata"] } else { vec!["seo", "metatags"] };
            insert(&mut new, &[key.as_slice(), &[name.as_str()]].concat(), value);
        }
    }
    for known in ["layout", "sidebar", "versions", "seo", "primaryTab", "topAnchor"] {
        old.remove(known);
    }
    new.entry("theme").or_insert_with(|| json!("mint"));
    for (key, value) in old {
        new.entry(key).or_insert(value);
    }
    new
}

fn translate_api(old: &mut Map<String, Value>, new: &mut Map<String, Value>) {
    let Some(Value::Object(mut api)) = old.remove("api") else { return };
    if let Some(server) = api.remove("baseUrl") {
        insert(new, &["api", "mdx", "server"], server);
    }
    if let Some(auth) = api.remove("auth") {
        insert(new, &["api", "mdx", "auth"], auth);
    }
    if let Some(mode) =
        api.remove("playground").and_then(|playground| playground.get("mode").cloned())
    {
        let mode = if mode == "show" { json!("interactive") } else { mode };
        insert(new, &["api", "playground", "display"], mode);
    }
}

fn translate_look(old: &mut Map<String, Value>, new: &mut Map<String, Value>) {
    if let Some(toggle) = old.remove("modeToggle") {
        if let Some(default) = toggle.get("default") {
            insert(new, &["appearance", "default"], default.clone());
        }
        if let Some(hidden) = toggle.get("isHidden") {
            insert(new, &["appearance", "strict"], hidden.clone());
        }
    }
    if let Some(Value::Object(colors)) = old.get_mut("colors") {
        if let Some(background) = colors.remove("background") {
            insert(new, &["background", "color"], background);
        }
        colors.remove("anchors");
        colors.remove("ultraLight");
        colors.remove("ultraDark");
    }
    if let Some(Value::Object(mut font)) = old.remove("font") {
        if let Some(heading) = font.remove("headings") {
            font.insert("heading".to_owned(), heading);
        }
        rename_url(&mut font);
        for part in ["heading", "body"] {
            if let Some(Value::Object(font)) = font.get_mut(part) {
                rename_url(font);
            }
        }
        new.insert("fonts".to_owned(), Value::Object(font));
    }
    if let Some(display) = old.remove("eyebrow").and_then(|eyebrow| eyebrow.get("display").cloned())
    {
        insert(new, &["styling", "eyebrows"], display);
    }
    if old.remove("codeBlock").and_then(|block| block.get("mode").cloned()) == Some(json!("dark")) {
        insert(new, &["styling", "codeblocks"], json!("dark"));
    }
}

/// A font file was a `url`.
fn rename_url(font: &mut Map<String, Value>) {
    if let Some(url) = font.remove("url") {
        font.insert("source".to_owned(), url);
    }
}

/// Tabs and anchors claim the groups below their path; the unclaimed ones come first, under the name of the
/// primary tab or the top anchor.
fn navigation(old: &mut Map<String, Value>) -> Value {
    let Some(Value::Array(mut groups)) = old.remove("navigation") else { return json!({}) };
    let label = |value: Option<&Value>, default: &str| {
        value
            .and_then(|value| value.get("name"))
            .and_then(Value::as_str)
            .unwrap_or(default)
            .to_owned()
    };
    let (tabs, tab_links) = claim(old.remove("tabs"), "tab", &mut groups);
    let (anchors, links) = claim(old.remove("anchors"), "anchor", &mut groups);
    let mut navigation = if !tabs.is_empty() {
        let first = label(old.get("primaryTab"), "Documentation");
        let mut all = vec![json!({ "tab": first, "groups": groups })];
        all.extend(tabs);
        all.extend(anchors.into_iter().map(|mut anchor| {
            anchor["tab"] = anchor["anchor"].take();
            anchor
        }));
        json!({ "tabs": all })
    } else if !anchors.is_empty() {
        let first = label(old.get("topAnchor"), "Documentation");
        let mut all = vec![json!({ "anchor": first, "icon": "book-open", "groups": groups })];
        all.extend(anchors);
        json!({ "anchors": all })
    } else {
        json!({ "groups": groups })
    };
    if !links.is_empty() || !tab_links.is_empty() {
        navigation["global"] = json!({ "anchors": links, "tabs": tab_links });
    }
    navigation
}

/// Divisions with the groups they claim, and divisions that are links.
fn claim(divisions: Option<Value>, key: &str, groups: &mut Vec<Value>) -> (Vec<Value>, Vec<Value>) {
    let (mut owners, mut links) = (Vec::new(), Vec::new());
    let Some(Value::Array(divisions)) = divisions else { return (owners, links) };
    for mut division in divisions {
        let url = division.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut new = json!({ key: division["name"].take() });
        if let Some(icon) = division.get("icon") {
            new["icon"] = icon.clone();
        }
        if url.contains("://") || url.starts_with("mailto:") {
            new["href"] = json!(url);
            links.push(new);
            continue;
        }
        let prefix = url.trim_matches('/').to_owned();
        let (claimed, rest) =
            std::mem::take(groups).into_iter().partition(|group| owned(group, &prefix));
        *groups = rest;
        new["groups"] = Value::Array(claimed);
        if let Some(openapi) = division.get("openapi") {
            new["openapi"] = openapi.clone();
        }
        owners.push(new);
    }
    (owners, links)
}

/// Whether the first page of a group is below a prefix.
fn owned(group: &Value, prefix: &str) -> bool {
    match group {
        Value::String(slug) => {
            let slug = slug.trim_matches('/');
            slug == prefix || slug.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
        }
        Value::Object(map) => {
            let first = map.get("pages").and_then(|pages| pages.get(0));
            first.is_some_and(|first| owned(first, prefix))
        }
        _ => false,
    }
}

fn link(mut old: Value) -> Value {
    if let Value::Object(map) = &mut old {
        for (from, to) in [("name", "label"), ("url", "href")] {
            if let Some(value) = map.remove(from) {
                map.insert(to.to_owned(), value);
            }
        }
        if map.get("type") == Some(&json!("link")) {
            map.insert("type".to_owned(), json!("button"));
        }
    }
    old
}

fn socials_map(socials: Value) -> Value {
    let Value::Array(list) = socials else { return socials };
    let entries = list.into_iter().filter_map(|entry| {
        Some((entry.get("type")?.as_str()?.to_owned(), entry.get("url")?.clone()))
    });
    Value::Object(entries.collect())
}

fn insert(map: &mut Map<String, Value>, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        map.insert((*first).to_owned(), value);
        return;
    }
    let inner = map.entry(*first).or_insert_with(|| json!({}));
    if let Value::Object(inner) = inner {
        insert(inner, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_name_is_read_unless_new_one_is_written() {
        let read = |root: Value| {
            let Value::Object(mut root) = root else { unreachable!() };
            read_old_names(&mut root);
            Value::Object(root)
        };
        let old = read(json!({ "api": { "baseUrl": "https://a.example" }, "openapi": "a.json" }));
        assert_eq!(old["api"]["mdx"]["server"], "https://a.example");
        assert_eq!(old["api"]["openapi"], "a.json");
        let both = read(json!({ "openapi": "a.json", "api": { "openapi": "b.json" } }));
        assert_eq!(both["api"]["openapi"], "b.json");
        let odd = read(json!({ "analytics": 1, "api": "text", "colors": [] }));
        assert_eq!(odd, json!({ "analytics": 1, "api": "text", "colors": [], "integrations": 1 }));
    }
}
