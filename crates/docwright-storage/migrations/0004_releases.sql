-- Releases, sites, one lease for every kind of job, fair turns, and credentials.

-- The larger an organisation's turn, the later it was served. A queue's own row gives out the turns.
ALTER TABLE organizations ADD COLUMN release_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN agent_turn BIGINT NOT NULL DEFAULT 0;

CREATE TABLE queue_turns (
    queue TEXT PRIMARY KEY,
    turn BIGINT NOT NULL
);

INSERT INTO queue_turns (queue, turn) VALUES ('releases', 0);
INSERT INTO queue_turns (queue, turn) VALUES ('agent_jobs', 0);

ALTER TABLE projects ADD COLUMN activation TEXT NOT NULL DEFAULT 'automatic';

-- An empty branch is the default branch of the repository.
ALTER TABLE domains ADD COLUMN branch TEXT NOT NULL DEFAULT '';

-- A release becomes active by itself if the place of its head is `activates_from` or later.
CREATE TABLE sites (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    address TEXT NOT NULL,
    active_release_id TEXT,
    activates_from BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (project_id, branch, address)
);

-- The heads that a branch was seen to have, in the order in which they were seen.
CREATE TABLE branch_heads (
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    commit_sha TEXT,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, branch, sequence)
);

CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    update_id TEXT,
    trigger_name TEXT NOT NULL,
    servable BIGINT NOT NULL,
    version TEXT,
    paths TEXT,
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
    ended_at BIGINT
);

CREATE INDEX releases_by_status ON releases (status, run_after);
CREATE INDEX releases_by_site ON releases (site_id, head_sequence);
CREATE INDEX releases_by_update ON releases (update_id);

INSERT INTO sites (id, project_id, branch, address, active_release_id, activates_from, created_at)
SELECT 'site_' || name, project_id, '', 'https://' || name, NULL, 0, created_at FROM domains;

DROP INDEX export_jobs_by_status;
DROP INDEX export_jobs_by_domain;
ALTER TABLE export_jobs ADD COLUMN release_id TEXT;

-- The last full export of a domain is what it served: its active release. It is never built into
-- again, so no later release takes it for its own.
INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, version, options,
    commit_sha, head_sequence, status, progress, page_count, warnings, warning_count, bundle_key,
    bundle_size, bundle_sha256, failures, interruptions, run_after, lease_number, created_at, updated_at, ended_at)
SELECT 'rel_' || substr(job.id, 5), 'site_' || job.domain, job.project_id, job.organization_id, 'export', 1,
    job.version, NULL, job.bundle_commit, 0, 'ready', 100, job.page_count, job.warnings, job.warning_count,
    job.bundle_key, job.bundle_size, job.bundle_sha256, 0, 0, 0, 0, job.created_at, job.updated_at, job.updated_at
FROM export_jobs AS job JOIN domains ON domains.name = job.domain AND domains.project_id = job.project_id
WHERE job.id = (
    SELECT newest.id FROM export_jobs AS newest
    WHERE newest.domain = job.domain AND newest.project_id = job.project_id
        AND newest.status = 'completed' AND newest.paths IS NULL
    ORDER BY newest.updated_at DESC, newest.id DESC LIMIT 1
);

UPDATE sites SET active_release_id = (SELECT id FROM releases WHERE releases.site_id = sites.id);

-- Exports that had not ended are built again.
INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, version, paths,
    status, progress, page_count, warnings, warning_count, failures, interruptions, run_after, lease_number,
    created_at, updated_at)
SELECT 'rel_' || substr(job.id, 5), 'site_' || job.domain, job.project_id, job.organization_id, 'export',
    CASE WHEN job.paths IS NULL AND job.version IS NULL THEN 1 ELSE 0 END, job.version, job.paths,
    'queued', 0, 0, '[]', 0, 0, 0, 0, 0, job.created_at, job.updated_at
FROM export_jobs AS job JOIN domains ON domains.name = job.domain AND domains.project_id = job.project_id
WHERE job.status IN ('queued', 'running');

UPDATE export_jobs SET release_id = 'rel_' || substr(id, 5)
WHERE EXISTS (SELECT 1 FROM releases WHERE releases.id = 'rel_' || substr(export_jobs.id, 5));

ALTER TABLE export_jobs DROP COLUMN attempts;
ALTER TABLE export_jobs DROP COLUMN run_after;
ALTER TABLE export_jobs DROP COLUMN lease_owner;
ALTER TABLE export_jobs DROP COLUMN lease_expires_at;

CREATE INDEX export_jobs_by_release ON export_jobs (release_id);

ALTER TABLE agent_jobs RENAME COLUMN attempts TO failures;
ALTER TABLE agent_jobs ADD COLUMN interruptions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_jobs ADD COLUMN lease_number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_jobs DROP COLUMN lease_owner;
UPDATE agent_jobs SET failures = 0, lease_expires_at = NULL;

-- What git hosts are shown. `secret` is encrypted; `key_id` names the key. An empty `project_id`
-- stands for every project of the organisation.
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
