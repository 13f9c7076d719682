//! The machine-readable description, generated from the operations.

use axum::{Router, body::Bytes, http::header, routing::get};
use docwright_operations::permissions;
use docwright_types::key::Scope;
use utoipa::openapi::{
    ComponentsBuilder, ContactBuilder, Content, Header, Info, LicenseBuilder, OpenApi,
    OpenApiBuilder, Paths, Ref, RefOr, Response, ResponseBuilder, Server, Tag,
    path::{Operation, PathItem},
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
};

use super::always_sent::require_always_sent;
use crate::state::ApiState;

/// Says the scope that an operation needs, for programs that read the description.
const SCOPE: &str = "x-scope";
/// License of docwright.
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// What each group of operations is about.
const TAGS: &[(&str, &str)] = &[
    (
        "Agent jobs",
        "A prompt becomes a pull request: an agent edits the documentation of a project.",
    ),
    ("Organizations", "Those who own projects and keys. Most of it is for keys of the instance."),
    ("Members", "People who sign in to the dashboard, and invitations of more of them."),
    (
        "Accounts",
        "Sign-ins of people and their identities at OpenID Connect providers, for operators.",
    ),
    ("Plans", "What organizations can have, and what they use."),
    ("Instance", "How the service itself is doing."),
    ("Projects", "Documentation repositories and their settings."),
    ("Keys", "Keys of the API: what each can do, from where, and for how long."),
    ("Credentials", "What git hosts are shown, so that private repositories can be read."),
    ("Feedback", "What readers say of pages."),
    ("Notifications", "Subscriptions to events, by HTTP POST or email."),
    ("Audit log", "Who changed what, when and from where, and what it was before and after."),
    ("Domains", "Where sites are, and who shows that they have a host."),
    (
        "Previews",
        "Branches and pull requests have sites of their own, to look at before they are published.",
    ),
    ("Releases", "A project's newest commit is built and published under its domains."),
    (
        "Static export",
        "A documentation site as one archive, for any file storage. Needs a plan that includes it.",
    ),
    ("Webhooks", "What git hosts deliver when something is pushed."),
];

/// The description before the operations are added.
pub(super) fn document(address: &str) -> OpenApi {
    let mut info = Info::new("docwright administrative API", "2.0.0");
    info.description = Some(
        "Starts agent jobs, updates, previews, and static exports of documentation projects, and says how they \
         go.\n\nEvery error is an object with `error`, a sentence for people, and `code`, which does \
         not change. What belongs to another organization answers as what does not exist. Every \
         answer has an `X-Request-Id`, which is in the log of the server too; a client can send its own.\n\nLists are read a page at a \
         time: `limit` says how long a page is, and the `nextCursor` of its answer, given as `cursor`, asks for the \
         next one with the same parameters. `search` finds what begins with a text, in any case of ASCII letters; \
         `sort` says the order. A cursor of another list, search or order is refused."
            .to_owned(),
    );
    info.license = Some(LicenseBuilder::new().name(LICENSE).identifier(Some(LICENSE)).build());
    info.contact = Some(ContactBuilder::new().name(Some("The operator of this instance")).build());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "An admin API key, `dw_…`: create one on the dashboard's \"API keys\" page. It is a secret \
             of servers; don't put it into pages.\n\nA key has one of four scopes, each of which includes \
             those before it: `read`; `write`, which starts work; `admin`, which changes what an \
             organization has; `operator`, which is the scope of keys of the instance. Each operation \
             says which it needs.",
        ))
        .build();
    let components =
        ComponentsBuilder::new().security_scheme("key", SecurityScheme::Http(bearer)).build();
    let tags = TAGS.iter().map(|(name, description)| {
        let mut tag = Tag::new(*name);
        tag.description = Some((*description).to_owned());
        tag
    });
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([Server::new(address)]))
        .paths(Paths::new())
        .components(Some(components))
        .tags(Some(tags))
        .build()
}

/// Adds what holds for every operation: who can use it, what it answers to errors, and the id of
/// the request.
pub(super) fn complete(mut document: OpenApi) -> OpenApi {
    require_always_sent(&mut document);
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            complete_operation(operation);
        }
    }
    document
}

/// The text of the description.
pub(super) fn text(document: &OpenApi) -> Bytes {
    let text = document.to_pretty_json();
    // Nothing in it can't be written.
    text.map(|text| Bytes::from(text + "\n")).unwrap_or_default()
}

/// `/openapi.json`.
pub(super) fn router(text: Bytes) -> Router<ApiState> {
    let answer = ([(header::CONTENT_TYPE, "application/json")], text);
    Router::new().route("/openapi.json", get(move || async move { answer }))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    methods.into_iter().flatten()
}

fn complete_operation(operation: &mut Operation) {
    if let Some(scope) = scope(operation) {
        let needs = format!("\n\nNeeds a key with the scope `{scope}`.");
        operation.description.get_or_insert_default().push_str(&needs);
        // OpenAPI 3.1 lets a bearer requirement name roles, but some validators refuse them.
        operation.security = Some(vec![SecurityRequirement::new("key", [""; 0])]);
        operation.extensions.get_or_insert_default().insert(SCOPE.to_owned(), scope.into());
    }
    let mut errors = vec![
        ("400", "The request does not fit; the sentence names the field or the parameter", None),
        ("401", "There is no key, or it is unknown, revoked or expired", Some("WWW-Authenticate")),
        ("403", "The key can't do this, or not from this address", None),
        ("431", "The head of the request is larger than 64 KiB", None),
        ("500", "The server failed. Its log has the cause under the request ID", None),
        ("503", "The server can't do this now; try again soon", Some("Retry-After")),
    ];
    if operation.request_body.is_some() {
        errors.push(("413", "The body is larger than 1 MiB", None));
        errors.push(("415", "The body is not JSON", None));
    }
    let answers = &mut operation.responses.responses;
    for (status, description, header) in errors {
        answers.entry(status.to_owned()).or_insert_with(|| error_response(description, header));
    }
    for answer in answers.values_mut() {
        if let RefOr::T(answer) = answer {
            let mut id = Header::default();
            id.description = Some("Id of the request, which the server's log has too".to_owned());
            answer.headers.insert("X-Request-Id".to_owned(), RefOr::T(id));
        }
    }
}

/// The scope that an operation needs; `None` if it needs no key.
fn scope(operation: &Operation) -> Option<&'static str> {
    permissions::scope_of(operation.operation_id.as_deref()?).map(Scope::name)
}

fn error_response(description: &str, header: Option<&str>) -> RefOr<Response> {
    let body = Content::new(Some(Ref::from_schema_name("Error")));
    let mut answer =
        ResponseBuilder::new().description(description).content("application/json", body).build();
    if let Some(name) = header {
        answer.headers.insert(name.to_owned(), RefOr::T(Header::default()));
    }
    RefOr::T(answer)
}
