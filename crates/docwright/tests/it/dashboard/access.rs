//! The access table of the dashboard: the status of each page and form for each kind of account.

mod things;

use std::collections::BTreeSet;

use super::{Browser, Dashboard, Page};
use things::{Fresh, Things};

/// Responses by caller: signed out; a viewer, an editor, and an admin of the organization; an admin of
/// another organization; an operator. Signed-out callers are redirected to the sign-in page;
/// a form that they filled in is kept.
type Answers = [u16; 6];

const WHO: [&str; 6] = ["signed out", "viewer", "editor", "admin", "stranger", "operator"];

/// Any caller.
const ALL: Answers = [200; 6];
/// Any signed-in caller.
const PEOPLE: Answers = [303, 200, 200, 200, 200, 200];
/// A form for any signed-in caller.
const PEOPLE_SEND: Answers = [303; 6];
/// A form with invalid input, for any signed-in caller.
const PEOPLE_REFUSED: Answers = [303, 403, 403, 403, 403, 403];
/// A record of another account, for any signed-in caller.
const PEOPLE_MISS: Answers = [303, 404, 404, 404, 404, 404];
/// Members of the organization.
const MEMBERS: Answers = [303, 200, 200, 200, 404, 200];
/// Editors of the organization.
const EDITORS: Answers = [303, 403, 200, 200, 404, 200];
/// A form of editors.
const EDITORS_SEND: Answers = [303, 403, 303, 303, 404, 303];
/// Admins of the organization.
const ADMINS: Answers = [303, 403, 403, 200, 404, 200];
/// A form of editors about a record that doesn't exist.
const EDITORS_MISS: Answers = [303, 403, 404, 404, 404, 404];
/// A form of admins.
const ADMINS_SEND: Answers = [303, 403, 403, 303, 404, 303];
/// The operator.
const OPERATOR: Answers = [303, 404, 404, 404, 404, 200];
/// A form of the operator. Others get the same response as for a missing page.
const OPERATOR_SENDS: Answers = [303, 404, 404, 404, 404, 303];

/// A page or a form.
struct Row {
    method: &'static str,
    path: &'static str,
    /// The path in the list of routes.
    route: &'static str,
    answers: Answers,
    fields: &'static [(&'static str, &'static str)],
    fresh: Fresh,
}

const fn page(path: &'static str, answers: Answers) -> Row {
    Row { method: "get", path, route: path, answers, fields: &[], fresh: Fresh::Nothing }
}

const fn form(
    path: &'static str,
    answers: Answers,
    fields: &'static [(&'static str, &'static str)],
) -> Row {
    Row { method: "post", path, route: path, answers, fields, fresh: Fresh::Nothing }
}

impl Row {
    const fn on(self, fresh: Fresh) -> Self {
        Self { fresh, ..self }
    }

    /// Whether a page keeps the form of a caller who is signed out: a form that someone filled in, without secrets.
    fn is_kept(&self) -> bool {
        let secrets = ["password", "proof", "code", "secret", "token"];
        self.method == "post"
            // A user who signs in has no form to keep.
            && !self.path.starts_with("/sign-in")
            && !self.fields.is_empty()
            && !self.fields.iter().any(|(name, _)| secrets.contains(name))
    }

    /// Sets the route of a path with filled-in parameters.
    const fn of(self, route: &'static str) -> Self {
        Self { route, ..self }
    }
}

/// Every page and every form.
#[expect(clippy::too_many_lines, reason = "a table")]
fn table() -> Vec<Row> {
    vec![
        // Redirects to a page or to the sign-in page.
        page("/", [303; 6]),
        page("/inbox", PEOPLE),
        form("/inbox", PEOPLE_SEND, &[("until", "2026-11-22T00:00:00Z")]),
        page("/search?search=a", PEOPLE).of("/search"),
        page("/search?organization={organization_id}&search=a", MEMBERS).of("/search"),
        page("/search?project={project_id}&search=a", MEMBERS).of("/search"),
        // The instance is already set up.
        page("/setup", [409; 6]),
        form("/setup", [409; 6], SOMEONE),
        page("/sign-in", ALL),
        form("/sign-in", [403; 6], &[("email", "nobody@example.com"), ("password", "wrong")]),
        page("/sign-in/forgot", ALL),
        // The instance of this test sends no email.
        form("/sign-in/forgot", [404; 6], &[("email", "nobody@example.com")]),
        page("/sign-in/link?token=x", ALL),
        form("/sign-in/link", [403; 6], &[("token", "x")]),
        // No identity provider is configured.
        page("/sign-in/provider", [404; 6]),
        page("/sign-in/provider/back", [404; 6]),
        // Only sessions that wait for the second factor see this page.
        page("/sign-in/code", [303; 6]),
        form("/sign-in/code", [303; 6], &[("code", "000000")]),
        page("/sign-in/passkey", ALL),
        form("/sign-in/passkey", [403; 6], ANSWER),
        page("/sign-in/code/passkey", [303; 6]),
        form("/sign-in/code/passkey", [303; 6], ANSWER),
        form("/sign-out", PEOPLE_SEND, &[]).on(Fresh::Session),
        page("/account", PEOPLE),
        page("/accounts", OPERATOR),
        page("/accounts/{account_id}/delete", OPERATOR).on(Fresh::Member),
        form("/accounts/{account_id}/delete", OPERATOR_SENDS, &[("email", "{email}")])
            .on(Fresh::Member),
        page("/account/delete", PEOPLE),
        form("/account/delete", PEOPLE_REFUSED, &[("proof", "wrong")]),
        form("/account/name", PEOPLE_SEND, &[("name", "A name")]),
        form(
            "/account/password",
            [303, 403, 403, 403, 403, 403],
            &[("password", "wrong"), ("new", "another password")],
        ),
        form("/account/sessions/end", PEOPLE_SEND, &[("session", "ses_none")]),
        page("/account/tokens", PEOPLE),
        page("/account/tokens/new", PEOPLE),
        // The next page shows the token.
        form(
            "/account/tokens/new",
            [303, 303, 303, 303, 404, 303],
            &[
                ("name", "laptop"),
                ("organization", "{organization_id}"),
                ("scope", "read"),
                ("days", "30"),
            ],
        ),
        form("/account/tokens/0123456789abcdef/revoke", PEOPLE_MISS, &[])
            .of("/account/tokens/{token_id}/revoke"),
        page("/account/security", PEOPLE),
        page("/account/security/app", PEOPLE),
        form(
            "/account/security/app",
            PEOPLE_REFUSED,
            &[("secret", SECRET), ("code", "000000"), ("proof", "wrong")],
        ),
        // No authenticator app is set up.
        page("/account/security/app/off", [303, 409, 409, 409, 409, 409]),
        form("/account/security/app/off", PEOPLE_REFUSED, &[("proof", "wrong")]),
        form("/account/security/recovery", [303, 409, 409, 409, 409, 409], &[("proof", "wrong")]),
        page("/account/security/passkeys/new", PEOPLE),
        form(
            "/account/security/passkeys/new",
            PEOPLE_REFUSED,
            &[("name", "A"), ("proof", "wrong")],
        ),
        form(
            "/account/security/passkeys",
            PEOPLE_REFUSED,
            &[("name", "A"), ("client_data", ""), ("attestation", "")],
        ),
        // The passkey doesn't exist.
        page("/account/security/passkeys/psk_1/remove", PEOPLE_MISS)
            .of("/account/security/passkeys/{passkey_id}/remove"),
        form("/account/security/passkeys/psk_1/remove", PEOPLE_MISS, &[("proof", super::PASSWORD)])
            .of("/account/security/passkeys/{passkey_id}/remove"),
        page("/organizations", OPERATOR),
        page("/organizations/{organization_id}", MEMBERS),
        page("/organizations/{organization_id}/members", MEMBERS),
        form(
            "/organizations/{organization_id}/members/{account_id}",
            ADMINS_SEND,
            &[("role", "editor")],
        )
        .on(Fresh::Member),
        page("/organizations/{organization_id}/members/{account_id}/remove", ADMINS)
            .on(Fresh::Member),
        form("/organizations/{organization_id}/members/{account_id}/remove", ADMINS_SEND, &[])
            .on(Fresh::Member),
        page("/organizations/{organization_id}/invitations", ADMINS),
        // The response shows the link.
        form(
            "/organizations/{organization_id}/invitations",
            [303, 403, 403, 201, 404, 201],
            &[("email", "new@example.com"), ("role", "viewer")],
        ),
        form(
            "/organizations/{organization_id}/invitations/{invitation_id}/withdraw",
            ADMINS_SEND,
            &[],
        )
        .on(Fresh::Invitation),
        // An invitation's token authenticates the request; this one is invalid.
        page("/invitations/x", [404; 6]).of("/invitations/{token}"),
        form("/invitations/x", [404; 6], &[]).of("/invitations/{token}"),
        // The preview doesn't exist.
        page("/preview-access?host=x", [303, 404, 404, 404, 404, 404]),
        page("/organizations/{organization_id}/projects/new", ADMINS),
        form(
            "/organizations/{organization_id}/projects/new",
            ADMINS_SEND,
            &[("name", "{name}"), ("repository", ""), ("path", "")],
        ),
        page("/organizations/{organization_id}/keys", ADMINS),
        page("/organizations/{organization_id}/keys/new", ADMINS),
        // The response shows the key.
        form("/organizations/{organization_id}/keys/new", ADMINS_SEND, KEY),
        form("/organizations/{organization_id}/keys/{key_id}/revoke", ADMINS_SEND, &[])
            .on(Fresh::Key),
        page("/organizations/{organization_id}/audit", ADMINS),
        page("/organizations/{organization_id}/audit/csv", ADMINS),
        page("/organizations/{organization_id}/plan", MEMBERS),
        form(
            "/organizations/{organization_id}/plan",
            [303, 403, 403, 403, 404, 303],
            &[("name", "Acme"), ("plan", "enterprise")],
        ),
        // With a wrong name, nothing is deleted.
        form(
            "/organizations/{organization_id}/plan/delete",
            [303, 403, 403, 403, 404, 400],
            &[("name", "Other")],
        ),
        form("/organizations", OPERATOR_SENDS, &[("name", "{name}"), ("plan", "free")]),
        form(
            "/accounts/acc_none/identities/remove",
            PEOPLE_MISS,
            &[("issuer", "https://i"), ("subject", "s")],
        )
        .of("/accounts/{account_id}/identities/remove"),
        page("/plans", OPERATOR),
        form(
            "/plans/{plan}",
            OPERATOR_SENDS,
            &[("projects", ""), ("members", ""), ("prompts_an_hour", "100")],
        ),
        page("/instance", OPERATOR),
        form("/instance/models", OPERATOR_SENDS, &[]),
        page("/projects/{project_id}/jobs", MEMBERS),
        page("/projects/{project_id}/jobs/new", EDITORS),
        form("/projects/{project_id}/jobs/new", EDITORS_SEND, &[("prompt", "Fix the links.")]),
        page("/projects/{project_id}/jobs/{job_id}", MEMBERS).on(Fresh::Job),
        form(
            "/projects/{project_id}/jobs/{job_id}/message",
            EDITORS_SEND,
            &[("prompt", "Fix the links.")],
        )
        .on(Fresh::Job),
        // The job already finished.
        form("/projects/{project_id}/jobs/{job_id}/cancel", [303, 403, 409, 409, 404, 409], &[])
            .on(Fresh::Job),
        form("/projects/{project_id}/jobs/{job_id}/archive", EDITORS_SEND, &[]).on(Fresh::Job),
        page("/projects/{project_id}", MEMBERS),
        page("/projects/{project_id}/releases", MEMBERS),
        form("/projects/{project_id}/poll", EDITORS_SEND, &[]),
        form("/projects/{project_id}/problems/test", EDITORS_SEND, &[]),
        form("/projects/{project_id}/next-step/dismiss", ADMINS_SEND, &[("step", "team")]),
        form("/projects/{project_id}/releases/build", EDITORS_SEND, &[]),
        page("/projects/{project_id}/releases/{release_id}", MEMBERS),
        page("/projects/{project_id}/releases/{release_id}/changes", MEMBERS),
        page("/projects/{project_id}/releases/{release_id}/effect", MEMBERS),
        page("/projects/{project_id}/releases/{release_id}/activate", EDITORS),
        form("/projects/{project_id}/releases/{release_id}/activate", EDITORS_SEND, &[]),
        page("/projects/{project_id}/releases/{release_id}/log", MEMBERS),
        // Its build has ended.
        form(
            "/projects/{project_id}/releases/{release_id}/cancel",
            [303, 403, 409, 409, 404, 409],
            &[],
        ),
        form("/projects/{project_id}/releases/{release_id}/rebuild", EDITORS_SEND, &[]),
        page("/projects/{project_id}/previews", MEMBERS),
        form("/projects/{project_id}/previews", EDITORS_SEND, &[("branch", "main")]),
        page("/projects/{project_id}/previews/{preview_id}", MEMBERS),
        form("/projects/{project_id}/previews/{preview_id}/end", EDITORS_SEND, &[]),
        form(
            "/projects/{project_id}/previews/password",
            ADMINS_SEND,
            &[("password", "open sesame")],
        ),
        page("/projects/{project_id}/pull-requests", MEMBERS),
        page("/projects/{project_id}/pull-requests/new", EDITORS),
        // The branch doesn't exist.
        form(
            "/projects/{project_id}/pull-requests",
            [303, 403, 400, 400, 404, 400],
            &[("head", "none"), ("title", "T")],
        ),
        // The pull request doesn't exist.
        page("/projects/{project_id}/pull-requests/9", [303, 404, 404, 404, 404, 404])
            .of("/projects/{project_id}/pull-requests/{number}"),
        form("/projects/{project_id}/pull-requests/9/merge", [303, 403, 404, 404, 404, 404], &[])
            .of("/projects/{project_id}/pull-requests/{number}/merge"),
        form("/projects/{project_id}/pull-requests/9/close", [303, 403, 404, 404, 404, 404], &[])
            .of("/projects/{project_id}/pull-requests/{number}/close"),
        page("/projects/{project_id}/exports", MEMBERS),
        form(
            "/projects/{project_id}/exports",
            EDITORS_SEND,
            &[("domain", "docs.example.com"), ("version", ""), ("paths", "")],
        ),
        page("/projects/{project_id}/exports/{export_id}", MEMBERS),
        page("/projects/{project_id}/deployments", MEMBERS),
        form(
            "/projects/{project_id}/deployments",
            ADMINS_SEND,
            &[("name", "{host}"), ("type", "air-gapped"), ("address", "")],
        ),
        page("/projects/{project_id}/deployments/cloud", MEMBERS)
            .of("/projects/{project_id}/deployments/{deployment_id}"),
        form(
            "/projects/{project_id}/deployments/cloud",
            ADMINS_SEND,
            &[("name", "cloud"), ("search", "on"), ("playground", "browser")],
        )
        .of("/projects/{project_id}/deployments/{deployment_id}"),
        // The cloud deployment stays.
        form(
            "/projects/{project_id}/deployments/cloud/delete",
            [303, 403, 403, 409, 404, 409],
            &[],
        )
        .of("/projects/{project_id}/deployments/{deployment_id}/delete"),
        page("/projects/{project_id}/domains", MEMBERS),
        form(
            "/projects/{project_id}/domains",
            ADMINS_SEND,
            &[("domain", "{host}.localhost"), ("branch", "")],
        ),
        page("/projects/{project_id}/domains/{domain}", MEMBERS),
        form("/projects/{project_id}/domains/{domain}", ADMINS_SEND, &[("branch", "next")]),
        form("/projects/{project_id}/domains/{domain}/verify", ADMINS_SEND, &[]),
        page("/projects/{project_id}/domains/{domain}/remove", ADMINS),
        form(
            "/projects/{project_id}/domains/{domain}/remove",
            ADMINS_SEND,
            &[("domain", "{domain}")],
        )
        .on(Fresh::Domain),
        page("/projects/{project_id}/domains/{domain}/rename", ADMINS).on(Fresh::Domain),
        form(
            "/projects/{project_id}/domains/{domain}/rename",
            ADMINS_SEND,
            &[("domain", "renamed-{host}.localhost")],
        )
        .on(Fresh::Domain),
        form(
            "/projects/{project_id}/domains/{domain}/redirects/former.localhost/remove",
            [303, 403, 403, 404, 404, 404],
            &[],
        )
        .of("/projects/{project_id}/domains/{domain}/redirects/{name}/remove")
        .on(Fresh::Domain),
        page("/projects/{project_id}/analytics", MEMBERS),
        page("/projects/{project_id}/analytics/live", MEMBERS),
        page("/projects/{project_id}/analytics/csv", MEMBERS),
        page("/projects/{project_id}/analytics/json", MEMBERS),
        page("/projects/{project_id}/pages", MEMBERS),
        // The release has no such page.
        page("/projects/{project_id}/pages/edit?path=index", EDITORS_MISS)
            .of("/projects/{project_id}/pages/edit"),
        form(
            "/projects/{project_id}/pages/edit",
            EDITORS_MISS,
            &[("path", "index"), ("revision", "1"), ("text", "T"), ("title", "T")],
        ),
        page("/projects/{project_id}/pages/file?file=index.mdx", PEOPLE_MISS)
            .of("/projects/{project_id}/pages/file"),
        page("/projects/{project_id}/analytics/empty-searches", MEMBERS),
        form("/projects/{project_id}/analytics/empty-searches", EDITORS_MISS, &[("query", "none")]),
        page("/projects/{project_id}/analytics/redirects", MEMBERS),
        form("/projects/{project_id}/analytics/redirects", EDITORS_MISS, &[("path", "/none")]),
        page("/projects/{project_id}/feedback", MEMBERS),
        form(
            "/projects/{project_id}/feedback/{feedback_id}",
            EDITORS_SEND,
            &[("state", "resolved"), ("note", "Done.")],
        ),
        page("/projects/{project_id}/gaps", MEMBERS),
        form("/projects/{project_id}/gaps/{gap_id}/fill", EDITORS_SEND, &[]),
        page("/projects/{project_id}/settings", MEMBERS),
        form("/projects/{project_id}/settings", ADMINS_SEND, SETTINGS),
        page("/projects/{project_id}/settings/credentials", ADMINS),
        form(
            "/projects/{project_id}/settings/credentials",
            ADMINS_SEND,
            &[("host", "git.example.com"), ("username", ""), ("secret", "hunter2")],
        ),
        form(
            "/projects/{project_id}/settings/credentials/remove",
            ADMINS_SEND,
            &[("credential", "{credential_id}")],
        )
        .on(Fresh::Credential),
        page("/projects/{project_id}/settings/webhooks", MEMBERS),
        // The next page shows the secret once.
        form("/projects/{project_id}/settings/webhooks/secret", ADMINS_SEND, &[]),
        // The delivery doesn't exist.
        form(
            "/projects/{project_id}/settings/webhooks/redeliver",
            [303, 403, 404, 404, 404, 404],
            &[("delivery", "dlv_none")],
        ),
        page("/projects/{project_id}/settings/notifications", ADMINS),
        form(
            "/projects/{project_id}/settings/notifications",
            ADMINS_SEND,
            &[("target", "https://hooks.example.com/"), ("events", "release.failed")],
        ),
        page("/projects/{project_id}/settings/notifications/{subscription_id}", ADMINS),
        // The notification doesn't exist.
        form(
            "/projects/{project_id}/settings/notifications/{subscription_id}/resend",
            [303, 403, 403, 404, 404, 404],
            &[("notification", "msg_none")],
        ),
        form(
            "/projects/{project_id}/settings/notifications/remove",
            ADMINS_SEND,
            &[("subscription", "{subscription_id}")],
        )
        .on(Fresh::Subscription),
        page("/projects/{project_id}/settings/assistant-keys", ADMINS),
        form(
            "/projects/{project_id}/settings/assistant-keys",
            ADMINS_SEND,
            &[("name", "Shop"), ("domain", "docs.example.com"), ("origins", "https://a.example")],
        ),
        page("/projects/{project_id}/settings/assistant-keys/{assistant_key_id}", ADMINS),
        form(
            "/projects/{project_id}/settings/assistant-keys/{assistant_key_id}/delete",
            ADMINS_SEND,
            &[],
        )
        .on(Fresh::AssistantKey),
        page("/projects/{project_id}/settings/delete", ADMINS),
        form("/projects/{project_id}/settings/delete", ADMINS_SEND, &[("name", "{project_name}")])
            .on(Fresh::Project),
    ]
}

/// The secret of an authenticator app.
const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const KEY: &[(&str, &str)] =
    &[("name", "{name}"), ("scope", "read"), ("days", "30"), ("allow", "")];
const SETTINGS: &[(&str, &str)] = &[
    ("name", "Docs"),
    ("repository", "built-in"),
    ("path", ""),
    ("model", ""),
    ("activation", "automatic"),
];

/// An answer with an unknown passkey.
const ANSWER: &[(&str, &str)] =
    &[("id", "x"), ("client_data", ""), ("authenticator_data", ""), ("signature", "")];

const SOMEONE: &[(&str, &str)] = &[
    ("token", "x"),
    ("name", "N"),
    ("email", "n@example.com"),
    ("password", super::PASSWORD),
    ("organization", "O"),
];

#[tokio::test(flavor = "multi_thread")]
async fn pages_respond_to_roles_as_in_table() {
    // This address supports passkeys.
    let dashboard = Dashboard::with(&[("DOCWRIGHT_PUBLIC_URL", "http://localhost:8080")]).await;
    let own = dashboard.setup.organization.clone();
    let mut people = vec![(String::new(), dashboard.browser())];
    for (organization, role) in
        [(&own, "viewer"), (&own, "editor"), (&own, "admin"), (&dashboard.other, "admin")]
    {
        people.push(dashboard.member_of(organization, role).await);
    }
    people.push(("root@example.com".to_owned(), dashboard.operator.copy()));
    let mut things = Things::of(&dashboard).await;
    let mut wrong = Vec::new();
    for row in table() {
        for (place, (email, browser)) in people.iter().enumerate() {
            let answer = ask(&dashboard, &row, (email, browser), &mut things).await;
            let leads = answer.location();
            let is_sent_away = leads.is_some_and(|path| path.starts_with("/sign-in?"));
            let is_signed_out = place == 0 && row.answers[place] == 303;
            let keeps_form = is_signed_out && row.is_kept();
            let expected = if keeps_form { 403 } else { row.answers[place] };
            let is_signed_out = is_signed_out && !keeps_form;
            let is_right = answer.status == expected
                && (is_sent_away == is_signed_out
                    || matches!(
                        row.path,
                        "/" | "/sign-out" | "/sign-in/code" | "/sign-in/code/passkey"
                    ));
            if !is_right {
                let Row { method, path, .. } = &row;
                let who = WHO[place];
                wrong.push(format!("{method} {path} by {who}: {} not {expected}", answer.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

async fn ask(
    dashboard: &Dashboard,
    row: &Row,
    (email, browser): (&str, &Browser),
    things: &mut Things,
) -> Page {
    match row.fresh {
        Fresh::Key => things.key = dashboard.new_key().await,
        Fresh::Job => things.job = dashboard.ended_job("Fix the links.").await,
        Fresh::Member => (things.account, things.email) = dashboard.account("viewer").await,
        Fresh::Invitation => things.invitation = dashboard.invitation(things.names).await,
        _ => {}
    }
    dashboard.forget_the_hour().await;
    let own;
    let browser = match row.fresh {
        Fresh::Session if !email.is_empty() => {
            own = dashboard.sign_in(email).await;
            &own
        }
        _ => browser,
    };
    let project = things.project.clone();
    things.renew(row.fresh).await;
    let path = things.fill(row.path);
    if row.method == "get" {
        return browser.get(&path).await;
    }
    let fields: Vec<_> =
        row.fields.iter().map(|(name, value)| (*name, things.fill(value))).collect();
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = browser.post(&path, &fields).await;
    things.project = project;
    answer
}

/// The pages and forms in the source of the route list.
fn routes(source: &str) -> BTreeSet<(&'static str, String)> {
    let mut found = BTreeSet::new();
    for route in source.split(".route(").skip(1) {
        let mut parts = route.split('"');
        let path = parts.nth(1).expect("a route has a path").to_owned();
        let handlers: String = parts.collect();
        for method in ["get", "post", "put", "patch", "delete", "any"] {
            let called = format!("{method}(");
            let is_call = |(place, _): (usize, &str)| {
                let before = handlers[..place].chars().next_back();
                !before
                    .is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':'))
            };
            if handlers.match_indices(&called).any(is_call) {
                found.insert((method, path.clone()));
            }
        }
    }
    found
}

/// Routes without a row in the table.
fn without_a_row(source: &str) -> Vec<(&'static str, String)> {
    let known: BTreeSet<_> = table()
        .iter()
        .map(|row| (row.method, row.route.split('?').next().unwrap_or_default().to_owned()))
        .collect();
    routes(source).into_iter().filter(|route| !known.contains(route)).collect()
}

#[test]
fn every_page_and_form_has_a_row() {
    let source = include_str!("../../../../docwright-dashboard/src/pages/mod.rs");
    assert!(routes(source).len() >= 17, "expected at least 17 routes: {:?}", routes(source));
    let missing = without_a_row(source);
    assert!(missing.is_empty(), "without a row in tests/it/dashboard/access.rs: {missing:?}");
}

#[test]
fn route_without_a_row_is_found() {
    let source = r#"
        .route("/account", get(account::show).post(account::change))
        .route(
            "/organizations/{organization_id}/new",
            post(new::target),
        )"#;
    let new = ("post", "/organizations/{organization_id}/new".to_owned());
    assert_eq!(without_a_row(source), [("post", "/account".to_owned()), new]);
}
