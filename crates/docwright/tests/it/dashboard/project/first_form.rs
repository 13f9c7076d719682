//! The form for a new project tries the repository, against a real git server. The operator fills it in, since the server
//! is on this machine.

use docwright_testing::{
    git_server::{GitServer, PASSWORD, USERNAME},
    wait::eventually,
};

use crate::{
    dashboard::{Dashboard, Page},
    server::{Setup, write_repository},
};

const SITE: [(&str, &str); 3] = [
    ("docs/docs.json", r#"{"name":"D","navigation":["index"]}"#),
    ("docs/index.mdx", "---\ntitle: Hello\n---\n\nFrom the git server.\n"),
    ("README.md", "# Read me"),
];

struct FirstForm {
    dashboard: Dashboard,
    server: GitServer,
}

impl FirstForm {
    async fn open() -> Self {
        let server = GitServer::start().await;
        let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
        let hosts =
            format!("{},{}", server.host(), server.host().replace("127.0.0.1", "localhost"));
        let variables = [("DOCWRIGHT_PRIVATE_HOSTS", &*hosts)];
        let dashboard = Dashboard::on(setup, &variables).await;
        Self { dashboard, server }
    }

    fn path(&self) -> String {
        format!("/organizations/{}/projects/new", self.dashboard.setup.organization)
    }

    /// Sends the form with a button.
    async fn send(&self, step: &str, repository: &str, more: &[(&str, &str)]) -> Page {
        let url = self.server.url(repository);
        let mut fields = vec![("name", "Handbook"), ("repository", &*url), ("step", step)];
        fields.extend(more);
        self.dashboard.operator.post(&self.path(), &fields).await
    }

    async fn check(&self, repository: &str, more: &[(&str, &str)]) -> Page {
        self.send("check", repository, more).await
    }

    async fn create(&self, repository: &str, more: &[(&str, &str)]) -> Page {
        self.send("create", repository, more).await
    }

    /// Whether the organization has a project with the name of the form.
    async fn has_project(&self) -> bool {
        let path = format!("/organizations/{}", self.dashboard.setup.organization);
        self.dashboard.operator.get(&path).await.text.contains("Handbook")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_shows_branches_and_creates_nothing() {
    let form = FirstForm::open().await;
    form.server.create("public/docs.git", &SITE);
    form.server.commit("public/docs.git", "next", &[("docs/b.mdx", "b")]);
    let page = form.check("public/docs.git", &[]).await;
    page.is(reqwest::StatusCode::OK).says("docwright can read this repository.");
    page.says("It has 2 branches.")
        .says("Branch main has docs.json in the folder docs, and 1 page.");
    page.says("<option value=\"\" selected>main (default)</option>");
    page.says("<option value=\"next\">next</option>").says("value=\"Handbook\"");
    assert!(!form.has_project().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_at_their_fields_and_nothing_is_created() {
    let form = FirstForm::open().await;
    form.server.create("public/docs.git", &SITE);
    form.server.create("private/docs.git", &SITE);
    let files = [("a/docs.json", "{}"), ("b/docs.json", "{}"), ("b/x.mdx", "x")];
    form.server.create("public/two.git", &files);
    for step in ["check", "create"] {
        for (repository, more, field, words) in [
            ("public/none.git", ("", ""), "repository", "has no repository at this URL"),
            ("private/docs.git", ("", ""), "secret", "needs credentials to read this repository"),
            ("private/docs.git", ("secret", "wrong"), "secret", "accept these credentials"),
            ("public/docs.git", ("branch", "nope"), "branch", "Branch `nope` not found"),
            ("public/docs.git", ("path", "src"), "path", "Folder `src` has no docs.json"),
            ("public/two.git", ("", ""), "path", "Several folders have a docs.json"),
        ] {
            let page = form.send(step, repository, &[more]).await;
            assert_eq!(page.status, 400, "{step} {repository}: {}", page.text);
            let error = page.after(&format!("<p class=\"error\" id=\"{field}-error\">"));
            assert!(error.contains(words), "{step} {repository} {field}: {error}");
        }
    }
    assert!(!form.has_project().await);
    // What there is can be chosen.
    let two = form.check("public/two.git", &[]).await;
    two.says("<option value=\"a\">a (0 pages)</option>");
    two.says("<option value=\"b\">b (1 page)</option>");
    form.check("public/docs.git", &[("branch", "nope")]).await.says("main (default)");
    // The fields for credentials open where they are needed.
    form.check("private/docs.git", &[]).await.says("<details class=\"more\" open>");
    form.check("public/docs.git", &[]).await.says("<details class=\"more\">");
}

#[tokio::test(flavor = "multi_thread")]
async fn checked_token_is_stored_with_the_project_and_never_shown() {
    let form = FirstForm::open().await;
    form.server.create("private/docs.git", &SITE);
    let login = [("username", USERNAME), ("secret", PASSWORD)];
    let checked = form.check("private/docs.git", &login).await;
    checked.says("docwright can read this repository.").lacks(PASSWORD);
    checked.says("keeps the token of your last check");
    for line in checked.set_cookies() {
        assert!(!line.contains(PASSWORD) && line.contains("HttpOnly"), "{line}");
    }
    // The token isn't typed again.
    // A repository elsewhere gets no example pages.
    let fields = [("username", USERNAME), ("domain", "handbook.localhost"), ("starter", "on")];
    let made = form.create("private/docs.git", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let project = made.location().unwrap();
    let credentials = format!("{project}/settings/credentials");
    let page = form.dashboard.operator.get(&credentials).await;
    page.says(form.server.host()).says(USERNAME).lacks(PASSWORD);
    let api = form.dashboard.api("read");
    eventually("the private repository is published", async || {
        let asked = api.client.get(&api.base).header("host", "handbook.localhost");
        asked.send().await.unwrap().text().await.unwrap().contains("From the git server.")
    })
    .await;
    form.dashboard.operator.get(&project).await.lacks("needs credentials");
}

/// A kept token is for one origin and one session.
#[tokio::test(flavor = "multi_thread")]
async fn kept_token_goes_to_no_other_host_or_person() {
    let form = FirstForm::open().await;
    form.server.create("private/docs.git", &SITE);
    let login = [("username", USERNAME), ("secret", PASSWORD)];
    assert_eq!(form.check("private/docs.git", &login).await.status, 200);
    let other = form.server.url("private/docs.git").replace("127.0.0.1", "localhost");
    let fields =
        [("name", "x"), ("repository", &*other), ("step", "check"), ("username", USERNAME)];
    let elsewhere = form.dashboard.operator.post(&form.path(), &fields).await;
    elsewhere.says("localhost needs credentials to read this repository");
    // A token that the host refuses isn't kept.
    let page = form.check("private/docs.git", &[("secret", "wrong")]).await;
    page.lacks("keeps the token of your last check");
    let after = form.check("private/docs.git", &[]).await;
    after.says("needs credentials to read this repository");
    // Without a session, the form is not repeated.
    let stranger = form.dashboard.browser();
    let url = form.server.url("private/docs.git");
    let fields = [("name", "x"), ("repository", &*url), ("secret", PASSWORD), ("step", "check")];
    let page = stranger.post(&form.path(), &fields).await;
    assert_eq!(page.status, 303, "{}", page.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn new_project_without_docs_root_is_created_and_says_so() {
    let form = FirstForm::open().await;
    form.server.create("public/none.git", &[("README.md", "# Read me")]);
    form.server.create("public/empty.git", &[]);
    form.check("public/none.git", &[]).await.says("Branch main has no docs.json yet.");
    form.check("public/empty.git", &[]).await.says("It has no commits yet.");
    assert_eq!(form.create("public/empty.git", &[]).await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_text() {
    let form = FirstForm::open().await;
    form.server.create("public/docs.git", &SITE);
    let name = "\"><script>alert(1)</script>";
    form.server.commit("public/docs.git", name, &[("<b>/docs.json", "{}"), ("&/docs.json", "{}")]);
    let page = form.check("public/docs.git", &[("branch", name)]).await;
    page.lacks("<script>alert(1)").lacks("<b>").says("&lt;b&gt; (0 pages)");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_without_url_asks_for_one() {
    let form = FirstForm::open().await;
    let fields = [("name", "Handbook"), ("repository", ""), ("step", "check")];
    let page = form.dashboard.operator.post(&form.path(), &fields).await;
    assert_eq!(page.status, 400);
    page.says("id=\"repository-error\"").says("Enter a URL to check.");
    let member = form.dashboard.member("admin").await;
    let inside = form.server.url("public/docs.git");
    for (repository, words) in [
        (&*inside, "must be at an https:// or ssh:// address"),
        ("https://127.0.0.1/a", "has a private address"),
    ] {
        let fields = [("name", "Handbook"), ("repository", repository), ("step", "create")];
        let page = member.post(&form.path(), &fields).await;
        assert_eq!(page.status, 400, "{}", page.text);
        assert!(page.after("id=\"repository-error\">").contains(words), "{}", page.text);
    }
}
