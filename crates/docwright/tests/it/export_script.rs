//! The recipes of `deploy/ci`, run as a CI system runs them: against the real service, with a stand-in for Helm.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use docwright_testing::{programs, wait::eventually};
use serde_json::Value;
use tempfile::TempDir;

use crate::server::{Process, Setup, docwright};

const COMMIT: &str = "0f3c1b2a4d5e6f708192a3b4c5d6e7f8091a2b3c";

/// A service, and a checkout of a repository with the folder `deploy`.
struct Pipeline {
    setup: Setup,
    service: Process,
    checkout: TempDir,
}

impl Pipeline {
    fn new(setup: Setup) -> Self {
        let service = setup.serve();
        let checkout = tempfile::tempdir().unwrap();
        symlink(deploy(), checkout.path().join("deploy")).unwrap();
        let pipeline = Self { setup, service, checkout };
        pipeline.install("helm", "#!/bin/sh\nprintf '%s\\n' \"$@\" >helm.txt\n");
        pipeline
    }

    /// Puts a program before those of the system.
    fn install(&self, name: &str, script: &str) {
        let folder = self.checkout.path().join("bin");
        fs::create_dir_all(&folder).unwrap();
        programs::write(&folder.join(name), script);
    }

    /// A shell in the checkout.
    fn shell(&self, script: &str) -> Command {
        let mut folders = vec![self.checkout.path().join("bin")];
        folders.extend(env::split_paths(&env::var_os("PATH").unwrap()));
        let mut command = Command::new("sh");
        command.args(["-e", "-c", script]).current_dir(self.checkout.path());
        command.env("PATH", env::join_paths(folders).unwrap());
        command
    }

    /// What the administrators of a pipeline set.
    fn settings(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("DOCWRIGHT_SERVER", self.service.address.clone()),
            ("DOCWRIGHT_DOMAIN", "docs.example.com".to_owned()),
            ("DOCWRIGHT_KEY", self.setup.key.clone()),
            ("DOCWRIGHT_DEPLOYMENT", "cloud".to_owned()),
            ("KUBECONFIG", "clusters".to_owned()),
        ])
    }

    /// Runs the script, which calls Helm at the end, with other settings.
    fn export(&self, others: &[(&'static str, &str)]) -> Output {
        let mut settings = self.settings();
        settings.extend(others.iter().map(|(name, value)| (*name, (*value).to_owned())));
        self.shell("deploy/ci/export.sh helm upgrade").envs(settings).output().unwrap()
    }

    /// The error of a script that rolls out nothing and leaves no values.
    fn fails(&self, others: &[(&'static str, &str)]) -> String {
        let output = self.export(others);
        assert!(!output.status.success());
        for name in ["helm.txt", "export/values.yaml", "export/bundle.partial"] {
            assert!(!self.checkout.path().join(name).exists(), "{name}");
        }
        String::from_utf8(output.stderr).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.checkout.path().join(name)).unwrap()
    }

    /// Checks that the pipeline called Helm with values, and that a deployment with them serves the export.
    async fn is_rolled_out(&self) {
        let arguments = self.read("helm.txt");
        let wanted = "upgrade --install docs deploy/chart --values export/values.yaml --wait";
        assert_eq!(arguments.lines().collect::<Vec<_>>().join(" "), wanted);
        let mut command = docwright(&["deploy", "--listen", "127.0.0.1:0", "--values"]);
        command.arg(self.checkout.path().join("export/values.yaml"));
        let data = tempfile::tempdir().unwrap();
        let deployment = Process::start({
            command.arg("--data").arg(data.path());
            command
        });
        let state = eventually("the deployment is ready", async || {
            let answer = reqwest::get(format!("{}/readyz", deployment.address)).await.unwrap();
            let state: Value = answer.json().await.unwrap();
            if state["ready"] == true { Ok(state) } else { Err(state) }
        })
        .await;
        assert_eq!(state["version"], COMMIT);
        let page = reqwest::get(format!("{}/page-0", deployment.address)).await.unwrap();
        assert_eq!(page.status(), 200);
        fs::remove_dir_all(self.checkout.path().join("export")).unwrap();
        fs::remove_file(self.checkout.path().join("helm.txt")).unwrap();
    }
}

fn deploy() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    folder.canonicalize().unwrap()
}

fn recipe(name: &str) -> Value {
    let text = fs::read_to_string(deploy().join("ci").join(name)).unwrap();
    docwright_site::content::yaml::parse(&text).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("it is a text")
}

/// The variables of an object, after GitHub has replaced its expressions.
fn github_variables(env: &Value, settings: &BTreeMap<&str, String>) -> Vec<(String, String)> {
    let value = |expression: &str| match expression.split_once('.').expect("it has a context") {
        ("github", "sha") => COMMIT.to_owned(),
        ("vars", name) => settings[name].clone(),
        ("secrets", name @ ("DOCWRIGHT_KEY" | "KUBECONFIG")) => settings[name].clone(),
        _ => panic!("{expression} isn't known"),
    };
    let variables = env.as_object().expect("variables are an object").iter();
    variables
        .map(|(name, written)| {
            let expression =
                text(written).strip_prefix("${{ ").and_then(|it| it.strip_suffix(" }}"));
            (name.clone(), value(expression.expect("it is an expression")))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq"]
async fn github_recipe_rolls_out_export() {
    let pipeline = Pipeline::new(Setup::new());
    let job = &recipe("github-actions.yml")["jobs"]["export"];
    let steps = job["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step.get("run").is_some()).unwrap();
    let settings = pipeline.settings();
    let output = pipeline
        .shell(text(&step["run"]))
        .envs(github_variables(&job["env"], &settings))
        .envs(github_variables(&step["env"], &settings))
        .env("RUNNER_TEMP", pipeline.checkout.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(pipeline.read("kubeconfig"), "clusters");
    pipeline.is_rolled_out().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq"]
async fn gitlab_recipe_rolls_out_export() {
    let pipeline = Pipeline::new(Setup::new());
    let job = &recipe("gitlab-ci.yml")["export"];
    let lines: Vec<_> = job["script"].as_array().unwrap().iter().map(text).collect();
    let variables = job["variables"].as_object().unwrap().iter().map(|(name, value)| {
        assert_eq!(text(value), "$CI_COMMIT_SHA");
        (name, COMMIT)
    });
    let output = pipeline
        .shell(&lines.join("\n"))
        .envs(pipeline.settings())
        .envs(variables)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    pipeline.is_rolled_out().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq"]
async fn script_pins_bundle_and_hides_its_link() {
    let pipeline = Pipeline::new(Setup::new());
    let output = pipeline.export(&[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let values =
        docwright_site::content::yaml::parse(&pipeline.read("export/values.yaml")).unwrap();
    let section = &values["staticExport"];
    let bundle = pipeline.checkout.path().join("export/bundle.tar.gz");
    let verify = ["verify", bundle.to_str().unwrap(), "--sha256", text(&section["sha256"])];
    assert!(docwright(&verify).status().unwrap().success());
    assert_eq!((&section["enabled"], &section["version"]), (&Value::Bool(true), &"".into()));
    let link = text(&section["bundleUrl"]);
    assert_eq!(reqwest::get(link).await.unwrap().status(), 200);
    let mode = fs::metadata(pipeline.checkout.path().join("export/values.yaml")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(said.contains("completed 100% 3 pages"), "{said}");
    assert!(!said.contains(link) && !said.contains(&pipeline.setup.key), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq"]
async fn script_names_reason_and_rolls_out_nothing() {
    let pipeline = Pipeline::new(Setup::new());
    let said = pipeline.fails(&[("DOCWRIGHT_SERVER", "")]);
    assert!(said.contains("Set it to the URL of the service"), "{said}");
    let said = pipeline.fails(&[("DOCWRIGHT_KEY", "dw_wrong")]);
    assert!(said.contains("status 401: "), "{said}");
    let said = pipeline.fails(&[("DOCWRIGHT_DOMAIN", "none.example.com")]);
    assert!(said.contains("status 404: "), "{said}");
    let said = pipeline.fails(&[("DOCWRIGHT_BASE_PATH", "docs")]);
    assert!(said.contains("status 400: ") && said.contains("basePath"), "{said}");
    let said = pipeline.fails(&[("DOCWRIGHT_DEPLOYMENT", "nowhere")]);
    assert!(said.contains("status 400: ") && said.contains("no deployment `nowhere`"), "{said}");
    pipeline.install(
        "curl",
        "#!/bin/sh\nPATH=${PATH#*:}\ncurl \"$@\" || exit\n[ ! -f export/bundle.partial ] || printf x >>export/bundle.partial\n",
    );
    let said = pipeline.fails(&[]);
    assert!(said.contains("the bundle is damaged"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq"]
async fn script_shows_error_of_failed_export() {
    let broken = |folder: &Path| {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("docs.json"), "{").unwrap();
    };
    let said = Pipeline::new(Setup::with_repository(broken)).fails(&[]);
    assert!(said.contains("the export failed: ") && said.contains("docs.json"), "{said}");
}
