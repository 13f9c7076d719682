-- What hosts are told and asked.

-- Comments on pull requests of docwright's own git host. A marker tells one from the others.
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

-- Standing jobs: a row stays, and is `open` while there is something to do at `run_after`. `requested`
-- counts the requests, so that one that comes while a worker is at it is not lost.

ALTER TABLE organizations ADD COLUMN look_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN report_turn BIGINT NOT NULL DEFAULT 0;

INSERT INTO queue_turns (queue, turn) VALUES ('looks', 0);
INSERT INTO queue_turns (queue, turn) VALUES ('reports', 0);

-- Looking at the repository of a project. The id is that of the project.
CREATE TABLE looks (
    id TEXT PRIMARY KEY REFERENCES projects (id),
    project_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested BIGINT NOT NULL,
    looked_at BIGINT,
    error TEXT,
    failures BIGINT NOT NULL,
    interruptions BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX looks_by_status ON looks (status, run_after);

INSERT INTO looks (id, project_id, status, requested, failures, interruptions, run_after, lease_number, created_at, updated_at)
SELECT id, id, 'open', 1, 0, 0, 0, 0, created_at, created_at FROM projects;

-- Telling a host how a commit is doing. The id is that of the release.
CREATE TABLE reports (
    id TEXT PRIMARY KEY REFERENCES releases (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested BIGINT NOT NULL,
    reported TEXT,
    error TEXT,
    failures BIGINT NOT NULL,
    interruptions BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX reports_by_status ON reports (status, run_after);

-- What a build found, as JSON, and what of it is new; and a line for each step of a release.
ALTER TABLE releases ADD COLUMN findings TEXT;
ALTER TABLE releases ADD COLUMN new_findings TEXT;
ALTER TABLE releases ADD COLUMN log TEXT NOT NULL DEFAULT '';

-- Webhooks of git hosts. `secret` is encrypted; `key_id` names the key.
CREATE TABLE webhook_secrets (
    project_id TEXT PRIMARY KEY REFERENCES projects (id),
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- `delivery` is what the host calls it. `request` is the request for a look that it made.
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
