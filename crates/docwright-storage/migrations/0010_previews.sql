-- Previews: sites of branches and pull requests. One of a pull request has its number; one that the API
-- asked for has none. `git_ref` is what git fetches, from `fork` if that is not null.
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
    UNIQUE (project_id, pull_request)
);

CREATE INDEX previews_by_state ON previews (state, changed_at);
CREATE INDEX previews_by_project ON previews (project_id, id);

-- Null: previews of the project ask for no password. Else its hash.
ALTER TABLE projects ADD COLUMN preview_password TEXT;

-- Requests that count towards a limit of an organisation, as long as they count.
CREATE TABLE limited_requests (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    kind TEXT NOT NULL,
    made_at BIGINT NOT NULL
);

CREATE INDEX limited_requests_by_organization ON limited_requests (organization_id, kind, made_at);
