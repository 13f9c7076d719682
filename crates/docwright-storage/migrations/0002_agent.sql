-- Agent jobs: a row is its own queue entry, as with export jobs. A prompt is a message; the rows of
-- a project's messages are what its hourly limit counts.

ALTER TABLE projects ADD COLUMN model TEXT;

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
    attempts BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_owner TEXT,
    lease_expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    archived_at BIGINT
);

CREATE INDEX agent_jobs_by_project ON agent_jobs (project_id, created_at, id);
CREATE INDEX agent_jobs_by_status ON agent_jobs (status, run_after);

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

-- Pull requests of docwright's own git host. One a branch, ever.
CREATE TABLE pull_requests (
    project_id TEXT NOT NULL REFERENCES projects (id),
    number BIGINT NOT NULL,
    head TEXT NOT NULL,
    base TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, number),
    UNIQUE (project_id, head)
);
