//! Previews, exports, domains, and feedback: each form has its effect.

use reqwest::StatusCode;

use super::ProjectPages;
use crate::dashboard::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn branch_is_previewed_and_its_preview_closed() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("previews"));
    admin.get(&path).await.says("No previews yet");
    let wrong = admin.post(&path, &[("branch", " ")]).await;
    assert_eq!(wrong.status, 400);
    wrong.says("is blank");
    place.dashboard.setup.commit("page-1.mdx", "---\ntitle: One\n---\n\n[x](/nowhere)\n");
    let sent = admin.post(&path, &[("branch", "main")]).await;
    assert_eq!(sent.location(), Some(path.clone()));
    let list = place.until(&path, "data-tone=\"good\"").await;
    let id = list.split("/previews/").find(|rest| rest.starts_with("prv_")).unwrap();
    let shown = format!("{path}/{}", id.split('"').next().unwrap());
    let page = admin.get(&shown).await;
    page.says("Compare side by side")
        .says("/_docwright/changes")
        .says("page-1.mdx:5")
        .says(">New<");
    admin.get(&place.path).await.says("Open previews");
    // Sets the password of previews.
    page.says("Open preview");
    let password = place.at("previews/password");
    admin.post(&password, &[("password", "open sesame")]).await;
    admin.get(&path).await.says("Every preview requires this password");
    admin.post(&password, &[]).await;
    admin.get(&path).await.says("Anyone with the URL of a preview can see it");
    assert_eq!(admin.post(&format!("{shown}/end"), &[]).await.location(), Some(path.clone()));
    admin.get(&shown).await.says("Someone closed it").says("Closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn export_is_started_downloaded_and_verified() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("exports"));
    admin.get(&path).await.says("No exports yet").says("value=\"docs.example.com\"");
    let fields =
        |paths| [("domain", "docs.example.com"), ("version", "it's <1>"), ("paths", paths)];
    let wrong = admin.post(&path, &fields("page-0\r\nno/such/page\r\n")).await;
    assert_eq!(wrong.status, 400);
    wrong.says("no/such/page").says("value=\"it's &lt;1&gt;\"");
    let sent = admin.post(&path, &fields("page-0\r\n")).await;
    let shown = sent.location().unwrap_or_else(|| panic!("{}", sent.text));
    let page = place.until(&shown, "Download").await;
    for said in
        ["Completed", "values.yaml", "staticExport:", "curl -X POST", "sha256sum -c", "page-0"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    // The link works, and the file matches the page.
    let link = page.split("href=\"").find(|rest| rest.contains("/objects/")).unwrap();
    let link = link.split('"').next().unwrap().replace("&amp;", "&");
    let bundle = reqwest::get(link).await.unwrap();
    assert_eq!(bundle.status(), 200);
    let bytes = bundle.bytes().await.unwrap();
    let hash = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    assert!(page.contains(&hash), "{hash}");
    // A viewer sees the export and who can download it.
    let viewer = place.dashboard.member("viewer").await;
    let page = viewer.get(&shown).await;
    page.says("Completed").says("Only editors and admins");
    assert!(!page.text.contains("/objects/"));
    // Without static export in the plan, the page says who can change that.
    let organization = place.dashboard.setup.organization.as_str();
    place.dashboard.setup.admin(&["organization", "update", organization, "--plan", "free"]);
    let page = admin.get(&path).await;
    page.says("Your plan doesn't include static export").says("Ask the operator of this instance");
    assert!(!page.text.contains("Start export"));
    assert_eq!(admin.post(&path, &fields("")).await.status, 403);
    // Earlier exports can still be viewed and downloaded.
    let page = admin.get(&shown).await;
    assert_eq!(page.status, 200);
    page.says("Completed").says(&hash);
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_that_does_not_lead_here_links_to_the_site() {
    let variables = [("DOCWRIGHT_PREVIEW_DOMAIN", "previews.example.org")];
    let dashboard = Dashboard::with(&variables).await;
    dashboard.released(&dashboard.api("read"), 1).await;
    let path = format!("/projects/{}/domains/docs.example.com", dashboard.setup.project);
    let page = dashboard.operator.get(&path).await;
    page.says("View site now").lacks(">Open site<");
    let link = page.text.split("View site now").next().unwrap().rsplit("href=\"").next().unwrap();
    let host = link.split('/').nth(2).unwrap().split(':').next().unwrap();
    assert!(host.ends_with(".previews.example.org"), "{link}");
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_is_added_shown_and_removed() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("domains"));
    // The service doesn't know where the name leads: no name server of the test knows it.
    admin.get(&path).await.says("docs.example.com").lacks(">Active<");
    for (domain, why) in [("127.0.0.1", "domain"), ("docs.example.com", "taken")] {
        let wrong = admin.post(&path, &[("domain", domain), ("branch", "")]).await;
        assert_eq!(wrong.status, 400, "{domain}");
        wrong.says(why).says(&format!("value=\"{domain}\""));
    }
    // A pending domain shows its record and who can check it.
    let fields = [("domain", "new.example.org/guides"), ("branch", "next")];
    let shown = admin.post(&path, &fields).await.location().unwrap();
    let page = admin.get(&shown).await;
    page.says(">Pending<").says("_docwright.new.example.org").says("docwright-verification=");
    page.says("Check now").says("hx-get");
    let viewer = place.dashboard.member("viewer").await;
    let page = viewer.get(&shown).await;
    page.says("docwright-verification=").says("Only admins");
    assert!(!page.text.contains("Check now") && !page.text.contains("/remove"));
    assert_eq!(admin.post(&format!("{shown}/verify"), &[]).await.location(), Some(shown.clone()));
    // Local domains need no record. Another branch is a setting.
    let fields = [("domain", "guide.localhost"), ("branch", "")];
    let local = admin.post(&path, &fields).await.location().unwrap();
    admin.get(&local).await.says("Waiting for a release").says("Build latest commit");
    admin.post(&place.at("releases/build"), &[]).await;
    let page = place.until(&local, ">Active<").await;
    // Local domains use the service's port.
    let service = admin.base.trim_start_matches("http://127.0.0.1");
    assert!(page.contains(&format!("href=\"http://guide.localhost{service}\"")), "{page}");
    admin.post(&local, &[("branch", "next")]).await;
    admin.get(&local).await.says("value=\"next\"");
    let remove = format!("{local}/remove");
    let asked = admin.get(&remove).await;
    asked
        .says("Permanently deleted")
        .says("2 releases<")
        .says("Kept")
        .says("Remove guide.localhost");
    for name in ["", "guide", "docs.example.com"] {
        let refused = admin.post(&remove, &[("domain", name)]).await;
        assert_eq!(refused.status, 400, "{name}");
        refused.says("Nothing was removed");
    }
    let fields = [("domain", "guide.localhost")];
    assert_eq!(admin.post(&remove, &fields).await.location(), Some(path.clone()));
    admin.get(&path).await.says("Domain removed");
    assert_eq!(admin.get(&local).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_is_renamed_and_its_former_name_redirects() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("domains"));
    let fields = [("domain", "guide.localhost"), ("branch", "")];
    let domain = admin.post(&path, &fields).await.location().unwrap();
    admin.get(&domain).await.says("Rename domain").says("Leads to this service");
    let rename = format!("{domain}/rename");
    admin.get(&rename).await.says("Redirect the former name").says("checked");
    for (name, why) in [("guide.localhost", "already"), ("docs.example.com", "taken"), ("a b", "")]
    {
        let wrong = admin.post(&rename, &[("domain", name), ("redirect", "on")]).await;
        wrong.is(StatusCode::BAD_REQUEST).says(why).says(&format!("value=\"{name}\""));
    }
    let stale = [("domain", "help.localhost"), ("redirect", "on"), ("revision", "7")];
    admin.post(&rename, &stale).await.is(StatusCode::BAD_REQUEST).says("since revision 7");
    let fields = [("domain", "help.localhost"), ("redirect", "on"), ("revision", "1")];
    let renamed = admin.post(&rename, &fields).await.location().unwrap();
    assert_eq!(renamed, format!("{path}/help.localhost"));
    let page = admin.get(&renamed).await;
    page.says("Domain renamed").says("Redirects from").says("guide.localhost");
    assert_eq!(admin.get(&domain).await.status, 404);
    admin.get(&format!("{renamed}/remove")).await.says("The redirect from guide.localhost");
    let viewer = place.dashboard.member("viewer").await;
    viewer.get(&renamed).await.says("Redirects from").lacks("Remove redirect");
    let end = format!("{renamed}/redirects/guide.localhost/remove");
    admin.submit(&end, &[]).await.says("Redirect removed").lacks("Redirects from");
    // An unverified name is pending.
    let fields = [("domain", "docs.example.net"), ("redirect", "on")];
    let pending = admin.post(&format!("{renamed}/rename"), &fields).await.location().unwrap();
    let page = admin.get(&pending).await;
    page.says("help.localhost gets this name").says("_docwright.docs.example.net");
    assert_eq!(admin.get(&renamed).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_entry_is_resolved() {
    let place = ProjectPages::start().await;
    let (admin, path) = (&place.admin, place.at("feedback"));
    admin.get(&path).await.says("No feedback yet");
    place.dashboard.feedback(true, None).await;
    let id = place.dashboard.feedback(false, Some("Which version?")).await;
    admin.get(&path).await.says("Which version?").says("Not helpful").says(">Helpful<");
    admin.get(&place.path).await.says("Which version?");
    let form = format!("{path}/{id}");
    let fields = |state, note| [("state", state), ("note", note), ("shown", "pending")];
    let wrong = admin.post(&form, &fields("done", "")).await;
    assert_eq!(wrong.status, 400);
    wrong.says("state");
    let long = "x".repeat(2_001);
    assert_eq!(admin.post(&form, &fields("resolved", &long)).await.status, 400);
    let sent = admin.post(&form, &fields("resolved", "The page says it.\r\nNow.")).await;
    assert_eq!(sent.location(), Some(format!("{path}?state=pending")));
    let pending = admin.get(&format!("{path}?state=pending")).await;
    assert!(!pending.text.contains("Which version?"));
    let resolved = admin.get(&format!("{path}?state=resolved")).await;
    resolved.says("The page says it.\nNow.").says("aria-current=\"true\">Resolved");
    admin.get(&format!("{path}?state=dismissed")).await.says("No results");
    // A viewer sees the feedback and its state.
    let viewer = place.dashboard.member("viewer").await;
    let page = viewer.get(&path).await;
    page.says("The page says it.");
    assert!(!page.text.contains("<textarea"));
    assert_eq!(viewer.post(&form, &fields("pending", "")).await.status, 403);
    let entries = place.read("/v1/audit?action=feedback.update").await;
    assert_eq!(entries["entries"][0]["before"]["state"], "pending", "{entries}");
    assert_eq!(entries["entries"][0]["after"]["state"], "resolved");
}
