-- Keys of the install belong to no organisation. A key may be limited to projects: a JSON list, empty
-- for all. A key keeps the ids of projects that are gone, so that its list never becomes empty.
CREATE TABLE api_keys_of_install (
    id TEXT PRIMARY KEY,
    organization_id TEXT REFERENCES organizations (id),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    scope TEXT NOT NULL,
    projects TEXT NOT NULL,
    allowlist TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT
);

INSERT INTO api_keys_of_install (id, organization_id, name, secret_hash, scope, projects, allowlist, created_at,
    expires_at, last_used_at, revoked_at)
SELECT id, organization_id, name, secret_hash, scope, '[]', allowlist, created_at, expires_at, last_used_at, revoked_at
FROM api_keys;

DROP TABLE api_keys;
ALTER TABLE api_keys_of_install RENAME TO api_keys;
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, created_at, id);

-- Who changed what, from where, and what it was before and after. An entry outlives what it is about,
-- so that nothing refers to other tables. `state_before` and `state_after` are JSON without secrets.
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
