// An instance after years of use, inserted with SQL: a few organizations own nearly everything, and most rows
// belong to finished jobs. Query planners that rely on averages choose wrong plans here, as in real instances.

const DAY = 86_400_000;
const PREFIXES = { organization: "org", account: "acc", project: "prj", site: "site", release: "rel", export: "exp", job: "agt", preview: "pre", feedback: "feedback", delivery: "dlv", subscription: "sub", notification: "ntf", invitation: "inv", session: "ses", entry: "aud", claim: "clm", question: "que", deployment: "dpl" };
/** Age of the oldest rows of each kind in days, within retention, so that maintenance removes nothing. */
const DAYS = { organization: 900, account: 900, project: 900, site: 900, release: 28, export: 28, job: 400, preview: 25, feedback: 300, delivery: 25, subscription: 300, notification: 25, invitation: 5, session: 20, entry: 700, claim: 5, question: 25, deployment: 900 };

/** The number of rows of each kind at a scale; 1 is an instance of 10,000 projects. */
export function counts(scale) {
  const some = (count) => Math.max(20, Math.round(count * scale));
  return {
    organization: some(1_000), account: some(20_000), project: some(10_000), release: some(1_000_000), export: some(50_000),
    deployment: some(10_000), job: some(1_000_000), preview: some(20_000), feedback: some(500_000), notification: some(500_000), entry: some(10_000_000),
    session: some(50_000), key: some(10_000), head: some(500_000), pull: some(100_000), delivery: some(200_000), question: some(200_000),
    // The large project has these at any scale, up to docwright's limits.
    invitation: 200, claim: 40, subscription: 20, domain: 200,
  };
}

export class Instance {
  constructor(database, scale, now = Date.now()) {
    this.database = database;
    this.count = counts(scale);
    this.now = now;
  }

  /** The creation time of the `i`th row of a kind. */
  time(kind, i) {
    const first = this.now - DAYS[kind] * DAY;
    const step = Math.floor((DAYS[kind] * DAY) / (this.total(kind) + 1));
    return typeof i === "number" ? first + i * step : `(${first} + (${i}) * ${step})`;
  }

  /** Sites of domains come before sites of previews. */
  total(kind) {
    return kind === "site" ? this.count.project + this.count.domain + this.count.preview : this.count[kind];
  }

  /** The id of the `i`th row of a kind, which starts with its time, like all ids. */
  id(kind, i) {
    const prefix = PREFIXES[kind];
    if (typeof i !== "number") return `('${prefix}_' || ${this.database.hex(this.time(kind, i), 12)} || '7' || ${this.database.hex(i, 19)})`;
    return `${prefix}_${this.time(kind, i).toString(16).padStart(12, "0")}7${i.toString(16).padStart(19, "0")}`;
  }

  /** The organization of the `p`th project. The first organization has nine of ten. */
  organizationOf(p) {
    return `(CASE WHEN ${p} <= ${this.count.project * 0.9} THEN 1 ELSE 2 + (${p}) % ${this.count.organization - 1} END)`;
  }

  /** The project of the `i`th row. The later half belongs to the first project. */
  projectOf(i, count) {
    return `(CASE WHEN ${i} > ${Math.floor(count / 2)} THEN 1 ELSE 2 + (${i}) % ${this.count.project - 1} END)`;
  }

  /** The statements with descriptions. */
  statements() {
    return [...this.people(), ...this.projects(), ...this.publishing(), ...this.work(), ...this.said(), ...this.log()];
  }

  insert(table, columns, values, kind, count = this.count[kind]) {
    return [table, `INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${this.database.numbers(count)}`];
  }

  people() {
    const { count } = this;
    const account = this.id("account", "i");
    const others = Math.floor(count.account / 2);
    // The first account is the operator, the second an admin of the large organization.
    return [
      this.insert("organizations", "id, name, plan, created_at", `${this.id("organization", "i")}, 'Organization ' || i, 'enterprise', ${this.time("organization", "i")}`, "organization"),
      this.insert("accounts", "id, email, name, password, is_operator, created_at", `${account}, 'person-' || i || '@example.com', 'Person ' || i, NULL, CASE i WHEN 1 THEN 1 ELSE 0 END, ${this.time("account", "i")}`, "account"),
      this.insert("members", "organization_id, account_id, role, created_at", `${this.id("organization", `(CASE WHEN i <= ${others} THEN 1 ELSE 2 + i % ${count.organization - 1} END)`)}, ${account}, CASE WHEN i = 2 THEN 'admin' WHEN i % 3 = 0 THEN 'editor' ELSE 'viewer' END, ${this.time("account", "i")}`, "account"),
      this.insert("sessions", "id, token_hash, account_id, complete, address, user_agent, created_at, seen_at, expires_at", `${this.id("session", "i")}, 'hash-' || i, ${this.id("account", `(CASE WHEN i % 500 = 0 THEN 2 ELSE 1 + i % ${count.account} END)`)}, 1, '192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', ${this.time("session", "i")}, ${this.time("session", "i")}, ${this.now + 20 * DAY}`, "session"),
      this.insert("api_keys", "id, organization_id, name, secret_hash, scope, projects, allowlist, created_at, expires_at", `${this.database.hex("i", 16)}, ${this.id("organization", `(CASE WHEN i % 2 = 0 THEN 1 ELSE 2 + i % ${count.organization - 1} END)`)}, 'key ' || i, 'hash-' || i, 'write', '[]', '', ${this.now - 60 * DAY} + i, ${this.now + 30 * DAY}`, "key"),
      this.insert("invitations", "id, token_hash, organization_id, email, role, invited_by, created_at, expires_at", `${this.id("invitation", "i")}, 'hash-' || i, '${this.id("organization", 1)}', 'invited-' || i || '@example.com', 'viewer', '${this.id("account", 2)}', ${this.time("invitation", "i")}, ${this.now + 2 * DAY}`, "invitation"),
    ];
  }

  projects() {
    const { count, now } = this;
    const project = this.id("project", "i");
    const owner = this.id("organization", this.organizationOf("i"));
    const created = this.time("project", "i");
    // Sites of domains come first: one for each project, then more for the first project.
    const domains = count.project + count.domain;
    const of = this.id("project", `(CASE WHEN i <= ${count.project} THEN i ELSE 1 END)`);
    const organization = this.id("organization", this.organizationOf(`(CASE WHEN i <= ${count.project} THEN i ELSE 1 END)`));
    const host = "'docs-' || i || '.example.com'";
    const features = JSON.stringify({
      search: { mode: "on" }, analytics: { mode: "on", address: null }, playground: { mode: "proxy", baseUrl: null, hosts: [] }, integrations: { mode: "off" },
      assistant: { mode: "on", address: null, starterQuestions: [], supportAddress: null, keepDays: 30 },
    });
    return [
      this.insert("projects", "id, organization_id, name, repository, docs_path, created_at", `${project}, ${owner}, 'Project ' || i, 'https://git.example.com/team/docs-' || i || '.git', 'docs', ${created}`, "project"),
      this.insert("deployments", "id, project_id, name, kind, features, created_at", `${this.id("deployment", "i")}, ${project}, 'cloud', 'cloud', '${features}', ${created}`, "deployment"),
      this.insert("polls", "id, project_id, status, requested, polled_at, failures, interruptions, run_after, lease_number, created_at, updated_at", `${project}, ${project}, 'open', 1, ${now - 60_000}, 0, 0, ${now + 30 * DAY}, 1, ${created}, ${created}`, "project"),
      this.insert("hosts", "name, organization_id, verified_at", `${host}, ${organization}, ${created}`, "project", domains),
      this.insert("domains", "name, host, project_id, branch, created_at", `${host}, ${host}, ${of}, '', ${created}`, "project", domains),
      this.insert("sites", "id, project_id, branch, domain, activates_from, created_at", `${this.id("site", "i")}, ${of}, '', ${host}, 0, ${created}`, "project", domains),
      this.insert("pending_domains", "id, name, host, organization_id, project_id, branch, token, checks, checked_at, check_after, created_at", `${this.id("claim", "i")}, 'claimed-' || i || '.example.com', 'claimed-' || i || '.example.com', '${this.id("organization", 1)}', '${this.id("project", 1)}', '', 'token', 3, ${now - 1000}, ${now + 30 * DAY}, ${this.time("claim", "i")}`, "claim"),
      this.insert("branch_heads", "project_id, branch, sequence, commit_sha, seen_at", `${this.id("project", this.projectOf("i", count.head))}, '', i, ${this.database.hex("i", 40)}, ${now - 28 * DAY} + i`, "head"),
    ];
  }

  publishing() {
    const { count, now } = this;
    const domains = count.project + count.domain;
    const half = Math.floor(count.release / 2);
    const project = this.projectOf("i", count.release);
    // Every fifth release of the first project belongs to another of its sites, including previews.
    const site = `(CASE WHEN i <= ${half} THEN 2 + i % ${count.project - 1} WHEN i % 5 > 0 THEN 1 WHEN i % 3 = 0 THEN ${domains + 1} + i % ${Math.floor(count.preview / 2)} ELSE ${count.project + 1} + i % ${count.domain} END)`;
    const ended = count.release - 60;
    const status = `CASE WHEN i > ${ended} + 20 THEN 'queued' WHEN i > ${ended} THEN 'building' WHEN i % 10 = 0 THEN 'failed' WHEN i % 10 = 1 THEN 'skipped' WHEN i % 10 = 2 THEN 'superseded' ELSE 'ready' END`;
    // Half of the building releases have a worker that disappeared.
    const lease = `CASE WHEN i > ${ended} AND i <= ${ended} + 20 THEN CASE WHEN i % 2 = 0 THEN ${now - DAY} ELSE ${now + DAY} END END`;
    const at = this.time("release", "i");
    const diagnostic = (number) => `{"path":"guides/page-${number}.mdx","line":${number},"isError":false,"code":"link-target","message":"There is no page 'missing-${number}' in these docs; the link leads nowhere."}`;
    const diagnostics = `{"count":200,"errors":0,"first":[${Array.from({ length: 200 }, (_, number) => diagnostic(number)).join(",")}]}`.replaceAll("'", "''");
    const exported = this.projectOf("i", count.export);
    const half_of_exports = Math.floor(count.export / 2);
    const preview_project = `(CASE WHEN i <= ${Math.floor(count.preview / 2)} THEN 1 ELSE 2 + i % ${count.project - 1} END)`;
    const open = "i % 100 = 0";
    return [
      this.insert("releases", "id, site_id, project_id, organization_id, trigger_name, servable, branch, commit_sha, docs_tree, commit_message, commit_author, files_changed, head_sequence, options, status, progress, page_count, warnings, warning_count, error, bundle_key, bundle_size, bundle_sha256, failures, interruptions, run_after, lease_number, lease_expires_at, created_at, updated_at, ended_at, log, diagnostics",
        `${this.id("release", "i")}, ${this.id("site", site)}, ${this.id("project", project)}, ${this.id("organization", this.organizationOf(project))}, CASE WHEN i % 15 = 0 THEN 'preview' ELSE 'push' END, 1, 'main', ${this.database.hex("i", 40)}, ${this.database.hex("i", 40)}, 'Change ' || i, 'Someone', 1, i, 'o', ${status}, 100, 100, '[]', 0, CASE WHEN i % 10 = 0 THEN 'the repository could not be read' END, ${this.id("release", "i")} || '/1/bundle.tar.gz', 1000000, ${this.database.hex("i", 64)}, 0, 0, 0, 1, ${lease}, ${at}, ${at}, CASE WHEN i > ${ended} THEN NULL ELSE ${at} + 9000 END, 'checked out' || CASE WHEN i % 10 = 0 THEN ' and failed' ELSE ' and built' END, CASE WHEN i > ${count.release - 2000} THEN '${diagnostics}' END`, "release"),
      this.insert("reports", "id, project_id, status, requested, reported, failures, interruptions, run_after, lease_number, created_at, updated_at",
        `${this.id("release", "i")}, ${this.id("project", project)}, 'idle', 1, 'ready', 0, 0, 0, 1, ${at}, ${at}`, "release", half),
      this.insert("sites", "id, project_id, branch, domain, activates_from, created_at", `${this.id("site", `${domains} + i`)}, ${this.id("project", preview_project)}, 'change-' || i, 'p' || i || '.preview.example.com', 0, ${this.time("preview", "i")}`, "preview"),
      this.insert("previews", "id, project_id, site_id, pull_request, title, branch, base, git_ref, is_fork, head, host, comment_id, reported, state, closed_because, created_at, changed_at, closed_at",
        `${this.id("preview", "i")}, ${this.id("project", preview_project)}, ${this.id("site", `${domains} + i`)}, i, 'Change ' || i, 'change-' || i, 'main', 'refs/pull/' || i || '/head', 0, ${this.database.hex("i", 40)}, 'p' || i || '.preview.example.com', 'c' || i, CASE WHEN ${open} THEN '' ELSE 'closed' END, CASE WHEN ${open} THEN 'open' ELSE 'closed' END, CASE WHEN ${open} THEN NULL ELSE 'pull_request' END, ${this.time("preview", "i")}, ${this.time("preview", "i")}, CASE WHEN ${open} THEN NULL ELSE ${this.time("preview", "i")} END`, "preview"),
      this.insert("export_jobs", "id, organization_id, project_id, domain, status, progress, page_count, warnings, warning_count, bundle_key, bundle_size, bundle_sha256, bundle_commit, release_id, created_at, updated_at",
        `${this.id("export", "i")}, ${this.id("organization", this.organizationOf(exported))}, ${this.id("project", exported)}, 'docs-' || ${exported} || '.example.com', CASE WHEN i > ${count.export - 5} THEN 'queued' WHEN i % 9 = 0 THEN 'failed' ELSE 'completed' END, 100, 100, '[]', 0, 'exp-' || i, 1000000, ${this.database.hex("i", 64)}, ${this.database.hex("i", 40)}, ${this.id("release", `(CASE WHEN i > ${count.export - 5} THEN ${count.release} WHEN i > ${half_of_exports} THEN ${half} + i ELSE i END)`)}, ${this.time("export", "i")}, ${this.time("export", "i")}`, "export"),
      this.insert("pull_requests", "project_id, number, head, base, title, body, state, created_at, updated_at", `${this.id("project", this.projectOf("i", count.pull))}, i, 'docwright/' || i, 'main', 'Change ' || i, '', CASE WHEN i % 50 = 0 THEN 'open' ELSE 'merged' END, ${now - DAY}, ${now - DAY}`, "pull"),
      this.insert("deliveries", "id, project_id, delivery, event, received_at, request, outcome, summary", `${this.id("delivery", "i")}, ${this.id("project", `(CASE WHEN i > ${count.delivery - 200} THEN 1 ELSE 2 + i % ${count.project - 1} END)`)}, 'd-' || i, 'push', ${this.time("delivery", "i")}, 1, 'looked', 'main moved'`, "delivery"),
    ];
  }

  work() {
    const { count, now } = this;
    const project = this.projectOf("i", count.job);
    // Finished jobs are archived after 30 days, and their events are deleted after another 30 days.
    const recent = Math.floor(count.job * (1 - 25 / DAYS.job));
    const last = count.job - 200;
    const status = `CASE WHEN i > ${last} THEN 'active' WHEN i > ${recent} THEN CASE WHEN i % 8 = 0 THEN 'failed' ELSE 'completed' END ELSE 'archived' END`;
    const at = this.time("job", "i");
    const usage = `'{"inputTokens":100000,"outputTokens":2000,"cost":0.5}'`;
    const lease = `CASE WHEN i > ${last} AND i % 5 = 0 THEN CASE WHEN i % 2 = 0 THEN ${now - DAY} ELSE ${now + DAY} END END`;
    const events = Math.max(1, Math.min(20, Math.floor(1_000_000 / Math.max(1, count.job - recent))));
    const job = `(${recent} + 1 + (i - 1) / ${events})`;
    const many = count.job - 300;
    return [
      this.insert("agent_jobs", "id, project_id, status, repository, git_ref, base_commit, model, pr_link, error, summary, usage, files_changed, run, failures, run_after, lease_expires_at, created_at, updated_at, archived_at",
        `${this.id("job", "i")}, ${this.id("project", project)}, ${status}, 'https://git.example.com/team/docs.git', 'docwright/' || i, ${this.database.hex("i", 40)}, 'edits', 'https://git.example.com/team/docs/pull/' || i, CASE WHEN i % 8 = 0 THEN 'the model gave up' END, 'Changed ' || i || ' pages, and repaired the links that led to them.', ${usage}, '["docs/index.mdx"]', CASE WHEN i > ${recent} THEN '{}' END, 0, 0, ${lease}, ${at}, ${at}, CASE WHEN i > ${recent} THEN NULL ELSE ${at} + ${30 * DAY} END`, "job"),
      this.insert("agent_messages", "job_id, number, project_id, prompt, created_at", `${this.id("job", "i")}, 1, ${this.id("project", project)}, 'Say in the guide what version ' || i || ' changes', ${at}`, "job"),
      this.insert("agent_events", "job_id, number, kind, data, created_at", `${this.id("job", job)}, 1 + (i - 1) % ${events}, 'tool', '{"tool":"read","path":"docs/index.mdx"}', ${this.time("job", job)} + i % ${events}`, "job", (count.job - recent) * events),
      this.insert("agent_events", "job_id, number, kind, data, created_at", `'${this.id("job", many)}', ${events} + i, 'tool', '{"tool":"read","path":"docs/index.mdx"}', ${this.time("job", many)} + i`, "job", 5_000),
      this.insert("idempotency_keys", "organization_id, idempotency_key, fingerprint, job_id, created_at", `'${this.id("organization", 1)}', 'key-' || i, 'f', ${this.id("job", "i")}, ${now - DAY / 2} + i % 1000`, "job", Math.floor(count.job / 10)),
    ];
  }

  said() {
    const { count, now } = this;
    const project = this.projectOf("i", count.feedback);
    const asked = this.projectOf("i", count.question);
    return [
      this.insert("feedback", "id, domain, project_id, page, helpful, comment, state, created_at", `${this.id("feedback", "i")}, 'docs-' || ${project} || '.example.com', ${this.id("project", project)}, 'guides/page-' || (i % 100), i % 2, CASE WHEN i % 3 = 0 THEN 'The second factor is not clear to me.' END, CASE WHEN i % 1000 = 0 THEN 'pending' WHEN i % 1000 = 1 THEN 'in_progress' WHEN i % 7 = 0 THEN 'dismissed' ELSE 'resolved' END, ${this.time("feedback", "i")}`, "feedback"),
      // Every fourth question is refused, in 300 wordings.
      this.insert("assistant_questions", "id, project_id, domain, thread, asked_at, expires_at, question, answer, kind, sources, asked_from, helpful", `${this.id("question", "i")}, ${this.id("project", asked)}, 'docs-' || ${asked} || '.example.com', ${this.id("question", "i")}, ${this.time("question", "i")}, ${now + 5 * DAY}, 'How do I connect the service ' || (i % 300) || ' to the gateway?', CASE WHEN i % 4 = 0 THEN '' ELSE 'Open **Gateways** and select the service.' END, CASE i % 4 WHEN 0 THEN 'refused' WHEN 1 THEN 'answer' ELSE 'extract' END, '[{"page":"guides/gateways","anchor":"","title":"Gateways","heading":""}]', CASE WHEN i % 9 = 0 THEN 'widget' ELSE 'site' END, CASE WHEN i % 10 = 1 THEN 0 END`, "question"),
      this.insert("subscriptions", "id, organization_id, project_id, target, events, attempted_at, created_at", `${this.id("subscription", "i")}, '${this.id("organization", 1)}', CASE WHEN i % 2 = 0 THEN '${this.id("project", 1)}' END, 'mailto:team-' || i || '@example.com', '["release.ready","release.failed"]', ${now}, ${this.time("subscription", "i")}`, "subscription"),
      this.insert("notifications", "id, subscription_id, event, payload, status, attempts, run_after, lease_number, response_status, created_at, updated_at, ended_at", `${this.id("notification", "i")}, ${this.id("subscription", `(CASE WHEN i % 2 = 0 THEN 2 ELSE 1 + i % ${count.subscription} END)`)}, 'release.ready', '{"event":"release.ready"}', CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'delivered' END, 1, 0, 1, 200, ${this.time("notification", "i")}, ${this.time("notification", "i")}, ${this.time("notification", "i")}`, "notification"),
    ];
  }

  log() {
    const { count } = this;
    // Nine of ten entries belong to the large organization, most of them by one key. One account has a few old
    // entries.
    const organization = `CASE WHEN i % 10 > 0 THEN '${this.id("organization", 1)}' WHEN i % 1000 = 0 THEN NULL ELSE ${this.id("organization", `(2 + (i / 10) % ${count.organization - 1})`)} END`;
    const by_key = "i % 10 < 7";
    const actor = `CASE WHEN i < 100 THEN '${this.id("account", 3)}' WHEN ${by_key} THEN '00000000000000ab' ELSE ${this.id("account", `(4 + i % ${Math.floor(count.account / 2)})`)} END`;
    const action = `CASE WHEN i < 100 THEN 'organization.update' WHEN ${by_key} THEN 'update.create' WHEN i % 10 = 7 THEN 'agent_job.create' WHEN i % 10 = 8 THEN 'feedback.update' ELSE 'domain.verify' END`;
    const kind = "CASE WHEN i < 100 THEN 'organization' WHEN i % 10 < 7 THEN 'update' WHEN i % 10 = 7 THEN 'agent_job' WHEN i % 10 = 8 THEN 'feedback' ELSE 'domain' END";
    const subject = this.id("project", `(1 + i % ${count.project})`);
    return [
      this.insert("audit_entries", "id, organization_id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, address, request_id, state_before, state_after, created_at",
        `${this.id("entry", "i")}, ${organization}, CASE WHEN ${by_key} THEN 'key' ELSE 'account' END, ${actor}, 'ci', ${action}, ${kind}, ${subject}, '192.0.2.7', ${this.database.hex("i", 16)}, NULL, '{"branch":"main"}', ${this.time("entry", "i")}`, "entry"),
    ];
  }

  /** Sets the active release of each site and the size of each project's bundles, after the other rows exist. */
  last() {
    return [
      "UPDATE projects SET bundle_bytes = (SELECT COALESCE(SUM(bundle_size), 0) FROM releases WHERE releases.project_id = projects.id AND bundle_key IS NOT NULL)",
      "UPDATE sites SET active_release_id = (SELECT MAX(id) FROM releases WHERE releases.site_id = sites.id AND status = 'ready' AND servable = 1)",
      "UPDATE sites SET active_release_id = NULL WHERE id IN (SELECT site_id FROM previews WHERE state = 'closed')",
    ];
  }
}
