//! The API spec, generated from the operations.

use axum::{Router, body::Bytes, http::header, routing::get};
use docwright_operations::permissions;
use docwright_types::key::Scope;
use utoipa::openapi::{
    ComponentsBuilder, ContactBuilder, Content, Header, Info, LicenseBuilder, OpenApi,
    OpenApiBuilder, Paths, Ref, RefOr, Required, Response, ResponseBuilder, Schema, Server, Tag,
    path::{Operation, PathItem},
    request_body::RequestBody,
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
};

use super::always_sent::require_always_sent;
use crate::{lazy::Lazy, state::ApiState};

/// Extension with the scope that an operation requires, for programs.
const SCOPE: &str = "x-scope";
/// Operations of this group require a key of the assistant.
const DISCOVERY: &str = "Discovery";
/// License of docwright.
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// Groups of operations, with descriptions.
const TAGS: &[(&str, &str)] = &[
    (
        "Agent jobs",
        "Agents that edit the documentation of a project as a prompt asks, and open a pull request.",
    ),
    (
        "Pages",
        "Pages of a site, as its navigation shows them, with diagnostics, views, and ratings of each.",
    ),
    (
        "Pull requests",
        "Changes of agent jobs on the built-in git host, to review and merge. Other git hosts have their own.",
    ),
    (
        "Organizations",
        "Owners of projects, members, and API keys. Most operations need an operator key.",
    ),
    ("Members", "Accounts in an organization, and invitations to join it."),
    (
        "Accounts",
        "Sign-ins of people, and their identities at OpenID Connect providers. For operators.",
    ),
    ("Plans", "Limits and features of organizations, and their usage."),
    ("Instance", "Health of the service."),
    ("Projects", "Documentation repositories and their settings."),
    ("Keys", "API keys, each with a scope, an allowlist, and an expiry date."),
    ("Credentials", "Tokens and passwords for the git hosts of private repositories."),
    ("Feedback", "Ratings and comments of readers."),
    ("Analytics", "Views and visitors of sites, without anything that identifies a reader."),
    (
        "Assistant",
        "Answers from the pages of a site, and the questions of its readers, without anything that identifies a reader.",
    ),
    (
        "Discovery",
        "Search, pages, and answers of the site of one domain, for web pages and programs. Requires an assistant key.",
    ),
    ("Notifications", "Subscriptions to events, by HTTP POST or email."),
    (
        "Audit log",
        "Record of changes: author, action, time, IP address, and the states before and after.",
    ),
    ("Domains", "Hostnames and base paths that serve sites, and proof that you own them."),
    (
        "Previews",
        "Temporary sites of branches and pull requests, to review changes before you publish them.",
    ),
    ("Releases", "Commits of a project, built and published under its domains."),
    (
        "Deployments",
        "Places where a project's documentation is used, each with a type and the features of its sites.",
    ),
    (
        "Static export",
        "Bundles of documentation sites, for any static host. Requires a plan that includes static export.",
    ),
    ("Webhooks", "Requests that git hosts send after a push."),
];

/// The API spec before the operations are added.
pub(super) fn document(address: &str) -> OpenApi {
    let mut info = Info::new("docwright administrative API", "2.0.0");
    info.description = Some(
        "Manage documentation projects: agent jobs, updates, previews, releases, and static exports.\n\nEvery \
         error is an object with two fields. `error` says what is wrong and how to fix it. `code` is a stable name \
         for programs. Objects of other organizations return the same error as objects that don't exist. Every \
         response has an `X-Request-Id`, which is also in the server's log. You can send your own ID in this \
         header.\n\nLists return pages of at most `limit` items. To request the next page, send the response's \
         `nextCursor` as `cursor`, and keep the other parameters. `search` returns items that start with a text and \
         ignores the case of ASCII letters. `sort` sets the order. A cursor is valid only for the list, the search, \
         and the order that returned it."
            .to_owned(),
    );
    info.license = Some(LicenseBuilder::new().name(LICENSE).identifier(Some(LICENSE)).build());
    info.contact = Some(ContactBuilder::new().name(Some("The operator of this instance")).build());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "An admin API key, `dw_…`. Create one on the dashboard's \"API keys\" page. Keep it on servers: never \
             put it in web pages or apps.\n\nA key has one of four scopes, each of which includes the ones before \
             it: `read`; `write`, to start jobs; `admin`, to change an organization; and `operator`, to administer \
             the instance. Each operation states the scope that it requires.",
        ))
        .build();
    let assistant = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "An assistant key, `dwp_…`. It asks about one domain, and web pages can contain it. Create one on the \
             project's \"Assistant keys\" page.",
        ))
        .build();
    let components = ComponentsBuilder::new()
        .security_scheme("key", SecurityScheme::Http(bearer))
        .security_scheme("assistantKey", SecurityScheme::Http(assistant))
        .build();
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

/// Adds common parts of all operations: scopes, error responses, and the id of the request.
fn complete(mut document: OpenApi) -> OpenApi {
    require_always_sent(&mut document);
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            complete_operation(operation);
        }
    }
    document
}

/// The text of the API spec. `document` has the operations.
pub(super) fn text(document: OpenApi) -> Bytes {
    let text = complete(document).to_pretty_json();
    // Its contents can always be serialized.
    text.map(|text| Bytes::from(text + "\n")).unwrap_or_default()
}

/// `/openapi.json`.
pub(super) fn router(spec: Lazy<Bytes>) -> Router<ApiState> {
    let json = [(header::CONTENT_TYPE, "application/json")];
    let answer = move || async move { (json, Bytes::clone(&spec)) };
    Router::new().route("/openapi.json", get(answer))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    methods.into_iter().flatten()
}

/// Describes a body that can be left out as such. `utoipa` describes it as null or an object.
fn complete_body(body: &mut RequestBody) {
    for content in body.content.values_mut() {
        let RefOr::T(content) = content else { continue };
        let Some(RefOr::T(Schema::OneOf(either))) = &content.schema else { continue };
        let object = either.items.iter().find(|item| matches!(item, RefOr::Ref(_))).cloned();
        content.schema = object.or(content.schema.take());
        body.required = Some(Required::False);
    }
}

fn complete_operation(operation: &mut Operation) {
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        complete_body(body);
    }
    if let Some(scope) = scope(operation) {
        let needs = format!("\n\nRequires an API key with the scope `{scope}`.");
        operation.description.get_or_insert_default().push_str(&needs);
        // OpenAPI 3.1 allows roles in a bearer requirement, but some validators refuse them.
        operation.security = Some(vec![SecurityRequirement::new("key", [""; 0])]);
        operation.extensions.get_or_insert_default().insert(SCOPE.to_owned(), scope.into());
    }
    if operation.tags.as_ref().is_some_and(|tags| tags.iter().any(|tag| tag == DISCOVERY)) {
        let needs = "\n\nRequires an assistant key of the domain. A page of another origin needs a key that lists it.";
        operation.description.get_or_insert_default().push_str(needs);
        operation.security = Some(vec![SecurityRequirement::new("assistantKey", [""; 0])]);
    }
    let mut errors = vec![
        ("400", "The request is invalid. The error names the field or parameter.", None),
        ("401", "The API key is missing, invalid, revoked, or expired.", Some("WWW-Authenticate")),
        ("403", "The API key doesn't have the scope, or doesn't allow your IP address.", None),
        ("431", "The request headers exceed 64 KiB.", None),
        ("500", "Internal error. The server's log has the cause under the request ID.", None),
        ("503", "The server is temporarily unavailable. Try again soon.", Some("Retry-After")),
    ];
    if operation.request_body.is_some() {
        errors.push(("413", "The request body exceeds 1 MiB.", None));
        errors.push(("415", "The request body isn't JSON.", None));
    }
    let answers = &mut operation.responses.responses;
    for (status, description, header) in errors {
        answers.entry(status.to_owned()).or_insert_with(|| error_response(description, header));
    }
    for answer in answers.values_mut() {
        if let RefOr::T(answer) = answer {
            let mut id = Header::default();
            id.description = Some("ID of the request, as in the server's log.".to_owned());
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
