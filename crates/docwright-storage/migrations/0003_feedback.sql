-- What readers say of pages. Nothing tells who they are.
CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    domain TEXT NOT NULL REFERENCES domains (name),
    page TEXT NOT NULL,
    helpful BIGINT NOT NULL,
    comment TEXT,
    created_at BIGINT NOT NULL
);

CREATE INDEX feedback_by_domain ON feedback (domain, created_at);
