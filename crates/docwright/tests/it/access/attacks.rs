//! Attacks by the holder of a valid key on another organization.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::{AccessSetup, id, things::SECRET};
use crate::audit::entries;

/// The audit log and the rows of keys contain no secrets.
pub(super) async fn nothing_secret_is_written_down(place: &AccessSetup) {
    let pool = place.pool().await;
    let all = "SELECT COALESCE(state_before, '') || COALESCE(state_after, '') || actor_name || subject_id FROM audit_entries";
    let rows: Vec<String> = sqlx::query_scalar(all).fetch_all(&pool).await.unwrap();
    assert!(rows.len() > 20, "expected many entries: {}", rows.len());
    let parts = place.operator.key.split('_').nth(2).unwrap();
    for row in rows {
        for secret in [SECRET, parts, "Fix the links", "dw_"] {
            assert!(!row.contains(secret), "{secret} in {row}");
        }
    }
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_organization_is_not_found() {
    let place = AccessSetup::new(None).await;
    let stranger = place.key(&place.other, "admin", json!({})).await;
    let (own, project) = (&place.setup.organization, &place.setup.project);
    let answer = async |path: &str| -> (u16, String) {
        let answer = stranger.send(Method::GET, path, None).await;
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    // Filters and cursors that name another organization's records return none of them.
    for list in ["projects", "keys", "credentials", "organizations", "audit"] {
        let (status, text) = answer(&format!("/v1/{list}?limit=100")).await;
        assert_eq!(status, 200, "{list}: {text}");
        assert!(!text.contains(own.as_str()) && !text.contains(project.as_str()), "{list}: {text}");
        for cursor in [own, project, "0", "zzz", "%25"] {
            let (status, text) = answer(&format!("/v1/{list}?cursor={cursor}")).await;
            assert_eq!(status, 400, "{list} {cursor}");
            assert!(text.contains("`cursor` must be"), "{list} {cursor}: {text}");
            assert!(!text.contains(project.as_str()), "{list} {cursor}: {text}");
        }
        if list != "organizations" {
            let (status, _) = answer(&format!("/v1/{list}?organizationId={own}")).await;
            assert_eq!(status, 404, "{list}");
        }
    }
    let (_, named) = answer("/v1/projects?name=Second").await;
    assert_eq!(serde_json::from_str::<Value>(&named).unwrap()["projects"], json!([]));
    let (_, about) = answer(&format!("/v1/audit?subject={project}")).await;
    assert_eq!(serde_json::from_str::<Value>(&about).unwrap()["entries"], json!([]));
    // Responses for missing records equal those for other organizations' records, except for the id.
    for path in ["/v1/projects/", "/v1/organizations/"] {
        let there = if path.contains("projects") { project } else { own };
        let (theirs, nobodys) =
            (answer(&format!("{path}{there}")).await, answer(&format!("{path}none")).await);
        assert_eq!(theirs, nobodys, "{path}");
    }
    // Fields that would move a record to another organization are ignored or refused.
    let path = format!("/v1/projects/{}", place.other_project);
    for body in
        [json!({ "organizationId": own }), json!({ "id": project }), json!({ "plan": "free" })]
    {
        let answer = stranger.send(Method::PATCH, &path, Some(body.clone())).await;
        assert_eq!(answer.status(), 400, "{body}");
    }
    let body = json!({ "host": "h", "secret": "s", "projectId": place.other_project, "organizationId": own });
    let answer = stranger.send(Method::PUT, "/v1/credentials", Some(body)).await;
    assert_eq!(answer.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_cannot_read_disk_of_the_server() {
    let place = AccessSetup::new(None).await;
    let admin = place.key(&place.other, "admin", json!({})).await;
    let data = place.setup.data().display().to_string();
    std::fs::create_dir(place.setup.folder.path().join("folder")).unwrap();
    let folder = place.setup.folder.path().join("folder").display().to_string();
    for repository in [
        data.as_str(),
        &folder,
        "/etc",
        ".",
        "../..",
        "file:///etc",
        &format!("file://{data}/git/{}.git", place.setup.project),
        "FILE:///etc",
        "ext::sh -c id",
        "-u/etc",
        "http://127.0.0.1/x.git",
        "git://example.com/x.git",
    ] {
        for (method, path) in [
            (Method::POST, "/v1/projects".to_owned()),
            (Method::PATCH, format!("/v1/projects/{}", place.other_project)),
        ] {
            let body = json!({ "name": "Stolen", "repository": repository });
            let answer = admin.send(method, &path, Some(body)).await;
            let status = answer.status().as_u16();
            assert_eq!(status, 400, "{repository}: {}", answer.text().await.unwrap());
        }
    }
    let path = format!("/v1/projects/{}", place.other_project);
    let after: Value = admin.send(Method::GET, &path, None).await.json().await.unwrap();
    assert_eq!(after["repository"], "built-in");
    for repository in ["https://git.example.com/a/b.git", "git@git.example.com:a/b.git"] {
        let body = json!({ "repository": repository });
        let answer = admin.send(Method::PATCH, &path, Some(body)).await;
        assert_eq!(answer.status(), 200, "{repository}");
    }
    // An operator can add a folder.
    let body = json!({ "name": "Folder", "repository": folder, "organizationId": place.other });
    place.made(&place.operator, Method::POST, "/v1/projects", body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_cannot_use_hosts_with_token_of_operator() {
    let place = AccessSetup::new(None).await;
    let admin = place.key(&place.other, "admin", json!({})).await;
    let process = place.setup.serve_with(&[("DOCWRIGHT_GIT_TOKENS", "git.example.com=secret")]);
    let admin = crate::server::Api { base: process.address.clone(), ..admin };
    let path = format!("/v1/projects/{}", place.other_project);
    let status = async |repository: &str| {
        let body = json!({ "repository": repository });
        admin.send(Method::PATCH, &path, Some(body)).await.status().as_u16()
    };
    for theirs in ["https://git.example.com/private.git", "https://GIT.example.com/private.git"] {
        assert_eq!(status(theirs).await, 403, "{theirs}");
    }
    assert_eq!(status("https://other.example.com/own.git").await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_deletions_delete_once() {
    let place = AccessSetup::new(None).await;
    let admin = place.key(&place.setup.organization, "admin", json!({})).await;
    let path = format!("/v1/projects/{}", place.setup.project);
    let asked = (0..6).map(|_| admin.send(Method::DELETE, &path, None));
    let statuses: Vec<_> =
        join_all(asked).await.iter().map(|answer| answer.status().as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 404].contains(status)), "{statuses:?}");
    let written = entries(&admin, "&action=project.delete").await;
    assert_eq!(written.len(), 1, "one change, one entry: {written:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_cannot_change_anything() {
    let place = AccessSetup::new(None).await;
    let own = place.setup.organization.clone();
    let admin = place.key(&own, "admin", json!({})).await;
    let path = format!("/v1/keys/{}/revoke", admin.key.split('_').nth(1).unwrap());
    let rename = |number: usize| {
        let (admin, path) = (admin.clone(), format!("/v1/projects/{}", place.setup.project));
        async move {
            let body = json!({ "name": format!("Docs {number}") });
            admin.send(Method::PATCH, &path, Some(body)).await.status().as_u16()
        }
    };
    assert_eq!(rename(0).await, 200);
    // A key can revoke itself.
    assert_eq!(admin.send(Method::POST, &path, None).await.status(), 200);
    assert_eq!(join_all((1..20).map(rename)).await, vec![401; 19]);
    let written = entries(&place.operator, "&action=project.update").await;
    let named: Vec<_> = written.iter().filter(|entry| entry["after"]["name"] != "Docs").collect();
    assert_eq!(named.len(), 1, "{written:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_with_line_breaks_are_refused() {
    let place = AccessSetup::new(None).await;
    for name in ["a\nb", "a\r\nlevel=error", "\u{1b}[2J", "a\u{0}", "", "   "] {
        let body = json!({ "name": name, "organizationId": place.other });
        let answer = place.operator.send(Method::POST, "/v1/projects", Some(body)).await;
        assert_eq!(answer.status(), 400, "{name:?}");
    }
    let strange = "a\"}, {\"x\": '--; DROP TABLE projects; \u{202e}";
    let made = place.project(&place.other, strange).await;
    let written = entries(&place.operator, &format!("&subject={made}")).await;
    assert_eq!(written[0]["after"]["name"], strange);
    let mut listed = place.setup.admin(&["project", "show", &made]);
    assert_eq!(listed["name"].take(), strange);
    assert_eq!(id(&listed), made);
}
