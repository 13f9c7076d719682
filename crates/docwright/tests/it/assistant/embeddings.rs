//! Sections that are found by meaning: with a model out of a folder, or behind a server, when the bundle is exported and
//! when readers ask.

use std::{
    fs,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
};

use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::post};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{AssistedSite, ScriptedModel, hosted, write_docs};
use crate::server::{Api, Setup, docwright};

/// The docs root has no word of it but the name, and a section about the rainbow, which has the same meaning.
const QUESTION: &str = "Which hue does harbor have?";
const SECTION: &str = "three colors of the rainbow";
const WORDS: [(&str, [f32; 2]); 4] =
    [("[UNK]", [0.0, 0.0]), ("hue", [0.0, 1.0]), ("rainbow", [0.0, 1.0]), ("harbor", [0.01, 0.0])];

/// A static model of some words.
fn model(normalize: bool) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, contents: &[u8]| fs::write(folder.path().join(name), contents).unwrap();
    let numbers: Vec<u8> =
        WORDS.iter().flat_map(|(_, row)| row).flat_map(|number| number.to_le_bytes()).collect();
    let words = WORDS.iter().enumerate();
    let words: serde_json::Map<_, _> =
        words.map(|(at, (word, _))| ((*word).to_owned(), json!(at))).collect();
    let tokenizer = json!({
        "normalizer": { "type": "BertNormalizer" }, "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "vocab": words },
    });
    let header = json!({ "embeddings":
        { "dtype": "F32", "shape": [WORDS.len(), 2], "data_offsets": [0, numbers.len()] } });
    let header = header.to_string();
    let start = (header.len() as u64).to_le_bytes();
    write("tokenizer.json", tokenizer.to_string().as_bytes());
    write("config.json", json!({ "normalize": normalize }).to_string().as_bytes());
    write("model.safetensors", &[&start, header.as_bytes(), &numbers].concat());
    folder
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Whether the model that writes gets the section, with the site and that model.
async fn finds(export_flags: &[&str], flags: &[&str]) -> (bool, AssistedSite, ScriptedModel) {
    let writer = ScriptedModel::start().await;
    writer.writes("Nothing that holds.\n");
    let urls = format!("openai-chat={}", writer.address);
    let writing = ["--assistant-model", "openai-chat:tiny", "--agent-urls", &urls];
    let export_flags = [&["--assistant"], export_flags].concat();
    let site = AssistedSite::with(&export_flags, &[&writing, flags].concat(), write_docs).await;
    let kind = site.ask(QUESTION).await.kind().to_owned();
    assert!(kind != "error", "{kind}");
    let found = asked(&writer);
    (found, site, writer)
}

/// Whether the last request had the section.
fn asked(writer: &ScriptedModel) -> bool {
    let requests = writer.taken();
    format!("{:?}", requests.last().expect("the model is asked")).contains(SECTION)
}

#[tokio::test(flavor = "multi_thread")]
async fn model_of_a_folder_finds_section_by_its_meaning() {
    let (one, other) = (model(true), model(false));
    let (one, other) = (shown(one.path()), shown(other.path()));
    let (found, site, _) = finds(&["--embeddings", &one], &["--embeddings", &one]).await;
    assert!(found);
    for path in ["_docwright/vectors/en.bin", "_docwright/vectors/en", "_docwright/vectors/"] {
        let response = reqwest::get(format!("{}/{path}", site.address)).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
    assert!(!finds(&["--embeddings", &one], &["--embeddings", &other]).await.0, "another model");
    assert!(!finds(&["--embeddings", &one], &[]).await.0, "no model");
    assert!(!finds(&[], &["--embeddings", &one]).await.0, "a bundle without vectors");
}

/// A server that embeds texts as the model of the folder does, or does something else.
#[derive(Clone, Default)]
struct Server {
    status: Arc<Mutex<u16>>,
    /// Texts, and the keys of requests.
    texts: Arc<Mutex<Vec<String>>>,
    vector: Arc<Mutex<Option<Vec<f64>>>>,
}

impl Server {
    async fn start() -> (Self, String) {
        let server = Self { status: Arc::new(Mutex::new(200)), ..Self::default() };
        let router = Router::new().route("/v1/embeddings", post(embed)).with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (server, address)
    }
}

async fn embed(
    State(server): State<Server>,
    headers: axum::http::HeaderMap,
    Json(body): Json<Value>,
) -> axum::response::Response {
    let status = *server.status.lock().unwrap();
    if headers["authorization"] != "Bearer k3y" || body["model"] != "small" {
        return (StatusCode::UNAUTHORIZED, "no").into_response();
    }
    if status != 200 {
        let location = [("location", "http://169.254.169.254/latest")];
        return (StatusCode::from_u16(status).unwrap(), location, "no").into_response();
    }
    let texts = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let texts: Vec<_> = texts.map(str::to_owned).collect();
    let fixed = server.vector.lock().unwrap().clone();
    let vector = |text: &String| {
        let has = |word: &str| text.to_lowercase().contains(word);
        let own = vec![0.01, if has("hue") || has("rainbow") { 1.0 } else { 0.0 }];
        fixed.clone().unwrap_or(own)
    };
    let data = texts.iter().enumerate();
    let data: Vec<_> =
        data.map(|(index, text)| json!({ "index": index, "embedding": vector(text) })).collect();
    server.texts.lock().unwrap().extend(texts);
    Json(json!({ "object": "list", "data": data })).into_response()
}

#[tokio::test(flavor = "multi_thread")]
async fn model_of_a_server_finds_section_until_the_server_fails() {
    let (server, address) = Server::start().await;
    let flags =
        ["--embeddings", &address, "--embeddings-model", "small", "--embeddings-key", "k3y"];
    let (found, site, writer) = finds(&flags, &flags).await;
    assert!(found);
    assert_eq!(server.texts.lock().unwrap().last().unwrap(), QUESTION);
    for hostile in [vec![1.0; 3], Vec::new(), vec![1e39, 1.0], vec![0.0; 5_000]] {
        *server.vector.lock().unwrap() = Some(hostile.clone());
        site.ask(QUESTION).await;
        assert!(!asked(&writer), "{} numbers", hostile.len());
    }
    *server.vector.lock().unwrap() = None;
    site.ask(QUESTION).await;
    assert!(asked(&writer), "the server answers again");
    *server.status.lock().unwrap() = 302;
    site.ask(QUESTION).await;
    assert!(!asked(&writer), "redirects aren't followed");
    // A server that failed isn't asked again for a while.
    *server.status.lock().unwrap() = 200;
    server.texts.lock().unwrap().clear();
    site.ask(QUESTION).await;
    assert!(!asked(&writer) && server.texts.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn service_embeds_only_changed_sections_again() {
    const HOST: &str = "docs.example.com";
    let (server, address) = Server::start().await;
    let writer = ScriptedModel::start().await;
    writer.writes("Nothing that holds.\n");
    let urls = format!("openai-chat={}", writer.address);
    let setup = Setup::built_in(write_docs, &[]);
    let process = setup.serve_with(&[
        ("DOCWRIGHT_ASSISTANT_MODEL", "openai-chat:tiny"),
        ("DOCWRIGHT_AGENT_URLS", &urls),
        ("DOCWRIGHT_EMBEDDINGS", &address),
        ("DOCWRIGHT_EMBEDDINGS_MODEL", "small"),
        ("DOCWRIGHT_EMBEDDINGS_KEY", "k3y"),
    ]);
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let embedded = || std::mem::take(&mut *server.texts.lock().unwrap());
    hosted::publish(&api, HOST).await;
    assert_eq!(embedded(), [""; 0], "a site without an assistant");
    hosted::switch(&api, &setup.project, "on").await;
    hosted::publish(&api, HOST).await;
    hosted::answers(&process.address, HOST, true).await;
    let sections = embedded();
    let has = |text: &str| sections.iter().filter(|section| section.contains(text)).count();
    assert_eq!((has(SECTION), has("Keys expire after 30 days")), (1, 1), "{sections:?}");
    hosted::ask(&process.address, HOST, QUESTION).await.text().await.unwrap();
    assert!(asked(&writer), "the section is found by its meaning");
    assert_eq!(embedded(), [QUESTION]);
    let changed = "---\ntitle: Start\n---\n\nInstall the harbor tool before you begin.\n\n## Keys\n\nKeys expire after 60 days.\n";
    setup.commit("guides/start.mdx", changed);
    hosted::publish(&api, HOST).await;
    let again = embedded();
    assert!(again.len() == 1 && again[0].contains("Keys expire after 60 days"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_is_exported_without_vectors_if_the_server_fails() {
    let (server, address) = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| shown(&folder.path().join(name));
    write_docs(&folder.path().join("docs"));
    let export = |flags: &[&str]| {
        let (docs, bundle) = (path("docs"), path("bundle.tar.gz"));
        let arguments = ["export", &docs, "--out", &bundle, "--assistant"];
        let mut command = docwright(&[&arguments, flags].concat());
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        let output = command.stderr(Stdio::piped()).output().unwrap();
        let bundle = docwright_site::bundle::Bundle::open(Path::new(&bundle));
        let has = bundle.is_ok_and(|bundle| bundle.get("_docwright/vectors/en.bin").is_some());
        (output.status.success(), has, String::from_utf8(output.stderr).unwrap())
    };
    *server.status.lock().unwrap() = 400;
    let flags =
        ["--embeddings", &address, "--embeddings-model", "small", "--embeddings-key", "k3y"];
    let (works, has, said) = tokio::task::block_in_place(|| export(&flags));
    assert!(works && !has && said.contains("warning: sections not embedded"), "{said}");
    assert!(!said.contains("k3y"), "{said}");
    *server.status.lock().unwrap() = 200;
    let (works, has, said) = tokio::task::block_in_place(|| export(&flags));
    assert!(works && has && said.contains("sections embedded with the model "), "{said}");
    let (works, _, said) = export(&["--embeddings", "/nowhere"]);
    assert!(!works && said.contains("--embeddings: cannot read /nowhere/config.json"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_embed_only_changed_sections_again() {
    let (server, address) = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    write_docs(&docs);
    let (source, bundle) = (shown(&docs), shown(&folder.path().join("bundle.tar.gz")));
    let model =
        ["--embeddings", &address, "--embeddings-model", "small", "--embeddings-key", "k3y"];
    let embedded = |arguments: &[&str]| {
        let mut command = docwright(&[arguments, &model].concat());
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        let output = tokio::task::block_in_place(|| command.output().unwrap());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::mem::take(&mut *server.texts.lock().unwrap())
    };
    let export = ["export", &source, "--out", &bundle, "--assistant"];
    let all = embedded(&export);
    assert!(all.iter().any(|text| text.contains("Keys expire after 30 days")), "{all:?}");
    assert_eq!(embedded(&export), [""; 0]);
    let start = docs.join("guides/start.mdx");
    let text = fs::read_to_string(&start).unwrap();
    fs::write(&start, text.replace("30 days", "60 days")).unwrap();
    let changed = embedded(&export);
    assert!(changed.len() == 1 && changed[0].contains("after 60 days"), "{changed:?}");
    assert_eq!(embedded(&[&export[..], &["--no-cache"]].concat()).len(), all.len());
    let questions = folder.path().join("questions.yaml");
    fs::write(&questions, format!("- question: {QUESTION}\n  unanswered: true\n")).unwrap();
    let asked = embedded(&["answers", "check", &shown(&questions), &source]);
    assert_eq!(asked, [QUESTION]);
}
