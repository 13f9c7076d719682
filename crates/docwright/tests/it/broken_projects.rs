//! Errors of failed jobs: they give the reason and reveal nothing about the server.

use std::{
    fs,
    path::{Path, PathBuf},
};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Api, Setup, write_repository};

/// A repository that can't be built.
struct BrokenProject {
    name: &'static str,
    /// Flags of the project in addition to `--repository`.
    flags: &'static [&'static str],
    write: fn(&Path),
    /// A text that users must read.
    says: &'static str,
}

fn config(folder: &Path, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("docs.json"), text).unwrap();
}

const BROKEN_PROJECTS: [BrokenProject; 8] = [
    BrokenProject {
        name: "gone",
        flags: &[],
        write: |folder| fs::remove_dir_all(folder).unwrap(),
        says: "folder",
    },
    BrokenProject {
        name: "no-docs-path",
        flags: &["--path", "nowhere"],
        write: |folder| write_repository(folder, 1),
        says: "nowhere",
    },
    BrokenProject { name: "no-root", flags: &[], write: |_| {}, says: "docs.json" },
    BrokenProject {
        name: "broken",
        flags: &[],
        write: |folder| config(folder, "{"),
        says: "docs.json",
    },
    BrokenProject {
        name: "list",
        flags: &[],
        write: |folder| config(folder, "[]"),
        says: "docs.json",
    },
    BrokenProject {
        name: "two-roots",
        flags: &[],
        write: |folder| {
            config(&folder.join("one"), "{}");
            config(&folder.join("two"), "{}");
        },
        says: "several",
    },
    BrokenProject {
        name: "file",
        flags: &[],
        write: |folder| {
            fs::remove_dir_all(folder).unwrap();
            fs::write(folder, "x").unwrap();
        },
        says: "repository",
    },
    BrokenProject {
        name: "folder-for-config",
        flags: &[],
        write: |folder| fs::create_dir(folder.join("docs.json")).unwrap(),
        says: "docs.json",
    },
];

/// Errors of a response without the repository's URL, which the caller already knows.
fn sentences(answer: &Value) -> String {
    ["error", "warnings", "summary", "logs"].map(|field| answer[field].to_string()).join("\n")
}

async fn post(api: &Api, path: &str, body: Value) -> Value {
    api.send(Method::POST, path, Some(body)).await.json().await.unwrap()
}

/// Polls until a job finishes.
async fn ended(api: &Api, path: &str) -> Value {
    eventually(&format!("{path} has ended"), async || {
        let job: Value = api.send(Method::GET, path, None).await.json().await.unwrap();
        let ended = ["failed", "failure", "completed", "success"];
        let has_ended = job["status"].as_str().is_some_and(|status| ended.contains(&status));
        if has_ended { Ok(job) } else { Err(job) }
    })
    .await
}

fn project(setup: &Setup, name: &str, repository: &Path, flags: &[&str]) -> String {
    let repository = repository.display().to_string();
    let mut arguments = vec!["project", "create", name, "--organization", &setup.organization];
    arguments.extend(["--repository", &repository]);
    arguments.extend(flags);
    let project = setup.admin(&arguments)["id"].as_str().unwrap().to_owned();
    setup.admin(&["domain", "create", &format!("{name}.example.com"), "--project", &project]);
    project
}

/// The finished export, update, and agent job of a project.
async fn jobs(api: &Api, name: &str, project: &str) -> [Value; 3] {
    let export = json!({ "domain": format!("{name}.example.com") });
    let export = post(api, "/v1/static-export/jobs", export).await;
    let export = format!("/v1/static-export/jobs/{}", export["jobId"].as_str().unwrap());
    let update = post(api, &format!("/v1/project/update/{project}"), json!({})).await;
    let update = format!("/v1/project/update-status/{}", update["statusId"].as_str().unwrap());
    let jobs = format!("/v2/agent/{project}/job");
    let agent = post(api, &jobs, json!({ "prompt": "fix broken links" })).await;
    let agent = format!("{jobs}/{}", agent["id"].as_str().unwrap());
    [ended(api, &export).await, ended(api, &update).await, ended(api, &agent).await]
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_jobs_name_no_folder_of_the_server() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let secret = setup.folder.path().canonicalize().unwrap().display().to_string();
    let made: Vec<(&BrokenProject, PathBuf, String)> = BROKEN_PROJECTS
        .iter()
        .map(|broken| {
            let folder = setup.folder.path().join(broken.name);
            fs::create_dir(&folder).unwrap();
            let project = project(&setup, broken.name, &folder, broken.flags);
            (broken, folder, project)
        })
        .collect();
    for (broken, folder, project) in &made {
        (broken.write)(folder);
        for (number, job) in jobs(&api, broken.name, project).await.iter().enumerate() {
            let said = sentences(job);
            assert!(job["status"].as_str().unwrap().starts_with("fail"), "{}: {job}", broken.name);
            // The agent job fails earlier, since folders have no pull requests.
            assert!(number == 2 || said.contains(broken.says), "{}: {said}", broken.name);
            assert!(!said.contains(&secret) && !said.contains("/tmp"), "{}: {said}", broken.name);
        }
    }
}

/// A damaged repository on the built-in git host, whose path git names in its errors.
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_git_name_no_folder_of_the_server() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let bare = setup.data().join("git").join(format!("{}.git", setup.project));
    for part in ["HEAD", "config"] {
        fs::remove_file(bare.join(part)).unwrap();
    }
    fs::remove_dir_all(bare.join("refs")).unwrap();
    let process = setup.serve();
    let api = setup.api(&process);
    for job in jobs(&api, "docs", &setup.project).await {
        let said = sentences(&job);
        assert!(job["status"].as_str().unwrap().starts_with("fail"), "{job}");
        assert!(!said.contains("/tmp") && !said.contains("/git/"), "{said}");
    }
}

/// Diagnostics name a page by its path in the repository.
#[tokio::test(flavor = "multi_thread")]
async fn warnings_name_no_folder_of_the_server() {
    let setup = Setup::with_repository(|folder| {
        write_repository(folder, 1);
        fs::write(folder.join("page-0.mdx"), "<Card>\n\n[gone](/nowhere) {x\n").unwrap();
        fs::write(folder.join("bytes.mdx"), [0xff, 0xfe, 0xfd]).unwrap();
        fs::write(folder.join(".mintignore"), "[\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", folder.join("link.mdx")).unwrap();
    });
    let process = setup.serve();
    let api = setup.api(&process);
    let job = api.wait_for(&api.start_export().await, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
    assert!(job["warningCount"].as_u64().unwrap() > 0, "{job}");
    let said = sentences(&job);
    assert!(!said.contains("/tmp") && !said.contains("/proc"), "{said}");
}
