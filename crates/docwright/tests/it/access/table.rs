//! The access table: the status of each operation for each kind of key.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    AccessSetup,
    things::{Fresh, SECRET, Things, fresh, things},
};
use crate::{postgres, server::Api};

/// An operation.
struct Row {
    method: &'static str,
    path: &'static str,
    /// The required scope; `None` if the operation needs no key.
    scope: Option<&'static str>,
    body: fn(&Things) -> Value,
    fresh: Fresh,
    /// Statuses for keys with the scope, of the organization or the instance.
    own: &'static [u16],
    /// The status for a key of another organization with the scope.
    stranger: u16,
    /// The status for a key with the scope that is limited to another project of the organization.
    limited: u16,
}

const fn row(
    (method, path): (&'static str, &'static str),
    scope: &'static str,
    own: &'static [u16],
    (stranger, limited): (u16, u16),
) -> Row {
    let (body, fresh, scope) = (nothing as fn(&Things) -> Value, Fresh::Nothing, Some(scope));
    Row { method, path, scope, body, fresh, own, stranger, limited }
}

impl Row {
    const fn with(self, body: fn(&Things) -> Value) -> Self {
        Self { body, ..self }
    }

    const fn on(self, fresh: Fresh) -> Self {
        Self { fresh, ..self }
    }

    /// An operation that needs no key.
    const fn open(self) -> Self {
        Self { scope: None, ..self }
    }
}

const fn nothing(_: &Things) -> Value {
    Value::Null
}

/// Every operation of the API spec and every other route.
#[expect(clippy::too_many_lines, reason = "a table")]
fn table() -> Vec<Row> {
    const READ: &str = "read";
    const WRITE: &str = "write";
    const ADMIN: &str = "admin";
    const OPERATOR: &str = "operator";
    let prompt = |_: &Things| json!({ "prompt": "Fix the links." });
    let tools = |_: &Things| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    vec![
        row(("POST", "/mcp"), READ, &[200], (200, 200)).with(tools),
        row(("POST", "/v2/agent/{projectId}/job"), WRITE, &[201], (404, 404)).with(prompt),
        row(("GET", "/v2/agent/{projectId}/jobs"), READ, &[200], (404, 404)),
        row(("GET", "/v1/agent/{projectId}/jobs?skip=0&take=5"), READ, &[200], (404, 404)),
        row(("GET", "/v2/agent/{projectId}/job/{id}"), READ, &[200], (404, 404)),
        row(("GET", "/v2/agent/{projectId}/job/{id}/events"), READ, &[200], (404, 404)),
        row(("POST", "/v2/agent/{projectId}/job/{id}/message"), WRITE, &[200, 409], (404, 404))
            .with(prompt),
        row(("POST", "/v2/agent/{projectId}/job/{id}/cancel"), WRITE, &[200, 409], (404, 404)),
        row(("POST", "/v2/agent/{projectId}/job/{id}/archive"), WRITE, &[200], (404, 404)),
        row(("GET", "/v2/agent/{projectId}/job/{id}/history"), READ, &[200], (404, 404)),
        row(("GET", "/v2/agent/{projectId}/job/{id}/diff"), READ, &[200], (404, 404)),
        row(("GET", "/v2/agent/{projectId}/models"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/assistant"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/assistant/export"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/assistant/caller-stats"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/gaps"), READ, &[200], (404, 404)),
        // The thread doesn't exist.
        row(
            ("GET", "/v1/analytics/{projectId}/assistant/threads/{threadId}"),
            READ,
            &[404],
            (404, 404),
        ),
        row(
            ("DELETE", "/v1/analytics/{projectId}/assistant/threads/{threadId}"),
            ADMIN,
            &[404],
            (404, 404),
        ),
        row(("DELETE", "/v1/analytics/{projectId}/assistant"), ADMIN, &[200], (404, 404)),
        row(("POST", "/v1/projects/{projectId}/assistant-keys"), ADMIN, &[201], (404, 404))
            .with(|_| json!({ "name": "Shop", "domain": "docs.example.com" })),
        row(("GET", "/v1/projects/{projectId}/assistant-keys"), ADMIN, &[200], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/assistant-keys/{keyId}"), ADMIN, &[404], (404, 404)),
        // An API key isn't an assistant key.
        row(("DELETE", "/v1/projects/{projectId}/assistant-keys/{keyId}"), ADMIN, &[404], (404, 404)),
        row(("POST", "/discovery/v1/search/{domain}"), READ, &[401], (401, 401))
            .open()
            .with(|_| json!({ "query": "pages" })),
        row(("POST", "/discovery/v1/page/{domain}"), READ, &[401], (401, 401))
            .open()
            .with(|_| json!({ "path": "index" })),
        row(("POST", "/discovery/v2/assistant/{domain}/message"), READ, &[401], (401, 401))
            .open()
            .with(|_| json!({ "messages": [{ "role": "user", "content": "Why?" }] })),
        row(("POST", "/v1/project/update/{projectId}"), WRITE, &[202], (404, 404)),
        row(("GET", "/v1/project/update-status/{statusId}"), READ, &[200], (404, 404)),
        row(("POST", "/v1/static-export/jobs"), WRITE, &[202], (404, 404))
            .with(|_| json!({ "domain": "docs.example.com" })),
        row(("GET", "/v1/static-export/jobs?projectId={projectId}"), READ, &[200], (404, 404)),
        row(("GET", "/v1/static-export/jobs/{jobId}"), READ, &[200], (404, 404)),
        row(("POST", "/v1/static-export/jobs/{jobId}/bundle"), WRITE, &[200, 409], (404, 404)),
        row(("POST", "/v1/organizations"), OPERATOR, &[201], (403, 403))
            .with(|things| json!({ "name": things.name() })),
        row(("GET", "/v1/organizations"), READ, &[200], (200, 403)),
        row(("GET", "/v1/organizations/{organizationId}"), READ, &[200], (404, 403)),
        row(("PATCH", "/v1/organizations/{organizationId}"), OPERATOR, &[200], (403, 403))
            .with(|_| json!({ "plan": "enterprise" })),
        row(("DELETE", "/v1/organizations/{organizationId}"), OPERATOR, &[200], (403, 403))
            .on(Fresh::Organization),
        row(("GET", "/v1/organizations/{organizationId}/usage"), READ, &[200], (404, 403)),
        row(("GET", "/v1/plans"), READ, &[200], (200, 200)),
        row(("PUT", "/v1/plans/{plan}"), OPERATOR, &[200], (403, 403))
            .with(|_| json!({ "staticExport": false, "promptsAnHour": 100 })),
        row(("GET", "/v1/instance"), OPERATOR, &[200], (403, 403)),
        row(("POST", "/v1/instance/models"), OPERATOR, &[200], (403, 403)),
        row(("GET", "/v1/accounts"), OPERATOR, &[200], (403, 403)),
        // The account doesn't exist.
        row(("GET", "/v1/accounts/{accountId}"), OPERATOR, &[404], (403, 403)),
        row(("PATCH", "/v1/accounts/{accountId}"), OPERATOR, &[404], (403, 403))
            .with(|_| json!({ "isOperator": false })),
        row(("DELETE", "/v1/accounts/{accountId}"), OPERATOR, &[404], (403, 403)),
        row(
            ("DELETE", "/v1/accounts/{accountId}/identities?issuer=https%3A%2F%2Fi&subject=s"),
            OPERATOR,
            &[404],
            (403, 403),
        ),
        row(("GET", "/v1/organizations/{organizationId}/members"), READ, &[200], (404, 403)),
        // The member doesn't exist.
        row(
            ("GET", "/v1/organizations/{organizationId}/members/{accountId}"),
            READ,
            &[404],
            (404, 403),
        ),
        row(
            ("PATCH", "/v1/organizations/{organizationId}/members/{accountId}"),
            ADMIN,
            &[404],
            (404, 403),
        )
        .with(|_| json!({ "role": "viewer" })),
        row(
            ("DELETE", "/v1/organizations/{organizationId}/members/{accountId}"),
            ADMIN,
            &[404],
            (404, 403),
        ),
        row(
            ("POST", "/v1/organizations/{organizationId}/invitations"),
            ADMIN,
            &[201],
            (404, 403),
        )
        .with(|_| json!({ "email": "ada@example.com", "role": "viewer" })),
        row(("GET", "/v1/organizations/{organizationId}/invitations"), ADMIN, &[200], (404, 403)),
        // The invitation doesn't exist.
        row(
            ("DELETE", "/v1/organizations/{organizationId}/invitations/{invitationId}"),
            ADMIN,
            &[404],
            (404, 403),
        ),
        row(("POST", "/v1/projects"), ADMIN, &[201], (404, 403)).with(|things| {
            json!({ "name": things.name(), "organizationId": things.organization })
        }),
        // The address is private, which is a result.
        row(("POST", "/v1/repositories/check"), ADMIN, &[200], (404, 403)).with(|things| {
            json!({ "repository": "https://127.0.0.1/docs", "organizationId": things.organization })
        }),
        row(("GET", "/v1/projects"), READ, &[200], (200, 200)),
        row(("GET", "/v1/projects/{projectId}"), READ, &[200], (404, 404)),
        row(("POST", "/v1/projects/{projectId}/poll"), WRITE, &[202], (404, 404)),
        row(("PATCH", "/v1/projects/{projectId}"), ADMIN, &[200], (404, 404))
            .with(|_| json!({ "path": "" })),
        row(("DELETE", "/v1/projects/{projectId}"), ADMIN, &[200], (404, 404)).on(Fresh::Project),
        row(("POST", "/v1/releases"), WRITE, &[202], (404, 404))
            .with(|_| json!({ "domain": "docs.example.com" })),
        row(("GET", "/v1/releases?domain=docs.example.com"), READ, &[200], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/releases"), READ, &[200], (404, 404)),
        row(("GET", "/v1/releases/{releaseId}"), READ, &[200], (404, 404)),
        row(("GET", "/v1/releases/{releaseId}/changes"), READ, &[200], (404, 404)),
        row(("GET", "/v1/releases/{releaseId}/effect"), READ, &[200], (404, 404)),
        row(("POST", "/v1/releases/{releaseId}/activate"), WRITE, &[200], (404, 404)),
        // Finished.
        row(("POST", "/v1/releases/{releaseId}/cancel"), WRITE, &[409], (404, 404)),
        row(("GET", "/v1/releases/{releaseId}/log"), READ, &[200], (404, 404)),
        row(("POST", "/v1/keys"), ADMIN, &[201], (404, 403)).with(|things| {
            json!({ "name": "x", "scope": "read", "organizationId": things.organization })
        }),
        row(("GET", "/v1/key"), READ, &[200], (200, 200)),
        row(("GET", "/v1/keys"), ADMIN, &[200], (200, 403)),
        row(("GET", "/v1/keys/{keyId}"), ADMIN, &[200], (404, 403)),
        row(("PATCH", "/v1/keys/{keyId}"), ADMIN, &[200], (404, 403))
            .with(|_| json!({ "days": 9 })),
        row(("POST", "/v1/keys/{keyId}/revoke"), ADMIN, &[200], (404, 403)).on(Fresh::Key),
        row(("PUT", "/v1/credentials"), ADMIN, &[200], (404, 404)).with(|things| {
            json!({ "host": "git.example.com", "projectId": things.project, "secret": SECRET })
        }),
        row(("GET", "/v1/credentials"), ADMIN, &[200], (200, 200)),
        row(("DELETE", "/v1/credentials/{credentialId}"), ADMIN, &[200], (404, 404))
            .on(Fresh::Credential),
        row(("POST", "/v1/projects/{projectId}/deployments"), ADMIN, &[201], (404, 404))
            .with(|things| json!({ "name": things.name(), "type": "air-gapped" })),
        row(("GET", "/v1/projects/{projectId}/deployments"), READ, &[200], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/deployments/{deploymentId}"), READ, &[200], (404, 404)),
        row(("PATCH", "/v1/projects/{projectId}/deployments/{deploymentId}"), ADMIN, &[200], (404, 404))
            .with(|_| json!({ "features": { "search": { "mode": "off" } } })),
        // The deployment has no such export.
        row(("POST", "/v1/projects/{projectId}/deployments/{deploymentId}/report"), WRITE, &[400], (404, 404))
            .with(|_| json!({ "jobId": "exp_none" })),
        row(("DELETE", "/v1/projects/{projectId}/deployments/{deploymentId}"), ADMIN, &[204], (404, 404))
            .on(Fresh::Deployment),
        row(("POST", "/v1/domains"), ADMIN, &[201], (404, 404)).with(|things| {
            json!({ "domain": format!("{}.localhost", things.name().replace(' ', "-")), "projectId": things.project })
        }),
        row(("GET", "/v1/domains"), READ, &[200], (200, 403)),
        row(("GET", "/v1/domains/{domain}"), READ, &[200], (404, 404)),
        row(("PATCH", "/v1/domains/{domain}"), ADMIN, &[200], (404, 404)).with(|_| json!({})),
        row(("POST", "/v1/domains/{domain}/verify"), ADMIN, &[200], (404, 404)),
        row(("POST", "/v1/domains/{domain}/rename"), ADMIN, &[200], (404, 404))
            .on(Fresh::Domain)
            .with(|things| json!({ "domain": format!("{}.localhost", things.name().replace(' ', "-")) })),
        row(("DELETE", "/v1/domains/{domain}/redirects/{name}"), ADMIN, &[404], (404, 404)),
        row(("DELETE", "/v1/domains/{domain}"), ADMIN, &[200], (404, 404)).on(Fresh::Domain),
        row(("GET", "/v1/feedback?domain=docs.example.com"), READ, &[200], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/feedback"), READ, &[200], (404, 404)),
        // The feedback entry doesn't exist.
        row(("PATCH", "/v1/projects/{projectId}/feedback/{feedbackId}"), WRITE, &[404], (404, 404))
            .with(|_| json!({ "state": "resolved" })),
        row(("GET", "/v1/analytics/{projectId}/views"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/timeline"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/live"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/releases"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/visitors"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/breakdown?by=referrer"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/agents"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/dead-links"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/redirects"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/searches"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/empty-searches"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/web-vitals"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/unread-pages"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/feedback"), READ, &[200], (404, 404)),
        row(("GET", "/v1/analytics/{projectId}/feedback/by-page"), READ, &[200], (404, 404)),
        row(("GET", "/v1/audit"), ADMIN, &[200], (200, 403)),
        row(("POST", "/v1/subscriptions"), ADMIN, &[201], (404, 404)).with(|things| {
            json!({ "target": "https://hooks.example.com/", "projectId": things.project })
        }),
        row(
            ("GET", "/v1/subscriptions?organizationId={organizationId}"),
            ADMIN,
            &[200],
            (404, 200),
        ),
        row(("GET", "/v1/subscriptions/{subscriptionId}"), ADMIN, &[200], (404, 404)),
        row(("DELETE", "/v1/subscriptions/{subscriptionId}"), ADMIN, &[204], (404, 404))
            .on(Fresh::Subscription),
        row(
            ("GET", "/v1/subscriptions/{subscriptionId}/notifications"),
            ADMIN,
            &[200],
            (404, 404),
        ),
        // The notification doesn't exist.
        row(
            ("POST", "/v1/subscriptions/{subscriptionId}/notifications/{notificationId}/resend"),
            ADMIN,
            &[404],
            (404, 404),
        ),
        // Without --preview-domain, previews work only on this machine.
        row(("POST", "/v1/project/preview/{projectId}"), WRITE, &[202, 409, 429], (404, 404))
            .with(|_| json!({ "branch": "main" })),
        row(("GET", "/v1/projects/{projectId}/previews"), READ, &[200], (404, 404)),
        // The preview doesn't exist.
        row(("GET", "/v1/projects/{projectId}/previews/{previewId}"), READ, &[404], (404, 404)),
        row(("DELETE", "/v1/projects/{projectId}/previews/{previewId}"), WRITE, &[404], (404, 404)),
        row(("PUT", "/v1/projects/{projectId}/preview-password"), ADMIN, &[204], (404, 404))
            .with(|_| json!({ "password": SECRET })),
        row(("DELETE", "/v1/projects/{projectId}/preview-password"), ADMIN, &[204], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/pages"), READ, &[200], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/problems"), READ, &[200], (404, 404)),
        row(("POST", "/v1/projects/{projectId}/problems/test"), WRITE, &[200], (404, 404)),
        // The release has no such page.
        row(
            ("GET", "/v1/projects/{projectId}/page-source?path=index"),
            READ,
            &[404],
            (404, 404),
        ),
        row(("POST", "/v1/projects/{projectId}/page-edits"), WRITE, &[404], (404, 404))
            .with(|_| json!({ "path": "index", "revision": "1", "text": "T", "title": "T" })),
        row(("GET", "/v1/projects/{projectId}/pull-requests"), READ, &[200], (404, 404)),
        // The branch doesn't exist.
        row(("POST", "/v1/projects/{projectId}/pull-requests"), WRITE, &[400], (404, 404))
            .with(|_| json!({ "head": "none", "title": "T" })),
        // The pull request doesn't exist.
        row(("GET", "/v1/projects/{projectId}/pull-requests/{number}"), READ, &[404], (404, 404)),
        row(
            ("POST", "/v1/projects/{projectId}/pull-requests/{number}/merge"),
            WRITE,
            &[404],
            (404, 404),
        ),
        row(
            ("POST", "/v1/projects/{projectId}/pull-requests/{number}/close"),
            WRITE,
            &[404],
            (404, 404),
        ),
        row(("POST", "/v1/projects/{projectId}/webhook-secret"), ADMIN, &[201], (404, 404)),
        row(("GET", "/v1/projects/{projectId}/deliveries"), READ, &[200], (404, 404)),
        row(
            ("POST", "/v1/projects/{projectId}/deliveries/{deliveryId}/redeliver"),
            WRITE,
            &[202],
            (404, 404),
        ),
        // The signature authenticates a webhook and is missing here.
        row(("POST", "/hooks/{projectId}"), READ, &[401], (401, 401)).open(),
        // The built-in git host.
        row(
            ("GET", "/git/{projectId}.git/info/refs?service=git-upload-pack"),
            READ,
            &[200],
            (404, 404),
        ),
        row(
            ("GET", "/git/{projectId}.git/info/refs?service=git-receive-pack"),
            WRITE,
            &[200],
            (404, 404),
        ),
        row(("POST", "/git/{projectId}.git/git-upload-pack"), READ, &[200, 415, 500], (404, 404)),
        row(("POST", "/git/{projectId}.git/git-receive-pack"), WRITE, &[200, 415, 500], (404, 404)),
        // The link's signature authenticates the request and is missing here.
        row(("GET", "/objects/a/1/bundle.tar.gz"), READ, &[403], (403, 403)).open(),
        row(("GET", "/openapi.json"), READ, &[200], (200, 200)).open(),
        row(("GET", "/api/"), READ, &[200], (200, 200)).open(),
    ]
}

/// The owner and validity of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// No key, or an invalid one.
    Nobodys,
    /// Used from an address that the key doesn't allow.
    Elsewhere,
    Own,
    Limited,
    Strangers,
}

/// A kind of key.
struct Kind {
    name: &'static str,
    api: Api,
    whose: Whose,
    scope: &'static str,
}

const SCOPES: [&str; 4] = ["read", "write", "admin", "operator"];

fn rank(scope: &str) -> usize {
    SCOPES.iter().position(|known| *known == scope).expect("the scope exists")
}

impl Kind {
    fn has(&self, scope: &str) -> bool {
        rank(self.scope) >= rank(scope)
    }

    fn expected(&self, row: &Row) -> Vec<u16> {
        let Some(scope) = row.scope else { return row.own.to_vec() };
        match self.whose {
            Whose::Nobodys => vec![401],
            _ if !self.has(scope) => vec![403],
            Whose::Elsewhere => vec![403],
            Whose::Own => row.own.to_vec(),
            Whose::Limited => vec![row.limited],
            Whose::Strangers => vec![row.stranger],
        }
    }
}

async fn kinds(place: &AccessSetup) -> Vec<Kind> {
    let own = place.setup.organization.clone();
    let with = |key: &str| Api { key: key.to_owned(), ..place.operator.clone() };
    let unknown = "dw_0123456789abcdef_000000000000000000000000000000000000000000000000";
    let revoked = place.key(&own, "admin", json!({})).await;
    let path = format!("/v1/keys/{}/revoke", revoked.key.split('_').nth(1).unwrap());
    place.made(&place.operator, Method::POST, &path, json!({})).await;
    let expired = place.key(&own, "admin", json!({ "days": 0 })).await;
    let elsewhere = place.key(&own, "admin", json!({ "allow": ["10.0.0.0/8"] })).await;
    let limited = place.key(&own, "admin", json!({ "projects": [place.second] })).await;
    let kind = |name, api: &Api, whose, scope| Kind { name, api: api.clone(), whose, scope };
    let mut kinds = vec![
        kind("malformed", &with("dw_x"), Whose::Nobodys, "read"),
        kind("unknown", &with(unknown), Whose::Nobodys, "read"),
        kind("revoked", &revoked, Whose::Nobodys, "admin"),
        kind("expired", &expired, Whose::Nobodys, "admin"),
        kind("assistant key", &with(&assistant_key(place).await), Whose::Nobodys, "read"),
        kind("wrong address", &elsewhere, Whose::Elsewhere, "admin"),
        kind("limited", &limited, Whose::Limited, "admin"),
        kind("operator", &place.operator, Whose::Own, "operator"),
    ];
    for scope in ["read", "write", "admin"] {
        kinds.push(kind("own", &place.key(&own, scope, json!({})).await, Whose::Own, scope));
        let stranger = place.key(&place.other, scope, json!({})).await;
        kinds.push(kind("stranger", &stranger, Whose::Strangers, scope));
    }
    kinds
}

/// A key of the assistant of another domain than that of the table.
async fn assistant_key(place: &AccessSetup) -> String {
    let body = json!({ "domain": "asked.localhost", "projectId": place.setup.project });
    place.made(&place.operator, Method::POST, "/v1/domains", body).await;
    let path = format!("/v1/projects/{}/assistant-keys", place.setup.project);
    let body = json!({ "name": "Shop", "domain": "asked.localhost" });
    let made = place.made(&place.operator, Method::POST, &path, body).await;
    made["key"].as_str().unwrap().to_owned()
}

async fn every_operation_by_every_key(url: Option<&str>) {
    let place = AccessSetup::new(url).await;
    let (kinds, things) = (kinds(&place).await, things(&place).await);
    let mut wrong = Vec::new();
    for row in table() {
        let method: Method = row.method.parse().unwrap();
        for kind in &kinds {
            let allowed =
                kind.whose == Whose::Own && row.scope.is_some_and(|scope| kind.has(scope));
            let about =
                if allowed { fresh(&place, &things, row.fresh).await } else { things.clone() };
            place.forget_the_hour().await;
            let body = Some((row.body)(&about)).filter(|body| !body.is_null());
            let answer = kind.api.send(method.clone(), &about.fill(row.path), body).await;
            let status = answer.status().as_u16();
            let expected = kind.expected(&row);
            if !expected.contains(&status) {
                let Row { method, path, .. } = row;
                let text = answer.text().await.unwrap_or_default();
                let text: String = text.chars().take(200).collect();
                wrong.push(format!(
                    "{method} {path} by {} {}: {status}, not {expected:?}: {text}",
                    kind.name, kind.scope
                ));
            }
            things.names.set(things.names.get() + 1);
        }
        if row.scope.is_some() {
            let without = reqwest::Client::new()
                .request(method, place.address().to_owned() + &things.fill(row.path));
            let status = without.send().await.unwrap().status().as_u16();
            if status != 401 {
                wrong.push(format!("{} {} without a key: {status}", row.method, row.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    super::attacks::nothing_secret_is_written_down(&place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_by_every_key_on_sqlite() {
    every_operation_by_every_key(None).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn every_operation_by_every_key_on_postgres() {
    let url = postgres::database("access").await;
    every_operation_by_every_key(Some(&url)).await;
}

/// Operations of an API spec with their required scopes.
fn described(description: &Value) -> BTreeSet<(String, String, Option<String>)> {
    let mut found = BTreeSet::new();
    for (path, item) in description["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let scope = operation["x-scope"].as_str().map(str::to_owned);
            found.insert((method.to_uppercase(), path.clone(), scope));
        }
    }
    found
}

/// Operations that the table lacks or describes differently.
fn missing(description: &Value, rows: &[Row]) -> Vec<String> {
    let known: BTreeSet<_> = rows
        .iter()
        .map(|row| {
            let path = row.path.split('?').next().unwrap_or_default().to_owned();
            (row.method.to_owned(), path, row.scope.map(str::to_owned))
        })
        .collect();
    let described = described(description);
    described.difference(&known).map(|each| format!("{each:?}")).collect()
}

pub(crate) fn description() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn every_operation_has_a_row() {
    let missing = missing(&description(), &table());
    assert!(missing.is_empty(), "add a row to tests/it/access/table.rs for {}", missing.join(", "));
}

#[test]
fn operation_with_missing_row_or_wrong_scope_is_found() {
    let mut description = description();
    assert_eq!(missing(&description, &table()), [""; 0]);
    let paths = description["paths"].as_object_mut().unwrap();
    paths.insert("/v1/new".to_owned(), json!({ "post": { "x-scope": "write" } }));
    paths["/v1/audit"]["get"]["x-scope"] = json!("read");
    paths["/v1/keys"]["post"].as_object_mut().unwrap().remove("x-scope");
    let found = missing(&description, &table()).join("\n");
    for expected in ["/v1/new", "/v1/audit", "/v1/keys"] {
        assert!(found.contains(expected), "{expected} in {found}");
    }
}

/// All files below existing folders.
pub(crate) fn files(folders: &[std::path::PathBuf]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&[path]));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// Routes outside the API spec appear in the code as string literals.
#[test]
fn every_other_route_has_a_row() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let known: Vec<_> = table().iter().map(|row| row.path.split('?').next().unwrap()).collect();
    let mut routes = Vec::new();
    for file in files(
        &["-api/src", "/src/git_host", "/src/webhooks"]
            .map(|name| crates.join(format!("docwright{name}"))),
    ) {
        let text = std::fs::read_to_string(file).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = text.split(".route(").skip(1).filter_map(|rest| rest.split('"').nth(1));
        routes.extend(found.map(str::to_owned));
    }
    assert!(routes.len() >= 8, "expected at least 8 routes: {routes:?}");
    let shape = |path: &str| {
        let parts = path.split('/').map(|part| match part {
            part if part.contains('{') => "*",
            part => part,
        });
        parts.collect::<Vec<_>>().join("/")
    };
    for route in &routes {
        let shaped = shape(route);
        // Everything below these paths is a file.
        let is_below = |path: &str| {
            ["/objects/", "/api"].iter().any(|top| route.starts_with(top) && path.starts_with(top))
        };
        let is_known = |path: &&str| shape(path) == shaped || is_below(path);
        assert!(known.iter().any(is_known), "{route} has no row in tests/it/access/table.rs");
    }
}
