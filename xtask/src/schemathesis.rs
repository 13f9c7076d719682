//! `cargo xtask schemathesis`: sends generated valid and invalid requests to a real service and compares its
//! responses with the API spec.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::{postgres::Postgres, process, test::install_python_packages, tools};

const DOMAIN: &str = "docs.example.com";
const ROOT_SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Generated requests for each operation, in addition to the edge cases of its schema
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    examples: u32,
    /// Repeat the requests of the run that printed this seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<String>,
}

/// Runs all checks on SQLite and PostgreSQL.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    tools::require_base()?;
    install_python_packages("tests/schemathesis")?;
    let program = process::build_docwright()?;
    let postgres = Postgres::start()?;
    for scope in ["admin", "operator"] {
        check((arguments, &*program), None, scope)
            .with_context(|| format!("on SQLite, with {scope}"))?;
    }
    // Database behavior doesn't depend on the key.
    check((arguments, &*program), Some(postgres.url()), "operator").context("on PostgreSQL")
}

/// Sends requests with a key of a scope.
fn check(
    (arguments, program): (&Arguments, &Path),
    database: Option<String>,
    scope: &str,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let service =
        Service { program: program.to_owned(), folder: folder.path().to_owned(), database };
    let Seeds { organization, doomed_organization, project, doomed_project, key, doomed_key } =
        service.seed(scope)?;
    let running = service.start()?;
    let place = process::root().join("tests/schemathesis");
    let mut command = Command::new(place.join(".venv/bin/st"));
    command
        .arg("--config-file")
        .arg(place.join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", running.address), "--checks", "all"])
        .args(["--continue-on-failure", "--request-timeout", "30", "--no-color"])
        // Most generated texts are invalid domains, so the number of discarded ones doesn't matter.
        .args(["--suppress-health-check", "filter_too_much,too_slow"])
        .args(["--max-examples", &arguments.examples.to_string()])
        .envs([
            ("DOCWRIGHT_TEST_ORGANIZATION", organization),
            ("DOCWRIGHT_TEST_DOOMED_ORGANIZATION", doomed_organization),
            ("DOCWRIGHT_TEST_PROJECT", project),
            ("DOCWRIGHT_TEST_DOOMED_PROJECT", doomed_project),
            ("DOCWRIGHT_TEST_KEY", key.clone()),
            ("DOCWRIGHT_TEST_DOOMED_KEY", doomed_key),
        ])
        .current_dir(folder.path());
    if let Some(seed) = &arguments.seed {
        command.args(["--seed", seed]);
    }
    process::run(&mut command)?;
    // If the key became invalid, the responses would prove nothing.
    let asked = ureq::get(format!("{}/v1/projects", running.address))
        .header("authorization", format!("Bearer {key}"))
        .call();
    asked.context("the key of the tests does not work any more").map(drop)
}

/// The configuration of a service.
struct Service {
    program: PathBuf,
    folder: PathBuf,
    database: Option<String>,
}

/// Records that requests refer to.
struct Seeds {
    organization: String,
    /// An organization that requests can delete.
    doomed_organization: String,
    /// A project with a domain.
    project: String,
    /// A project that requests can delete.
    doomed_project: String,
    key: String,
    /// The id of a key that requests can change and revoke.
    doomed_key: String,
}

/// A service that runs until this value is dropped.
struct Running {
    process: Child,
    address: String,
}

impl Service {
    fn seed(&self, scope: &str) -> anyhow::Result<Seeds> {
        let docs = self.folder.join("docs");
        write_docs(&docs)?;
        let organization = self.admin(&["organization", "create", "Test"], "id")?;
        let doomed_organization = self.admin(&["organization", "create", "Doomed"], "id")?;
        let docs = docs.display().to_string();
        let project = self.admin(
            &["project", "create", "Docs", "--organization", &organization, "--import", &docs],
            "id",
        )?;
        self.admin(&["domain", "create", DOMAIN, "--project", &project], "domain")?;
        let doomed_project =
            self.admin(&["project", "create", "Doomed", "--organization", &organization], "id")?;
        let mut create = vec!["key", "create", "test", "--scope", scope];
        if scope != "operator" {
            create.extend(["--organization", &organization]);
        }
        let key = self.admin(&create, "key")?;
        let doomed_key = self.admin(&create, "id")?;
        Ok(Seeds { organization, doomed_organization, project, doomed_project, key, doomed_key })
    }

    /// A field in the output of an admin command.
    fn admin(&self, arguments: &[&str], field: &str) -> anyhow::Result<String> {
        let output = self.program().args(["admin", "--json"]).args(arguments).output()?;
        ensure!(output.status.success(), "`docwright admin {}` failed", arguments.join(" "));
        let printed: Value = serde_json::from_slice(&output.stdout)?;
        Ok(printed[field].as_str().unwrap_or_default().to_owned())
    }

    fn start(&self) -> anyhow::Result<Running> {
        let mut command = self.program();
        command.args(["serve", "--listen", "127.0.0.1:0"]).env("RUST_LOG", "warn");
        let mut process =
            command.stdout(Stdio::piped()).spawn().context("cannot start docwright")?;
        let output = BufReader::new(process.stdout.take().context("its output is not captured")?);
        let mut lines = output.lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        let address = address.context("docwright does not say where it listens")?;
        Ok(Running { process, address })
    }

    fn program(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("DOCWRIGHT_DATA", self.folder.join("data"));
        if let Some(database) = &self.database {
            command.env("DOCWRIGHT_DATABASE_URL", database);
            command.env("DOCWRIGHT_ROOT_SECRET", ROOT_SECRET);
        }
        command
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process is already gone if it crashed.
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// A docs root with the page that the API spec uses as an example.
fn write_docs(folder: &Path) -> std::io::Result<()> {
    fs::create_dir(folder)?;
    let config = r##"{"theme":"mint","name":"T","colors":{"primary":"#0f766e"},"navigation":{"pages":["index","quickstart"]}}"##;
    fs::write(folder.join("docs.json"), config)?;
    fs::write(folder.join("index.mdx"), "Text.\n")?;
    fs::write(folder.join("quickstart.mdx"), "Text.\n")
}
