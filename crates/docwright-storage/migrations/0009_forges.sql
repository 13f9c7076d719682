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
