//! The real program, started for a test and killed after it.

mod template;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
};

use docwright_testing::wait::eventually;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use template::Kind;

/// The root secret of services whose database several nodes can share.
const ROOT_SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Runs git like a user.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=T", "-c", "user.email=t@example.com"]);
    command.args(["-c", "safe.directory=*"]).args(arguments).env("GIT_TERMINAL_PROMPT", "0");
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The program with its flags.
pub(crate) fn docwright(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_docwright"));
    command.args(arguments).env("RUST_LOG", "warn").stderr(Stdio::null());
    // Results of builds stay out of the home folder of the person who runs the tests.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A running process that prints its address.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: String,
}

impl Process {
    /// Starts a command that prints `listening on …`.
    pub(crate) fn start(mut command: Command) -> Self {
        Self::listening(command.stdout(Stdio::piped()).spawn().expect("the program starts"))
    }

    fn listening(mut child: Child) -> Self {
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let line =
            output.lines().map_while(Result::ok).find(|line| line.starts_with("listening on "));
        let address =
            line.expect("the process prints its address")["listening on ".len()..].to_owned();
        Self { child, address }
    }

    /// Starts a command and reads its standard error in a separate thread.
    pub(crate) fn start_logged(
        mut command: Command,
        read: impl FnOnce(ChildStderr) + Send + 'static,
    ) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = child.stderr.take().expect("stderr is piped");
        std::thread::spawn(move || read(errors));
        Self::listening(child)
    }

    /// Starts a command that can exit or freeze before it prints its address.
    #[cfg(unix)]
    pub(crate) fn start_unheard(mut command: Command) -> Self {
        let child = command.stdout(Stdio::null()).spawn().expect("the program starts");
        Self { child, address: String::new() }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process exits.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("the process exits")
    }

    /// The exit status, if the process has exited.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the process can be checked")
    }

    /// Waits until SIGSTOP has frozen the process.
    #[cfg(unix)]
    pub(crate) async fn wait_until_frozen(&self) {
        eventually("the process is frozen", async || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
            let stat = stat.expect("the process runs");
            // The state follows the name, which is in parentheses.
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
        })
        .await;
    }

    /// Sends a signal by its name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Kills the process immediately, like a power cut.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process exits");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A data folder with an organization, a project with a small repository, and a key.
pub(crate) struct Setup {
    pub(crate) folder: TempDir,
    pub(crate) organization: String,
    pub(crate) project: String,
    /// The address of another database than the one in the data folder.
    database: Option<String>,
    pub(crate) key: String,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self::with_pages(3)
    }

    /// Creates a repository with a number of pages.
    pub(crate) fn with_pages(count: usize) -> Self {
        Self::with(|folder| write_repository(folder, count), "--repository", &[])
    }

    /// Creates a project on the built-in git host with the files that `write` creates.
    pub(crate) fn built_in(write: impl Fn(&Path), flags: &[&str]) -> Self {
        Self::with(write, "--import", flags)
    }

    /// Creates a project whose repository is a folder with the files that `write` creates.
    pub(crate) fn with_repository(write: impl Fn(&Path)) -> Self {
        Self::with(write, "--repository", &[])
    }

    fn with(write: impl Fn(&Path), flag: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be created");
        let repository = folder.path().join("repository");
        write(&repository);
        Self::of(folder, &repository.display().to_string(), (flag, flags), None)
    }

    /// Like `built_in`, on another database.
    pub(crate) fn on_database(write: impl Fn(&Path), url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be created");
        let repository = folder.path().join("repository");
        write(&repository);
        let repository = repository.display().to_string();
        Self::of(folder, &repository, ("--import", &[]), Some(url.to_owned()))
    }

    /// Creates a project whose repository has a URL.
    pub(crate) fn at_address(address: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be created");
        Self::of(folder, address, ("--repository", &[]), None)
    }

    fn of(
        folder: TempDir,
        repository: &str,
        (flag, flags): (&str, &[&str]),
        database: Option<String>,
    ) -> Self {
        let mut setup = Self::empty(folder, database);
        let create_project = |setup: &mut Self| setup.create_project(repository, flag, flags);
        // A test with a database of its own, or that created the data folder itself, copies nothing.
        if setup.database.is_some() || setup.data().exists() {
            setup.create_organization();
            create_project(&mut setup);
        } else if flag == "--import" {
            // The data folder has the repository, too.
            template::fill(&mut setup, Kind::import(Path::new(repository), flags), |setup| {
                template::fill(setup, Kind::Organization, Self::create_organization);
                create_project(setup);
            });
        } else {
            template::fill(&mut setup, Kind::Organization, Self::create_organization);
            create_project(&mut setup);
        }
        setup
    }

    fn empty(folder: TempDir, database: Option<String>) -> Self {
        let [organization, project, key] = [(); 3].map(|()| String::new());
        Self { folder, organization, project, database, key }
    }

    fn create_organization(&mut self) {
        self.organization = id(&self.admin(&["organization", "create", "Acme"]));
        self.key = self.new_key(&[]);
    }

    fn create_project(&mut self, repository: &str, flag: &str, flags: &[&str]) {
        let mut arguments = vec!["project", "create", "Docs", "--organization", &self.organization];
        arguments.extend([flag, repository]);
        arguments.extend(flags);
        self.project = id(&self.admin(&arguments));
        self.admin(&["domain", "create", "docs.example.com", "--project", &self.project]);
    }

    /// Commits a file to the main branch of the built-in repository without the server's knowledge.
    pub(crate) fn commit(&self, path: &str, text: &str) {
        let (bare, work) = (self.built_in_repository(), self.folder.path().join("commits"));
        if !work.exists() {
            git(self.folder.path(), &["clone", "--quiet", &bare, "commits"]);
        }
        git(&work, &["pull", "--quiet", "--rebase", "origin", "main"]);
        fs::write(work.join(path), text).expect("the file can be written");
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", path]);
        git(&work, &["push", "--quiet", "origin", "HEAD:main"]);
    }

    /// Branches of the built-in repository below a prefix.
    pub(crate) fn branches(&self, prefix: &str) -> Vec<String> {
        let bare = PathBuf::from(self.built_in_repository());
        let listed = git(&bare, &["for-each-ref", "--format=%(refname)", prefix]);
        listed.lines().map(str::to_owned).collect()
    }

    fn built_in_repository(&self) -> String {
        self.data().join("git").join(format!("{}.git", self.project)).display().to_string()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs `docwright admin`. Returns its JSON output.
    pub(crate) fn admin(&self, arguments: &[&str]) -> Value {
        self.admin_with(arguments, "")
    }

    /// Runs `docwright admin` with standard input, such as a secret.
    pub(crate) fn admin_with(&self, arguments: &[&str], input: &str) -> Value {
        use std::io::Write;
        let data = self.data().display().to_string();
        let mut child = docwright(&["admin", "--json", "--data", &data])
            .envs(self.shared())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("admin runs");
        let mut pipe = child.stdin.take().expect("stdin is piped");
        // The command can exit without reading.
        let _unread = pipe.write_all(input.as_bytes());
        drop(pipe);
        let output = child.wait_with_output().expect("admin ends");
        assert!(output.status.success(), "admin {arguments:?} failed");
        serde_json::from_slice(&output.stdout).expect("the output is JSON")
    }

    /// Settings that nodes of one database share.
    pub(crate) fn shared(&self) -> Vec<(&'static str, &str)> {
        let Some(url) = &self.database else { return Vec::new() };
        vec![("DOCWRIGHT_DATABASE_URL", url), ("DOCWRIGHT_ROOT_SECRET", ROOT_SECRET)]
    }

    pub(crate) fn new_key(&self, flags: &[&str]) -> String {
        let mut arguments = vec!["key", "create", "test", "--organization", &self.organization];
        arguments.extend(flags);
        self.admin(&arguments)["key"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn serve(&self) -> Process {
        self.serve_with(&[])
    }

    /// Starts the service with more variables.
    pub(crate) fn serve_with(&self, variables: &[(&str, &str)]) -> Process {
        Process::start(self.service(variables))
    }

    /// Starts a service that can exit or freeze immediately.
    #[cfg(unix)]
    pub(crate) fn serve_unheard(&self, variables: &[(&str, &str)]) -> Process {
        Process::start_unheard(self.service(variables))
    }

    pub(crate) fn service(&self, variables: &[(&str, &str)]) -> Command {
        self.service_at("127.0.0.1:0", variables)
    }

    /// The service at an address.
    pub(crate) fn service_at(&self, listen: &str, variables: &[(&str, &str)]) -> Command {
        let data = self.data().display().to_string();
        let mut command = docwright(&["serve", "--listen", listen, "--data", &data]);
        // Names of tests aren't looked up in the DNS of the world. Nothing listens there.
        command.env("DOCWRIGHT_DNS_SERVERS", "127.0.0.1:1");
        command.envs(self.shared());
        command.envs(variables.iter().copied());
        command
    }

    pub(crate) fn api(&self, process: &Process) -> Api {
        Api { client: Client::new(), base: process.address.clone(), key: self.key.clone() }
    }
}

/// The id in the response to a creation.
pub(crate) fn id(created: &Value) -> String {
    created["id"].as_str().unwrap_or_else(|| panic!("the response has no id: {created}")).to_owned()
}

/// A client with a key.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) client: Client,
    pub(crate) base: String,
    pub(crate) key: String,
}

impl Api {
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let request =
            self.client.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        request.send().await.expect("the server answers")
    }

    pub(crate) async fn start_export(&self) -> String {
        let response = self
            .send(
                Method::POST,
                "/v1/static-export/jobs",
                Some(json!({ "domain": "docs.example.com", "deployment": "cloud" })),
            )
            .await;
        assert_eq!(response.status(), 202);
        let body: Value = response.json().await.expect("the body is JSON");
        body["jobId"].as_str().expect("a job has an id").to_owned()
    }

    pub(crate) async fn job(&self, id: &str) -> Value {
        let response = self.send(Method::GET, &format!("/v1/static-export/jobs/{id}"), None).await;
        assert_eq!(response.status(), 200);
        response.json().await.expect("the body is JSON")
    }

    /// Polls until a job has one of the given states, like a client.
    pub(crate) async fn wait_for(&self, id: &str, states: &[&str]) -> Value {
        eventually(&format!("the job is one of {states:?}"), async || {
            let job = self.job(id).await;
            let is_one = job["status"].as_str().is_some_and(|status| states.contains(&status));
            if is_one { Ok(job) } else { Err(job) }
        })
        .await
    }

    /// Starts an agent job. Returns its first state.
    pub(crate) async fn prompt(&self, project: &str, prompt: &str) -> Value {
        let path = format!("/v2/agent/{project}/job");
        let response = self.send(Method::POST, &path, Some(json!({ "prompt": prompt }))).await;
        assert_eq!(response.status(), 201);
        response.json().await.expect("the body is JSON")
    }

    /// Polls until an agent job is no longer active, like a client.
    pub(crate) async fn finished(&self, project: &str, id: &str) -> Value {
        let path = format!("/v2/agent/{project}/job/{id}");
        eventually("the agent job has ended", async || {
            let job: Value =
                self.send(Method::GET, &path, None).await.json().await.expect("the body is JSON");
            if job["status"] == "active" { Err(job) } else { Ok(job) }
        })
        .await
    }

    /// All events of a finished agent job.
    pub(crate) async fn events(&self, project: &str, id: &str) -> String {
        let path = format!("/v2/agent/{project}/job/{id}/events");
        self.send(Method::GET, &path, None).await.text().await.expect("events are text")
    }

    pub(crate) async fn bundle(&self, id: &str) -> Value {
        let response =
            self.send(Method::POST, &format!("/v1/static-export/jobs/{id}/bundle"), None).await;
        assert_eq!(response.status(), 200);
        response.json().await.expect("the body is JSON")
    }
}

pub(crate) fn write_repository(folder: &Path, count: usize) {
    fs::create_dir_all(folder).expect("the folder can be created");
    let pages: Vec<_> = (0..count).map(|page| format!("page-{page}")).collect();
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": { "pages": pages } });
    fs::write(folder.join("docs.json"), config.to_string()).expect("the file can be written");
    for page in pages {
        let text = format!(
            "---\ntitle: {page}\n---\n\n## Part\n\nText of {page}.\n\n```js\nlet x = '{page}';\n```\n"
        );
        fs::write(folder.join(format!("{page}.mdx")), text).expect("the file can be written");
    }
}
