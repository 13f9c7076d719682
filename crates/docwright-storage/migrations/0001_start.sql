-- One set of statements for SQLite and PostgreSQL: times are milliseconds since 1970 as BIGINT,
-- lists are JSON in TEXT.

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    repository TEXT NOT NULL,
    docs_path TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE domains (
    name TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    scope TEXT NOT NULL,
    allowlist TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT
);

CREATE TABLE export_jobs (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    domain TEXT NOT NULL,
    version TEXT,
    paths TEXT,
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
    attempts BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_owner TEXT,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX export_jobs_by_status ON export_jobs (status, run_after);
CREATE INDEX export_jobs_by_domain ON export_jobs (domain, status, updated_at);

CREATE TABLE idempotency_keys (
    organization_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    job_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, idempotency_key)
);
