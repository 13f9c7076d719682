//! Records that the requests of the table use.

use reqwest::Method;
use serde_json::{Value, json};

use super::{AccessSetup, id};

/// A record that a request changes or deletes, so each key that can needs a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fresh {
    Nothing,
    Organization,
    Project,
    Key,
    Credential,
    Subscription,
    Domain,
    Deployment,
}

/// The secret of stored credentials. Tests search for it afterward.
pub(super) const SECRET: &str = "ghp-hunter2-secret";

/// Records of the requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Things {
    pub(super) organization: String,
    pub(super) project: String,
    job: String,
    update: String,
    export: String,
    release: String,
    key: String,
    credential: String,
    subscription: String,
    domain: String,
    deployment: String,
    delivery: String,
    /// The number of names used.
    pub(super) names: std::cell::Cell<u32>,
}

impl Things {
    pub(super) fn name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("Name {}", self.names.get())
    }

    pub(super) fn fill(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (name, id) in [
            ("organizationId", &self.organization),
            ("projectId", &self.project),
            ("id", &self.job),
            ("statusId", &self.update),
            ("jobId", &self.export),
            ("releaseId", &self.release),
            ("keyId", &self.key),
            ("credentialId", &self.credential),
            ("subscriptionId", &self.subscription),
            ("feedbackId", &"feedback_none".to_owned()),
            ("accountId", &"acc_none".to_owned()),
            ("invitationId", &"inv_none".to_owned()),
            ("previewId", &"prv_none".to_owned()),
            ("notificationId", &"ntf_none".to_owned()),
            ("number", &"9".to_owned()),
            ("domain", &self.domain),
            ("name", &"former.localhost".to_owned()),
            ("deploymentId", &self.deployment),
            ("deliveryId", &self.delivery),
            ("plan", &"free".to_owned()),
            ("threadId", &"none".to_owned()),
        ] {
            path = path.replace(&format!("{{{name}}}"), id);
        }
        assert!(!path.contains('{'), "{path} has a parameter that the table doesn't know");
        path
    }
}

/// Creates one record of each kind.
pub(super) async fn things(place: &AccessSetup) -> Things {
    let (setup, operator) = (&place.setup, &place.operator);
    let project = setup.project.clone();
    let key = place.key(&setup.organization, "read", json!({})).await;
    let body = json!({ "host": "git.example.com", "projectId": project, "secret": SECRET });
    let credential = place.made(operator, Method::PUT, "/v1/credentials", body).await;
    let subscription = subscription(place, &project).await;
    let path = format!("/v1/projects/{project}/webhook-secret");
    let hook = place.made(operator, Method::POST, &path, json!({})).await;
    let hooked = reqwest::Client::new().post(hook["url"].as_str().unwrap());
    let token = hook["secret"].as_str().unwrap();
    let hooked = hooked.header("x-gitlab-token", token).send().await.unwrap();
    let delivered: Value = hooked.json().await.unwrap();
    let delivery = delivered["delivery"].as_str().unwrap().to_owned();
    let export = operator.start_export().await;
    operator.wait_for(&export, &["completed"]).await;
    let path = format!("/v1/project/update/{project}");
    let update = place.made(operator, Method::POST, &path, json!({})).await;
    let job = operator.prompt(&project, "Fix the links.").await;
    operator.finished(&project, job["id"].as_str().unwrap()).await;
    let path = format!("/v1/projects/{project}/releases?limit=100");
    let releases: Value = operator.send(Method::GET, &path, None).await.json().await.unwrap();
    let ready = releases["releases"].as_array().unwrap().iter();
    let ready = ready
        .clone()
        .find(|release| release["status"] == "ready")
        .expect("expected a ready release");
    Things {
        organization: setup.organization.clone(),
        job: id(&job),
        update: update["statusId"].as_str().unwrap().to_owned(),
        export,
        release: id(ready),
        key: key.key.split('_').nth(1).unwrap().to_owned(),
        credential: id(&credential),
        subscription,
        domain: "docs.example.com".to_owned(),
        deployment: "cloud".to_owned(),
        delivery,
        project,
        names: std::cell::Cell::default(),
    }
}

async fn subscription(place: &AccessSetup, project: &str) -> String {
    let body = json!({ "target": "https://hooks.example.com/", "projectId": project });
    id(&place.made(&place.operator, Method::POST, "/v1/subscriptions", body).await)
}

/// Replaces the record that the request will change or delete.
pub(super) async fn fresh(place: &AccessSetup, things: &Things, fresh: Fresh) -> Things {
    let mut own = things.clone();
    own.names.set(own.names.get() + 1000);
    let name = format!("Fresh {}", number());
    match fresh {
        Fresh::Nothing => {}
        Fresh::Organization => own.organization = place.organization(&name).await,
        Fresh::Project => own.project = place.project(&things.organization, &name).await,
        Fresh::Key => {
            let key = place.key(&things.organization, "read", json!({})).await;
            key.key.split('_').nth(1).unwrap().clone_into(&mut own.key);
        }
        Fresh::Subscription => own.subscription = subscription(place, &things.project).await,
        Fresh::Credential => {
            let host = name.replace(' ', "-");
            let body = json!({ "host": host, "projectId": things.project, "secret": SECRET });
            let kept = place.made(&place.operator, Method::PUT, "/v1/credentials", body).await;
            own.credential = id(&kept);
        }
        Fresh::Deployment => {
            let path = format!("/v1/projects/{}/deployments", things.project);
            let body = json!({ "name": name, "type": "client-hosted" });
            own.deployment = id(&place.made(&place.operator, Method::POST, &path, body).await);
        }
        Fresh::Domain => {
            own.domain = format!("{}.localhost", name.replace(' ', "-").to_lowercase());
            let body = json!({ "domain": own.domain, "projectId": things.project });
            place.made(&place.operator, Method::POST, "/v1/domains", body).await;
        }
    }
    own
}

/// Returns a number that wasn't used before.
fn number() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
