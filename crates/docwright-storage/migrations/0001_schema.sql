-- One set of statements for SQLite and PostgreSQL: times are milliseconds since 1970 as BIGINT,
-- booleans are 0 or 1 as BIGINT, lists are JSON in TEXT. Ids sort by time. Texts are searched byte by byte with the
-- case of ASCII letters ignored: `binary` is how SQLite compares texts, and a collation in PostgreSQL.

-- `revision` counts the updates of a record that people make; see `database/revisions.rs`.

-- Organizations and people

-- Limits and features of each plan, as the operator sets them. NULL is no limit.
CREATE TABLE plans (
    name TEXT PRIMARY KEY,
    static_export BIGINT NOT NULL,
    projects BIGINT,
    members BIGINT,
    prompts_an_hour BIGINT NOT NULL,
    storage_bytes BIGINT,
    revision BIGINT NOT NULL DEFAULT 1
);
INSERT INTO plans (name, static_export, projects, members, prompts_an_hour) VALUES
    ('free', 0, NULL, NULL, 100), ('pro', 0, NULL, NULL, 100), ('enterprise', 1, NULL, NULL, 100);

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    release_turn BIGINT NOT NULL DEFAULT 0,
    agent_turn BIGINT NOT NULL DEFAULT 0,
    poll_turn BIGINT NOT NULL DEFAULT 0,
    report_turn BIGINT NOT NULL DEFAULT 0,
    revision BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX organizations_by_text ON organizations ((lower(name COLLATE "binary")), id);

-- People who sign in. `email` is in lower case. Operators have access to every organization.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- How it was hashed, and the hash. NULL for an account that signs in by other means.
    password TEXT,
    is_operator BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX accounts_by_text ON accounts ((lower(email COLLATE "binary")));
CREATE INDEX accounts_of_operators ON accounts (id) WHERE is_operator = 1;

-- Until when an account has read what concerns it. An account without a row has read nothing since it was created.
CREATE TABLE inboxes (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    read_until BIGINT NOT NULL
);

-- Accounts in organizations. The role is viewer, editor, or admin.
CREATE TABLE members (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The provider whose groups gave the role; NULL where a person did.
    issuer TEXT,
    revision BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (organization_id, account_id)
);
CREATE INDEX members_by_account ON members (account_id);

-- People who were asked to join an organization: one invitation for each address.
CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    UNIQUE (organization_id, email)
);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
CREATE INDEX invitations_by_text ON invitations (organization_id, (lower(email COLLATE "binary")), id);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_inviter ON invitations (invited_by);

-- Browsers that are signed in. The cookie holds the token, of which only the hash is here. A session that isn't
-- `complete` waits for the second factor and gives access to nothing else.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    complete BIGINT NOT NULL,
    address TEXT,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- Codes that were tried while the session isn't complete.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- How long the session lasts once it is complete.
    lifetime BIGINT NOT NULL DEFAULT 2592000000
);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Links that sign in once.
CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);
CREATE INDEX sign_in_links_by_account ON sign_in_links (account_id);

-- Apps that make one-time codes.
CREATE TABLE totp_factors (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    -- The step of the last code that was taken: each works once.
    last_step BIGINT NOT NULL,
    -- Codes that were tried since `attempts_since` without a right one.
    attempts BIGINT NOT NULL,
    attempts_since BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Codes that sign in once in place of the app.
CREATE TABLE recovery_codes (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (account_id, code_hash)
);

-- `credential_id` and `public_key` are in base64url, the latter in COSE.
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    -- What the authenticator said last; 0 if it doesn't count.
    sign_count BIGINT NOT NULL,
    backup_eligible BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Challenges that passkeys answered, so that each works once. They are kept until they would expire.
CREATE TABLE passkey_challenges (
    challenge TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);

-- Accounts as an OpenID Connect provider knows them.
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (account_id, issuer)
);

-- Deleted accounts whose email address can still be in the audit log. A row goes once it isn't.
CREATE TABLE account_deletions (
    account_id TEXT PRIMARY KEY,
    email TEXT NOT NULL
);

-- A key of the instance has no organization.
-- A key with an account is a personal access token: it acts as the account, ends with its membership of the
-- organization, and never has a higher scope than its role there.
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT REFERENCES organizations (id),
    account_id TEXT REFERENCES accounts (id),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    scope TEXT NOT NULL,
    -- The ids of projects that the key is limited to, empty for all. Those that are gone stay, so that the list never
    -- becomes empty.
    projects TEXT NOT NULL,
    allowlist TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    -- The account that created the key, also by another of its keys. The key is deleted with it.
    created_by TEXT,
    revision BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, created_at, id);
CREATE INDEX api_keys_by_text ON api_keys ((lower(name COLLATE "binary")), id);
CREATE INDEX api_keys_of_organization_by_text ON api_keys (organization_id, (lower(name COLLATE "binary")), id);
CREATE INDEX api_keys_by_time ON api_keys (created_at, id);
CREATE INDEX api_keys_by_creator ON api_keys (created_by);
CREATE INDEX api_keys_by_account ON api_keys (account_id, organization_id);

-- Who changed what, from where. An entry outlives what it is about, so it refers to no other table.
-- `state_before` and `state_after` are JSON without secrets.
CREATE TABLE audit_entries (
    id TEXT PRIMARY KEY,
    organization_id TEXT,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    address TEXT,
    request_id TEXT NOT NULL,
    state_before TEXT,
    state_after TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id);
CREATE INDEX audit_entries_by_time ON audit_entries (created_at);
-- Each index is of one expression and the id: PostgreSQL would otherwise read all entries of an organization where an
-- action is rare.
CREATE INDEX audit_entries_by_actor ON audit_entries ((organization_id || ' ' || actor_id), id);
CREATE INDEX audit_entries_by_action ON audit_entries ((organization_id || ' ' || action), id);
CREATE INDEX audit_entries_by_kind ON audit_entries ((organization_id || ' ' || subject_kind), id);
-- A subject belongs to one organization, so one index of subjects is enough.
CREATE INDEX audit_entries_by_subject ON audit_entries (subject_id, id);
CREATE INDEX audit_entries_of_instance_by_actor ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_of_instance_by_kind ON audit_entries (subject_kind, id);

-- Requests that count towards a limit of an organization, as long as they count.
CREATE TABLE limited_requests (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    kind TEXT NOT NULL,
    made_at BIGINT NOT NULL
);
CREATE INDEX limited_requests_by_organization ON limited_requests (organization_id, kind, made_at);

-- Projects, domains, and sites

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    repository TEXT NOT NULL,
    docs_path TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    model TEXT,
    activation TEXT NOT NULL DEFAULT 'automatic',
    -- NULL: previews ask for no password. Else its hash.
    preview_password TEXT,
    -- Size of the bundles of its releases, changed together with them.
    bundle_bytes BIGINT NOT NULL DEFAULT 0,
    -- Size of the repository on the built-in git host, after its last change.
    repository_bytes BIGINT NOT NULL DEFAULT 0,
    -- Files that agents can change besides the documentation: patterns.
    agent_paths TEXT NOT NULL DEFAULT '[]',
    -- The domain that the service gave the project. NULL: it has none yet.
    default_domain TEXT,
    -- The number of its newest release; numbers are never used again.
    last_release_number BIGINT NOT NULL DEFAULT 0,
    revision BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX projects_without_default_domain ON projects (id) WHERE default_domain IS NULL;
CREATE INDEX projects_by_organization ON projects (organization_id, name);
CREATE INDEX projects_by_text ON projects ((lower(name COLLATE "binary")), id);
CREATE INDEX projects_of_organization_by_text ON projects (organization_id, (lower(name COLLATE "binary")), id);
CREATE INDEX projects_of_organization_by_id ON projects (organization_id, id);

-- Next steps of a project that people don't want to see.
CREATE TABLE dismissed_steps (
    project_id TEXT NOT NULL REFERENCES projects (id),
    step TEXT NOT NULL,
    PRIMARY KEY (project_id, step)
);

-- Where the site of a project is served, and with which features. Each project has one of kind cloud.
CREATE TABLE deployments (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    -- cloud, client-hosted, or air-gapped.
    kind TEXT NOT NULL,
    -- As JSON.
    features TEXT NOT NULL,
    -- NULL for the address of the domain.
    address TEXT,
    -- The export that its server reported to serve, its label, and the time. NULL: it reported none.
    reported_job_id TEXT,
    reported_version TEXT,
    reported_at BIGINT,
    created_at BIGINT NOT NULL,
    revision BIGINT NOT NULL DEFAULT 1,
    UNIQUE (project_id, name)
);

-- Tokens and passwords for git hosts. `secret` is encrypted; `key_id` names the key. An empty `project_id` stands
-- for every project of the organization.
CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    project_id TEXT NOT NULL,
    host TEXT NOT NULL,
    username TEXT NOT NULL,
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, project_id, host)
);

-- A host belongs to the organization that verified it first, with all paths below it.
CREATE TABLE hosts (
    name TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    verified_at BIGINT NOT NULL
);

-- The name is the host, followed by the base path if there is one.
CREATE TABLE domains (
    name TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    created_at BIGINT NOT NULL,
    -- Empty for the default branch of the repository.
    branch TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL REFERENCES hosts (name),
    revision BIGINT NOT NULL DEFAULT 1,
    -- Where the name leads, as it was last found. NULL before the first check.
    dns_state TEXT,
    -- What that check found, as JSON.
    found TEXT,
    checked_at BIGINT NOT NULL DEFAULT 0,
    -- Consecutive checks that didn't find the name to lead to this service.
    check_failures BIGINT NOT NULL DEFAULT 0,
    check_after BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX domains_by_host ON domains (host);
CREATE INDEX domains_by_check ON domains (check_after);
CREATE INDEX domains_by_project ON domains (project_id, branch);
CREATE INDEX domains_by_text ON domains ((lower(name COLLATE "binary")));
CREATE INDEX domains_of_project_by_text ON domains (project_id, (lower(name COLLATE "binary")));

-- Former names of domains. One that redirects keeps its host, and can't be added as a domain.
CREATE TABLE former_domains (
    name TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    domain TEXT NOT NULL REFERENCES domains (name),
    redirects BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX former_domains_by_domain ON former_domains (domain);
CREATE INDEX former_domains_by_host ON former_domains (host);

-- Domains that organizations claim until a DNS record verifies them. Several can claim the same domain, so that
-- nobody keeps it from its owner.
CREATE TABLE pending_domains (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    token TEXT NOT NULL,
    checks BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    check_after BIGINT NOT NULL,
    problem TEXT,
    created_at BIGINT NOT NULL,
    -- The domain that gets this name once it is verified. NULL: it is a new domain.
    renames TEXT,
    -- Whether the name before then redirects.
    redirects BIGINT NOT NULL DEFAULT 0,
    UNIQUE (organization_id, name)
);
CREATE INDEX domain_claims_by_name ON pending_domains (name);
CREATE INDEX domain_claims_by_project ON pending_domains (project_id);
CREATE INDEX domain_claims_by_check ON pending_domains (check_after);
CREATE INDEX domain_claims_of_project_by_text ON pending_domains (project_id, (lower(name COLLATE "binary")));

-- One branch of a project at a domain, or at the host of a preview.
CREATE TABLE sites (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    domain TEXT NOT NULL,
    active_release_id TEXT,
    -- A release becomes active automatically if the position of its head is this or later.
    activates_from BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The release to activate again when its bundle is back.
    restores_release_id TEXT,
    UNIQUE (project_id, branch, domain)
);
CREATE INDEX sites_by_active_release ON sites (active_release_id);
-- Most sites are of previews that were closed.
CREATE INDEX sites_that_serve ON sites (project_id) WHERE active_release_id IS NOT NULL;

-- The heads of a branch in the order in which they were recorded.
CREATE TABLE branch_heads (
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    commit_sha TEXT,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, branch, sequence)
);
CREATE INDEX branch_heads_by_age ON branch_heads (seen_at);

-- Scheme and port at which readers reach every site, as the service was last started.
CREATE TABLE site_origin (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    scheme TEXT NOT NULL,
    -- NULL for the port of the scheme.
    port INTEGER
);

-- Ratings and comments of readers. Nothing tells who they are.
CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    domain TEXT NOT NULL REFERENCES domains (name),
    page TEXT NOT NULL,
    helpful BIGINT NOT NULL,
    comment TEXT,
    created_at BIGINT NOT NULL,
    -- site, or mcp.
    given_from TEXT NOT NULL DEFAULT 'site',
    -- The project of the domain, so that a list of a project reads no other rows.
    project_id TEXT NOT NULL,
    -- pending, in_progress, resolved, or dismissed.
    state TEXT NOT NULL DEFAULT 'pending',
    note TEXT,
    changed_at BIGINT,
    revision BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX feedback_by_domain ON feedback (domain, created_at);
CREATE INDEX feedback_by_age ON feedback (created_at);
CREATE INDEX feedback_by_project ON feedback (project_id, id);
-- Ratings of pages are summed from this index alone, in its order.
CREATE INDEX feedback_of_pages ON feedback (project_id, page, created_at, helpful);
CREATE INDEX feedback_by_state ON feedback (project_id, state, id);
CREATE INDEX feedback_by_page ON feedback (project_id, (lower(page COLLATE "binary")), id, state);

-- Questions of readers with the answers of the assistant, until they expire. Nothing tells who asked.
CREATE TABLE assistant_questions (
    -- The id of the answer.
    id TEXT PRIMARY KEY,
    -- The project of the domain, so that a list of a project reads no other rows.
    project_id TEXT NOT NULL,
    domain TEXT NOT NULL REFERENCES domains (name),
    -- A random id that a browser made for a conversation; the id of the answer without one.
    thread TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    -- answer, extract, refused, or choices.
    kind TEXT NOT NULL,
    sources TEXT NOT NULL,
    -- site, widget, api, or mcp.
    asked_from TEXT NOT NULL,
    page TEXT,
    language TEXT,
    version TEXT,
    -- NULL: not rated.
    helpful BIGINT,
    reason TEXT,
    comment TEXT
);
CREATE INDEX assistant_questions_by_project ON assistant_questions (project_id, asked_at, id);
CREATE INDEX assistant_questions_by_kind ON assistant_questions (project_id, kind, asked_at, id);
CREATE INDEX assistant_questions_by_rating ON assistant_questions (project_id, helpful, asked_at, id);
CREATE INDEX assistant_questions_by_thread ON assistant_questions (project_id, thread, asked_at, id);
CREATE INDEX assistant_questions_by_domain ON assistant_questions (domain);
CREATE INDEX assistant_questions_by_expiry ON assistant_questions (expires_at);

-- Keys that ask the assistant of one domain, from pages of some origins and from programs. Pages contain them, so they
-- are shown again: the secret is encrypted, and its hash checks requests.
CREATE TABLE assistant_keys (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    domain TEXT NOT NULL REFERENCES domains (name),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    origins TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX assistant_keys_by_project ON assistant_keys (project_id, created_at, id);
CREATE INDEX assistant_keys_by_domain ON assistant_keys (domain);

-- Tokens that the answers of an organization used in a day, of all nodes.
CREATE TABLE assistant_tokens (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- Start of the day.
    day BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (day, organization_id)
);
CREATE INDEX assistant_tokens_by_organization ON assistant_tokens (organization_id);

-- Queues

-- A row for each queue, which gives out turns to organizations: the larger an organization's turn, the later it was
-- served.
CREATE TABLE queue_turns (
    queue TEXT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO queue_turns (queue, turn) VALUES
    ('releases', 0), ('agent_jobs', 0), ('polls', 0), ('reports', 0), ('notifications', 0);

-- Releases and exports

-- A row is its own queue entry.
CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    -- Counts the releases of the project.
    number BIGINT NOT NULL DEFAULT 0,
    site_id TEXT NOT NULL REFERENCES sites (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    update_id TEXT,
    trigger_name TEXT NOT NULL,
    servable BIGINT NOT NULL,
    version TEXT,
    paths TEXT,
    -- The deployment that it was requested for; NULL for the project's own cloud deployment. It can be gone.
    deployment_id TEXT,
    -- Its features, as JSON; NULL for those of the cloud deployment when it is built.
    features TEXT,
    options TEXT,
    branch TEXT,
    commit_sha TEXT,
    docs_tree TEXT,
    commit_message TEXT,
    commit_author TEXT,
    files_changed BIGINT,
    head_sequence BIGINT,
    status TEXT NOT NULL,
    progress BIGINT NOT NULL,
    page_count BIGINT NOT NULL,
    warnings TEXT NOT NULL,
    warning_count BIGINT NOT NULL,
    error TEXT,
    replaced_by TEXT,
    bundle_key TEXT,
    bundle_size BIGINT,
    bundle_sha256 TEXT,
    failures BIGINT NOT NULL,
    interruptions BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- When it was last active. Other nodes can still serve what was active a moment ago.
    last_active_at BIGINT,
    -- When it became active for the first time.
    active_from BIGINT,
    -- Diagnostics of the build, as JSON.
    diagnostics TEXT,
    -- Those that the release before doesn't have, as JSON.
    new_diagnostics TEXT,
    -- What its golden questions showed, as JSON; NULL if they were not asked.
    question_check TEXT,
    -- A line for each step.
    log TEXT NOT NULL DEFAULT '',
    -- What it was built with, as JSON.
    configuration TEXT,
    -- The address of its site when it was asked for. NULL until a service has started.
    address TEXT,
    -- When its bundle was found to be gone, until it is built again.
    bundle_lost_at BIGINT,
    -- Whether results of earlier builds are left unused.
    without_cache BIGINT NOT NULL DEFAULT 0,
    -- Its errors that the active release doesn't have, if it is held for them.
    held_errors BIGINT,
    -- The release that was active when it became ready, or before it first became active. It can be gone.
    base_release_id TEXT
);
CREATE INDEX releases_by_status ON releases (status, run_after);
CREATE INDEX releases_by_activation ON releases (project_id, active_from, id) WHERE active_from IS NOT NULL;
CREATE INDEX releases_by_site ON releases (site_id, head_sequence);
CREATE INDEX releases_by_update ON releases (update_id);
CREATE INDEX releases_by_bundle ON releases (bundle_key);
CREATE INDEX releases_by_project ON releases (project_id, id);
CREATE INDEX releases_by_organization ON releases (organization_id, id);
CREATE INDEX releases_by_replacement ON releases (replaced_by);
CREATE INDEX releases_by_commit ON releases (project_id, (lower(commit_sha COLLATE "binary")), id, status);
CREATE INDEX releases_of_project_by_status ON releases (project_id, status, id);
CREATE INDEX releases_of_site_by_commit ON releases (site_id, commit_sha);
CREATE INDEX releases_by_end ON releases (status, (COALESCE(ended_at, updated_at)));
-- Also what the ready ones take, so that sites with more than they keep are found in the index alone.
CREATE INDEX releases_of_site_by_status ON releases (status, site_id, bundle_size);
CREATE INDEX releases_of_previews ON releases (project_id, bundle_size) WHERE trigger_name = 'preview' AND bundle_key IS NOT NULL;
CREATE INDEX releases_by_hold ON releases (site_id, head_sequence) WHERE held_errors IS NOT NULL;
CREATE INDEX releases_by_loss ON releases (bundle_lost_at) WHERE bundle_lost_at IS NOT NULL;

-- Counts the changes of what domains serve, so that a node learns of them by reading one row.
CREATE TABLE serving_changes (
    id BIGINT PRIMARY KEY,
    changes BIGINT NOT NULL
);
INSERT INTO serving_changes (id, changes) VALUES (1, 0);

-- The last release whose bundle was looked for. Nodes share this row, and each round continues after it.
CREATE TABLE bundle_checks (
    id BIGINT PRIMARY KEY,
    after_release TEXT NOT NULL
);
INSERT INTO bundle_checks (id, after_release) VALUES (1, '');

CREATE TABLE export_jobs (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    domain TEXT NOT NULL,
    version TEXT,
    paths TEXT,
    -- The deployment that it is for; NULL if none was named. It can be gone.
    deployment_id TEXT,
    status TEXT NOT NULL,
    progress BIGINT NOT NULL,
    page_count BIGINT NOT NULL,
    warnings TEXT NOT NULL,
    warning_count BIGINT NOT NULL,
    error TEXT,
    bundle_key TEXT,
    bundle_size BIGINT,
    bundle_sha256 TEXT,
    bundle_commit TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    release_id TEXT
);
CREATE INDEX export_jobs_by_release ON export_jobs (release_id);
CREATE INDEX export_jobs_by_bundle ON export_jobs (bundle_key);
CREATE INDEX export_jobs_by_project ON export_jobs (project_id, id);
CREATE INDEX export_jobs_by_organization ON export_jobs (organization_id, id);
CREATE INDEX export_jobs_by_domain ON export_jobs (domain);
CREATE INDEX export_jobs_by_status ON export_jobs (status, updated_at);
CREATE INDEX export_jobs_of_project_by_domain ON export_jobs (project_id, (lower(domain COLLATE "binary")), id, status);
CREATE INDEX export_jobs_of_project_by_status ON export_jobs (project_id, status, id);

CREATE TABLE idempotency_keys (
    organization_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    job_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, idempotency_key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id);

-- Commit statuses on git hosts. The id is that of the release. A recurring job: see `polls`.
CREATE TABLE reports (
    id TEXT PRIMARY KEY REFERENCES releases (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested BIGINT NOT NULL,
    reported TEXT,
    error TEXT,
    failures BIGINT NOT NULL,
    failing_since BIGINT,
    interruptions BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX reports_by_status ON reports (status, run_after);

-- Git hosts and previews

-- Polls of repositories. The id is that of the project. A recurring job: its row stays, and is `open` while there is
-- something to do at `run_after`. `requested` counts the requests, so that one that comes while a worker runs isn't lost.
CREATE TABLE polls (
    id TEXT PRIMARY KEY REFERENCES projects (id),
    project_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested BIGINT NOT NULL,
    -- How many of these requests the last poll answered.
    answered BIGINT NOT NULL DEFAULT 0,
    polled_at BIGINT,
    error TEXT,
    -- The kind of the problem that the error is about.
    error_kind TEXT,
    failures BIGINT NOT NULL,
    failing_since BIGINT,
    interruptions BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX polls_by_status ON polls (status, run_after);
CREATE INDEX polls_by_failure ON polls (failing_since) WHERE error IS NOT NULL;

-- Models, and the object storage, that don't work now. `subject` is the name of a model, or `read` or `write` for the
-- object storage, which concerns all projects: its `project_id` is empty. A row goes when the dependency works.
CREATE TABLE failing_dependencies (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    project_id TEXT NOT NULL,
    message TEXT NOT NULL,
    failing_since BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    next_test_at BIGINT NOT NULL,
    PRIMARY KEY (kind, subject, project_id)
);

-- `secret` is encrypted; `key_id` names the key.
CREATE TABLE webhook_secrets (
    project_id TEXT PRIMARY KEY REFERENCES projects (id),
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Received webhooks. `delivery` is the host's name for it; `request` is the poll request that it made.
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    delivery TEXT NOT NULL,
    event TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    request BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    summary TEXT NOT NULL,
    UNIQUE (project_id, delivery)
);
CREATE INDEX deliveries_by_project ON deliveries (project_id, id);

-- Sites of branches and pull requests. One of a pull request has its number; one that the API asked for has none.
-- `git_ref` is what git fetches, from `fork` if that isn't NULL.
CREATE TABLE previews (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    site_id TEXT NOT NULL UNIQUE REFERENCES sites (id),
    pull_request BIGINT,
    title TEXT,
    branch TEXT NOT NULL,
    base TEXT NOT NULL,
    git_ref TEXT NOT NULL,
    fork TEXT,
    is_fork BIGINT NOT NULL,
    head TEXT,
    host TEXT NOT NULL UNIQUE,
    comment_id TEXT,
    reported TEXT NOT NULL DEFAULT '',
    report_after BIGINT NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    closed_because TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    closed_at BIGINT,
    -- Until when someone is about to write the comment.
    report_lease_expires_at BIGINT,
    -- How often that failed in a row.
    report_failures BIGINT NOT NULL DEFAULT 0,
    -- The release that its newest build is based on and compared with, which stays while the preview is open.
    base_release_id TEXT,
    UNIQUE (project_id, pull_request)
);
CREATE INDEX previews_by_base ON previews (base_release_id, state);
CREATE INDEX previews_by_state ON previews (state, changed_at);
CREATE INDEX previews_by_project ON previews (project_id, id);
-- The state stands last, so that it is read within the index.
CREATE INDEX previews_by_branch ON previews (project_id, (lower(branch COLLATE "binary")), id, state);
CREATE INDEX previews_of_project_by_state ON previews (project_id, state, id);
CREATE INDEX previews_by_report ON previews (state, reported);

-- Codes by which a member who is signed in at the service's host is let into a preview at its own host. Each works
-- once, for a minute.
CREATE TABLE preview_codes (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    preview_host TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX preview_codes_by_expiry ON preview_codes (expires_at);
CREATE INDEX preview_codes_by_account ON preview_codes (account_id);

-- Pull requests of the built-in git host: one for each branch.
CREATE TABLE pull_requests (
    project_id TEXT NOT NULL REFERENCES projects (id),
    number BIGINT NOT NULL,
    head TEXT NOT NULL,
    base TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    -- The newest commits of the base branch after it was merged, and before.
    merge_commit TEXT,
    base_before TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, number),
    UNIQUE (project_id, head)
);

-- Comments on pull requests of the built-in git host. A marker tells one from the others.
CREATE TABLE pull_request_comments (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    marker TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (project_id, number, marker),
    FOREIGN KEY (project_id, number) REFERENCES pull_requests (project_id, number)
);

-- Agent jobs

-- A row is its own queue entry.
CREATE TABLE agent_jobs (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    status TEXT NOT NULL,
    repository TEXT NOT NULL,
    git_ref TEXT,
    base_commit TEXT,
    model TEXT NOT NULL,
    pr_link TEXT,
    error TEXT,
    summary TEXT,
    usage TEXT NOT NULL,
    files_changed TEXT NOT NULL,
    run TEXT,
    failures BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    archived_at BIGINT,
    interruptions BIGINT NOT NULL DEFAULT 0,
    lease_number BIGINT NOT NULL DEFAULT 0,
    -- Tool calls that were refused.
    refused TEXT NOT NULL DEFAULT '[]',
    -- Whether the events and the conversation of an archived job are gone.
    forgotten BIGINT NOT NULL DEFAULT 0,
    -- What the job changes, as its branch was last pushed: JSON, bounded.
    diff TEXT
);
CREATE INDEX agent_jobs_by_status ON agent_jobs (status, run_after);
CREATE INDEX agent_jobs_of_project_by_status ON agent_jobs (project_id, status, id);
CREATE INDEX agent_jobs_by_project ON agent_jobs (project_id, id);
CREATE INDEX agent_jobs_by_archive ON agent_jobs (forgotten, archived_at);

-- The prompts of a job. The rows of a project are what its hourly limit counts.
CREATE TABLE agent_messages (
    job_id TEXT NOT NULL REFERENCES agent_jobs (id),
    number BIGINT NOT NULL,
    project_id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (job_id, number)
);
CREATE INDEX agent_messages_by_project ON agent_messages (project_id, created_at);

CREATE TABLE agent_events (
    job_id TEXT NOT NULL REFERENCES agent_jobs (id),
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (job_id, number)
);

-- Notifications

-- Targets and events of notifications.
CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- NULL for every project of the organization.
    project_id TEXT REFERENCES projects (id),
    -- A URL, or `mailto:` and an address.
    target TEXT NOT NULL,
    -- Names of events.
    events TEXT NOT NULL,
    -- Signs what goes to a URL; encrypted. NULL for a mailbox.
    secret TEXT,
    key_id TEXT,
    -- When something was last sent: the one that waited longest comes next.
    attempted_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX subscriptions_by_organization ON subscriptions (organization_id, id);

CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
    event TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    -- Status of the last response, where there was one.
    response_status BIGINT,
    -- Why the last attempt failed.
    error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX notifications_by_status ON notifications (status, run_after);
CREATE INDEX notifications_by_subscription ON notifications (subscription_id, id);
CREATE INDEX notifications_by_end ON notifications (ended_at);
-- Those that wait are counted with each change, and most were sent.
CREATE INDEX notifications_of_subscription_by_status ON notifications (subscription_id, status);

-- Certificates

-- Certificates of hosts, also those that are to be ordered. Private keys are encrypted; `key_id` names the key.
CREATE TABLE certificates (
    host TEXT PRIMARY KEY,
    chain TEXT,
    private_key TEXT,
    key_id TEXT,
    issued_at BIGINT,
    expires_at BIGINT,
    order_after BIGINT NOT NULL,
    ordered_at BIGINT,
    failures BIGINT NOT NULL,
    problem TEXT,
    -- When the first order since the last certificate failed.
    problem_since BIGINT
);
CREATE INDEX certificates_by_problem ON certificates (host) WHERE problem IS NOT NULL;
CREATE INDEX certificates_by_order ON certificates (order_after);

-- One node at a time orders certificates.
CREATE TABLE certificate_turn (
    id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
INSERT INTO certificate_turn (id, number, expires_at) VALUES (1, 0, 0);

-- Accounts with certificate authorities, by the address of their directory. Credentials are encrypted.
CREATE TABLE acme_accounts (
    directory TEXT PRIMARY KEY,
    credentials TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What a certificate authority asks a host for, so that every node can answer.
CREATE TABLE acme_challenges (
    token TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- The instance

-- What tells the parts of an instance that lie outside its database from those of other instances.
CREATE TABLE instance_fingerprints (
    part TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- How far retention has come: the time by which the last round measured ages, and what the clocks said then. NULL
-- before the first round.
CREATE TABLE retention_rounds (
    id BIGINT PRIMARY KEY,
    reached_at BIGINT,
    clock_at BIGINT
);
INSERT INTO retention_rounds (id, reached_at, clock_at) VALUES (1, NULL, NULL);

-- Clones that nodes keep of repositories elsewhere, with the files of commits: their sizes at the last use. One
-- that several projects use counts for the last of them.
CREATE TABLE clones (
    name TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    bytes BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX clones_by_project ON clones (project_id, used_at, bytes);
CREATE INDEX clones_by_use ON clones (used_at);

-- Web analytics
--
-- The large tables name sites, pages, and values by short numbers, and count time in hours since 1970: `start` is the
-- first hour of an hour, a day, or a month (UTC). Ranges are read in the order of their keys. SQLite keeps them in that
-- order, and PostgreSQL's indexes of the largest have all columns: reading many rows of an index takes a third of the
-- time of looking up each in its table. What only one of them has stands in a comment with its name (`open.rs`). See
-- `database/analytics/numbers.rs`.

-- Batches of counted views, so that each counts once however often it is written.
CREATE TABLE analytics_batches (
    id TEXT PRIMARY KEY,
    written_at BIGINT NOT NULL
);
CREATE INDEX analytics_batches_by_age ON analytics_batches (written_at);

-- The last number of a site. No number is used again after its site is removed.
CREATE TABLE analytics_numbering (
    last_site INTEGER NOT NULL
);
INSERT INTO analytics_numbering (last_site) VALUES (0);

-- Domains with sums. `last_text` is the last number of a text.
CREATE TABLE analytics_sites (
    domain TEXT PRIMARY KEY REFERENCES domains (name),
    id INTEGER NOT NULL UNIQUE,
    last_text INTEGER NOT NULL
);

-- Pages, folders, and values of a site. The empty text is 0: the whole site, or all values beyond the limits. Texts that
-- end with a slash, such as folders, have numbers below 0. `used_in` is the month of the last batch with the text.
CREATE TABLE analytics_texts (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    id INTEGER NOT NULL,
    text TEXT NOT NULL,
    used_in INTEGER NOT NULL,
    PRIMARY KEY (site, id),
    UNIQUE (site, text)
) /* SQLite: WITHOUT ROWID */;
CREATE INDEX analytics_texts_by_use ON analytics_texts (used_in);

-- Views of each page by kind of reader, in an hour and in a day. `step` is its length in hours.
CREATE TABLE analytics_views (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    step SMALLINT NOT NULL,
    start INTEGER NOT NULL,
    page INTEGER NOT NULL,
    human INTEGER NOT NULL,
    ai INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    PRIMARY KEY (site, step, start, page) /* PostgreSQL: INCLUDE (human, ai, bot) */
) /* SQLite: WITHOUT ROWID */;

-- Views of all pages in a folder, likewise; folder 0 is the whole site.
CREATE TABLE analytics_totals (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    folder INTEGER NOT NULL,
    step SMALLINT NOT NULL,
    start INTEGER NOT NULL,
    human INTEGER NOT NULL,
    ai INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    PRIMARY KEY (site, folder, step, start)
) /* SQLite: WITHOUT ROWID */;

-- Views in a day by a dimension, such as `referrer`, and what readers do, such as `search`: of one page, of a folder of
-- pages, or of the whole site. `dimension` is a `Dimension::number`, and `last_hour` the hour of the last view, counted
-- from `start`.
CREATE TABLE analytics_values (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    dimension SMALLINT NOT NULL,
    last_hour SMALLINT NOT NULL,
    start INTEGER NOT NULL,
    page INTEGER NOT NULL,
    value INTEGER NOT NULL,
    views INTEGER NOT NULL,
    PRIMARY KEY (site, dimension, start, page, value) /* PostgreSQL: INCLUDE (last_hour, views) */
) /* SQLite: WITHOUT ROWID */;

-- Sums of the days of each month, the current one too: views of each page.
CREATE TABLE analytics_month_views (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    start INTEGER NOT NULL,
    page INTEGER NOT NULL,
    human INTEGER NOT NULL,
    ai INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    PRIMARY KEY (site, start, page) /* PostgreSQL: INCLUDE (human, ai, bot) */
) /* SQLite: WITHOUT ROWID */;

-- The same by dimension.
CREATE TABLE analytics_month_values (
    site INTEGER NOT NULL REFERENCES analytics_sites (id),
    dimension SMALLINT NOT NULL,
    last_hour SMALLINT NOT NULL,
    start INTEGER NOT NULL,
    page INTEGER NOT NULL,
    value INTEGER NOT NULL,
    views INTEGER NOT NULL,
    PRIMARY KEY (site, dimension, start, page, value) /* PostgreSQL: INCLUDE (last_hour, views) */
) /* SQLite: WITHOUT ROWID */;

-- Views of the last hour by minute, and by page, referrer, or agent (`kind`).
CREATE TABLE analytics_minutes (
    domain TEXT NOT NULL REFERENCES domains (name),
    starts_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    human BIGINT NOT NULL,
    ai BIGINT NOT NULL,
    PRIMARY KEY (domain, starts_at, kind, value)
);
CREATE INDEX analytics_minutes_by_age ON analytics_minutes (starts_at);

-- The last week (its end) of a project whose report was recorded.
CREATE TABLE analytics_weeks (
    project_id TEXT PRIMARY KEY REFERENCES projects (id),
    ends_at BIGINT NOT NULL
);

-- Unique visitors of a site in a day that is over.
CREATE TABLE analytics_visitors (
    domain TEXT NOT NULL REFERENCES domains (name),
    starts_at BIGINT NOT NULL,
    human BIGINT NOT NULL,
    ai BIGINT NOT NULL,
    PRIMARY KEY (domain, starts_at)
);
CREATE INDEX analytics_visitors_by_age ON analytics_visitors (starts_at);

-- Sketches of the visitors of a current day: they say how many, not who. Deleted when the day is over.
CREATE TABLE analytics_sketches (
    domain TEXT NOT NULL REFERENCES domains (name),
    starts_at BIGINT NOT NULL,
    reader TEXT NOT NULL,
    registers TEXT NOT NULL,
    PRIMARY KEY (domain, starts_at, reader)
);
CREATE INDEX analytics_sketches_by_age ON analytics_sketches (starts_at);

-- The random key of the day for visitors, encrypted, which all nodes share.
CREATE TABLE analytics_key (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    starts_at BIGINT NOT NULL,
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL
);
