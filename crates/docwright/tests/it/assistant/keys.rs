//! Keys of the assistant: of one domain, for listed origins and programs, and accepted nowhere else.

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};

use super::{Answer, hosted, kept::Place};
use crate::server::Api;

const HOST: &str = "docs.example.com";
const SHOP: &str = "https://shop.example.com";

async fn create_key(place: &Place, domain: &str, origins: &[&str]) -> Value {
    let body = json!({ "name": "Shop", "domain": domain, "origins": origins });
    let response = place.api.send(Method::POST, &keys_path(place), Some(body)).await;
    assert_eq!(response.status(), 201);
    response.json().await.unwrap()
}

fn keys_path(place: &Place) -> String {
    format!("/v1/projects/{}/assistant-keys", place.setup.project)
}

fn secret(made: &Value) -> String {
    made["key"].as_str().unwrap().to_owned()
}

/// A request to the site's own endpoint from a page of another origin.
fn from_page(place: &Place, path: &str, key: Option<&str>, origin: &str) -> RequestBuilder {
    let request =
        Client::new().post(format!("{}/_docwright/assistant{path}", place.process.address));
    let request = request.header("host", HOST).header("origin", origin);
    let request = request.header("sec-fetch-site", "cross-site");
    match key {
        Some(key) => request.bearer_auth(key),
        None => request,
    }
}

fn allowed_origin(response: &Response) -> Option<String> {
    let value = response.headers().get("access-control-allow-origin");
    value.map(|value| value.to_str().unwrap().to_owned())
}

async fn discover(place: &Place, path: &str, key: Option<&str>, body: &Value) -> Response {
    let request =
        Client::new().post(format!("{}/discovery{path}", place.process.address)).json(body);
    let request = match key {
        Some(key) => request.bearer_auth(key),
        None => request,
    };
    request.send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn widget_asks_with_a_key_that_lists_its_origin() {
    let place = Place::start().await;
    let made = create_key(&place, HOST, &[SHOP]).await;
    let key = secret(&made);
    assert!(key.starts_with("dwp_"));
    let question = json!({ "question": "When do keys expire?", "thread": "widget-thread" });
    let response = from_page(&place, "", Some(&key), SHOP).json(&question).send().await.unwrap();
    assert_eq!(allowed_origin(&response).as_deref(), Some(SHOP));
    assert_eq!(response.headers()["vary"], "Origin");
    let answer = Answer::whole(response).await;
    assert_eq!(answer.kind(), "extract");
    let id = answer.all("done")[0]["id"].as_str().unwrap();
    let rating = json!({ "thread": "widget-thread", "answer": id, "helpful": true });
    let rated = from_page(&place, "/rating", Some(&key), SHOP).json(&rating).send().await.unwrap();
    assert_eq!((rated.status().as_u16(), allowed_origin(&rated).as_deref()), (204, Some(SHOP)));
    let kept = place.listed("", 1).await;
    assert_eq!(
        (&kept[0]["askedFrom"], &kept[0]["rating"]["helpful"]),
        (&json!("widget"), &json!(true))
    );
    assert_eq!(place.get("/caller-stats").await["other"], 1);
    // Another origin, no key, a wrong key, and a key of the API.
    let api_key = place.api.key.as_str();
    let guessed = format!("{}0000", &key[..key.len() - 4]);
    for (key, origin, status, shared) in [
        (Some(key.as_str()), "https://evil.example", 401, None),
        (Some(&key), "null", 401, None),
        (None, SHOP, 403, Some(SHOP)),
        (Some(&guessed), SHOP, 401, Some(SHOP)),
        (Some(api_key), SHOP, 401, Some(SHOP)),
    ] {
        let response = from_page(&place, "", key, origin).json(&question).send().await.unwrap();
        assert_eq!(response.status(), status, "{origin} {key:?}");
        assert_eq!(allowed_origin(&response).as_deref(), shared, "{origin} {key:?}");
    }
    // A browser asks without the key.
    for (path, origin, shared) in
        [("", SHOP, true), ("/rating", SHOP, true), ("", "https://evil.example", false)]
    {
        let url = format!("{}/_docwright/assistant{path}", place.process.address);
        let request = Client::new().request(Method::OPTIONS, url).header("host", HOST);
        let request =
            request.header("origin", origin).header("access-control-request-method", "POST");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 204);
        assert_eq!(allowed_origin(&response).is_some(), shared, "{origin}");
        let headers = response.headers().get("access-control-allow-headers");
        assert_eq!(
            headers.map(|value| value.to_str().unwrap()),
            shared.then_some("authorization, content-type")
        );
    }
    // Its files are for pages of any origin; pages of the site aren't.
    for (path, shared) in [("_docwright/assistant/panel.js", true), ("index.html", false)] {
        let url = format!("{}/{path}", place.process.address);
        let response = Client::new().get(url).header("host", HOST).send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), allowed_origin(&response).is_some()),
            (200, shared),
            "{path}"
        );
    }
    // The key is shown again, and gone once it is deleted.
    let path = format!("{}/{}", keys_path(&place), made["id"].as_str().unwrap());
    let shown: Value = place.api.send(Method::GET, &path, None).await.json().await.unwrap();
    assert_eq!(shown, made);
    let list: Value =
        place.api.send(Method::GET, &keys_path(&place), None).await.json().await.unwrap();
    assert_eq!(
        (list["assistantKeys"][0]["id"] == made["id"], list["assistantKeys"][0].get("key")),
        (true, None)
    );
    assert_eq!(place.api.send(Method::DELETE, &path, None).await.status(), 200);
    assert_eq!(place.api.send(Method::DELETE, &path, None).await.status(), 404);
    let response = from_page(&place, "", Some(&key), SHOP).json(&question).send().await.unwrap();
    assert_eq!((response.status().as_u16(), allowed_origin(&response)), (401, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn discovery_finds_sections_and_pages() {
    let place = Place::start().await;
    let key = secret(&create_key(&place, HOST, &[SHOP]).await);
    let search = format!("/v1/search/{HOST}");
    let body = json!({
        "query": "keys expire", "pageSize": 2, "filter": { "language": "en", "groups": ["staff"] }, "unknown": true,
    });
    let found = discover(&place, &search, Some(&key), &body).await;
    assert_eq!(found.status(), 200);
    let found: Vec<Value> = found.json().await.unwrap();
    assert!(!found.is_empty() && found.len() <= 2, "{found:?}");
    assert_eq!(
        (&found[0]["path"], &found[0]["metadata"]["title"]),
        (&json!("/guides/start#keys"), &json!("Start"))
    );
    assert!(found[0]["content"].as_str().unwrap().contains("Keys expire after 30 days"));
    assert_eq!(found[0]["metadata"]["score"], 1.0);
    let of = async |body: Value| {
        discover(&place, &search, Some(&key), &body).await.json::<Vec<Value>>().await.unwrap()
    };
    let best = of(json!({ "query": "keys expire", "scoreThreshold": 1.0 })).await;
    assert_eq!(best.len(), 1);
    assert_eq!(
        of(json!({ "query": "keys expire", "filter": { "tag": "Nothing" } })).await,
        Vec::<Value>::new()
    );
    assert!(!of(json!({ "query": "keys expire", "filter": { "tag": "Guides" } })).await.is_empty());
    for wrong in [
        json!({}),
        json!({ "query": " " }),
        json!({ "query": "a", "pageSize": 0 }),
        json!({ "query": "a", "pageSize": 51 }),
        json!({ "query": "a", "scoreThreshold": 2 }),
    ] {
        assert_eq!(discover(&place, &search, Some(&key), &wrong).await.status(), 400, "{wrong}");
    }
    let page = format!("/v1/page/{HOST}");
    let read: Value = discover(&place, &page, Some(&key), &json!({ "path": "/guides/start#keys" }))
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(read["path"], "/guides/start");
    assert!(read["content"].as_str().unwrap().contains("## Keys"), "{read}");
    for missing in ["none", "../docs", "llms.txt", "_docwright/assistant/panel"] {
        let response = discover(&place, &page, Some(&key), &json!({ "path": missing })).await;
        assert_eq!(response.status(), 404, "{missing}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn discovery_streams_an_answer_in_the_known_shape() {
    let place = Place::start().await;
    let key = secret(&create_key(&place, HOST, &[SHOP]).await);
    let message = format!("/v2/assistant/{HOST}/message");
    let body = json!({
        "fp": "anonymous", "threadId": "api-thread", "retrievalPageSize": 5,
        "messages": [{ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "When do keys expire?" }] }],
    });
    let response = discover(&place, &message, Some(&key), &body).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["x-vercel-ai-ui-message-stream"], "v1");
    assert_eq!(response.headers()["x-thread-id"], "api-thread");
    let text = response.text().await.unwrap();
    let parts: Vec<_> = text.split("\n\n").filter_map(|part| part.strip_prefix("data: ")).collect();
    assert_eq!(parts.last(), Some(&"[DONE]"));
    let parts: Vec<Value> =
        parts[..parts.len() - 1].iter().map(|part| serde_json::from_str(part).unwrap()).collect();
    let of_type = |kind: &str| parts.iter().filter(|part| part["type"] == kind).collect::<Vec<_>>();
    assert_eq!(parts[0]["type"], "start");
    let url = of_type("source-url")[0]["url"].as_str().unwrap();
    assert!(url.contains("://docs.example.com") && url.ends_with("/guides/start#keys"), "{url}");
    assert!(
        of_type("text-delta")[0]["delta"].as_str().unwrap().contains("Keys expire after 30 days")
    );
    let finish = &of_type("finish")[0]["messageMetadata"];
    assert_eq!((&finish["threadId"], &finish["kind"]), (&json!("api-thread"), &json!("extract")));
    let kept = place.listed("", 1).await;
    assert_eq!(
        (&kept[0]["askedFrom"], &kept[0]["threadId"]),
        (&json!("api"), &json!("api-thread"))
    );
    assert_eq!(place.get("/caller-stats").await["api"], 1);
    let wrong = json!({ "messages": [{ "role": "user", "content": " " }] });
    assert_eq!(discover(&place, &message, Some(&key), &wrong).await.status(), 400);
    // Off, and without a release of that kind.
    hosted::switch(&place.api, &place.setup.project, "off").await;
    hosted::publish(&place.api, HOST).await;
    hosted::answers(&place.process.address, HOST, false).await;
    assert_eq!(discover(&place, &message, Some(&key), &body).await.status(), 404);
    let page = format!("/v1/page/{HOST}");
    let read = discover(&place, &page, Some(&key), &json!({ "path": "index" })).await;
    assert_eq!(read.status(), 200, "pages need no assistant");
}

#[tokio::test(flavor = "multi_thread")]
async fn assistant_key_is_of_one_domain_and_accepted_nowhere_else() {
    let place = Place::start().await;
    let (setup, address) = (&place.setup, &place.process.address);
    setup.admin(&["domain", "create", "second.example.com", "--project", &setup.project]);
    let key = secret(&create_key(&place, HOST, &[SHOP]).await);
    let second = secret(&create_key(&place, "second.example.com", &[]).await);
    let query = json!({ "query": "keys" });
    let of = async |path: &str, key: Option<&str>| {
        discover(&place, path, key, &query).await.status().as_u16()
    };
    let own = format!("/v1/search/{HOST}");
    assert_eq!(of(&own, Some(&key)).await, 200);
    assert_eq!(of(&own, Some(&second)).await, 401);
    assert_eq!(of("/v1/search/second.example.com", Some(&key)).await, 401);
    assert_eq!(of("/v1/search/none.example.com", Some(&key)).await, 401);
    assert_eq!(of("/v1/search/second.example.com", Some(&second)).await, 404, "it has no release");
    assert_eq!(of(&own, None).await, 401);
    assert_eq!(of(&own, Some(&place.api.key)).await, 401);
    // No other operation takes the key.
    let api = Api { key: key.clone(), ..place.api.clone() };
    for path in ["/v1/projects", "/v1/key", &keys_path(&place), &place.path(""), "/v1/domains"] {
        assert_eq!(api.send(Method::GET, path, None).await.status(), 401, "{path}");
    }
    let git = Client::new()
        .get(format!("{address}/git/{}.git/info/refs?service=git-upload-pack", setup.project));
    let status =
        git.basic_auth("x-access-token", Some(&key)).send().await.unwrap().status().as_u16();
    assert!([401, 404].contains(&status), "{status}");
    // Pages of other origins.
    for (origin, status, shared) in [(SHOP, 200, true), ("https://evil.example", 403, false)] {
        let request = Client::new().post(format!("{address}/discovery{own}")).json(&query);
        let response = request.bearer_auth(&key).header("origin", origin).send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), allowed_origin(&response).is_some()),
            (status, shared),
            "{origin}"
        );
        let request = Client::new().request(Method::OPTIONS, format!("{address}/discovery{own}"));
        let request =
            request.header("origin", origin).header("access-control-request-method", "POST");
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), allowed_origin(&response).is_some()),
            (204, shared),
            "{origin}"
        );
    }
    // Another organization can't see, delete, or make keys of this domain.
    let organization =
        setup.admin(&["organization", "create", "Other"])["id"].as_str().unwrap().to_owned();
    let made = setup.admin(&[
        "key",
        "create",
        "test",
        "--organization",
        &organization,
        "--scope",
        "admin",
    ]);
    let stranger = Api { key: made["key"].as_str().unwrap().to_owned(), ..place.api.clone() };
    let id = key.split('_').nth(1).unwrap();
    let path = format!("{}/{id}", keys_path(&place));
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(stranger.send(method, &path, None).await.status(), 404);
    }
    let project = ["project", "create", "Docs", "--organization", &organization];
    let project = setup.admin(&project)["id"].as_str().unwrap().to_owned();
    let body = json!({ "name": "Shop", "domain": HOST });
    let path = format!("/v1/projects/{project}/assistant-keys");
    assert_eq!(stranger.send(Method::POST, &path, Some(body)).await.status(), 400);
    assert_eq!(stranger.send(Method::GET, &format!("{path}/{id}"), None).await.status(), 404);
    // Neither the audit log nor the database has the secret.
    let audit = place.api.send(Method::GET, "/v1/audit", None).await.text().await.unwrap();
    let secret = key.rsplit('_').next().unwrap();
    assert!(audit.contains("assistant_key.create") && !audit.contains(secret), "{audit}");
    for file in std::fs::read_dir(setup.data()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}
