//! Records that the pages and forms of the table use.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{dashboard::Dashboard, server::Api};

/// A record that a form uses up, so each caller needs a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fresh {
    Nothing,
    /// The caller's session.
    Session,
    Member,
    Invitation,
    /// A key of the organization.
    Key,
    /// A finished agent job.
    Job,
    Project,
    Domain,
    Credential,
    Subscription,
    AssistantKey,
}

/// Records of the pages and forms.
pub(super) struct Things {
    /// An admin of the organization.
    api: Api,
    organization: String,
    pub(super) project: String,
    pub(super) key: String,
    pub(super) job: String,
    project_name: String,
    release: String,
    preview: String,
    export: String,
    domain: String,
    feedback: String,
    gap: String,
    credential: String,
    subscription: String,
    assistant_key: String,
    pub(super) account: String,
    pub(super) email: String,
    pub(super) invitation: String,
    /// The number of names used.
    pub(super) names: u32,
}

impl Things {
    pub(super) fn fill(&mut self, text: &str) -> String {
        self.names += 1;
        let mut text = text.to_owned();
        for (name, value) in [
            ("organization_id", &self.organization),
            ("project_id", &self.project),
            ("account_id", &self.account),
            ("email", &self.email),
            ("invitation_id", &self.invitation),
            ("key_id", &self.key),
            ("job_id", &self.job),
            ("plan", &"free".to_owned()),
            ("project_name", &self.project_name),
            ("release_id", &self.release),
            ("preview_id", &self.preview),
            ("export_id", &self.export),
            ("domain", &self.domain),
            ("host", &format!("host-{}", self.names)),
            ("feedback_id", &self.feedback),
            ("gap_id", &self.gap),
            ("credential_id", &self.credential),
            ("subscription_id", &self.subscription),
            ("assistant_key_id", &self.assistant_key),
            ("name", &format!("Name {}", self.names)),
        ] {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        assert!(!text.contains('{'), "{text} has a parameter that the table doesn't know");
        text
    }

    /// Creates one record of each kind, in a project with a release.
    pub(super) async fn of(dashboard: &Dashboard) -> Self {
        let text = String::new;
        let mut things = Self {
            api: dashboard.api("admin"),
            organization: dashboard.setup.organization.clone(),
            project: dashboard.setup.project.clone(),
            key: text(),
            job: text(),
            account: text(),
            email: text(),
            invitation: text(),
            project_name: text(),
            release: text(),
            preview: text(),
            export: text(),
            domain: text(),
            feedback: dashboard.feedback(true, None).await,
            gap: dashboard.gap("How do I rotate a key?").await,
            credential: text(),
            subscription: text(),
            assistant_key: text(),
            names: 0,
        };
        let release = dashboard.released(&things.api, 1).await;
        release["id"].as_str().unwrap().clone_into(&mut things.release);
        let asked = json!({ "domain": "docs.example.com" });
        things.export = things.made("/v1/static-export/jobs", asked, "jobId").await;
        let path = format!("/v1/project/preview/{}", things.project);
        things.made(&path, json!({ "branch": "main" }), "statusId").await;
        let path = format!("/v1/projects/{}/previews", things.project);
        let list: Value = things.api.send(Method::GET, &path, None).await.json().await.unwrap();
        things.preview = list["previews"][0]["id"].as_str().unwrap().to_owned();
        for fresh in [Fresh::Domain, Fresh::Credential, Fresh::Subscription, Fresh::AssistantKey] {
            things.renew(fresh).await;
        }
        things
    }

    /// Creates a new record for a form.
    pub(super) async fn renew(&mut self, fresh: Fresh) {
        self.names += 1;
        let (name, project) = (format!("fresh-{}", self.names), self.project.clone());
        match fresh {
            Fresh::Nothing
            | Fresh::Session
            | Fresh::Key
            | Fresh::Job
            | Fresh::Member
            | Fresh::Invitation => {}
            Fresh::Project => {
                self.project_name.clone_from(&name);
                self.project = self.made("/v1/projects", json!({ "name": name }), "id").await;
            }
            Fresh::Domain => {
                let body = json!({ "domain": format!("{name}.localhost"), "projectId": project });
                self.domain = self.made("/v1/domains", body, "domain").await;
            }
            Fresh::Credential => {
                let body = json!({ "host": format!("{name}.example.com"), "projectId": project, "secret": "x" });
                let answer = self.api.send(Method::PUT, "/v1/credentials", Some(body)).await;
                let answer: Value = answer.json().await.unwrap();
                answer["id"].as_str().unwrap().clone_into(&mut self.credential);
            }
            Fresh::Subscription => {
                let body = json!({ "target": "https://hooks.example.com/", "projectId": project });
                self.subscription = self.made("/v1/subscriptions", body, "id").await;
            }
            Fresh::AssistantKey => {
                let body = json!({ "name": name, "domain": "docs.example.com" });
                let path = format!("/v1/projects/{project}/assistant-keys");
                self.assistant_key = self.made(&path, body, "id").await;
            }
        }
    }

    async fn made(&self, path: &str, body: Value, name: &str) -> String {
        let answer = self.api.send(Method::POST, path, Some(body)).await;
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let answer: Value = answer.json().await.unwrap();
        answer[name].as_str().unwrap_or_else(|| panic!("{name} in {answer}")).to_owned()
    }
}
