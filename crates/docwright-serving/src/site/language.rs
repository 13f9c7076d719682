//! Chooses the language that a site opens in: the one that the reader chose on a page, or the best one for their
//! browser. The default language stays at `/`.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts, uri::Authority};
use docwright_site::bundle::HomeLanguage;

use super::{negotiate::weight, redirects::Elsewhere};

/// The cookie with the language that a reader chose. The script of the theme sets it.
const COOKIE: &str = "docwright_language";

/// The redirect from the home page to that of the reader's language; `None` if it is the default one.
pub(super) fn redirect(languages: &[HomeLanguage], request: &Parts) -> Option<Elsewhere> {
    let default = languages.first()?;
    let language = match chosen(languages, &request.headers) {
        Some(language) => language,
        // Readers who are on the site already can go to its home page.
        None if is_from_same_host(request) => return None,
        None => accepted(languages, &request.headers)?,
    };
    if language == default {
        return None;
    }
    let query = request.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let location = HeaderValue::try_from(format!("{}{query}", language.path)).ok()?;
    Some(Elsewhere { status: StatusCode::FOUND, location })
}

fn chosen<'a>(languages: &'a [HomeLanguage], headers: &HeaderMap) -> Option<&'a HomeLanguage> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let (_, code) = pairs.find(|(name, _)| name.trim() == COOKIE)?;
    find(languages, code.trim())
}

fn is_from_same_host(request: &Parts) -> bool {
    let referrer = request.headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    let referrer = referrer.and_then(|address| address.parse::<axum::http::Uri>().ok());
    let host = request.headers.get(header::HOST).and_then(|value| value.to_str().ok());
    let host = request.uri.authority().map(Authority::as_str).or(host);
    referrer.is_some_and(|from| from.authority().map(Authority::as_str) == host)
}

/// The language that the browser prefers among those of the site (RFC 9110, section 12.5.4).
fn accepted<'a>(languages: &'a [HomeLanguage], headers: &HeaderMap) -> Option<&'a HomeLanguage> {
    let lines = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let elements =
        lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim);
    let ranges = elements.filter_map(|element| {
        let (range, parameters) = element.split_once(';').unwrap_or((element, ""));
        weight(parameters).filter(|weight| *weight > 0).map(|weight| (range.trim(), weight))
    });
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    ranges.into_iter().find_map(|(range, _)| lookup(languages, range))
}

/// Looks up a range: itself, then without its last subtags (RFC 4647, section 3.4), then any variety of it.
fn lookup<'a>(languages: &'a [HomeLanguage], range: &str) -> Option<&'a HomeLanguage> {
    if range == "*" {
        return languages.first();
    }
    let mut shorter = range;
    loop {
        if let Some(language) = find(languages, shorter).or_else(|| find(languages, usual(shorter)))
        {
            return Some(language);
        }
        let Some((rest, _)) = shorter.rsplit_once('-') else { break };
        shorter = rest;
    }
    // Readers of one Chinese script don't always read the other.
    let is_variety = |language: &&HomeLanguage| {
        language.code.split_once('-').is_some_and(|(main, _)| main.eq_ignore_ascii_case(shorter))
    };
    languages.iter().filter(|_| !shorter.eq_ignore_ascii_case("zh")).find(is_variety)
}

fn find<'a>(languages: &'a [HomeLanguage], code: &str) -> Option<&'a HomeLanguage> {
    languages.iter().find(|language| language.code.eq_ignore_ascii_case(code))
}

/// The code of a language in sites, for a code of browsers that says the same in another way.
fn usual(range: &str) -> &str {
    match range.to_ascii_lowercase().as_str() {
        "zh" | "zh-cn" | "zh-sg" | "zh-my" => "zh-Hans",
        "zh-tw" | "zh-hk" | "zh-mo" => "zh-Hant",
        "nb" | "nn" => "no",
        "iw" => "he",
        "in" => "id",
        _ => range,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    const CODES: [&str; 6] = ["en", "fr", "pt-BR", "zh-Hans", "zh-Hant", "no"];

    fn opened(headers: &[(&str, &str)]) -> String {
        let languages = CODES.map(|code| {
            let path = if code == "en" { "/".to_owned() } else { format!("/{code}/start") };
            HomeLanguage { code: code.to_owned(), path }
        });
        let mut request = Request::get("/?a=1").header("host", "docs.example.com");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (request, ()) = request.body(()).unwrap().into_parts();
        let to = redirect(&languages, &request).map(|to| to.location);
        to.map_or("/".to_owned(), |to| to.to_str().unwrap().to_owned())
    }

    #[test]
    fn home_page_opens_in_language_of_browser() {
        for (accepted, expected) in [
            ("fr", "/fr/start?a=1"),
            ("FR-ch, en;q=0.5", "/fr/start?a=1"),
            ("en-US,en;q=0.9,fr;q=0.8", "/"),
            ("en;q=0.1, fr;q=0.2", "/fr/start?a=1"),
            ("de, fr;q=0.5", "/fr/start?a=1"),
            ("pt-PT", "/pt-BR/start?a=1"),
            ("zh-CN,zh;q=0.9", "/zh-Hans/start?a=1"),
            ("zh-Hant-HK", "/zh-Hant/start?a=1"),
            ("zh-TW", "/zh-Hant/start?a=1"),
            ("nb-NO", "/no/start?a=1"),
            ("fr;q=0", "/"),
            ("fr;q=2", "/"),
            ("*", "/"),
            ("de", "/"),
            ("", "/"),
            ("-", "/"),
        ] {
            assert_eq!(opened(&[("accept-language", accepted)]), expected, "{accepted}");
        }
        assert_eq!(opened(&[]), "/");
    }

    #[test]
    fn chosen_language_wins() {
        let french = ("accept-language", "fr");
        assert_eq!(opened(&[french, ("cookie", "a=b; docwright_language=en")]), "/");
        let cookie = ("cookie", "docwright_language=pt-BR; a=b");
        assert_eq!(opened(&[french, cookie]), "/pt-BR/start?a=1");
        assert_eq!(opened(&[french, ("cookie", "docwright_language=xx")]), "/fr/start?a=1");
    }

    #[test]
    fn links_of_site_lead_to_default_language() {
        let french = ("accept-language", "fr");
        assert_eq!(opened(&[french, ("referer", "https://docs.example.com/fr/start")]), "/");
        assert_eq!(opened(&[french, ("referer", "https://example.com/")]), "/fr/start?a=1");
    }
}
